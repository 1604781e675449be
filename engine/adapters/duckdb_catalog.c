/* The structure of a DuckDB file. */
#include "adapters/duckdb_session.h"

#include <stdlib.h>
#include <string.h>

static const char table_query[] =
    "SELECT schema_name, table_name, 'table', comment, estimated_size FROM duckdb_tables() WHERE NOT internal"
    " AND database_name = current_database() UNION ALL SELECT schema_name, view_name, 'view', comment, -1 FROM "
    "duckdb_views()"
    " WHERE NOT internal AND database_name = current_database() ORDER BY 1, 2";
static const char column_query[] = "SELECT schema_name, table_name, column_name, data_type, is_nullable, comment FROM "
                                   "duckdb_columns() WHERE NOT internal"
                                   " AND database_name = current_database() ORDER BY 1, 2, column_index";
/* One row a column of a key, in key order. */
static const char key_query[] =
    "SELECT schema_name, table_name, constraint_type, constraint_index, unnest(constraint_column_names) AS name,"
    " referenced_table, unnest(CASE WHEN constraint_type = 'FOREIGN KEY' THEN referenced_column_names ELSE"
    " constraint_column_names END), len(constraint_column_names) FROM duckdb_constraints() WHERE database_name ="
    " current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')"
    " ORDER BY schema_name, table_name, constraint_index";

struct reading {
    struct list tables; /* struct table */
    size_t at;
    struct list columns, keys, key_columns, key_referred;
    const char *key; /* "index" of the constraint being read */
};

static const char *cell_text(struct call *c, const struct cell *cell)
{
    return cell->kind == CELL_NULL ? NULL : call_strndup(c, cell->text, cell->n);
}

static struct value_type column_type(const char *name)
{
    static const struct {
        const char *prefix;
        enum type_kind kind;
    } kinds[] = {
        { "BOOLEAN", TYPE_BOOLEAN },     { "TINYINT", TYPE_INTEGER },
        { "SMALLINT", TYPE_INTEGER },    { "INTEGER", TYPE_INTEGER },
        { "BIGINT", TYPE_INTEGER },      { "HUGEINT", TYPE_INTEGER },
        { "UTINYINT", TYPE_INTEGER },    { "USMALLINT", TYPE_INTEGER },
        { "UINTEGER", TYPE_INTEGER },    { "UBIGINT", TYPE_INTEGER },
        { "UHUGEINT", TYPE_INTEGER },    { "DECIMAL", TYPE_DECIMAL },
        { "FLOAT", TYPE_DOUBLE },        { "DOUBLE", TYPE_DOUBLE },
        { "VARCHAR", TYPE_TEXT },        { "ENUM", TYPE_TEXT },
        { "UUID", TYPE_TEXT },           { "BLOB", TYPE_BINARY },
        { "DATE", TYPE_DATE },           { "TIMESTAMP WITH", TYPE_TIMESTAMPTZ },
        { "TIMESTAMP", TYPE_TIMESTAMP }, { "TIME", TYPE_TIME },
        { "INTERVAL", TYPE_INTERVAL },
    };
    struct value_type t = { 0 };
    size_t n = strlen(name);
    if (n && name[n - 1] == ']') return t;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !t.kind; i++) {
        size_t prefix = strlen(kinds[i].prefix);
        if (strncmp(name, kinds[i].prefix, prefix)) continue;
        t.kind = kinds[i].kind;
        if (t.kind == TYPE_DECIMAL && name[prefix] == '(') {
            char *end;
            t.precision = (int)strtol(name + prefix + 1, &end, 10);
            if (*end == ',') t.scale = (int)strtol(end + 1, NULL, 10);
        }
    }
    return t;
}

static int table_row(void *ctx, struct call *c, const struct cell *v, size_t n)
{
    struct reading *r = ctx;
    struct table *t = list_push(c, &r->tables, sizeof *t);
    (void)n;
    *t = (struct table){ .schema = cell_text(c, &v[0]),
                         .name = cell_text(c, &v[1]),
                         .description = cell_text(c, &v[3]) };
    t->kind = v[2].text[0] == 'v' ? TABLE_VIEW : TABLE_BASE;
    t->reads_unknown = t->kind == TABLE_VIEW;
    t->row_count = atoll(cell_text(c, &v[4]));
    return OK;
}

