/* list_datasources: the datasources that the caller reaches. */
#include "ops/reach.h"

struct listed {
    const char *id, *type, *description, *problem;
    int status; /* enum datasource_status */
};
static const struct field tool_fields[] = {
    FIELD(struct listed, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct listed, type, K_STR, .flags = F_REQUIRED),
    FIELD(struct listed, description, K_STR, .flags = F_NULL),
    FIELD(struct listed, status, K_ENUM, .flags = F_REQUIRED, .of = datasource_status_names),
    { 0 },
};
static const struct type tool_type = TYPE(struct listed, "ListedDatasource", tool_fields);
static const struct field listed_fields[] = {
    FIELD(struct listed, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct listed, type, K_STR, .flags = F_REQUIRED),
    FIELD(struct listed, description, K_STR, .flags = F_NULL),
    FIELD(struct listed, status, K_ENUM, .flags = F_REQUIRED, .of = datasource_status_names),
    FIELD(struct listed, problem, K_STR, .doc = "Why it is unavailable; for admins."),
    { 0 },
};
static const struct type listed_type = TYPE(struct listed, "DatasourceItem", listed_fields);

struct datasources {
    struct list items;
    const char *next;
};
static const struct field fields[] = {
    FIELD(struct datasources, items, K_LIST, .flags = F_REQUIRED, .of = &listed_type, .doc = "The datasources, by id."),
    FIELD(struct datasources, next, K_STR, .flags = F_NULL, .doc = "Always null: the list is whole."),
    { 0 },
};
static const struct type datasources_type = TYPE(struct datasources, "DatasourceList", fields);
/* The same as the tool of this name answers it. */
static const struct field tool_list_fields[] = {
    { .name = "datasources",
      .kind = K_LIST,
      .offset = offsetof(struct datasources, items),
      .flags = F_REQUIRED,
      .of = &tool_type },
    { 0 },
};
extern const struct type datasources_tool_type;
const struct type datasources_tool_type = TYPE(struct datasources, "Datasources", tool_list_fields);

/* Before anything is known of its tables, a datasource is shown only to those who may see all of it. */
static bool shown(const struct call *c, const struct datasource *ds)
{
    if (!ds->snapshot) return reach_told(c);
    return policy_reaches(c->world->policies, &c->who, ds->snapshot);
}

static int run(struct engine *e, struct call *c, const void *in, void *vout)
{
    struct datasources *out = vout;
    (void)e, (void)in;
    struct list all = registry_list(c->world->registry, c);
    for (size_t i = 0; i < all.count; i++) {
        const struct datasource *ds = LIST_AT(&all, const struct datasource *, i);
        if (!shown(c, ds)) continue;
        struct listed *item = list_push(c, &out->items, sizeof *item);
        *item = (struct listed){ .id = ds->config->id,
                                 .type = ds->config->type,
                                 .description = ds->config->description,
                                 .status = (int)ds->status };
        if (c->who.level >= LEVEL_ADMIN) item->problem = ds->problem;
    }
    return OK;
}

const struct op op_list_datasources = { .name = "list_datasources",
                                        .doc = "The datasources that the caller reaches.",
                                        .level = LEVEL_VIEWER,
                                        .out = &datasources_type,
                                        .run = run };
