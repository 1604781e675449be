/* sqlite: with the guard gone around, the connection itself refuses; each layer is looked at alone, so that none can go
 * missing unseen. */
#include "adapters/sqlite.h"
#include "handmade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/querent-sqlite-XXXXXX";
static const struct run_limits wide = { .rows = 1000, .bytes = 1 << 20, .cell_bytes = 1 << 20, .time_ms = 600000 };

static const char *path_of(struct call *c, const char *name)
{
    return call_format(c, "%s/%s", folder, name);
}

static void make(struct call *c, const char *name, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path_of(c, name), &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL)) fail_msg("%s", sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static struct adapter *open_file(struct call *c, const char *name)
{
    struct datasource_config d = { .id = "s", .type = "sqlite", .options = { .pool_size = 1 } };
    const char *text = call_format(c, "{\"path\":\"%s/%s\"}", folder, name);
    struct adapter *a = NULL;
    assert_int_equal(json_parse(c, text, strlen(text), &d.connection), OK);
    assert_int_equal(adapter_open(c, &d, &a), OK);
    return a;
}

static const char shop[] = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, secret TEXT);"
                           "CREATE TABLE other (id INTEGER PRIMARY KEY, x TEXT);"
                           "CREATE VIEW names AS SELECT id, upper(name) AS name FROM customers;"
                           "CREATE VIEW outer_names AS SELECT name FROM names WHERE id > 0;"
                           "INSERT INTO customers VALUES (1, 'a', 's'), (2, 'b', 't');";

