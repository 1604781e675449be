/* embed: files inside the binary (migrations, openapi, prompts, weights, console), by their path in the project. */
#ifndef QUERENT_EMBED_H
#define QUERENT_EMBED_H

#include <stddef.h>

struct embedded {
    const char *name;
    const char *begin, *end; /* end points at a NUL that does not count */
};

extern const struct embedded embedded_files[]; /* by name; ends with name NULL */
const struct embedded *embedded_find(const char *name); /* NULL when there is none */

#endif
