#include "store/dashboards.h"

#include "store/owned.h"

static const struct field dashboard_fields[] = {
    FIELD(struct stored_dashboard, id, K_STR),
    FIELD(struct stored_dashboard, tenant_id, K_STR),
    FIELD(struct stored_dashboard, owner, K_STR),
    FIELD(struct stored_dashboard, title, K_STR),
    FIELD(struct stored_dashboard, datasource_id, K_STR),
    FIELD(struct stored_dashboard, tile_count, K_INT),
    FIELD(struct stored_dashboard, created_at, K_TIME),
    FIELD(struct stored_dashboard, updated_at, K_TIME),
    { 0 },
};
static const struct type dashboard_row = TYPE(struct stored_dashboard, "StoredDashboard", dashboard_fields);

static const struct field tile_fields[] = {
    FIELD(struct stored_tile, id, K_STR),
    FIELD(struct stored_tile, title, K_STR),
    FIELD(struct stored_tile, question, K_STR),
    FIELD(struct stored_tile, reading, K_STR),
    FIELD(struct stored_tile, datasource_id, K_STR),
    FIELD(struct stored_tile, source, K_STR),
    FIELD(struct stored_tile, chart, K_STR),
    FIELD(struct stored_tile, plan, K_RAW),
    FIELD(struct stored_tile, position, K_INT),
    FIELD(struct stored_tile, x, K_INT),
    FIELD(struct stored_tile, y, K_INT),
    FIELD(struct stored_tile, w, K_INT),
    FIELD(struct stored_tile, h, K_INT),
    { 0 },
};
static const struct type tile_row = TYPE(struct stored_tile, "StoredTile", tile_fields);

#define COLUMNS                                                                                                        \
    "id, tenant_id, owner, title, datasource_id, created_at, updated_at,"                                              \
    " (SELECT count(*) FROM tiles WHERE dashboard_id = dashboards.id) AS tile_count"
static const struct owned owned = OWNED(&dashboard_row, COLUMNS, "dashboards", "tiles", "dashboard_id");

int dashboards_insert(struct db *db, struct call *c, const struct stored_dashboard *d)
{
    return db_exec(
        db, c,
        "INSERT INTO dashboards (id, tenant_id, owner, title, datasource_id, created_at, updated_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $6)",
        PARAMS(P_T(d->id), P_T(d->tenant_id), P_T(d->owner), P_T(d->title), P_T(d->datasource_id), P_I(d->created_at)),
        NULL);
}

int dashboards_get(struct db *db, struct call *c, const struct principal *who, const char *id,
                   struct stored_dashboard *out, bool *found)
{
    return owned_get(db, c, &owned, who, id, out, found);
}

int dashboards_list(struct db *db, struct call *c, const struct principal *who, int64_t before_us,
                    const char *before_id, int64_t limit, struct list *out)
{
    return owned_list(db, c, &owned, who, before_us, before_id, limit, out);
}

int dashboards_delete(struct db *db, struct call *c, const struct principal *who, const char *id, bool *found)
{
    return owned_delete(db, c, &owned, who, id, found);
}

int dashboards_tiles(struct db *db, struct call *c, const char *id, struct list *out)
{
    return db_query(db, c,
                    "SELECT id, title, question, reading, datasource_id, source, chart, plan, position, x, y, w, h"
                    " FROM tiles WHERE dashboard_id = $1 ORDER BY position",
                    PARAMS(P_T(id)), &tile_row, out);
}

struct addition {
    const char *id;
    const struct stored_tile *tile;
    int64_t max, now;
    bool added;
};

static int add_tile(struct db *db, struct call *c, void *ctx)
{
    struct addition *a = ctx;
    const struct stored_tile *t = a->tile;
    int64_t changed = 0;
    const struct param plan = { .kind = P_TEXT, .text = t->plan.text, .n = t->plan.n };
    int rc =
        db_exec(db, c,
                "INSERT INTO tiles (id, dashboard_id, position, title, question, reading, datasource_id, source,"
                " plan, chart, x, y, w, h) SELECT $1, $2, (SELECT coalesce(max(position), 0) + 1 FROM tiles"
                " WHERE dashboard_id = $2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13"
                " WHERE (SELECT count(*) FROM tiles WHERE dashboard_id = $2) < $14",
                PARAMS(P_T(t->id), P_T(a->id), P_T(t->title), P_T(t->question), P_T(t->reading), P_T(t->datasource_id),
                       P_T(t->source), plan, P_T(t->chart), P_I(t->x), P_I(t->y), P_I(t->w), P_I(t->h), P_I(a->max)),
                &changed);
    a->added = changed > 0;
    if (rc || !a->added) return rc;
    return db_exec(db, c, "UPDATE dashboards SET updated_at = $1 WHERE id = $2", PARAMS(P_I(a->now), P_T(a->id)), NULL);
}

int dashboards_add_tile(struct db *db, struct call *c, const char *id, const struct stored_tile *tile, int64_t max,
                        int64_t now_us, bool *added)
{
    struct addition a = { .id = id, .tile = tile, .max = max, .now = now_us };
    int rc = db_transaction(db, c, add_tile, &a);
    *added = a.added;
    return rc;
}

struct removal {
    const char *id, *tile_id;
    int64_t now;
    bool found;
};

static int remove_tile(struct db *db, struct call *c, void *ctx)
{
    struct removal *r = ctx;
    int64_t changed = 0;
    int rc = db_exec(db, c, "DELETE FROM tiles WHERE id = $1 AND dashboard_id = $2",
                     PARAMS(P_T(r->tile_id), P_T(r->id)), &changed);
    r->found = changed > 0;
    if (rc || !r->found) return rc;
    return db_exec(db, c, "UPDATE dashboards SET updated_at = $1 WHERE id = $2", PARAMS(P_I(r->now), P_T(r->id)), NULL);
}

int dashboards_delete_tile(struct db *db, struct call *c, const char *id, const char *tile_id, int64_t now_us,
                           bool *found)
{
    struct removal r = { .id = id, .tile_id = tile_id, .now = now_us };
    int rc = db_transaction(db, c, remove_tile, &r);
    *found = r.found;
    return rc;
}
