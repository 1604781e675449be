/* result_get: what was asked, how it was read, and what came out of it; the rows have their own operation. */
#include "ops/op.h"
#include "results/results.h"

struct result_in {
    const char *id;
};
static const struct field result_in_fields[] = {
    FIELD(struct result_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the result."),
    { 0 },
};
static const struct type result_in_type = TYPE(struct result_in, "ResultId", result_in_fields);

struct result {
    const char *id, *datasource_id, *trace_id, *question, *reading, *sql;
    struct raw plan;
    struct list columns; /* struct answer_column */
    int64_t row_count, stored_rows, created_at, expires_at;
    bool truncated;
    struct receipt *receipt;
};
static const struct field result_fields[] = {
    FIELD(struct result, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct result, datasource_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct result, trace_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct result, question, K_STR, .flags = F_REQUIRED),
    FIELD(struct result, reading, K_STR, .flags = F_NULL, .doc = "The plan in words."),
    FIELD(struct result, sql, K_STR, .flags = F_REQUIRED),
    FIELD(struct result, plan, K_RAW, .flags = F_REQUIRED, .of = "{\"type\":\"object\"", .doc = "The typed plan."),
    FIELD(struct result, columns, K_LIST, .flags = F_REQUIRED, .of = &answer_column_type),
    FIELD(struct result, row_count, K_INT, .flags = F_REQUIRED, .doc = "Rows that the run delivered."),
    FIELD(struct result, stored_rows, K_INT, .flags = F_REQUIRED, .doc = "Of them, how many can be paged."),
    FIELD(struct result, truncated, K_BOOL, .flags = F_REQUIRED, .doc = "The run was cut at the row ceiling."),
    FIELD(struct result, receipt, K_OBJECT, .flags = F_REQUIRED, .of = &receipt_type),
    FIELD(struct result, created_at, K_TIME, .flags = F_REQUIRED),
    FIELD(struct result, expires_at, K_TIME, .flags = F_REQUIRED),
    { 0 },
};
static const struct type result_type = TYPE(struct result, "Result", result_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct result_in *in = vin;
    struct opened_result r = { 0 };
    int rc = result_open(c, c->world, e->store, in->id, &r);
    if (rc) return rc;
    const struct stored_result *s = &r.stored;
    c->audit.object_id = s->id;
    *(struct result *)vout = (struct result){ .id = s->id,
                                              .datasource_id = s->datasource_id,
                                              .trace_id = s->trace_id,
                                              .question = s->question,
                                              .reading = s->reading,
                                              .sql = s->sql,
                                              .plan = s->plan,
                                              .columns = s->columns,
                                              .row_count = s->row_count,
                                              .stored_rows = s->stored_rows,
                                              .truncated = s->truncated,
                                              .receipt = s->receipt,
                                              .created_at = s->created_at,
                                              .expires_at = s->expires_at };
    return OK;
}

extern const struct op op_result_get;
const struct op op_result_get = { .name = "result_get",
                                  .doc = "A result of the caller: question, plan, SQL, columns, counts and receipt.",
                                  .level = LEVEL_VIEWER,
                                  .flags = OP_DATA,
                                  .in = &result_in_type,
                                  .out = &result_type,
                                  .run = run };
