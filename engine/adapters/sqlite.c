#include "adapters/sqlite.h"

#include "adapters/file_mark.h"
#include "adapters/rows.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A SQLite file. Our own connections: read-only, defensive, closed to everything but one SELECT that was compared with
 * what Querent rendered. See sqlite_conn.c. */

struct connection {
    const char *path;
};
static const struct field connection_fields[] = {
    FIELD(struct connection, path, K_STR, .flags = F_REQUIRED, .max = 4096, .doc = "The database file."),
    { 0 },
};
static const struct type connection_type = TYPE(struct connection, "SqliteConnection", connection_fields);

static bool installed(void)
{
    return true;
}

static int open_adapter(struct call *c, const struct datasource_config *config, struct adapter **out)
{
    struct connection connection = { 0 };
    int rc = json_decode_at(c, &connection_type, config->connection, "/connection", &connection);
    if (rc) return rc;
    if (!*connection.path) return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/path", "Name the database file.");
    struct sqlite_adapter *a = calloc(1, sizeof *a);
    if (!a || !(a->path = strdup(connection.path))) abort();
    a->base.kind = adapter_kind_find("sqlite");
    a->pool = pool_new(config->options.pool_size);
    *out = &a->base;
    return OK;
}

static void close_adapter(struct adapter *base)
{
    struct sqlite_adapter *a = (struct sqlite_adapter *)base;
    pool_free(a->pool, conn_close);
    free(a->path);
    free(a);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A quick check of the pages, as far as a second goes: a damaged file is found before a question finds it. */
static int read_rows(struct conn *k, struct call *c)
{
    sqlite3_stmt *stmt = NULL;
    conn_watch(k, c, 1000, 0);
    k->mode = CONN_CATALOGUE;
    int rc = sqlite3_prepare_v2(k->db, "PRAGMA quick_check(1)", -1, &stmt, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_step(stmt);
    bool damaged = rc == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") != 0;
    k->mode = CONN_CLOSED;
    if (rc == SQLITE_ROW && !damaged)
        rc = OK;
    else if (k->stop == STOP_TIME)
        rc = OK;
    else
        rc = conn_fail(k, c, damaged ? SQLITE_CORRUPT : rc, 0);
    sqlite3_finalize(stmt);
    call_off_cancel(c);
    return rc;
}

static int test(struct call *c, struct adapter *base, struct test_report *out)
{
    struct sqlite_adapter *a = (struct sqlite_adapter *)base;
    struct conn *k = NULL;
    struct snapshot s = { 0 };
    enum test_stage stage;
    int rc = conn_open(a, c, &k, &stage);
    if (!rc) {
        stage = STAGE_READ_SCHEMA;
        conn_watch(k, c, 30000, 0);
        rc = sqlite_catalog(k, c, &s);
        call_off_cancel(c);
    }
    if (!rc) {
        stage = STAGE_READ_ROW;
        rc = read_rows(k, c);
    }
    if (k) conn_close(k);
    if (rc == ERR_CANCELLED || rc == ERR_PIPELINE_TIMEOUT) return rc;
    *out = (struct test_report){ .reached = rc ? stage : STAGE_DONE,
                                 .tables = (int64_t)s.table_count,
                                 .server_version = "SQLite " SQLITE_VERSION };
    if (rc) {
        out->message = call_format(c, "%s: %s", base_name(a->path), c->err.message);
        out->fix =
            c->err.hint ? c->err.hint : "Check the file with the sqlite3 shell on the machine where Querent runs.";
        call_forgive(c);
    }
    return OK;
}

static int introspect(struct call *c, struct adapter *base, struct snapshot **out)
{
    struct sqlite_adapter *a = (struct sqlite_adapter *)base;
    struct conn *k;
    int rc = conn_take(a, c, &k);
    if (rc) return rc;
    struct snapshot *s = call_alloc(c, sizeof *s);
    conn_watch(k, c, 60000, 0);
    rc = sqlite_catalog(k, c, s);
    conn_done(a, c, k);
    if (rc) return rc;
    s->dialect = "sqlite";
    s->server_version = call_format(c, "SQLite %s", sqlite3_libversion());
    s->taken_us = clock_utc_us();
    file_mark(c, a->path, "-wal", s);
    *out = s;
    return OK;
}

static int inspect(struct call *c, struct adapter *base, const struct statement *s, struct reads *out)
{
    struct sqlite_adapter *a = (struct sqlite_adapter *)base;
    struct conn *k;
    struct cached *e;
    int rc = conn_take(a, c, &k);
    if (rc) return rc;
    conn_watch(k, c, 10000, 0);
    rc = conn_prepare(k, c, s, &e);
    if (!rc) {
        *out = (struct reads){ .functions = seen_functions(c, &e->seen), .function_count = e->seen.function_count };
        seen_tables(c, &e->seen, &out->tables, &out->table_count);
    }
    conn_done(a, c, k);
    return rc;
}

/* Expressions may build values this long even where shown ones must be shorter. */
enum { LENGTH_LEAST = 1000000 };

struct run {
    struct rows rows;
    struct conn *conn;
    sqlite3_stmt *stmt;
    char (*texts)[CELL_TEXT_ROOM];
};

static int show_columns(struct run *r)
{
    struct rows *rows = &r->rows;
    rows_open(rows, rows->statement->column_count);
    r->texts = call_array(rows->call, rows->count, sizeof *r->texts);
    for (size_t i = 0; i < rows->count; i++) {
        struct result_column *column = &rows->columns[i];
        const char *declared = sqlite3_column_decltype(r->stmt, (int)i);
        if (!column->db_type && declared) column->db_type = call_strdup(rows->call, declared);
        column->approximate = column->type.kind == TYPE_DECIMAL;
    }
    return rows_begin(rows);
}

static int show_row(struct run *r)
{
    struct rows *rows = &r->rows;
    for (size_t i = 0; i < rows->count; i++)
        sqlite_cell(r->stmt, (int)i, &rows->columns[i].type, &rows->cells[i], r->texts[i]);
    int rc = rows_give(rows);
    return rc || rows->stats->rows % 64 ? rc : call_check(rows->call);
}

/* *stale: nothing was read, because the schema changed since the statement was compiled. */
static int step_all(struct run *r, bool *stale)
{
    int step, rc = OK;
    while (!rc && (step = sqlite3_step(r->stmt)) != SQLITE_DONE) {
        if (step == SQLITE_ROW) {
            rc = show_row(r);
        } else if (r->conn->stop == STOP_STEPS) {
            r->rows.stats->stopped_by = "steps";
            rc = ROWS_ENOUGH;
        } else if (step == SQLITE_AUTH && !r->rows.stats->rows) {
            *stale = true; /* compiling anew is not allowed while it runs */
            rc = ROWS_ENOUGH;
        } else {
            rc = conn_fail(r->conn, r->rows.call, step, r->rows.limits->time_ms);
        }
    }
    r->rows.stats->truncated = r->rows.stats->stopped_by != NULL;
    r->rows.stats->steps = sqlite3_stmt_status(r->stmt, SQLITE_STMTSTATUS_VM_STEP, 0);
    sqlite3_reset(r->stmt);
    return rc == ROWS_ENOUGH ? OK : rc;
}

/* The statement compiled and compared with what Querent rendered. */
static int ready(struct conn *k, struct call *c, const struct statement *s, struct cached **out)
{
    int rc = conn_prepare(k, c, s, out);
    if (!rc) rc = conn_allows(k, c, &(*out)->seen, s);
    if (rc || (size_t)sqlite3_column_count((*out)->stmt) == s->column_count) return rc;
    call_detail(c, "sqlite: the statement has other columns than the plan");
    return call_fail(c, ERR_GUARD_DISAGREEMENT, "%s", code_row(ERR_GUARD_DISAGREEMENT)->text);
}

static int execute(struct call *c, struct adapter *base, const struct statement *s, const struct run_limits *limits,
                   const struct row_sink *sink, struct run_stats *stats)
{
    struct sqlite_adapter *a = (struct sqlite_adapter *)base;
    struct conn *k;
    struct cached *e;
    bool stale = false;
    int64_t started = clock_mono_us();
    *stats = (struct run_stats){ 0 };
    int rc = conn_take(a, c, &k);
    if (rc) return rc;
    conn_watch(k, c, limits->time_ms, limits->steps);
    sqlite3_limit(k->db, SQLITE_LIMIT_LENGTH,
                  (int)(limits->cell_bytes < LENGTH_LEAST ? LENGTH_LEAST : limits->cell_bytes));
    rc = ready(k, c, s, &e);
    if (rc) goto out;
    struct run r = { .rows = { .call = c, .statement = s, .limits = limits, .sink = sink, .stats = stats },
                     .conn = k,
                     .stmt = e->stmt };
    sqlite3_stmt_status(e->stmt, SQLITE_STMTSTATUS_VM_STEP, 1);
    rc = show_columns(&r);
    if (!rc) rc = step_all(&r, &stale);
    if (!rc && stale) {
        conn_forget(e);
        stale = false;
        rc = ready(k, c, s, &e);
        r.stmt = e->stmt;
        if (!rc) rc = step_all(&r, &stale);
        if (!rc && stale) rc = conn_fail(k, c, SQLITE_SCHEMA, 0);
    }
    rows_close(&r.rows);
out:
    stats->db_us = clock_mono_us() - started;
    conn_done(a, c, k);
    return rc;
}

static int diagnose(struct call *c, struct adapter *base, struct list *out)
{
    struct sqlite_adapter *a = (struct sqlite_adapter *)base;
    struct conn *k;
    int rc = conn_take(a, c, &k);
    if (rc) return rc;
    conn_watch(k, c, 10000, 0);
    rc = read_rows(k, c);
    conn_done(a, c, k);
    if (rc) {
        diagnosis_add(c, out, "pages", call_strdup(c, c->err.message), FINDING_DANGER,
                      "Restore the file from a backup.");
        call_forgive(c);
    } else {
        diagnosis_add(c, out, "pages", "sound, as far as a second goes", FINDING_OK, NULL);
    }
    diagnosis_add(c, out, "version", call_strdup(c, sqlite3_libversion()), FINDING_OK, NULL);
    diagnosis_add(c, out, "opened", "read-only, each statement authorized", FINDING_OK, NULL);
    bool writable = access(a->path, W_OK) == 0;
    diagnosis_add(c, out, "writable_file", writable ? "yes" : "no", FINDING_WARNING,
                  writable ? "Let the service's user only read the file." : NULL);
    return OK;
}

const struct adapter_kind adapter_sqlite = {
    .name = "sqlite",
    .title = "SQLite",
    .dialect = "sqlite",
    .file_member = "path",
    .connection = &connection_type,
    .installed = installed,
    .install_hint = "SQLite is part of Querent.",
    .open = open_adapter,
    .close = close_adapter,
    .test = test,
    .introspect = introspect,
    .inspect = inspect,
    .execute = execute,
    .diagnose = diagnose,
};
