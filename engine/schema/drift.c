#include "schema/drift.h"

#include <string.h>

static const char *const change_names[] = { "table_added",     "table_removed",  "table_kind",
                                            "column_added",    "column_removed", "column_type",
                                            "column_nullable", "keys",           NULL };

static const struct field change_fields[] = {
    FIELD(struct schema_change, kind, K_ENUM, .flags = F_REQUIRED, .of = change_names),
    FIELD(struct schema_change, schema, K_STR),
    FIELD(struct schema_change, table, K_STR, .flags = F_REQUIRED),
    FIELD(struct schema_change, column, K_STR),
    FIELD(struct schema_change, before, K_STR, .doc = "Type, kind or keys as they were."),
    FIELD(struct schema_change, after, K_STR, .doc = "Type, kind or keys as they are."),
    { 0 },
};
const struct type schema_change_type = TYPE(struct schema_change, "SchemaChange", change_fields);

static const char *const kinds[] = { "table", "view", "materialized view", "foreign table" };

struct drift {
    struct call *call;
    struct list *changes;
    size_t most;
    int64_t *count;
    const struct table *table; /* that the changes belong to */
};

static void add(struct drift *d, enum change_kind kind, const char *column, const char *before, const char *after)
{
    ++*d->count;
    if (d->changes->count >= d->most) return;
    struct schema_change *x = list_push(d->call, d->changes, sizeof *x);
    *x = (struct schema_change){ .kind = (int)kind,
                                 .schema = d->table->schema,
                                 .table = d->table->name,
                                 .column = column,
                                 .before = before,
                                 .after = after };
}

static const struct column *column_of(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (!strcmp(t->columns[i].name, name)) return &t->columns[i];
    return NULL;
}

static const char *type_of(const struct column *col)
{
    return col->db_type ? col->db_type : "";
}

static void put_names(struct buf *b, const char *const *names, size_t count)
{
    buf_char(b, '(');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_str(b, ", ");
        buf_str(b, names[i] ? names[i] : "?");
    }
    buf_char(b, ')');
}

/* Keys in words, declared ones only: equal words are equal keys. */
static const char *keys_of(struct call *c, const struct table *t)
{
    struct buf b;
    buf_init(&b, c, (size_t)1 << 20);
    for (int at = 1, found = 1; found; at++) {
        found = 0;
        for (size_t i = 0; i < t->column_count; i++) {
            if (t->columns[i].primary_key != at) continue;
            buf_format(&b, "%s%s", at == 1 ? "primary key " : ", ", t->columns[i].name);
            found = 1;
        }
    }
    for (size_t i = 0; i < t->column_count; i++)
        if (t->columns[i].unique && !t->columns[i].primary_key)
            buf_format(&b, "%sunique %s", b.len ? "; " : "", t->columns[i].name);
    for (size_t i = 0; i < t->foreign_key_count; i++) {
        const struct foreign_key *k = &t->foreign_keys[i];
        if (k->inferred) continue;
        buf_str(&b, b.len ? "; " : "");
        put_names(&b, k->columns, k->column_count);
        buf_format(&b, " to %s%s%s", k->schema ? k->schema : "", k->schema ? "." : "", k->table);
        put_names(&b, k->referred, k->column_count);
    }
    return b.len ? b.data : NULL;
}

static bool equal(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void compare_tables(struct drift *d, const struct table *before, const struct table *after)
{
    struct arena_mark mark = arena_mark(&d->call->arena);
    size_t had = d->changes->count;
    d->table = after;
    if (before->kind != after->kind) add(d, CHANGE_TABLE_KIND, NULL, kinds[before->kind], kinds[after->kind]);
    for (size_t i = 0; i < before->column_count; i++) {
        const struct column *was = &before->columns[i], *is = column_of(after, was->name);
        if (!is)
            add(d, CHANGE_COLUMN_REMOVED, was->name, type_of(was), NULL);
        else if (strcmp(type_of(was), type_of(is)) != 0)
            add(d, CHANGE_COLUMN_TYPE, was->name, type_of(was), type_of(is));
        else if (was->nullable != is->nullable)
            add(d, CHANGE_COLUMN_NULLABLE, was->name, was->nullable ? "nullable" : "not null",
                is->nullable ? "nullable" : "not null");
    }
    for (size_t i = 0; i < after->column_count; i++)
        if (!column_of(before, after->columns[i].name))
            add(d, CHANGE_COLUMN_ADDED, after->columns[i].name, NULL, type_of(&after->columns[i]));
    const char *keys_before = keys_of(d->call, before), *keys_after = keys_of(d->call, after);
    if (!equal(keys_before, keys_after)) add(d, CHANGE_KEYS, NULL, keys_before, keys_after);
    if (d->changes->count == had) arena_reset(&d->call->arena, mark);
}

void schema_drift(struct call *c, const struct snapshot *before, const struct snapshot *after, size_t most,
                  struct list *changes, int64_t *count)
{
    struct drift d = { .call = c, .changes = changes, .most = most, .count = count };
    size_t i = 0, k = 0;
    *changes = (struct list){ 0 };
    *count = 0;
    while (i < before->table_count || k < after->table_count) {
        int at = i == before->table_count  ? 1
                 : k == after->table_count ? -1
                                           : table_order(&before->tables[i], &after->tables[k]);
        if (at < 0) {
            d.table = &before->tables[i++];
            add(&d, CHANGE_TABLE_REMOVED, NULL, kinds[d.table->kind], NULL);
        } else if (at > 0) {
            d.table = &after->tables[k++];
            add(&d, CHANGE_TABLE_ADDED, NULL, NULL, kinds[d.table->kind]);
        } else {
            compare_tables(&d, &before->tables[i++], &after->tables[k++]);
        }
    }
}

bool table_same_structure(struct call *c, const struct table *a, const struct table *b)
{
    struct arena_mark mark = arena_mark(&c->arena);
    bool same = a->kind == b->kind && a->column_count == b->column_count;
    for (size_t i = 0; same && i < a->column_count; i++) {
        const struct column *x = &a->columns[i], *y = &b->columns[i];
        same = !strcmp(x->name, y->name) && !strcmp(type_of(x), type_of(y)) && x->nullable == y->nullable;
    }
    same = same && equal(keys_of(c, a), keys_of(c, b));
    arena_reset(&c->arena, mark);
    return same;
}
