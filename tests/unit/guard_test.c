/* guard: the road itself, over a SQLite file. What each wall does when the one before it was broken: here access is
 * replaced by one that wraps nothing, so that what it must not let through meets the checker behind it. Then the
 * ceilings, the second opinion, and what an error of a narrowed query may say. */
#include "base/hash.h"
#include "guard/guard.h"
#include "handmade.h"
#include "schema/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ddl[] = "CREATE TABLE open (id INTEGER PRIMARY KEY, word TEXT, size INTEGER);"
                          "CREATE TABLE own (id INTEGER PRIMARY KEY, owner TEXT, size INTEGER);"
                          "CREATE TABLE shut (id INTEGER PRIMARY KEY, secret TEXT);"
                          "INSERT INTO open VALUES (1, 'a', 3), (2, 'bb', 0), (3, 'ccc', -9223372036854775808);"
                          "INSERT INTO own VALUES (1, 'u1', -9223372036854775808), (2, 'u2', 1);"
                          "INSERT INTO shut VALUES (1, 'hidden');";
static const char roles[] =
    "{\"roles\":{\"r\":{\"allow\":[\"shop.*\"],\"deny\":[\"shop.shut\"],\"filters\":{\"shop.own\":"
    "{\"owner\":\"{user_id}\"}}}}}";

struct place {
    struct call call;
    char path[40];
    struct datasource_config config;
    struct datasource ds;
    struct policies *policies;
    const struct view *view;
};

/* When set, access leaves restricted tables as they are. */
static bool broken_access;

int access_apply(struct call *c, const struct view *view, const struct principal *who,
                 const struct dialect_support *dialect, struct query *plan, struct query **out,
                 struct certificate *cert)
{
    (void)c, (void)view, (void)who, (void)dialect;
    *out = plan;
    *cert = (struct certificate){ 0 };
    return broken_access ? OK : ERR_INTERNAL_ERROR;
}

