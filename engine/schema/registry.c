#include "schema/registry.h"

#include "base/clock.h"
#include "schema/snapshot.h"
#include "schema/value_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const datasource_status_names[] = { "ready", "not_indexed", "unavailable", NULL };

/* How soon what could not be learnt is tried again: by a call that names the datasource, by one that lists all. */
enum { RETRY_NAMED_US = 5000000, RETRY_LISTED_US = 60000000 };

/* A configuration and its adapter, held by a slot and by the states that show them. */
struct connected {
    atomic_size_t holders;
    struct call memory; /* of the config */
    struct datasource_config config;
    const char *text; /* equal texts are equal configs */
    struct adapter *adapter;
};

/* A snapshot with its value index, held by the states that show them. */
struct known {
    atomic_size_t holders;
    struct arena arena;
    const struct snapshot *snapshot;
    struct value_index *values;
};

/* What calls hold; immutable. */
struct state {
    struct datasource shown; /* first: a pinned datasource leads back to its state */
    atomic_size_t holders;
    struct connected *connected;
    struct known *known; /* NULL until indexed */
    char *problem;
};

/* A datasource under its configuration, and what is known of it now. */
struct slot {
    atomic_size_t holders; /* the registry, and calls that work on it */
    struct connected *connected;
    pthread_mutex_t lock; /* leaf: state */
    struct state *state;
    pthread_mutex_t learning; /* held while the learner runs */
    _Atomic int64_t tried_us; /* monotonic; 0 = never */
};

struct registry {
    pthread_rwlock_t lock; /* leaf: the list */
    struct slot **slots;   /* by id */
    size_t count, room;
    struct registry_learner learner;
};

static void *fresh(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (!p) abort();
    return p;
}

/* ---- lifetimes ---- */

static void connected_drop(struct connected *k)
{
    if (!k || atomic_fetch_sub(&k->holders, 1) != 1) return;
    adapter_close(k->adapter);
    call_end(&k->memory);
    free(k);
}

static void known_drop(struct known *k)
{
    if (!k || atomic_fetch_sub(&k->holders, 1) != 1) return;
    arena_free(&k->arena);
    value_index_free(k->values);
    free(k);
}

static void state_drop(void *state)
{
    struct state *s = state;
    if (!s || atomic_fetch_sub(&s->holders, 1) != 1) return;
    known_drop(s->known);
    connected_drop(s->connected);
    free(s->problem);
    free(s);
}

/* For what a call looked at without settling on it: registry_get does not take it for the call's choice. */
static void peek_drop(void *state)
{
    state_drop(state);
}

static void slot_drop(struct slot *slot)
{
    if (atomic_fetch_sub(&slot->holders, 1) != 1) return;
    state_drop(slot->state);
    connected_drop(slot->connected);
    pthread_mutex_destroy(&slot->lock);
    pthread_mutex_destroy(&slot->learning);
    free(slot);
}

/* Takes over one hold on known. */
static struct state *state_new(struct connected *connected, struct known *known, enum datasource_status status,
                               const char *problem)
{
    struct state *s = fresh(sizeof *s);
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
                                    .status = status,
                                    .problem = s->problem };
    return s;
}

static void slot_show(struct slot *slot, struct state *s)
{
    pthread_mutex_lock(&slot->lock);
    struct state *before = slot->state;
    slot->state = s;
    pthread_mutex_unlock(&slot->lock);
    state_drop(before);
}

static struct state *slot_hold(struct slot *slot)
{
    pthread_mutex_lock(&slot->lock);
    struct state *s = slot->state;
    atomic_fetch_add(&s->holders, 1);
    pthread_mutex_unlock(&slot->lock);
    return s;
}

/* ---- configurations ---- */

static const char *config_text(struct call *c, const struct datasource_config *d)
{
    struct buf b;
    buf_init(&b, c, (size_t)4 << 20);
    json_add_string(&b, d->id);
    json_add_string(&b, d->description);
    json_add_string(&b, d->type);
    if (d->connection) json_write(&b, d->connection);
    json_encode(&b, &datasource_options_type, &d->options);
    buf_format(&b, "%d%d", d->required, d->managed);
    return b.data;
}

/* A tree or struct written and read again lies wholly in the other call. */
static int copy_config(struct call *to, const struct datasource_config *from, struct datasource_config *out)
{
    const struct json *options;
    struct buf b;
    int rc = OK;
    *out = (struct datasource_config){ .id = call_strdup(to, from->id),
                                       .description = call_strdup(to, from->description),
                                       .type = call_strdup(to, from->type),
                                       .required = from->required,
                                       .managed = from->managed };
    buf_init(&b, to, (size_t)4 << 20);
    if (from->connection) {
        json_write(&b, from->connection);
        rc = json_parse(to, b.data, b.len, &out->connection);
    }
    buf_clear(&b);
    json_encode(&b, &datasource_options_type, &from->options);
    if (!rc) rc = json_parse(to, b.data, b.len, &options);
    if (!rc) rc = json_decode(to, &datasource_options_type, options, &out->options);
    return rc;
}

