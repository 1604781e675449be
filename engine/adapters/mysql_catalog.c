/* The structure of a database of MySQL or MariaDB. */
#include "adapters/mysql.h"

#include <stdlib.h>
#include <string.h>

#define SCOPE " = DATABASE()"

static const char table_query[] =
    "SELECT table_name, table_type, NULLIF(table_comment, ''), COALESCE(table_rows, -1),"
    " engine IN ('MRG_MyISAM', 'FEDERATED', 'CONNECT', 'SPIDER') FROM information_schema.tables"
    " WHERE table_schema" SCOPE " AND table_type IN ('BASE TABLE', 'VIEW') ORDER BY BINARY table_name";
static const char column_query[] = "SELECT table_name, column_name, column_type, is_nullable, NULLIF(column_comment, "
                                   "'') FROM information_schema.columns"
                                   " WHERE table_schema" SCOPE " ORDER BY BINARY table_name, ordinal_position";
/* One row a column of a key, in key order; the referred side is NULL for primary and unique keys. Foreign keys show
 * only to users who have REFERENCES on the table besides SELECT; without it they are inferred later. */
static const char key_query[] =
    "SELECT * FROM (SELECT s.table_name AS t, s.index_name AS k, s.column_name AS c, NULL AS rt, NULL AS rc, (SELECT "
    "count(*) FROM information_schema.statistics n"
    " WHERE n.table_schema = s.table_schema AND n.table_name = s.table_name AND n.index_name = s.index_name) AS n, "
    "s.seq_in_index AS at"
    " FROM information_schema.statistics s WHERE s.table_schema" SCOPE " AND s.non_unique = 0"
    " UNION ALL SELECT k.table_name, k.constraint_name, k.column_name, k.referenced_table_name, "
    "k.referenced_column_name,"
    " (SELECT count(*) FROM information_schema.key_column_usage n WHERE n.table_schema = k.table_schema AND "
    "n.table_name ="
    " k.table_name AND n.constraint_name = k.constraint_name), k.ordinal_position"
    " FROM information_schema.key_column_usage k WHERE k.table_schema" SCOPE " AND k.referenced_table_schema" SCOPE
    ") keyed ORDER BY BINARY t, k, at";

struct reading {
    struct call *call;
    struct list tables; /* struct table */
    size_t at;
    struct list columns, keys; /* of tables[at] */
    const char *key;
    struct list key_columns, key_referred;
};

static struct value_type column_type(const char *db_type)
{
    static const struct {
        const char *prefix;
        enum type_kind kind;
    } types[] = {
        { "tinyint", TYPE_INTEGER },     { "smallint", TYPE_INTEGER },
        { "mediumint", TYPE_INTEGER },   { "int", TYPE_INTEGER },
        { "bigint", TYPE_INTEGER },      { "bit", TYPE_INTEGER },
        { "year", TYPE_INTEGER },        { "decimal", TYPE_DECIMAL },
        { "float", TYPE_DOUBLE },        { "double", TYPE_DOUBLE },
        { "datetime", TYPE_TIMESTAMP },  { "date", TYPE_DATE },
        { "timestamp", TYPE_TIMESTAMP }, { "time", TYPE_TIME },
        { "varchar", TYPE_TEXT },        { "char", TYPE_TEXT },
        { "text", TYPE_TEXT },           { "tinytext", TYPE_TEXT },
        { "mediumtext", TYPE_TEXT },     { "longtext", TYPE_TEXT },
        { "enum", TYPE_TEXT },           { "set", TYPE_TEXT },
        { "json", TYPE_TEXT },           { "uuid", TYPE_TEXT },
        { "binary", TYPE_BINARY },       { "varbinary", TYPE_BINARY },
        { "blob", TYPE_BINARY },         { "tinyblob", TYPE_BINARY },
        { "mediumblob", TYPE_BINARY },   { "longblob", TYPE_BINARY },
    };
    struct value_type t = { 0 };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t n = strlen(types[i].prefix);
        if (strncmp(db_type, types[i].prefix, n) || (db_type[n] && db_type[n] != '(' && db_type[n] != ' ')) continue;
        t.kind = types[i].kind;
        if (t.kind == TYPE_DECIMAL && db_type[n] == '(') {
            char *end;
            t.precision = (int)strtol(db_type + n + 1, &end, 10);
            if (*end == ',') t.scale = (int)strtol(end + 1, NULL, 10);
        }
        break;
    }
    return t;
}

