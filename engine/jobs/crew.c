#include "jobs/crew.h"

#include <stdlib.h>

enum { CREW_MOST = 16 };

struct member {
    pthread_t thread;
    bool started, ended; /* ended: only waits to be joined */
};

struct crew {
    pthread_mutex_t lock;
    bool (*work)(void *ctx);
    void *ctx;
    size_t most;
    uint64_t wakes; /* so that a wake between finding nothing and ending is not lost */
    bool ending;
    struct member members[CREW_MOST];
};

struct crew *crew_new(size_t most, bool (*work)(void *ctx), void *ctx)
{
    struct crew *w = calloc(1, sizeof *w);
    if (!w) abort();
    pthread_mutex_init(&w->lock, NULL);
    w->most = most < CREW_MOST ? most : CREW_MOST;
    w->work = work;
    w->ctx = ctx;
    return w;
}

static struct member *self(struct crew *w)
{
    struct member *m = w->members;
    while (!m->started || !pthread_equal(m->thread, pthread_self())) m++;
    return m;
}

static void *live(void *ctx)
{
    struct crew *w = ctx;
    pthread_mutex_lock(&w->lock);
    for (bool more = true; more && !w->ending;) {
        uint64_t wakes = w->wakes;
        pthread_mutex_unlock(&w->lock);
        more = w->work(w->ctx);
        pthread_mutex_lock(&w->lock);
        more = more || wakes != w->wakes;
    }
    self(w)->ended = true;
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void join(struct member *m)
{
    pthread_join(m->thread, NULL);
    *m = (struct member){ 0 };
}

/* A thread that cannot be had is no failure while another one works; the first one must be had. */
void crew_wake(struct crew *w)
{
    size_t at_work = 0;
    pthread_mutex_lock(&w->lock);
    w->wakes++;
    for (size_t i = 0; i < w->most; i++) {
        if (w->members[i].ended) join(&w->members[i]);
        at_work += w->members[i].started;
    }
    for (size_t i = 0; i < w->most && at_work < w->most && !w->ending; i++) {
        struct member *m = &w->members[i];
        if (m->started) continue;
        m->started = !pthread_create(&m->thread, NULL, live, w);
        if (!m->started && !at_work) abort();
        break;
    }
    pthread_mutex_unlock(&w->lock);
}

void crew_end(struct crew *w)
{
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->most; i++) /* the others still look for themselves in the list: it stays as it is */
        if (w->members[i].started) pthread_join(w->members[i].thread, NULL);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
