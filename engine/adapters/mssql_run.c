/* Statements of the SQL Server adapter: a worker streams the rows. */
#include "adapters/mssql.h"
#include "base/clock.h"

#include <string.h>

enum { GRACE_MS = 1500, OWN_MS = 30000 };

static int one_row(struct rows *r, const struct frame *f)
{
    const char *at = f->payload, *end = f->payload + f->n;
    rows_next(r);
    for (size_t i = 0; i < r->count; i++) {
        uint32_t n;
        if (end - at < 5) return call_fail(r->call, ERR_DATASOURCE_UNAVAILABLE, "The database's worker broke off.");
        memcpy(&n, at + 1, sizeof n);
        r->cells[i] = (struct cell){ .kind = (enum cell_kind)at[0], .text = at + 5, .n = n };
        at += 5 + n;
    }
    return rows_give(r);
}

static void take_column(struct rows *r, size_t i, const struct frame *f)
{
    struct result_column *column = &r->columns[i];
    const char *type = f->payload + strlen(f->payload) + 1, *tail = type + strlen(type) + 1;
    rows_name(r, i, f->payload);
    column->db_type = call_strdup(r->call, type);
    column->type = (struct value_type){ (enum type_kind)tail[0], tail[1], tail[2] };
}

/* The columns come one by one; rows_open wants their number. */
static int columns_done(struct rows *r, struct list *frames)
{
    if (r->began) return OK;
    rows_open(r, frames->count);
    for (size_t i = 0; i < frames->count; i++) take_column(r, i, &LIST_AT(frames, struct frame, i));
    return rows_begin(r);
}