static int set_up(void **state)
{
    (void)state;
    struct call c;
    if (!mkdtemp(folder)) return -1;
    call_begin(&c);
    make(&c, "shop.sqlite", shop);
    call_end(&c);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* ---- powers of a connection ---- */

static void powers(void **state)
{
    (void)state;
    static const struct {
        int option, value;
    } options[] = { { SQLITE_DBCONFIG_DEFENSIVE, 1 },
                    { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
                    { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
                    { SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
                    { SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0 },
                    { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
                    { SQLITE_DBCONFIG_DQS_DML, 0 },
                    { SQLITE_DBCONFIG_DQS_DDL, 0 } };
    static const struct {
        int id, most;
    } limits[] = { { SQLITE_LIMIT_ATTACHED, 0 },
                   { SQLITE_LIMIT_LENGTH, 64 << 20 },
                   { SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
                   { SQLITE_LIMIT_VDBE_OP, 1 << 20 },
                   { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 4096 },
                   { SQLITE_LIMIT_VARIABLE_NUMBER, 16 },
                   { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
                   { SQLITE_LIMIT_WORKER_THREADS, 0 } };
    static const struct {
        const char *pragma;
        int value;
    } pragmas[] = { { "PRAGMA query_only", 1 },
                    { "PRAGMA temp_store", 1 },
                    { "PRAGMA cell_size_check", 1 },
                    { "PRAGMA mmap_size", 0 } };
    struct call c;
    struct conn *k;
    enum test_stage stage;
    call_begin(&c);
    struct adapter *a = open_file(&c, "shop.sqlite");
    assert_int_equal(conn_open((struct sqlite_adapter *)a, &c, &k, &stage), OK);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        int value = -1;
        sqlite3_db_config(k->db, options[i].option, -1, &value);
        assert_int_equal(value, options[i].value);
    }
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        assert_true(sqlite3_limit(k->db, limits[i].id, -1) <= limits[i].most);
    k->mode = CONN_CATALOGUE; /* the authorizer out of the way */
    for (size_t i = 0; i < sizeof pragmas / sizeof pragmas[0]; i++) {
        sqlite3_stmt *stmt;
        assert_int_equal(sqlite3_prepare_v2(k->db, pragmas[i].pragma, -1, &stmt, NULL), SQLITE_OK);
        int rc = sqlite3_step(stmt);
        assert_int_equal(rc == SQLITE_ROW ? sqlite3_column_int(stmt, 0) : 0, pragmas[i].value);
        sqlite3_finalize(stmt);
    }
    assert_int_equal(sqlite3_db_readonly(k->db, "main"), 1);
    conn_close(k);
    adapter_close(a);
    call_end(&c);
}

/* Even with the authorizer silenced, the connection does no harm; and with it, nothing but a SELECT is compiled. */
static void harm(void **state)
{
    (void)state;
    static const char *const statements[] = {
        "INSERT INTO customers VALUES (9, 'x', 'y')",
        "UPDATE customers SET name = 'x'",
        "DELETE FROM customers",
        "DROP TABLE customers",
        "CREATE TABLE t (x)",
        "ALTER TABLE customers ADD COLUMN x",
        "ATTACH DATABASE ':memory:' AS other_db",
        "ATTACH DATABASE '/tmp/evil.sqlite' AS other_db",
        "VACUUM INTO '/tmp/evil.sqlite'",
        "SELECT load_extension('/tmp/evil.so')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/evil', 'x')",
        "UPDATE sqlite_schema SET sql = ''",
        "INSERT INTO customers SELECT * FROM customers",
        "SELECT \"no such column\" FROM customers",
    };
    struct call c;
    struct conn *k;
    enum test_stage stage;
    call_begin(&c);
    struct adapter *a = open_file(&c, "shop.sqlite");
    assert_int_equal(conn_open((struct sqlite_adapter *)a, &c, &k, &stage), OK);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        k->mode = CONN_CATALOGUE;
        if (sqlite3_exec(k->db, statements[i], NULL, NULL, NULL) == SQLITE_OK)
            fail_msg("connection ran: %s", statements[i]);
        k->mode = CONN_CLOSED;
        struct cached *e;
        struct statement *s =
            handmade(&c, "sqlite", statements[i], "customers.id customers.name customers.secret", "integer");
        if (conn_prepare(k, &c, s, &e) == OK) fail_msg("authorizer compiled: %s", statements[i]);
        call_forgive(&c);
    }
    static const char *const not_selects[] = { "EXPLAIN SELECT name FROM customers",
                                               "EXPLAIN QUERY PLAN SELECT name FROM customers", "", "-- nothing", ";" };
    for (size_t i = 0; i < sizeof not_selects / sizeof not_selects[0]; i++) {
        struct cached *e;
        if (conn_prepare(k, &c, handmade(&c, "sqlite", not_selects[i], "customers.name", "text"), &e) == OK)
            fail_msg("no SELECT, but compiled: %s", not_selects[i]);
        call_forgive(&c);
    }
    conn_close(k);
    adapter_close(a);
    call_end(&c);
}

/* Statements that only read, but what no statement of ours may read: the authorizer and the comparison refuse. */
static void unsaid(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *reads, *types;
        enum err_code code;
    } cases[] = {
        { "SELECT name FROM customers", "customers.name", "text", OK },
        { "SELECT NAME FROM CUSTOMERS WHERE rowid = 1", "customers.name customers.id", "text", OK },
        { "SELECT name FROM customers", "customers.id", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT count(*) FROM customers", "customers. count()", "integer", OK },
        { "SELECT count(*) FROM other", "customers. count()", "integer", ERR_GUARD_DISAGREEMENT },
        { "SELECT name FROM customers WHERE secret = 's'", "customers.name", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT name FROM customers ORDER BY secret", "customers.name", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT upper(name) FROM customers", "customers.name", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT upper(name) FROM customers", "customers.name upper()", "text", OK },
        { "SELECT name FROM names", "names.name", "text", OK },
        { "SELECT name FROM outer_names", "outer_names.name", "text", OK },
        { "SELECT name FROM outer_names", "names.name", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT secret FROM customers", "names.name names.id", "text", ERR_GUARD_DISAGREEMENT },
        { "WITH k AS (SELECT name FROM customers) SELECT count(*) FROM k", "customers.name count()", "integer", OK },
        { "WITH k AS (SELECT secret FROM customers) SELECT count(*) FROM k", "customers.name count()", "integer",
          ERR_GUARD_DISAGREEMENT },
        { "WITH names AS (SELECT secret FROM customers) SELECT secret FROM names", "names.name", "text",
          ERR_GUARD_DISAGREEMENT },
        { "SELECT name FROM sqlite_schema", "sqlite_schema.name sqlite_master.name", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT name FROM pragma_table_info('customers')", "pragma_table_info.name", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT value FROM json_each('[1]')", "customers.id", "integer", ERR_GUARD_DISAGREEMENT },
        { "EXPLAIN SELECT 1", "", "integer", ERR_GUARD_DISAGREEMENT },
        { "EXPLAIN QUERY PLAN SELECT 1", "", "integer", ERR_GUARD_DISAGREEMENT },
        { "PRAGMA table_info(customers)", "customers.id", "integer", ERR_GUARD_DISAGREEMENT },
        { "SELECT 1; SELECT 2", "", "integer", ERR_GUARD_DISAGREEMENT },
        { "SELECT 1; DELETE FROM customers", "", "integer", ERR_GUARD_DISAGREEMENT },
        { "SELECT 1 ;  ", "", "integer", OK },
        { "SELECT 1, 2", "", "integer", ERR_GUARD_DISAGREEMENT }, /* other columns than the plan's */
        { "SELECT printf('%.*c', 1000000000, 'x')", "printf()", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT format('%.*c', 1000000000, 'x')", "format()", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT zeroblob(1000000000)", "zeroblob()", "binary", ERR_GUARD_DISAGREEMENT },
        { "SELECT hex(randomblob(1000000000))", "hex() randomblob()", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT load_extension('x')", "load_extension()", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT sqlite_version()", "sqlite_version()", "text", ERR_GUARD_DISAGREEMENT },
        { "SELECT no_such FROM customers", "customers.name", "text", ERR_SCHEMA_CHANGED },
        { "SELECT abs(-9223372036854775808)", "abs()", "integer", ERR_EXECUTION_FAILED },
    };
    struct call c;
    call_begin(&c);
    struct adapter *a = open_file(&c, "shop.sqlite");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text_sink t;
        struct run_stats stats;
        struct statement *s = handmade(&c, "sqlite", cases[i].sql, cases[i].reads, cases[i].types);
        text_sink_init(&t, &c);
        int rc = adapter_execute(&c, a, s, &wide, &t.sink, &stats);
        if (rc != (int)cases[i].code)
            fail_msg("%s: %s (%s)", cases[i].sql, code_row((enum err_code)rc)->name, c.err.detail);
        if (rc) assert_int_equal(t.rows, 0);
        call_forgive(&c);
    }
    adapter_close(a);
    call_end(&c);
}

/* ---- ceilings ---- */

static void runs(struct call *c, struct adapter *a, const char *sql, const char *reads, const char *types,
                 enum err_code code)
{
    struct text_sink t;
    struct run_stats stats;
    text_sink_init(&t, c);
    assert_int_equal(adapter_execute(c, a, handmade(c, "sqlite", sql, reads, types), &wide, &t.sink, &stats), code);
    call_forgive(c);
}

static void memory_and_length(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct adapter *a = open_file(&c, "shop.sqlite");
    /* A sort of a million long rows would have to stay in memory: it is stopped, and the connection works on. */
    char *pad = call_alloc(&c, 4001);
    memset(pad, 'x', 4000);
    runs(&c, a,
         call_format(
             &c,
             "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT i || '%s' FROM n"
             " ORDER BY 1",
             pad),
         "", "text", ERR_LIMIT_EXCEEDED);
    runs(&c, a,
         "WITH RECURSIVE n(i, s) AS (SELECT 1, 'xxxxxxxxxxxxxxxx' UNION ALL SELECT i + 1, s || s FROM n WHERE i < 40)"
         " SELECT length(s) FROM n",
         "length()", "integer", ERR_LIMIT_EXCEEDED);
    runs(&c, a, "SELECT name FROM customers", "customers.name", "text", OK);
    adapter_close(a);
    call_end(&c);
}

static int64_t open_temporary(void)
{
    int64_t count = 0;
    for (int fd = 3; fd < 64; fd++) {
        char name[32], target[256];
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(name, target, sizeof target - 1);
        if (n < 0) continue;
        target[n] = 0;
        count += strstr(target, "etilqs") != NULL;
    }
    return count;
}

static int no_files(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    (void)c, (void)cells, (void)count;
    *(int64_t *)ctx += open_temporary();
    return OK;
}

/* What does not fit SQLite's own cache, sorted and made distinct, comes out right and touches no disk. */
static void large_sorts(void **state)
{
    (void)state;
    struct call c;
    struct text_sink t;
    struct run_stats stats;
    int64_t files = 0;
    const struct row_sink watching = { .row = no_files, .ctx = &files };
    call_begin(&c);
    struct adapter *a = open_file(&c, "shop.sqlite");
    struct statement *s = handmade(
        &c, "sqlite",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000), m(s) AS (SELECT DISTINCT"
        " hex(i * 7919 % 60013) || '----------------------------------------------------------------' FROM n)"
        " SELECT a.s, b.s FROM (SELECT s, row_number() OVER (ORDER BY s) AS r FROM m) a JOIN (SELECT s, row_number()"
        " OVER (ORDER BY s) + 1 AS r FROM m) b ON a.r = b.r WHERE a.s < b.s",
        "hex() row_number()", "text text");
    text_sink_init(&t, &c);
    assert_int_equal(adapter_execute(&c, a, s, &wide, &t.sink, &stats), OK);
    assert_int_equal(t.rows, 0); /* nothing is out of order */
    s = handmade(
        &c, "sqlite",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000) SELECT hex(i * 7919 % 60013) ||"
        " '----------------------------------------------------------------' FROM n ORDER BY 1 LIMIT 10 OFFSET 59000",
        "hex()", "text");
    assert_int_equal(adapter_execute(&c, a, s, &wide, &watching, &stats), OK);
    assert_int_equal(stats.rows, 10);
    assert_int_equal(files, 0);
    adapter_close(a);
    call_end(&c);
}

/* Our way to files opens no database for writing, whoever asks. */
static void files_are_read_only(void **state)
{
    (void)state;
    struct call c;
    sqlite3 *db;
    call_begin(&c);
    const char *path = path_of(&c, "shop.sqlite");
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, sqlite_vfs()), SQLITE_CANTOPEN);
    sqlite3_close(db);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, sqlite_vfs()), SQLITE_OK);
    sqlite3_close(db);
    call_end(&c);
}

/* ---- files ---- */

static void write_file(struct call *c, const char *name, const char *bytes, size_t n)
{
    FILE *f = fopen(path_of(c, name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void spoil(struct call *c, const char *name, long from, size_t n)
{
    FILE *f = fopen(path_of(c, name), "r+b");
    assert_non_null(f);
    fseek(f, from, SEEK_SET);
    for (size_t i = 0; i < n; i++) fputc(0xA5, f);
    fclose(f);
}

static void bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum test_stage stage;
        const char *says;
    } cases[] = {
        { "missing.sqlite", STAGE_RESOLVE, "does not exist" },
        { "no/such/folder.sqlite", STAGE_RESOLVE, "does not exist" },
        { "a_folder", STAGE_RESOLVE, "a folder" },
        { "a_pipe", STAGE_RESOLVE, "regular file" },
        { "empty.sqlite", STAGE_OPEN, "empty" },
        { "text.sqlite", STAGE_OPEN, "not a SQLite database" },
        { "locked.sqlite", STAGE_OPEN, "locked" },
        { "torn.sqlite", STAGE_READ_ROW, "damaged" },
        { "shop.sqlite", STAGE_DONE, NULL },
    };
    struct call c;
    sqlite3 *locker;
    call_begin(&c);
    mkdir(path_of(&c, "a_folder"), 0700);
    assert_int_equal(mkfifo(path_of(&c, "a_pipe"), 0600), 0);
    write_file(&c, "empty.sqlite", "", 0);
    write_file(&c, "text.sqlite", "id,name\n1,a\n", 12);
    make(&c, "locked.sqlite", shop);
    assert_int_equal(sqlite3_open(path_of(&c, "locked.sqlite"), &locker), SQLITE_OK);
    assert_int_equal(sqlite3_exec(locker, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    make(&c, "torn.sqlite", shop);
    spoil(&c, "torn.sqlite", 4096, 4096); /* the page of the first table */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_report report = { 0 };
        struct adapter *a = open_file(&c, cases[i].name);
        assert_int_equal(adapter_test(&c, a, &report), OK);
        if (report.reached != cases[i].stage)
            fail_msg("%s: stage %s (%s)", cases[i].name, test_stage_names[report.reached], report.message);
        if (cases[i].says) {
            if (!strstr(report.message, cases[i].says)) fail_msg("%s: %s", cases[i].name, report.message);
            assert_null(strstr(report.message, folder));
            assert_non_null(report.fix);
        }
        if (report.reached < STAGE_READ_ROW) {
            runs(&c, a, "SELECT name FROM customers", "customers.name", "text", ERR_DATASOURCE_UNAVAILABLE);
            struct snapshot *s;
            assert_int_equal(adapter_introspect(&c, a, &s), ERR_DATASOURCE_UNAVAILABLE);
            assert_null(strstr(c.err.message, folder));
            call_forgive(&c);
        }
        adapter_close(a);
    }
    sqlite3_close(locker);
    call_end(&c);
}

/* A file that is replaced, and one whose structure changes, under an open connection with a cached statement. */
static void changing_files(void **state)
{
    (void)state;
    struct call c;
    struct text_sink t;
    struct run_stats stats;
    call_begin(&c);
    make(&c, "now.sqlite", shop);
    struct adapter *a = open_file(&c, "now.sqlite");
    struct statement *s =
        handmade(&c, "sqlite", "SELECT name FROM customers ORDER BY id", "customers.name customers.id", "text");
    static const struct {
        const char *sql;
        bool another_file;
        const char *rows;
    } steps[] = {
        { "", false, "a\nb\n" },
        { "INSERT INTO customers VALUES (3, 'c', NULL)", false, "a\nb\nc\n" },
        { "ALTER TABLE customers ADD COLUMN extra TEXT", false, "a\nb\nc\n" },
        { "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO customers VALUES (1, 'new')", true,
          "new\n" },
        { "DROP TABLE customers; CREATE VIEW customers AS SELECT 1 AS id, sql AS name FROM sqlite_schema", false,
          NULL },
        { "DROP VIEW customers", false, NULL },
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        make(&c, steps[i].another_file ? "next.sqlite" : "now.sqlite", steps[i].sql);
        if (steps[i].another_file) assert_int_equal(rename(path_of(&c, "next.sqlite"), path_of(&c, "now.sqlite")), 0);
        for (int again = 0; again < 2; again++) {
            text_sink_init(&t, &c);
            int rc = adapter_execute(&c, a, s, &wide, &t.sink, &stats);
            if (steps[i].rows)
                assert_string_equal(t.text.data, steps[i].rows);
            else
                assert_true((rc == ERR_SCHEMA_CHANGED || rc == ERR_GUARD_DISAGREEMENT) && t.rows == 0);
            call_forgive(&c);
        }
    }
    adapter_close(a);
    call_end(&c);
}

/* ---- structure that is unusual ---- */

static void unusual_structure(void **state)
{
    (void)state;
    struct call c;
    struct snapshot *s;
    call_begin(&c);
    make(&c, "odd.sqlite",
         "CREATE TABLE parent (a INT, b INT, PRIMARY KEY (b, a)) WITHOUT ROWID;"
         "CREATE TABLE child (x INT, y INT, z INT REFERENCES PARENT2, FOREIGN KEY (x, y) REFERENCES Parent);"
         "CREATE TABLE parent2 (id INTEGER PRIMARY KEY, \"we\"\"ird\" TEXT, total INT GENERATED ALWAYS AS (id * 2) "
         "VIRTUAL,"
         " kept INT AS (id + 1) STORED, flag BOOLEAN, at TIMESTAMP WITH TIME ZONE, num NUMERIC(8, 3), any_thing, j "
         "JSON);"
         "CREATE TABLE orphan (x INT REFERENCES nowhere (id), y INT REFERENCES parent2 (absent));"
         "CREATE UNIQUE INDEX u1 ON child (z); CREATE UNIQUE INDEX u2 ON child (y) WHERE y > 0;"
         "CREATE VIRTUAL TABLE words USING fts5 (body);"
         "CREATE VIEW broken AS SELECT absent FROM nowhere; CREATE VIEW fine AS SELECT total FROM parent2;");
    struct adapter *a = open_file(&c, "odd.sqlite");
    assert_int_equal(adapter_introspect(&c, a, &s), OK);
    const char *const tables[] = { "child", "fine", "orphan", "parent", "parent2" };
    assert_int_equal(s->table_count, 5);
    for (size_t i = 0; i < 5; i++) assert_string_equal(s->tables[i].name, tables[i]);
    const struct table *child = &s->tables[0], *parent = &s->tables[3], *parent2 = &s->tables[4];
    assert_int_equal(schema_column(parent, "b")->primary_key, 1);
    assert_int_equal(schema_column(parent, "a")->primary_key, 2);
    assert_false(schema_column(parent, "a")->nullable);
    assert_int_equal(child->foreign_key_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct foreign_key *k = &child->foreign_keys[i];
        if (k->column_count == 1) {
            assert_string_equal(k->table, "parent2");
            assert_string_equal(k->referred[0], "id");
        } else {
            assert_string_equal(k->table, "parent");
            assert_string_equal(k->referred[0], "b"); /* its key, in the key's order */
            assert_string_equal(k->referred[1], "a");
        }
    }
    assert_true(schema_column(child, "z")->unique && !schema_column(child, "y")->unique);
    assert_int_equal(s->tables[2].foreign_key_count, 0);
    assert_int_equal(parent2->column_count, 9);
    assert_non_null(schema_column(parent2, "we\"ird"));
    assert_non_null(schema_column(parent2, "total"));
    assert_int_equal(schema_column(parent2, "flag")->type.kind, TYPE_BOOLEAN);
    assert_int_equal(schema_column(parent2, "at")->type.kind, TYPE_TIMESTAMPTZ);
    assert_int_equal(schema_column(parent2, "num")->type.scale, 3);
    assert_int_equal(schema_column(parent2, "any_thing")->type.kind, TYPE_UNKNOWN);
    assert_int_equal(schema_column(parent2, "j")->type.kind, TYPE_TEXT);
    adapter_close(a);
    call_end(&c);
}

/* ---- numbers as text ---- */

static void numbers(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } doubles[] = {
        { 0, "0.0" },
        { -0.0, "-0.0" },
        { 1, "1.0" },
        { 0.1, "0.1" },
        { -2.5, "-2.5" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 1e100, "1e+100" },
        { 1e15, "1e+15" },
        { 123456789.125, "123456789.125" },
        { 1.0 / 3, "0.3333333333333333" },
        { 5e-324, "5e-324" },
        { 999999999999999.0, "999999999999999.0" },
        { INFINITY, "Infinity" },
        { -INFINITY, "-Infinity" },
        { 0.000001, "0.000001" },
        { 9007199254740993.0, "9007199254740992.0" },
    };
    static const struct {
        double v;
        int scale;
        const char *text;
    } decimals[] = {
        { 12.5, 2, "12.50" },        { 0.1 + 0.2, 2, "0.30" },
        { -0.05, 2, "-0.05" },       { 100, 2, "100.00" },
        { 2.675, 2, "2.67" },        { 1e17, 2, "100000000000000000.00" },
        { -3, 6, "-3.000000" },      { 0.001, 1, "0.0" },
        { 12.5, 9, "12.500000000" }, { 53.02875000000001, 15, "53.028750000000010" },
    };
    char text[CELL_TEXT_ROOM];
    for (size_t i = 0; i < sizeof doubles / sizeof doubles[0]; i++) {
        size_t n = double_text(doubles[i].v, text);
        assert_int_equal(n, strlen(text));
        assert_string_equal(text, doubles[i].text);
        if (isfinite(doubles[i].v)) assert_true(strtod(text, NULL) == doubles[i].v);
    }
    for (size_t i = 0; i < sizeof decimals / sizeof decimals[0]; i++) {
        size_t n = decimal_text(decimals[i].v, decimals[i].scale, text);
        assert_int_equal(n, strlen(text));
        assert_string_equal(text, decimals[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers),
        cmocka_unit_test(harm),
        cmocka_unit_test(unsaid),
        cmocka_unit_test(memory_and_length),
        cmocka_unit_test(large_sorts),
        cmocka_unit_test(files_are_read_only),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(changing_files),
        cmocka_unit_test(unusual_structure),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
