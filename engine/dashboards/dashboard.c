#include "dashboards/tile.h"

#include "base/clock.h"
#include "base/id.h"
#include "charts/chart.h"
#include "policy/policy.h"
#include "schema/registry.h"

const char *const tile_status_names[] = {
    "ok", "empty", "stale", "denied", "needs_approval", "stopped", "error", NULL
};

#define COORDINATE(member, low, high, words)                                                                           \
    FIELD(struct tile_layout, member, K_INT, .flags = F_REQUIRED, .min = (low), .max = (high), .doc = words)

static const struct field tile_layout_fields[] = {
    COORDINATE(x, 0, 3, "Column of a grid of four."),
    COORDINATE(y, 0, 1000, "Row."),
    COORDINATE(w, 1, 4, "Width in columns."),
    COORDINATE(h, 1, 12, "Height in rows."),
    { 0 },
};
const struct type tile_layout_type = TYPE(struct tile_layout, "TileLayout", tile_layout_fields);

static const struct field tile_fields[] = {
    FIELD(struct tile, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct tile, title, K_STR, .flags = F_REQUIRED),
    FIELD(struct tile, question, K_STR, .flags = F_REQUIRED),
    FIELD(struct tile, datasource_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct tile, source, K_STR, .flags = F_REQUIRED, .doc = "plan or verified."),
    FIELD(struct tile, plan, K_RAW, .flags = F_NULL, .of = "{\"type\":[\"object\",\"null\"]"),
    FIELD(struct tile, chart, K_STR, .flags = F_REQUIRED, .doc = "auto, line, bar, big_number or table."),
    FIELD(struct tile, layout, K_OBJECT, .flags = F_REQUIRED, .of = &tile_layout_type),
    { 0 },
};
const struct type tile_type = TYPE(struct tile, "Tile", tile_fields);

static const struct field dashboard_fields[] = {
    FIELD(struct dashboard, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct dashboard, tenant_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct dashboard, user_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct dashboard, title, K_STR, .flags = F_REQUIRED),
    FIELD(struct dashboard, datasource_id, K_STR, .flags = F_NULL,
          .doc = "Set: tiles of other datasources are refused."),
    FIELD(struct dashboard, tiles, K_LIST, .flags = F_REQUIRED, .of = &tile_type),
    FIELD(struct dashboard, filters, K_RAW, .flags = F_REQUIRED, .of = "{\"type\":\"array\""),
    FIELD(struct dashboard, created_at, K_TIME, .flags = F_REQUIRED),
    FIELD(struct dashboard, updated_at, K_TIME, .flags = F_REQUIRED),
    { 0 },
};
const struct type dashboard_type = TYPE(struct dashboard, "Dashboard", dashboard_fields);

static const struct field dashboard_info_fields[] = {
    FIELD(struct dashboard_info, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct dashboard_info, title, K_STR, .flags = F_REQUIRED),
    FIELD(struct dashboard_info, datasource_id, K_STR, .flags = F_NULL),
    FIELD(struct dashboard_info, tiles, K_INT, .flags = F_REQUIRED),
    FIELD(struct dashboard_info, updated_at, K_TIME, .flags = F_REQUIRED),
    { 0 },
};
const struct type dashboard_info_type = TYPE(struct dashboard_info, "DashboardInfo", dashboard_info_fields);

static int missing(struct call *c)
{
    return call_fail(c, ERR_NOT_FOUND, "There is no such dashboard.");
}

int dashboard_load(struct call *c, struct db *store, const char *id, struct stored_dashboard *out)
{
    bool found = false;
    if (!id_valid(id, "db")) return missing(c);
    int rc = dashboards_get(store, c, &c->who, id, out, &found);
    return rc ? rc : found ? OK : missing(c);
}

static void show(const struct stored_dashboard *from, struct dashboard *to)
{
    *to = (struct dashboard){ .id = from->id,
                              .tenant_id = from->tenant_id,
                              .user_id = from->owner,
                              .title = from->title,
                              .datasource_id = from->datasource_id,
                              .filters = { "[]", 2 },
                              .created_at = from->created_at,
                              .updated_at = from->updated_at };
}

/* In reach and with a picture of its schema. */
static int ready(struct call *c, const struct world *w, const char *id)
{
    const struct datasource *ds = registry_get(w->registry, c, id);
    if (!ds || !policy_reaches(w->policies, &c->who, ds->snapshot))
        return call_fail_at(c, ERR_DATASOURCE_NOT_FOUND, "/datasource_id", "No datasource '%s'.", id);
    if (!ds->snapshot)
        return call_fail_at(c, ERR_NOT_INDEXED, "/datasource_id", "%s", code_row(ERR_NOT_INDEXED)->text);
    return OK;
}

int dashboard_create(struct call *c, const struct world *w, struct db *store, const char *title,
                     const char *datasource_id, struct dashboard *out)
{
    int64_t now = clock_utc_us();
    const struct stored_dashboard d = { .id = id_new(c, "db"),
                                        .tenant_id = c->who.tenant,
                                        .owner = c->who.user,
                                        .title = title,
                                        .datasource_id = datasource_id,
                                        .created_at = now,
                                        .updated_at = now };
    int rc = datasource_id ? ready(c, w, datasource_id) : OK;
    if (!rc) rc = dashboards_insert(store, c, &d);
    if (!rc) show(&d, out);
    return rc;
}

void tile_show(struct call *c, const struct stored_tile *from, struct tile *to)
{
    *to = (struct tile){ .id = from->id,
                         .title = from->title,
                         .question = from->question,
                         .datasource_id = from->datasource_id,
                         .source = from->source,
                         .plan = from->plan,
                         .chart = from->chart,
                         .layout = call_alloc(c, sizeof *to->layout) };
    *to->layout = (struct tile_layout){ from->x, from->y, from->w, from->h };
}

int dashboard_get(struct call *c, struct db *store, const char *id, struct dashboard *out)
{
    struct stored_dashboard d = { 0 };
    struct list tiles = { 0 };
    int rc = dashboard_load(c, store, id, &d);
    if (!rc) rc = dashboards_tiles(store, c, id, &tiles);
    if (rc) return rc;
    show(&d, out);
    for (size_t i = 0; i < tiles.count; i++)
        tile_show(c, &LIST_AT(&tiles, struct stored_tile, i), list_push(c, &out->tiles, sizeof(struct tile)));
    return OK;
}

int dashboard_delete(struct call *c, struct db *store, const char *id)
{
    bool found = false;
    if (!id_valid(id, "db")) return missing(c);
    int rc = dashboards_delete(store, c, &c->who, id, &found);
    return rc ? rc : found ? OK : missing(c);
}

int dashboard_list(struct call *c, struct db *store, int64_t before_us, const char *before_id, int64_t limit,
                   struct list *out)
{
    struct list rows = { 0 };
    int rc = dashboards_list(store, c, &c->who, before_us, before_id, limit, &rows);
    for (size_t i = 0; !rc && i < rows.count; i++) {
        const struct stored_dashboard *d = &LIST_AT(&rows, struct stored_dashboard, i);
        struct dashboard_info *info = list_push(c, out, sizeof *info);
        *info = (struct dashboard_info){ d->id, d->title, d->datasource_id, d->tile_count, d->updated_at };
    }
    return rc;
}
