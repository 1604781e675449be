/* datasource_delete: disconnects a database that was connected here; its schema and values are forgotten. */
#include "ops/datasource_get.h"
#include "store/datasources.h"
#include "store/snapshots.h"

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct datasource_ref *in = vin;
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
                                         .in = &datasource_ref_type,
                                         .run = run };
