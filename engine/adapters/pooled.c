#include "adapters/pooled.h"

#include "base/clock.h"

#include <stdlib.h>

int pooled_open(struct call *c, const struct datasource_config *config, const struct pooled_driver *driver,
                struct adapter **out)
{
    int rc = driver->decode(c, config->connection, call_alloc(c, driver->with_bytes));
    if (rc) return rc;
    struct pooled *p = calloc(1, sizeof *p);
    if (!p) abort();
    p->base.kind = driver->kind;
    p->driver = driver;
    call_begin(&p->life);
    /* Once more into memory of our own: the configuration's may not live as long. */
    struct buf text;
    const struct json *copy;
    buf_init(&text, &p->life, 1024 * 1024);
    json_write(&text, config->connection);
    p->with = call_alloc(&p->life, driver->with_bytes);
    rc = json_parse(&p->life, text.data, text.len, &copy);
    if (!rc) rc = driver->decode(&p->life, copy, p->with);
    if (rc) abort();
    p->pool = pool_new(config->options.pool_size > 0 ? config->options.pool_size : driver->places);
    breaker_init(&p->breaker);
    *out = &p->base;
    return OK;
}

void pooled_close(struct adapter *a)
{
    struct pooled *p = (struct pooled *)a;
    pool_free(p->pool, p->driver->close);
    breaker_end(&p->breaker);
    call_end(&p->life);
    free(p);
}

void pooled_health(struct adapter *a, struct circuit_state *out)
{
    *out = breaker_state(&((struct pooled *)a)->breaker);
}

static int refuse(struct call *c, struct pooled *p)
{
    struct circuit_state s = breaker_state(&p->breaker);
    int64_t seconds = s.retry_after_ms > 1000 ? (s.retry_after_ms + 999) / 1000 : 1;
    call_retry_after(c, seconds);
    return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s The next connection is tried in %lld second%s.", s.why,
                     (long long)seconds, seconds == 1 ? "" : "s");
}

/* A new session, or the code of why there is none. */
static int make(struct call *c, struct pooled *p, void **session)
{
    struct failure why = { 0 };
    if (!breaker_admit(&p->breaker)) return refuse(c, p);
    *session = p->driver->open(c, p, &why);
    int rc = *session ? OK : call_check(c);
    if (*session)
        breaker_well(&p->breaker);
    else if (rc)
        breaker_dropped(&p->breaker);
    else
        breaker_failed(&p->breaker, why.message);
    return *session || rc ? rc : call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", why.message);
}

/* *idled: the session was used before. */
static int take(struct call *c, struct pooled *p, void **session, bool *idled)
{
    int rc = pool_take(p->pool, c, session);
    if (rc) return rc;
    if (*session && !p->driver->usable(*session)) {
        p->driver->close(*session);
        *session = NULL;
    }
    *idled = *session != NULL;
    if (!*session) rc = make(c, p, session);
    if (rc) pool_give(p->pool, NULL);
    return rc;
}

static void give(struct pooled *p, void *session)
{
    bool kept = p->driver->usable(session);
    if (!kept) p->driver->close(session);
    pool_give(p->pool, kept ? session : NULL);
}

int pooled_use(struct call *c, struct adapter *a, int (*use)(struct call *c, void *session, void *ctx), void *ctx,
               const bool *delivered)
{
    struct pooled *p = (struct pooled *)a;
    for (bool again = false;; again = true) {
        void *session;
        bool idled;
        int rc = take(c, p, &session, &idled);
        if (rc) return rc;
        rc = use(c, session, ctx);
        give(p, session);
        if (rc != ERR_DATASOURCE_UNAVAILABLE || !idled || again || (delivered && *delivered)) return rc;
        call_forgive(c);
        pool_drop_idle(p->pool, p->driver->close);
    }
}

struct structure {
    struct pooled *pooled;
    struct snapshot *snapshot;
};

static int read_structure(struct call *c, void *session, void *ctx)
{
    struct structure *s = ctx;
    const struct pooled_driver *driver = s->pooled->driver;
    *s->snapshot = (struct snapshot){ .dialect = driver->kind->dialect,
                                      .server_version = driver->version(c, session),
                                      .taken_us = clock_utc_us() };
    return driver->catalog(c, s->pooled, session, s->snapshot);
}

int pooled_introspect(struct call *c, struct adapter *a, struct snapshot **out)
{
    struct structure s = { (struct pooled *)a, call_alloc(c, sizeof *s.snapshot) };
    int rc = pooled_use(c, a, read_structure, &s, NULL);
    if (!rc) *out = s.snapshot;
    return rc;
}

static void report(struct test_report *out, const struct failure *why)
{
    *out = (struct test_report){ .reached = why->stage, .message = why->message, .fix = why->fix };
}

int pooled_test(struct call *c, struct adapter *a, struct test_report *out)
{
    struct pooled *p = (struct pooled *)a;
    const struct pooled_driver *driver = p->driver;
    struct failure why = { 0 };
    struct snapshot snapshot = { 0 };
    void *session = NULL;
    enum reach reach = driver->reach ? driver->reach(c, p->with) : REACH_OK;
    if (reach != REACH_OK)
        why = endpoint_failure(reach);
    else
        session = driver->open(c, p, &why);
    if (session) breaker_well(&p->breaker);
    report(out, &why);
    if (!session) return call_check(c);
    if (driver->catalog(c, p, session, &snapshot)) {
        call_forgive(c);
        report(out, &driver->unreadable);
    } else if (!snapshot.table_count) {
        report(out, &driver->empty);
    } else if (!driver->read_row(c, session)) {
        call_forgive(c);
        report(out, &(struct failure){ STAGE_READ_ROW, "No row could be read.", "Try again." });
    } else {
        *out = (struct test_report){ .reached = STAGE_DONE,
                                     .message = driver->warning(session),
                                     .tables = (int64_t)snapshot.table_count,
                                     .server_version = driver->version(c, session) };
    }
    driver->close(session);
    return call_check(c);
}
