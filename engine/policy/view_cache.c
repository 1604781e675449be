#include "policy/view_cache.h"

#include "policy/policies.h"

#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 1024
#define BYTES_MAX   ((size_t)256 * 1024 * 1024)

struct entry {
    struct call memory; /* first: what view_cache_memory hands out is the entry */
    const struct view *view;
    const struct snapshot *snapshot;
    int64_t taken_us;
    struct entry *next;
};

struct view_cache {
    pthread_rwlock_t lock;
    struct entry *entries;
    size_t count, bytes;
};

struct view_cache *view_cache_new(void)
{
    struct view_cache *cache = calloc(1, sizeof *cache);
    if (!cache) abort();
    pthread_rwlock_init(&cache->lock, NULL);
    return cache;
}

static void entry_free(struct entry *e)
{
    call_end(&e->memory);
    free(e);
}

void view_cache_free(struct view_cache *cache)
{
    if (!cache) return;
    for (struct entry *e = cache->entries, *next; e; e = next) {
        next = e->next;
        entry_free(e);
    }
    pthread_rwlock_destroy(&cache->lock);
    free(cache);
}

static const struct view *find(const struct view_cache *cache, const struct snapshot *s, const char *key)
{
    for (const struct entry *e = cache->entries; e; e = e->next)
        if (e->snapshot == s && e->taken_us == s->taken_us && strcmp(e->view->key, key) == 0) return e->view;
    return NULL;
}

const struct view *view_cache_get(struct view_cache *cache, const struct snapshot *s, const char *key)
{
    pthread_rwlock_rdlock(&cache->lock);
    const struct view *found = find(cache, s, key);
    pthread_rwlock_unlock(&cache->lock);
    return found;
}

struct call *view_cache_memory(struct view_cache *cache)
{
    pthread_rwlock_rdlock(&cache->lock);
    bool full = cache->count >= ENTRIES_MAX || cache->bytes >= BYTES_MAX;
    pthread_rwlock_unlock(&cache->lock);
    if (full) return NULL;
    struct entry *e = calloc(1, sizeof *e);
    if (!e) abort();
    call_begin(&e->memory);
    return &e->memory;
}

const struct view *view_cache_put(struct view_cache *cache, struct call *memory, struct view *v, const char *key)
{
    struct entry *e = (struct entry *)memory;
    v->key = call_strdup(memory, key);
    pthread_rwlock_wrlock(&cache->lock);
    const struct view *found = find(cache, v->snapshot, v->key);
    if (!found) {
        e->view = v;
        e->snapshot = v->snapshot;
        e->taken_us = v->snapshot->taken_us;
        e->next = cache->entries;
        cache->entries = e;
        cache->count++;
        cache->bytes += memory->arena.total_bytes;
    }
    pthread_rwlock_unlock(&cache->lock);
    if (!found) return v;
    entry_free(e);
    return found;
}
