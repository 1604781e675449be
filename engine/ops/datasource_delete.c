/* datasource_delete: disconnects a database that was connected here; its schema and values are forgotten. */
#include "ops/reach.h"
#include "store/datasources.h"
#include "store/snapshots.h"

struct ref {
    const char *id;
};
static const struct field in_fields[] = {
    FIELD(struct ref, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 63, .doc = "Id of the datasource."),
    { 0 },
};
static const struct type in_type = TYPE(struct ref, "DatasourceDelete", in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct ref *in = vin;
    bool found = false;
    (void)out;
    c->audit.object_id = in->id;
    const struct datasource *ds = registry_peek(c->world->registry, c, in->id);
    if (ds && ds->config->managed) return call_fail(c, ERR_MANAGED_BY_FILE, "%s", code_row(ERR_MANAGED_BY_FILE)->text);
    int rc = datasources_remove(e->store, c, in->id, &found);
    if (!rc) rc = snapshots_remove(e->store, c, in->id);
    if (rc) return rc;
    if (ds) return registry_remove(c->world->registry, c, in->id);
    return found ? OK : call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", in->id);
}

const struct op op_datasource_delete = { .name = "datasource_delete",
                                         .doc = "Disconnects a database.",
                                         .level = LEVEL_ADMIN,
                                         .flags = OP_WRITES,
                                         .in = &in_type,
                                         .run = run };
