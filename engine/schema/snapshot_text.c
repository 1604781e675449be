#include "schema/snapshot.h"

#include <string.h>

/* The stored form: the snapshot with lists where the tree has arrays, described once for both directions. */

static const char *const kind_names[] = { "table", "view", "materialized_view", "foreign", NULL };

struct column_text {
    const char *name, *db_type;
    int type;
    int64_t precision, scale, primary_key, distinct_count, null_count;
    bool nullable, unique, pii;
    const char *description, *min, *max;
    struct list samples;
};
static const struct field column_fields[] = {
    FIELD(struct column_text, name, K_STR, .flags = F_REQUIRED),
    FIELD(struct column_text, db_type, K_STR),
    FIELD(struct column_text, type, K_ENUM, .of = type_kind_names, .flags = F_REQUIRED),
    FIELD(struct column_text, precision, K_INT, .def = "0"),
    FIELD(struct column_text, scale, K_INT, .def = "0"),
    FIELD(struct column_text, primary_key, K_INT, .def = "0"),
    FIELD(struct column_text, distinct_count, K_INT, .def = "-1"),
    FIELD(struct column_text, null_count, K_INT, .def = "-1"),
    FIELD(struct column_text, nullable, K_BOOL),
    FIELD(struct column_text, unique, K_BOOL),
    FIELD(struct column_text, pii, K_BOOL),
    FIELD(struct column_text, description, K_STR),
    FIELD(struct column_text, min, K_STR),
    FIELD(struct column_text, max, K_STR),
    FIELD(struct column_text, samples, K_STRINGS),
    { 0 },
};
static const struct type column_type = TYPE(struct column_text, "StoredColumn", column_fields);

struct key_text {
    struct list columns, referred;
    const char *schema, *table;
    bool inferred;
};
static const struct field key_fields[] = {
    FIELD(struct key_text, columns, K_STRINGS, .flags = F_REQUIRED),
    FIELD(struct key_text, schema, K_STR),
    FIELD(struct key_text, table, K_STR, .flags = F_REQUIRED),
    FIELD(struct key_text, referred, K_STRINGS, .flags = F_REQUIRED),
    FIELD(struct key_text, inferred, K_BOOL),
    { 0 },
};
static const struct type key_type = TYPE(struct key_text, "StoredKey", key_fields);

struct read_text {
    const char *schema, *table;
    struct list columns;
};
static const struct field read_fields[] = {
    FIELD(struct read_text, schema, K_STR),
    FIELD(struct read_text, table, K_STR, .flags = F_REQUIRED),
    FIELD(struct read_text, columns, K_STRINGS, .max = 100000),
    { 0 },
};
static const struct type read_type = TYPE(struct read_text, "StoredRead", read_fields);

struct table_text {
    const char *schema, *name, *description, *mark;
    int kind;
    int64_t row_count;
    struct list columns, foreign_keys, reads, functions;
    bool reads_unknown;
};
static const struct field table_fields[] = {
    FIELD(struct table_text, schema, K_STR),
    FIELD(struct table_text, name, K_STR, .flags = F_REQUIRED),
    FIELD(struct table_text, kind, K_ENUM, .of = kind_names, .flags = F_REQUIRED),
    FIELD(struct table_text, description, K_STR),
    FIELD(struct table_text, row_count, K_INT, .def = "-1"),
    FIELD(struct table_text, mark, K_STR),
    FIELD(struct table_text, columns, K_LIST, .of = &column_type, .flags = F_REQUIRED, .max = 100000),
    FIELD(struct table_text, foreign_keys, K_LIST, .of = &key_type, .max = 100000),
    FIELD(struct table_text, reads, K_LIST, .of = &read_type, .max = 100000),
    FIELD(struct table_text, functions, K_STRINGS),
    FIELD(struct table_text, reads_unknown, K_BOOL, .def = "false"),
    { 0 },
};
static const struct type table_type = TYPE(struct table_text, "StoredTable", table_fields);

