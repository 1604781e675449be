/* indexer: one run of learning a datasource, what its steps share. */
#ifndef QUERENT_INDEXER_H
#define QUERENT_INDEXER_H

#include "guard/guard.h"
#include "indexing/index.h"
#include "schema/value_index.h"

enum { VALUES_PER_COLUMN = 5000, SAMPLES = 5, SHOWN_BYTES = 80 };
#define VALUE_INDEX_BYTES ((size_t)64 * 1024 * 1024)

struct indexer {
    struct call *call;
    struct call keep;             /* memory of what lasts; the call's own is given back after each statement */
    struct datasource datasource; /* as pinned, with the new snapshot */
    struct view view;             /* all of it */
    struct snapshot *snapshot;
    struct value_builder *values;
    int64_t until_us;
    const struct index_options *options;
    struct index_report *report;
    const struct datasource *before; /* what was known; snapshot NULL = nothing */
    bool *kept;                      /* beside tables: contents are as they were, nothing is read */
};

/* A cell that outlives its row. NULL text for NULL, binary, and what is longer than SHOWN_BYTES. */
struct shown {
    const char *text;
    enum cell_kind kind;
};
/* Runs a plan of ours. false: it failed or met a budget, nothing of it counts; *rc is set only when the whole run must
 * end (the caller is gone). */
bool indexer_run(struct indexer *x, struct query *q,
                 int (*row)(struct indexer *x, void *ctx, const struct cell *cells, size_t count), void *ctx, int *rc);
bool indexer_late(struct indexer *x); /* the budget of the whole run is used up */
/* The stage has done so many of so many, and is the part of the whole from `first` to `last` percent. */
void indexer_progress(struct indexer *x, const char *stage, size_t done, size_t total, int64_t first, int64_t last);
struct shown indexer_shown(struct indexer *x, const struct cell *cell);

/* Takes over what is known of tables that did not change; says which those are. */
void index_keep(struct indexer *x);
/* Adds their values to the new index. */
void index_keep_values(struct indexer *x);
/* Puts a value into the new index, or counts it as left out. */
void index_value(struct indexer *x, const char *schema, const char *table, const char *column, const char *value);
/* The column's values belong into the index. */
bool index_wanted(const struct indexer *x, const struct table *t, const struct column *col);

/* The column is on a list of "table.column" or "schema.table.column". */
bool index_listed(const struct list *columns, const struct table *t, const struct column *col);

/* Row counts, distinct and null counts, least and greatest values of base tables. */
int index_statistics(struct indexer *x);
/* The most frequent values of text-like columns, as samples and for the value index. */
int index_values(struct indexer *x);
/* Keys that nobody declared: found by names, believed when the values agree. */
int index_keys(struct indexer *x);

#endif
