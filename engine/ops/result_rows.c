/* result_rows: the stored rows of a result, page by page. */
#include "base/cursor.h"
#include "ops/page.h"
#include "results/results.h"
#include "store/audit.h"

#include <stdlib.h>

struct rows_in {
    const char *id, *cursor;
    int64_t limit;
};
static const struct field rows_in_fields[] = {
    FIELD(struct rows_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the result."),
    FIELD(struct rows_in, cursor, K_STR, .max = CURSOR_TEXT_MAX, .doc = "`next` of the page before."),
    FIELD(struct rows_in, limit, K_INT, .min = 1, .max = 200, .def = "50", .doc = "Rows of the page."),
    { 0 },
};
static const struct type rows_in_type = TYPE(struct rows_in, "ResultRowsRequest", rows_in_fields);

struct rows_out {
    struct list columns; /* const char * */
    struct raw rows;
    int64_t first_row, stored_rows, row_count;
    bool truncated;
    const char *next;
};
static const struct field rows_out_fields[] = {
    FIELD(struct rows_out, columns, K_STRINGS, .flags = F_REQUIRED),
    FIELD(struct rows_out, rows, K_RAW, .flags = F_REQUIRED,
          .of = "{\"type\":\"array\",\"items\":{\"type\":\"array\"}"),
    FIELD(struct rows_out, first_row, K_INT, .flags = F_REQUIRED, .doc = "Position of the first row here, from 0."),
    FIELD(struct rows_out, stored_rows, K_INT, .flags = F_REQUIRED, .doc = "Rows that can be paged."),
    FIELD(struct rows_out, row_count, K_INT, .flags = F_REQUIRED,
          .doc = "Rows that the run delivered; an export has those beyond the stored ones."),
    FIELD(struct rows_out, truncated, K_BOOL, .flags = F_REQUIRED, .doc = "The run was cut at the row ceiling."),
    FIELD(struct rows_out, next, K_STR, .flags = F_NULL, .doc = "Cursor of the next page; null on the last one."),
    { 0 },
};
static const struct type rows_out_type = TYPE(struct rows_out, "ResultRows", rows_out_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct rows_in *in = vin;
    struct rows_out *out = vout;
    struct opened_result r = { 0 };
    struct cursor_scope scope = {
        .key = e->cursor_key, .op = "result_rows", .owner = page_owner(c), .filters = in->id
    };
    const char *position = "0";
    int64_t got = 0;
    int rc = result_open(c, c->world, e->store, in->id, &r);
    if (!rc && in->cursor) rc = cursor_read(c, &scope, in->cursor, &position);
    if (rc) return rc;
    out->first_row = strtoll(position, NULL, 10);
    c->audit.object_id = r.stored.id;
    c->audit.datasource_id = r.stored.datasource_id;
    rc = audit_allowed(e->store, c);
    if (!rc) rc = result_rows(c, e->store, &r, out->first_row, in->limit, &out->rows, &got);
    if (rc) return rc;
    c->audit.rows = got;
    out->columns = columns_names(c, &r.stored.columns);
    out->stored_rows = r.stored.stored_rows;
    out->row_count = r.stored.row_count;
    out->truncated = r.stored.truncated;
    int64_t after = out->first_row + got;
    if (after < out->stored_rows) out->next = cursor_make(c, &scope, call_format(c, "%lld", (long long)after));
    return OK;
}

extern const struct op op_result_rows;
const struct op op_result_rows = { .name = "result_rows",
                                   .doc = "Pages through the stored rows of a result.",
                                   .level = LEVEL_VIEWER,
                                   .flags = OP_DATA,
                                   .in = &rows_in_type,
                                   .out = &rows_out_type,
                                   .run = run };
