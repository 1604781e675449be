/* datasource_test_stored: tries the connection of a datasource as it is kept, and says at which stage it fails. */
#include "ops/connecting.h"
#include "ops/datasource_get.h"

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct datasource_ref *in = vin;
    (void)e;
    c->audit.object_id = in->id;
    const struct datasource *ds;
    int rc = connecting_stored(c, in->id, &ds);
    if (rc) return rc;
    struct test_report report = { 0 };
    rc = adapter_test(c, ds->adapter, &report);
    if (rc) return rc;
    show_test(&report, out);
    bool well = report.reached == STAGE_DONE;
    if (well == (ds->status == DS_UNAVAILABLE))
        registry_mark(c->world->registry, in->id, well ? DS_READY : DS_UNAVAILABLE, well ? NULL : report.message);
    return OK;
}

const struct op op_datasource_test_stored = { .name = "datasource_test_stored",
                                              .doc = "Tries the connection of a datasource.",
                                              .level = LEVEL_ADMIN,
                                              .in = &datasource_ref_type,
                                              .out = &tested_type,
                                              .run = run };
