/* render: plans as SQLite's SQL. Every text here is also prepared by the engine itself. */
#include "fixture.h"
#include "guard/guard.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static const char ddl[] =
    "CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, people INTEGER, area REAL, founded "
    "DATE);"
    "CREATE TABLE \"odd \"\"table\"(\"select\" INTEGER PRIMARY KEY, \"a b\" TEXT, city_id INTEGER REFERENCES city(id), "
    "price DECIMAL(10,2), at TIMESTAMP, ok BOOLEAN);"
    "INSERT INTO city "
    "VALUES(1,'Oslo','NO',700,480.5,'1048-05-01'),(2,'Bergen','NO',290,NULL,NULL),(3,'Turku','FI',200,245,"
    "'1229-01-31'),(4,'a%b_c*d?e[f','XX',NULL,1,'2024-12-30');"
    "INSERT INTO \"odd \"\"table\" VALUES(1,'x',1,2.50,'2024-01-31 10:20:30',1),(2,NULL,2,3,'2023-12-31 23:59:59',0),"
    "(3,'y',NULL,NULL,NULL,NULL);";

#define C(t, c)          "{\"kind\":\"column\",\"table\":\"" t "\",\"column\":\"" c "\"}"
#define INT(v)           "{\"kind\":\"literal\",\"type\":\"integer\",\"value\":" #v "}"
#define NUM(k, v)        "{\"kind\":\"literal\",\"type\":\"" k "\",\"value\":\"" v "\"}"
#define TXT(v)           NUM("text", v)
#define BIN(op, l, r)    "{\"kind\":\"binary\",\"op\":\"" op "\",\"left\":" l ",\"right\":" r "}"
#define CALL(f, args)    "{\"kind\":\"call\",\"function\":\"" f "\",\"args\":[" args "]}"
#define ITEM(e, a)       "{\"expr\":" e ",\"alias\":\"" a "\"}"
#define CITY             ",\"from\":{\"table\":\"city\",\"alias\":\"t\"}"
#define SEL(items, rest) "{\"kind\":\"select\",\"items\":[" items "]" rest "}"
#define Q(body, rest)    "{\"body\":" body rest "}"
#define ONE(e)           Q(SEL(ITEM(e, "x"), CITY), ",\"limit\":" INT(9))
#define NOFROM(e)        Q(SEL(ITEM(e, "x"), ""), ",\"limit\":" INT(1))
#define TAIL             " FROM \"city\" AS \"t\" LIMIT 9"

