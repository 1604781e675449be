/* sql/bind: what a text means as a plan, against tests/golden/bind/cases.txt (GOLDEN_WRITE=1 rewrites it), and that
 * what is rendered from a plan reads back as the same text. */
#include "shop.h"
#include "sql/dialects/dialect.h"
#include "sql/sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES "tests/golden/bind/cases.txt"

/* "= plan" or "! message" for one text. */
static const char *meaning(struct call *c, const char *dialect, const char *sql)
{
    struct query *q;
    struct buf b;
    buf_init(&b, c, 1 << 20);
    if (sql_to_plan(c, dialect, sql, strlen(sql), &shop_view, &q)) {
        buf_format(&b, "! %s", c->err.message);
    } else {
        buf_str(&b, "= ");
        plan_encode(&b, q);
    }
    return b.data;
}

/* Each case is a line "dialect: text" and a line with its meaning; # begins a comment. */
static void each_case(void (*fn)(const char *dialect, const char *sql, const char *expected, FILE *out), FILE *out)
{
    FILE *f = fopen(CASES, "r");
    char *line = NULL, *next = NULL;
    size_t room = 0, next_room = 0;
    ssize_t n;
    if (!f) fail_msg("%s is missing", CASES);
    while ((n = getline(&line, &room, f)) > 0) {
        if (line[n - 1] == '\n') line[n - 1] = 0;
        char *colon = strchr(line, ':');
        if (*line == '#' || !*line || !colon) {
            if (out) fprintf(out, "%s\n", line);
            continue;
        }
        if ((n = getline(&next, &next_room, f)) <= 0) fail_msg("no meaning behind %s", line);
        if (next[n - 1] == '\n') next[n - 1] = 0;
        *colon = 0;
        fn(line, colon + 2, next, out);
    }
    free(line);
    free(next);
    fclose(f);
}

static void check_case(const char *dialect, const char *sql, const char *expected, FILE *out)
{
    struct call c;
    call_begin(&c);
    const char *found = meaning(&c, dialect, sql);
    if (out)
        fprintf(out, "%s: %s\n%s\n", dialect, sql, found);
    else if (strcmp(found, expected) != 0)
        fail_msg("%s: %s\nmeans\n%s\nexpected\n%s", dialect, sql, found, expected);
    call_end(&c);
}

static void test_meanings(void **state)
{
    (void)state;
    if (!getenv("GOLDEN_WRITE")) {
        each_case(check_case, NULL);
        return;
    }
    FILE *out = fopen(CASES ".new", "w");
    assert_non_null(out);
    each_case(check_case, out);
    fclose(out);
    assert_int_equal(rename(CASES ".new", CASES), 0);
}

static const char *rendered(struct call *c, const char *from, const char *sql, const struct dialect *d)
{
    struct query *q;
    struct check_result result = { 0 };
    struct statement *s;
    if (sql_to_plan(c, from, sql, strlen(sql), &shop_view, &q)) return NULL;
    if (plan_check(c, &shop_view, &d->support, ORIGIN_TEXT, q, &result)) return NULL;
    return sql_render(c, d->name, q, 0, &s) ? NULL : s->sql;
}

static size_t rounds;

static void check_round_trip(const char *dialect, const char *sql, const char *expected, FILE *out)
{
    (void)expected;
    (void)out;
    static const char *const read_back[] = { "sqlite", "postgres" };
    if (strstr(sql, "/* formula */")) return; /* rendered as a formula, read as one */
    for (size_t i = 0; i < sizeof read_back / sizeof *read_back; i++) {
        const struct dialect *d = dialect_find(read_back[i]);
        struct call c;
        call_begin(&c);
        const char *once = rendered(&c, dialect, sql, d);
        call_forgive(&c);
        const char *twice = once ? rendered(&c, d->name, once, d) : NULL;
        if (once && !twice)
            fail_msg("%s: %s\nrendered for %s is refused: %s\n%s", dialect, sql, d->name, c.err.message,
                     once);
        if (once && strcmp(once, twice) != 0)
            fail_msg("%s: %s\nrendered for %s\n%s\nreads back as\n%s", dialect, sql, d->name, once, twice);
        rounds += once != NULL;
        call_end(&c);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    rounds = 0;
    each_case(check_round_trip, NULL);
    assert_true(rounds > 40);
}

/* Long chains become balanced trees, so that a plan's depth holds them. */
static void test_long_chains(void **state)
{
    (void)state;
    static const char *const words[] = { " OR id = ", " AND id <> " };
    for (size_t w = 0; w < 2; w++) {
        struct call c;
        struct buf b;
        struct query *q;
        struct check_result result = { 0 };
        call_begin(&c);
        buf_init(&b, &c, 1 << 20);
        buf_str(&b, "SELECT name FROM city WHERE id = 0");
        for (int i = 1; i < 900; i++) buf_format(&b, "%s%d", words[w], i);
        assert_int_equal(sql_to_plan(&c, "sqlite", b.data, b.len, &shop_view, &q), OK);
        assert_int_equal(plan_check(&c, &shop_view, &dialect_find("sqlite")->support, ORIGIN_TEXT, q, &result), OK);
        call_end(&c);
    }
}

/* Aliases that build on aliases double with each step: the ceiling ends it. */
static void test_alias_explosion(void **state)
{
    (void)state;
    struct call c;
    struct buf b;
    struct query *q;
    call_begin(&c);
    buf_init(&b, &c, 1 << 20);
    buf_str(&b, "SELECT id AS a0");
    for (int i = 1; i < 15; i++) buf_format(&b, ", a%d + a%d AS a%d", i - 1, i - 1, i);
    buf_str(&b, " FROM city");
    assert_int_equal(sql_to_plan(&c, "duckdb", b.data, b.len, &shop_view, &q), ERR_PLAN_TOO_LARGE);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meanings),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_alias_explosion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