static int enter(void **state)
{
    static const char *const names[] = { "r" };
    static struct place p;
    struct call *c = &p.call;
    const struct json *section;
    struct snapshot *s = NULL;
    sqlite3 *db;
    memset(&p, 0, sizeof p);
    call_begin(c);
    snprintf(p.path, sizeof p.path, "/tmp/querent-guard-XXXXXX");
    int fd = mkstemp(p.path);
    assert_true(fd >= 0 && !close(fd));
    assert_int_equal(sqlite3_open(p.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, ddl, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    p.config = (struct datasource_config){ .id = "shop", .type = "sqlite" };
    assert_int_equal(type_defaults(c, &datasource_options_type, &p.config.options), OK);
    const char *connection = call_format(c, "{\"path\":\"%s\"}", p.path);
    assert_int_equal(json_parse(c, connection, strlen(connection), &p.config.connection), OK);
    assert_int_equal(adapter_open(c, &p.config, &p.ds.adapter), OK);
    assert_int_equal(adapter_introspect(c, p.ds.adapter, &s), OK);
    s->datasource = "shop";
    s->fingerprint = "f";
    p.ds.config = &p.config;
    p.ds.snapshot = s;
    assert_int_equal(json_parse(c, roles, sizeof roles - 1, &section), OK);
    assert_int_equal(policies_load(c, section, &p.policies), OK);
    c->who = (struct principal){ .user = "u1", .tenant = "t", .level = LEVEL_VIEWER, .roles = names, .role_count = 1 };
    assert_int_equal(policy_view(c, p.policies, &c->who, s, &p.view), OK);
    broken_access = true;
    *state = &p;
    return 0;
}

static int leave(void **state)
{
    struct place *p = *state;
    adapter_close(p->ds.adapter);
    policies_free(p->policies);
    unlink(p->path);
    call_end(&p->call);
    return 0;
}

static int prepare(struct place *p, const char *sql, int64_t max_rows, struct guarded **g)
{
    call_forgive(&p->call);
    return guard_text(&p->call, &p->ds, p->view, sql, strlen(sql), max_rows, g);
}

/* The rows of a statement, or NULL with the call's error. */
static const char *rows(struct place *p, const struct guarded *g, const struct run_limits *limits,
                        struct run_stats *stats)
{
    struct text_sink sink;
    call_forgive(&p->call);
    text_sink_init(&sink, &p->call);
    return guard_run(&p->call, g, limits, &sink.sink, stats) ? NULL : sink.text.data;
}

static void a_table_that_was_not_wrapped(void **state)
{
    struct place *p = *state;
    struct guarded *g;
    assert_int_equal(prepare(p, "SELECT size FROM own", 0, &g), ERR_INTERNAL_ERROR);
    assert_null(g);
    assert_non_null(strstr(p->call.err.detail, "verify rejects"));
    assert_int_equal(prepare(p, "SELECT size FROM open", 0, &g), OK);
    broken_access = false;
    assert_int_equal(prepare(p, "SELECT size FROM open", 0, &g), ERR_INTERNAL_ERROR); /* its failure is heeded */
}

static void what_is_not_there(void **state)
{
    struct place *p = *state;
    struct guarded *g;
    struct run_stats stats;
    struct snapshot strange = *p->ds.snapshot;
    struct view v = *p->view;
    assert_int_equal(prepare(p, "SELECT secret FROM shut", 0, &g), ERR_TABLE_NOT_FOUND);
    assert_int_equal(prepare(p, "SELECT id FROM open WHERE sum(id) > 1", 0, &g), ERR_AGGREGATE_NOT_ALLOWED);
    assert_int_equal(prepare(p, "SELECT id FROM open", -2, &g), ERR_VALIDATION_ERROR);
    assert_int_equal(prepare(p, "SELECT id FROM open", 0, &g), OK);
    struct guarded closed = *g;
    struct datasource without = p->ds;
    without.adapter = NULL;
    closed.datasource = &without;
    assert_null(rows(p, &closed, NULL, &stats));
    assert_int_equal(p->call.err.code, ERR_DATASOURCE_UNAVAILABLE);
    v.snapshot = NULL;
    call_forgive(&p->call);
    assert_int_equal(guard_text(&p->call, &p->ds, &v, "SELECT 1", 8, 0, &g), ERR_NOT_INDEXED);
    strange.dialect = "oracle";
    v.snapshot = &strange;
    call_forgive(&p->call);
    assert_int_equal(guard_prepare(&p->call, &p->ds, &v, query_select(&p->call), ORIGIN_TEXT, 0, &g), ERR_NOT_INDEXED);
    /* A plan of a model stands under stricter rules than a person's text. */
    struct query *q;
    const char *coerced = "SELECT word FROM open WHERE word = 5";
    assert_int_equal(prepare(p, coerced, 0, &g), OK);
    assert_int_equal(sql_to_plan(&p->call, "sqlite", coerced, strlen(coerced), p->view, &q), OK);
    assert_int_equal(guard_prepare(&p->call, &p->ds, p->view, q, ORIGIN_MODEL, 0, &g), ERR_TYPE_MISMATCH);
    /* … and an unknown warning is told to the person. */
    assert_int_equal(prepare(p, coerced, 0, &g), OK);
    assert_int_equal(g->warnings.count, 1);
}

static void ceilings(void **state)
{
    struct place *p = *state;
    struct guarded *g;
    struct run_stats stats;
    static const char endless[] =
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT "
        "count(*) FROM n a, n b, n c";
    p->config.options.row_limit = 2;
    assert_int_equal(prepare(p, "SELECT id FROM open", 0, &g), OK);
    assert_int_equal(g->statement->row_cap, 3);
    assert_string_equal(rows(p, g, NULL, &stats), "1\n2\n");
    assert_true(stats.truncated);
    /* A request can lower a ceiling, never raise it. */
    assert_int_equal(prepare(p, "SELECT id FROM open", 100, &g), OK);
    assert_int_equal(g->statement->row_cap, 3);
    struct run_limits more = { .rows = 100, .bytes = INT64_MAX, .cell_bytes = INT64_MAX, .time_ms = INT64_MAX };
    assert_string_equal(rows(p, g, &more, &stats), "1\n2\n");
    assert_int_equal(prepare(p, "SELECT id FROM open", 1, &g), OK);
    assert_int_equal(g->statement->row_cap, 2);
    assert_string_equal(rows(p, g, NULL, &stats), "1\n");
    assert_true(stats.truncated);
    assert_int_equal(prepare(p, "SELECT id FROM open LIMIT 1", 0, &g), OK);
    assert_string_equal(rows(p, g, &(struct run_limits){ .rows = 1 }, &stats), "1\n");
    assert_false(stats.truncated);
    p->config.options.row_limit = 0; /* none set: what the request says */
    assert_int_equal(prepare(p, "SELECT id FROM open", 2, &g), OK);
    assert_int_equal(g->statement->row_cap, 3);
    p->config.options.row_limit = 1000;
    /* Bytes of a result and of one cell. */
    assert_int_equal(prepare(p, "SELECT word FROM open", 0, &g), OK);
    p->config.options.max_bytes = 2;
    const char *cut = rows(p, g, &(struct run_limits){ .bytes = 1000, .cell_bytes = 1000 }, &stats);
    assert_true(!cut || (stats.truncated && strlen(cut) < 6));
    p->config.options.max_bytes = 1000;
    assert_null(rows(p, g, &(struct run_limits){ .cell_bytes = 2 }, &stats));
    assert_int_equal(p->call.err.code, ERR_LIMIT_EXCEEDED);
    assert_non_null(rows(p, g, &(struct run_limits){ .cell_bytes = 3 }, &stats));
    /* Time, in steps first and then by the clock. */
    assert_int_equal(prepare(p, endless, 0, &g), OK);
    const char *none = rows(p, g, &(struct run_limits){ .steps = 5000, .time_ms = 60000 }, &stats);
    assert_true(!none || stats.truncated || !*none);
    p->config.options.statement_timeout_ms = 30;
    assert_null(rows(p, g, &(struct run_limits){ .time_ms = 600000 }, &stats));
    assert_non_null(strstr(p->call.err.message, "and was stopped"));
    /* An export has ceilings of its own. */
    p->config.options.row_limit = 1;
    p->config.options.max_bytes = 1;
    p->config.options.statement_timeout_ms = 60000;
    assert_int_equal(prepare(p, "SELECT id FROM open", GUARD_EXPORT, &g), OK);
    assert_int_equal(g->statement->row_cap, EXPORT_ROWS + 1);
    assert_string_equal(rows(p, g, NULL, &stats), "1\n2\n3\n");
}

static void second_opinion(void **state)
{
    struct place *p = *state;
    struct guarded *g;
    struct run_stats stats;
    static const char *const more[] = { "SELECT secret FROM shut", "SELECT word FROM open", "SELECT abs(id) FROM open",
                                        "SELECT open.id FROM open, shut" };
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        assert_int_equal(prepare(p, "SELECT id FROM open", 0, &g), OK);
        g->statement->sql = more[i];
        g->statement->n = strlen(more[i]);
        g->statement->hash = hash_hex(&p->call, more[i], strlen(more[i]));
        assert_null(rows(p, g, NULL, &stats));
        if (p->call.err.code != ERR_GUARD_DISAGREEMENT) fail_msg("%s: %s", more[i], p->call.err.message);
    }
}

/* A message of the database may name a value: behind a row filter it is not shown. */
static void veiled_errors(void **state)
{
    struct place *p = *state;
    struct guarded *g;
    struct run_stats stats;
    assert_int_equal(prepare(p, "SELECT abs(size) FROM open", 0, &g), OK);
    assert_false(g->wrapped);
    assert_null(rows(p, g, NULL, &stats));
    assert_int_equal(p->call.err.code, ERR_EXECUTION_FAILED);
    assert_non_null(strstr(p->call.err.message, "overflow"));
    g->wrapped = true;
    assert_null(rows(p, g, NULL, &stats));
    assert_int_equal(p->call.err.code, ERR_EXECUTION_FAILED);
    assert_string_equal(p->call.err.message, code_row(ERR_EXECUTION_FAILED)->text);
    assert_null(p->call.err.hint);
    assert_non_null(p->call.err.detail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_table_that_was_not_wrapped, enter, leave),
        cmocka_unit_test_setup_teardown(what_is_not_there, enter, leave),
        cmocka_unit_test_setup_teardown(ceilings, enter, leave),
        cmocka_unit_test_setup_teardown(second_opinion, enter, leave),
        cmocka_unit_test_setup_teardown(veiled_errors, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
