#include "sql/bind.h"

#include "sql/sql.h"

static int find_tongue(struct call *c, const char *dialect, enum tongue *out)
{
    if (tongue_find(dialect, out)) return OK;
    return call_fail(c, ERR_PLAN_NOT_SUPPORTED,
                     "dialect '%.40s' is not supported; use one of sqlite, postgres, mysql, duckdb, mssql.",
                     dialect ? dialect : "");
}

int sql_parse(struct call *c, const char *dialect, const char *text, size_t n, const char **refusal)
{
    enum tongue tongue;
    struct syntax syntax = { 0 };
    int rc = find_tongue(c, dialect, &tongue);
    if (!rc) rc = syntax_parse(c, tongue, text, n, &syntax);
    *refusal = rc ? NULL : syntax.refusal;
    return rc;
}

int sql_to_plan(struct call *c, const char *dialect, const char *text, size_t n, const struct view *view,
                struct query **out)
{
    enum tongue tongue;
    struct syntax syntax;
    int rc = find_tongue(c, dialect, &tongue);
    if (!rc) rc = syntax_parse(c, tongue, text, n, &syntax);
    if (rc) return rc;
    if (syntax.refused) return call_fail(c, syntax.refused, "%s", syntax.refusal);
    struct binder b = { .call = c, .tongue = tongue, .view = view, .text = text, .n = (uint32_t)n };
    *out = bind_query(&b, NULL, NULL, syntax.query);
    if (c->err.code) return (int)c->err.code;
    return *out ? OK : call_fail(c, ERR_INTERNAL_ERROR, "The SQL could not be bound.");
}
