#include "schema/slot.h"

#include "schema/value_index.h"

#include <stdlib.h>
#include <string.h>

void *slot_memory(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (!p) abort();
    return p;
}

void connected_drop(struct connected *k)
{
    if (!k || atomic_fetch_sub(&k->holders, 1) != 1) return;
    adapter_close(k->adapter);
    call_end(&k->memory);
    free(k);
}

void known_drop(struct known *k)
{
    if (!k || atomic_fetch_sub(&k->holders, 1) != 1) return;
    arena_free(&k->arena);
    value_index_free(k->values);
    free(k);
}

void state_drop(void *state)
{
    struct state *s = state;
    if (!s || atomic_fetch_sub(&s->holders, 1) != 1) return;
    known_drop(s->known);
    connected_drop(s->connected);
    free(s->problem);
    free(s);
}

struct state *state_new(struct connected *connected, struct known *known, enum datasource_status status,
                        const char *problem)
{
    struct state *s = slot_memory(sizeof *s);
    if (status == DS_READY && !known) status = DS_NOT_INDEXED;
    if (problem && !(s->problem = strdup(problem))) abort();
    s->holders = 1;
    atomic_fetch_add(&connected->holders, 1);
    s->connected = connected;
    s->known = known;
    s->shown = (struct datasource){ .config = &connected->config,
                                    .adapter = connected->adapter,
                                    .snapshot = known ? known->snapshot : NULL,
                                    .values = known ? known->values : NULL,
                                    .bytes = known ? known->bytes : 0,
                                    .status = status,
                                    .problem = s->problem };
    return s;
}

struct slot *slot_new(struct connected *connected, enum datasource_status status, const char *problem)
{
    struct slot *slot = slot_memory(sizeof *slot);
    pthread_condattr_t monotonic;
    slot->holders = 1;
    slot->connected = connected;
    pthread_mutex_init(&slot->lock, NULL);
    pthread_mutex_init(&slot->lesson, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&slot->learnt, &monotonic);
    pthread_condattr_destroy(&monotonic);
    slot->state = state_new(connected, NULL, status, problem);
    return slot;
}

void slot_hold(struct slot *slot)
{
    atomic_fetch_add(&slot->holders, 1);
}

void slot_drop(struct slot *slot)
{
    if (atomic_fetch_sub(&slot->holders, 1) != 1) return;
    state_drop(slot->state);
    connected_drop(slot->connected);
    pthread_mutex_destroy(&slot->lock);
    pthread_mutex_destroy(&slot->lesson);
    pthread_cond_destroy(&slot->learnt);
    free(slot);
}

struct state *slot_state(struct slot *slot)
{
    pthread_mutex_lock(&slot->lock);
    struct state *s = slot->state;
    atomic_fetch_add(&s->holders, 1);
    pthread_mutex_unlock(&slot->lock);
    return s;
}

void slot_show(struct slot *slot, struct state *s)
{
    pthread_mutex_lock(&slot->lock);
    struct state *before = slot->state;
    slot->state = s;
    pthread_cond_broadcast(&slot->learnt);
    pthread_mutex_unlock(&slot->lock);
    state_drop(before);
}

void slot_checked(struct slot *slot)
{
    atomic_store(&slot->checked, true);
    atomic_store(&slot->stale, false);
}
