/* load: querent.yaml, the .env beside it, the environment and the command line become one checked `struct config`,
 * which owns its memory until config_free() and never changes. Reads files; opens no database. */
#ifndef QUERENT_CONFIG_LOAD_H
#define QUERENT_CONFIG_LOAD_H

#include "domain/config.h"

/* path NULL = no file. overrides: an object of key paths ("server.listen") to text, or NULL. Precedence: overrides,
 * exported QUERENT_…, .env, file, default. ERR_CONFIG_INVALID or ERR_SECRET_VALUE_IN_CONFIG with a message for a
 * terminal. */
int config_load(struct call *c, const char *path, const struct json *overrides, struct config **out);
/* Only the defaults of a server without a file; neither files nor the environment are read. */
struct config *config_defaults(struct call *c);
void config_free(struct config *config);

/* The configuration in force as YAML. A value that came by reference is shown as the reference; no secret is shown. */
void config_show(struct buf *b, const struct config *config);

#endif
