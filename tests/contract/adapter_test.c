/* adapter: one suite, run for each kind of database that can be had on this machine. A new adapter adds a subject. */
#include "adapters/adapter.h"
#include "base/clock.h"
#include "base/sanitizer.h"
#include "engines.h"
#include "handmade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A kind of database, which gets the tables of `fixture`, and how it says a few things. */
struct subject {
    const char *type;
    const char *whole_double; /* how the engine writes the double 3 */
    const char *large_double; /* and 1e100; NULL = 1e+100 */
    bool tells_columns;       /* its parser says which columns are read */
    bool tells_views;         /* its catalogue says what a view reads, to a user who can only read */
    const char *runaway;      /* a SELECT of one number that does not end by itself */
    const char *runaway_reads;
};

/* customers, orders and so on, in SQL that every engine takes. */
static const char *const fixture[] = {
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, city VARCHAR(40), email VARCHAR(60) "
    "UNIQUE)",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id),"
    " amount DECIMAL(10,2), placed DATE NOT NULL, big BIGINT, ratio DOUBLE PRECISION)",
    "CREATE TABLE parts (maker INTEGER NOT NULL, code VARCHAR(10) NOT NULL, label VARCHAR(40), PRIMARY KEY (maker, "
    "code))",
    "CREATE TABLE uses (maker INTEGER, code VARCHAR(10), order_id INTEGER REFERENCES orders (id),"
    " FOREIGN KEY (maker, code) REFERENCES parts (maker, code))",
    "CREATE TABLE \"Odd \"\"Name\" (\"select\" INTEGER, \"1st. column\" INTEGER, "
    "\"\xE9\x94\x80\xE5\x94\xAE\xE9\xA2\x9D\" INTEGER)",
    "CREATE VIEW city_sales AS SELECT c.city, sum(o.amount) AS total FROM customers c JOIN orders o ON o.customer_id = "
    "c.id"
    " GROUP BY c.city",
    "INSERT INTO customers VALUES (1, 'Ana', 'Lisboa', 'a@x'), (2, 'Bo', 'Malm\xC3\xB6', NULL), (3, 'Ana', NULL, "
    "'c@x')",
    "INSERT INTO orders VALUES (1, 1, 12.5, '2026-09-01', 9223372036854775807, 0.1),"
    " (2, 1, 100, '2026-09-02', -9007199254740993, 1e100), (3, 2, NULL, '2026-09-03', NULL, 3)",
};

/* ---- subjects ---- */

static const struct subject subjects[] = {
    { .type = "duckdb",
      .whole_double = "3",
      .runaway = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
      .runaway_reads = "count()" },
    { .type = "mssql",
      .whole_double = "3",
      .runaway =
          "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count_big(*) FROM n OPTION (MAXRECURSION 0)",
      .runaway_reads = "count_big()" },
    { .type = "mysql",
      .large_double = "1e100",
      .whole_double = "3",
      .runaway = "SELECT count(*) FROM information_schema.columns a, information_schema.columns b, "
                 "information_schema.columns c",
      .runaway_reads = "count()" },
    { .type = "postgres",
      .tells_views = true,
      .whole_double = "3",
      .runaway = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
      .runaway_reads = "count()" },
    { .type = "sqlite",
      .whole_double = "3.0",
      .tells_columns = true,
      .tells_views = true,
      .runaway = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
      .runaway_reads = "count()" },
};

static const struct subject *now; /* the subject of the group that runs */
static const struct test_engine *engine;

static struct adapter *open_with(struct call *c, const char *connection, int64_t pool)
{
    struct datasource_config config = { .id = "shop", .type = now->type, .options = { .pool_size = pool } };
    struct adapter *a = NULL;
    assert_int_equal(json_parse(c, connection, strlen(connection), &config.connection), OK);
    assert_int_equal(adapter_open(c, &config, &a), OK);
    return a;
}

static const struct run_limits wide = { .rows = 1000, .bytes = 1 << 20, .cell_bytes = 1 << 20, .time_ms = 5000 };

