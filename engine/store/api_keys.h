/* api_keys: the stored API keys. A key made or revoked by any process is seen by the next look-up. */
#ifndef QUERENT_STORE_API_KEYS_H
#define QUERENT_STORE_API_KEYS_H

#include "domain/api_key.h"
#include "store/db.h"

/* ERR_CONFLICT when the id is taken. */
int api_keys_put(struct db *db, struct call *c, const struct api_key *key);
/* Of any tenant, revoked ones too. */
int api_keys_find(struct db *db, struct call *c, const char *id, struct api_key *out, bool *found);
/* Of a tenant, newest first, at most `limit`; only those after the key (created_at, id) when after_id is not NULL. */
int api_keys_list(struct db *db, struct call *c, const char *tenant, int64_t after_at, const char *after_id,
                  int64_t limit, struct list *out);
/* Keeps the row; a key revoked before keeps its time. ERR_NOT_FOUND when the tenant has no such key. */
int api_keys_revoke(struct db *db, struct call *c, const char *tenant, const char *id, struct api_key *out);

#endif
