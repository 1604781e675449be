/* api_key_list: the API keys of the caller's tenant, newest first, revoked ones too. */
#include "base/cursor.h"
#include "ops/op.h"
#include "store/api_keys.h"

#include <stdlib.h>
#include <string.h>

struct page {
    int64_t limit;
    const char *cursor;
};
static const struct field page_fields[] = {
    FIELD(struct page, limit, K_INT, .min = 1, .max = 200, .def = "50", .doc = "Most keys on a page."),
    FIELD(struct page, cursor, K_STR, .doc = "`next` of the page before."),
    { 0 },
};
static const struct type page_type = TYPE(struct page, "ApiKeyListInput", page_fields);

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
    const struct page *page = in;
    struct keys *keys = out;
    const struct cursor_scope scope = { e->cursor_key, "api_key_list", c->who.tenant, NULL };
    const char *position = NULL, *after_id = NULL;
    int64_t after_at = 0;
    int rc = page->cursor ? cursor_read(c, &scope, page->cursor, &position) : OK;
    if (rc) return rc;
    if (position) {
        after_at = strtoll(position, NULL, 10);
        after_id = strchr(position, '/') + 1;
    }
    /* One more than the page holds tells whether there is a next one. */
    rc = api_keys_list(e->store, c, c->who.tenant, after_at, after_id, page->limit + 1, &keys->items);
    if (rc || keys->items.count <= (size_t)page->limit) return rc;
    const struct api_key *last = &LIST_AT(&keys->items, struct api_key, page->limit - 1);
    keys->items.count = (size_t)page->limit;
    keys->next = cursor_make(c, &scope, call_format(c, "%lld/%s", (long long)last->created_at, last->id));
    return OK;
}

const struct op op_api_key_list = { .name = "api_key_list",
                                    .doc = "The API keys of this tenant, newest first.",
                                    .level = LEVEL_ADMIN,
                                    .in = &page_type,
                                    .out = &keys_type,
                                    .run = api_key_list };
