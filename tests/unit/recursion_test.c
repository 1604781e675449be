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
    bool postgres, sqlite; /* is taken */
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
        if (taken("postgres", cases[i].sql, &counted) != cases[i].postgres)
            fail_msg("postgres %s %s", cases[i].postgres ? "refuses" : "takes", cases[i].sql);
        assert_int_equal(counted, cases[i].postgres);
        if (taken("sqlite", cases[i].sql, &counted) != cases[i].sqlite)
            fail_msg("sqlite %s %s", cases[i].sqlite ? "refuses" : "takes", cases[i].sql);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