static const struct table *need_table(const struct snapshot *s, const char *name)
{
    const struct table *t = schema_table(s->tables, s->table_count, NULL, name);
    if (!t) fail_msg("no table %s", name);
    return t;
}

/* ---- the suite ---- */

static void structure(void **state)
{
    (void)state;
    struct call c;
    struct snapshot *s;
    call_begin(&c);
    struct adapter *a = open_with(&c, engine->connection(), 0);
    assert_int_equal(adapter_introspect(&c, a, &s), OK);
    assert_int_equal(s->table_count, 6);
    for (size_t i = 1; i < s->table_count; i++) assert_true(strcmp(s->tables[i - 1].name, s->tables[i].name) < 0);

    const struct table *customers = need_table(s, "customers"), *orders = need_table(s, "orders");
    assert_true(schema_column(customers, "id")->primary_key == 1 && !schema_column(customers, "id")->nullable);
    assert_true(!schema_column(customers, "name")->nullable && schema_column(customers, "city")->nullable);
    assert_true(schema_column(customers, "email")->unique && !schema_column(customers, "name")->unique);
    assert_int_equal(schema_column(orders, "amount")->type.kind, TYPE_DECIMAL);
    assert_int_equal(schema_column(orders, "amount")->type.scale, 2);
    assert_int_equal(schema_column(orders, "placed")->type.kind, TYPE_DATE);
    assert_int_equal(schema_column(orders, "big")->type.kind, TYPE_INTEGER);
    assert_int_equal(schema_column(orders, "ratio")->type.kind, TYPE_DOUBLE);
    assert_int_equal(orders->foreign_key_count, 1);
    assert_string_equal(orders->foreign_keys[0].table, "customers");
    assert_string_equal(orders->foreign_keys[0].referred[0], "id");

    const struct table *uses = need_table(s, "uses"), *parts = need_table(s, "parts");
    assert_true(schema_column(parts, "maker")->primary_key == 1 && schema_column(parts, "code")->primary_key == 2);
    assert_false(schema_column(parts, "code")->unique);
    assert_int_equal(uses->foreign_key_count, 2);
    const struct foreign_key *both =
        uses->foreign_keys[0].column_count == 2 ? &uses->foreign_keys[0] : &uses->foreign_keys[1];
    assert_string_equal(both->columns[1], "code");
    assert_string_equal(both->referred[1], "code");

    const struct table *odd = need_table(s, "Odd \"Name");
    assert_non_null(schema_column(odd, "1st. column"));
    assert_non_null(schema_column(odd, "\xE9\x94\x80\xE5\x94\xAE\xE9\xA2\x9D"));

    const struct table *view = need_table(s, "city_sales");
    assert_int_equal(view->kind, TABLE_VIEW);
    assert_int_equal(view->column_count, 2);
    bool reads_amount = false;
    for (size_t i = 0; i < view->read_count; i++)
        for (size_t j = 0; j < view->reads[i].column_count; j++)
            reads_amount |= !strcmp(view->reads[i].table, "orders") && !strcmp(view->reads[i].columns[j], "amount");
    assert_true(reads_amount || !now->tells_views);
    adapter_close(a);
    call_end(&c);
}

static void values_are_exact(void **state)
{
    (void)state;
    struct call c;
    struct text_sink t;
    struct run_stats stats;
    call_begin(&c);
    struct adapter *a = open_with(&c, engine->connection(), 0);
    struct statement *s =
        handmade(&c, now->type, "SELECT id, amount, placed, big, ratio, customer_id FROM orders ORDER BY id",
                 "orders.id orders.amount orders.placed orders.big orders.ratio orders.customer_id",
                 "integer decimal:2 date integer double integer");
    text_sink_init(&t, &c);
    assert_int_equal(adapter_execute(&c, a, s, &wide, &t.sink, &stats), OK);
    assert_string_equal(t.text.data, call_format(&c,
                                                 "1|12.50|2026-09-01|9223372036854775807|0.1|1\n"
                                                 "2|100.00|2026-09-02|-9007199254740993|%s|1\n"
                                                 "3|~|2026-09-03|~|%s|2\n",
                                                 now->large_double ? now->large_double : "1e+100", now->whole_double));
    assert_int_equal(stats.rows, 3);
    assert_false(stats.truncated);
    assert_int_equal(t.column_count, 6);
    assert_non_null(t.columns[1].db_type);
    adapter_close(a);
    call_end(&c);
}

