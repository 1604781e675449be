/* format: how an export is written. One file a format, one row in table.c. Writers only append to the buffer; the
 * caller empties it. Nothing is allocated per row, so an export's memory is flat. */
#ifndef QUERENT_FORMAT_H
#define QUERENT_FORMAT_H

#include "domain/answer.h"
#include "domain/result.h"

enum formulas { FORMULAS_KEEP, FORMULAS_ESCAPE };
extern const char *const formulas_names[]; /* keep escape NULL */

/* What is known once the last row was written. */
struct export_end {
    int64_t executed_at; /* microseconds UTC */
    int64_t row_count;
    bool truncated; /* the export ceiling was met */
    const char *row_hash;
    bool row_hash_equal; /* to the rows of the answer; of its first rows when the answer was cut at its ceiling */
};
extern const struct type export_end_type;

struct export_state {
    struct call *call;
    const struct list *columns; /* struct answer_column */
    const char *const *keys;    /* names made unique, as JSON strings with their quotes and a colon */
    int formulas;               /* enum formulas */
    int64_t row_count;
};

struct export_format {
    const char *name, *content_type;
    void (*begin)(struct buf *b, const struct export_state *s);
    void (*row)(struct buf *b, const struct export_state *s, const struct cell *cells, size_t count);
    void (*end)(struct buf *b, const struct export_state *s, const struct export_end *end);
};

/* Rows into a buffer in one format: the callbacks of a row sink. The caller empties the buffer between rows. */
struct export_writer {
    const struct export_format *format;
    struct export_state state;
    struct list columns;
    struct buf *out;
};
void export_writer_init(struct export_writer *w, struct call *c, const struct export_format *format, int formulas,
                        struct buf *out);
int export_writer_columns(void *writer, struct call *c, const struct result_column *columns, size_t count);
int export_writer_row(void *writer, struct call *c, const struct cell *cells, size_t count);

extern const struct export_format *const export_formats[]; /* NULL-terminated, beside export_format_names */
extern const char *const export_format_names[];            /* csv json ndjson NULL */

#endif
