#include "adapters/sqlite.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Structure by SQLite's own table-valued pragmas: constants, their arguments bound or taken from the schema table.
 * Virtual tables have no root page and are left out with their shadow tables: reading them runs code that the file
 * names. */
static const char tables_sql[] =
    "SELECT m.name, x.name, x.type, x.\"notnull\", x.pk FROM main.sqlite_schema AS m JOIN pragma_table_xinfo(m.name) "
    "AS x"
    " WHERE m.type = 'table' AND m.rootpage > 0 AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND x.hidden <> 1"
    " AND NOT EXISTS (SELECT 1 FROM main.sqlite_schema AS v WHERE v.type = 'table' AND v.rootpage = 0"
    " AND substr(m.name, 1, length(v.name) + 1) = v.name || '_') ORDER BY m.name, x.cid";
static const char keys_sql[] =
    "SELECT m.name, f.id, f.\"table\", f.\"from\", f.\"to\" FROM main.sqlite_schema AS m"
    " JOIN pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table' AND m.rootpage > 0 ORDER BY m.name, f.id, f.seq";
static const char unique_sql[] =
    "SELECT m.name, min(c.name) FROM main.sqlite_schema AS m JOIN pragma_index_list(m.name) AS i"
    " JOIN pragma_index_info(i.name) AS c WHERE m.type = 'table' AND m.rootpage > 0 AND i.\"unique\" AND NOT i.partial"
    " GROUP BY m.name, i.name HAVING count(*) = 1";
static const char views_sql[] = "SELECT name FROM main.sqlite_schema WHERE type = 'view' ORDER BY name";
static const char view_columns_sql[] = "SELECT name, type FROM pragma_table_xinfo(?1) ORDER BY cid";

struct catalog {
    struct conn *conn;
    struct call *call;
    struct list tables;  /* struct table */
    struct list columns; /* struct column, of the table being read */
};

static const char *text(struct call *c, sqlite3_stmt *stmt, int i)
{
    const char *s = (const char *)sqlite3_column_text(stmt, i);
    return call_strdup(c, s ? s : "");
}

/* Runs one of the constants above, calling row for each row. */
static int each(struct catalog *k, const char *sql, void (*row)(struct catalog *k, sqlite3_stmt *stmt))
{
    sqlite3_stmt *stmt = NULL;
    enum conn_mode before = k->conn->mode;
    k->conn->mode = CONN_CATALOGUE;
    int rc = sqlite3_prepare_v2(k->conn->db, sql, -1, &stmt, NULL);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW) row(k, stmt);
    }
    sqlite3_finalize(stmt);
    k->conn->mode = before;
    return rc == SQLITE_DONE ? OK : conn_fail(k->conn, k->call, rc, 0);
}

static int by_name(const void *name, const void *table)
{
    return strcmp(name, ((const struct table *)table)->name);
}

/* Names of the schema table are found by their spelling, in order; names that a key refers to may be spelled otherwise.
 */
static struct table *find(struct catalog *k, const char *name)
{
    struct table *t = k->tables.count ? bsearch(name, k->tables.items, k->tables.count, sizeof *t, by_name) : NULL;
    for (size_t i = 0; !t && i < k->tables.count; i++)
        if (!strcasecmp(LIST_AT(&k->tables, struct table, i).name, name)) t = &LIST_AT(&k->tables, struct table, i);
    return t;
}

static struct column *find_column(struct table *t, const char *name)
{
    for (size_t i = 0; t && i < t->column_count; i++)
        if (!strcasecmp(t->columns[i].name, name)) return &t->columns[i];
    return NULL;
}

static struct column new_column(struct catalog *k, sqlite3_stmt *stmt, int name, int type)
{
    struct column col = { .name = text(k->call, stmt, name),
                          .db_type = text(k->call, stmt, type),
                          .nullable = true,
                          .distinct_count = -1,
                          .null_count = -1 };
    col.type = sqlite_type(col.db_type);
    return col;
}

static void table_row(struct catalog *k, sqlite3_stmt *stmt)
{
    const char *name = (const char *)sqlite3_column_text(stmt, 0);
    struct table *t = k->tables.count ? &LIST_AT(&k->tables, struct table, k->tables.count - 1) : NULL;
    if (!t || strcmp(t->name, name) != 0) {
        t = list_push(k->call, &k->tables, sizeof *t);
        t->name = call_strdup(k->call, name);
        t->row_count = -1;
        k->columns = (struct list){ 0 };
    }
    struct column *col = list_push(k->call, &k->columns, sizeof *col);
    *col = new_column(k, stmt, 1, 2);
    col->primary_key = sqlite3_column_int(stmt, 4);
    col->nullable = !sqlite3_column_int(stmt, 3) && !(col->primary_key && !strcasecmp(col->db_type, "INTEGER"));
    t->columns = k->columns.items;
    t->column_count = k->columns.count;
}

static void unique_row(struct catalog *k, sqlite3_stmt *stmt)
{
    const char *column = (const char *)sqlite3_column_text(stmt, 1);
    struct column *col = column ? find_column(find(k, (const char *)sqlite3_column_text(stmt, 0)), column) : NULL;
    if (col) col->unique = true;
}

struct key_row {
    const char *table, *referred, *from, *to;
    int id;
};

static void key_row(struct catalog *k, sqlite3_stmt *stmt)
{
    struct key_row *r = list_push(k->call, &k->columns, sizeof *r);
    *r = (struct key_row){ .table = text(k->call, stmt, 0),
                           .id = sqlite3_column_int(stmt, 1),
                           .referred = text(k->call, stmt, 2),
                           .from = text(k->call, stmt, 3) };
    if (sqlite3_column_type(stmt, 4) != SQLITE_NULL) r->to = text(k->call, stmt, 4);
}