static void ceilings(void **state)
{
    (void)state;
    static const struct {
        struct run_limits limits;
        int64_t stop_after, rows;
        bool truncated;
        const char *stopped_by;
        enum err_code code;
    } cases[] = {
        { { .rows = 2, .bytes = 9999, .cell_bytes = 9999, .time_ms = 5000 }, 0, 2, true, "rows", OK },
        { { .rows = 3, .bytes = 9999, .cell_bytes = 9999, .time_ms = 5000 }, 0, 3, false, NULL, OK },
        { { .rows = 9, .bytes = 5, .cell_bytes = 9999, .time_ms = 5000 }, 0, 1, true, "bytes", OK },
        { { .rows = 9, .bytes = 9999, .cell_bytes = 2, .time_ms = 5000 }, 0, 0, false, NULL, ERR_LIMIT_EXCEEDED },
        { { .rows = 9, .bytes = 9999, .cell_bytes = 9999, .time_ms = 5000 }, 1, 1, false, NULL, OK },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        struct text_sink t;
        struct run_stats stats;
        call_begin(&c);
        struct adapter *a = open_with(&c, engine->connection(), 0);
        struct statement *s = handmade(&c, now->type, "SELECT id, name FROM customers ORDER BY id",
                                       "customers.id customers.name", "integer text");
        text_sink_init(&t, &c);
        t.stop_after = cases[i].stop_after;
        assert_int_equal(adapter_execute(&c, a, s, &cases[i].limits, &t.sink, &stats), cases[i].code);
        assert_int_equal(t.rows, cases[i].rows);
        assert_int_equal(stats.truncated, cases[i].truncated);
        if (cases[i].stopped_by)
            assert_string_equal(stats.stopped_by, cases[i].stopped_by);
        else
            assert_null(stats.stopped_by);
        adapter_close(a);
        call_end(&c);
    }
}

static void runaway_meets_the_clock(void **state)
{
    (void)state;
    struct call c;
    struct text_sink t;
    struct run_stats stats;
    struct run_limits limits = wide;
    limits.time_ms = 1000;
    call_begin(&c);
    struct adapter *a = open_with(&c, engine->connection(), 0);
    struct statement *s = handmade(&c, now->type, now->runaway, now->runaway_reads, "integer");
    text_sink_init(&t, &c);
    int64_t before = clock_mono_us();
    assert_int_equal(adapter_execute(&c, a, s, &limits, &t.sink, &stats), ERR_EXECUTION_TIMEOUT);
    assert_true(clock_mono_us() - before < 3000000);
    assert_string_equal(c.err.message, "The query took longer than 1 second and was stopped.");
    call_forgive(&c);
    /* The connection goes on. */
    s = handmade(&c, now->type, "SELECT count(*) FROM customers", "customers. count()", "integer");
    text_sink_init(&t, &c);
    assert_int_equal(adapter_execute(&c, a, s, &wide, &t.sink, &stats), OK);
    assert_string_equal(t.text.data, "3\n");
    /* The call's own deadline is the sooner one. */
    c.deadline_us = clock_mono_us() + 200000;
    s = handmade(&c, now->type, now->runaway, now->runaway_reads, "integer");
    assert_int_equal(adapter_execute(&c, a, s, &wide, &t.sink, &stats), ERR_PIPELINE_TIMEOUT);
    adapter_close(a);
    call_end(&c);
}

static void *cancel_soon(void *call)
{
    nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
    call_cancel(call);
    return NULL;
}

