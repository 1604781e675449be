#include "call.h"

#include "buf.h"

#include "base/clock.h"
#include "base/id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const level_names[] = { "anyone", "viewer", "editor", "admin", "operator", NULL };

void call_begin(struct call *c)
{
    memset(c, 0, sizeof *c);
    pthread_mutex_init(&c->cancel_lock, NULL);
    atomic_init(&c->cancelled, false);
    c->started_us = clock_mono_us();
    c->trace_id = id_new(c, "tr");
    c->request_id = c->trace_id;
}

void call_end(struct call *c)
{
    for (struct deferred *d = c->deferred; d; d = d->before) d->fn(d->ctx);
    c->deferred = NULL;
    if (c->world && c->world_release) c->world_release(c->world);
    c->world = NULL;
    arena_free(&c->arena);
    pthread_mutex_destroy(&c->cancel_lock);
}

void call_defer(struct call *c, void (*fn)(void *ctx), void *ctx)
{
    struct deferred *d = call_alloc(c, sizeof *d);
    *d = (struct deferred){ .fn = fn, .ctx = ctx, .before = c->deferred };
    c->deferred = d;
}

void *call_alloc(struct call *c, size_t bytes) { return arena_alloc(&c->arena, bytes); }

void *call_array(struct call *c, size_t count, size_t bytes)
{
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total)) abort();
    return arena_alloc(&c->arena, total);
}

char *call_strndup(struct call *c, const char *s, size_t n)
{
    if (!s) return NULL;
    char *copy = call_alloc(c, n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *call_strdup(struct call *c, const char *s) { return s ? call_strndup(c, s, strlen(s)) : NULL; }

char *call_number(struct call *c, int64_t v)
{
    struct buf b;
    buf_init(&b, c, 32);
    buf_int(&b, v);
    return b.data;
}

char *call_vformat(struct call *c, const char *fmt, va_list ap)
{
    char text[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    if (n < 0) abort();
    char *s = call_alloc(c, (size_t)n + 1);
    if ((size_t)n < sizeof text)
        memcpy(s, text, (size_t)n);
    else
        vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}

char *call_format(struct call *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = call_vformat(c, fmt, ap);
    va_end(ap);
    return s;
}

static int fail(struct call *c, enum err_code code, const char *pointer, const char *fmt, va_list ap)
    __attribute__((format(printf, 4, 0)));
static int fail(struct call *c, enum err_code code, const char *pointer, const char *fmt, va_list ap)
{
    if (!c->err.code) {
        c->err.code = code;
        c->err.message = call_vformat(c, fmt, ap);
        c->err.field = call_strdup(c, pointer);
    }
    return (int)c->err.code;
}

int call_fail(struct call *c, enum err_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int rc = fail(c, code, NULL, fmt, ap);
    va_end(ap);
    return rc;
}

int call_fail_at(struct call *c, enum err_code code, const char *pointer, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int rc = fail(c, code, pointer, fmt, ap);
    va_end(ap);
    return rc;
}

void call_hint(struct call *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    c->err.hint = call_vformat(c, fmt, ap);
    va_end(ap);
}

void call_detail(struct call *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    c->err.detail = call_vformat(c, fmt, ap);
    va_end(ap);
}

void call_retry_after(struct call *c, int64_t seconds)
{
    c->err.retry_after_s = seconds;
}

void call_finding(struct call *c, const char *pointer, const char *code, const char *fmt, ...)
{
    struct list l = { .items = c->err.findings, .count = c->err.finding_count, .room = c->err.finding_count };
    struct finding *f = list_push(c, &l, sizeof *f);
    va_list ap;
    va_start(ap, fmt);
    *f = (struct finding){ .pointer = call_strdup(c, pointer), .code = code, .detail = call_vformat(c, fmt, ap) };
    va_end(ap);
    c->err.findings = l.items;
    c->err.finding_count = l.count;
}

void call_forgive(struct call *c) { c->err = (struct err){ 0 }; }

int call_check(struct call *c)
{
    if (atomic_load_explicit(&c->cancelled, memory_order_relaxed))
        return call_fail(c, ERR_CANCELLED, "%s", code_row(ERR_CANCELLED)->text);
    if (c->deadline_us && clock_mono_us() >= c->deadline_us)
        return call_fail(c, ERR_PIPELINE_TIMEOUT, "%s", code_row(ERR_PIPELINE_TIMEOUT)->text);
    return OK;
}

int64_t call_left_us(const struct call *c)
{
    if (!c->deadline_us) return INT64_MAX;
    int64_t left = c->deadline_us - clock_mono_us();
    return left > 0 ? left : 0;
}

void call_on_cancel(struct call *c, void (*fn)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&c->cancel_lock);
    if (atomic_load(&c->cancelled)) {
        fn(ctx);
    } else {
        c->cancel_fn = fn;
        c->cancel_ctx = ctx;
    }
    pthread_mutex_unlock(&c->cancel_lock);
}

void call_off_cancel(struct call *c)
{
    pthread_mutex_lock(&c->cancel_lock);
    c->cancel_fn = NULL;
    pthread_mutex_unlock(&c->cancel_lock);
}

void call_cancel(struct call *c)
{
    pthread_mutex_lock(&c->cancel_lock);
    atomic_store(&c->cancelled, true);
    if (c->cancel_fn) c->cancel_fn(c->cancel_ctx);
    c->cancel_fn = NULL;
    pthread_mutex_unlock(&c->cancel_lock);
}

void call_step(struct call *c, const char *name)
{
    int64_t now = clock_mono_us();
    if (c->step_count && c->steps[c->step_count - 1].us < 0) c->steps[c->step_count - 1].us = now - c->step_started_us;
    if (!name || c->step_count == CALL_STEPS) return;
    c->steps[c->step_count++] = (struct step){ .name = name, .us = -1 };
    c->step_started_us = now;
}

int call_emit(struct call *c, const char *event, const struct type *type, const void *obj)
{
    if (!c->sinks.emit) return OK;
    if (!c->sinks.emit(c->sinks.ctx, event, type, obj)) return OK;
    return call_fail(c, ERR_CANCELLED, "%s", code_row(ERR_CANCELLED)->text);
}

void *list_push(struct call *c, struct list *l, size_t item_bytes)
{
    if (l->count == l->room) {
        size_t room = l->room ? l->room * 2 : 8, bytes;
        if (__builtin_mul_overflow(room, item_bytes, &bytes)) abort();
        l->items = arena_grow(&c->arena, l->items, l->count * item_bytes, bytes);
        l->room = room;
    }
    void *item = (char *)l->items + l->count++ * item_bytes;
    memset(item, 0, item_bytes);
    return item;
}
