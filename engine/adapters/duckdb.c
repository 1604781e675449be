/* duckdb: DuckDB files. A session is a worker (duckdb_session.c); stopping a statement ends its worker, and the next
 * statement starts another. */
#include "adapters/duckdb_session.h"
#include "adapters/file_mark.h"
#include "base/clock.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS = 2 };

static const struct field connection_fields[] = {
    FIELD(struct duckdb_connection, path, K_STR, .flags = F_REQUIRED, .min = 1, .max = 4096,
          .doc = "The database's file."),
    FIELD(struct duckdb_connection, memory_mb, K_INT, .min = 32, .max = 1024, .def = "256",
          .doc = "Memory of one worker."),
    FIELD(struct duckdb_connection, threads, K_INT, .min = 1, .max = 16, .def = "2", .doc = "Threads of one worker."),
    { 0 },
};
static const struct type connection_type = TYPE(struct duckdb_connection, "DuckdbConnection", connection_fields);

/* ---- running
 * ---------------------------------------------------------------------------------------------------------- */

static void take_column(struct rows *r, struct list *columns, const struct frame *f)
{
    struct result_column *column = list_push(r->call, columns, sizeof *column);
    const char *type = f->payload + strlen(f->payload) + 1, *tail = type + strlen(type) + 1;
    *column = (struct result_column){ .name = call_strdup(r->call, f->payload),
                                      .db_type = call_strdup(r->call, type),
                                      .type = { .kind = (enum type_kind)tail[0], .scale = tail[1] } };
}

static int begin_rows(struct rows *r, const struct list *columns)
{
    rows_open(r, columns->count);
    for (size_t i = 0; i < columns->count; i++) {
        const struct result_column *seen = &LIST_AT(columns, struct result_column, i);
        rows_name(r, i, seen->name);
        r->columns[i].db_type = seen->db_type;
        r->columns[i].type.kind = seen->type.kind;
        if (seen->type.kind == TYPE_DECIMAL) r->columns[i].type.scale = seen->type.scale;
    }
    return rows_begin(r);
}

static int take_row(struct rows *r, const struct frame *f)
{
    const char *at = f->payload, *end = f->payload + f->n;
    for (size_t i = 0; i < r->count && end - at >= 5; i++) {
        uint32_t n;
        memcpy(&n, at + 1, sizeof n);
        r->cells[i] = (struct cell){ .kind = (enum cell_kind)at[0], .text = at + 5, .n = n };
        at += 5 + n;
    }
    return rows_give(r);
}

/* The worker ends by itself one row beyond the ceiling: then it can go on. */
static void drop_rest(struct duckdb_session *s, struct rows *r, int64_t until)
{
    struct frame f = { .kind = FRAME_ROW };
    for (int i = 0; i < ROWS_DROPPED && f.kind == FRAME_ROW; i++) {
        rows_next(r);
        if (duckdb_receive(r->call, s, &r->scratch, until, &f)) return;
    }
    s->spoiled = f.kind != FRAME_DONE;
}

static int read_result(struct duckdb_session *s, struct rows *r)
{
    int64_t left = call_left_us(r->call), most = r->limits->time_ms * 1000;
    int64_t until = clock_mono_us() + (left < most ? left : most);
    struct list columns = { 0 };
    for (;;) {
        struct frame f;
        rows_next(r);
        enum worker_got got = duckdb_receive(r->call, s, &r->scratch, until, &f);
        int rc = OK;
        s->spoiled = true;
        if (got == WORKER_LATE)
            return call_check(r->call) ? (int)r->call->err.code : adapter_timed_out(r->call, r->limits->time_ms);
        if (got == WORKER_GONE)
            return call_fail(r->call, ERR_EXECUTION_FAILED,
                             "The database ran out of memory or broke off; the query was stopped.");
        if (f.kind == FRAME_COLUMN) {
            take_column(r, &columns, &f);
            continue;
        }
        if (f.kind == FRAME_ERROR) {
            s->spoiled = false;
            if (!strncmp(f.payload, "Catalog Error: Table with name", 30) ||
                !strncmp(f.payload, "Binder Error: Referenced column", 31))
                return adapter_changed(r->call);
            return call_fail(r->call, ERR_EXECUTION_FAILED, "The database could not run the query: %.*s",
                             (int)strcspn(f.payload, "\n"), f.payload);
        }
        if (!r->began) rc = begin_rows(r, &columns);
        if (f.kind == FRAME_DONE) s->spoiled = false;
        if (f.kind == FRAME_DONE || rc) return rc;
        rc = take_row(r, &f);
        if (rc == ROWS_ENOUGH) drop_rest(s, r, until);
        if (rc) return rc == ROWS_ENOUGH ? OK : rc;
    }
}

