/* metrics: counters of operations and requests. Writers never wait for each other once a name is known; a reader may
 * see a counter a moment before its neighbour. */
#ifndef QUERENT_METRICS_H
#define QUERENT_METRICS_H

#include "engine.h"

struct metrics;

struct metrics *metrics_new(void);
void metrics_free(struct metrics *m);
void metrics_operation_begin(struct metrics *m);
void metrics_operation_end(struct metrics *m, const struct op *op, enum err_code code, int64_t us);
/* At most 200 different names are kept apart; later ones count as "other". */
void metrics_request(struct metrics *m, const char *what, int status, int64_t us);
void metrics_write(struct metrics *m, struct buf *b);

#endif
