#include "schema/slot.h"

#include "base/clock.h"
#include "schema/snapshot.h"
#include "schema/value_index.h"

#include <stdlib.h>
#include <string.h>

const char *const datasource_status_names[] = { "ready", "not_indexed", "unavailable", NULL };

/* By a call that names the datasource, and by one that lists all: the whole list waits only so long. */
static const struct patience named = { .unknown_us = 10000000, .known_us = 2000000, .retry_us = 5000000 };
static const struct patience listed = { .unknown_us = 3000000, .known_us = 1000000, .retry_us = 60000000 };
enum { LISTED_AT_ONCE = 64 };

/* For what a call looked at without settling on it: registry_get does not take it for the call's choice. */
static void peek_drop(void *state)
{
    state_drop(state);
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
    struct registry *r = slot_memory(sizeof *r);
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

struct slot *slot_find(struct registry *r, const char *id)
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
    struct connected *k = slot_memory(sizeof *k);
    const char *problem = NULL;
    k->holders = 1;
    call_begin(&k->memory);
    int rc = copy_config(&k->memory, config, &k->config);
    k->text = call_strdup(&k->memory, text);
    if (rc)
        call_fail(c, (enum err_code)rc, "The datasource's configuration cannot be kept.");
    else
        rc = adapter_open(c, config, &k->adapter);
    if (rc == ERR_DATASOURCE_UNAVAILABLE) {
        problem = call_strdup(c, c->err.message);
        call_forgive(c);
        rc = OK;
    }
    if (rc) {
        connected_drop(k);
        return rc;
    }
    *out = slot_new(k, problem ? DS_UNAVAILABLE : DS_NOT_INDEXED, problem);
    return OK;
}

int registry_put(struct registry *r, struct call *c, const struct datasource_config *config)
{
    const char *text = config_text(c, config);
    struct slot *slot = slot_find(r, config->id), *before = NULL;
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

static int publish(struct registry *r, struct call *c, const char *id, const struct snapshot *s, struct value_index *v,
                   bool checked)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) {
        value_index_free(v);
        return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", id);
    }
    if (v) value_index_open_columns(v, &slot->connected->config.options.public_values);
    if (v && r->learner.folder) value_index_to_file(v, c, r->learner.folder);
    struct known *k = slot_memory(sizeof *k);
    struct snapshot *copy = snapshot_copy(&k->arena, s);
    k->holders = 1;
    k->snapshot = copy;
    k->values = v;
    k->bytes = k->arena.total_bytes;
    if (v) {
        size_t n;
        value_index_blob(v, &n);
        k->bytes += n;
    }
    /* The time tells this picture from an earlier one in the same memory, so it never stands still. */
    struct state *before = slot_state(slot);
    if (before->known && copy->taken_us <= before->known->snapshot->taken_us)
        copy->taken_us = before->known->snapshot->taken_us + 1;
    state_drop(before);
    if (checked) slot_checked(slot);
    slot_show(slot, state_new(slot->connected, k, DS_READY, NULL));
    slot_drop(slot);
    return OK;
}

int registry_publish(struct registry *r, struct call *c, const char *id, const struct snapshot *s,
                     struct value_index *v)
{
    return publish(r, c, id, s, v, true);
}

int registry_recall(struct registry *r, struct call *c, const char *id, const struct snapshot *s, struct value_index *v)
{
    return publish(r, c, id, s, v, false);
}

void registry_mark(struct registry *r, const char *id, enum datasource_status status, const char *problem)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) return;
    struct state *before = slot_state(slot);
    if (before->known) atomic_fetch_add(&before->known->holders, 1);
    slot_show(slot, state_new(slot->connected, before->known, status, problem));
    state_drop(before);
    slot_drop(slot);
}

void registry_confirm(struct registry *r, const char *id)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) return;
    if (atomic_load(&slot->stale)) atomic_store(&slot->vain_us, clock_mono_us());
    slot_checked(slot);
    slot_drop(slot);
    registry_mark(r, id, DS_READY, NULL);
}

static const struct datasource *pin(struct slot *slot, struct call *c, void (*drop)(void *state))
{
    struct state *s = slot_state(slot);
    call_defer(c, drop, s);
    return &s->shown;
}

