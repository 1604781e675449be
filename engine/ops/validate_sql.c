/* validate_sql: whether a statement would be allowed, and what stands against it; nothing runs. */
#include "ops/reach.h"
#include "sql/dialects/dialect.h"

#include <string.h>

struct validate_in {
    const char *sql, *dialect, *datasource_id;
};
static const struct field in_fields[] = {
    FIELD(struct validate_in, sql, K_STR, .flags = F_REQUIRED, .max = 65536, .doc = "The statement."),
    FIELD(struct validate_in, dialect, K_STR, .max = 40,
          .doc = "sqlite, postgres, mysql, duckdb or mssql; left out, the datasource's own."),
    FIELD(struct validate_in, datasource_id, K_STR, .max = 63,
          .doc = "The datasource; may be left out when there is only one."),
    { 0 },
};
static const struct type in_type = TYPE(struct validate_in, "ValidateSqlRequest", in_fields);

struct validated {
    bool valid;
    struct list errors, warnings; /* const char * */
};
static const struct field out_fields[] = {
    FIELD(struct validated, valid, K_BOOL, .flags = F_REQUIRED, .doc = "run_query would take it."),
    FIELD(struct validated, errors, K_STRINGS, .flags = F_REQUIRED, .doc = "What stands against it."),
    FIELD(struct validated, warnings, K_STRINGS, .flags = F_REQUIRED, .doc = "What is worth saying."),
    { 0 },
};
static const struct type out_type = TYPE(struct validated, "SqlValidation", out_fields);

static void add(struct call *c, struct list *l, const char *text)
{
    *(const char **)list_push(c, l, sizeof(const char *)) = text;
}

static int validate(struct call *c, const struct validate_in *in, const struct datasource *ds, const struct view *view,
                    struct validated *out)
{
    const char *name = in->dialect ? in->dialect : ds->snapshot->dialect;
    const struct dialect *dialect = dialect_find(name);
    struct query *q;
    struct check_result checked = { 0 };
    /* An unknown one is refused with the names there are. */
    int rc = sql_to_plan(c, dialect ? dialect->name : name, in->sql, strlen(in->sql), view, &q);
    if (!rc) rc = plan_check(c, view, &dialect->support, ORIGIN_TEXT, q, &checked);
    for (size_t i = 0; i < checked.warnings.count; i++)
        add(c, &out->warnings, LIST_AT(&checked.warnings, struct plan_warning, i).detail);
    return rc;
}

static bool of_the_statement(int rc)
{
    return rc != ERR_CANCELLED && rc != ERR_PIPELINE_TIMEOUT && rc != ERR_INTERNAL_ERROR;
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct validate_in *in = vin;
    struct validated *out = vout;
    const struct datasource *ds;
    const struct view *view;
    (void)e;
    int rc = reach_or_only(c, in->datasource_id, &ds, &view);
    if (rc) return rc;
    rc = validate(c, in, ds, view, out);
    out->valid = rc == OK;
    if (out->valid || !of_the_statement(rc)) return rc;
    for (size_t i = 0; i < c->err.finding_count; i++) add(c, &out->errors, c->err.findings[i].detail);
    if (!out->errors.count) add(c, &out->errors, c->err.message);
    call_forgive(c);
    return OK;
}

const struct op op_validate_sql = { .name = "validate_sql",
                                    .doc = "Whether a statement would be allowed, and what stands against it.",
                                    .level = LEVEL_VIEWER,
                                    .in = &in_type,
                                    .out = &out_type,
                                    .run = run };