/* Rows come in the order of the tables. fresh: it is another table than the last one. */
static struct table *table_of(struct reading *r, struct call *c, const struct cell *v, bool *fresh)
{
    const char *schema = cell_text(c, &v[0]), *name = cell_text(c, &v[1]);
    for (size_t i = r->at; i < r->tables.count; i++) {
        struct table *t = &LIST_AT(&r->tables, struct table, i);
        if (strcmp(t->name, name) || strcmp(t->schema, schema)) continue;
        *fresh = i != r->at;
        r->at = i;
        return t;
    }
    return NULL;
}

static int column_row(void *ctx, struct call *c, const struct cell *v, size_t n)
{
    struct reading *r = ctx;
    bool fresh;
    struct table *t = table_of(r, c, v, &fresh);
    (void)n;
    if (!t) return OK;
    if (fresh) r->columns = (struct list){ 0 };
    struct column *column = list_push(c, &r->columns, sizeof *column);
    *column = (struct column){ .name = cell_text(c, &v[2]),
                               .db_type = cell_text(c, &v[3]),
                               .nullable = v[4].text[0] == 't',
                               .description = cell_text(c, &v[5]),
                               .distinct_count = -1,
                               .null_count = -1 };
    column->type = column_type(column->db_type);
    t->columns = r->columns.items;
    t->column_count = r->columns.count;
    return OK;
}

static int key_row(void *ctx, struct call *c, const struct cell *v, size_t n)
{
    struct reading *r = ctx;
    bool fresh;
    struct table *t = table_of(r, c, v, &fresh);
    (void)n;
    if (!t) return OK;
    const char *kind = cell_text(c, &v[2]), *key = cell_text(c, &v[3]), *name = cell_text(c, &v[4]);
    if (fresh) r->keys = (struct list){ 0 };
    if (fresh || !r->key || strcmp(r->key, key)) {
        r->key = key;
        r->key_columns = r->key_referred = (struct list){ 0 };
    }
    struct column *column = NULL;
    for (size_t i = 0; i < t->column_count && !column; i++)
        if (!strcmp(t->columns[i].name, name)) column = &t->columns[i];
    if (!column) return OK;
    int64_t width = atoll(cell_text(c, &v[7]));
    *(const char **)list_push(c, &r->key_columns, sizeof(const char *)) = column->name;
    if (!strcmp(kind, "PRIMARY KEY")) column->primary_key = (int)r->key_columns.count;
    if (strcmp(kind, "FOREIGN KEY")) {
        column->unique = column->unique || width == 1;
        return OK;
    }
    *(const char **)list_push(c, &r->key_referred, sizeof(const char *)) = cell_text(c, &v[6]);
    if ((int64_t)r->key_columns.count != width) return OK;
    struct foreign_key *f = list_push(c, &r->keys, sizeof *f);
    *f = (struct foreign_key){ .columns = r->key_columns.items,
                               .column_count = r->key_columns.count,
                               .schema = t->schema,
                               .table = cell_text(c, &v[5]),
                               .referred = r->key_referred.items };
    t->foreign_keys = r->keys.items;
    t->foreign_key_count = r->keys.count;
    return OK;
}

int duckdb_catalog(struct call *c, struct duckdb_session *s, struct snapshot *out)
{
    static const struct {
        const char *sql;
        int (*row)(void *ctx, struct call *c, const struct cell *cells, size_t count);
    } parts[] = { { table_query, table_row }, { column_query, column_row }, { key_query, key_row } };
    static const struct run_limits limits = {
        .rows = 4000000, .bytes = INT64_MAX, .cell_bytes = 1 << 20, .time_ms = 60000
    };
    struct reading r = { 0 };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct row_sink sink = { .row = parts[i].row, .ctx = &r };
        struct run_stats stats = { 0 };
        struct rows run = { .call = c, .limits = &limits, .sink = &sink, .stats = &stats };
        r.at = 0;
        r.columns = r.keys = (struct list){ 0 };
        int rc = duckdb_run(s, &run, parts[i].sql, strlen(parts[i].sql));
        if (rc) return rc;
    }
    out->tables = r.tables.items;
    out->table_count = r.tables.count;
    return OK;
}