static int failed(struct rows *r, struct mssql_session *s, int number, const char *text, size_t n)
{
    int rc;
    const char *line = call_strndup(r->call, text, n);
    switch (number) {
    case TROUBLE_LOST:
        s->broken = true;
        rc = call_fail(r->call, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
        break;
    case TROUBLE_TYPE:
        return call_fail(r->call, ERR_EXECUTION_FAILED,
                         "Values of column '%s' have a type that cannot be read exactly.", line);
    case TROUBLE_TEXT:
        return call_fail(r->call, ERR_EXECUTION_FAILED, "A text in the database is not valid Unicode.");
    case TROUBLE_MORE:
        return call_fail(r->call, ERR_GUARD_DISAGREEMENT, "%s", code_row(ERR_GUARD_DISAGREEMENT)->text);
    case 1222:
        return call_fail(r->call, ERR_EXECUTION_FAILED, "A table is locked by someone else; try again.");
    case 1205:
    case 3960:
        return call_fail(r->call, ERR_EXECUTION_FAILED,
                         "The database stopped the query for the sake of another; try again.");
    case 229:
    case 230:
    case 916:
        rc = call_fail(r->call, ERR_EXECUTION_FAILED,
                       "The database does not let this connection read what the query needs.");
        break;
    default:
        rc = call_fail(r->call, ERR_EXECUTION_FAILED, "The database could not run the query: %.*s",
                       (int)strcspn(line, "\r\n"), line);
    }
    call_detail(r->call, "error %d %s", number, line);
    return rc;
}

/* Ends the statement at the server; a server that does not heed it loses its worker. */
static void stop(struct mssql_session *s)
{
    struct call quiet;
    struct frame f;
    call_begin(&quiet); /* this one was not cancelled */
    int64_t until = clock_mono_us() + GRACE_MS * 1000;
    bool ended = false;
    if (worker_send(s->worker.fd, FRAME_CANCEL, "", 0))
        while (!ended && worker_next(&quiet, &s->worker, until, &f) == WORKER_OK)
            ended = f.kind == FRAME_DONE || f.kind == FRAME_ERROR;
    if (!ended) s->broken = true;
    call_end(&quiet);
}

static int read_result(struct mssql_session *s, struct rows *r)
{
    int64_t left = call_left_us(r->call), most = r->limits->time_ms * 1000;
    int64_t until = clock_mono_us() + (left < most ? left : most);
    struct list columns = { 0 };
    for (;;) {
        struct frame f;
        enum worker_got got = worker_next(r->call, &s->worker, until, &f);
        int rc = OK, number;
        if (got == WORKER_LATE) {
            stop(s);
            return call_check(r->call) ? (int)r->call->err.code : adapter_timed_out(r->call, r->limits->time_ms);
        }
        if (got == WORKER_GONE) {
            s->broken = true;
            return call_fail(r->call, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
        }
        switch (f.kind) {
        case FRAME_COLUMN: {
            struct frame *kept = list_push(r->call, &columns, sizeof *kept);
            *kept = (struct frame){ .payload = memcpy(call_alloc(r->call, f.n + 1), f.payload, f.n), .n = f.n };
            continue;
        }
        case FRAME_ERROR:
            memcpy(&number, f.payload, sizeof number);
            return failed(r, s, number, f.payload + 4, f.n - 4);
        case FRAME_DONE:
            if (columns.count) return columns_done(r, &columns);
            return call_fail(r->call, ERR_GUARD_DISAGREEMENT, "%s", code_row(ERR_GUARD_DISAGREEMENT)->text);
        default:
            break;
        }
        rc = columns_done(r, &columns);
        if (!rc) rc = one_row(r, &f);
        if (!rc) continue;
        stop(s);
        return rc == ROWS_ENOUGH ? OK : rc;
    }
}

int mssql_run(struct mssql_session *s, struct rows *r, const char *sql, size_t n)
{
    int64_t most = r->limits->cell_bytes;
    struct buf b;
    buf_init(&b, r->call, WORKER_FRAME_MAX / 2);
    buf_add(&b, (const char *)&most, sizeof most);
    buf_add(&b, sql, n);
    if (b.failed) return call_fail(r->call, ERR_PLAN_TOO_LARGE, "The statement is too long.");
    if (worker_send(s->worker.fd, FRAME_RUN, b.data, b.len)) return read_result(s, r);
    s->broken = true;
    return call_fail(r->call, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
}

static int use(struct call *c, void *session, void *ctx)
{
    struct rows *r = ctx;
    int64_t started = clock_mono_us();
    (void)c;
    int rc = mssql_run(session, r, r->statement->sql, r->statement->n);
    r->stats->db_us += clock_mono_us() - started;
    return rc;
}

int mssql_execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                  const struct row_sink *sink, struct run_stats *stats)
{
    struct rows r = { .call = c, .statement = s, .limits = limits, .sink = sink, .stats = stats };
    *stats = (struct run_stats){ 0 };
    int rc = pooled_use(c, a, use, &r, &r.began);
    rows_close(&r);
    return rc;
}

/* ---- our own queries ---- */

struct own {
    struct rows *rows;
    void (*row)(void *ctx, const char *const *values);
    void *ctx;
};

static int own_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct own *o = ctx;
    struct arena *scratch = &o->rows->scratch; /* catalogues are large: nothing of a row outlives it */
    const char **values = arena_alloc(scratch, count * sizeof *values);
    (void)c;
    for (size_t i = 0; i < count; i++)
        if (cells[i].kind != CELL_NULL) {
            char *copy = arena_alloc(scratch, cells[i].n + 1);
            memcpy(copy, cells[i].text, cells[i].n);
            values[i] = copy;
        }
    o->row(o->ctx, values);
    return OK;
}

/* A backslash at the end of a line would join it to the next: the text is cut there. */
static const char *with_parameter(struct call *c, const char *sql, const char *value)
{
    struct buf b;
    const char *at = strchr(sql, '?');
    buf_init(&b, c, WORKER_FRAME_MAX / 2);
    buf_add(&b, sql, (size_t)(at - sql));
    buf_str(&b, "concat(CAST(N'' AS nvarchar(max)), N'");
    for (; *value; value++) {
        if (*value == '\'') buf_char(&b, '\'');
        buf_char(&b, *value);
        if (*value == '\\' && (value[1] == '\n' || value[1] == '\r')) buf_str(&b, "', N'");
    }
    buf_str(&b, "')");
    buf_str(&b, at + 1);
    return b.data;
}

int mssql_rows(struct call *c, struct mssql_session *s, const char *sql, const char *parameter,
               void (*row)(void *ctx, const char *const *values), void *ctx)
{
    static const struct run_limits all = {
        .rows = INT64_MAX, .bytes = INT64_MAX, .cell_bytes = 1 << 20, .time_ms = OWN_MS
    };
    struct run_stats stats = { 0 };
    struct own own = { NULL, row, ctx };
    struct row_sink sink = { .row = own_row, .ctx = &own };
    struct rows r = { .call = c, .limits = &all, .sink = &sink, .stats = &stats };
    own.rows = &r;
    if (parameter) sql = with_parameter(c, sql, parameter);
    int rc = mssql_run(s, &r, sql, strlen(sql));
    rows_close(&r);
    return rc;
}
