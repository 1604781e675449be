#include "guard/guard.h"

#include "sql/dialects/dialect.h"

/* Rows the caller may get: the datasource's ceiling, or less when less was asked for. */
static int64_t row_ceiling(const struct datasource *ds, int64_t max_rows)
{
    if (max_rows == GUARD_EXPORT) return EXPORT_ROWS;
    int64_t most = ds->config->options.row_limit;
    return max_rows > 0 && (most <= 0 || max_rows < most) ? max_rows : most;
}

int guard_prepare(struct call *c, const struct datasource *ds, const struct view *view, struct query *plan,
                  enum origin origin, int64_t max_rows, struct guarded **out)
{
    *out = NULL;
    const struct dialect *dialect = view->snapshot ? dialect_find(view->snapshot->dialect) : NULL;
    if (!dialect) return call_fail(c, ERR_NOT_INDEXED, "%s", code_row(ERR_NOT_INDEXED)->text);
    if (max_rows < GUARD_EXPORT)
        return call_fail(c, ERR_VALIDATION_ERROR, "max_rows must be at least 1, found %lld", (long long)max_rows);

    struct guarded *g = call_alloc(c, sizeof *g);
    struct check_result checked = { 0 };
    struct query *accessed = NULL;
    struct certificate cert = { 0 };
    int rc = plan_check(c, view, &dialect->support, origin, plan, &checked);
    if (rc) return rc;
    g->plan_hash = plan_hash(c, plan);
    /* System plans (samples, counts) run for the engine itself, under a view that restricts nothing. */
    if ((rc = access_apply(c, view, &c->who, &dialect->support, plan, &accessed, &cert))) return rc;
    if ((rc = access_verify(c, view, &c->who, plan, accessed, &cert))) return rc;
    if ((rc = sql_render(c, dialect->name, accessed, row_ceiling(ds, max_rows), &g->statement))) return rc;

    g->datasource = ds;
    g->view = view;
    g->plan = plan;
    g->warnings = checked.warnings;
    g->suggested = checked.suggested;
    g->wrapped = cert.wraps.count > 0;
    g->export = max_rows == GUARD_EXPORT;
    *out = g;
    return OK;
}