/* ---- the list ---- */

int registry_open(struct call *c, struct registry **out)
{
    (void)c;
    struct registry *r = fresh(sizeof *r);
    pthread_rwlock_init(&r->lock, NULL);
    *out = r;
    return OK;
}

static void make_room(struct registry *r)
{
    if (r->count < r->room) return;
    r->room = r->room ? r->room * 2 : 8;
    r->slots = realloc(r->slots, r->room * sizeof(struct slot *));
    if (!r->slots) abort();
}

void registry_close(struct registry *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->count; i++) slot_drop(r->slots[i]);
    free(r->slots);
    pthread_rwlock_destroy(&r->lock);
    free(r);
}

void registry_learn_with(struct registry *r, struct registry_learner learner)
{
    r->learner = learner;
}

/* First index whose id is not below; *found says whether it is equal. The lock is held. */
static size_t place(const struct registry *r, const char *id, bool *found)
{
    size_t low = 0, high = r->count;
    *found = false;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(r->slots[middle]->connected->config.id, id);
        if (order == 0) *found = true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* NULL when there is none; else the caller holds it until slot_drop. */
static struct slot *find(struct registry *r, const char *id)
{
    bool found;
    pthread_rwlock_rdlock(&r->lock);
    size_t at = place(r, id, &found);
    struct slot *slot = found ? r->slots[at] : NULL;
    if (slot) atomic_fetch_add(&slot->holders, 1);
    pthread_rwlock_unlock(&r->lock);
    return slot;
}

static int connect(struct call *c, const struct datasource_config *config, const char *text, struct slot **out)
{
    struct connected *k = fresh(sizeof *k);
    const char *problem = NULL;
    k->holders = 1;
    call_begin(&k->memory);
    int rc = copy_config(&k->memory, config, &k->config);
    k->text = call_strdup(&k->memory, text);
    if (rc)
        call_fail(c, (enum err_code)rc, "The datasource's configuration cannot be kept.");
    else
        rc = adapter_open(c, &k->config, &k->adapter);
    if (rc == ERR_DATASOURCE_UNAVAILABLE) {
        problem = call_strdup(c, c->err.message);
        call_forgive(c);
        rc = OK;
    }
    if (rc) {
        connected_drop(k);
        return rc;
    }
    struct slot *slot = fresh(sizeof *slot);
    slot->holders = 1;
    slot->connected = k;
    pthread_mutex_init(&slot->lock, NULL);
    pthread_mutex_init(&slot->learning, NULL);
    slot->state = state_new(k, NULL, problem ? DS_UNAVAILABLE : DS_NOT_INDEXED, problem);
    *out = slot;
    return OK;
}

int registry_put(struct registry *r, struct call *c, const struct datasource_config *config)
{
    const char *text = config_text(c, config);
    struct slot *slot = find(r, config->id), *before = NULL;
    bool same = slot && !strcmp(slot->connected->text, text), found;
    if (slot) slot_drop(slot);
    if (same) return OK;
    int rc = connect(c, config, text, &slot);
    if (rc) return rc;
    pthread_rwlock_wrlock(&r->lock);
    size_t at = place(r, config->id, &found);
    if (!found) {
        make_room(r);
        memmove(r->slots + at + 1, r->slots + at, (r->count - at) * sizeof(struct slot *));
        r->count++;
        r->slots[at] = slot;
    } else if (!strcmp(r->slots[at]->connected->text, text)) {
        before = slot; /* another call put the same at the same time */
    } else {
        before = r->slots[at];
        r->slots[at] = slot;
    }
    pthread_rwlock_unlock(&r->lock);
    if (before) slot_drop(before);
    return OK;
}

int registry_remove(struct registry *r, struct call *c, const char *id)
{
    bool found;
    struct slot *slot = NULL;
    pthread_rwlock_wrlock(&r->lock);
    size_t at = place(r, id, &found);
    if (found) {
        slot = r->slots[at];
        memmove(r->slots + at, r->slots + at + 1, (--r->count - at) * sizeof(struct slot *));
    }
    pthread_rwlock_unlock(&r->lock);
    if (!slot) return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", id);
    slot_drop(slot);
    return OK;
}

/* ---- what is known ---- */

int registry_publish(struct registry *r, struct call *c, const char *id, const struct snapshot *s,
                     struct value_index *v)
{
    struct slot *slot = find(r, id);
    if (!slot) {
        value_index_free(v);
        return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", id);
    }
    if (v) value_index_open_columns(v, &slot->connected->config.options.public_values);
    if (v && r->learner.folder) value_index_to_file(v, c, r->learner.folder);
    struct known *k = fresh(sizeof *k);
    struct snapshot *copy = snapshot_copy(&k->arena, s);
    k->holders = 1;
    k->snapshot = copy;
    k->values = v;
    /* The time tells this picture from an earlier one in the same memory, so it never stands still. */
    struct state *before = slot_hold(slot);
    if (before->known && copy->taken_us <= before->known->snapshot->taken_us)
        copy->taken_us = before->known->snapshot->taken_us + 1;
    state_drop(before);
    slot_show(slot, state_new(slot->connected, k, DS_READY, NULL));
    slot_drop(slot);
    return OK;
}

void registry_mark(struct registry *r, const char *id, enum datasource_status status, const char *problem)
{
    struct slot *slot = find(r, id);
    if (!slot) return;
    struct state *before = slot_hold(slot);
    if (before->known) atomic_fetch_add(&before->known->holders, 1);
    slot_show(slot, state_new(slot->connected, before->known, status, problem));
    state_drop(before);
    slot_drop(slot);
}

/* Waits for the learner of another call, at most as long as this call may. */
static bool lock_learning(struct slot *slot, struct call *c)
{
    struct timespec until;
    int64_t left = call_left_us(c);
    if (left > 60000000) left = 60000000;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += left / 1000000;
    until.tv_nsec += left % 1000000 * 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return pthread_mutex_timedlock(&slot->learning, &until) == 0;
}

static bool due(struct slot *slot, int64_t retry_us)
{
    struct state *s = slot_hold(slot);
    bool known = s->known != NULL, open = s->connected->adapter != NULL;
    state_drop(s);
    int64_t tried = atomic_load(&slot->tried_us);
    return !known && open && (!tried || clock_mono_us() - tried >= retry_us);
}

static void learn(struct registry *r, struct slot *slot, struct call *c, int64_t retry_us)
{
    if (!r->learner.learn || c->err.code || !due(slot, retry_us) || !lock_learning(slot, c)) return;
    if (due(slot, retry_us)) {
        r->learner.learn(r->learner.ctx, r, c, slot->connected->config.id);
        call_forgive(c);
        /* Who gave up for its own reasons says nothing about the datasource. */
        if (!atomic_load(&c->cancelled) && call_left_us(c)) atomic_store(&slot->tried_us, clock_mono_us());
    }
    pthread_mutex_unlock(&slot->learning);
}

static const struct datasource *pin(struct slot *slot, struct call *c, void (*drop)(void *state))
{
    struct state *s = slot_hold(slot);
    call_defer(c, drop, s);
    return &s->shown;
}

static const struct datasource *get(struct registry *r, struct slot *slot, struct call *c, int64_t retry_us)
{
    for (struct deferred *d = c->deferred; d; d = d->before) {
        struct state *s = d->fn == state_drop ? d->ctx : NULL;
        if (s && s->connected == slot->connected) return &s->shown;
    }
    learn(r, slot, c, retry_us);
    return pin(slot, c, state_drop);
}

const struct datasource *registry_get(struct registry *r, struct call *c, const char *id)
{
    struct slot *slot = find(r, id);
    if (!slot) return NULL;
    const struct datasource *ds = get(r, slot, c, RETRY_NAMED_US);
    slot_drop(slot);
    return ds;
}

const struct datasource *registry_peek(struct registry *r, struct call *c, const char *id)
{
    struct slot *slot = find(r, id);
    if (!slot) return NULL;
    const struct datasource *ds = pin(slot, c, peek_drop);
    slot_drop(slot);
    return ds;
}

struct list registry_list(struct registry *r, struct call *c)
{
    struct list slots = { 0 }, all = { 0 };
    pthread_rwlock_rdlock(&r->lock);
    for (size_t i = 0; i < r->count; i++) {
        *(struct slot **)list_push(c, &slots, sizeof(struct slot *)) = r->slots[i];
        atomic_fetch_add(&r->slots[i]->holders, 1);
    }
    pthread_rwlock_unlock(&r->lock);
    for (size_t i = 0; i < slots.count; i++) {
        struct slot *slot = LIST_AT(&slots, struct slot *, i);
        const struct datasource *ds = get(r, slot, c, RETRY_LISTED_US);
        *(const struct datasource **)list_push(c, &all, sizeof ds) = ds;
        slot_drop(slot);
    }
    return all;
}
