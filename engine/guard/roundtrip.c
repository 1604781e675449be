#include "guard/roundtrip.h"

#include "base/clock.h"
#include "guard/opinion.h"
#include "sql/dialects/dialect.h"

#include <string.h>

const char *const trip_names[] = { "parse", "check", "render", "read_back", "all", NULL };

static struct view whole_view(struct call *c, const struct snapshot *s)
{
    return (struct view){ .snapshot = s,
                          .tables = s->tables,
                          .access = call_array(c, s->table_count, sizeof(struct table_access)),
                          .table_count = s->table_count,
                          .key = s->fingerprint };
}

/* The text keeps its own engine's leniency; only what the other cannot be told is refused. */
static struct dialect_support between(const struct dialect *from, const struct dialect *to)
{
    const unsigned lenient = DIALECT_COERCES | DIALECT_UNGROUPED | DIALECT_DISTINCT_ORDER;
    struct dialect_support s = to->support;
    s.features |= from->support.features & lenient;
    return s;
}

/* What the other engine's own parser sees, where it is linked, must be part of what was rendered. */
static int read_back(struct call *c, const struct view *view, const struct dialect *d, const struct statement *s)
{
    struct reads seen = { 0 };
    struct query *again;
    if (strcmp(d->name, "sqlite") == 0) return sql_to_plan(c, "sqlite", s->sql, s->n, view, &again);
    if (strcmp(d->name, "postgres") != 0) return OK;
    int rc = adapter_kind_find("postgres")->inspect(c, NULL, s, &seen);
    struct table_read table;
    const char *what;
    if (!rc && !opinion_agrees(view->snapshot, &s->reads, &seen, &table, &what))
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "PostgreSQL's parser sees more: %s %s",
                       table.table ? table.table : "", what);
    return rc;
}

int guard_roundtrip(struct call *c, const struct snapshot *snapshot, const char *sql, const char *dialect,
                    struct roundtrip *out)
{
    const struct view whole = whole_view(c, snapshot), *view = &whole;
    const struct dialect *to = dialect_find(dialect);
    struct query *q;
    struct check_result checked = { 0 };
    struct statement *s;
    if (!to) return call_fail(c, ERR_PLAN_NOT_SUPPORTED, "dialect '%s' is not supported.", dialect);
    const struct dialect_support support = between(dialect_find("sqlite"), to);
    int64_t at = clock_mono_us(), now;
    int rc = sql_to_plan(c, "sqlite", sql, strlen(sql), view, &q);
    out->parse_us = (now = clock_mono_us()) - at;
    out->reached = TRIP_PARSE;
    if (rc) return rc;
    out->reached = TRIP_CHECK;
    rc = plan_check(c, view, &support, ORIGIN_TEXT, q, &checked);
    out->check_us = (at = clock_mono_us()) - now;
    if (rc) return rc;
    out->reached = TRIP_RENDER;
    rc = sql_render(c, to->name, q, 0, &s);
    out->render_us = clock_mono_us() - at;
    if (rc) return rc;
    out->sql = s->sql;
    out->reached = TRIP_READ_BACK;
    rc = read_back(c, view, to, s);
    if (!rc) out->reached = TRIP_ALL;
    return rc;
}