static const struct {
    const char *plan, *sql;
    const char *rows; /* NULL = only prepared */
} cases[] = {
    { NOFROM(INT(1)), "SELECT 1 AS \"x\" LIMIT 1", "1\n" },
    { NOFROM(TXT("O'Brien; --\\\\")), "SELECT 'O''Brien; --\\' AS \"x\" LIMIT 1", "O'Brien; --\\\n" },
    { ONE(C("t", "NAME")), "SELECT \"t\".\"name\" AS \"x\"" TAIL, NULL },
    { Q(SEL(ITEM(C("t", "name"), "name"), CITY), ",\"limit\":" INT(9)), "SELECT \"t\".\"name\"" TAIL, NULL },
    /* Precedence. */
    { NOFROM(BIN("*", BIN("+", INT(1), INT(2)), INT(3))), "SELECT (1 + 2) * 3 AS \"x\" LIMIT 1", "9\n" },
    { NOFROM(BIN("-", INT(1), BIN("-", INT(2), INT(3)))), "SELECT 1 - (2 - 3) AS \"x\" LIMIT 1", "2\n" },
    { NOFROM(BIN("-", BIN("-", INT(1), INT(2)), INT(3))), "SELECT 1 - 2 - 3 AS \"x\" LIMIT 1", "-4\n" },
    { NOFROM(BIN("-", INT(1), INT(-5))), "SELECT 1 - -5 AS \"x\" LIMIT 1", "6\n" },
    { NOFROM("{\"kind\":\"unary\",\"op\":\"-\",\"arg\":" INT(-5) "}"), "SELECT -(-5) AS \"x\" LIMIT 1", "5\n" },
    { NOFROM(BIN("||", TXT("a"), BIN("+", INT(1), INT(2)))), "SELECT 'a' || (1 + 2) AS \"x\" LIMIT 1", "a3\n" },
    { ONE(BIN("and", BIN("or", BIN("=", INT(1), INT(2)), BIN("<", INT(3), INT(4))),
              "{\"kind\":\"unary\",\"op\":\"not\",\"arg\":" BIN("!=", INT(1), INT(2)) "}")),
      "SELECT (1 = 2 OR 3 < 4) AND NOT (1 <> 2) AS \"x\"" TAIL, NULL },
    { ONE(BIN("=", BIN("=", C("t", "id"), INT(1)), BIN(">", C("t", "id"), INT(0)))),
      "SELECT (\"t\".\"id\" = 1) = (\"t\".\"id\" > 0) AS \"x\"" TAIL, NULL },
    /* Division: exact, truncating, by zero. */
    { NOFROM(BIN("/", INT(7), INT(2))), "SELECT CAST(7 AS REAL) / 2 AS \"x\" LIMIT 1", "3.5\n" },
    { NOFROM(BIN("div", INT(7), INT(2))), "SELECT 7 / 2 AS \"x\" LIMIT 1", "3\n" },
    { NOFROM(BIN("div", NUM("decimal", "7.5"), INT(2))), "SELECT CAST(7.5 / 2 AS INTEGER) AS \"x\" LIMIT 1", "3\n" },
    { NOFROM(BIN("/", INT(7), INT(0))), "SELECT CAST(7 AS REAL) / 0 AS \"x\" LIMIT 1", "~\n" },
    { NOFROM(BIN("%", INT(-7), INT(3))), "SELECT -7 % 3 AS \"x\" LIMIT 1", "-1\n" },
    { ONE(BIN("/", C("t", "area"), C("t", "people"))), "SELECT \"t\".\"area\" / \"t\".\"people\" AS \"x\"" TAIL, NULL },
    { NOFROM(NUM("decimal", "123456789012345678.10")), "SELECT 123456789012345678.10 AS \"x\" LIMIT 1", NULL },
    /* LIKE. */
    { ONE("{\"kind\":\"like\",\"arg\":" C("t", "name") ",\"pattern\":" TXT("O%") "}"),
      "SELECT glob('O*', \"t\".\"name\") AS \"x\"" TAIL, "1\n0\n0\n0\n" },
    { ONE("{\"kind\":\"like\",\"arg\":" C("t", "name") ",\"pattern\":" TXT("o%") "}"), NULL, "0\n0\n0\n0\n" },
    { ONE("{\"kind\":\"ilike\",\"arg\":" C("t", "name") ",\"pattern\":" TXT("o%") "}"),
      "SELECT \"t\".\"name\" LIKE 'o%' AS \"x\"" TAIL, "1\n0\n0\n0\n" },
    { ONE("{\"kind\":\"like\",\"arg\":" C("t",
                                          "name") ",\"pattern\":" TXT("a!%b!_c*d?e[f") ",\"escape\":" TXT("!") "}"),
      "SELECT glob('a%b_c[*]d[?]e[[]f', \"t\".\"name\") AS \"x\"" TAIL, "0\n0\n0\n1\n" },
    { ONE("{\"kind\":\"like\",\"arg\":" C("t", "name") ",\"pattern\":" TXT("a*") "}"), NULL, "0\n0\n0\n0\n" },
    { ONE("{\"kind\":\"like\",\"arg\":" C("t", "name") ",\"pattern\":" BIN("||", TXT("%"),
                                                                           TXT("*d?e[%")) ",\"not\":true}"),
      NULL, "1\n1\n1\n0\n" },
    { ONE("{\"kind\":\"ilike\",\"arg\":" C("t", "name") ",\"pattern\":" TXT("%!%%") ",\"escape\":" TXT("!") "}"), NULL,
      "0\n0\n0\n1\n" },
    /* NULL. */
    { ONE("{\"kind\":\"is_null\",\"arg\":" C("t", "people") ",\"not\":true}"), NULL, "1\n1\n1\n0\n" },
    { ONE("{\"kind\":\"is_distinct\",\"left\":" C("t", "people") ",\"right\":{\"kind\":\"literal\",\"null\":true}}"),
      "SELECT \"t\".\"people\" IS NOT NULL AS \"x\"" TAIL, "1\n1\n1\n0\n" },
    { ONE("{\"kind\":\"between\",\"arg\":" C("t",
                                             "people") ",\"low\":" INT(200) ",\"high\":" INT(300) ",\"not\":true}"),
      NULL, "1\n0\n0\n~\n" },
    { ONE("{\"kind\":\"in\",\"arg\":" C("t", "id") ",\"list\":[" INT(1) "," INT(3) "]}"), NULL, "1\n0\n1\n0\n" },
    { ONE("{\"kind\":\"in\",\"arg\":{\"kind\":\"row\",\"items\":[" C("t", "id") "," C(
          "t", "country") "]},\"list\":["
                          "{\"kind\":\"row\",\"items\":[" INT(1) "," TXT("NO") "]},{\"kind\":\"row\",\"items\":[" INT(
                              3) "," TXT("NO") "]}]}"),
      "SELECT (\"t\".\"id\", \"t\".\"country\") IN (VALUES (1, 'NO'), (3, 'NO')) AS \"x\"" TAIL, "1\n0\n0\n0\n" },
    /* Case, cast, functions. */
    { ONE("{\"kind\":\"case\",\"whens\":[{\"when\":" BIN(">", C("t", "people"), INT(250)) ",\"then\":" TXT(
          "big") "}],\"else\":" TXT("small") "}"),
      NULL, "big\nbig\nsmall\nsmall\n" },
    { ONE("{\"kind\":\"cast\",\"arg\":" C("t", "area") ",\"to\":\"integer\"}"), NULL, "480\n~\n245\n1\n" },
    { ONE(CALL("date_part", TXT("quarter") "," C("t", "founded"))), NULL, "2\n~\n1\n4\n" },
    { ONE(CALL("date_part", TXT("week") "," C("t", "founded"))), NULL, "18\n~\n5\n1\n" },
    { ONE(CALL("date_trunc", TXT("quarter") "," C("t", "founded"))), NULL, "1048-04-01\n~\n1229-01-01\n2024-10-01\n" },
    { ONE(CALL("date_trunc", TXT("week") "," C("t", "founded"))), NULL, "1048-05-01\n~\n1229-01-29\n2024-12-30\n" },
    { ONE(CALL("date_add", TXT("week") "," INT(2) "," C("t", "founded"))), NULL,
      "1048-05-15\n~\n1229-02-14\n2025-01-13\n" },
    { NOFROM(CALL("date_diff", TXT("month") "," NUM("date", "2024-03-01") "," NUM("date", "2023-12-31"))), NULL,
      "3\n" },
    { NOFROM(CALL("date_diff", TXT("week") "," NUM("date", "2024-01-08") "," NUM("date", "2024-01-07"))), NULL, "1\n" },
    { NOFROM(CALL("date_diff", TXT("day") "," NUM("date", "2023-12-31") "," NUM("date", "2024-01-01"))), NULL, "-1\n" },
    { NOFROM(CALL("date_diff",
                  TXT("hour") "," NUM("timestamp", "2024-01-02 00:30:00") "," NUM("timestamp", "2024-01-01 23:59:00"))),
      NULL, "1\n" },
    { NOFROM(BIN("-", NUM("date", "2024-03-01"), "{\"kind\":\"interval\",\"value\":" INT(1) ",\"unit\":\"quarter\"}")),
      "SELECT date('2024-03-01', '-3 months') AS \"x\" LIMIT 1", "2023-12-01\n" },
    { NOFROM(CALL("concat", TXT("a") ",{\"kind\":\"literal\",\"null\":true}," TXT("b"))), NULL, "ab\n" },
    { NOFROM(CALL("concat_ws", TXT(", ") "," TXT("a") ",{\"kind\":\"literal\",\"null\":true}," TXT("b"))), NULL,
      "a, b\n" },
    { NOFROM(CALL("right", TXT("abc") "," INT(2))), NULL, "bc\n" },
    { NOFROM(CALL("right", TXT("abc") "," INT(0))), NULL, "\n" },
    { NOFROM(CALL("split_part", TXT("a-b-c") "," TXT("-") "," INT(1))), NULL, "a\n" },
    { NOFROM(CALL("greatest", INT(1) "," INT(3))), NULL, "3\n" },
    { NOFROM(CALL("mod", INT(7) "," INT(0))), NULL, "~\n" },
    /* Grouping and order. */
    { Q(SEL(ITEM(C("t", "country"), "country") "," ITEM(CALL("count", "{\"kind\":\"star\"}"), "n"),
            CITY ",\"group_by\":[" C("t", "country") "],\"having\":" BIN(">=", CALL("count", "{\"kind\":\"star\"}"),
                                                                         INT(1))),
        ",\"order_by\":[{\"expr\":{\"kind\":\"output\",\"name\":\"n\"},\"direction\":\"desc\"},{\"expr\":" C(
            "t", "country") "}],\"limit\":" INT(2)),
      "SELECT \"t\".\"country\", count(*) AS \"n\" FROM \"city\" AS \"t\" GROUP BY \"t\".\"country\" HAVING "
      "count(*) >= 1 ORDER BY "
      "\"n\" DESC, \"t\".\"country\" NULLS LAST LIMIT 2",
      "NO|2\nFI|1\n" },
    { Q(SEL(ITEM(C("t", "people"), "people"), CITY),
        ",\"order_by\":[{\"expr\":{\"kind\":\"output\",\"name\":\"people\"},"
        "\"nulls\":\"first\"}],\"limit\":" INT(2)),
      "SELECT \"t\".\"people\" FROM \"city\" AS \"t\" ORDER BY \"t\".\"people\" LIMIT 2", "~\n200\n" },
    { Q(SEL(ITEM(C("t", "people"), "p"), CITY),
        ",\"order_by\":[{\"expr\":{\"kind\":\"output\",\"name\":\"p\"},"
        "\"direction\":\"desc\",\"nulls\":\"first\"}],\"limit\":" INT(1) ",\"offset\":" INT(1)),
      "SELECT \"t\".\"people\" AS \"p\" FROM \"city\" AS \"t\" ORDER BY \"p\" DESC NULLS FIRST LIMIT 1 OFFSET 1",
      "700\n" },
    { Q(SEL(ITEM("{\"kind\":\"call\",\"function\":\"count\",\"args\":[" C(
                     "t", "country") "],\"distinct\":true,\"filter\":" BIN(">", C("t", "id"), INT(1)) "}",
                 "n"),
            CITY),
        ",\"limit\":" INT(1)),
      "SELECT count(DISTINCT \"t\".\"country\") FILTER (WHERE \"t\".\"id\" > 1) AS \"n\" FROM \"city\" AS \"t\" "
      "LIMIT 1",
      "3\n" },
    { Q(SEL(ITEM("{\"kind\":\"call\",\"function\":\"sum\",\"args\":[" C(
                     "t",
                     "people") "],\"over\":{\"partition_by\":[" C("t",
                                                                  "country") "],\"order_by\":[{"
                                                                             "\"expr\":" C(
                                                                                 "t",
                                                                                 "id") "}],"
                                                                                       "\"frame"
                                                                                       "\":{"
                                                                                       "\"unit\""
                                                                                       ":\"rows"
                                                                                       "\","
                                                                                       "\"start"
                                                                                       "\":{"
                                                                                       "\"kind\""
                                                                                       ":"
                                                                                       "\"preced"
                                                                                       "ing\","
                                                                                       "\"offset"
                                                                                       "\":" INT(1) "}"
                                                                                                    ","
                                                                                                    "\"end\":{\"kind\":"
                                                                                                    "\"current\"}}}}",
                 "n"),
            CITY),
        ",\"order_by\":[{\"expr\":" C("t", "id") "}],\"limit\":" INT(2)),
      "SELECT sum(\"t\".\"people\") OVER (PARTITION BY \"t\".\"country\" ORDER BY \"t\".\"id\" ROWS BETWEEN 1 "
      "PRECEDING AND CURRENT "
      "ROW) AS \"n\" FROM \"city\" AS \"t\" ORDER BY \"t\".\"id\" LIMIT 2",
      "700\n990\n" },
    /* Joins and subqueries. */
    { Q(SEL(ITEM(C("t", "name"), "name") "," ITEM(C("o", "a b"), "a b"),
            ",\"from\":{\"joined\":{\"from\":{\"table\":\"city\",\"alias\":\"t\"},\"joins\":[{\"type\":\"left\","
            "\"source\":{\"table\":"
            "\"odd \\\"table\",\"alias\":\"o\"},\"on\":" BIN(
                "=", C("o", "city_id"),
                C("t", "id")) "}]}},\"where\":{\"kind\":\"exists\","
                              "\"query\":" Q(SEL(ITEM(INT(1), "one"),
                                                 ",\"from\":{\"table\":\"city\",\"alias\":\"u\"},\"where\":" BIN(
                                                     "=", C("u", "id"), C("t", "id"))),
                                             "") "}"),
        ",\"limit\":" INT(9)),
      "SELECT \"t\".\"name\", \"o\".\"a b\" FROM \"city\" AS \"t\" LEFT JOIN \"odd \"\"table\" AS \"o\" ON "
      "\"o\".\"city_id\" = "
      "\"t\".\"id\" WHERE EXISTS (SELECT 1 AS \"one\" FROM \"city\" AS \"u\" WHERE \"u\".\"id\" = \"t\".\"id\") "
      "LIMIT 9",
      NULL },
    { Q(SEL(ITEM("{\"kind\":\"query\",\"query\":" Q(
                     SEL(ITEM(CALL("max", C("u", "people")), "m"), ",\"from\":{\"table\":\"city\",\"alias\":\"u\"}"),
                     "") "}",
                 "x"),
            ""),
        ",\"limit\":" INT(1)),
      "SELECT (SELECT max(\"u\".\"people\") AS \"m\" FROM \"city\" AS \"u\") AS \"x\" LIMIT 1", "700\n" },
    { Q(SEL(ITEM(C("v", "b"), "b"), ",\"from\":{\"query\":" Q("{\"kind\":\"values\",\"rows\":[[" INT(1) "," TXT(
                                                                  "p") "],[" INT(2) "," TXT("q") "]]}",
                                                              "") ",\"alias\":\"v\",\"columns\":[\"a\",\"b\"]}"),
        ",\"limit\":" INT(9)),
      "SELECT \"v\".\"b\" FROM (WITH \"v\" (\"a\", \"b\") AS (VALUES (1, 'p'), (2, 'q')) SELECT * FROM \"v\") AS "
      "\"v\" LIMIT 9",
      "p\nq\n" },
    /* Sets. */
    { Q("{\"kind\":\"set\",\"op\":\"union_all\",\"left\":" Q(SEL(ITEM(INT(1), "x"), ""), "") ",\"right\":" Q(
            "{\"kind\":\"set\",\"op\":"
            "\"except\",\"left\":" Q(SEL(ITEM(INT(2), "x"), ""), "") ",\"right\":" Q(SEL(ITEM(INT(2), "x"), ""),
                                                                                     "") "}",
            "") "}",
        ",\"order_by\":[{\"expr\":{\"kind\":\"output\",\"name\":\"x\"},\"direction\":\"desc\"}],\"limit\":" INT(5)),
      "SELECT 1 AS \"x\" UNION ALL SELECT * FROM (SELECT 2 AS \"x\" EXCEPT SELECT 2 AS \"x\") AS \"q1\" ORDER BY "
      "\"x\" DESC LIMIT 5",
      "1\n" },
    { Q("{\"kind\":\"set\",\"op\":\"union\",\"left\":" Q(
            SEL(ITEM(C("t", "id"), "id"), CITY),
            ",\"order_by\":[{\"expr\":" C("t", "id") ",\"direction\":\"desc\"}],\"limit\":" INT(
                1)) ",\"right\":" Q(SEL(ITEM(INT(9), "id"), ""), "") "}",
        ",\"limit\":" INT(5)),
      NULL, "4\n9\n" },
    /* WITH, recursion capped. */
    { "{\"with\":[{\"name\":\"n\",\"columns\":[\"i\"],\"recursive\":true,\"query\":" Q(
          "{\"kind\":\"set\",\"op\":\"union_all\",\"left\":" Q(SEL(ITEM(INT(1), "i"), ""), "") ",\"right\":" Q(
              SEL(ITEM(BIN("+", C("n", "i"), INT(1)), "i"),
                  ",\"from\":{\"cte\":\"n\",\"alias\":\"n\"},\"where\":" BIN("<", C("n", "i"), INT(20000))),
              "") "}",
          "") "}],\"body\":" SEL(ITEM(CALL("max", C("n", "i")), "m"),
                                 ",\"from\":{\"cte\":\"n\",\"alias\":\"n\"}") ",\"limit\":" INT(1) "}",
      "WITH RECURSIVE \"n\" (\"i\") AS (SELECT 1 AS \"i\" UNION ALL SELECT \"n\".\"i\" + 1 AS \"i\" FROM \"n\" AS "
      "\"n\" WHERE \"n\".\"i\" < 20000 LIMIT 10000) "
      "SELECT max(\"n\".\"i\") AS \"m\" FROM \"n\" AS \"n\" LIMIT 1",
      "10000\n" },
};

