/* hostile: texts and plans that ask for recursion or size, through the whole road from text to rendered statement, in
 * every dialect, on a thread whose stack is small. What is not refused must be rendered, read by PostgreSQL's own
 * parser and read again; all of it within memory that the ceilings bound. Nothing here is timed. */
#include "base/sanitizer.h"
#include "guard/opinion.h"
#include "shop.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

/* A server's thread has 8 MiB. */
#if SANITIZE_ADDRESS || SANITIZE_THREAD
#define STACK_BYTES ((size_t)4 * 1024 * 1024)
#else
#define STACK_BYTES ((size_t)512 * 1024)
#endif
#define TEXT_BYTES   ((size_t)64 * 1024)
#define MEMORY_BYTES ((size_t)32 * 1024 * 1024)

static const char *const names[] = { "sqlite", "postgres", "mysql", "duckdb", "mssql" };

struct hostile {
    const char *before, *repeated, *after, *close; /* close: once for each time that repeated stands there */
};

static const struct hostile texts[] = {
    { "SELECT ", "(", "1", ")" },
    { "SELECT ", "(", "", "" },
    { "", "(", "SELECT 1", ")" },
    { "SELECT * FROM ", "(", "customer", ")" },
    { "SELECT * FROM ", "(SELECT * FROM ", "customer", ") x" },
    { "SELECT name FROM customer WHERE ", "id IN (SELECT id FROM customer WHERE ", "1 = 1", ")" },
    { "SELECT ", "(SELECT ", "1", ")" },
    { "SELECT name FROM customer WHERE id = 1", " AND id = 1", "", "" },
    { "SELECT name FROM customer WHERE id = 1", " OR id = 2", "", "" },
    { "SELECT name FROM customer WHERE id = 1", " AND (id = 1 OR id = 2", "", ")" },
    { "SELECT name FROM customer WHERE ", "NOT ", "id = 1", "" },
    { "SELECT ", "- ", "1", "" },
    { "SELECT 1", " + 1", "", "" },
    { "SELECT 1", " || 'a'", "", "" },
    { "SELECT ", "CASE WHEN 1 = 1 THEN ", "1", " END" },
    { "SELECT ", "abs(", "1", ")" },
    { "SELECT ", "coalesce(1, ", "1", ")" },
    { "SELECT ", "CAST(", "1", " AS integer)" },
    { "SELECT 1", ", 1", "", "" },
    { "SELECT 1 WHERE 1 IN (1", ", 1", ")", "" },
    { "SELECT 1", " UNION ALL SELECT 1", "", "" },
    { "", "(SELECT 1 UNION ", "SELECT 1", ")" },
    { "", "WITH a AS (", "SELECT 1", ") SELECT 1" },
    { "WITH a AS (SELECT 1 AS n)", ", a AS (SELECT 1 AS n)", " SELECT 1", "" },
    { "SELECT 1 FROM customer a", ", customer b", "", "" },
    { "SELECT 1 FROM customer", " NATURAL JOIN customer", "", "" },
    { "SELECT name FROM customer ORDER BY 1", ", 1", "", "" },
    { "SELECT count(*) FROM customer GROUP BY id", ", id", "", "" },
    { "SELECT 1 WHERE 1 = 1", " IS NULL", "", "" },
    { "SELECT row_number() OVER (ORDER BY ", "(", "1", ")" },
    { "SELECT 'x", "''", "'", "" },
    { "SELECT 'x", "''", "", "" },
    { "SELECT \"", "\"\"", "", "" },
    { "SELECT `", "``", "", "" },
    { "SELECT [", "]]", "", "" },
    { "SELECT $a$", "$b$", "", "" },
    { "SELECT E'", "\\'", "", "" },
    { "SELECT U&'", "\\00", "", "" },
    { "SELECT x'", "0", "", "" },
    { "/*", "/*", "", "" },
    { "/*", "/*", "SELECT 1", "*/" },
    { "SELECT 1 ", "-- x\n", "", "" },
    { "SELECT 1", ";", "", "" },
    { "SELECT 1", "; SELECT 1", "", "" },
    { "SELECT 1", "0", "", "" },
    { "SELECT 1.", "0", "", "" },
    { "SELECT 1e", "9", "", "" },
    { "SELECT 0x", "f", "", "" },
    { "SELECT ", "9", " FROM customer LIMIT 99999999999999999999", "" },
    { "SELECT name FROM customer LIMIT ", "9", "", "" },
    { "SELECT name FROM customer LIMIT 1 OFFSET ", "9", "", "" },
    { "SELECT ", "a", " FROM customer", "" },
    { "SELECT \"", "a", "\" FROM customer", "" },
    { "SELECT ", "a.", "b", "" },
    { "SELECT name FROM ", "a.", "b", "" },
    { "SELECT ", "\xc3\xa9", "", "" },
    { "SELECT ", "\xff", "", "" },
    { "SELECT ", "\x01", "", "" },
    { "\xef\xbb\xbf", "\xef\xbb\xbf", "SELECT 1", "" },
    { "SELECT ", "\xe2\x80\x8b", "1", "" },
    { "", " ", "", "" },
    { "", "\n", "SELECT 1", "" },
    { "", "", "", "" },
};

