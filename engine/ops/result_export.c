/* result_export: the plan of a result once more, as the caller, written as a file. */
#include "ops/op.h"
#include "policy/policy.h"
#include "results/results.h"

#include <string.h>

struct export_in {
    const char *id;
    int format, formulas;
};
static const struct field export_in_fields[] = {
    FIELD(struct export_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the result."),
    FIELD(struct export_in, format, K_ENUM, .of = export_format_names, .def = "csv", .doc = "csv, json or ndjson."),
    FIELD(struct export_in, formulas, K_ENUM, .of = formulas_names, .def = "keep",
          .doc = "csv only. escape: an apostrophe before texts that a spreadsheet would run as a formula."),
    { 0 },
};
static const struct type export_in_type = TYPE(struct export_in, "ResultExportRequest", export_in_fields);

/* content_type and file_name are read by the door before the first byte, the rest after the last. */
struct export_out {
    const char *content_type, *file_name;
    struct export_end end;
};
static const struct field export_out_fields[] = {
    FIELD(struct export_out, content_type, K_STR, .flags = F_REQUIRED),
    FIELD(struct export_out, file_name, K_STR, .flags = F_REQUIRED),
    { .name = "executed_at",
      .kind = K_TIME,
      .offset = offsetof(struct export_out, end.executed_at),
      .flags = F_REQUIRED },
    { .name = "row_count", .kind = K_INT, .offset = offsetof(struct export_out, end.row_count), .flags = F_REQUIRED },
    { .name = "truncated", .kind = K_BOOL, .offset = offsetof(struct export_out, end.truncated), .flags = F_REQUIRED },
    { .name = "row_hash", .kind = K_STR, .offset = offsetof(struct export_out, end.row_hash), .flags = F_REQUIRED },
    { .name = "row_hash_equal",
      .kind = K_BOOL,
      .offset = offsetof(struct export_out, end.row_hash_equal),
      .flags = F_REQUIRED },
    { 0 },
};
static const struct type export_out_type = TYPE(struct export_out, "ResultExport", export_out_fields);

struct policy_watch {
    struct engine *engine;
    const char *version; /* of the policy that this call works under */
};

static bool policy_current(void *ctx)
{
    struct policy_watch *w = ctx;
    pthread_mutex_lock(&w->engine->world_lock);
    bool same = !strcmp(policies_version(w->engine->world->policies), w->version);
    pthread_mutex_unlock(&w->engine->world_lock);
    return same;
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct export_in *in = vin;
    struct export_out *out = vout;
    struct opened_result r = { 0 };
    struct policy_watch watch = { e, policies_version(c->world->policies) };
    const struct export_format *format = export_formats[in->format];
    int rc = result_open(c, c->world, e->store, in->id, &r);
    if (rc) return rc;
    out->content_type = format->content_type;
    out->file_name = call_format(c, "%s.%s", r.stored.id, format->name);
    c->audit.object_id = r.stored.id;
    const struct export_request request = {
        .format = format, .formulas = in->formulas, .store = e->store, .current = policy_current, .ctx = &watch
    };
    return result_export(c, &r, &request, &out->end);
}

extern const struct op op_result_export;
const struct op op_result_export = { .name = "result_export",
                                     .doc =
                                         "Runs the plan of a result again and streams all rows as CSV, JSON or NDJSON.",
                                     .level = LEVEL_VIEWER,
                                     .flags = OP_STREAMS | OP_DATA,
                                     .in = &export_in_type,
                                     .out = &export_out_type,
                                     .run = run };
