/* The structure of a database of SQL Server. The server shows a login only the objects on which it holds a right. */
#include "adapters/mssql.h"

#include <stdlib.h>
#include <string.h>

/* A comment, where people keep one. */
#define DESCRIPTION                                                                                                    \
    "(SELECT TOP (1) CAST(e.value AS nvarchar(4000)) FROM sys.extended_properties e WHERE e.class = 1 AND e.name ="    \
    " 'MS_Description' AND e.major_id = o.object_id AND e.minor_id = "
#define OURS "o.type IN ('U', 'V') AND o.is_ms_shipped = 0"

static const char table_query[] =
    "SELECT o.object_id, s.name, o.name, o.type, " DESCRIPTION "0),"
    " (SELECT SUM(p.rows) FROM sys.partitions p WHERE p.object_id = o.object_id AND p.index_id IN (0, 1))"
    " FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id WHERE " OURS
    " ORDER BY s.name COLLATE Latin1_General_BIN2, o.name COLLATE Latin1_General_BIN2";
static const char column_query[] =
    "SELECT o.object_id, c.name, COALESCE(TYPE_NAME(c.system_type_id), TYPE_NAME(c.user_type_id)), c.max_length,"
    " c.precision, c.scale, CAST(c.is_nullable AS int), " DESCRIPTION "c.column_id)"
    " FROM sys.columns c JOIN sys.objects o ON o.object_id = c.object_id WHERE " OURS
    " ORDER BY o.object_id, c.column_id";
/* One row a column of a primary or unique key, in key order. */
static const char key_query[] =
    "SELECT i.object_id, i.index_id, c.name, CAST(i.is_primary_key AS int), (SELECT COUNT(*) FROM sys.index_columns n"
    " WHERE n.object_id = i.object_id AND n.index_id = i.index_id AND n.key_ordinal > 0), k.key_ordinal"
    " FROM sys.indexes i JOIN sys.objects o ON o.object_id = i.object_id JOIN sys.index_columns k ON k.object_id ="
    " i.object_id AND k.index_id = i.index_id JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id ="
    " k.column_id WHERE " OURS " AND i.is_unique = 1 AND i.has_filter = 0 AND k.key_ordinal > 0"
    " ORDER BY i.object_id, i.index_id, k.key_ordinal";
/* One row a column of a foreign key, in key order. */
static const char reference_query[] =
    "SELECT f.parent_object_id, f.object_id, c.name, s.name, r.name, rc.name, (SELECT COUNT(*) FROM"
    " sys.foreign_key_columns n WHERE n.constraint_object_id = f.object_id)"
    " FROM sys.foreign_keys f JOIN sys.foreign_key_columns k ON k.constraint_object_id = f.object_id"
    " JOIN sys.columns c ON c.object_id = k.parent_object_id AND c.column_id = k.parent_column_id"
    " JOIN sys.objects r ON r.object_id = k.referenced_object_id JOIN sys.schemas s ON s.schema_id = r.schema_id"
    " JOIN sys.columns rc ON rc.object_id = k.referenced_object_id AND rc.column_id = k.referenced_column_id"
    " ORDER BY f.parent_object_id, f.object_id, k.constraint_column_id";

struct known {
    int64_t id;
    size_t table;
};

struct reading {
    struct call *call;
    const struct list *schemas;    /* only these; empty = all */
    struct list tables, known;     /* struct table, struct known by id */
    const struct known *at;        /* whose columns or keys are being read */
    struct list items;             /* of tables[at] */
    int64_t key;                   /* being read */
    struct list columns, referred; /* of that key */
};

static int by_id(const void *a, const void *b)
{
    int64_t x = ((const struct known *)a)->id, y = ((const struct known *)b)->id;
    return (x > y) - (x < y);
}

static int64_t whole(const char *text)
{
    return text ? strtoll(text, NULL, 10) : -1;
}

