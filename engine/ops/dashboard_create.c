/* dashboard_create: an empty dashboard. */
#include "dashboards/dashboard.h"
#include "ops/op.h"

struct create_in {
    const char *title, *datasource_id;
};
static const struct field create_in_fields[] = {
    FIELD(struct create_in, title, K_STR, .flags = F_REQUIRED, .min = 1, .max = 200),
    FIELD(struct create_in, datasource_id, K_STR, .max = 64, .doc = "Tiles of other datasources are refused."),
    { 0 },
};
static const struct type create_in_type = TYPE(struct create_in, "DashboardCreate", create_in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct create_in *in = vin;
    struct dashboard *out = vout;
    int rc = dashboard_create(c, c->world, e->store, in->title, in->datasource_id, out);
    c->audit.object_id = out->id;
    return rc;
}

extern const struct op op_dashboard_create;
const struct op op_dashboard_create = { .name = "dashboard_create",
                                        .doc = "Makes an empty dashboard of the caller.",
                                        .level = LEVEL_VIEWER,
                                        .flags = OP_WRITES,
                                        .in = &create_in_type,
                                        .out = &dashboard_type,
                                        .run = run };
