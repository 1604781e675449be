/* lines: what the measuring verbs share: JSON lines in, workers over them, operations run as the operator. */
#ifndef QUERENT_CLI_LINES_H
#define QUERENT_CLI_LINES_H

#include "engine.h"

/* Objects of a file of JSON lines, in the call; empty lines are skipped. Names the line that is not well formed. */
int lines_read(struct call *c, const char *path, const struct json **items, size_t *count);
/* The same, but a line that is not well formed is told on stderr and counted in *bad. */
int lines_read_good(struct call *c, const char *path, const struct json **items, size_t *count, size_t *bad);
const char *line_text(const struct json *line, const char *name); /* NULL when it is no text */

/* Runs an operation as the operator; in is a JSON object of its members. *out is its answer as JSON, in the call. */
int lines_operation(struct engine *e, struct call *c, const char *op, const char *in, size_t n,
                    const struct json **out);

/* Calls fn for each index below count on `jobs` threads, each with a worker of its own from `workers`. */
void lines_work(size_t count, size_t jobs, void *workers, size_t worker_bytes, void (*fn)(void *worker, size_t i));

#endif