struct snapshot_text {
    const char *datasource, *dialect, *fingerprint, *server_version;
    int64_t taken_us;
    struct list tables;
};
static const struct field snapshot_fields[] = {
    FIELD(struct snapshot_text, datasource, K_STR, .flags = F_REQUIRED),
    FIELD(struct snapshot_text, dialect, K_STR, .flags = F_REQUIRED),
    FIELD(struct snapshot_text, fingerprint, K_STR, .flags = F_REQUIRED),
    FIELD(struct snapshot_text, server_version, K_STR),
    FIELD(struct snapshot_text, taken_us, K_INT, .flags = F_REQUIRED),
    FIELD(struct snapshot_text, tables, K_LIST, .of = &table_type, .flags = F_REQUIRED, .max = 1000000),
    { 0 },
};
static const struct type snapshot_type = TYPE(struct snapshot_text, "StoredSnapshot", snapshot_fields);

static struct list list_of(const void *items, size_t count)
{
    return (struct list){ .items = (void *)items, .count = count, .room = count };
}

/* ---- to text ---- */

static struct list columns_out(struct call *c, const struct table *t)
{
    struct column_text *all = call_array(c, t->column_count, sizeof *all);
    for (size_t i = 0; i < t->column_count; i++) {
        const struct column *col = &t->columns[i];
        all[i] = (struct column_text){ .name = col->name,
                                       .db_type = col->db_type,
                                       .type = (int)col->type.kind,
                                       .precision = col->type.precision,
                                       .scale = col->type.scale,
                                       .primary_key = col->primary_key,
                                       .distinct_count = col->distinct_count,
                                       .null_count = col->null_count,
                                       .nullable = col->nullable,
                                       .unique = col->unique,
                                       .pii = col->pii,
                                       .description = col->description,
                                       .min = col->min,
                                       .max = col->max,
                                       .samples = list_of(col->samples, col->sample_count) };
    }
    return list_of(all, t->column_count);
}

static struct list keys_out(struct call *c, const struct table *t)
{
    struct key_text *all = call_array(c, t->foreign_key_count, sizeof *all);
    for (size_t i = 0; i < t->foreign_key_count; i++) {
        const struct foreign_key *k = &t->foreign_keys[i];
        all[i] = (struct key_text){ .columns = list_of(k->columns, k->column_count),
                                    .referred = list_of(k->referred, k->column_count),
                                    .schema = k->schema,
                                    .table = k->table,
                                    .inferred = k->inferred };
    }
    return list_of(all, t->foreign_key_count);
}

static struct list reads_out(struct call *c, const struct table *t)
{
    struct read_text *all = call_array(c, t->read_count, sizeof *all);
    for (size_t i = 0; i < t->read_count; i++)
        all[i] = (struct read_text){ .schema = t->reads[i].schema,
                                     .table = t->reads[i].table,
                                     .columns = list_of(t->reads[i].columns, t->reads[i].column_count) };
    return list_of(all, t->read_count);
}

void snapshot_encode(struct buf *b, const struct snapshot *s)
{
    struct call *c = b->call;
    struct table_text *tables = call_array(c, s->table_count, sizeof *tables);
    for (size_t i = 0; i < s->table_count; i++) {
        const struct table *t = &s->tables[i];
        tables[i] = (struct table_text){ .schema = t->schema,
                                         .name = t->name,
                                         .kind = (int)t->kind,
                                         .description = t->description,
                                         .row_count = t->row_count,
                                         .mark = t->mark,
                                         .columns = columns_out(c, t),
                                         .foreign_keys = keys_out(c, t),
                                         .reads = reads_out(c, t),
                                         .functions = list_of(t->functions, t->function_count),
                                         .reads_unknown = t->reads_unknown };
    }
    struct snapshot_text text = { .datasource = s->datasource,
                                  .dialect = s->dialect,
                                  .fingerprint = s->fingerprint,
                                  .server_version = s->server_version,
                                  .taken_us = s->taken_us,
                                  .tables = list_of(tables, s->table_count) };
    json_encode(b, &snapshot_type, &text);
}

