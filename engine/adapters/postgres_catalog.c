#include "adapters/postgres.h"

#include <stdlib.h>
#include <string.h>

/* pg_catalog, not information_schema: it has comments, materialised views, and columns of all that the role may read.
 * Partitions are folded into their parent. $1: the schemas asked for, an empty array for all. Rights are asked once a
 * table, a column's only where the table's do not say all; comments are joined: a call for each column would cost more
 * than all the rest. */
#define WANTED                                                                                                         \
    "wanted AS MATERIALIZED (SELECT k.oid, k.relname, k.relkind, k.reltuples, n.nspname, t.whole"                      \
    " FROM pg_catalog.pg_class k JOIN pg_catalog.pg_namespace n ON n.oid = k.relnamespace"                             \
    " CROSS JOIN LATERAL (SELECT pg_catalog.has_table_privilege(k.oid, 'SELECT') AS whole OFFSET 0) t"                 \
    " WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'"                                         \
    " AND ($1::pg_catalog.text[] = '{}' OR n.nspname = ANY ($1::pg_catalog.text[]))"                                   \
    " AND k.relkind IN ('r','v','m','p','f') AND NOT k.relispartition"                                                 \
    " AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')"                                                             \
    " AND (t.whole OR pg_catalog.has_any_column_privilege(k.oid, 'SELECT')))"
#define IN_ORDER " ORDER BY k.nspname COLLATE \"C\", k.relname COLLATE \"C\""
#define COMMENT(part)                                                                                                  \
    "d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objoid = k.oid AND d.objsubid = " part

static const char table_query[] = "WITH " WANTED " SELECT k.oid, k.nspname, k.relname, k.relkind, d.description,"
                                  " CASE WHEN k.reltuples < 0 THEN -1 ELSE k.reltuples::pg_catalog.int8 END"
                                  " FROM wanted k LEFT JOIN pg_catalog.pg_description d ON " COMMENT("0") IN_ORDER;

static const char column_query[] =
    "WITH " WANTED " SELECT a.attrelid, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,"
    " d.description, a.attnum FROM wanted k JOIN pg_catalog.pg_attribute a ON a.attrelid = k.oid"
    " LEFT JOIN pg_catalog.pg_description d ON " COMMENT(
        "a.attnum") " WHERE a.attnum > 0 AND NOT a.attisdropped"
                    " AND (k.whole OR pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT'))" IN_ORDER
                    ", a.attnum";

/* One row a key, its columns by number: joining them by name would read all of pg_attribute twice. */
static const char key_query[] = "WITH " WANTED " SELECT c.conrelid, c.contype, c.conkey, c.confrelid, c.confkey"
                                " FROM wanted k JOIN pg_catalog.pg_constraint c ON c.conrelid = k.oid"
                                " WHERE c.contype IN ('p','u','f')" IN_ORDER ", c.contype, c.conname COLLATE \"C\"";

/* What the server counts of writes, for tables that hold rows of their own: not for parents of others. */
static const char mark_query[] =
    "WITH " WANTED " SELECT k.oid, pg_catalog.concat(c.relfilenode, '.', pg_catalog.pg_stat_get_tuples_inserted(k.oid),"
    " '.', pg_catalog.pg_stat_get_tuples_updated(k.oid), '.', pg_catalog.pg_stat_get_tuples_deleted(k.oid))"
    " FROM wanted k JOIN pg_catalog.pg_class c ON c.oid = k.oid"
    " WHERE k.relkind IN ('r','m') AND NOT c.relhassubclass AND pg_catalog.current_setting('track_counts') = "
    "'on'" IN_ORDER;

/* What views read, through other views to their tables: for the policy and the second opinion. A table that others
 * inherit from reads those too. */
static const char view_query[] =
    "WITH RECURSIVE edge AS (SELECT DISTINCT w.ev_class AS view, d.refobjid AS rel, d.refobjsubid AS col"
    " FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_depend d ON d.objid = w.oid AND d.refobjid <> w.ev_class"
    " AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
    " AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass WHERE w.ev_class >= 16384"
    " UNION ALL SELECT h.inhparent, h.inhrelid, a.attnum FROM pg_catalog.pg_inherits h"
    " JOIN pg_catalog.pg_class ck ON ck.oid = h.inhrelid AND ck.relkind IN ('r','f') AND NOT ck.relispartition"
    " JOIN pg_catalog.pg_attribute a ON a.attrelid = h.inhrelid AND a.attnum > 0 AND NOT a.attisdropped),"
    " reached AS (SELECT view, rel, col FROM edge"
    " UNION SELECT r.view, e.rel, e.col FROM reached r JOIN edge e ON e.view = r.rel), " WANTED
    " SELECT k.oid, rn.nspname, rk.relname, ra.attname"
    " FROM wanted k JOIN reached v ON v.view = k.oid JOIN pg_catalog.pg_class rk ON rk.oid = v.rel"
    " JOIN pg_catalog.pg_namespace rn ON rn.oid = rk.relnamespace"
    " LEFT JOIN pg_catalog.pg_attribute ra ON ra.attrelid = v.rel AND ra.attnum = v.col AND v.col > 0"
    " WHERE k.relkind IN ('v','m','r','f')" IN_ORDER ", 2, 3, 4";

