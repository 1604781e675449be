/* key_cache: API keys in force as the store had them less than a second ago, so that a busy caller's key is not looked
 * up in the store for every request. A key that another process made or revoked counts within that second; one revoked
 * here is forgotten at once. A few places of fixed size; any thread may call. */
#ifndef QUERENT_IDENTITY_KEY_CACHE_H
#define QUERENT_IDENTITY_KEY_CACHE_H

#include "domain/api_key.h"

#include <pthread.h>

#define KEY_CACHE_PLACES 64
#define KEY_CACHE_BYTES  384 /* user, tenant and roles of a key; one with more is not kept */

struct key_cache {
    pthread_mutex_t lock; /* leaf lock */
    uint64_t forgotten;   /* how often a key was */
    struct cached_key {
        int64_t until_us; /* monotonic; 0 = empty */
        char id[API_KEY_ID_BYTES + 1], secret_hash[65];
        int level;
        size_t role_count, bytes;
        char text[KEY_CACHE_BYTES]; /* each ended by a NUL */
    } places[KEY_CACHE_PLACES];
};

void key_cache_init(struct key_cache *k);
void key_cache_free(struct key_cache *k);
/* The members that identify a caller, in the call. When there is none, *ticket is what key_cache_put wants. */
bool key_cache_find(struct key_cache *k, struct call *c, const char *id, struct api_key *out, uint64_t *ticket);
/* Keeps what was read from the store since key_cache_find gave the ticket, unless a key was forgotten meanwhile. */
void key_cache_put(struct key_cache *k, const struct api_key *key, uint64_t ticket);
void key_cache_forget(struct key_cache *k, const char *id);

#endif
