#include "dashboards/tile.h"

#include "base/clock.h"
#include "base/id.h"
#include "charts/chart.h"
#include "results/results.h"
#include "store/conversations.h"

#include <string.h>

static int not_pinnable(struct call *c, const char *why)
{
    call_forgive(c);
    return call_fail(c, ERR_TILE_NOT_PINNABLE, "This cannot be pinned as a tile: %s.", why);
}

/* The result of an answered turn, read from the answer stored with it. */
static int turn_result(struct call *c, struct db *store, const struct tile_request *q, const char **result_id)
{
    struct stored_conversation v = { 0 };
    struct list turns = { 0 };
    bool found = false;
    const struct json *tree;
    int rc = conversations_get(store, c, &c->who, q->conversation_id, &v, &found);
    if (!rc && !found) return call_fail(c, ERR_NOT_FOUND, "There is no such conversation.");
    if (!rc) rc = conversations_turns(store, c, q->conversation_id, &turns);
    if (rc) return rc;
    if (q->turn < 1 || q->turn > (int64_t)turns.count)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/turn", "The conversation has %zu turns.", turns.count);
    const struct stored_turn *t = &LIST_AT(&turns, struct stored_turn, q->turn - 1);
    if (strcmp(t->status, "answered") != 0 || !t->result.text) return not_pinnable(c, "the turn was not answered");
    rc = json_parse(c, t->result.text, t->result.n, &tree);
    if (rc) return rc;
    const struct json *queries = json_get(tree, "sub_queries");
    if (!queries || queries->kind != J_ARRAY || queries->count != 1)
        return not_pinnable(c, "the turn was not answered by one query");
    const struct json *id = json_get(&queries->items[0], "result_id");
    if (!id || id->kind != J_STRING) return not_pinnable(c, "the turn did not run");
    *result_id = id->string;
    return OK;
}

static int open_result(struct call *c, const struct world *w, struct db *store, const struct tile_request *q,
                       struct opened_result *out)
{
    const char *id = q->result_id;
    if (!q->result_id == !q->conversation_id)
        return call_fail(c, ERR_VALIDATION_ERROR, "Send either 'result_id', or 'conversation_id' with 'turn'.");
    if (id) return result_open(c, w, store, id, out);
    int rc = turn_result(c, store, q, &id);
    if (!rc) rc = result_open(c, w, store, id, out);
    return rc == ERR_NOT_FOUND && id ? not_pinnable(c, "its result has expired") : rc;
}

/* Two tiles of half the width in a row. */
static struct tile_layout free_place(const struct list *tiles)
{
    struct tile_layout place = { .w = 2, .h = 2 };
    int64_t bottom = 0;
    for (size_t i = 0; i < tiles->count; i++) {
        const struct stored_tile *t = &LIST_AT(tiles, struct stored_tile, i);
        if (t->y + t->h > bottom) bottom = t->y + t->h;
    }
    place.y = bottom;
    const struct stored_tile *last = tiles->count ? &LIST_AT(tiles, struct stored_tile, tiles->count - 1) : NULL;
    if (last && last->x == 0 && last->w <= 2 && last->y + last->h == bottom) {
        place.x = 2;
        place.y = last->y;
    }
    return place;
}

int tile_pin(struct call *c, const struct world *w, struct db *store, const char *dashboard_id,
             const struct tile_request *request, struct tile *out)
{
    struct stored_dashboard d = { 0 };
    struct opened_result r = { 0 };
    struct list tiles = { 0 };
    bool added = false;
    int rc = dashboard_load(c, store, dashboard_id, &d);
    if (!rc) rc = open_result(c, w, store, request, &r);
    if (!rc) rc = dashboards_tiles(store, c, dashboard_id, &tiles);
    if (rc) return rc;
    if (d.datasource_id && strcmp(d.datasource_id, r.stored.datasource_id) != 0)
        return not_pinnable(c, "the dashboard is of another datasource");
    struct tile_layout place = request->layout ? *request->layout : free_place(&tiles);
    if (place.x + place.w > 4)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/layout",
                            "A tile of width %lld does not fit at column %lld of four.", (long long)place.w,
                            (long long)place.x);
    const struct stored_tile t = { .id = id_new(c, "tl"),
                                   .title = request->title ? request->title : r.stored.question,
                                   .question = r.stored.question,
                                   .reading = r.stored.reading,
                                   .datasource_id = r.stored.datasource_id,
                                   .source = "plan",
                                   .chart = request->chart ? request->chart : "auto",
                                   .plan = r.stored.plan,
                                   .x = place.x,
                                   .y = place.y,
                                   .w = place.w,
                                   .h = place.h };
    rc = dashboards_add_tile(store, c, dashboard_id, &t, TILES_MAX, clock_utc_us(), &added);
    if (rc) return rc;
    if (!added) return call_fail(c, ERR_LIMIT_EXCEEDED, "A dashboard holds at most %d tiles.", TILES_MAX);
    tile_show(c, &t, out);
    return OK;
}

int tile_remove(struct call *c, struct db *store, const char *dashboard_id, const char *tile_id)
{
    struct stored_dashboard d = { 0 };
    bool found = false;
    int rc = dashboard_load(c, store, dashboard_id, &d);
    if (!rc) rc = dashboards_delete_tile(store, c, dashboard_id, tile_id, clock_utc_us(), &found);
    if (!rc && !found) return call_fail(c, ERR_NOT_FOUND, "There is no such tile.");
    return rc;
}
