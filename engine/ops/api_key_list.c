/* api_key_list: the API keys of the caller's tenant, newest first, revoked ones too. */
#include "base/cursor.h"
#include "ops/page.h"
#include "store/api_keys.h"

struct wish {
    int64_t limit;
    const char *cursor;
};
static const struct field wish_fields[] = {
    FIELD(struct wish, limit, K_INT, .min = 1, .max = 200, .def = "50", .doc = "Most keys on a page."),
    FIELD(struct wish, cursor, K_STR, .max = CURSOR_TEXT_MAX, .doc = "`next` of the page before."),
    { 0 },
};
static const struct type wish_type = TYPE(struct wish, "ApiKeyListRequest", wish_fields);

struct keys {
    struct list items;
    const char *next;
};
static const struct field keys_fields[] = {
    FIELD(struct keys, items, K_LIST, .flags = F_REQUIRED, .of = &api_key_type, .doc = "The keys."),
    FIELD(struct keys, next, K_STR, .flags = F_NULL, .doc = "Cursor of the next page; null on the last."),
    { 0 },
};
static const struct type keys_type = TYPE(struct keys, "ApiKeyList", keys_fields);

static int api_key_list(struct engine *e, struct call *c, const void *in, void *out)
{
    const struct wish *w = in;
    struct keys *keys = out;
    struct page page;
    int rc = page_read(e, c, "api_key_list", w->cursor, &page);
    /* One more than the page holds tells whether there is a next one. */
    if (!rc) rc = api_keys_list(e->store, c, c->who.tenant, page.before_us, page.before_id, w->limit + 1, &keys->items);
    if (rc || keys->items.count <= (size_t)w->limit) return rc;
    keys->items.count--;
    const struct api_key *last = &LIST_AT(&keys->items, struct api_key, keys->items.count - 1);
    keys->next = page_next(e, c, "api_key_list", last->created_at, last->id);
    return OK;
}

const struct op op_api_key_list = { .name = "api_key_list",
                                    .doc = "The API keys of this tenant, newest first.",
                                    .level = LEVEL_ADMIN,
                                    .in = &wish_type,
                                    .out = &keys_type,
                                    .run = api_key_list };
