#include "store/snapshots.h"

static const struct field fields[] = {
    FIELD(struct stored_schema, fingerprint, K_STR), FIELD(struct stored_schema, source, K_STR),
    FIELD(struct stored_schema, taken_at, K_INT),    FIELD(struct stored_schema, snapshot, K_STR),
    FIELD(struct stored_schema, value_index, K_RAW), FIELD(struct stored_schema, change_count, K_INT),
    FIELD(struct stored_schema, changes, K_RAW),     { 0 },
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
    struct stored_schema same = { .change_count = s->change_count, .changes = s->changes };
    bool found;
    int rc = OK;
    if (!s->changes.text)
        rc = db_one(db, c,
                    "SELECT change_count, changes FROM schema_snapshots WHERE datasource_id = $1 AND fingerprint = $2",
                    PARAMS(P_T(p->datasource_id), P_T(s->fingerprint)), &stored_type, &same, &found);
    if (!rc)
        rc = db_exec(db, c, "DELETE FROM schema_snapshots WHERE datasource_id = $1 AND fingerprint = $2",
                     PARAMS(P_T(p->datasource_id), P_T(s->fingerprint)), NULL);
    if (!rc)
        rc = db_exec(
            db, c,
            "INSERT INTO schema_snapshots (datasource_id, fingerprint, source, taken_at, snapshot, value_index,"
            " change_count, changes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            PARAMS(P_T(p->datasource_id), P_T(s->fingerprint), P_T(s->source), P_I(s->taken_at), P_T(s->snapshot),
                   db_blob(s->value_index.text, s->value_index.n), P_I(same.change_count), db_raw(same.changes)),
            NULL);
    if (!rc)
        rc = db_exec(
            db, c,
            "DELETE FROM schema_snapshots WHERE datasource_id = $1 AND fingerprint NOT IN (SELECT fingerprint FROM"
            " schema_snapshots WHERE datasource_id = $1 ORDER BY taken_at DESC, fingerprint LIMIT 5)",
            PARAMS(P_T(p->datasource_id)), NULL);
    if (!rc)
        rc = db_exec(db, c,
                     "UPDATE schema_snapshots SET value_index = NULL WHERE datasource_id = $1 AND fingerprint <> $2",
                     PARAMS(P_T(p->datasource_id), P_T(s->fingerprint)), NULL);
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

int snapshots_versions(struct db *db, struct call *c, const char *datasource_id, struct list *out)
{
    return db_query(db, c,
                    "SELECT fingerprint, taken_at, change_count, changes FROM schema_snapshots"
                    " WHERE datasource_id = $1 ORDER BY taken_at DESC, fingerprint",
                    PARAMS(P_T(datasource_id)), &stored_type, out);
}

int snapshots_remove(struct db *db, struct call *c, const char *datasource_id)
{
    return db_exec(db, c, "DELETE FROM schema_snapshots WHERE datasource_id = $1", PARAMS(P_T(datasource_id)), NULL);
}
