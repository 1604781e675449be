/* evaluation_question: what the planners make of a question on a SQLite file, for measuring. */
#include "evaluation/evaluate.h"
#include "ops/op.h"
#include "schema/registry.h"

struct evaluation_in {
    const char *database_id, *path, *question, *planner, *evidence;
};

static const struct field in_fields[] = {
    FIELD(struct evaluation_in, database_id, K_STR, .flags = F_REQUIRED, .max = 64,
          .doc = "Name it is registered under."),
    FIELD(struct evaluation_in, path, K_STR, .flags = F_REQUIRED, .max = 4096, .doc = "The SQLite file."),
    FIELD(struct evaluation_in, question, K_STR, .flags = F_REQUIRED, .doc = "The question."),
    FIELD(struct evaluation_in, planner, K_STR, .max = 64, .def = "auto", .doc = "auto, or the name of a planner."),
    FIELD(struct evaluation_in, evidence, K_STR, .max = 16,
          .doc = "off, values or execute; left out, the datasource's."),
    { 0 },
};
static const struct type in_type = TYPE(struct evaluation_in, "EvaluationQuestion", in_fields);

/* A result is compared as a whole, however long it is. */
#define ROW_LIMIT 1000000

static int register_file(struct call *c, const struct evaluation_in *in)
{
    if (registry_peek(c->world->registry, c, in->database_id)) return OK;
    static const char *const names[] = { "path" };
    struct json path = { .kind = J_STRING, .string = in->path };
    for (; in->path[path.count];) path.count++;
    struct json connection = { .kind = J_OBJECT, .count = 1, .items = &path, .names = names };
    struct datasource_config d = { .id = in->database_id, .type = "sqlite", .connection = &connection };
    int rc = type_defaults(c, &datasource_options_type, &d.options);
    d.options.row_limit = ROW_LIMIT;
    return rc ? rc : registry_put(c->world->registry, c, &d);
}

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct evaluation_in *in = vin;
    if (!e->measure) return call_fail(c, ERR_FORBIDDEN, "This operation is for measuring only.");
    int rc = register_file(c, in);
    return rc ? rc : evaluate_question(c, c->world, in->database_id, in->question, in->planner, in->evidence, out);
}

const struct op op_evaluation_question = { .name = "evaluation_question",
                                           .doc =
                                               "What the planners make of a question on a SQLite file, for measuring.",
                                           .level = LEVEL_OPERATOR,
                                           .flags = OP_CLI | OP_QUIET,
                                           .in = &in_type,
                                           .out = &evaluated_type,
                                           .run = run };
