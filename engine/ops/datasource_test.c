/* datasource_test: tries a connection and says at which stage it fails, and what would be right. Nothing is stored. */
#include "ops/connecting.h"

struct test_in {
    const char *type;
    const struct json *connection;
};
static const struct field in_fields[] = {
    FIELD(struct test_in, type, K_STR, .flags = F_REQUIRED, .max = 32,
          .doc = "Kind of database, see datasource_types_list."),
    FIELD(struct test_in, connection, K_JSON, .flags = F_REQUIRED, .doc = "What a connection of that kind needs."),
    { 0 },
};
static const struct type in_type = TYPE(struct test_in, "DatasourceTest", in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct test_in *in = vin;
    struct test_report report = { 0 };
    struct adapter *a = NULL;
    struct datasource_config d = { .id = "test", .type = in->type, .connection = in->connection };
    (void)e;
    int rc = type_defaults(c, &datasource_options_type, &d.options);
    if (!rc) rc = connecting_confine(c, &d);
    if (!rc) rc = connecting_resolve(c, &d);
    if (!rc) rc = adapter_open(c, &d, &a);
    if (rc) return rc;
    rc = adapter_test(c, a, &report);
    adapter_close(a);
    if (!rc) show_test(&report, vout);
    return rc;
}

const struct op op_datasource_test = { .name = "datasource_test",
                                       .doc = "Tries a connection without keeping it.",
                                       .level = LEVEL_ADMIN,
                                       .in = &in_type,
                                       .out = &tested_type,
                                       .run = run };