/* ---- from text ---- */

static void columns_in(struct call *c, const struct table_text *from, struct table *t)
{
    t->column_count = from->columns.count;
    t->columns = call_array(c, t->column_count, sizeof *t->columns);
    for (size_t i = 0; i < t->column_count; i++) {
        const struct column_text *x = &LIST_AT(&from->columns, struct column_text, i);
        t->columns[i] = (struct column){
            .name = x->name,
            .db_type = x->db_type,
            .type = { .kind = (enum type_kind)x->type, .precision = (int)x->precision, .scale = (int)x->scale },
            .primary_key = (int)x->primary_key,
            .distinct_count = x->distinct_count,
            .null_count = x->null_count,
            .nullable = x->nullable,
            .unique = x->unique,
            .pii = x->pii,
            .description = x->description,
            .min = x->min,
            .max = x->max,
            .samples = x->samples.items,
            .sample_count = x->samples.count
        };
    }
}

/* False when a key pairs more columns than it refers to. */
static bool keys_in(struct call *c, const struct table_text *from, struct table *t)
{
    t->foreign_key_count = from->foreign_keys.count;
    t->foreign_keys = call_array(c, t->foreign_key_count, sizeof *t->foreign_keys);
    for (size_t i = 0; i < t->foreign_key_count; i++) {
        const struct key_text *x = &LIST_AT(&from->foreign_keys, struct key_text, i);
        if (x->columns.count != x->referred.count) return false;
        t->foreign_keys[i] = (struct foreign_key){ .columns = x->columns.items,
                                                   .column_count = x->columns.count,
                                                   .schema = x->schema,
                                                   .table = x->table,
                                                   .referred = x->referred.items,
                                                   .inferred = x->inferred };
    }
    return true;
}

static void reads_in(struct call *c, const struct table_text *from, struct table *t)
{
    t->read_count = from->reads.count;
    t->reads = call_array(c, t->read_count, sizeof *t->reads);
    for (size_t i = 0; i < t->read_count; i++) {
        const struct read_text *x = &LIST_AT(&from->reads, struct read_text, i);
        t->reads[i] = (struct table_read){
            .schema = x->schema, .table = x->table, .columns = x->columns.items, .column_count = x->columns.count
        };
    }
    t->functions = from->functions.items;
    t->function_count = from->functions.count;
}

int snapshot_decode(struct call *c, const char *text, size_t n, struct snapshot **out)
{
    const struct json *j;
    struct snapshot_text x = { 0 };
    bool ok = !json_parse(c, text, n, &j) && !json_decode(c, &snapshot_type, j, &x);
    struct snapshot *s = call_alloc(c, sizeof *s);
    *s = (struct snapshot){ .datasource = x.datasource,
                            .dialect = x.dialect,
                            .fingerprint = x.fingerprint,
                            .server_version = x.server_version,
                            .taken_us = x.taken_us,
                            .table_count = x.tables.count };
    s->tables = call_array(c, s->table_count, sizeof *s->tables);
    for (size_t i = 0; ok && i < s->table_count; i++) {
        const struct table_text *from = &LIST_AT(&x.tables, struct table_text, i);
        s->tables[i] = (struct table){ .schema = from->schema,
                                       .name = from->name,
                                       .kind = (enum table_kind)from->kind,
                                       .description = from->description,
                                       .row_count = from->row_count,
                                       .mark = from->mark,
                                       .reads_unknown = from->reads_unknown };
        columns_in(c, from, &s->tables[i]);
        reads_in(c, from, &s->tables[i]);
        ok = keys_in(c, from, &s->tables[i]);
    }
    *out = s;
    if (ok) return OK;
    const char *detail = c->err.message;
    call_forgive(c);
    call_detail(c, "snapshot: %s", detail ? detail : "a key does not pair its columns");
    return call_fail(c, ERR_STORE_FAILED, "A stored schema cannot be read.");
}