static void table_row(void *ctx, const char *const *v)
{
    struct reading *r = ctx;
    bool wanted = !r->schemas->count;
    for (size_t i = 0; i < r->schemas->count && !wanted; i++)
        wanted = !strcmp(LIST_AT(r->schemas, const char *, i), v[1]);
    if (!wanted) return;
    struct known *k = list_push(r->call, &r->known, sizeof *k);
    *k = (struct known){ whole(v[0]), r->tables.count };
    struct table *t = list_push(r->call, &r->tables, sizeof *t);
    bool view = v[3][0] == 'V';
    *t = (struct table){ .schema = call_strdup(r->call, v[1]),
                         .name = call_strdup(r->call, v[2]),
                         .kind = view ? TABLE_VIEW : TABLE_BASE,
                         .description = call_strdup(r->call, v[4]),
                         .row_count = view ? -1 : whole(v[5]),
                         .reads_unknown = view };
}

/* The table of a row; NULL when it is none of ours. *fresh: it is another one than before. */
static struct table *table_of(struct reading *r, const char *id, bool *fresh)
{
    struct known wanted = { .id = whole(id) };
    *fresh = !r->at || r->at->id != wanted.id;
    if (*fresh && r->known.count) r->at = bsearch(&wanted, r->known.items, r->known.count, sizeof(struct known), by_id);
    if (!r->at) return NULL;
    if (*fresh) r->items = (struct list){ 0 };
    if (*fresh) r->key = -1;
    return &LIST_AT(&r->tables, struct table, r->at->table);
}

static const struct {
    const char *name;
    enum type_kind kind;
    enum { AS_IS, LENGTH, WIDE_LENGTH, DIGITS, SCALE } shown;
} types[] = {
    { "bigint", TYPE_INTEGER, AS_IS },
    { "binary", TYPE_BINARY, LENGTH },
    { "bit", TYPE_BOOLEAN, AS_IS },
    { "char", TYPE_TEXT, LENGTH },
    { "date", TYPE_DATE, AS_IS },
    { "datetime", TYPE_TIMESTAMP, AS_IS },
    { "datetime2", TYPE_TIMESTAMP, SCALE },
    { "datetimeoffset", TYPE_TIMESTAMPTZ, SCALE },
    { "decimal", TYPE_DECIMAL, DIGITS },
    { "float", TYPE_DOUBLE, AS_IS },
    { "geography", TYPE_BINARY, AS_IS },
    { "geometry", TYPE_BINARY, AS_IS },
    { "hierarchyid", TYPE_BINARY, AS_IS },
    { "image", TYPE_BINARY, AS_IS },
    { "int", TYPE_INTEGER, AS_IS },
    { "money", TYPE_DECIMAL, AS_IS },
    { "nchar", TYPE_TEXT, WIDE_LENGTH },
    { "ntext", TYPE_TEXT, AS_IS },
    { "numeric", TYPE_DECIMAL, DIGITS },
    { "nvarchar", TYPE_TEXT, WIDE_LENGTH },
    { "real", TYPE_DOUBLE, AS_IS },
    { "rowversion", TYPE_BINARY, AS_IS }, /* which the catalogue calls timestamp, though it is none */
    { "smalldatetime", TYPE_TIMESTAMP, AS_IS },
    { "smallint", TYPE_INTEGER, AS_IS },
    { "smallmoney", TYPE_DECIMAL, AS_IS },
    { "text", TYPE_TEXT, AS_IS },
    { "time", TYPE_TIME, SCALE },
    { "tinyint", TYPE_INTEGER, AS_IS },
    { "uniqueidentifier", TYPE_TEXT, AS_IS },
    { "varbinary", TYPE_BINARY, LENGTH },
    { "varchar", TYPE_TEXT, LENGTH },
    { "xml", TYPE_TEXT, AS_IS },
};