int duckdb_run(struct duckdb_session *s, struct rows *r, const char *sql, size_t n)
{
    uint64_t most = r->limits->rows < INT64_MAX ? (uint64_t)r->limits->rows + 1 : (uint64_t)INT64_MAX;
    struct buf b;
    buf_init(&b, r->call, WORKER_FRAME_MAX / 2);
    buf_add(&b, (const char *)&most, sizeof most);
    buf_add(&b, sql, n);
    if (b.failed) return call_fail(r->call, ERR_PLAN_TOO_LARGE, "The statement is too long.");
    if (worker_send(s->worker.fd, FRAME_RUN, b.data, b.len)) {
        int rc = read_result(s, r);
        rows_close(r);
        return rc;
    }
    s->spoiled = true;
    return call_fail(r->call, ERR_DATASOURCE_UNAVAILABLE, "The database's worker ended.");
}

static int use(struct call *c, void *session, void *ctx)
{
    struct rows *r = ctx;
    (void)c;
    int64_t started = clock_mono_us();
    int rc = duckdb_run(session, r, r->statement->sql, r->statement->n);
    r->stats->db_us += clock_mono_us() - started;
    return rc;
}

static int execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                   const struct row_sink *sink, struct run_stats *stats)
{
    struct rows r = { .call = c, .statement = s, .limits = limits, .sink = sink, .stats = stats };
    *stats = (struct run_stats){ 0 };
    return pooled_use(c, a, use, &r, &r.began);
}

/* ---- the contract
 * ----------------------------------------------------------------------------------------------------- */

static bool installed(void)
{
    /* Looked for, not loaded: the library never enters this process. */
    void *handle = dlopen(duckdb_library(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle) dlclose(handle);
    return handle || access(duckdb_library(), R_OK) == 0 || !strchr(duckdb_library(), '/');
}

static int decode(struct call *c, const struct json *connection, void *with)
{
    return json_decode_at(c, &connection_type, connection, "/connection", with);
}

static bool usable(void *session)
{
    return !((struct duckdb_session *)session)->spoiled;
}

static const char *version(struct call *c, void *session)
{
    return call_format(c, "DuckDB %s", ((struct duckdb_session *)session)->version);
}

static const char *warning(void *session)
{
    (void)session;
    return NULL;
}

static int catalog(struct call *c, struct pooled *p, void *session, struct snapshot *out)
{
    int rc = duckdb_catalog(c, session, out);
    if (!rc) file_mark(c, ((const struct duckdb_connection *)p->with)->path, ".wal", out);
    return rc;
}

static bool read_row(struct call *c, void *session)
{
    (void)c, (void)session;
    return true; /* the catalogue's rows came through the same frames */
}

extern const struct adapter_kind adapter_duckdb;
static const struct pooled_driver driver = {
    .kind = &adapter_duckdb,
    .with_bytes = sizeof(struct duckdb_connection),
    .places = WORKERS,
    .decode = decode,
    .open = duckdb_session_open,
    .close = duckdb_session_close,
    .usable = usable,
    .version = version,
    .warning = warning,
    .catalog = catalog,
    .read_row = read_row,
    .unreadable = { STAGE_READ_SCHEMA, "The catalogue could not be read.",
                    "Check the file and the library's version." },
    .empty = { STAGE_READ_SCHEMA, "The database has no table.", "Check that it is the right file." },
};

static int open_duckdb(struct call *c, const struct datasource_config *config, struct adapter **out)
{
    return pooled_open(c, config, &driver, out);
}

static int examine(struct call *c, void *session, void *ctx)
{
    diagnosis_add(c, ctx, "version", version(c, session), FINDING_OK, NULL);
    return OK;
}

static int diagnose(struct call *c, struct adapter *a, struct list *out)
{
    const struct duckdb_connection *with = ((struct pooled *)a)->with;
    int rc = pooled_use(c, a, examine, out, NULL);
    if (rc) return rc;
    diagnosis_add(c, out, "opened", "read-only, without files or network, in a process of its own", FINDING_OK, NULL);
    diagnosis_add(c, out, "memory", call_format(c, "%lld MB", (long long)with->memory_mb), FINDING_OK, NULL);
    bool writable = access(with->path, W_OK) == 0;
    diagnosis_add(c, out, "writable_file", writable ? "yes" : "no", FINDING_WARNING,
                  writable ? "Let the service's user only read the file." : NULL);
    return OK;
}

const struct adapter_kind adapter_duckdb = {
    .name = "duckdb",
    .title = "DuckDB",
    .dialect = "duckdb",
    .file_member = "path",
    .connection = &connection_type,
    .installed = installed,
    .install_hint = "Install libduckdb.so, or name it in DUCKDB_LIBRARY.",
    .open = open_duckdb,
    .close = pooled_close,
    .test = pooled_test,
    .introspect = pooled_introspect,
    .health = pooled_health,
    .inspect = duckdb_inspect,
    .execute = execute,
    .worker = duckdb_worker,
    .diagnose = diagnose,
};
