#include "store/api_keys.h"

#include "base/clock.h"

#include <string.h>

#define COLUMNS "id, label, user_id, tenant_id, level, roles, secret_hash, created_at, created_by, revoked_at"

int api_keys_put(struct db *db, struct call *c, const struct api_key *key)
{
    return db_exec(db, c, "INSERT INTO api_keys (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL)",
                   PARAMS(P_T(key->id), P_T(key->label), P_T(key->user_id), P_T(key->tenant_id),
                          P_T(level_names[key->level]), db_strings(c, key->roles.items, key->roles.count),
                          P_T(key->secret_hash), P_I(key->created_at), P_T(key->created_by)),
                   NULL);
}

int api_keys_find(struct db *db, struct call *c, const char *id, struct api_key *out, bool *found)
{
    return db_one(db, c, "SELECT " COLUMNS " FROM api_keys WHERE id = $1", PARAMS(P_T(id)), &api_key_type, out, found);
}

int api_keys_list(struct db *db, struct call *c, const char *tenant, int64_t after_at, const char *after_id,
                  int64_t limit, struct list *out)
{
    return db_query(db, c,
                    "SELECT " COLUMNS " FROM api_keys WHERE tenant_id = $1 AND ($3 IS NULL OR created_at < $2 OR "
                    "(created_at = $2 AND id < $3)) ORDER BY created_at DESC, id DESC LIMIT $4",
                    PARAMS(P_T(tenant), P_I(after_at), P_T(after_id), P_I(limit)), &api_key_type, out);
}

struct revocation {
    const char *tenant, *id;
    struct api_key *out;
};

static int revoke(struct db *db, struct call *c, void *ctx)
{
    const struct revocation *r = ctx;
    bool found = false;
    int rc =
        db_exec(db, c, "UPDATE api_keys SET revoked_at = $3 WHERE id = $2 AND tenant_id = $1 AND revoked_at IS NULL",
                PARAMS(P_T(r->tenant), P_T(r->id), P_I(clock_utc_us())), NULL);
    if (!rc) rc = api_keys_find(db, c, r->id, r->out, &found);
    if (!rc && (!found || strcmp(r->out->tenant_id, r->tenant)))
        rc = call_fail(c, ERR_NOT_FOUND, "There is no API key '%s'.", r->id);
    return rc;
}

int api_keys_revoke(struct db *db, struct call *c, const char *tenant, const char *id, struct api_key *out)
{
    struct revocation r = { tenant, id, out };
    return db_transaction(db, c, revoke, &r);
}
