/* dashboard_get: a dashboard with its tiles; refreshing runs them. */
#include "dashboards/dashboard.h"
#include "ops/op.h"

struct get_in {
    const char *id;
};
static const struct field get_in_fields[] = {
    FIELD(struct get_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the dashboard."),
    { 0 },
};
static const struct type get_in_type = TYPE(struct get_in, "DashboardId", get_in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct get_in *in = vin;
    return dashboard_get(c, e->store, in->id, vout);
}

extern const struct op op_dashboard_get;
const struct op op_dashboard_get = { .name = "dashboard_get",
                                     .doc = "A dashboard of the caller with its tiles.",
                                     .level = LEVEL_VIEWER,
                                     .flags = 0,
                                     .in = &get_in_type,
                                     .out = &dashboard_type,
                                     .run = run };
