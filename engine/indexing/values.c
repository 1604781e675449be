#include "indexing/indexer.h"

#include <string.h>

/* Where reading a whole column costs too much, its first rows speak for it. */
enum { SAMPLE_ROWS = 50000 };

struct collector {
    struct table *table;
    struct column *column;
    struct list samples; /* const char * */
};

static bool text_like(const struct column *col)
{
    return col->type.kind == TYPE_TEXT || col->type.kind == TYPE_UNKNOWN;
}

void index_value(struct indexer *x, const char *schema, const char *table, const char *column, const char *value)
{
    bool in = value_builder_add(x->values, schema, table, column, value);
    x->report->complete &= in;
    x->report->values += in;
    x->report->values_left_out += !in;
}

static int value_row(struct indexer *x, void *ctx, const struct cell *cells, size_t count)
{
    struct collector *k = ctx;
    (void)count;
    if (cells[0].kind != CELL_TEXT || !cells[0].n) return OK;
    struct shown s = indexer_shown(x, &cells[0]);
    if (!s.text) x->report->values_left_out++;
    if (!s.text) return OK;
    if (k->samples.count < SAMPLES) *(const char **)list_push(&x->keep, &k->samples, sizeof s.text) = s.text;
    index_value(x, k->table->schema, k->table->name, k->column->name, s.text);
    return OK;
}

/* The values of a column, the most frequent first; of `from`, whose alias is t and which has the column. */
static struct query *frequent(struct call *c, struct query *q, const char *column)
{
    query_item(c, q, expr_column(c, "t", column), "v");
    query_item(c, q, expr_count_star(c), "n");
    query_where(c, q, expr_negated(c, expr_is_null(c, expr_column(c, "t", column))));
    query_group(c, q, expr_column(c, "t", column));
    query_order(c, q, expr_output(c, "n"), DIR_DESC);
    query_order(c, q, expr_output(c, "v"), DIR_ASC);
    query_limit(c, q, VALUES_PER_COLUMN);
    return q;
}

static int read_column(struct indexer *x, struct collector *k)
{
    struct call *c = x->call;
    int rc;
    struct query *q = query_select(c);
    query_from(c, q, k->table->schema, k->table->name, "t");
    if (indexer_run(x, frequent(c, q, k->column->name), value_row, k, &rc) || rc) return rc;
    struct query *first = query_select(c);
    query_item(c, first, expr_column(c, "s", k->column->name), k->column->name);
    query_from(c, first, k->table->schema, k->table->name, "s");
    query_limit(c, first, SAMPLE_ROWS);
    q = query_select(c);
    query_from_query(c, q, first, "t");
    indexer_run(x, frequent(c, q, k->column->name), value_row, k, &rc);
    return rc;
}

bool index_wanted(const struct indexer *x, const struct table *t, const struct column *col)
{
    const struct datasource_options *o = &x->datasource.config->options;
    if (col->pii || !text_like(col)) return false;
    return o->index_values == INDEX_ALL || index_listed(&o->index_columns, t, col);
}

int index_values(struct indexer *x)
{
    int rc = OK;
    index_keep_values(x);
    for (size_t i = 0; i < x->snapshot->table_count && !rc; i++) {
        struct table *t = &x->snapshot->tables[i];
        indexer_progress(x, "values", i, x->snapshot->table_count, 60, 95);
        if (x->kept[i] || t->kind != TABLE_BASE || t->row_count == 0) continue;
        for (size_t j = 0; !rc && j < t->column_count && !indexer_late(x); j++) {
            struct collector k = { .table = t, .column = &t->columns[j] };
            if (!index_wanted(x, t, k.column)) continue;
            struct arena_mark mark = arena_mark(&x->call->arena);
            rc = read_column(x, &k);
            if (k.column->distinct_count > VALUES_PER_COLUMN)
                x->report->values_left_out += k.column->distinct_count - VALUES_PER_COLUMN;
            k.column->samples = k.samples.items;
            k.column->sample_count = k.samples.count;
            if (!rc) arena_reset(&x->call->arena, mark);
        }
        if (indexer_late(x)) t->mark = NULL; /* the next time reads it again */
    }
    return rc;
}
