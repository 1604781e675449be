#include "adapters/pool.h"

#include "base/clock.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { WAIT_MOST_US = 30 * 1000000, WAKE_US = 50000 };

/* One in line, on its thread's stack. */
struct waiter {
    struct waiter *next;
    bool served; /* a place was handed over */
    void *handle;
    pthread_cond_t turn;
};

struct pool {
    pthread_mutex_t lock;
    size_t most, places; /* places taken, with or without a handle */
    void **idle;         /* handles that hold no place */
    size_t idle_count;
    struct waiter *first, **last;
};

struct pool *pool_new(int64_t most)
{
    struct pool *p = calloc(1, sizeof *p);
    if (!p) abort();
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set); /* opens no file, unlike sysconf */
    p->most = most > 0 ? (size_t)most : cores > 0 ? 4 * (size_t)cores : 4;
    p->idle = calloc(p->most, sizeof *p->idle);
    if (!p->idle) abort();
    p->last = &p->first;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void pool_free(struct pool *p, void (*close)(void *handle))
{
    for (size_t i = 0; i < p->idle_count; i++) close(p->idle[i]);
    free(p->idle);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void pool_drop_idle(struct pool *p, void (*close)(void *handle))
{
    for (;;) { /* closing may take its time, so it happens without the lock */
        pthread_mutex_lock(&p->lock);
        void *handle = p->idle_count ? p->idle[--p->idle_count] : NULL;
        pthread_mutex_unlock(&p->lock);
        if (!handle) return;
        close(handle);
    }
}

static void leave_line(struct pool *p, struct waiter *w)
{
    struct waiter **at = &p->first;
    while (*at != w) at = &(*at)->next;
    *at = w->next;
    if (!w->next) p->last = at;
}

static int wait_turn(struct pool *p, struct call *c, struct waiter *w)
{
    int64_t until = clock_mono_us() + WAIT_MOST_US;
    if (c->deadline_us && c->deadline_us < until) until = c->deadline_us;
    while (!w->served) {
        int64_t now = clock_mono_us();
        bool cancelled = atomic_load(&c->cancelled);
        if (cancelled || now >= until) {
            leave_line(p, w);
            if (cancelled) return call_check(c);
            return call_fail(c, ERR_BUSY, "%s", code_row(ERR_BUSY)->text);
        }
        /* Cancelling does not signal, so nobody sleeps long. */
        int64_t wake = now + WAKE_US < until ? now + WAKE_US : until;
        struct timespec at = { .tv_sec = wake / 1000000, .tv_nsec = wake % 1000000 * 1000 };
        pthread_cond_timedwait(&w->turn, &p->lock, &at);
    }
    return OK;
}

int pool_take(struct pool *p, struct call *c, void **handle)
{
    int rc = OK;
    *handle = NULL;
    pthread_mutex_lock(&p->lock);
    if (p->places < p->most && !p->first) {
        p->places++;
        if (p->idle_count) *handle = p->idle[--p->idle_count];
    } else {
        struct waiter w = { 0 };
        pthread_condattr_t monotonic;
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&w.turn, &monotonic);
        pthread_condattr_destroy(&monotonic);
        *p->last = &w;
        p->last = &w.next;
        rc = wait_turn(p, c, &w);
        *handle = w.handle;
        pthread_cond_destroy(&w.turn);
    }
    pthread_mutex_unlock(&p->lock);
    return rc;
}

void pool_give(struct pool *p, void *handle)
{
    pthread_mutex_lock(&p->lock);
    struct waiter *w = p->first;
    if (w) {
        p->first = w->next;
        if (!p->first) p->last = &p->first;
        w->served = true;
        w->handle = handle;
        pthread_cond_signal(&w->turn);
    } else {
        p->places--;
        if (handle) p->idle[p->idle_count++] = handle;
    }
    pthread_mutex_unlock(&p->lock);
}