static int prepare(struct call *c, const struct view *v, const char *plan, int64_t ceiling, struct statement **out)
{
    struct query *q;
    struct check_result checked;
    int rc = plan_parse(c, plan, strlen(plan), &q);
    if (!rc) rc = plan_check(c, v, &dialect_find("sqlite")->support, ORIGIN_TEXT, q, &checked);
    if (!rc) rc = sql_render(c, "sqlite", q, ceiling, out);
    return rc;
}

static void sqlite_table(void **state)
{
    (void)state;
    struct call c;
    struct fixture f;
    struct policies *p;
    call_begin(&c);
    fixture_open(&f, &c, ddl);
    const struct view *v = fixture_view(&f, &c, NULL, &p);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct statement *s = NULL;
        if (prepare(&c, v, cases[i].plan, 1000, &s)) {
            const struct finding *first = c.err.findings;
            fail_msg("case %zu: %s %s %s\n%s", i, c.err.message, first ? first->pointer : "",
                     first ? first->detail : "", cases[i].plan);
        }
        if (cases[i].sql) assert_string_equal(s->sql, cases[i].sql);
        const char *rows = fixture_rows(&f, &c, s->sql);
        if (cases[i].rows && strcmp(rows, cases[i].rows) != 0) fail_msg("%s gives\n%s", s->sql, rows);
    }
    policies_free(p);
    fixture_close(&f);
    call_end(&c);
}