static void table_row(void *ctx, char **v)
{
    struct reading *r = ctx;
    struct table *t = list_push(r->call, &r->tables, sizeof *t);
    t->name = call_strdup(r->call, v[0]);
    t->kind = strcmp(v[1], "VIEW") ? TABLE_BASE : TABLE_VIEW;
    t->description = t->kind == TABLE_BASE ? call_strdup(r->call, v[2]) : NULL;
    t->row_count = t->kind == TABLE_BASE ? atoll(v[3]) : -1;
    /* A view, or a table whose rows lie in other tables. */
    t->reads_unknown = t->kind == TABLE_VIEW || (v[4] && *v[4] == '1');
}

/* The table of a row, in the order of the tables; NULL when it came or went in between. fresh: it is another one. */
static struct table *table_of(struct reading *r, const char *name, bool *fresh)
{
    for (size_t i = r->at; i < r->tables.count; i++)
        if (!strcmp(LIST_AT(&r->tables, struct table, i).name, name)) {
            *fresh = i != r->at;
            r->at = i;
            return &LIST_AT(&r->tables, struct table, i);
        }
    return NULL;
}

static void column_row(void *ctx, char **v)
{
    struct reading *r = ctx;
    bool fresh;
    struct table *t = table_of(r, v[0], &fresh);
    if (!t) return;
    if (fresh) r->columns = (struct list){ 0 };
    struct column *column = list_push(r->call, &r->columns, sizeof *column);
    *column = (struct column){ .name = call_strdup(r->call, v[1]),
                               .db_type = call_strdup(r->call, v[2]),
                               .type = column_type(v[2]),
                               .nullable = *v[3] == 'Y',
                               .description = call_strdup(r->call, v[4]),
                               .distinct_count = -1,
                               .null_count = -1 };
    t->columns = r->columns.items;
    t->column_count = r->columns.count;
}

static void key_row(void *ctx, char **v)
{
    struct reading *r = ctx;
    bool fresh;
    struct table *t = table_of(r, v[0], &fresh);
    if (!t) return;
    if (fresh) r->keys = (struct list){ 0 };
    if (fresh || !r->key || strcmp(r->key, v[1])) {
        r->key = call_strdup(r->call, v[1]);
        r->key_columns = r->key_referred = (struct list){ 0 };
    }
    struct column *column = NULL;
    for (size_t i = 0; i < t->column_count && !column; i++)
        if (!strcmp(t->columns[i].name, v[2])) column = &t->columns[i];
    if (!column) return;
    *(const char **)list_push(r->call, &r->key_columns, sizeof(const char *)) = column->name;
    if (!v[3]) {
        if (!strcmp(v[1], "PRIMARY")) column->primary_key = (int)r->key_columns.count;
        if (!strcmp(v[5], "1")) column->unique = true;
        return;
    }
    *(const char **)list_push(r->call, &r->key_referred, sizeof(const char *)) = call_strdup(r->call, v[4]);
    if (r->key_columns.count != (size_t)atoll(v[5])) return;
    struct foreign_key *key = list_push(r->call, &r->keys, sizeof *key);
    *key = (struct foreign_key){ .columns = r->key_columns.items,
                                 .column_count = r->key_columns.count,
                                 .table = call_strdup(r->call, v[3]),
                                 .referred = r->key_referred.items };
    t->foreign_keys = r->keys.items;
    t->foreign_key_count = r->keys.count;
}

int mysql_catalog(struct call *c, struct mysql_session *s, struct snapshot *out)
{
    static const struct {
        const char *sql;
        void (*row)(void *ctx, char **v);
    } parts[] = { { table_query, table_row }, { column_query, column_row }, { key_query, key_row } };
    struct reading r = { .call = c };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        r.at = 0;
        r.columns = r.keys = (struct list){ 0 };
        int rc = mysql_rows(c, s, parts[i].sql, parts[i].row, &r);
        if (rc) return rc;
    }
    out->tables = r.tables.items;
    out->table_count = r.tables.count;
    return OK;
}
