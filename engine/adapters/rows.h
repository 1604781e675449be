/* rows: what every adapter does with the rows of a statement: columns as the plan knows them, the ceilings, the sink.
 * Lives on the stack of one execution. */
#ifndef QUERENT_ROWS_H
#define QUERENT_ROWS_H

#include "adapters/adapter.h"

/* When a result is cut, so many further rows are read and dropped before the server is told to stop: a statement with
 * its own LIMIT ends by itself, and its session can go on. */
enum { ROWS_DROPPED = 64 };

struct rows {
    struct call *call;
    const struct statement *statement; /* NULL: a query of the adapter's own */
    const struct run_limits *limits;
    const struct row_sink *sink;
    struct run_stats *stats;
    struct result_column *columns;
    struct cell *cells; /* of the row at hand */
    size_t count;
    bool began;           /* the sink knows the columns */
    struct arena scratch; /* of the row at hand, for cells whose text is not the driver's own */
    struct arena_mark fresh;
};

/* Makes room for `count` columns, each as the plan knows it; further ones carry the engine's names, set by rows_name.
 */
void rows_open(struct rows *r, size_t count);
void rows_name(struct rows *r, size_t i, const char *name);
/* The columns are known: the sink hears of them. */
int rows_begin(struct rows *r);
/* Before the cells of another row are filled: memory for what they hold beside the driver's. */
void rows_next(struct rows *r);
/* The row at hand to the sink (text that is no UTF-8 as the bytes it is), when the ceilings let it: OK, ROWS_ENOUGH, or
 * an error. */
int rows_give(struct rows *r);
void rows_close(struct rows *r);

#endif
