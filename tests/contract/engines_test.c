/* The same plans over the same shop in each engine give the rows that SQLite gives: the golden questions' queries and
 * one or more for each family of functions. Every plan goes the whole road: check, access, render, the engine's own
 * opinion, execution. */
#include "base/hash.h"
#include "engines.h"
#include "guard/guard.h"
#include "guard/opinion.h"
#include "handmade.h"
#include "schema/registry.h"
#include "store/demo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the golden ones; in SQLite's SQL. */
static const char *const more[] = {
    "SELECT country, city, count(*), min(registered_on), max(birth_date) FROM customers GROUP BY country, city HAVING "
    "count(*) > 3 ORDER BY 1, 2",
    "SELECT upper(sku), lower(sku), length(name), substr(name, 2, 4), substr(name, -3), trim('  x '), replace(name, "
    "'a', 'b'), instr(name, 'e') FROM products",
    "SELECT round(price), round(price, 1), abs(cost - price), ceil(price), floor(price), sign(cost - 50), price % 7, "
    "weight_grams % 7, weight_grams / 7 FROM products WHERE weight_grams IS NOT NULL",
    "SELECT sum(price), avg(price), min(cost), max(cost), sum(weight_grams), avg(weight_grams), total(cost), count("
    "weight_grams) FROM products",
    "SELECT count(*) FILTER (WHERE rating > 3), sum(rating) FILTER (WHERE rating < 3), group_concat(DISTINCT rating) "
    "IS NOT NULL FROM reviews",
    "SELECT date(order_date, '+1 month'), date(order_date, 'start of month'), date(order_date, '-3 days'), "
    "strftime('%Y-%m', order_date), strftime('%w', order_date), strftime('%d', order_date) FROM orders WHERE order_id <"
    " 400",
    "SELECT strftime('%Y', paid_at), strftime('%H', paid_at), count(*), sum(amount) FROM payments GROUP BY 1, 2",
    "SELECT julianday(shipped_date) - julianday(order_date) AS days, count(*) FROM orders WHERE shipped_date IS NOT "
    "NULL GROUP BY 1 ORDER BY 2 DESC, 1",
    "SELECT name, CASE WHEN price > 100 THEN 'dear' WHEN price > 50 THEN 'fair' ELSE 'cheap' END FROM products",
    "SELECT store_id, first_name, salary, rank() OVER (PARTITION BY store_id ORDER BY salary DESC), row_number() OVER "
    "(ORDER BY salary, employee_id), lag(salary) OVER (ORDER BY employee_id), sum(salary) OVER (PARTITION BY store_id) "
    "FROM employees",
    "SELECT order_id, amount, sum(amount) OVER (ORDER BY order_id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), ntile(4) "
    "OVER (ORDER BY order_id, line_number) FROM order_items WHERE order_id < 60 ORDER BY order_id, line_number",
    "WITH RECURSIVE tree(id, depth) AS (SELECT category_id, 0 FROM categories WHERE parent_category_id IS NULL UNION "
    "ALL SELECT c.category_id, t.depth + 1 FROM categories c JOIN tree t ON c.parent_category_id = t.id) SELECT depth, "
    "count(*) FROM tree GROUP BY depth",
    "SELECT city FROM customers UNION SELECT city FROM suppliers",
    "SELECT city FROM customers INTERSECT SELECT city FROM stores",
    "SELECT city FROM customers EXCEPT SELECT city FROM stores",
    "SELECT name FROM products p WHERE NOT EXISTS (SELECT 1 FROM reviews r WHERE r.product_id = p.product_id)",
    "SELECT name FROM products WHERE product_id IN (SELECT product_id FROM order_items GROUP BY product_id ORDER BY "
    "sum(amount) DESC, product_id LIMIT 5)",
    "SELECT name FROM products WHERE price > (SELECT avg(price) FROM products) AND name LIKE '%a%' AND sku NOT LIKE "
    "'%1'",
    "SELECT last_name FROM customers WHERE last_name LIKE 'M%' OR last_name GLOB 'A*'",
    "SELECT e.first_name, m.first_name FROM employees e LEFT JOIN employees m ON m.employee_id = e.manager_id",
    "SELECT coalesce(phone, 'none'), nullif(segment, 'consumer'), ifnull(email, '-') FROM customers WHERE customer_id "
    "< 200",
    "SELECT first_name || ' ' || last_name, max(first_name, last_name) FROM customers WHERE customer_id < 50",
    "SELECT city, count(DISTINCT segment), max(newsletter) FROM customers GROUP BY city",
    "SELECT count(*) FROM customers WHERE newsletter",
    "SELECT count(*) FROM products WHERE NOT discontinued AND launched_on BETWEEN '2024-01-01' AND '2025-06-30'",
    "SELECT phone, customer_id FROM customers ORDER BY phone, customer_id LIMIT 20",
    "SELECT phone, customer_id FROM customers ORDER BY phone DESC NULLS LAST, customer_id LIMIT 20 OFFSET 5",
    "SELECT DISTINCT country, segment FROM customers ORDER BY country, segment",
    "SELECT CAST(price AS TEXT), CAST('12' AS INTEGER), CAST(weight_grams AS REAL) FROM "
    "products WHERE weight_grams > 500",
    "SELECT c.name, p.name, p.price FROM products p JOIN categories c USING (category_id) WHERE (c.name, "
    "p.product_id % 2) IN (('Tents', 0), ('Knives', 1)) ORDER BY p.product_id",
    "SELECT 1, 'a''b\\c', NULL, 1.50, 9223372036854775807",
    "SELECT sqrt(weight_grams), power(2, 10), exp(1), ln(weight_grams), log10(weight_grams), pi() FROM products WHERE "
    "weight_grams > 1000",
    "SELECT sum(quantity) / count(*), sum(amount) / sum(quantity), 7 / 2, -7 / 2, -7 % 3, 1 / 0 FROM order_items",
    "SELECT s.city FROM stores s FULL JOIN suppliers u ON u.city = s.city WHERE u.supplier_id IS NULL",
    "SELECT name FROM suppliers WHERE city IN ('K\xC3\xB6ln', 'Krak\xC3\xB3w', 'krak\xC3\xB3w', 'Krakow', 'BERLIN')",
    "SELECT count(*) FROM customers WHERE city = 'Krakow'",
    "SELECT count(*) FROM customers WHERE city = 'berlin'",
    "SELECT count(DISTINCT lower(city)), count(DISTINCT city) FROM customers",
    "SELECT name FROM products ORDER BY name LIMIT 40",
};

