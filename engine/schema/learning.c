/* learning: who finds out about a datasource, and how long others wait for it. A call of the command line learns on its
 * own thread; a call of a server has it done on another and waits only so long. */
#include "schema/slot.h"

#include "base/clock.h"

#include <time.h>

enum { WAKE_US = 50000, LESSON_WAIT_US = 60000000, LESSON_LOOK_US = 500000, STALE_AGAIN_US = 10000000 };

static bool due(struct slot *slot, int64_t retry_us)
{
    if (!slot->connected->adapter || atomic_load(&slot->checked)) return false;
    int64_t tried = atomic_load(&slot->tried_us);
    return !tried || clock_mono_us() - tried >= retry_us;
}

/* Waits for the learner of another call, at most as long as this call may. */
static bool lock_lesson(struct slot *slot, struct call *c, int64_t most_us)
{
    struct timespec until;
    int64_t left = call_left_us(c);
    if (left > most_us) left = most_us;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += left / 1000000;
    until.tv_nsec += left % 1000000 * 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return pthread_mutex_timedlock(&slot->lesson, &until) == 0;
}

static void learn_here(struct registry *r, struct slot *slot, struct call *c, int64_t retry_us)
{
    if (!lock_lesson(slot, c, LESSON_WAIT_US)) return;
    if (due(slot, retry_us)) {
        r->learner.learn(r->learner.ctx, r, c, slot->connected->config.id);
        call_forgive(c);
        /* Who gave up for its own reasons says nothing about the datasource. */
        if (!atomic_load(&c->cancelled) && call_left_us(c)) atomic_store(&slot->tried_us, clock_mono_us());
    }
    pthread_mutex_unlock(&slot->lesson);
}

/* True when nobody else was at it. */
static bool set_learning(struct slot *slot)
{
    pthread_mutex_lock(&slot->lock);
    bool first = !slot->learning;
    slot->learning = true;
    if (first) slot->learning_since_us = clock_mono_us();
    pthread_mutex_unlock(&slot->lock);
    return first;
}

static void end_learning(struct slot *slot)
{
    pthread_mutex_lock(&slot->lock);
    slot->learning = false;
    pthread_cond_broadcast(&slot->learnt);
    pthread_mutex_unlock(&slot->lock);
}

void registry_learn(struct registry *r, struct call *c, const char *id)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) return;
    learn_here(r, slot, c, 0);
    end_learning(slot);
    slot_drop(slot);
}

int registry_lesson(struct registry *r, struct call *c, const char *id, struct slot **out)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", id);
    set_learning(slot);
    while (!lock_lesson(slot, c, LESSON_LOOK_US)) {
        int rc = call_check(c);
        if (!rc) continue;
        end_learning(slot);
        slot_drop(slot);
        return rc;
    }
    *out = slot;
    return OK;
}

void registry_lesson_over(struct slot *slot)
{
    pthread_mutex_unlock(&slot->lesson);
    end_learning(slot);
    slot_drop(slot);
}

void slot_learn_begin(struct registry *r, struct slot *slot, const struct patience *p)
{
    if (!r->learner.begin || !due(slot, p->retry_us) || !set_learning(slot)) return;
    if (!r->learner.begin(r->learner.begin_ctx, slot->connected->config.id)) end_learning(slot);
}

static void wait_learnt(struct slot *slot, struct call *c, const struct patience *p)
{
    int64_t began = clock_mono_us();
    pthread_mutex_lock(&slot->lock);
    while (slot->learning && !atomic_load(&c->cancelled)) {
        bool known = slot->state->known && !atomic_load(&slot->stale);
        int64_t now = clock_mono_us();
        int64_t until = known ? slot->learning_since_us + p->known_us : began + p->unknown_us;
        if (c->deadline_us && c->deadline_us < until) until = c->deadline_us;
        if (now >= until) break;
        /* Cancelling does not signal, so nobody sleeps long. */
        int64_t wake = now + WAKE_US < until ? now + WAKE_US : until;
        struct timespec at = { .tv_sec = wake / 1000000, .tv_nsec = wake % 1000000 * 1000 };
        pthread_cond_timedwait(&slot->learnt, &slot->lock, &at);
    }
    pthread_mutex_unlock(&slot->lock);
}

void slot_learn(struct registry *r, struct slot *slot, struct call *c, const struct patience *p)
{
    if (!r->learner.learn || c->err.code) return;
    if (!r->learner.begin || c->who.level >= LEVEL_OPERATOR) {
        if (due(slot, p->retry_us)) learn_here(r, slot, c, p->retry_us);
        return;
    }
    slot_learn_begin(r, slot, p);
    wait_learnt(slot, c, p);
}

void registry_stale(struct registry *r, const char *id)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) return;
    /* A view may name what is not there: that is no reason to read everything again at each question. */
    int64_t vain = atomic_load(&slot->vain_us);
    if (vain && clock_mono_us() - vain < STALE_AGAIN_US) {
        slot_drop(slot);
        return;
    }
    atomic_store(&slot->stale, true);
    atomic_store(&slot->checked, false);
    atomic_store(&slot->tried_us, 0);
    slot_drop(slot);
}
