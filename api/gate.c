#include "api/gate.h"

#include "api/auth.h"
#include "api/reply.h"
#include "api/routes/route.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#define TRAILER "Querent-Output"

#define ID_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

/* Where a streaming operation's output goes. Begun without a status: there was no stream left for it. */
struct stream {
    struct request *request;
    const struct match *match;
    const void *out;
    bool begun;
};

struct finished {
    const char *status;
    struct problem *problem;
};
static const struct field finished_fields[] = {
    FIELD(struct finished, status, K_STR, .flags = F_REQUIRED),
    FIELD(struct finished, problem, K_OBJECT, .of = &problem_type),
    { 0 },
};
static const struct type finished_type = TYPE(struct finished, "RunFailed", finished_fields);

static void take_request_id(struct request *r)
{
    const char *id = request_header(r, "X-Request-Id");
    size_t n = id ? strlen(id) : 0;
    if (n && n <= 128 && strspn(id, ID_CHARS) == n) r->call->request_id = call_strdup(r->call, id);
    reply_header(r, "X-Request-Id", r->call->request_id);
}

int gate_check_media(struct request *r)
{
    const char *type = request_header(r, "Content-Type");
    size_t n = type ? strcspn(type, "; \t") : 0;
    if (n == 16 && !strncasecmp(type, "application/json", n)) return OK;
    return call_fail(r->call, ERR_UNSUPPORTED_MEDIA_TYPE, "The Content-Type is %s%s%s; send application/json.",
                     type ? "'" : "", type ? type : "missing", type ? "'" : "");
}

static void allow_cross(struct request *r, const char *origin)
{
    reply_header(r, "Access-Control-Allow-Origin", origin);
    reply_header(r, "Vary", "Origin");
    reply_header(r, "Access-Control-Expose-Headers", "X-Request-Id, Server-Timing, Retry-After, Location");
}

int gate_admit_origin(struct request *r, const struct list *hosts, const struct list *origins)
{
    const char *cross;
    int rc = auth_host(r, hosts);
    if (!rc) rc = auth_origin(r, origins, &cross);
    if (!rc && cross) allow_cross(r, cross);
    return rc;
}

static void reply_options(struct request *r, const char *allow)
{
    const char *methods = call_format(r->call, "%s, OPTIONS", allow);
    reply_header(r, "Allow", methods);
    if (request_header(r, "Origin") && request_header(r, "Access-Control-Request-Method")) {
        reply_header(r, "Access-Control-Allow-Methods", methods);
        reply_header(r, "Access-Control-Allow-Headers",
                     "Authorization, Content-Type, Accept, X-API-Key, X-Request-Id, Traceparent");
        reply_header(r, "Access-Control-Max-Age", "600");
    }
    reply_bytes(r, 204, NULL, "", 0);
}

static int emit(void *ctx, const char *event, const struct type *type, const void *obj)
{
    struct stream *s = ctx;
    struct request *r = s->request;
    int rc = OK;
    if (s->begun && !r->status) return ERR_BUSY;
    if (!s->begun) {
        s->begun = true;
        struct reply head = { .status = s->match->route->ok, .content_type = "text/event-stream" };
        rc = request_stream_begin(r, &head, true);
    }
    if (rc) return rc;
    struct arena_mark mark = arena_mark(&r->call->arena);
    struct buf b;
    buf_init(&b, r->call, (size_t)64 * 1024 * 1024);
    buf_str(&b, "event: ");
    buf_str(&b, event);
    buf_str(&b, "\ndata: ");
    if (type)
        json_encode(&b, type, obj);
    else
        buf_str(&b, "{}");
    buf_str(&b, "\n\n");
    rc = request_stream_write(r, b.data, b.len);
    arena_reset(&r->call->arena, mark);
    return rc;
}

