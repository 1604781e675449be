#include "fixture.h"

#include "adapters/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>
#include <strings.h>

static const char *text(struct call *c, sqlite3_stmt *s, int i)
{
    return call_strdup(c, (const char *)sqlite3_column_text(s, i));
}

static struct value_type type_of(const char *declared)
{
    static const struct {
        const char *word;
        enum type_kind kind;
    } words[] = { { "INT", TYPE_INTEGER },     { "BOOL", TYPE_BOOLEAN },       { "DEC", TYPE_DECIMAL },
                  { "NUM", TYPE_DECIMAL },     { "REAL", TYPE_DOUBLE },        { "DOUB", TYPE_DOUBLE },
                  { "TIMES", TYPE_TIMESTAMP }, { "DATETIME", TYPE_TIMESTAMP }, { "DATE", TYPE_DATE },
                  { "BLOB", TYPE_BINARY } };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncasecmp(declared, words[i].word, strlen(words[i].word)) == 0)
            return (struct value_type){ words[i].kind, 0, 0 };
    return (struct value_type){ TYPE_TEXT, 0, 0 };
}

static sqlite3_stmt *prepare(struct fixture *f, const char *sql)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(f->db, sql, -1, &s, NULL) != SQLITE_OK) fail_msg("%s: %s", sqlite3_errmsg(f->db), sql);
    return s;
}

static void read_columns(struct fixture *f, struct call *c, struct table *t)
{
    struct list columns = { 0 }, keys = { 0 };
    char *quoted = sqlite3_mprintf("%Q", t->name);
    sqlite3_stmt *s = prepare(f, call_format(c, "PRAGMA table_info(%s)", quoted));
    while (sqlite3_step(s) == SQLITE_ROW) {
        struct column *col = list_push(c, &columns, sizeof *col);
        *col = (struct column){ .name = text(c, s, 1),
                                .db_type = text(c, s, 2),
                                .nullable = !sqlite3_column_int(s, 3),
                                .primary_key = sqlite3_column_int(s, 5),
                                .distinct_count = -1,
                                .null_count = -1 };
        col->type = type_of(col->db_type);
        if (col->primary_key) col->nullable = false;
    }
    sqlite3_finalize(s);
    s = prepare(f, call_format(c, "PRAGMA foreign_key_list(%s)", quoted));
    sqlite3_free(quoted);
    while (sqlite3_step(s) == SQLITE_ROW) {
        struct foreign_key *fk = list_push(c, &keys, sizeof *fk);
        const char **from = call_array(c, 1, sizeof *from), **to = call_array(c, 1, sizeof *to);
        *from = text(c, s, 3);
        *to = text(c, s, 4);
        *fk = (struct foreign_key){ .columns = from, .column_count = 1, .table = text(c, s, 2), .referred = to };
    }
    sqlite3_finalize(s);
    t->columns = columns.items;
    t->column_count = columns.count;
    t->foreign_keys = keys.items;
    t->foreign_key_count = keys.count;
}

void fixture_open(struct fixture *f, struct call *c, const char *ddl)
{
    struct list tables = { 0 };
    *f = (struct fixture){ 0 };
    assert_int_equal(sqlite3_open(":memory:", &f->db), SQLITE_OK);
    assert_int_equal(sqlite_functions(f->db, NULL), SQLITE_OK);
    if (sqlite3_exec(f->db, ddl, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(f->db));
    sqlite3_stmt *s = prepare(f, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name");
    while (sqlite3_step(s) == SQLITE_ROW)
        *(struct table *)list_push(c, &tables, sizeof(struct table)) =
            (struct table){ .name = text(c, s, 0), .row_count = -1 };
    sqlite3_finalize(s);
    for (size_t i = 0; i < tables.count; i++) read_columns(f, c, &LIST_AT(&tables, struct table, i));
    f->snapshot = (struct snapshot){ .datasource = "ds",
                                     .dialect = "sqlite",
                                     .fingerprint = "fixture",
                                     .taken_us = 1,
                                     .tables = tables.items,
                                     .table_count = tables.count };
}

void fixture_close(struct fixture *f)
{
    sqlite3_close(f->db);
}

const struct view *fixture_view(struct fixture *f, struct call *c, const char *roles, struct policies **p)
{
    const struct json *section = NULL;
    const struct view *v;
    if (roles) {
        const char *all = call_format(c, "{\"roles\":%s}", roles);
        assert_int_equal(json_parse(c, all, strlen(all), &section), OK);
    }
    if (policies_load(c, section, p)) fail_msg("%s %s", c->err.field, c->err.message);
    struct list names = policies_role_names(*p, c);
    c->who = (struct principal){
        .user = "u1", .tenant = "7", .level = LEVEL_VIEWER, .roles = names.items, .role_count = names.count
    };
    assert_int_equal(policy_view(c, *p, &c->who, &f->snapshot, &v), OK);
    return v;
}

const char *fixture_rows(struct fixture *f, struct call *c, const char *sql)
{
    struct buf b;
    buf_init(&b, c, (size_t)1024 * 1024);
    sqlite3_stmt *s = prepare(f, sql);
    int rc;
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            if (i) buf_char(&b, '|');
            const char *cell = (const char *)sqlite3_column_text(s, i);
            buf_str(&b, cell ? cell : "~");
        }
        buf_char(&b, '\n');
    }
    if (rc != SQLITE_DONE) fail_msg("%s: %s", sqlite3_errmsg(f->db), sql);
    sqlite3_finalize(s);
    return b.data;
}
