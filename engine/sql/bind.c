#include "sql/bind.h"

#include "sql/sql.h"

int sql_to_plan(struct call *c, const char *dialect, const char *text, size_t n, const struct view *view,
                struct query **out)
{
    enum tongue tongue;
    if (!tongue_find(dialect, &tongue))
        return call_fail(c, ERR_PLAN_NOT_SUPPORTED,
                         "dialect '%.40s' is not supported; use one of sqlite, postgres, mysql, duckdb, mssql.",
                         dialect ? dialect : "");
    struct syntax syntax;
    int rc = syntax_parse(c, tongue, text, n, &syntax);
    if (rc) return rc;
    if (syntax.refused) return call_fail(c, syntax.refused, "%s", syntax.refusal);
    struct binder b = { .call = c, .tongue = tongue, .view = view, .text = text, .n = (uint32_t)n };
    *out = bind_query(&b, NULL, NULL, syntax.query);
    if (c->err.code) return (int)c->err.code;
    return *out ? OK : call_fail(c, ERR_INTERNAL_ERROR, "The SQL could not be bound.");
}
