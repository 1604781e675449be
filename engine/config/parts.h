/* parts: what the files of this room share. */
#ifndef QUERENT_CONFIG_PARTS_H
#define QUERENT_CONFIG_PARTS_H

#include "config/load.h"

struct variable {
    const char *name, *value;
};

/* Everything that one loading knows; its memory is the configuration's own. */
struct loader {
    struct call *call;
    const char *folder;     /* of the configuration file; "." without one */
    const char *file;       /* its base name, NULL without one */
    struct list dot_env;    /* struct variable */
    struct list referred;   /* const char *: names that some ${env:} used */
    const struct json *raw; /* the sections as written, references in place */
    struct list overridden; /* const void *: members set by a variable or the command line */
    struct list entries;    /* struct datasource_entry, beside the configuration's datasources */
};

/* A configuration and what it stands on. */
struct loaded {
    struct config config; /* first: config_free and config_show find the rest by it */
    struct call memory;
    struct loader loader;
};

#define CONFIG_FILE_MAX ((size_t)1024 * 1024)
#define SECRET_FILE_MAX ((size_t)64 * 1024)

/* Bytes of a file, at most `max`. `what` opens the message of a failure. */
int file_read(struct call *c, const char *path, size_t max, const char *what, const char **out, size_t *n);
const char *path_from(struct call *c, const char *folder, const char *path); /* relative to folder unless absolute */

/* env: reads the .env of the folder when there is one; looks a name up: exported first, then .env; NULL when unset. */
int env_load(struct loader *l);
const char *env_get(const struct loader *l, const char *name);
/* Applies QUERENT_… variables, then the command line's overrides. */
int env_override(struct loader *l, const struct json *overrides, struct config *config);

/* expand: replaces references by their values, refuses literal secrets. */
int expand_tree(struct loader *l, const struct json *raw, const struct json **out);
bool is_reference(const char *s); /* wholly ${provider:key} */

/* check: what types cannot say; makes paths absolute. */
int config_check(struct loader *l, struct loaded *loaded);

/* Makes the call's error one of the configuration: `where` and the pointer lead the message, the hint ends it. */
int config_error(struct call *c, const char *where);

#endif