/* What the call settled on before, or NULL. */
static const struct datasource *pinned(struct slot *slot, struct call *c)
{
    for (struct deferred *d = c->deferred; d; d = d->before) {
        struct state *s = d->fn == state_drop ? d->ctx : NULL;
        if (s && s->connected == slot->connected) return &s->shown;
    }
    return NULL;
}

static const struct datasource *get(struct registry *r, struct slot *slot, struct call *c, const struct patience *p)
{
    const struct datasource *ds = pinned(slot, c);
    if (ds) return ds;
    slot_learn(r, slot, c, p);
    return pin(slot, c, state_drop);
}

const struct datasource *registry_get(struct registry *r, struct call *c, const char *id)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) return NULL;
    const struct datasource *ds = get(r, slot, c, &named);
    slot_drop(slot);
    return ds;
}

const struct datasource *registry_peek(struct registry *r, struct call *c, const char *id)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) return NULL;
    const struct datasource *ds = pin(slot, c, peek_drop);
    slot_drop(slot);
    return ds;
}

struct list registry_ids(struct registry *r, struct call *c, const char *after, size_t most)
{
    struct list ids = { 0 };
    bool found = false;
    pthread_rwlock_rdlock(&r->lock);
    size_t first = after ? place(r, after, &found) : 0;
    for (size_t i = first + found; i < r->count && ids.count < most; i++)
        *(const char **)list_push(c, &ids, sizeof(char *)) = call_strdup(c, r->slots[i]->connected->config.id);
    pthread_rwlock_unlock(&r->lock);
    return ids;
}

struct list registry_some(struct registry *r, struct call *c, const char *const *ids, size_t count)
{
    struct list slots = { 0 }, all = { 0 };
    bool waits = c->who.level >= LEVEL_OPERATOR;
    for (size_t i = 0; i < count; i++) {
        struct slot *slot = slot_find(r, ids[i]);
        if (!slot) continue;
        *(struct slot **)list_push(c, &slots, sizeof(struct slot *)) = slot;
        if (!waits && slots.count <= LISTED_AT_ONCE) slot_learn_begin(r, slot, &listed);
    }
    int64_t began = clock_mono_us();
    for (size_t i = 0; i < slots.count; i++) {
        struct slot *slot = LIST_AT(&slots, struct slot *, i);
        struct patience p = listed;
        p.unknown_us -= clock_mono_us() - began;
        const struct datasource *ds = pinned(slot, c);
        if (!ds && (i < LISTED_AT_ONCE || waits)) ds = get(r, slot, c, &p);
        if (!ds) ds = pin(slot, c, state_drop);
        *(const struct datasource **)list_push(c, &all, sizeof ds) = ds;
        slot_drop(slot);
    }
    return all;
}

struct list registry_list(struct registry *r, struct call *c)
{
    struct list ids = registry_ids(r, c, NULL, SIZE_MAX);
    return registry_some(r, c, ids.items, ids.count);
}

void registry_begin(struct registry *r, const char *id)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) return;
    slot_learn_begin(r, slot, &named);
    slot_drop(slot);
}

bool registry_awaited(struct registry *r, const char *id)
{
    struct slot *slot = slot_find(r, id);
    if (!slot) return false;
    pthread_mutex_lock(&slot->lock);
    bool awaited = slot->learning && !slot->state->known;
    pthread_mutex_unlock(&slot->lock);
    slot_drop(slot);
    return awaited;
}

struct registry_census registry_census(struct registry *r)
{
    struct registry_census n = { 0 };
    pthread_rwlock_rdlock(&r->lock);
    for (size_t i = 0; i < r->count; i++) {
        struct state *s = slot_state(r->slots[i]);
        struct circuit_state circuit;
        n.ready += s->shown.status == DS_READY;
        n.not_indexed += s->shown.status == DS_NOT_INDEXED;
        n.unavailable += s->shown.status == DS_UNAVAILABLE;
        n.bytes += s->shown.bytes;
        if (adapter_health(s->shown.adapter, &circuit)) {
            n.circuits_open += circuit.circuit != CIRCUIT_CLOSED;
            n.opened += circuit.opened;
            n.refused += circuit.refused;
        }
        state_drop(s);
    }
    pthread_rwlock_unlock(&r->lock);
    return n;
}