static void runaway_is_cancelled(void **state)
{
    (void)state;
    struct call c;
    struct text_sink t;
    struct run_stats stats;
    pthread_t thread;
    call_begin(&c);
    struct adapter *a = open_with(&c, engine->connection(), 0);
    struct statement *s = handmade(&c, now->type, now->runaway, now->runaway_reads, "integer");
    text_sink_init(&t, &c);
    pthread_create(&thread, NULL, cancel_soon, &c);
    assert_int_equal(adapter_execute(&c, a, s, &wide, &t.sink, &stats), ERR_CANCELLED);
    pthread_join(thread, NULL);
    adapter_close(a);
    call_end(&c);
}

static void steps_are_counted(void **state)
{
    (void)state;
    struct call c;
    struct text_sink t;
    struct run_stats first, second;
    struct run_limits limits = wide;
    if (strcmp(now->type, "sqlite") != 0) skip();
    call_begin(&c);
    struct adapter *a = open_with(&c, engine->connection(), 0);
    struct statement *s = handmade(&c, now->type, "SELECT count(*) FROM customers a, customers b, orders c",
                                   "customers. orders. count()", "integer");
    text_sink_init(&t, &c);
    assert_int_equal(adapter_execute(&c, a, s, &wide, &t.sink, &first), OK);
    assert_int_equal(adapter_execute(&c, a, s, &wide, &t.sink, &second), OK);
    assert_true(first.steps > 50 && first.steps == second.steps);
    limits.steps = 20000;
    s = handmade(&c, now->type, now->runaway, now->runaway_reads, "integer");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(adapter_execute(&c, a, s, &limits, &t.sink, i ? &second : &first), OK);
        assert_string_equal((i ? second : first).stopped_by, "steps");
        assert_true((i ? second : first).truncated);
    }
    assert_int_equal(first.steps, second.steps);
    assert_true(first.steps <= 20000 + 1000);
    adapter_close(a);
    call_end(&c);
}

/* What the engine's own parser sees is what was written, nothing less. */
static void inspection(void **state)
{
    (void)state;
    struct call c;
    struct reads r = { 0 };
    call_begin(&c);
    struct adapter *a = open_with(&c, engine->connection(), 0);
    struct statement *s =
        handmade(&c, now->type,
                 "WITH k AS (SELECT city FROM customers) SELECT count(*), (SELECT max(amount) FROM orders) FROM k", "",
                 "integer decimal");
    assert_int_equal(adapter_inspect(&c, a, s, &r), OK);
    bool city = false, amount = false;
    for (size_t i = 0; i < r.table_count; i++) {
        assert_true(!strcmp(r.tables[i].table, "customers") || !strcmp(r.tables[i].table, "orders"));
        for (size_t j = 0; j < r.tables[i].column_count; j++) {
            city |= !strcmp(r.tables[i].columns[j], "city");
            amount |= !strcmp(r.tables[i].columns[j], "amount");
            assert_string_not_equal(r.tables[i].columns[j], "email");
        }
    }
    assert_true(!now->tells_columns || (city && amount));
    static const char *const bad[] = { "INSERT INTO customers VALUES (9, 'x', NULL, NULL)", "DROP TABLE customers",
                                       "SELECT 1; SELECT 2", "UPDATE customers SET name = 'x'", "" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        call_forgive(&c);
        int rc = adapter_inspect(&c, a, handmade(&c, now->type, bad[i], "customers.name", "integer"), &r);
        if (rc == OK) fail_msg("accepted: %s", bad[i]);
    }
    adapter_close(a);
    call_end(&c);
}

static void tested(void **state)
{
    (void)state;
    struct call c;
    struct test_report report;
    call_begin(&c);
    struct adapter *a = open_with(&c, engine->connection(), 0);
    assert_int_equal(adapter_test(&c, a, &report), OK);
    assert_int_equal(report.reached, STAGE_DONE);
    assert_int_equal(report.tables, 6);
    assert_non_null(report.server_version);
    adapter_close(a);
    call_end(&c);
}

struct load {
    struct adapter *adapter;
    int failed;
};