/* v: name, bytes, precision, scale. */
static void set_type(struct call *c, struct column *column, const char *const *v)
{
    const char *name = !v[0] ? "unknown" : !strcmp(v[0], "timestamp") ? "rowversion" : v[0];
    int64_t bytes = whole(v[1]), precision = whole(v[2]), scale = whole(v[3]);
    column->db_type = call_strdup(c, name);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name) != 0) continue;
        column->type.kind = types[i].kind;
        if (types[i].kind == TYPE_DECIMAL)
            column->type = (struct value_type){ TYPE_DECIMAL, (int)precision, (int)scale };
        if (types[i].shown == DIGITS)
            column->db_type = call_format(c, "%s(%lld,%lld)", name, (long long)precision, (long long)scale);
        else if (types[i].shown == SCALE)
            column->db_type = call_format(c, "%s(%lld)", name, (long long)scale);
        else if (types[i].shown != AS_IS && bytes < 0)
            column->db_type = call_format(c, "%s(max)", name);
        else if (types[i].shown != AS_IS)
            column->db_type =
                call_format(c, "%s(%lld)", name, (long long)(types[i].shown == WIDE_LENGTH ? bytes / 2 : bytes));
    }
}

static void column_row(void *ctx, const char *const *v)
{
    struct reading *r = ctx;
    bool fresh;
    struct table *t = table_of(r, v[0], &fresh);
    if (!t) return;
    struct column *column = list_push(r->call, &r->items, sizeof *column);
    *column = (struct column){ .name = call_strdup(r->call, v[1]),
                               .nullable = *v[6] == '1',
                               .description = call_strdup(r->call, v[7]),
                               .distinct_count = -1,
                               .null_count = -1 };
    set_type(r->call, column, v + 2);
    t->columns = r->items.items;
    t->column_count = r->items.count;
}

static struct column *column_of(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (!strcmp(t->columns[i].name, name)) return &t->columns[i];
    return NULL;
}

static void key_row(void *ctx, const char *const *v)
{
    struct reading *r = ctx;
    bool fresh;
    struct table *t = table_of(r, v[0], &fresh);
    struct column *column = t ? column_of(t, v[2]) : NULL;
    if (!column) return;
    if (*v[3] == '1') column->primary_key = (int)whole(v[5]);
    if (whole(v[4]) == 1) column->unique = true;
}

static void reference_row(void *ctx, const char *const *v)
{
    struct reading *r = ctx;
    bool fresh;
    struct table *t = table_of(r, v[0], &fresh);
    struct column *column = t ? column_of(t, v[2]) : NULL;
    if (!column) return;
    if (r->key != whole(v[1])) r->columns = r->referred = (struct list){ 0 };
    r->key = whole(v[1]);
    *(const char **)list_push(r->call, &r->columns, sizeof(const char *)) = column->name;
    *(const char **)list_push(r->call, &r->referred, sizeof(const char *)) = call_strdup(r->call, v[5]);
    if (r->columns.count != (size_t)whole(v[6])) return;
    struct foreign_key *key = list_push(r->call, &r->items, sizeof *key);
    *key = (struct foreign_key){ .columns = r->columns.items,
                                 .column_count = r->columns.count,
                                 .schema = call_strdup(r->call, v[3]),
                                 .table = call_strdup(r->call, v[4]),
                                 .referred = r->referred.items };
    t->foreign_keys = r->items.items;
    t->foreign_key_count = r->items.count;
}

int mssql_catalog(struct call *c, const struct mssql_connection *w, struct mssql_session *s, struct snapshot *out)
{
    static const struct {
        const char *sql;
        void (*row)(void *ctx, const char *const *v);
    } parts[] = { { table_query, table_row },
                  { column_query, column_row },
                  { key_query, key_row },
                  { reference_query, reference_row } };
    struct reading r = { .call = c, .schemas = &w->at.schemas };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        r.at = NULL;
        int rc = mssql_rows(c, s, parts[i].sql, NULL, parts[i].row, &r);
        if (rc) return rc;
        if (!i && r.known.count) qsort(r.known.items, r.known.count, sizeof(struct known), by_id);
    }
    out->tables = r.tables.items;
    out->table_count = r.tables.count;
    return OK;
}
