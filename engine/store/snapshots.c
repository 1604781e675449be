#include "store/snapshots.h"

static const struct field fields[] = {
    FIELD(struct stored_schema, fingerprint, K_STR), FIELD(struct stored_schema, source, K_STR),
    FIELD(struct stored_schema, taken_at, K_INT),    FIELD(struct stored_schema, snapshot, K_STR),
    FIELD(struct stored_schema, value_index, K_RAW), { 0 },
};
static const struct type stored_type = TYPE(struct stored_schema, "StoredSchema", fields);

struct put {
    const char *datasource_id;
    const struct stored_schema *schema;
};

static int put(struct db *db, struct call *c, void *ctx)
{
    const struct put *p = ctx;
    const struct stored_schema *s = p->schema;
    int rc = db_exec(db, c, "DELETE FROM schema_snapshots WHERE datasource_id = $1 AND fingerprint = $2",
                     PARAMS(P_T(p->datasource_id), P_T(s->fingerprint)), NULL);
    if (!rc)
        rc =
            db_exec(db, c,
                    "INSERT INTO schema_snapshots (datasource_id, fingerprint, source, taken_at, snapshot, value_index)"
                    " VALUES ($1, $2, $3, $4, $5, $6)",
                    PARAMS(P_T(p->datasource_id), P_T(s->fingerprint), P_T(s->source), P_I(s->taken_at),
                           P_T(s->snapshot), db_blob(s->value_index.text, s->value_index.n)),
                    NULL);
    if (!rc)
        rc = db_exec(
            db, c,
            "DELETE FROM schema_snapshots WHERE datasource_id = $1 AND fingerprint NOT IN (SELECT fingerprint FROM"
            " schema_snapshots WHERE datasource_id = $1 ORDER BY taken_at DESC, fingerprint LIMIT 3)",
            PARAMS(P_T(p->datasource_id)), NULL);
    return rc;
}

int snapshots_put(struct db *db, struct call *c, const char *datasource_id, const struct stored_schema *s)
{
    struct put p = { .datasource_id = datasource_id, .schema = s };
    return db_transaction(db, c, put, &p);
}

int snapshots_last(struct db *db, struct call *c, const char *datasource_id, const char *source,
                   struct stored_schema *out, bool *found)
{
    return db_one(db, c,
                  "SELECT fingerprint, source, taken_at, snapshot, value_index FROM schema_snapshots"
                  " WHERE datasource_id = $1 AND source = $2 ORDER BY taken_at DESC, fingerprint LIMIT 1",
                  PARAMS(P_T(datasource_id), P_T(source)), &stored_type, out, found);
}

int snapshots_remove(struct db *db, struct call *c, const char *datasource_id)
{
    return db_exec(db, c, "DELETE FROM schema_snapshots WHERE datasource_id = $1", PARAMS(P_T(datasource_id)), NULL);
}
