/* sql_roundtrip: a text of SQLite's dialect through plan and back, step by step, on a SQLite file; for measuring.
 * Nothing is run here. */
#include "guard/roundtrip.h"
#include "ops/op.h"
#include "schema/registry.h"

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

static const struct field out_fields[] = {
    FIELD(struct roundtrip, reached, K_ENUM, .flags = F_REQUIRED, .of = trip_names,
          .doc = "The step that failed, or all."),
    FIELD(struct roundtrip, sql, K_STR, .doc = "As it was rendered."),
    FIELD(struct roundtrip, reason, K_STR, .doc = "Why a step failed."),
    FIELD(struct roundtrip, parse_us, K_INT, .flags = F_REQUIRED, .doc = "Text to plan."),
    FIELD(struct roundtrip, check_us, K_INT, .flags = F_REQUIRED),
    FIELD(struct roundtrip, render_us, K_INT, .flags = F_REQUIRED),
    { 0 },
};
static const struct type out_type = TYPE(struct roundtrip, "SqlRoundtripped", out_fields);

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

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct roundtrip_in *in = vin;
    struct roundtrip *out = vout;
    const struct snapshot *s;
    if (!e->measure) return call_fail(c, ERR_FORBIDDEN, "This operation is for measuring only.");
    int rc = open_file(c, in, &s);
    if (rc) return rc;
    if (guard_roundtrip(c, s, in->sql, in->dialect, out)) {
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