/* The column of the parent that a member of a key names; without a name, the member of its primary key at that place.
 */
static const char *referred_column(struct table *parent, const struct key_row *r, int place)
{
    if (r->to) {
        const struct column *col = find_column(parent, r->to);
        return col ? col->name : NULL;
    }
    for (size_t i = 0; i < parent->column_count; i++)
        if (parent->columns[i].primary_key == place) return parent->columns[i].name;
    return NULL;
}

/* rows[0, count) are one key. A key to a table or column that does not exist is left out. */
static void add_key(struct catalog *k, struct list *keys, const struct key_row *rows, size_t count)
{
    struct table *t = find(k, rows[0].table), *parent = find(k, rows[0].referred);
    if (!t || !parent) return;
    const char **from = call_array(k->call, count, sizeof *from), **to = call_array(k->call, count, sizeof *to);
    for (size_t i = 0; i < count; i++) {
        const struct column *col = find_column(t, rows[i].from);
        from[i] = col ? col->name : NULL;
        to[i] = referred_column(parent, &rows[i], (int)i + 1);
        if (!from[i] || !to[i]) return;
    }
    struct foreign_key *key = list_push(k->call, keys, sizeof *key);
    *key = (struct foreign_key){ .columns = from, .column_count = count, .table = parent->name, .referred = to };
    t->foreign_keys = keys->items;
    t->foreign_key_count = keys->count;
}

static int read_keys(struct catalog *k)
{
    k->columns = (struct list){ 0 };
    int rc = each(k, keys_sql, key_row);
    struct list rows = k->columns, keys = { 0 };
    const struct key_row *r = rows.items;
    for (size_t i = 0, end; !rc && i < rows.count; i = end) {
        for (end = i + 1; end < rows.count && r[end].id == r[i].id && !strcmp(r[end].table, r[i].table);) end++;
        if (i && strcmp(r[i].table, r[i - 1].table) != 0) keys = (struct list){ 0 };
        add_key(k, &keys, r + i, end - i);
    }
    return rc;
}

static void view_row(struct catalog *k, sqlite3_stmt *stmt)
{
    const char **name = list_push(k->call, &k->columns, sizeof *name);
    *name = text(k->call, stmt, 0);
}

/* False when the view cannot be read: what it names is gone. It is then no part of the snapshot. */
static bool read_view(struct catalog *k, const char *name, struct table *out)
{
    struct seen seen = { 0 };
    sqlite3_stmt *stmt = NULL;
    struct list columns = { 0 };
    *out = (struct table){ .name = name, .kind = TABLE_VIEW, .row_count = -1 };
    bool ok = conn_view_reads(k->conn, name, &seen);
    k->conn->mode = CONN_CATALOGUE;
    ok = ok && sqlite3_prepare_v2(k->conn->db, view_columns_sql, -1, &stmt, NULL) == SQLITE_OK &&
         sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC) == SQLITE_OK;
    int rc = SQLITE_DONE;
    while (ok && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct column *col = list_push(k->call, &columns, sizeof *col);
        *col = new_column(k, stmt, 0, 1);
    }
    sqlite3_finalize(stmt);
    k->conn->mode = CONN_CLOSED;
    seen_tables(k->call, &seen, &out->reads, &out->read_count);
    out->functions = seen_functions(k->call, &seen);
    out->function_count = seen.function_count;
    seen_free(&seen);
    out->columns = columns.items;
    out->column_count = columns.count;
    return ok && rc == SQLITE_DONE && columns.count;
}

static int read_views(struct catalog *k, struct list *views)
{
    k->columns = (struct list){ 0 };
    int rc = each(k, views_sql, view_row);
    struct list names = k->columns;
    for (size_t i = 0; !rc && i < names.count; i++) {
        struct table view;
        rc = call_check(k->call);
        if (rc || !read_view(k, LIST_AT(&names, const char *, i), &view)) continue;
        *(struct table *)list_push(k->call, views, sizeof view) = view;
    }
    return rc;
}

static int compare_tables(const void *a, const void *b)
{
    return strcmp(((const struct table *)a)->name, ((const struct table *)b)->name);
}

int sqlite_catalog(struct conn *conn, struct call *c, struct snapshot *out)
{
    struct catalog k = { .conn = conn, .call = c };
    struct list views = { 0 };
    int rc = each(&k, tables_sql, table_row);
    if (!rc) rc = each(&k, unique_sql, unique_row);
    if (!rc) rc = read_keys(&k);
    if (!rc) rc = read_views(&k, &views);
    if (rc) return rc;
    for (size_t i = 0; i < views.count; i++)
        *(struct table *)list_push(c, &k.tables, sizeof(struct table)) = LIST_AT(&views, struct table, i);
    if (views.count) qsort(k.tables.items, k.tables.count, sizeof(struct table), compare_tables);
    /* A key of one column is unique by itself. */
    for (size_t i = 0; i < k.tables.count; i++) {
        struct table *t = &LIST_AT(&k.tables, struct table, i);
        struct column *key = NULL;
        size_t members = 0;
        for (size_t j = 0; j < t->column_count; j++)
            if (t->columns[j].primary_key && ++members) key = &t->columns[j];
        if (members == 1) key->unique = true;
    }
    out->tables = k.tables.items;
    out->table_count = k.tables.count;
    return OK;
}
