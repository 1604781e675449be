#include "indexing/indexer.h"

#include "schema/drift.h"

#include <string.h>

/* The engine counts what is written and says that nothing was; or the caller takes an equal structure for enough. */
static bool same_contents(const struct indexer *x, const struct table *before, const struct table *now)
{
    if (x->options->full) return false;
    return x->options->structure_only || (before->mark && now->mark && !strcmp(before->mark, now->mark));
}

static void keep_column(struct indexer *x, struct column *to, const struct column *from)
{
    struct call *keep = &x->keep;
    to->distinct_count = from->distinct_count;
    to->null_count = from->null_count;
    to->min = call_strdup(keep, from->min);
    to->max = call_strdup(keep, from->max);
    to->type = from->type;
    const char **samples = call_array(keep, from->sample_count, sizeof *samples);
    if (to->pii) return;
    for (size_t i = 0; i < from->sample_count; i++) samples[i] = call_strdup(keep, from->samples[i]);
    to->samples = samples;
    to->sample_count = from->sample_count;
}

static const struct table *table_now(const struct indexer *x, const char *schema, const char *name)
{
    return schema_spelt(x->snapshot->tables, x->snapshot->table_count, schema, name);
}

static const char *const *copy_names(struct call *keep, const char *const *names, size_t count)
{
    const char **copy = call_array(keep, count, sizeof *copy);
    for (size_t i = 0; i < count; i++) copy[i] = call_strdup(keep, names[i]);
    return copy;
}

/* A key that was found by values stands as long as neither end changed. */
static void keep_keys(struct indexer *x, struct table *to, const struct table *from)
{
    struct call *keep = &x->keep;
    for (size_t i = 0; i < from->foreign_key_count; i++) {
        const struct foreign_key *k = &from->foreign_keys[i];
        const struct table *parent = k->inferred ? table_now(x, k->schema, k->table) : NULL;
        if (!parent || !x->kept[parent - x->snapshot->tables]) continue;
        struct foreign_key *all = call_array(keep, to->foreign_key_count + 1, sizeof *all);
        if (to->foreign_key_count) memcpy(all, to->foreign_keys, to->foreign_key_count * sizeof *all);
        all[to->foreign_key_count++] = (struct foreign_key){ .columns = copy_names(keep, k->columns, k->column_count),
                                                             .column_count = k->column_count,
                                                             .schema = parent->schema,
                                                             .table = parent->name,
                                                             .referred = copy_names(keep, k->referred, k->column_count),
                                                             .inferred = true };
        to->foreign_keys = all;
    }
}

/* What a budget cut short the last time is read now. */
static bool was_read(const struct table *t)
{
    if (t->kind != TABLE_BASE || t->row_count < 0) return false;
    for (size_t i = 0; t->row_count && i < t->column_count; i++)
        if (t->columns[i].null_count < 0) return false;
    return true;
}

void index_keep(struct indexer *x)
{
    const struct snapshot *before = x->before->snapshot;
    struct snapshot *now = x->snapshot;
    x->kept = call_array(&x->keep, now->table_count, sizeof *x->kept);
    for (size_t i = 0; before && i < now->table_count; i++) {
        struct table *t = &now->tables[i];
        const struct table *was = schema_spelt(before->tables, before->table_count, t->schema, t->name);
        if (!was || !was_read(was) || !same_contents(x, was, t) || !table_same_structure(x->call, was, t)) continue;
        x->kept[i] = true;
        t->row_count = was->row_count;
        for (size_t k = 0; k < t->column_count; k++) keep_column(x, &t->columns[k], &was->columns[k]);
    }
    for (size_t i = 0; before && i < now->table_count; i++) {
        struct table *t = &now->tables[i];
        if (x->kept[i]) keep_keys(x, t, schema_spelt(before->tables, before->table_count, t->schema, t->name));
    }
}

struct carrier {
    struct indexer *indexer;
    const char *schema, *table, *column; /* of the last value */
    bool wanted;
};

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void carry(void *ctx, const char *schema, const char *table, const char *column, const char *value)
{
    struct carrier *k = ctx;
    struct indexer *x = k->indexer;
    if (!k->column || !same(k->column, column) || !same(k->table, table) || !same(k->schema, schema)) {
        const struct table *t = table_now(x, schema, table);
        const struct column *col = t && x->kept[t - x->snapshot->tables] ? schema_column(t, column) : NULL;
        *k = (struct carrier){ x, schema, table, column, col && index_wanted(x, t, col) };
    }
    if (!k->wanted) return;
    index_value(x, schema, table, column, value);
}

void index_keep_values(struct indexer *x)
{
    struct carrier k = { .indexer = x };
    if (x->before->values) value_index_each(x->before->values, &k, carry);
}
