/* list_datasources: the datasources that the caller reaches. */
#include "base/cursor.h"
#include "ops/page.h"
#include "ops/reach.h"

#include <string.h>

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
    FIELD(struct datasources, next, K_STR, .flags = F_NULL, .doc = "Cursor of the next page; null on the last."),
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

static bool shown(const struct call *c, const struct datasource *ds)
{
    return policy_reaches(c->world->policies, &c->who, ds->snapshot);
}

struct list_in {
    const char *cursor;
    int64_t limit;
};
static const struct field list_in_fields[] = {
    FIELD(struct list_in, limit, K_INT, .min = 1, .max = 200, .def = "200", .doc = "Most datasources on a page."),
    FIELD(struct list_in, cursor, K_STR, .doc = "`next` of the page before."),
    { 0 },
};
static const struct type list_in_type = TYPE(struct list_in, "DatasourceListRequest", list_in_fields);

/* The tool takes no arguments. */
static const struct field none[] = { { 0 } };
extern const struct type datasources_tool_in_type;
const struct type datasources_tool_in_type = TYPE(struct list_in, "DatasourcesRequest", none);

/* Looked at for one page, whatever is shown of them: who reaches little gets short pages, none that takes long. */
enum { LOOKED_AT = 400 };

static void show_page(struct call *c, const struct list *ids, const struct list_in *in, struct datasources *out,
                      const char **last)
{
    struct list some = registry_some(c->world->registry, c, ids->items, ids->count);
    for (size_t i = 0; i < some.count && out->items.count < (size_t)in->limit; i++) {
        const struct datasource *ds = LIST_AT(&some, const struct datasource *, i);
        *last = ds->config->id;
        if (!shown(c, ds)) continue;
        struct listed *item = list_push(c, &out->items, sizeof *item);
        *item = (struct listed){ .id = ds->config->id,
                                 .type = ds->config->type,
                                 .description = ds->config->description,
                                 .status = (int)ds->status };
        if (c->who.level >= LEVEL_ADMIN) item->problem = ds->problem;
    }
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    struct list_in asked = *(const struct list_in *)vin, *in = &asked;
    struct datasources *out = vout;
    struct registry *r = c->world->registry;
    const struct cursor_scope scope = { e->cursor_key, "list_datasources", page_owner(c), "" };
    const char *last = NULL;
    if (!in->limit) in->limit = 200;
    int rc = in->cursor ? cursor_read(c, &scope, in->cursor, &last) : OK;
    if (rc) return rc;
    struct list ids = registry_ids(r, c, last, SIZE_MAX), near = { 0 };
    size_t looked = 0;
    for (size_t i = 0; i < ids.count && looked < LOOKED_AT && out->items.count < (size_t)in->limit; i++) {
        const char *id = LIST_AT(&ids, const char *, i);
        bool end = i + 1 == ids.count;
        if (policy_told(c->world->policies, &c->who) || policy_mentions(c->world->policies, &c->who, id)) {
            *(const char **)list_push(c, &near, sizeof id) = id;
            looked++;
        }
        if (near.count < (size_t)in->limit - out->items.count && !end && looked < LOOKED_AT) continue;
        show_page(c, &near, in, out, &last);
        if (near.count == 0 || out->items.count < (size_t)in->limit) last = id;
        near = (struct list){ 0 };
    }
    if (last && ids.count && strcmp(last, LIST_AT(&ids, const char *, ids.count - 1)) < 0)
        out->next = cursor_make(c, &scope, last);
    return OK;
}

const struct op op_list_datasources = { .name = "list_datasources",
                                        .doc = "The datasources that the caller reaches.",
                                        .level = LEVEL_VIEWER,
                                        .in = &list_in_type,
                                        .out = &datasources_type,
                                        .run = run };
