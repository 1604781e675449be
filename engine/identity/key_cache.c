#include "identity/key_cache.h"

#include "base/clock.h"

#include <string.h>

#define KEPT_US 1000000

void key_cache_init(struct key_cache *k)
{
    pthread_mutex_init(&k->lock, NULL);
}

void key_cache_free(struct key_cache *k)
{
    pthread_mutex_destroy(&k->lock);
    explicit_bzero(k->places, sizeof k->places);
}

static struct cached_key *place_of(struct key_cache *k, const char *id)
{
    unsigned h = 0;
    for (; *id; id++) h = h * 31 + (unsigned char)*id;
    return &k->places[h % KEY_CACHE_PLACES];
}

/* False when it does not fit. */
static bool add(struct cached_key *p, const char *text)
{
    size_t n = strlen(text) + 1;
    if (n > sizeof p->text - p->bytes) return false;
    memcpy(p->text + p->bytes, text, n);
    p->bytes += n;
    return true;
}

static const char *next(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

bool key_cache_find(struct key_cache *k, struct call *c, const char *id, struct api_key *out, uint64_t *ticket)
{
    struct cached_key *place = place_of(k, id), *copy = call_alloc(c, sizeof *copy);
    pthread_mutex_lock(&k->lock);
    *ticket = k->forgotten;
    bool found = place->until_us > clock_mono_us() && !strcmp(place->id, id);
    if (found) *copy = *place;
    pthread_mutex_unlock(&k->lock);
    if (!found) return false;
    const char *at = copy->text;
    *out = (struct api_key){ .id = copy->id, .level = copy->level, .secret_hash = copy->secret_hash };
    out->user_id = next(&at);
    out->tenant_id = next(&at);
    for (size_t i = 0; i < copy->role_count; i++)
        *(const char **)list_push(c, &out->roles, sizeof(const char *)) = next(&at);
    return true;
}

void key_cache_put(struct key_cache *k, const struct api_key *key, uint64_t ticket)
{
    struct cached_key fresh = { .level = key->level, .role_count = key->roles.count };
    if (strlen(key->id) >= sizeof fresh.id || strlen(key->secret_hash) >= sizeof fresh.secret_hash) return;
    memcpy(fresh.id, key->id, strlen(key->id));
    memcpy(fresh.secret_hash, key->secret_hash, strlen(key->secret_hash));
    if (!add(&fresh, key->user_id) || !add(&fresh, key->tenant_id)) return;
    for (size_t i = 0; i < key->roles.count; i++)
        if (!add(&fresh, LIST_AT(&key->roles, const char *, i))) return;
    fresh.until_us = clock_mono_us() + KEPT_US;
    pthread_mutex_lock(&k->lock);
    if (k->forgotten == ticket) *place_of(k, key->id) = fresh;
    pthread_mutex_unlock(&k->lock);
}

void key_cache_forget(struct key_cache *k, const char *id)
{
    pthread_mutex_lock(&k->lock);
    struct cached_key *place = place_of(k, id);
    if (!strcmp(place->id, id)) place->until_us = 0;
    k->forgotten++;
    pthread_mutex_unlock(&k->lock);
}