/* A text member of the operation's output, NULL when its type has none of that name. */
static const char *text_member(const struct stream *s, const char *name)
{
    const struct type *t = s->match->route->op->out;
    const struct field *f = t ? type_field(t, name) : NULL;
    return f && f->kind == K_STR ? *(const char *const *)((const char *)s->out + f->offset) : NULL;
}

static int write_bytes(void *ctx, const char *bytes, size_t n)
{
    struct stream *s = ctx;
    int rc = OK;
    if (s->begun && !s->request->status) return ERR_BUSY;
    if (!s->begun) {
        const char *type = text_member(s, "content_type"), *name = text_member(s, "file_name");
        struct reply head = { .status = s->match->route->ok, .content_type = type ? type : "application/octet-stream" };
        if (name)
            reply_header(s->request, "Content-Disposition",
                         call_format(s->request->call, "attachment; filename=\"%s\"", name));
        if (s->match->route->op->out) reply_header(s->request, "Trailer", TRAILER);
        s->begun = true;
        rc = request_stream_begin(s->request, &head, false);
    }
    return rc ? rc : request_stream_write(s->request, bytes, n);
}

/* The operation's output stands behind the bytes that it wrote: what is known only then (rows, cut or whole, hash). */
static void finish_bytes(struct stream *s, int rc)
{
    const struct type *t = s->match->route->op->out;
    struct call *c = s->request->call;
    struct buf b;
    buf_init(&b, c, 16 * 1024);
    if (t && !rc) {
        buf_str(&b, TRAILER ": ");
        json_encode(&b, t, s->out);
        buf_str(&b, "\r\n");
    }
    request_stream_end(s->request, !rc, b.failed ? NULL : b.data);
}

/* The terminal event: the operation's whole output, or what went wrong. */
static void finish_events(struct stream *s, int rc)
{
    struct call *c = s->request->call;
    if (!rc) {
        emit(s, "run.finished", s->match->route->op->out, s->out);
    } else {
        struct finished f = { .status = "error", .problem = problem_of(c) };
        emit(s, "run.finished", &finished_type, &f);
    }
    request_stream_end(s->request, true, NULL);
}

static bool wants_events(const struct request *r)
{
    const char *accept = request_header(r, "Accept");
    return accept && strcasestr(accept, "text/event-stream");
}

/* What the reply says is decided before its first byte: an operation that fails before it has streamed anything gets an
 * ordinary error. */
static int run_operation(struct gate *g, struct request *r, const struct match *m, const void *in)
{
    struct call *c = r->call;
    const struct op *op = m->route->op;
    void *out = op->out ? call_alloc(c, op->out->size) : NULL;
    struct stream s = { .request = r, .match = m, .out = out };
    bool events = m->route->flags & ROUTE_EVENTS && wants_events(r);
    if (events) c->sinks = (struct sinks){ .emit = emit, .ctx = &s };
    if (m->route->flags & ROUTE_BYTES) c->sinks = (struct sinks){ .write = write_bytes, .ctx = &s };
    request_watch(r);
    int rc = engine_run(g->engine, c, op, in, out);
    if (events && !rc && !s.begun) rc = emit(&s, "run.started", NULL, NULL);
    if (s.begun && events && r->status)
        finish_events(&s, rc);
    else if (s.begun && r->status)
        finish_bytes(&s, rc);
    request_unwatch(r);
    if (r->status || rc) return rc;
    if (m->route->flags & ROUTE_JOB)
        reply_header(r, "Location", call_format(c, "/api/v1/jobs/%s", text_member(&s, "id")));
    reply_timing(r);
    if (m->route->flags & ROUTE_BYTES)
        reply_bytes(r, m->route->ok, "application/octet-stream", "", 0);
    else
        reply_object(r, m->route->ok, op->out, out);
    return OK;
}

