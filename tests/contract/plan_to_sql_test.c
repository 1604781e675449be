/* What plan_check accepts can be rendered for its dialect, is a statement to the engine's own parser where that is
 * linked, and reads back as the statement it was. */
#include "adapters/sqlite.h"
#include "plan/plan.h"
#include "random_plan.h"
#include "sql/dialects/dialect.h"
#include "sql/sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pg_query.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLANS 1500

static void quoted(struct buf *b, const char *name)
{
    buf_char(b, '"');
    for (; *name; name++) {
        if (*name == '"') buf_char(b, '"');
        buf_char(b, *name);
    }
    buf_char(b, '"');
}

/* The tables of a view, empty. */
static sqlite3 *tables_of(struct call *c, const struct view *v)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite_functions(db, NULL), SQLITE_OK);
    for (size_t i = 0; i < v->table_count; i++) {
        struct buf b;
        buf_init(&b, c, 10000);
        buf_str(&b, "CREATE TABLE ");
        quoted(&b, v->tables[i].name);
        for (size_t n = 0; n < v->tables[i].column_count; n++) {
            buf_str(&b, n ? ", " : " (");
            quoted(&b, v->tables[i].columns[n].name);
        }
        buf_str(&b, ")");
        assert_int_equal(sqlite3_exec(db, b.data, NULL, NULL, NULL), SQLITE_OK);
    }
    return db;
}

static void engine_reads(struct call *c, const char *dialect, const struct view *v, const char *sql, uint64_t seed)
{
    if (!strcmp(dialect, "sqlite")) {
        sqlite3 *db = tables_of(c, v);
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
            fail_msg("seed %llu: %s: %s", (unsigned long long)seed, sqlite3_errmsg(db), sql);
        sqlite3_finalize(s);
        sqlite3_close(db);
    } else if (!strcmp(dialect, "postgres")) {
        PgQueryParseResult r = pg_query_parse(sql);
        if (r.error) fail_msg("seed %llu: %s: %s", (unsigned long long)seed, r.error->message, sql);
        pg_query_free_parse_result(r);
    }
}

static void accepted_is_rendered(void **state)
{
    (void)state;
    size_t rendered = 0;
    for (size_t i = 0; dialects[i]; i++) {
        const struct dialect *d = dialects[i];
        for (uint64_t seed = 0; seed < PLANS; seed++) {
            struct call c;
            struct random r = { seed };
            struct check_result result;
            struct statement *s;
            call_begin(&c);
            const struct view *v = random_view(&c, &r);
            struct query *q = random_plan(&c, &r, v, d->support.features, 1 + (int)(seed % 4));
            if (plan_check(&c, v, &d->support, ORIGIN_TEXT, q, &result)) {
                /* Only for what the engine lacks. */
                if (c.err.code != ERR_PLAN_NOT_SUPPORTED)
                    fail_msg("%s, seed %llu: %s", d->name, (unsigned long long)seed, c.err.message);
            } else {
                if (sql_render(&c, d->name, q, 0, &s))
                    fail_msg("%s, seed %llu: %s", d->name, (unsigned long long)seed, c.err.message);
                engine_reads(&c, d->name, v, s->sql, seed);
                rendered++;
            }
            call_end(&c);
        }
    }
    assert_true(rendered > PLANS);
}

/* An alias in a subquery that a template repeats is two aliases once it is read. */
static const char *without_numbers(struct call *c, const char *sql)
{
    struct buf b;
    buf_init(&b, c, 2 * strlen(sql) + 2);
    for (; *sql; sql++) {
        if (sql[0] == '_' && sql[1] == '2' && strchr("\"`]", sql[2])) sql += 2;
        buf_char(&b, *sql);
    }
    return b.data;
}

/* True when what is rendered reads back as the plan it was: the text of that plan is the same. */
static bool reads_back(struct call *c, const struct dialect *d, const struct view *v, const char *sql, const char **how)
{
    struct check_result result;
    struct statement *again;
    struct query *q;
    if (sql_to_plan(c, d->name, sql, strlen(sql), v, &q) || plan_check(c, v, &d->support, ORIGIN_TEXT, q, &result) ||
        sql_render(c, d->name, q, 0, &again)) {
        *how = c->err.message;
        return false;
    }
    *how = again->sql;
    return strcmp(without_numbers(c, sql), without_numbers(c, again->sql)) == 0;
}

/* most: plans whose text is a formula, which is read as one; a number that may only fall. */
static const struct {
    const char *dialect;
    size_t most;
} formulas[] = { { "sqlite", 189 }, { "postgres", 28 }, { "mysql", 670 }, { "duckdb", 1 }, { "mssql", 1063 } };

static void read_back(void **state)
{
    (void)state;
    const char *show = getenv("READ_BACK_SHOW");
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        const struct dialect *d = dialect_find(formulas[i].dialect);
        size_t other = 0, rounds = 0;
        for (uint64_t seed = 0; seed < PLANS; seed++) {
            struct call c;
            struct random r = { seed };
            struct check_result result;
            struct statement *s;
            const char *how;
            call_begin(&c);
            const struct view *v = random_view(&c, &r);
            struct query *q = random_plan(&c, &r, v, d->support.features, 1 + (int)(seed % 4));
            if (plan_check(&c, v, &d->support, ORIGIN_TEXT, q, &result) == OK) {
                assert_int_equal(sql_render(&c, d->name, q, 0, &s), OK);
                rounds++;
                if (!reads_back(&c, d, v, s->sql, &how)) {
                    other++;
                    if (show && !strcmp(show, d->name))
                        printf("%s %llu\n  %s\n  %s\n", d->name, (unsigned long long)seed, s->sql, how);
                }
            }
            call_end(&c);
        }
        printf("# %s: %zu of %zu plans read back as they were\n", d->name, rounds - other, rounds);
        assert_true(rounds > PLANS / 2);
        assert_true(other <= formulas[i].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(accepted_is_rendered), cmocka_unit_test(read_back) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
