/* gold: when two results are the same, whether a text orders its result, and how hard the benchmark calls it. */
#include "cli/measure/gold.h"
#include "cli/measure/gold_chart.h"
#include "cli/measure/hardness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Rows as text: cells by blanks, rows by bars; what reads as a number is one. */
static struct gold_rows rows_of(struct call *c, const char *text)
{
    struct gold_rows r = { 0 };
    struct list cells = { 0 }, numbers = { 0 };
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, " |");
        char *end, *word = call_strndup(c, p, n);
        double x = strtod(word, &end);
        uint64_t h = 1469598103934665603u;
        for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)word[i]) * 1099511628211u;
        *(uint64_t *)list_push(c, &cells, sizeof h) = h;
        *(double *)list_push(c, &numbers, sizeof x) = *end ? NAN : x;
        p += n;
        if (*p == '|' || !*p) r.rows++;
        if (*p) p++;
    }
    r.cells = cells.items;
    r.numbers = numbers.items;
    r.columns = r.rows ? cells.count / r.rows : 1;
    return r;
}

static void results(void **state)
{
    static const struct {
        const char *a, *b;
        bool set, sequence; /* equal as multisets, as sequences */
    } cases[] = {
        { "1|2|3", "1|2|3", true, true },
        { "1|2|3", "3|2|1", true, false },
        { "1|1|2", "1|2|2", false, false },
        { "1|2", "1|2|2", false, false },
        { "a 1|b 2", "1 a|2 b", true, true },
        { "a 1|b 2", "2 a|1 b", false, false },
        { "a 1", "a 1 1", false, false },
        { "a x|b y", "b y|a x", true, false },
        { "1.5", "1.5000004", true, true },
        { "1.5", "1.5000016", false, false },
        { "0.0000001", "0.0000009", true, true },
        { "1", "0.9999995", true, true },
        { "1", "2", false, false },
        { "1000000000001", "1000000000002", false, false }, /* whole numbers are exact however large */
        { "123456789012.25", "123456789012.25001", true, true },
        { "123456789012.25", "123456789012.75", false, false },
        { "2.4999995|1", "1|2.5", true, false },
        { "1 2 3|4 5 6", "3 1 2|6 4 5", true, true },
        { "1 2 3|4 5 6", "3 1 2|6 5 4", false, false },
        /* The columns agree one by one, and so do pairs of them; the rows do not. */
        { "0 0 0|0 1 1|1 0 1|1 1 0", "0 0 1|0 1 0|1 0 0|1 1 1", false, false },
        { "0 0 0|0 1 1|1 0 1|1 1 0", "1 1 0|1 0 1|0 1 1|0 0 0", true, false },
        { "x x x x x x x x x", "x x x x x x x x x", true, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct call c;
        call_begin(&c);
        struct gold_rows a = rows_of(&c, cases[i].a), b = rows_of(&c, cases[i].b);
        bool set = gold_equal(&c, &a, &b, false), back = gold_equal(&c, &b, &a, false);
        bool sequence = gold_equal(&c, &a, &b, true);
        if (set != cases[i].set || back != set || sequence != cases[i].sequence)
            fail_msg("%s and %s: set %d, back %d, sequence %d", cases[i].a, cases[i].b, set, back, sequence);
        call_end(&c);
    }
}

static void empty(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct gold_rows two = { .columns = 2 }, also = { .columns = 2 }, three = { .columns = 3 };
    assert_true(gold_equal(&c, &two, &also, true));
    assert_false(gold_equal(&c, &two, &three, false));
    call_end(&c);
}

static void order(void **state)
{
    static const struct {
        const char *sql;
        bool ordered;
    } cases[] = {
        { "SELECT a FROM t ORDER BY a", true },
        { "select a from t order   by a limit 1", true },
        { "SELECT a FROM t", false },
        { "SELECT a FROM (SELECT a FROM t ORDER BY a)", false },
        { "SELECT a FROM t WHERE a IN (SELECT b FROM u ORDER BY b LIMIT 1)", false },
        { "SELECT row_number() OVER (ORDER BY a) FROM t", false },
        { "SELECT max(a) FROM sales_order WHERE a > 1", false },
        { "SELECT 'order by' FROM t", false },
        { "SELECT \"order by\" FROM t", false },
        { "SELECT [order by], `order by` FROM t -- order by a", false },
        { "SELECT a FROM t /* order by a */", false },
        { "WITH x AS (SELECT a FROM t ORDER BY a) SELECT a FROM x", false },
        { "WITH x AS (SELECT a FROM t) SELECT a FROM x ORDER BY 1", true },
        { "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", true },
        { "SELECT a FROM t EXCEPT SELECT a FROM t", false },
        { "", false },
        { "SELECT 'unclosed order by", false },
        { "SELECT a FROM t ORDER BY a /* unclosed", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (gold_is_ordered(cases[i].sql) != cases[i].ordered) fail_msg("%s", cases[i].sql);
}

static void difficulty(void **state)
{
    static const struct {
        const char *sql;
        enum hardness is;
    } cases[] = {
        { "SELECT count(*) FROM head WHERE age > 56", HARDNESS_EASY },
        { "SELECT name FROM head", HARDNESS_EASY },
        { "SELECT name, age FROM head ORDER BY age", HARDNESS_MEDIUM },
        { "SELECT name, born_state, age FROM head ORDER BY age", HARDNESS_MEDIUM },
        { "SELECT T1.name FROM a AS T1 JOIN b AS T2 ON T1.id = T2.id", HARDNESS_EASY },
        { "SELECT T1.name FROM a AS T1 JOIN b AS T2 ON T1.id = T2.id WHERE T2.x = 1", HARDNESS_MEDIUM },
        { "SELECT max(a), min(b) FROM t", HARDNESS_MEDIUM },
        { "SELECT creation FROM d GROUP BY creation ORDER BY count(*) DESC LIMIT 1", HARDNESS_HARD },
        { "SELECT name FROM t WHERE id NOT IN (SELECT id FROM u)", HARDNESS_HARD },
        { "SELECT name FROM t EXCEPT SELECT name FROM u", HARDNESS_HARD },
        { "SELECT a FROM t WHERE x = 1 INTERSECT SELECT a FROM t WHERE x = 2", HARDNESS_HARD },
        { "SELECT count(*) FROM (SELECT a FROM t GROUP BY a)", HARDNESS_EASY },
        { "SELECT a FROM t WHERE x BETWEEN 1 AND 2", HARDNESS_EASY },
        { "SELECT a FROM t WHERE x = 1 OR y = 2", HARDNESS_MEDIUM },
        { "SELECT a, count(*) FROM t JOIN u ON t.i = u.i WHERE x = 1 AND y = 2 GROUP BY a HAVING count(*) > 2 ORDER BY "
          "a",
          HARDNESS_EXTRA },
        { "", HARDNESS_EASY },
        { "no query at all", HARDNESS_EASY },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (hardness_of(cases[i].sql) != cases[i].is)
            fail_msg("%s: %s", cases[i].sql, hardness_names[hardness_of(cases[i].sql)]);
}

/* The data behind a chart: groups and bins that a drawing adds, and the colour of its series. */
static void charts(void **state)
{
    static const struct {
        const char *chart, *sql, *bin; /* NULL = none */
        const char *golds[CHART_GOLDS_MAX + 1];
    } cases[] = {
        { "Bar",
          "SELECT Country , COUNT(*) FROM climber GROUP BY Country ORDER BY Country ASC",
          NULL,
          { "SELECT Country, COUNT(*) FROM climber GROUP BY Country ORDER BY Country ASC" } },
        { "Scatter", "SELECT a , b FROM t WHERE x = 'from, to'", NULL, { "SELECT a, b FROM t WHERE x = 'from, to'" } },
        { "Scatter", "SELECT a , avg(b) FROM t", NULL, { "SELECT a, avg(b) FROM t GROUP BY a" } },
        { "Scatter",
          "SELECT T2.name , max(b) FROM t AS T2 GROUP BY T2.id HAVING max(b) > 2",
          NULL,
          { "SELECT T2.name, max(b) FROM t AS T2 GROUP BY T2.id HAVING max(b) > 2" } },
        { "Stacked Bar",
          "SELECT a , COUNT(a) FROM t GROUP BY c , t.a",
          NULL,
          { "SELECT a, COUNT(a), c FROM t GROUP BY c, t.a", "SELECT a, COUNT(a) FROM t GROUP BY c, t.a" } },
        { "Grouping Scatter",
          "SELECT a , b FROM t GROUP BY c",
          NULL,
          { "SELECT a, b, c FROM t", "SELECT a, b FROM t GROUP BY c" } },
        { "Bar",
          "SELECT d , COUNT(d) FROM t  ORDER BY d DESC",
          "WEEKDAY",
          { "SELECT strftime('%w', d), COUNT(d) FROM t GROUP BY strftime('%w', d) ORDER BY strftime('%w', d) DESC" } },
        { "Line",
          "SELECT t.d , SUM(n) FROM t  ORDER BY SUM(n) DESC",
          "MONTH",
          { "SELECT strftime('%Y-%m', t.d), SUM(n) FROM t GROUP BY strftime('%Y-%m', t.d) ORDER BY SUM(n) DESC",
            "SELECT strftime('%m', t.d), SUM(n) FROM t GROUP BY strftime('%m', t.d) ORDER BY SUM(n) DESC" } },
        { "Line",
          "SELECT d , SUM(n) FROM t GROUP BY c",
          "DAY",
          { "SELECT strftime('%Y-%m-%d', d), SUM(n) FROM t GROUP BY c, strftime('%Y-%m-%d', d)" } },
        { "Bar", "SELECT d , COUNT(d) FROM t", "ZERO", { NULL } },
        { "Bar",
          "SELECT a , b FROM t EXCEPT SELECT a , b FROM u",
          NULL,
          { "SELECT a , b FROM t EXCEPT SELECT a , b FROM u" } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *bin = cases[i].bin, *golds[CHART_GOLDS_MAX];
        const struct json *line;
        struct call c;
        call_begin(&c);
        const char *text =
            call_format(&c, "{\"vql\":\"Visualize\",\"chart\":\"%s\",\"sql\":\"%s\",\"bin\":%s%s%s}", cases[i].chart,
                        cases[i].sql, bin ? "{\"by\":\"" : "null", bin ? bin : "", bin ? "\"}" : "");
        assert_int_equal(json_parse(&c, text, strlen(text), &line), OK);
        assert_true(gold_is_chart(line));
        size_t n = gold_charts(&c, line, golds), want = 0;
        while (cases[i].golds[want]) want++;
        assert_int_equal(n, want);
        for (size_t k = 0; k < n; k++) assert_string_equal(golds[k], cases[i].golds[k]);
        call_end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(results), cmocka_unit_test(empty), cmocka_unit_test(order),
                                        cmocka_unit_test(difficulty), cmocka_unit_test(charts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
