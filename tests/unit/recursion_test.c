/* plan/recursion: which recursive queries end by themselves, which are capped, which are refused. */
#include "shop.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define R(start, step, condition)                                                                                      \
    "WITH RECURSIVE r(n) AS (SELECT " start " UNION ALL SELECT " step " FROM r " condition ") SELECT count(*) FROM r"

static const struct {
    const char *sql;
    bool counted; /* ends by itself: every engine takes it */
    bool capped;  /* engines that can cap it take it */
} cases[] = {
    { R("1", "n + 1", "WHERE n < 10"), true, true },
    { R("1", "n + 1", "WHERE 10 > n"), true, true },
    { R("1", "n + 1", "WHERE n <= 10001"), true, true },
    { R("1", "n + 1", "WHERE n <= 10002"), false, true },
    { R("1", "n + 10", "WHERE n < 100000"), true, true },
    { R("100", "n - 1", "WHERE n > 0"), true, true },
    { R("1", "n + 1", "WHERE n > 0"), false, true }, /* away from its bound */
    { R("1", "n + 1", "WHERE n < 10 OR n = 1"), false, true },
    { R("1", "n + 1", "WHERE n <> 5 AND n < 10"), true, true },
    { R("1", "n * 2", "WHERE n < 10"), false, true },
    { R("1", "n", "WHERE n < 10"), false, true }, /* never moves */
    { R("1", "n + 0", "WHERE n < 10"), false, true },
    { R("1", "n + 1", ""), false, false }, /* never ends */
    { R("(SELECT max(id) FROM city)", "n + 1", "WHERE n < 10"), false, true },
    { "WITH RECURSIVE r AS (SELECT id, parent_id FROM product WHERE parent_id IS NULL UNION SELECT p.id, p.parent_id "
      "FROM product p JOIN r ON p.parent_id = r.id) SELECT id FROM r",
      false, true },
};

static bool taken(const char *dialect, const char *sql, bool *counted)
{
    struct call c;
    struct query *q;
    struct check_result result = { 0 };
    call_begin(&c);
    if (sql_to_plan(&c, "postgres", sql, strlen(sql), &shop_view, &q)) fail_msg("%s: %s", sql, c.err.message);
    bool ok = plan_check(&c, &shop_view, &dialect_find(dialect)->support, ORIGIN_TEXT, q, &result) == OK;
    *counted = q->ctes[0].counted;
    if (ok) {
        struct statement *s;
        if (sql_render(&c, dialect, q, 0, &s)) fail_msg("checked but not rendered: %s: %s", sql, c.err.message);
    }
    call_end(&c);
    return ok;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool counted;
        for (size_t d = 0; dialects[d]; d++) {
            bool my = dialects[d]->name[0] == 'm', should = my ? cases[i].counted : cases[i].capped;
            if (taken(dialects[d]->name, cases[i].sql, &counted) != should)
                fail_msg("%s %s %s", dialects[d]->name, should ? "refuses" : "takes", cases[i].sql);
            assert_int_equal(counted, cases[i].counted);
        }
    }
}

static const char *rendered(struct call *c, const char *dialect, const char *from, const char *sql,
                            struct statement **out)
{
    struct query *q;
    struct check_result result = { 0 };
    if (sql_to_plan(c, from, sql, strlen(sql), &shop_view, &q)) fail_msg("%s: %s", sql, c->err.message);
    if (plan_check(c, &shop_view, &dialect_find(dialect)->support, ORIGIN_TEXT, q, &result))
        fail_msg("%s: %s", sql, c->err.message);
    assert_int_equal(sql_render(c, dialect, q, 0, out), OK);
    return (*out)->sql;
}

/* The cap as each engine takes it, read back as it was, and the statement that counts; none where nothing is capped. */
static void test_caps(void **state)
{
    (void)state;
    static const char sql[] = R("1", "n * 2", "WHERE n < 10"), counted[] = R("1", "n + 1", "WHERE n < 10");
    static const struct {
        const char *dialect, *cap, *count;
    } expected[] = {
        { "sqlite", " LIMIT 10000)", " LIMIT 10001)" },
        { "postgres", "\"r\" AS (SELECT * FROM \"all of r\" LIMIT 10000)", " LIMIT 10001)" },
        { "duckdb", "\"r\" AS (SELECT * FROM \"all of r\" LIMIT 10000)", " LIMIT 10001)" },
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct call c;
        struct statement *s, *again;
        call_begin(&c);
        const char *once = rendered(&c, expected[i].dialect, "postgres", sql, &s);
        if (!strstr(once, expected[i].cap)) fail_msg("%s: %s", expected[i].dialect, once);
        assert_int_equal(s->recursion != NULL, expected[i].count != NULL);
        if (s->recursion) assert_non_null(strstr(s->recursion->sql, expected[i].count));
        if (s->recursion) assert_non_null(strstr(s->recursion->sql, "(SELECT count(*) AS \"n\" FROM \"r\" AS \"r\")"));
        assert_string_equal(rendered(&c, expected[i].dialect, expected[i].dialect, once, &again), once);
        rendered(&c, expected[i].dialect, "postgres", counted, &s);
        assert_null(s->recursion);
        call_end(&c);
    }
}

/* A cap within a subquery would not be seen. */
static void test_nested(void **state)
{
    (void)state;
    static const char inner[] = "SELECT id FROM city WHERE id IN (" R("1", "n * 2", "WHERE n < 10") ")";
    struct call c;
    struct query *q;
    struct check_result result = { 0 };
    call_begin(&c);
    assert_int_equal(sql_to_plan(&c, "postgres", inner, strlen(inner), &shop_view, &q), OK);
    assert_int_equal(plan_check(&c, &shop_view, &dialect_find("sqlite")->support, ORIGIN_TEXT, q, &result),
                     ERR_PLAN_NOT_SUPPORTED);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases), cmocka_unit_test(test_caps),
                                        cmocka_unit_test(test_nested) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