enum { ENGINES = 5 };

/* A connected engine with what its catalogue says. */
struct connected {
    struct datasource_config config;
    struct datasource ds;
    const struct view *view;
};

struct fixture {
    struct call call;
    struct policies *policies;
    char demo[40];
    struct connected all[ENGINES];
    size_t count;
    struct connected *sqlite;
};

static void connect_to(struct fixture *f, struct connected *k, const char *type, const char *connection)
{
    struct call *c = &f->call;
    struct snapshot *s = NULL;
    k->config = (struct datasource_config){ .id = "shop", .type = type };
    assert_int_equal(type_defaults(c, &datasource_options_type, &k->config.options), OK);
    k->config.options.row_limit = 100000;
    assert_int_equal(json_parse(c, connection, strlen(connection), &k->config.connection), OK);
    if (adapter_open(c, &k->config, &k->ds.adapter) || adapter_introspect(c, k->ds.adapter, &s))
        fail_msg("%s: %s", type, c->err.message);
    s->datasource = type;
    s->fingerprint = type;
    k->ds.config = &k->config;
    k->ds.snapshot = s;
    assert_int_equal(policy_view(c, f->policies, &c->who, s, &k->view), OK);
    assert_int_equal(k->view->table_count, 13); /* twelve tables and a view */
}