static void *many_queries(void *ctx)
{
    struct load *load = ctx;
    for (int i = 0; i < 50; i++) {
        struct call c;
        struct text_sink t;
        struct run_stats stats;
        call_begin(&c);
        text_sink_init(&t, &c);
        struct statement *s =
            handmade(&c, now->type, "SELECT count(*) FROM customers", "customers. count()", "integer");
        if (adapter_execute(&c, load->adapter, s, &wide, &t.sink, &stats) || strcmp(t.text.data, "3\n") != 0)
            load->failed++;
        call_end(&c);
    }
    return NULL;
}

static void shared_by_threads(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    struct call c;
    pthread_t threads[THREADS];
    struct load loads[THREADS];
    call_begin(&c);
    struct adapter *a = open_with(&c, engine->connection(), 2);
    for (int i = 0; i < THREADS; i++) {
        loads[i] = (struct load){ .adapter = a };
        pthread_create(&threads[i], NULL, many_queries, &loads[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(loads[i].failed, 0);
    }
    adapter_close(a);
    call_end(&c);
}

struct holder {
    struct row_sink sink;
    atomic_int stage;
};

static int hold_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct holder *h = ctx;
    (void)c, (void)cells, (void)count;
    atomic_store(&h->stage, 1);
    while (atomic_load(&h->stage) != 2) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return ROWS_ENOUGH;
}

struct held {
    struct adapter *adapter;
    struct holder holder;
};

static void *hold_connection(void *ctx)
{
    struct held *h = ctx;
    struct call c;
    struct run_stats stats;
    call_begin(&c);
    h->holder.sink = (struct row_sink){ .row = hold_row, .ctx = &h->holder };
    adapter_execute(&c, h->adapter, handmade(&c, now->type, "SELECT id FROM customers", "customers.id", "integer"),
                    &wide, &h->holder.sink, &stats);
    call_end(&c);
    return NULL;
}

/* All connections are in use: who comes waits to the deadline, then hears BUSY. */
static void full_pool(void **state)
{
    (void)state;
    struct call c;
    struct held held = { 0 };
    struct text_sink t;
    struct run_stats stats;
    pthread_t thread;
    call_begin(&c);
    held.adapter = open_with(&c, engine->connection(), 1);
    pthread_create(&thread, NULL, hold_connection, &held);
    while (atomic_load(&held.holder.stage) != 1) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    text_sink_init(&t, &c);
    struct statement *s = handmade(&c, now->type, "SELECT id FROM customers", "customers.id", "integer");
    c.deadline_us = clock_mono_us() + 100000;
    assert_int_equal(adapter_execute(&c, held.adapter, s, &wide, &t.sink, &stats), ERR_BUSY);
    call_forgive(&c);
    c.deadline_us = 0;
    atomic_store(&held.holder.stage, 2);
    assert_int_equal(adapter_execute(&c, held.adapter, s, &wide, &t.sink, &stats), OK);
    pthread_join(thread, NULL);
    adapter_close(held.adapter);
    call_end(&c);
}

int main(void)
{
    int failed = 0;
    const struct list tables = { .items = (void *)(uintptr_t)fixture, .count = sizeof fixture / sizeof fixture[0] };
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        now = &subjects[i];
        engine = test_engine_find(now->type);
        if (!engine->start()) {
            printf("# %s: not to be had on this machine, skipped\n", now->type);
            continue;
        }
        engine->load(&tables);
        const struct CMUnitTest tests[] = {
            cmocka_unit_test(structure),
            cmocka_unit_test(values_are_exact),
            cmocka_unit_test(ceilings),
            cmocka_unit_test(runaway_meets_the_clock),
            cmocka_unit_test(runaway_is_cancelled),
            cmocka_unit_test(steps_are_counted),
            cmocka_unit_test(inspection),
            cmocka_unit_test(tested),
            cmocka_unit_test(shared_by_threads),
            cmocka_unit_test(full_pool),
        };
        failed += cmocka_run_group_tests_name(now->type, tests, NULL, NULL);
        engine->stop();
    }
    return failed;
}