#define ROWS(n) "{\"kind\":\"values\",\"rows\":[" n "]}"
#define IDS     SEL(ITEM(C("t", "id"), "id"), CITY)

/* city has four rows, the ceiling is 3. */
static const struct {
    const char *plan;
    const char *ends; /* of the SQL */
    int64_t row_cap;
    bool ceiling; /* more than three rows are a truncated result */
    int rows;     /* that the engine gives */
} caps[] = {
    { Q(IDS, ""), " LIMIT 4", 4, true, 4 },
    { Q(IDS, ",\"limit\":" INT(2)), " LIMIT 2", 2, false, 2 },
    { Q(IDS, ",\"limit\":" INT(0)), " LIMIT 0", 0, false, 0 },
    { Q(IDS, ",\"limit\":" INT(3)), " LIMIT 3", 3, false, 3 },
    { Q(IDS, ",\"limit\":" INT(4)), " LIMIT 4", 4, true, 4 },
    { Q(IDS, ",\"limit\":" NUM("integer", "999999999999999999")), " LIMIT 4", 4, true, 4 },
    { Q(IDS, ",\"limit\":" BIN("+", INT(1), INT(1))), " LIMIT (1 + 1)) AS \"q1\" LIMIT 4", 4, true, 2 },
    { Q(IDS, ",\"limit\":" BIN("+", INT(5), INT(1))), " LIMIT (5 + 1)) AS \"q1\" LIMIT 4", 4, true, 4 },
    { Q(IDS, ",\"offset\":" INT(2)), " LIMIT 4 OFFSET 2", 4, true, 2 },
    { Q(IDS, ",\"limit\":" INT(2) ",\"offset\":" INT(3)), " LIMIT 2 OFFSET 3", 2, false, 1 },
    { Q("{\"kind\":\"set\",\"op\":\"union_all\",\"left\":" Q(IDS, "") ",\"right\":" Q(IDS, "") "}", ""), " LIMIT 4", 4,
      true, 4 },
    { Q("{\"kind\":\"set\",\"op\":\"union_all\",\"left\":" Q(IDS, ",\"limit\":" INT(1)) ",\"right\":" Q(
            IDS, ",\"limit\":" INT(1)) "}",
        ",\"limit\":" INT(3)),
      " LIMIT 3", 3, false, 2 },
    { Q(ROWS("[" INT(1) "],[" INT(2) "],[" INT(3) "],[" INT(4) "],[" INT(5) "]"), ""), " LIMIT 4", 4, true, 4 },
    { "{\"with\":[{\"name\":\"w\",\"query\":" Q(IDS, "") "}],\"body\":" SEL(ITEM(C("w", "id"), "id"),
                                                                            ",\"from\":{\"cte\":\"w\",\"alias\":"
                                                                            "\"w\"}") "}",
      " LIMIT 4", 4, true, 4 },
};

static void row_caps(void **state)
{
    (void)state;
    struct call c;
    struct fixture f;
    struct policies *p;
    call_begin(&c);
    fixture_open(&f, &c, ddl);
    const struct view *v = fixture_view(&f, &c, NULL, &p);
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++) {
        struct statement *s = NULL;
        if (prepare(&c, v, caps[i].plan, 3, &s)) fail_msg("cap %zu: %s", i, c.err.message);
        assert_int_equal(s->row_cap, caps[i].row_cap);
        assert_int_equal(s->cap_is_ceiling, caps[i].ceiling);
        if (s->n < strlen(caps[i].ends) || strcmp(s->sql + s->n - strlen(caps[i].ends), caps[i].ends) != 0)
            fail_msg("%s", s->sql);
        int rows = 0;
        for (const char *l = fixture_rows(&f, &c, s->sql); *l; l++) rows += *l == '\n';
        assert_int_equal(rows, caps[i].rows);
    }
    policies_free(p);
    fixture_close(&f);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sqlite_table), cmocka_unit_test(row_caps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
