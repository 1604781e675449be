#include "mcp/message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Requests run beside each other so that a cancellation can be read while one of them works. */
#define IN_FLIGHT_MAX 8

struct job {
    struct session *session;
    bool used;
    struct call call;
    const char *line;
    size_t n;
};

struct session {
    const struct mcp_server *server;
    struct engine *engine;
    const struct mcp_stdio *options;
    pthread_mutex_t lock; /* guards jobs and the output */
    pthread_cond_t freed;
    struct job jobs[IN_FLIGHT_MAX];
};

static bool write_all(int fd, const char *p, size_t left)
{
    while (left) {
        ssize_t n = write(fd, p, left);
        if (n <= 0) return false;
        p += n;
        left -= (size_t)n;
    }
    return true;
}

static void write_line(struct session *s, struct buf *b)
{
    buf_char(b, '\n');
    write_all(s->options->out, b->data, b->len);
}

static void answer(struct job *job)
{
    struct session *s = job->session;
    struct mcp_reply reply = { 0 };
    struct call *c = &job->call;
    if (engine_operator(s->engine, c, s->options->user, s->options->roles, s->options->role_count)) {
        buf_init(&reply.body, c, MCP_BODY_MAX);
        mcp_error(&reply.body, RPC_INTERNAL, c->err.message);
        reply.has_body = true;
    } else {
        mcp_handle(s->server, c, job->line, job->n, NULL, &reply);
    }
    /* A cancelled request gets no answer. */
    if (!reply.has_body || atomic_load(&c->cancelled)) return;
    pthread_mutex_lock(&s->lock);
    if (reply.notice.len) write_line(s, &reply.notice);
    write_line(s, &reply.body);
    pthread_mutex_unlock(&s->lock);
}

static void *worker(void *ctx)
{
    struct job *job = ctx;
    struct session *s = job->session;
    answer(job);
    pthread_mutex_lock(&s->lock);
    call_end(&job->call);
    job->used = false;
    pthread_cond_signal(&s->freed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static const struct json *parsed(struct call *c, const char *line, size_t n)
{
    const struct json *j;
    if (!json_parse(c, line, n, &j)) return j;
    call_forgive(c);
    return NULL;
}

/* The id that a cancellation names, NULL when the line is something else. */
static const struct json *cancelled_id(const struct json *j)
{
    const struct json *method = json_get(j, "method");
    if (!method || method->kind != J_STRING || strcmp(method->string, "notifications/cancelled")) return NULL;
    return json_get(json_get(j, "params"), "requestId");
}

static bool same_id(const struct json *a, const struct json *b)
{
    if (!a || !b || a->kind != b->kind) return false;
    return a->kind == J_STRING ? !strcmp(a->string, b->string) : a->kind == J_INT && a->integer == b->integer;
}

static void cancel_matching(struct session *s, struct call *c, const struct json *id)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < IN_FLIGHT_MAX; i++)
        if (s->jobs[i].used && same_id(id, json_get(parsed(c, s->jobs[i].line, s->jobs[i].n), "id")))
            call_cancel(&s->jobs[i].call);
    pthread_mutex_unlock(&s->lock);
}

static void start(struct session *s, const char *line, size_t n)
{
    struct job *job = NULL;
    pthread_mutex_lock(&s->lock);
    while (!job) {
        for (size_t i = 0; i < IN_FLIGHT_MAX && !job; i++)
            if (!s->jobs[i].used) job = &s->jobs[i];
        if (!job) pthread_cond_wait(&s->freed, &s->lock);
    }
    job->used = true;
    job->session = s;
    call_begin(&job->call);
    job->line = call_strndup(&job->call, line, n);
    job->n = n;
    pthread_mutex_unlock(&s->lock);
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, (size_t)8 * 1024 * 1024);
    if (pthread_create(&thread, &attr, worker, job)) worker(job);
    pthread_attr_destroy(&attr);
}

static void line_in(struct session *s, const char *line, size_t n)
{
    while (n && (line[n - 1] == '\r' || line[n - 1] == ' ' || line[n - 1] == '\t')) n--;
    if (!n) return;
    struct call c;
    call_begin(&c);
    const struct json *cancelled = cancelled_id(parsed(&c, line, n));
    if (cancelled)
        cancel_matching(s, &c, cancelled);
    else
        start(s, line, n);
    call_end(&c);
}

static void too_long(struct session *s)
{
    struct call c;
    struct buf b;
    call_begin(&c);
    buf_init(&b, &c, 4096);
    mcp_error(&b, RPC_PARSE, "Parse error: the line is too long.");
    pthread_mutex_lock(&s->lock);
    write_line(s, &b);
    pthread_mutex_unlock(&s->lock);
    call_end(&c);
}

static void read_lines(struct session *s, struct call *life)
{
    char *text = call_alloc(life, MCP_BODY_MAX + 1);
    size_t held = 0;
    bool skipping = false; /* inside a line that was refused */
    for (;;) {
        ssize_t got = read(s->options->in, text + held, MCP_BODY_MAX - held);
        if (got <= 0) break;
        size_t n = held + (size_t)got, from = 0;
        for (char *end; (end = memchr(text + from, '\n', n - from)); from = (size_t)(end - text) + 1) {
            if (!skipping) line_in(s, text + from, (size_t)(end - text) - from);
            skipping = false;
        }
        held = n - from;
        memmove(text, text + from, held);
        if (held == MCP_BODY_MAX) {
            if (!skipping) too_long(s);
            skipping = true;
            held = 0;
        }
    }
    if (held && !skipping) line_in(s, text, held);
}

int mcp_stdio(const struct mcp_server *server, struct engine *e, const struct mcp_stdio *options)
{
    struct call life;
    call_begin(&life);
    struct session *s = call_alloc(&life, sizeof *s);
    s->server = server;
    s->engine = e;
    s->options = options;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->freed, NULL);
    read_lines(s, &life);
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < IN_FLIGHT_MAX; i++)
        while (s->jobs[i].used) pthread_cond_wait(&s->freed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    pthread_cond_destroy(&s->freed);
    pthread_mutex_destroy(&s->lock);
    call_end(&life);
    return 0;
}