static int walk(struct gate *g, struct request *r, struct match *m)
{
    struct call *c = r->call;
    struct door_config door;
    const char *body = NULL;
    size_t n = 0;
    void *in;
    int found = route_find(c, r->method, r->path, m);
    if (!found && m->route->flags & ROUTE_OPEN) {
        m->route->raw(g, r);
        return c->err.code ? (int)c->err.code : OK;
    }
    struct err missing = c->err;
    call_forgive(c);
    if (server_draining(r->server)) return call_fail(c, ERR_UNAVAILABLE, "The server is shutting down.");
    int rc = engine_door_config(g->engine, c, &door);
    if (!rc) rc = gate_admit_origin(r, &door.allowed_hosts, &door.allowed_origins);
    if (rc) return rc;
    if (found == ERR_METHOD_NOT_ALLOWED && !strcmp(r->method, "OPTIONS")) {
        reply_options(r, m->allow);
        return OK;
    }
    rc = auth_caller(g->engine, r);
    if (rc) return rc;
    c->err = missing;
    if (m->allow) reply_header(r, "Allow", call_format(c, "%s, OPTIONS", m->allow));
    if (found) return found;
    if (m->route->raw) {
        m->route->raw(g, r);
        return c->err.code ? (int)c->err.code : OK;
    }
    if (request_has_body(r)) rc = gate_check_media(r);
    if (!rc) rc = request_body(r, &body, &n);
    if (!rc) rc = route_input(c, m, r->query, body, n, &in);
    return rc ? rc : run_operation(g, r, m, in);
}

static void log_request(struct gate *g, struct request *r, const struct match *m)
{
    struct call *c = r->call;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t us = (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 - c->started_us;
    bool open = m->route && m->route->flags & ROUTE_OPEN;
    const char *op = m->route && m->route->op ? m->route->op->name : m->route ? m->route->path : "none";
    enum log_level level = r->status >= 500 ? LOG_ERROR : open ? LOG_DEBUG : LOG_INFO;
    engine_observe(g->engine, op, r->status, us);
    const struct log *log = engine_log(g->engine);
    if (level < log->least) return;
    log_event(log, level, "http.request", "request_id", c->request_id, "trace_id", c->trace_id, "method", r->method,
              "path", r->path, "operation", op, "#status", call_number(c, r->status), "#us", call_number(c, us),
              "#bytes", call_number(c, r->body_bytes_sent), "peer", r->peer, "user", c->who.user, "code",
              c->err.code ? code_row(c->err.code)->name : NULL, "detail", c->err.detail, NULL);
}

void gate_handle(void *ctx, struct request *r)
{
    struct gate *g = ctx;
    struct match m = { 0 };
    take_request_id(r);
    reply_header(r, "Cache-Control", "no-store");
    reply_header(r, "X-Content-Type-Options", "nosniff");
    int rc = walk(g, r, &m);
    if (!r->status) {
        if (!rc) call_fail(r->call, ERR_INTERNAL_ERROR, "The route did not reply.");
        reply_problem(r);
    }
    log_request(g, r, &m);
}

void gate_refuse(void *ctx, struct request *r, int status, const char *why)
{
    struct gate *g = ctx;
    struct call *c = r->call;
    enum err_code code = status == 408   ? ERR_REQUEST_TIMEOUT
                         : status == 413 ? ERR_PAYLOAD_TOO_LARGE
                                         : ERR_INVALID_REQUEST;
    call_fail(c, code, "The request is not acceptable HTTP/1.1.");
    call_detail(c, "%d %s", status, why);
    call_hint(c, "At most 64 headers and 16 KiB of head; one Content-Length or Transfer-Encoding; a plain path.");
    const struct problem *p = problem_of(c);
    struct buf b;
    buf_init(&b, c, 64 * 1024);
    json_encode(&b, &problem_type, p);
    request_reply(r, &(struct reply){ .status = (int)p->status,
                                      .content_type = "application/problem+json",
                                      .body = b.data,
                                      .n = b.len,
                                      .close = true });
    log_event(engine_log(g->engine), LOG_INFO, "http.refused", "request_id", c->request_id, "detail", c->err.detail,
              NULL);
}
