/* dashboard_refresh: every tile runs again, as the caller, through all checks. */
#include "dashboards/dashboard.h"
#include "ops/op.h"

struct refresh_in {
    const char *id;
};
static const struct field refresh_in_fields[] = {
    FIELD(struct refresh_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the dashboard."),
    { 0 },
};
static const struct type refresh_in_type = TYPE(struct refresh_in, "DashboardRefresh", refresh_in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct refresh_in *in = vin;
    int rc = dashboard_refresh(c, c->world, e->store, in->id, vout);
    c->audit.object_id = in->id;
    return rc;
}

extern const struct op op_dashboard_refresh;
const struct op op_dashboard_refresh = { .name = "dashboard_refresh",
                                         .doc = "Runs every tile of a dashboard as the caller.",
                                         .level = LEVEL_VIEWER,
                                         .flags = OP_WRITES | OP_STREAMS | OP_DATA,
                                         .in = &refresh_in_type,
                                         .out = &dashboard_run_type,
                                         .run = run };
