/* datasource_create: connects a database: tested first, then stored with its secrets sealed, then in use. */
#include "base/id.h"
#include "ops/connecting.h"
#include "ops/datasource_get.h"
#include "store/datasources.h"

struct create_in {
    const char *id, *description, *type;
    const struct json *connection;
    struct datasource_options *options;
};
static const struct field in_fields[] = {
    FIELD(struct create_in, id, K_STR, .flags = F_REQUIRED, .max = 63,
          .doc = "Its name: lower case letters, digits, - and _."),
    FIELD(struct create_in, description, K_STR, .max = 2000,
          .doc = "What it holds; shown to every caller that reaches it."),
    FIELD(struct create_in, type, K_STR, .flags = F_REQUIRED, .max = 32,
          .doc = "Kind of database, see datasource_types_list."),
    FIELD(struct create_in, connection, K_JSON, .flags = F_REQUIRED, .doc = "What a connection of that kind needs."),
    FIELD(struct create_in, options, K_OBJECT, .of = &datasource_options_type),
    { 0 },
};
static const struct type in_type = TYPE(struct create_in, "DatasourceCreate", in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct create_in *in = vin;
    struct datasource_config d = {
        .id = in->id, .description = in->description, .type = in->type, .connection = in->connection
    };
    int rc = OK;
    c->audit.object_id = in->id;
    if (!slug_valid(in->id))
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/id",
                            "'%s' is no name: a lower case letter, then at most 62 letters, digits, - or _.", in->id);
    if (in->options)
        d.options = *in->options;
    else
        rc = type_defaults(c, &datasource_options_type, &d.options);
    if (rc) return rc;
    const struct datasource *same = registry_peek(c->world->registry, c, in->id);
    if (same && same->config->managed)
        return call_fail(c, ERR_MANAGED_BY_FILE, "%s", code_row(ERR_MANAGED_BY_FILE)->text);
    if (same) return call_fail(c, ERR_CONFLICT, "There is a datasource '%s' already.", in->id);
    rc = connecting_confine(c, &d);
    if (!rc) rc = connecting_resolve(c, &d);
    if (!rc) rc = connecting_test(c, &d);
    if (!rc) rc = datasources_add(e->store, c, e->master_key, &d);
    if (!rc) rc = registry_put(c->world->registry, c, &d);
    if (!rc) show_datasource(c, registry_peek(c->world->registry, c, in->id), NULL, out);
    return rc;
}

const struct op op_datasource_create = { .name = "datasource_create",
                                         .doc = "Connects a database.",
                                         .level = LEVEL_ADMIN,
                                         .flags = OP_WRITES,
                                         .in = &in_type,
                                         .out = &shown_datasource_type,
                                         .run = run };
