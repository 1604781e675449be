/* datasource_update: changes a datasource that was connected here. Members of `connection` and `options` that are given
 * replace the ones there are, null takes one away, the others stay: a secret need not be sent again. */
#include "ops/connecting.h"
#include "ops/datasource_get.h"
#include "store/datasources.h"

#include <string.h>

struct update_in {
    const char *id, *description;
    const struct json *connection, *options;
};
static const struct field in_fields[] = {
    FIELD(struct update_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 63, .doc = "Id of the datasource."),
    FIELD(struct update_in, description, K_STR, .max = 2000,
          .doc = "What it holds; shown to every caller that reaches it."),
    FIELD(struct update_in, connection, K_JSON, .doc = "Members of the connection to replace; null takes one away."),
    FIELD(struct update_in, options, K_JSON, .doc = "Options to replace; null brings the default back."),
    { 0 },
};
static const struct type in_type = TYPE(struct update_in, "DatasourceUpdate", in_fields);

/* The object with the members of the patch in it. */
static const struct json *merged(struct call *c, const struct json *base, const struct json *patch)
{
    struct json *out = call_alloc(c, sizeof *out), *items = call_array(c, base->count + patch->count, sizeof *items);
    const char **names = call_array(c, base->count + patch->count, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < base->count; i++) {
        if (json_get(patch, base->names[i])) continue;
        names[n] = base->names[i];
        items[n++] = base->items[i];
    }
    for (size_t i = 0; i < patch->count; i++) {
        if (patch->items[i].kind == J_NULL) continue;
        names[n] = patch->names[i];
        items[n++] = patch->items[i];
    }
    *out = (struct json){ .kind = J_OBJECT, .count = n, .items = items, .names = names };
    return out;
}

static int merge_options(struct call *c, const struct json *patch, struct datasource_options *o)
{
    struct buf b;
    const struct json *have;
    if (!patch) return OK;
    if (patch->kind != J_OBJECT)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/options", "'options' must be an object.");
    buf_init(&b, c, (size_t)1 << 20);
    json_encode(&b, &datasource_options_type, o);
    int rc = json_parse(c, b.data, b.len, &have);
    if (rc) return rc;
    *o = (struct datasource_options){ 0 };
    return json_decode_at(c, &datasource_options_type, merged(c, have, patch), "/options", o);
}

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct update_in *in = vin;
    c->audit.object_id = in->id;
    const struct datasource *ds = registry_peek(c->world->registry, c, in->id);
    if (!ds) return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", in->id);
    if (ds->config->managed) return call_fail(c, ERR_MANAGED_BY_FILE, "%s", code_row(ERR_MANAGED_BY_FILE)->text);
    struct datasource_config d = *ds->config;
    if (in->description) d.description = in->description;
    int rc = merge_options(c, in->options, &d.options);
    if (!rc && in->connection) {
        if (in->connection->kind != J_OBJECT)
            return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection", "'connection' must be an object.");
        d.connection = merged(c, d.connection, in->connection);
        rc = connecting_confine(c, &d);
        if (!rc) rc = connecting_resolve(c, &d);
        if (!rc) rc = connecting_test(c, &d);
    } else if (!rc) {
        rc = connecting_resolve(c, &d);
    }
    if (!rc) rc = datasources_replace(e->store, c, e->master_key, &d);
    if (!rc) rc = registry_put(c->world->registry, c, &d);
    if (!rc) show_datasource(c, registry_peek(c->world->registry, c, in->id), NULL, out);
    return rc;
}

const struct op op_datasource_update = { .name = "datasource_update",
                                         .doc = "Changes a datasource that was connected here.",
                                         .level = LEVEL_ADMIN,
                                         .flags = OP_WRITES,
                                         .in = &in_type,
                                         .out = &shown_datasource_type,
                                         .run = run };
