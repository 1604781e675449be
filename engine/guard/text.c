#include "guard/guard.h"

int guard_text(struct call *c, const struct datasource *ds, const struct view *view, const char *sql, size_t n,
               int64_t max_rows, struct guarded **out)
{
    struct query *plan;
    *out = NULL;
    if (!view->snapshot) return call_fail(c, ERR_NOT_INDEXED, "%s", code_row(ERR_NOT_INDEXED)->text);
    int rc = sql_to_plan(c, view->snapshot->dialect, sql, n, view, &plan);
    return rc ? rc : guard_prepare(c, ds, view, plan, ORIGIN_TEXT, max_rows, out);
}
