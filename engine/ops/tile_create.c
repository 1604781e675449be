/* tile_create: an answer becomes a tile that can be run again. */
#include "charts/chart.h"
#include "dashboards/dashboard.h"
#include "ops/op.h"

struct tile_in {
    const char *id, *result_id, *conversation_id, *title;
    int64_t turn;
    int chart;
    struct tile_layout *layout;
};
static const struct field tile_in_fields[] = {
    FIELD(struct tile_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the dashboard."),
    FIELD(struct tile_in, result_id, K_STR, .max = 64, .doc = "The result whose plan is pinned."),
    FIELD(struct tile_in, conversation_id, K_STR, .max = 64, .doc = "Instead of result_id, with `turn`."),
    FIELD(struct tile_in, turn, K_INT, .min = 0, .max = 1000, .doc = "Index of the answered turn."),
    FIELD(struct tile_in, title, K_STR, .min = 1, .max = 200, .doc = "Left out, the question is the title."),
    FIELD(struct tile_in, chart, K_ENUM, .of = chart_kind_names, .def = "auto"),
    FIELD(struct tile_in, layout, K_OBJECT, .of = &tile_layout_type, .doc = "Left out, the next free place."),
    { 0 },
};
static const struct type tile_in_type = TYPE(struct tile_in, "TileCreate", tile_in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct tile_in *in = vin;
    struct tile *out = vout;
    struct tile_request request = { .result_id = in->result_id,
                                    .conversation_id = in->conversation_id,
                                    .turn = in->turn,
                                    .title = in->title,
                                    .chart = chart_kind_names[in->chart],
                                    .layout = in->layout };
    int rc = tile_pin(c, c->world, e->store, in->id, &request, out);
    c->audit.object_id = out->id;
    return rc;
}

extern const struct op op_tile_create;
const struct op op_tile_create = { .name = "tile_create",
                                   .doc = "Pins a result, or an answered turn, to a dashboard.",
                                   .level = LEVEL_VIEWER,
                                   .flags = OP_WRITES,
                                   .in = &tile_in_type,
                                   .out = &tile_type,
                                   .run = run };