struct reading {
    struct list tables;                             /* struct table */
    struct list oids;                               /* const char *, beside tables */
    size_t at;                                      /* the table that the last row belonged to */
    struct list columns, keys, reads, read_columns; /* of that table */
    struct list numbers;                            /* const int *, beside tables: the number of each column */
    struct list own_numbers;                        /* int, of that table */
    struct place *places;                           /* of the tables, by oid; made for the first foreign key */
};

struct place {
    unsigned long oid;
    size_t at;
};

static const struct {
    const char *prefix;
    enum type_kind kind;
} types[] = {
    { "boolean", TYPE_BOOLEAN },     { "smallint", TYPE_INTEGER }, { "integer", TYPE_INTEGER },
    { "bigint", TYPE_INTEGER },      { "oid", TYPE_INTEGER },      { "numeric", TYPE_DECIMAL },
    { "money", TYPE_DECIMAL },       { "real", TYPE_DOUBLE },      { "double precision", TYPE_DOUBLE },
    { "timestamp", TYPE_TIMESTAMP }, { "time", TYPE_TIME },        { "date", TYPE_DATE },
    { "interval", TYPE_INTERVAL },   { "bytea", TYPE_BINARY },     { "character", TYPE_TEXT },
    { "text", TYPE_TEXT },           { "citext", TYPE_TEXT },      { "name", TYPE_TEXT },
    { "uuid", TYPE_TEXT },
};

struct value_type postgres_type(const char *db_type)
{
    struct value_type t = { 0 };
    size_t n = strlen(db_type);
    if (n > 2 && !strcmp(db_type + n - 2, "[]")) return t;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t prefix = strlen(types[i].prefix);
        if (strncmp(db_type, types[i].prefix, prefix) ||
            (db_type[prefix] && db_type[prefix] != '(' && db_type[prefix] != ' '))
            continue;
        t.kind = types[i].kind;
        if (t.kind == TYPE_TIMESTAMP && strstr(db_type, "with time zone")) t.kind = TYPE_TIMESTAMPTZ;
        if (t.kind == TYPE_DECIMAL && db_type[prefix] == '(') {
            char *end;
            t.precision = (int)strtol(db_type + prefix + 1, &end, 10);
            if (*end == ',') t.scale = (int)strtol(end + 1, NULL, 10);
        }
        break;
    }
    return t;
}

static int table_row(void *ctx, struct call *c, const char *const *v)
{
    struct reading *r = ctx;
    struct table *t = list_push(c, &r->tables, sizeof *t);
    t->schema = call_strdup(c, v[1]);
    t->name = call_strdup(c, v[2]);
    t->kind = *v[3] == 'v'   ? TABLE_VIEW
              : *v[3] == 'm' ? TABLE_MATERIALIZED_VIEW
              : *v[3] == 'f' ? TABLE_FOREIGN
                             : TABLE_BASE;
    t->description = call_strdup(c, v[4]);
    t->row_count = atoll(v[5]);
    *(const char **)list_push(c, &r->oids, sizeof(const char *)) = call_strdup(c, v[0]);
    list_push(c, &r->numbers, sizeof(const int *));
    return OK;
}

/* Rows come in the order of the tables; a table dropped or made in between is passed over. NULL when it is unknown. */
static struct table *table_of(struct reading *r, const char *oid)
{
    for (size_t i = r->at; i < r->oids.count; i++)
        if (!strcmp(LIST_AT(&r->oids, const char *, i), oid)) {
            r->at = i;
            return &LIST_AT(&r->tables, struct table, i);
        }
    return NULL;
}

static int mark_row(void *ctx, struct call *c, const char *const *v)
{
    struct table *t = table_of(ctx, v[0]);
    if (t) t->mark = call_strdup(c, v[1]);
    return OK;
}

static int column_row(void *ctx, struct call *c, const char *const *v)
{
    struct reading *r = ctx;
    size_t before = r->at;
    struct table *t = table_of(r, v[0]);
    if (!t) return OK;
    if (r->at != before) r->columns = r->own_numbers = (struct list){ 0 };
    struct column *column = list_push(c, &r->columns, sizeof *column);
    *column = (struct column){ .name = call_strdup(c, v[1]),
                               .db_type = call_strdup(c, v[2]),
                               .type = postgres_type(v[2]),
                               .nullable = *v[3] != 't',
                               .description = call_strdup(c, v[4]),
                               .distinct_count = -1,
                               .null_count = -1 };
    t->columns = r->columns.items;
    t->column_count = r->columns.count;
    *(int *)list_push(c, &r->own_numbers, sizeof(int)) = (int)strtol(v[5], NULL, 10);
    LIST_AT(&r->numbers, const int *, r->at) = r->own_numbers.items;
    return OK;
}

static int by_oid(const void *a, const void *b)
{
    unsigned long x = ((const struct place *)a)->oid, y = ((const struct place *)b)->oid;
    return x < y ? -1 : x > y;
}

