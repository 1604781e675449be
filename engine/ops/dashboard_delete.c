/* dashboard_delete: a dashboard and its tiles are gone for good. */
#include "dashboards/dashboard.h"
#include "ops/op.h"

struct delete_in {
    const char *id;
};
static const struct field delete_in_fields[] = {
    FIELD(struct delete_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the dashboard."),
    { 0 },
};
static const struct type delete_in_type = TYPE(struct delete_in, "DashboardDelete", delete_in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct delete_in *in = vin;
    (void)vout;
    c->audit.object_id = in->id;
    return dashboard_delete(c, e->store, in->id);
}

extern const struct op op_dashboard_delete;
const struct op op_dashboard_delete = { .name = "dashboard_delete",
                                        .doc = "Deletes a dashboard of the caller and its tiles.",
                                        .level = LEVEL_VIEWER,
                                        .flags = OP_WRITES,
                                        .in = &delete_in_type,
                                        .out = NULL,
                                        .run = run };