/* Lengths that lie below, at and beyond the ceilings of depth and of nodes, and the longest text of all. */
static const size_t times[] = { 0, 1, 33, 65, 128, 4000, 60000 };

static const char *written(struct call *c, const struct hostile *h, size_t n, size_t *length)
{
    size_t ends = strlen(h->before) + strlen(h->after), each = strlen(h->repeated) + strlen(h->close);
    struct buf b;
    if (n && each && ends + n * each > TEXT_BYTES) n = (TEXT_BYTES - ends) / each;
    buf_init(&b, c, 2 * TEXT_BYTES);
    buf_str(&b, h->before);
    for (size_t i = 0; i < n; i++) buf_str(&b, h->repeated);
    buf_str(&b, h->after);
    for (size_t i = 0; i < n; i++) buf_str(&b, h->close);
    *length = b.len;
    return b.data ? b.data : "";
}

static void tell(const struct call *c, const struct hostile *h, size_t n, const char *dialect, const char *what)
{
    fail_msg("%s: %s%s… %zu times: %s %s", dialect, h->before, h->repeated, n, what,
             c->err.message ? c->err.message : "");
}

/* OK, or a refusal that says something; never an internal error. */
static bool refused(const struct call *c, int rc, const struct hostile *h, size_t n, const char *dialect)
{
    if (rc && (rc == ERR_INTERNAL_ERROR || !c->err.message || !*c->err.message)) tell(c, h, n, dialect, "no reason");
    return rc != OK;
}

static void whole_road(struct call *c, const struct hostile *h, size_t n, const char *name)
{
    const struct dialect *d = dialect_find(name);
    struct query *q, *again;
    struct check_result checked = { 0 };
    struct statement *s;
    struct buf text;
    struct list columns = { 0 };
    size_t length;
    const char *sql = written(c, h, n, &length);
    if (refused(c, sql_to_plan(c, name, sql, length, &shop_view, &q), h, n, name)) return;
    if (refused(c, plan_check(c, &shop_view, &d->support, ORIGIN_TEXT, q, &checked), h, n, name)) return;
    plan_hash(c, q);
    plan_lineage(c, q, &columns);
    buf_init(&text, c, MEMORY_BYTES);
    plan_encode(&text, q);
    if (text.failed || plan_parse(c, text.data, text.len, &again)) tell(c, h, n, name, "the plan is not read again");
    int rc = sql_render(c, name, q, 1000, &s);
    if (rc == ERR_PLAN_TOO_LARGE) return;
    if (rc) tell(c, h, n, name, "checked but not rendered");
    if (!strcmp(name, "postgres")) {
        struct reads seen = { 0 };
        if (adapter_kind_find("postgres")->inspect(c, NULL, s, &seen)) tell(c, h, n, name, "PostgreSQL's parser");
    }
}

static void *all_texts(void *ctx)
{
    const char *name = ctx;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
            struct call c;
            call_begin(&c);
            whole_road(&c, &texts[i], times[k], name);
            if (c.arena.total_bytes > MEMORY_BYTES) tell(&c, &texts[i], times[k], name, "takes too much memory");
            call_end(&c);
        }
    return NULL;
}

static void on_small_stack(void *(*work)(void *), const char *name)
{
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work, (void *)name), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) on_small_stack(all_texts, names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_texts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
