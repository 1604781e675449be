/* result: rows on their way from a database to a client. Numbers stay the database's text. */
#ifndef QUERENT_RESULT_H
#define QUERENT_RESULT_H

#include "buf.h"
#include "domain/value_type.h"

enum cell_kind {
    CELL_NULL,
    CELL_NUMBER,  /* exact: text is an integer's or decimal's digits, or NaN, Infinity, -Infinity */
    CELL_DOUBLE,  /* a binary float: the shortest digits that read back as the same one, or NaN, Infinity, -Infinity */
    CELL_BOOLEAN, /* "true" or "false" */
    CELL_TEXT,    /* UTF-8: text, dates, times, uuid, anything that has a text form */
    CELL_BINARY   /* bytes */
};

struct cell {
    enum cell_kind kind;
    const char *text;
    size_t n;
};

struct source_column {
    const char *schema, *table, *column;
};

struct result_column {
    const char *name;
    struct value_type type;
    const char *db_type; /* NULL when the engine has none for an expression */
    bool nullable;
    bool approximate; /* a decimal kept by the engine as a binary float */
    struct source_column *sources; /* lineage */
    size_t source_count;
};

/* Receives a result: columns once, then rows. Cells live until row() returns. Returning ROWS_ENOUGH ends the run without
 * an error; another non-zero code ends it with that error. */
enum { ROWS_ENOUGH = -1 };
struct row_sink {
    int (*columns)(void *ctx, struct call *c, const struct result_column *columns, size_t count);
    int (*row)(void *ctx, struct call *c, const struct cell *cells, size_t count);
    void *ctx;
};

/* Ceilings of one execution. 0 = the datasource's default; a request can only lower them. */
struct run_limits {
    int64_t rows;
    int64_t bytes;      /* of the result */
    int64_t cell_bytes; /* of one value */
    int64_t time_ms;
    int64_t steps; /* engine steps, for deterministic probes; 0 = not counted */
};

struct run_stats {
    int64_t rows, bytes, steps, db_us;
    bool truncated;
    const char *stopped_by; /* rows | bytes | steps | recursion, NULL when complete */
};

bool cell_is_number(const struct cell *cell);
/* One cell as JSON: integers within 2^53-1 and doubles bare; larger and fractional exact numbers, NaN and infinities as
 * text; binary tagged base64. */
void cell_encode(struct buf *b, const struct cell *cell);

#endif
