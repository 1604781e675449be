/* datasource_index: learns a datasource anew: structure, statistics, values. */
#include "indexing/index.h"
#include "ops/datasource_get.h"

static const struct field out_fields[] = {
    FIELD(struct index_report, fingerprint, K_STR, .flags = F_REQUIRED, .doc = "Hash of its structure."),
    FIELD(struct index_report, changed, K_BOOL, .flags = F_REQUIRED,
          .doc = "The structure is another one than before."),
    FIELD(struct index_report, complete, K_BOOL, .flags = F_REQUIRED, .doc = "No budget of time or size cut it short."),
    FIELD(struct index_report, tables, K_INT, .flags = F_REQUIRED),
    FIELD(struct index_report, columns, K_INT, .flags = F_REQUIRED),
    FIELD(struct index_report, rows, K_INT, .flags = F_REQUIRED, .doc = "Of all base tables that could be counted."),
    FIELD(struct index_report, values, K_INT, .flags = F_REQUIRED, .doc = "Distinct values in the index."),
    FIELD(struct index_report, inferred_keys, K_INT, .flags = F_REQUIRED, .doc = "Keys found that nobody declared."),
    { 0 },
};
static const struct type out_type = TYPE(struct index_report, "IndexReport", out_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct datasource_ref *in = vin;
    c->audit.object_id = in->id;
    return index_datasource(c, c->world->registry, e->store, in->id, out);
}

const struct op op_datasource_index = { .name = "datasource_index",
                                        .doc = "Learns a datasource anew.",
                                        .level = LEVEL_ADMIN,
                                        .flags = OP_WRITES,
                                        .in = &datasource_ref_type,
                                        .out = &out_type,
                                        .run = run };
