#include "dashboards/tile.h"

#include "base/clock.h"
#include "base/id.h"
#include "policy/policy.h"

#include <string.h>

struct skipped_tile {
    const char *title, *status, *reason;
};
static const struct field skipped_tile_fields[] = {
    FIELD(struct skipped_tile, title, K_STR, .flags = F_REQUIRED),
    FIELD(struct skipped_tile, status, K_STR, .flags = F_REQUIRED),
    FIELD(struct skipped_tile, reason, K_STR, .flags = F_REQUIRED),
    { 0 },
};
static const struct type skipped_tile_type = TYPE(struct skipped_tile, "SkippedTile", skipped_tile_fields);

static const struct field tile_error_fields[] = {
    FIELD(struct tile_error, code, K_STR, .flags = F_REQUIRED),
    FIELD(struct tile_error, message, K_STR, .flags = F_REQUIRED),
    { 0 },
};
static const struct type tile_error_type = TYPE(struct tile_error, "TileError", tile_error_fields);

static const struct field tile_run_fields[] = {
    FIELD(struct tile_run, tile_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct tile_run, status, K_ENUM, .flags = F_REQUIRED, .of = tile_status_names),
    FIELD(struct tile_run, trace_id, K_STR, .flags = F_NULL),
    FIELD(struct tile_run, result_id, K_STR, .flags = F_NULL),
    FIELD(struct tile_run, chart, K_RAW, .flags = F_NULL, .of = "{\"type\":[\"object\",\"null\"]",
          .doc = "A ChartSpec."),
    FIELD(struct tile_run, explanation, K_STR, .flags = F_NULL, .doc = "The plan in words."),
    FIELD(struct tile_run, filtered, K_BOOL, .flags = F_REQUIRED, .doc = "Every active filter applied."),
    FIELD(struct tile_run, error, K_OBJECT, .flags = F_NULL, .of = &tile_error_type),
    { 0 },
};
const struct type tile_run_type = TYPE(struct tile_run, "TileRun", tile_run_fields);

static const struct field dashboard_run_fields[] = {
    FIELD(struct dashboard_run, dashboard_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct dashboard_run, at, K_TIME, .flags = F_REQUIRED),
    FIELD(struct dashboard_run, filters, K_RAW, .flags = F_REQUIRED, .of = "{\"type\":\"object\""),
    FIELD(struct dashboard_run, tiles, K_LIST, .flags = F_REQUIRED, .of = &tile_run_type),
    FIELD(struct dashboard_run, skipped, K_LIST, .flags = F_REQUIRED, .of = &skipped_tile_type),
    { 0 },
};
const struct type dashboard_run_type = TYPE(struct dashboard_run, "DashboardRun", dashboard_run_fields);

/* A plan that no longer passes the check does not fit the schema any more. A datasource that is gone and one out of
 * reach are told alike: as denied where roles decide, as stale where everybody sees everything. */
static enum tile_status failed_status(const struct world *w, const struct answer *a, const struct answer_note *error)
{
    if (a->status == RUN_NEEDS_APPROVAL) return TILE_NEEDS_APPROVAL;
    if (a->status == RUN_STOPPED) return TILE_STOPPED;
    if (!strcmp(error->code, code_row(ERR_SECURITY_VIOLATION)->name)) return TILE_DENIED;
    if (!strcmp(error->code, code_row(ERR_DATASOURCE_NOT_FOUND)->name))
        return policies_allow_all(w->policies) ? TILE_STALE : TILE_DENIED;
    return error->node && !strcmp(error->node, "check") ? TILE_STALE : TILE_ERROR;
}

static void judge(struct call *c, const struct world *w, const struct answer *a, struct tile_run *out)
{
    if (a->status == RUN_SUCCESS) {
        const struct answer_query *q = &LIST_AT(&a->sub_queries, struct answer_query, 0);
        out->status = q->total_rows ? TILE_OK : TILE_EMPTY;
        out->result_id = q->result_id;
        out->chart = a->chart;
        return;
    }
    const struct answer_note *error = &LIST_AT(&a->errors, struct answer_note, 0);
    out->status = (int)failed_status(w, a, error);
    out->error = call_alloc(c, sizeof *out->error);
    *out->error = (struct tile_error){ error->code, error->message };
}

/* A run of its own, with its own trace. */
static int run_tile(struct call *c, const struct world *w, struct db *store, const struct stored_tile *t,
                    struct tile_run *out)
{
    struct answer answer = { 0 };
    const struct json *tree;
    struct ask_request ask = { .question = t->question,
                               .datasource_id = t->datasource_id,
                               .execute = true,
                               .reading = t->reading,
                               .chart = t->chart };
    *out = (struct tile_run){ .tile_id = t->id, .trace_id = c->trace_id, .explanation = t->reading };
    int rc = json_parse(c, t->plan.text, t->plan.n, &tree);
    if (!rc) rc = plan_decode(c, tree, &ask.plan);
    if (rc) { /* written by an edition that could say more or less than this one */
        out->status = TILE_STALE;
        out->error = call_alloc(c, sizeof *out->error);
        *out->error = (struct tile_error){ code_row((enum err_code)rc)->name, code_row((enum err_code)rc)->text };
        call_forgive(c);
        return OK;
    }
    rc = ask_question(c, w, store, &ask, &answer);
    if (!rc) judge(c, w, &answer, out);
    return rc;
}

int dashboard_refresh(struct call *c, const struct world *w, struct db *store, const char *id,
                      struct dashboard_run *out)
{
    struct stored_dashboard d = { 0 };
    struct list tiles = { 0 };
    const char *trace_id = c->trace_id;
    int rc = dashboard_load(c, store, id, &d);
    if (!rc) rc = dashboards_tiles(store, c, id, &tiles);
    if (rc) return rc;
    *out = (struct dashboard_run){ .dashboard_id = d.id, .at = clock_utc_us(), .filters = { "{}", 2 } };
    for (size_t i = 0; !rc && i < tiles.count; i++) {
        c->trace_id = id_new(c, "tr");
        rc = run_tile(c, w, store, &LIST_AT(&tiles, struct stored_tile, i),
                      list_push(c, &out->tiles, sizeof(struct tile_run)));
    }
    c->trace_id = trace_id;
    c->audit.failure = c->audit.rule = NULL; /* of single tiles; the refresh itself is done */
    return rc;
}