/* Index of the table among those that can be read; SIZE_MAX when it is none. */
static size_t table_by_oid(struct reading *r, struct call *c, const char *oid)
{
    size_t count = r->oids.count;
    if (!r->places) {
        r->places = call_array(c, count + 1, sizeof *r->places);
        for (size_t i = 0; i < count; i++)
            r->places[i] = (struct place){ strtoul(LIST_AT(&r->oids, const char *, i), NULL, 10), i };
        qsort(r->places, count, sizeof *r->places, by_oid);
    }
    const struct place sought = { .oid = strtoul(oid, NULL, 10) };
    const struct place *found = bsearch(&sought, r->places, count, sizeof sought, by_oid);
    return found ? found->at : SIZE_MAX;
}

/* The columns whose numbers stand in "{1,2}". NULL when one of them cannot be read. */
static struct column **key_columns(struct reading *r, struct call *c, size_t table, const char *numbers, size_t *count)
{
    const struct table *t = &LIST_AT(&r->tables, struct table, table);
    const int *own = LIST_AT(&r->numbers, const int *, table);
    struct list found = { 0 };
    for (char *p = (char *)(uintptr_t)numbers + 1; *p && *p != '}'; p += *p == ',') {
        long number = strtol(p, &p, 10);
        size_t i = 0;
        while (i < t->column_count && own[i] != number) i++;
        if (i == t->column_count) return NULL;
        *(struct column **)list_push(c, &found, sizeof(struct column *)) = &t->columns[i];
    }
    *count = found.count;
    return found.items;
}

static const char *const *names_of(struct call *c, struct column *const *columns, size_t count)
{
    const char **names = call_array(c, count, sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = columns[i]->name;
    return names;
}

/* Of keys only those that lie wholly among what can be read. */
static int key_row(void *ctx, struct call *c, const char *const *v)
{
    struct reading *r = ctx;
    size_t before = r->at, count = 0, referred_count = 0;
    struct table *t = table_of(r, v[0]);
    if (!t) return OK;
    if (r->at != before) r->keys = (struct list){ 0 };
    struct column **columns = key_columns(r, c, r->at, v[2], &count);
    if (!columns) return OK;
    if (*v[1] != 'f') {
        for (size_t i = 0; i < count && *v[1] == 'p'; i++) columns[i]->primary_key = (int)i + 1;
        if (count == 1) columns[0]->unique = true;
        return OK;
    }
    size_t to = v[4] ? table_by_oid(r, c, v[3]) : SIZE_MAX;
    struct column **referred = to != SIZE_MAX ? key_columns(r, c, to, v[4], &referred_count) : NULL;
    if (!referred || referred_count != count) return OK;
    struct foreign_key *key = list_push(c, &r->keys, sizeof *key);
    *key = (struct foreign_key){ .columns = names_of(c, columns, count),
                                 .column_count = count,
                                 .schema = LIST_AT(&r->tables, struct table, to).schema,
                                 .table = LIST_AT(&r->tables, struct table, to).name,
                                 .referred = names_of(c, referred, count) };
    t->foreign_keys = r->keys.items;
    t->foreign_key_count = r->keys.count;
    return OK;
}

static int view_row(void *ctx, struct call *c, const char *const *v)
{
    struct reading *r = ctx;
    struct table *t = table_of(r, v[0]);
    if (!t) return OK;
    struct table_read *last = t->read_count ? &t->reads[t->read_count - 1] : NULL;
    if (!last || strcmp(last->schema, v[1]) || strcmp(last->table, v[2])) {
        if (!t->read_count) r->reads = (struct list){ 0 };
        last = list_push(c, &r->reads, sizeof *last);
        last->schema = call_strdup(c, v[1]);
        last->table = call_strdup(c, v[2]);
        r->read_columns = (struct list){ 0 };
        t->reads = r->reads.items;
        t->read_count = r->reads.count;
        last = &t->reads[t->read_count - 1];
    }
    if (v[3]) *(const char **)list_push(c, &r->read_columns, sizeof(const char *)) = call_strdup(c, v[3]);
    last->columns = r->read_columns.items;
    last->column_count = r->read_columns.count;
    return OK;
}

int postgres_catalog(struct call *c, struct postgres_session *s, const struct list *schemas, struct snapshot *out)
{
    struct reading r = { 0 };
    const char *params[] = { postgres_array(c, schemas) };
    static const struct {
        const char *sql;
        int (*row)(void *ctx, struct call *c, const char *const *values);
    } parts[] = {
        { table_query, table_row }, { column_query, column_row }, { key_query, key_row }, { view_query, view_row }
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        r.at = 0;
        r.columns = r.keys = r.own_numbers = (struct list){ 0 };
        int rc = postgres_rows(c, s, parts[i].sql, params, 1, parts[i].row, &r);
        if (rc) return rc;
    }
    /* Not every server that speaks the protocol counts. */
    r.at = 0;
    if (postgres_rows(c, s, mark_query, params, 1, mark_row, &r)) {
        int rc = call_check(c);
        if (rc) return rc;
        call_forgive(c);
    }
    out->tables = r.tables.items;
    out->table_count = r.tables.count;
    return OK;
}