static const char view_sql[] = "CREATE VIEW \"City Sales\" AS SELECT c.city AS \"The City\", count(*) AS orders, "
                               "sum(o.shipping_fee) AS fees FROM customers c JOIN orders o ON o.customer_id = "
                               "c.customer_id GROUP BY c.city";

static int set_up(void **state)
{
    static struct fixture f;
    struct call *c = &f.call;
    char *error = NULL;
    sqlite3 *db;
    *state = &f;
    call_begin(c);
    c->who = (struct principal){ .user = "op", .tenant = "default", .level = LEVEL_OPERATOR };
    snprintf(f.demo, sizeof f.demo, "/tmp/querent-demo-XXXXXX");
    int fd = mkstemp(f.demo);
    assert_true(fd >= 0 && !close(fd) && !unlink(f.demo));
    assert_int_equal(demo_create(c, f.demo), OK);
    assert_int_equal(sqlite3_open(f.demo, &db), SQLITE_OK);
    if (sqlite3_exec(db, view_sql, NULL, NULL, &error)) fail_msg("%s", error);
    sqlite3_close(db);
    assert_int_equal(policies_load(c, NULL, &f.policies), OK);
    for (const struct test_engine *e = test_engines; e->type; e++) {
        struct connected *k = &f.all[f.count];
        if (!strcmp(e->type, "sqlite")) {
            f.sqlite = k;
            connect_to(&f, k, e->type, call_format(c, "{\"path\":\"%s\"}", f.demo));
            f.count++;
        } else if (e->start()) {
            struct list sql = engines_copy(c, f.demo, e->type);
            *(const char **)list_push(c, &sql, sizeof(const char *)) = view_sql;
            e->load(&sql);
            connect_to(&f, k, e->type, e->connection());
            f.count++;
        } else {
            printf("# %s: not to be had on this machine, skipped\n", e->type);
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < f->count; i++) {
        adapter_close(f->all[i].ds.adapter);
        const struct test_engine *e = test_engine_find(f->all[i].config.type);
        if (&f->all[i] != f->sqlite) e->stop();
    }
    policies_free(f->policies);
    unlink(f->demo);
    call_end(&f->call);
    return 0;
}

/* ---- comparing ---- */

/* Numbers that are equal to the twelfth digit are equal: engines differ in how they add and divide. */
static const char *canonical(struct call *c, const char *cell)
{
    char *end;
    double v = strtod(cell, &end);
    if (!*cell || *end) return !strcmp(cell, "true") ? "1" : !strcmp(cell, "false") ? "0" : cell;
    return fabs(v) < 1e-12 ? "0" : call_format(c, "%.9g", v);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The rows of a text sink, each cell in its canonical form; sorted unless the query orders them. */
static const char *normal(struct call *c, const char *text, bool ordered)
{
    struct list lines = { 0 };
    struct buf all;
    buf_init(&all, c, (size_t)64 << 20);
    while (*text) {
        size_t n = strcspn(text, "\n");
        struct buf line;
        buf_init(&line, c, (size_t)1 << 20);
        for (const char *at = text; at <= text + n;) {
            size_t cell = strcspn(at, "|\n");
            if (at > text) buf_char(&line, '|');
            buf_str(&line, canonical(c, call_strndup(c, at, cell)));
            at += cell + 1;
        }
        *(const char **)list_push(c, &lines, sizeof(const char *)) = line.data;
        text += n + (text[n] == '\n');
    }
    if (!ordered && lines.count) qsort(lines.items, lines.count, sizeof(const char *), by_text);
    for (size_t i = 0; i < lines.count; i++) buf_format(&all, "%s\n", LIST_AT(&lines, const char *, i));
    return all.data;
}

/* Rows, or "! message"; NULL when the plan cannot be said in this engine and check says so. */
static const char *answer(struct call *c, const struct connected *k, const char *sql, const char **rendered)
{
    struct query *q;
    struct guarded *g;
    struct text_sink sink;
    struct run_stats stats;
    text_sink_init(&sink, c);
    *rendered = "";
    int rc = sql_to_plan(c, "sqlite", sql, strlen(sql), k->view, &q);
    if (!rc) rc = guard_prepare(c, &k->ds, k->view, q, ORIGIN_TEXT, 0, &g);
    if (!rc) *rendered = g->statement->sql;
    if (!rc) rc = guard_run(c, g, NULL, &sink.sink, &stats);
    if (!rc) return sink.text.data;
    if (rc == ERR_PLAN_NOT_SUPPORTED) return NULL;
    return call_format(c, "! %s [%s]", c->err.message, c->err.detail ? c->err.detail : "");
}

static size_t failures, equal[ENGINES], unsaid[ENGINES];

static void compare(struct fixture *f, const char *sql)
{
    const char *rendered, *ordered_by = strstr(sql, "ORDER BY");
    struct call c;
    call_begin(&c);
    c.who = f->call.who;
    const char *want = answer(&c, f->sqlite, sql, &rendered);
    if (!want || *want == '!') fail_msg("sqlite: %s: %s", sql, want ? want : c.err.message);
    bool ordered = ordered_by && !strchr(ordered_by, ')');
    want = normal(&c, want, ordered);
    for (size_t i = 0; i < f->count; i++) {
        call_forgive(&c);
        if (&f->all[i] == f->sqlite) continue;
        const char *got = answer(&c, &f->all[i], sql, &rendered);
        if (!got) {
            printf("# %s does not say: %s (%s)\n", f->all[i].config.type, sql, c.err.message);
            unsaid[i]++;
            continue;
        }
        if (*got != '!') got = normal(&c, got, ordered);
        if (!strcmp(got, want)) {
            equal[i]++;
            continue;
        }
        size_t at = 0;
        while (got[at] && got[at] == want[at]) at++;
        while (at && got[at - 1] != '\n') at--;
        printf("%s: %s\n  rendered: %s\n  got:  %.200s\n  want: %.200s\n", f->all[i].config.type, sql, rendered,
               got + at, want + at);
        failures++;
    }
    call_end(&c);
}

static void golden_queries(void **state)
{
    FILE *in = fopen("tests/golden/questions.jsonl", "r");
    char *line = NULL;
    size_t room = 0, cases = 0;
    assert_non_null(in);
    failures = 0;
    while (getline(&line, &room, in) > 0) {
        struct call c;
        const struct json *j;
        call_begin(&c);
        assert_int_equal(json_parse(&c, line, strlen(line), &j), OK);
        const struct json *sql = json_get(j, "sql");
        if (sql && sql->kind == J_ARRAY) sql = &sql->items[0];
        if (sql) compare(*state, sql->string);
        cases += sql != NULL;
        call_end(&c);
    }
    free(line);
    fclose(in);
    assert_true(cases >= 30);
    assert_int_equal(failures, 0);
}

static void families(void **state)
{
    struct fixture *f = *state;
    failures = 0;
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) compare(f, more[i]);
    for (size_t i = 0; i < f->count; i++)
        if (&f->all[i] != f->sqlite)
            printf("# %s: %zu equal, %zu cannot be said\n", f->all[i].config.type, equal[i], unsaid[i]);
    assert_int_equal(failures, 0);
}

/* ---- the second opinion ---- */

/* A view is read by its name; what it reads is covered by what the catalogue says of it. */
static void views_are_covered(void **state)
{
    failures = 0;
    compare(*state, "SELECT \"The City\", orders FROM \"City Sales\" WHERE fees > 100 ORDER BY 2 DESC, 1 LIMIT 10");
    compare(*state, "WITH \"City Sales\" AS (SELECT 1 AS x) SELECT x FROM \"City Sales\"");
    compare(*state, "WITH k AS (SELECT city FROM customers) SELECT count(*) FROM k JOIN \"City Sales\" v ON v.\"The "
                    "City\" = k.city");
    assert_int_equal(failures, 0);
}

/* What the engine sees beyond the plan is refused before it runs. The statement is the plan's with its text changed
 * underneath, as a fault of the renderer would. */
static void disagreement_is_refused(void **state)
{
    struct fixture *f = *state;
    static const char plan_sql[] = "SELECT count(*) FROM customers";
    static const struct {
        const char *sql;
        const char *only; /* an engine whose own words these are */
        bool unreported;  /* mysql reports only the tables that result columns come from; what it does not report is no
                             disagreement */
    } bad[] = {
        { "SELECT order_id FROM orders LIMIT 1", NULL, false },
        { "SELECT o.order_id FROM customers c, orders o LIMIT 1", NULL, false },
        { "SELECT (SELECT max(order_id) FROM orders) FROM customers LIMIT 1", NULL, true },
        { "SELECT count(*) FROM orders", NULL, true },
        { "SELECT count(*) FROM customers, orders", NULL, true },
        { "SELECT count(*) FROM customers WHERE customer_id IN (SELECT customer_id FROM orders)", NULL, true },
        { "WITH customers AS (SELECT * FROM orders) SELECT count(*) FROM customers", NULL, true },
        { "SELECT count(*) FROM customers WHERE EXISTS (WITH x AS (SELECT 1 FROM stores) SELECT 1 FROM x)", NULL,
          true },
        { "SELECT count(*), lower('a') FROM customers", NULL, true },
        { "SELECT count(*), pg_sleep(0) FROM customers", "postgres", false },
        { "SELECT count(*) FROM pg_catalog.pg_class", "postgres", false },
        { "SELECT count(*) FROM ONLY customers, LATERAL (SELECT 1 FROM orders) x", "postgres", false },
        { "SELECT count(*) FROM customers FOR UPDATE", "postgres", false },
        { "SELECT count(*) INTO t FROM customers", "postgres", false },
        { "SELECT count(*) FROM customers FOR UPDATE", "mysql", false },
        { "SELECT count(*) FROM customers INTO @x", "mysql", false },
        { "SELECT count(*) FROM read_csv('/etc/passwd')", "duckdb", false },
        { "SELECT count(*) FROM '/etc/passwd'", "duckdb", false },
        { "SELECT count(*), getenv('HOME') FROM customers", "duckdb", false },
        { "SELECT count(*) FROM duckdb_settings()", "duckdb", false },
    };
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < sizeof bad / sizeof bad[0]; j++) {
            const char *type = f->all[i].config.type;
            struct call c;
            struct query *q;
            struct guarded *g;
            struct text_sink sink;
            struct run_stats stats;
            if (bad[j].only ? strcmp(bad[j].only, type) != 0 : bad[j].unreported && !strcmp(type, "mysql")) continue;
            call_begin(&c);
            c.who = f->call.who;
            text_sink_init(&sink, &c);
            assert_int_equal(sql_to_plan(&c, "sqlite", plan_sql, strlen(plan_sql), f->all[i].view, &q), OK);
            assert_int_equal(guard_prepare(&c, &f->all[i].ds, f->all[i].view, q, ORIGIN_TEXT, 0, &g), OK);
            assert_int_equal(guard_run(&c, g, NULL, &sink.sink, &stats), OK);
            text_sink_init(&sink, &c);
            g->statement->sql = bad[j].sql;
            g->statement->n = strlen(bad[j].sql);
            g->statement->hash = hash_hex(&c, bad[j].sql, strlen(bad[j].sql));
            int rc = guard_run(&c, g, NULL, &sink.sink, &stats);
            if (rc != ERR_GUARD_DISAGREEMENT || sink.rows) {
                printf("%s ran or failed otherwise (%d %s): %s\n", type, rc, c.err.message ? c.err.message : "",
                       bad[j].sql);
                failures++;
            }
            call_end(&c);
        }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_queries),
        cmocka_unit_test(families),
        cmocka_unit_test(views_are_covered),
        cmocka_unit_test(disagreement_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
