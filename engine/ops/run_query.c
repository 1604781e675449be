/* run_query: SQL text of a caller, read into a plan, proved allowed, rendered anew, run under limits. */
#include "domain/config.h"
#include "guard/guard.h"
#include "ops/reach.h"
#include "results/encode.h"
#include "store/audit.h"

#include <string.h>

struct run_query_in {
    const char *sql, *datasource_id;
};
static const struct field in_fields[] = {
    FIELD(struct run_query_in, sql, K_STR, .flags = F_REQUIRED, .max = 65536,
          .doc = "One SELECT statement in the datasource's dialect, with plain table names."),
    FIELD(struct run_query_in, datasource_id, K_STR, .max = 63,
          .doc = "The datasource; may be left out when there is only one."),
    { 0 },
};
static const struct type in_type = TYPE(struct run_query_in, "RunQueryRequest", in_fields);

struct query_rows {
    struct list columns; /* const char * */
    struct raw rows;
    int64_t row_count;
    bool truncated;
    struct list column_types; /* struct answer_column */
    const char *datasource_id, *sql;
    struct list warnings; /* const char * */
};
#define ROWS_SCHEMA "{\"type\":\"array\",\"items\":{\"type\":\"array\"}"
static const struct field out_fields[] = {
    FIELD(struct query_rows, columns, K_STRINGS, .flags = F_REQUIRED, .doc = "Names of the columns."),
    FIELD(struct query_rows, rows, K_RAW, .flags = F_REQUIRED, .of = ROWS_SCHEMA,
          .doc = "One array a row. Integers within 2^53-1 are numbers, other exact numbers are text."),
    FIELD(struct query_rows, row_count, K_INT, .flags = F_REQUIRED, .doc = "Rows returned."),
    FIELD(struct query_rows, truncated, K_BOOL, .flags = F_REQUIRED, .doc = "There are more rows than were returned."),
    FIELD(struct query_rows, column_types, K_LIST, .flags = F_REQUIRED, .of = &answer_column_type,
          .doc = "Type and origin of each column."),
    FIELD(struct query_rows, datasource_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct query_rows, sql, K_STR, .flags = F_REQUIRED, .doc = "The statement that ran."),
    FIELD(struct query_rows, warnings, K_STRINGS, .flags = F_REQUIRED, .doc = "What the check found worth saying."),
    { 0 },
};
static const struct type out_type = TYPE(struct query_rows, "QueryRows", out_fields);

/* What the tool of this name answers. */
static const struct field tool_fields[] = {
    FIELD(struct query_rows, columns, K_STRINGS, .flags = F_REQUIRED, .doc = "Names of the columns."),
    FIELD(struct query_rows, rows, K_RAW, .flags = F_REQUIRED, .of = ROWS_SCHEMA,
          .doc = "One array a row. Integers within 2^53-1 are numbers, other exact numbers are text."),
    FIELD(struct query_rows, row_count, K_INT, .flags = F_REQUIRED, .doc = "Rows returned."),
    FIELD(struct query_rows, truncated, K_BOOL, .flags = F_REQUIRED, .doc = "There are more rows than were returned."),
    { 0 },
};
extern const struct type run_query_tool_type;
const struct type run_query_tool_type = TYPE(struct query_rows, "QueryResult", tool_fields);

/* What stands beside it. */
static const struct field meta_fields[] = {
    FIELD(struct query_rows, column_types, K_LIST, .flags = F_REQUIRED, .of = &answer_column_type),
    FIELD(struct query_rows, sql, K_STR, .flags = F_REQUIRED),
    FIELD(struct query_rows, warnings, K_STRINGS, .flags = F_REQUIRED),
    { 0 },
};
extern const struct type run_query_meta_type;
const struct type run_query_meta_type = TYPE(struct query_rows, "QueryDetails", meta_fields);

struct collecting {
    struct query_rows *out;
    struct buf rows;
};

static int take_columns(void *ctx, struct call *c, const struct result_column *columns, size_t count)
{
    struct collecting *to = ctx;
    to->out->column_types = columns_describe(c, columns, count);
    return OK;
}

static int take_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct collecting *to = ctx;
    if (to->out->row_count++) buf_char(&to->rows, ',');
    row_encode(&to->rows, cells, count);
    return to->rows.failed ? call_fail(c, ERR_LIMIT_EXCEEDED, "The result is larger than may be returned.") : OK;
}

/* The clock of this operation, in its own words. */
static int too_long(struct call *c, int rc, int64_t seconds)
{
    if (rc != ERR_EXECUTION_TIMEOUT) return rc;
    call_forgive(c);
    return call_fail(c, ERR_EXECUTION_TIMEOUT, "The query took longer than %lld second%s and was stopped.",
                     (long long)seconds, seconds == 1 ? "" : "s");
}

static int execute(struct engine *e, struct call *c, const struct guarded *g, struct query_rows *out)
{
    const struct run_query_config *most = c->world->config->mcp->run_query;
    const struct run_limits limits = { .rows = most->max_rows, .time_ms = most->timeout_s * 1000 };
    struct collecting to = { .out = out };
    struct run_stats stats;
    const struct row_sink sink = { take_columns, take_row, &to };
    buf_init(&to.rows, c, (size_t)64 * 1024 * 1024);
    buf_char(&to.rows, '[');
    int rc = audit_allowed(e->store, c);
    if (!rc) rc = guard_run(c, g, &limits, &sink, &stats);
    if (rc) return too_long(c, rc, most->timeout_s);
    buf_char(&to.rows, ']');
    c->audit.rows = out->row_count;
    out->rows = (struct raw){ to.rows.data, to.rows.len };
    out->columns = columns_names(c, &out->column_types);
    out->truncated = stats.truncated;
    return OK;
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct run_query_in *in = vin;
    struct query_rows *out = vout;
    const struct datasource *ds;
    const struct view *view;
    struct guarded *g;
    c->audit.sql = in->sql;
    int rc = reach_or_only(c, in->datasource_id, &ds, &view);
    if (!rc) rc = guard_text(c, ds, view, in->sql, strlen(in->sql), c->world->config->mcp->run_query->max_rows, &g);
    if (rc) return rc;
    audit_statement(c, ds->config->id, g->statement, g->plan_hash);
    out->datasource_id = ds->config->id;
    out->sql = g->statement->sql;
    for (size_t i = 0; i < g->warnings.count; i++)
        *(const char **)list_push(c, &out->warnings, sizeof(const char *)) =
            LIST_AT(&g->warnings, struct plan_warning, i).detail;
    return execute(e, c, g, out);
}

const struct op op_run_query = { .name = "run_query",
                                 .doc = "Runs one SELECT statement of the caller, guarded and capped.",
                                 .level = LEVEL_VIEWER,
                                 .flags = OP_DATA,
                                 .in = &in_type,
                                 .out = &out_type,
                                 .run = run };
