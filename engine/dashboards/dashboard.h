/* dashboard: saved lists of tiles. A tile is a question with the plan that answered it, a kind of chart and a place; a
 * refresh runs every tile as the caller, through all checks, so a dashboard grants nothing. Only the owner sees one. */
#ifndef QUERENT_DASHBOARD_H
#define QUERENT_DASHBOARD_H

#include "ask/ask.h"
#include "store/dashboards.h"

#define TILES_MAX 10

struct tile_layout { /* on a grid of four columns */
    int64_t x, y, w, h;
};

struct tile {
    const char *id, *title, *question, *datasource_id;
    const char *source; /* plan */
    struct raw plan;
    const char *chart; /* auto line bar big_number table */
    struct tile_layout *layout;
};

struct dashboard {
    const char *id, *tenant_id, *user_id, *title, *datasource_id;
    struct list tiles; /* struct tile */
    struct raw filters;
    int64_t created_at, updated_at;
};

struct dashboard_info {
    const char *id, *title, *datasource_id;
    int64_t tiles, updated_at;
};

enum tile_status { TILE_OK, TILE_EMPTY, TILE_STALE, TILE_DENIED, TILE_NEEDS_APPROVAL, TILE_STOPPED, TILE_ERROR };
extern const char *const tile_status_names[];

struct tile_error {
    const char *code, *message;
};

struct tile_run {
    const char *tile_id;
    int status; /* enum tile_status */
    const char *trace_id, *result_id;
    struct raw chart; /* a ChartSpec */
    const char *explanation;
    bool filtered;
    struct tile_error *error;
};

struct dashboard_run {
    const char *dashboard_id;
    int64_t at;
    struct raw filters;
    struct list tiles;   /* struct tile_run */
    struct list skipped; /* empty: a refresh skips none */
};
extern const struct type tile_layout_type, tile_type, dashboard_type, dashboard_info_type, tile_run_type,
    dashboard_run_type;

int dashboard_create(struct call *c, const struct world *w, struct db *store, const char *title,
                     const char *datasource_id, struct dashboard *out);
/* ERR_NOT_FOUND for an unknown or foreign id; so do all below. */
int dashboard_get(struct call *c, struct db *store, const char *id, struct dashboard *out);
int dashboard_delete(struct call *c, struct db *store, const char *id);
/* Latest first: list of struct dashboard_info. */
int dashboard_list(struct call *c, struct db *store, int64_t before_us, const char *before_id, int64_t limit,
                   struct list *out);

/* What becomes a tile: a result, or an answered turn of a conversation. */
struct tile_request {
    const char *result_id;
    const char *conversation_id;
    int64_t turn;
    const char *title;                /* NULL = the question */
    const char *chart;                /* NULL = auto */
    const struct tile_layout *layout; /* NULL = the next free place */
};
/* ERR_TILE_NOT_PINNABLE when there is no plan to pin, ERR_LIMIT_EXCEEDED past TILES_MAX. */
int tile_pin(struct call *c, const struct world *w, struct db *store, const char *dashboard_id,
             const struct tile_request *request, struct tile *out);
int tile_remove(struct call *c, struct db *store, const char *dashboard_id, const char *tile_id);

/* Runs the tiles one after another within the call's deadline. */
int dashboard_refresh(struct call *c, const struct world *w, struct db *store, const char *id,
                      struct dashboard_run *out);

#endif
