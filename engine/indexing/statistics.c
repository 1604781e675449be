#include "indexing/indexer.h"

#include <stdlib.h>
#include <string.h>

/* Columns asked about in one statement; a count of distinct values holds them all, so there is a ceiling of rows. */
enum { CHUNK = 40, DISTINCT_ROWS = 2000000 };

static bool comparable(const struct column *col)
{
    return !col->pii && col->type.kind != TYPE_BINARY && col->type.kind != TYPE_BOOLEAN;
}

static int64_t whole(const struct cell *cell)
{
    return cell->kind == CELL_NUMBER ? strtoll(cell->text, NULL, 10) : -1;
}

static int count_row(struct indexer *x, void *ctx, const struct cell *cells, size_t count)
{
    (void)x;
    if (count == 1) ((struct table *)ctx)->row_count = whole(&cells[0]);
    return OK;
}

static int count_rows(struct indexer *x, struct table *t)
{
    int rc;
    struct query *q = query_select(x->call);
    query_item(x->call, q, expr_count_star(x->call), "n");
    query_from(x->call, q, t->schema, t->name, "t");
    indexer_run(x, q, count_row, t, &rc);
    return rc;
}

struct chunk {
    struct table *table;
    size_t first, count;
    bool distinct;
};

/* For each column: how many are not NULL, how many differ (when asked), the least, the greatest. */
static int chunk_row(struct indexer *x, void *ctx, const struct cell *cells, size_t count)
{
    const struct chunk *k = ctx;
    size_t at = 0;
    (void)count;
    for (size_t i = 0; i < k->count; i++) {
        struct column *col = &k->table->columns[k->first + i];
        col->null_count = k->table->row_count - whole(&cells[at++]);
        if (k->distinct && comparable(col)) col->distinct_count = whole(&cells[at++]);
        if (!comparable(col)) continue;
        struct shown least = indexer_shown(x, &cells[at++]), most = indexer_shown(x, &cells[at++]);
        col->min = least.text;
        col->max = most.text;
        /* Text in a column that was declared something else: its values are worth linking. */
        if (most.kind == CELL_TEXT && col->type.kind == TYPE_DECIMAL && !col->type.precision)
            col->type.kind = TYPE_UNKNOWN;
    }
    return OK;
}

static bool ask_chunk(struct indexer *x, struct chunk *k, int *rc)
{
    struct call *c = x->call;
    struct query *q = query_select(c);
    for (size_t i = 0; i < k->count; i++) {
        const struct column *col = &k->table->columns[k->first + i];
        query_item(c, q, expr_call1(c, "count", expr_column(c, "t", col->name)), call_format(c, "n%zu", i));
        if (!comparable(col)) continue;
        if (k->distinct)
            query_item(c, q, expr_distinct(c, "count", expr_column(c, "t", col->name)), call_format(c, "d%zu", i));
        query_item(c, q, expr_call1(c, "min", expr_column(c, "t", col->name)), call_format(c, "l%zu", i));
        query_item(c, q, expr_call1(c, "max", expr_column(c, "t", col->name)), call_format(c, "h%zu", i));
    }
    query_from(c, q, k->table->schema, k->table->name, "t");
    return indexer_run(x, q, chunk_row, k, rc);
}

static int read_columns(struct indexer *x, struct table *t)
{
    int rc = OK;
    for (size_t first = 0; !rc && first < t->column_count && !indexer_late(x); first += CHUNK) {
        struct arena_mark mark = arena_mark(&x->call->arena);
        struct chunk k = { .table = t, .first = first, .distinct = t->row_count <= DISTINCT_ROWS };
        k.count = t->column_count - first < CHUNK ? t->column_count - first : CHUNK;
        if (!ask_chunk(x, &k, &rc) && !rc && k.distinct) {
            k.distinct = false;
            ask_chunk(x, &k, &rc);
        }
        if (!rc) arena_reset(&x->call->arena, mark);
    }
    return rc;
}

/* A key needs no counting: each of its values stands once. */
static void know_keys(struct table *t)
{
    for (size_t i = 0; i < t->column_count; i++) {
        struct column *col = &t->columns[i];
        if (col->unique && col->distinct_count < 0 && !col->nullable) col->distinct_count = t->row_count;
    }
}

int index_statistics(struct indexer *x)
{
    int rc = OK;
    for (size_t i = 0; !rc && i < x->snapshot->table_count && !indexer_late(x); i++) {
        struct table *t = &x->snapshot->tables[i];
        indexer_progress(x, "statistics", i, x->snapshot->table_count, 10, 50);
        if (x->kept[i] || t->kind != TABLE_BASE) continue;
        struct arena_mark mark = arena_mark(&x->call->arena);
        x->report->tables_read++;
        rc = count_rows(x, t);
        if (!rc && t->row_count > 0) rc = read_columns(x, t);
        if (!rc && t->row_count >= 0) know_keys(t);
        if (!rc) arena_reset(&x->call->arena, mark);
    }
    return rc;
}
