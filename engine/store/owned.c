#include "store/owned.h"

int owned_get(struct db *db, struct call *c, const struct owned *o, const struct principal *who, const char *id,
              void *out, bool *found)
{
    return db_one(db, c, o->get, PARAMS(P_T(id), P_T(who->tenant), P_T(who->user)), o->row, out, found);
}

int owned_list(struct db *db, struct call *c, const struct owned *o, const struct principal *who, int64_t before_us,
               const char *before_id, int64_t limit, struct list *out)
{
    if (!before_id) return db_query(db, c, o->first, PARAMS(P_T(who->tenant), P_T(who->user), P_I(limit)), o->row, out);
    return db_query(db, c, o->next,
                    PARAMS(P_T(who->tenant), P_T(who->user), P_I(before_us), P_T(before_id), P_I(limit)), o->row, out);
}

struct deletion {
    const struct owned *owned;
    const struct principal *who;
    const char *id;
    bool found;
};

static int delete_all(struct db *db, struct call *c, void *ctx)
{
    struct deletion *d = ctx;
    int64_t changed = 0;
    int rc = db_exec(db, c, d->owned->delete_parts, PARAMS(P_T(d->id), P_T(d->who->tenant), P_T(d->who->user)), NULL);
    if (!rc)
        rc = db_exec(db, c, d->owned->delete_one, PARAMS(P_T(d->id), P_T(d->who->tenant), P_T(d->who->user)), &changed);
    d->found = changed > 0;
    return rc;
}

int owned_delete(struct db *db, struct call *c, const struct owned *o, const struct principal *who, const char *id,
                 bool *found)
{
    struct deletion d = { .owned = o, .who = who, .id = id };
    int rc = db_transaction(db, c, delete_all, &d);
    *found = d.found;
    return rc;
}
