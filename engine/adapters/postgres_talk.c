/* Talking to a PostgreSQL server without blocking in the library. */
#include "adapters/postgres.h"
#include "base/clock.h"

#include <libpq-fe.h>
#include <poll.h>
#include <string.h>

/* Sends what is queued and waits until a result can be taken. false: the server is silent or gone. A cancel that came
 * before the statement did has stopped nothing: it is said again. */
static bool wait_result(struct call *c, struct postgres_session *s, int64_t until_us)
{
    int unsent = PQflush(s->conn);
    while (unsent || PQisBusy(s->conn)) {
        struct pollfd wait = { .fd = PQsocket(s->conn), .events = (short)(POLLIN | (unsent ? POLLOUT : 0)) };
        int ready = poll(&wait, 1, POSTGRES_POLL_MS);
        if (clock_mono_us() > until_us) return false;
        if (!ready && atomic_load(&c->cancelled)) postgres_cancel(s->cancel);
        if (ready <= 0) continue;
        if (wait.revents & ~POLLOUT && !PQconsumeInput(s->conn)) return false;
        if (unsent) unsent = PQflush(s->conn);
        if (unsent < 0) return false;
    }
    return true;
}

void postgres_cancel(void *cancel)
{
    char ignored[256];
    PQcancel(cancel, ignored, sizeof ignored);
}

PGresult *postgres_next(struct call *c, struct postgres_session *s, int64_t until_us)
{
    return wait_result(c, s, until_us) ? PQgetResult(s->conn) : NULL;
}

int64_t postgres_until(const struct call *c, int64_t time_ms)
{
    int64_t left = call_left_us(c), most = (time_ms + POSTGRES_GRACE_MS) * 1000;
    return clock_mono_us() + (left < most ? left + POSTGRES_GRACE_MS * 1000 : most);
}

int postgres_rows(struct call *c, struct postgres_session *s, const char *sql, const char *const *params, int count,
                  int (*row)(void *ctx, struct call *c, const char *const *values), void *ctx)
{
    int64_t stop = postgres_until(c, 60000);
    int rc = OK;
    if (!PQsendQueryParams(s->conn, sql, count, NULL, params, NULL, NULL, 0) || !PQsetSingleRowMode(s->conn))
        return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
    for (PGresult *r; (r = postgres_next(c, s, stop)); PQclear(r)) {
        ExecStatusType status = PQresultStatus(r);
        if (status == PGRES_SINGLE_TUPLE && !rc) {
            int n = PQnfields(r);
            const char *values[64];
            for (int i = 0; i < n && i < 64; i++) values[i] = PQgetisnull(r, 0, i) ? NULL : PQgetvalue(r, 0, i);
            rc = row(ctx, c, values);
        } else if (status != PGRES_TUPLES_OK && status != PGRES_SINGLE_TUPLE && !rc) {
            rc = call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The database's catalogue could not be read.");
            call_detail(c, "%s", PQresultErrorMessage(r));
        }
    }
    if (!rc && (PQstatus(s->conn) != CONNECTION_OK || PQtransactionStatus(s->conn) != PQTRANS_IDLE)) {
        rc = call_check(c);
        if (!rc) rc = call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
    }
    return rc;
}

const char *postgres_array(struct call *c, const struct list *names)
{
    struct buf b;
    buf_init(&b, c, 64 * 1024);
    buf_char(&b, '{');
    for (size_t i = 0; i < names->count; i++) {
        if (i) buf_char(&b, ',');
        buf_char(&b, '"');
        for (const char *p = LIST_AT(names, const char *, i); *p; p++) {
            if (*p == '"' || *p == '\\') buf_char(&b, '\\');
            buf_char(&b, *p);
        }
        buf_char(&b, '"');
    }
    buf_char(&b, '}');
    return b.data;
}
