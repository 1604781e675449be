/* The functions that the SQLite adapter adds: their values, as aggregates and over windows, and that a long sort stops.
 */
#include "adapters/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define V "(SELECT column1 AS a, column2 AS b FROM (VALUES "

static const struct {
    const char *sql, *expected; /* cells joined by |, NULL is ~ */
} cases[] = {
    { "SELECT median(a), median(b) FROM " V "(1, 2.5), (3, NULL), (NULL, 0.5), (8, 4.5)))", "3.0|2.5" },
    { "SELECT median(a) FROM " V "(1, 0), (2, 0), (10, 0), (20, 0)))", "6.0" },
    { "SELECT median(a), mode(a), stddev_samp(a), var_pop(a), percentile_disc(a, 0.5) FROM " V "(1, 1))) WHERE a > 5",
      "~|~|~|~|~" },
    { "SELECT median(DISTINCT a) FROM " V "(1, 1), (1, 1), (1, 1), (5, 1), (9, 1)))", "5.0" },
    { "SELECT median(a) FILTER (WHERE b > 0) FROM " V "(1, 1), (7, 1), (1000, 0)))", "4.0" },
    { "SELECT percentile_cont(a, 0.25), percentile_cont(a, 0.25, 'desc'), percentile_cont(a, 0), percentile_cont(a, 1) "
      "FROM " V "(1, 1), (2, 1), (3, 1), (4, 1)))",
      "1.75|3.25|1.0|4.0" },
    { "SELECT percentile_disc(a, 0.5), percentile_disc(a, 0.5, 'desc'), percentile_disc(a, 0) FROM " V
      "('b', 1), ('a', 1), ('d', 1), ('c', 1)))",
      "b|c|a" },
    { "SELECT mode(a), mode(a, 'desc'), mode(b) FROM " V "(9007199254740993, 'x'), (9007199254740992, 'y'), (1, 'y')))",
      "1|9007199254740993|y" },
    { "SELECT mode(a) FROM " V "(1, 1), (1.0, 1), (0, 1)))", "1" },
    { "SELECT stddev_samp(a), stddev_pop(a), var_samp(a), var_pop(a) FROM " V
      "(2, 0), (4, 0), (4, 0), (4, 0), (5, 0), (5, 0), (7, 0), (9, 0)))",
      "2.1380899352994|2.0|4.57142857142857|4.0" },
    { "SELECT stddev_samp(a), stddev_pop(a) FROM " V "(7, 0)))", "~|0.0" },
    { "SELECT var_samp(a) FROM " V "(1000000000.1, 0), (1000000000.2, 0), (1000000000.3, 0)))", "0.00999999284890028" },
    { "SELECT string_agg_by(a, '; ', 'df', b) FROM " V "('x', 1), ('y', NULL), ('z', 2), (NULL, 3)))", "y; z; x" },
    { "SELECT string_agg_by(a, ',', 'al', b) FROM " V "('x', 2), ('y', NULL), ('z', 1)))", "z,x,y" },
    { "SELECT string_agg_by(a, '-', 'u'), string_agg_by(a, '-', 'udl', a) FROM " V
      "('b', 1), ('a', 1), ('b', 1), ('c', 1)))",
      "b-a-c|c-b-a" },
    { "SELECT string_agg_by(a, ',', '') FROM " V "(1, 1), (2.5, 1), ('', 1)))", "1,2.5," },
    { "SELECT trunc(1.15, 2), trunc(-7.899, 1), trunc(7, 2), trunc(1299, -2), trunc(-1299.5, -2), trunc(2.5, 0), trunc("
      "NULL, 1), trunc(1e300, 2)",
      "1.15|-7.8|7|1200|-1200.0|2.0|~|1.0e+300" },
    { "SELECT split_part('a,b,,c', ',', 1), split_part('a,b,,c', ',', 3), split_part('a,b,,c', ',', 9), "
      "split_part('a,b',"
      " ',', -1), split_part('a', '', 1), split_part(NULL, ',', 1), split_part('\xC3\xA4--\xC3\xB6', '--', 2)",
      "a|||b|a|~|\xC3\xB6" },
    { "SELECT group_concat(m, ' ') FROM (SELECT median(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) "
      "AS m"
      " FROM " V "(4, 1), (2, 2), (9, 3), (NULL, 4), (NULL, 5))))",
      "4.0 3.0 5.5 9.0" },
    { "SELECT group_concat(m, ' ') FROM (SELECT stddev_pop(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT "
      "ROW)"
      " AS m FROM " V "(1e15, 1), (1, 2), (3, 3), (3, 4))))",
      "0.0 500000000000000.0 1.0 0.0" },
    { "SELECT group_concat(m, ' ') FROM (SELECT var_samp(a) OVER (ORDER BY b) AS m FROM " V "(1, 1), (3, 2), (5, 3))))",
      "2.0 4.0" },
    { "SELECT count(DISTINCT m), min(m), max(m) FROM (SELECT median(x) OVER (ORDER BY x ROWS BETWEEN 1500 PRECEDING "
      "AND "
      "CURRENT ROW) AS m FROM (WITH RECURSIVE k (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM k WHERE x < 9000) SELECT "
      "x "
      "FROM k))",
      "9000|1.0|8250.0" },
};

static sqlite3 *open_db(struct conn *k)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite_functions(db, k), SQLITE_OK);
    return db;
}

static void values(void **state)
{
    (void)state;
    sqlite3 *db = open_db(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sqlite3_stmt *s = NULL;
        char found[500] = "";
        if (sqlite3_prepare_v2(db, cases[i].sql, -1, &s, NULL) || sqlite3_step(s) != SQLITE_ROW)
            fail_msg("%s: %s", cases[i].sql, sqlite3_errmsg(db));
        for (int n = 0; n < sqlite3_column_count(s); n++) {
            const char *cell = (const char *)sqlite3_column_text(s, n);
            sqlite3_snprintf((int)(sizeof found - strlen(found)), found + strlen(found), "%s%s", n ? "|" : "",
                             cell ? cell : "~");
        }
        if (strcmp(found, cases[i].expected) != 0)
            fail_msg("%s\nis      %s\nshould  %s", cases[i].sql, found, cases[i].expected);
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
}

static int run(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    sqlite3_step(s);
    return sqlite3_finalize(s);
}

static void errors(void **state)
{
    (void)state;
    static const char many[] = "SELECT mode(x) FROM (WITH RECURSIVE k (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM k "
                               "WHERE x < 30000) SELECT x FROM k)";
    struct call c;
    call_begin(&c);
    struct conn k = { .call = &c, .memory_limit = INT64_MAX };
    sqlite3 *db = open_db(&k);
    assert_int_equal(run(db, "SELECT mode(1)"), SQLITE_OK); /* too short to ask */
    assert_int_equal(run(db, many), SQLITE_INTERRUPT);      /* the deadline, 0, is over */
    assert_int_equal(k.stop, STOP_TIME);
    sqlite3_close(db);
    db = open_db(NULL);
    assert_int_equal(run(db, many), SQLITE_OK);
    assert_int_equal(run(db, "SELECT string_agg_by(1, 2)"), SQLITE_NOMEM);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
    assert_int_equal(run(db,
                         "SELECT string_agg_by(x, '', '') FROM (WITH RECURSIVE k (x) AS (SELECT 1 UNION ALL SELECT x "
                         "+ 1 FROM k WHERE x < 3000) SELECT x FROM k)"),
                     SQLITE_TOOBIG);
    sqlite3_close(db);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(values), cmocka_unit_test(errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
