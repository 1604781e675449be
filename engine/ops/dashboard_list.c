/* dashboard_list: the dashboards of the caller, a page at a time. */
#include "base/cursor.h"
#include "dashboards/dashboard.h"
#include "ops/page.h"

struct list_in {
    const char *cursor;
    int64_t limit;
};
static const struct field list_in_fields[] = {
    FIELD(struct list_in, cursor, K_STR, .max = CURSOR_TEXT_MAX, .doc = "`next` of the page before."),
    FIELD(struct list_in, limit, K_INT, .min = 1, .max = 200, .def = "50", .doc = "Items of the page."),
    { 0 },
};
static const struct type list_in_type = TYPE(struct list_in, "DashboardListRequest", list_in_fields);

struct list_out {
    struct list items; /* struct dashboard_info */
    const char *next;
};
static const struct field list_out_fields[] = {
    FIELD(struct list_out, items, K_LIST, .flags = F_REQUIRED, .of = &dashboard_info_type),
    FIELD(struct list_out, next, K_STR, .flags = F_NULL, .doc = "Cursor of the next page; null on the last one."),
    { 0 },
};
static const struct type list_out_type = TYPE(struct list_out, "DashboardList", list_out_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct list_in *in = vin;
    struct list_out *out = vout;
    struct page page;
    int rc = page_read(e, c, "dashboard_list", in->cursor, &page);
    if (!rc) rc = dashboard_list(c, e->store, page.before_us, page.before_id, in->limit + 1, &out->items);
    if (rc || (int64_t)out->items.count <= in->limit) return rc;
    out->items.count--;
    const struct dashboard_info *last = &LIST_AT(&out->items, struct dashboard_info, out->items.count - 1);
    out->next = page_next(e, c, "dashboard_list", last->updated_at, last->id);
    return OK;
}

extern const struct op op_dashboard_list;
const struct op op_dashboard_list = { .name = "dashboard_list",
                                      .doc = "The caller's dashboards, latest first.",
                                      .level = LEVEL_VIEWER,
                                      .flags = 0,
                                      .in = &list_in_type,
                                      .out = &list_out_type,
                                      .run = run };
