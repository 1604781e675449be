/* tile_delete: a tile is taken off. */
#include "dashboards/dashboard.h"
#include "ops/op.h"

struct tile_in {
    const char *id, *tile_id;
};
static const struct field tile_in_fields[] = {
    FIELD(struct tile_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the dashboard."),
    FIELD(struct tile_in, tile_id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the tile."),
    { 0 },
};
static const struct type tile_in_type = TYPE(struct tile_in, "TileDelete", tile_in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct tile_in *in = vin;
    (void)vout;
    c->audit.object_id = in->tile_id;
    return tile_remove(c, e->store, in->id, in->tile_id);
}

extern const struct op op_tile_delete;
const struct op op_tile_delete = { .name = "tile_delete",
                                   .doc = "Takes a tile off a dashboard of the caller.",
                                   .level = LEVEL_VIEWER,
                                   .flags = OP_WRITES,
                                   .in = &tile_in_type,
                                   .out = NULL,
                                   .run = run };
