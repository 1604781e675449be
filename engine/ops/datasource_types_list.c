/* datasource_types_list: the kinds of database that can be connected, and what a connection of each needs. */
#include "adapters/adapter.h"
#include "ops/op.h"

struct kind_item {
    const char *type, *title, *dialect, *install_hint;
    struct raw connection;
    bool installed;
};
static const struct field item_fields[] = {
    FIELD(struct kind_item, type, K_STR, .flags = F_REQUIRED),
    FIELD(struct kind_item, title, K_STR, .flags = F_REQUIRED),
    FIELD(struct kind_item, dialect, K_STR, .flags = F_REQUIRED),
    FIELD(struct kind_item, connection, K_RAW, .flags = F_REQUIRED, .of = "{\"type\":\"object\"",
          .doc = "JSON Schema of its connection."),
    FIELD(struct kind_item, installed, K_BOOL, .flags = F_REQUIRED),
    FIELD(struct kind_item, install_hint, K_STR, .doc = "How to install its driver, when it is not."),
    { 0 },
};
static const struct type item_type = TYPE(struct kind_item, "DatasourceType", item_fields);

struct kinds {
    struct list items;
    const char *next;
};
static const struct field out_fields[] = {
    FIELD(struct kinds, items, K_LIST, .flags = F_REQUIRED, .of = &item_type, .doc = "The kinds."),
    FIELD(struct kinds, next, K_STR, .flags = F_NULL, .doc = "Always null: the list is whole."),
    { 0 },
};
static const struct type out_type = TYPE(struct kinds, "DatasourceTypeList", out_fields);

static int run(struct engine *e, struct call *c, const void *in, void *vout)
{
    struct kinds *out = vout;
    (void)e, (void)in;
    for (size_t i = 0; adapter_kinds[i]; i++) {
        const struct adapter_kind *k = adapter_kinds[i];
        struct kind_item *item = list_push(c, &out->items, sizeof *item);
        struct buf b;
        buf_init(&b, c, (size_t)1 << 16);
        type_schema(&b, k->connection, true);
        *item = (struct kind_item){ .type = k->name,
                                    .title = k->title,
                                    .dialect = k->dialect,
                                    .connection = { b.data, b.len },
                                    .installed = k->installed() };
        if (!item->installed) item->install_hint = k->install_hint;
    }
    return OK;
}

const struct op op_datasource_types_list = { .name = "datasource_types_list",
                                             .doc = "The kinds of database that can be connected.",
                                             .level = LEVEL_ADMIN,
                                             .out = &out_type,
                                             .run = run };
