/* sql_roundtrip: a text of SQLite's dialect through plan and back, step by step, on a SQLite file; for measuring.
 * Nothing is run here. */
#include "base/clock.h"
#include "guard/opinion.h"
#include "ops/op.h"
#include "schema/registry.h"
#include "sql/dialects/dialect.h"

#include <string.h>

struct roundtrip_in {
    const char *database_id, *path, *sql, *dialect;
};
static const struct field in_fields[] = {
    FIELD(struct roundtrip_in, database_id, K_STR, .flags = F_REQUIRED, .max = 64,
          .doc = "Name it is registered under."),
    FIELD(struct roundtrip_in, path, K_STR, .flags = F_REQUIRED, .max = 4096, .doc = "The SQLite file."),
    FIELD(struct roundtrip_in, sql, K_STR, .flags = F_REQUIRED, .doc = "The text."),
    FIELD(struct roundtrip_in, dialect, K_STR, .max = 40, .def = "sqlite", .doc = "Rendered for this engine."),
    { 0 },
};
static const struct type in_type = TYPE(struct roundtrip_in, "SqlRoundtrip", in_fields);

enum trip { TRIP_PARSE, TRIP_CHECK, TRIP_RENDER, TRIP_READ_BACK, TRIP_ALL };
static const char *const trip_names[] = { "parse", "check", "render", "read_back", "all", NULL };
struct roundtrip_out {
    int reached;
    const char *sql, *reason;
    int64_t parse_us, check_us, render_us;
};
static const struct field out_fields[] = {
    FIELD(struct roundtrip_out, reached, K_ENUM, .flags = F_REQUIRED, .of = trip_names,
          .doc = "The step that failed, or all."),
    FIELD(struct roundtrip_out, sql, K_STR, .doc = "As it was rendered."),
    FIELD(struct roundtrip_out, reason, K_STR, .doc = "Why a step failed."),
    FIELD(struct roundtrip_out, parse_us, K_INT, .flags = F_REQUIRED, .doc = "Text to plan."),
    FIELD(struct roundtrip_out, check_us, K_INT, .flags = F_REQUIRED),
    FIELD(struct roundtrip_out, render_us, K_INT, .flags = F_REQUIRED),
    { 0 },
};
static const struct type out_type = TYPE(struct roundtrip_out, "SqlRoundtripped", out_fields);

static int register_file(struct call *c, const struct roundtrip_in *in)
{
    static const char *const names[] = { "path" };
    struct json path = { .kind = J_STRING, .string = in->path, .count = strlen(in->path) };
    struct json connection = { .kind = J_OBJECT, .count = 1, .items = &path, .names = names };
    struct datasource_config d = { .id = in->database_id, .type = "sqlite", .connection = &connection };
    int rc = type_defaults(c, &datasource_options_type, &d.options);
    return rc ? rc : registry_put(c->world->registry, c, &d);
}

/* The file's structure, read once and kept by the registry. Two threads that meet here read it twice. */
static int open_file(struct call *c, const struct roundtrip_in *in, const struct snapshot **out)
{
    struct registry *r = c->world->registry;
    const struct datasource *ds = registry_peek(r, c, in->database_id);
    struct snapshot *s;
    int rc = ds ? OK : register_file(c, in);
    if (!rc && !ds) ds = registry_peek(r, c, in->database_id);
    if (!rc && ds && !ds->snapshot && ds->adapter) {
        rc = adapter_introspect(c, ds->adapter, &s);
        if (!rc) rc = registry_publish(r, c, in->database_id, s, NULL);
        if (!rc) ds = registry_peek(r, c, in->database_id);
    }
    if (rc) return rc;
    *out = ds ? ds->snapshot : NULL;
    return *out ? OK : call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The file %s cannot be read.", in->path);
}

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

static int steps(struct call *c, const struct view *view, const struct roundtrip_in *in, struct roundtrip_out *out)
{
    const struct dialect *to = dialect_find(in->dialect);
    struct query *q;
    struct check_result checked = { 0 };
    struct statement *s;
    if (!to) return call_fail(c, ERR_PLAN_NOT_SUPPORTED, "dialect '%s' is not supported.", in->dialect);
    const struct dialect_support support = between(dialect_find("sqlite"), to);
    int64_t at = clock_mono_us(), now;
    int rc = sql_to_plan(c, "sqlite", in->sql, strlen(in->sql), view, &q);
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

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct roundtrip_in *in = vin;
    struct roundtrip_out *out = vout;
    const struct snapshot *s;
    if (!e->measure) return call_fail(c, ERR_FORBIDDEN, "This operation is for measuring only.");
    int rc = open_file(c, in, &s);
    if (rc) return rc;
    const struct view view = whole_view(c, s);
    if (steps(c, &view, in, out)) {
        out->reason = c->err.message;
        call_forgive(c);
    }
    return OK;
}

const struct op op_sql_roundtrip = { .name = "sql_roundtrip",
                                     .doc = "A text of SQLite's dialect through plan and back, for measuring.",
                                     .level = LEVEL_OPERATOR,
                                     .flags = OP_CLI | OP_QUIET,
                                     .in = &in_type,
                                     .out = &out_type,
                                     .run = run };
