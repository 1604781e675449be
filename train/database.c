/* A data set's SQLite file as the engine knows it: registered, introspected and indexed like any datasource. */
#include "domain/world.h"
#include "policy/policy.h"
#include "schema/registry.h"
#include "train/train.h"

int database_load(struct call *c, const char *folder, const char *name, struct database *out)
{
    static const char *const names[] = { "path" };
    struct registry *registry = c->world->registry;
    const char *path = call_format(c, "%s/database/%s/%s.sqlite", folder, name, name);
    out->name = name;
    for (int i = 0; i < 2; i++) {
        int rc = gold_open(c, path, &out->gold[i]);
        if (rc) return rc;
    }
    struct json text = { .kind = J_STRING, .string = path };
    for (; path[text.count];) text.count++;
    const struct json connection = { .kind = J_OBJECT, .count = 1, .items = &text, .names = names };
    struct datasource_config config = { .id = name, .type = "sqlite", .connection = &connection };
    int rc = type_defaults(c, &datasource_options_type, &config.options);
    if (!rc) rc = registry_put(registry, c, &config);
    if (rc) return rc;
    out->source = registry_get(registry, c, name);
    if (!out->source || !out->source->snapshot) return call_fail(c, ERR_NOT_INDEXED, "%s cannot be read.", path);
    out->values = out->source->values;
    return policy_view(c, c->world->policies, &c->who, out->source->snapshot, &out->view);
}
