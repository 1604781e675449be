/* duckdb: PostgreSQL's words, / never truncates, NULL comes last whatever the direction. */
#include "sql/standard.h"

#include <string.h>

extern const struct dialect dialect_duckdb;

#define PART(u) "CAST(date_part('" u "', $2) AS BIGINT)"
#define DIFF(u) "date_diff('" u "', $3, $2)"

static const struct template_row templates[] = {
    { "abs", NULL },
    { "acos", NULL },
    { "any_value", NULL },
    { "asin", NULL },
    { "atan", NULL },
    { "atan2", NULL },
    { "avg", NULL },
    { "bool_and", NULL },
    { "bool_or", NULL },
    { "ceil", NULL },
    { "coalesce", NULL },
    { "concat", NULL },
    { "concat_ws", NULL },
    { "cos", NULL },
    { "count", NULL },
    { "cume_dist", NULL },
    { "current_date", "CAST(CAST(now() AS TIMESTAMP) AS DATE)" },
    { "date", "CAST($1 AS DATE)" },
    { "date_add", WRITTEN },
    { "date_diff", UNSUPPORTED },
    { "date_diff:year", DIFF("year") },
    { "date_diff:quarter", DIFF("quarter") },
    { "date_diff:month", DIFF("month") },
    { "date_diff:week", "(date_diff('day', date_trunc('week', $3), date_trunc('week', $2)) // 7)" },
    { "date_diff:day", DIFF("day") },
    { "date_diff:hour", DIFF("hour") },
    { "date_diff:minute", DIFF("minute") },
    { "date_diff:second", DIFF("second") },
    { "date_format", "strftime($1, $2)" },
    { "date_part", UNSUPPORTED },
    { "date_part:year", PART("year") },
    { "date_part:quarter", PART("quarter") },
    { "date_part:month", PART("month") },
    { "date_part:week", PART("week") },
    { "date_part:day", PART("day") },
    { "date_part:hour", PART("hour") },
    { "date_part:minute", PART("minute") },
    { "date_part:second", PART("second") },
    { "date_trunc", "CAST(date_trunc($1, $2) AS $t)" },
    { "degrees", NULL },
    { "dense_rank", NULL },
    { "epoch", "CAST(floor(epoch($1)) AS BIGINT)" },
    { "exp", NULL },
    { "first_value", NULL },
    { "floor", NULL },
    { "glob", "(CAST($1 AS VARCHAR) GLOB $2)" },
    { "greatest", WRITTEN },
    { "instr", NULL },
    { "julian_day", "(julian($1) - 0.5)" },
    { "lag", NULL },
    { "largest", "greatest($*)" },
    { "last_value", NULL },
    { "lead", NULL },
    { "least", WRITTEN },
    { "left", NULL },
    { "length", NULL },
    { "ln", NULL },
    { "log", "(ln($2) / ln($1))" },
    { "log10", NULL },
    { "lower", NULL },
    { "ltrim", NULL },
    { "max", NULL },
    { "median", "median($dCAST($1 AS DOUBLE))" },
    { "min", NULL },
    { "mod", "mod($1, nullif($2, 0))" },
    { "mode", "mode() WITHIN GROUP ($w)" },
    { "now", "CAST(now() AS TIMESTAMP)" },
    { "nth_value", NULL },
    { "ntile", NULL },
    { "nullif", NULL },
    { "percent_rank", NULL },
    { "percentile", WRITTEN },
    { "percentile_disc", WRITTEN },
    { "pi", NULL },
    { "position", "instr($2, $1)" },
    { "power", NULL },
    { "radians", NULL },
    { "rank", NULL },
    { "replace", NULL },
    { "right", NULL },
    { "round", NULL },
    { "row_number", NULL },
    { "rtrim", NULL },
    { "sign", NULL },
    { "sin", NULL },
    { "smallest", "least($*)" },
    { "split_part", NULL },
    { "sqrt", NULL },
    { "stddev", "stddev_samp($d$1)" },
    { "stddev_pop", NULL },
    { "string_agg", "string_agg($dCAST($1 AS VARCHAR), ','$o)" },
    { "string_agg/2", "string_agg($dCAST($1 AS VARCHAR), $2$o)" },
    { "substr", NULL },
    { "sum", NULL },
    { "tan", NULL },
    { "time", "CAST($1 AS TIME)" },
    { "timestamp", "CAST($1 AS TIMESTAMP)" },
    { "total", "coalesce(CAST(sum($d$1)$! AS DOUBLE), 0)" },
    { "trim", NULL },
    { "trunc", NULL },
    { "trunc/2", UNSUPPORTED },
    { "upper", NULL },
    { "variance", "var_samp($d$1)" },
    { "variance_pop", "var_pop($d$1)" },
    { "weekday", "dayofweek($1)" },
    { "yearday", "dayofyear($1)" },
    { NULL, NULL },
};

static const char *type_name(struct call *c, struct value_type t)
{
    switch (t.kind) {
    case TYPE_BOOLEAN:
        return "BOOLEAN";
    case TYPE_INTEGER:
        return "BIGINT";
    case TYPE_DECIMAL:
        return t.precision ? call_format(c, "DECIMAL(%d, %d)", t.precision, t.scale) : "DECIMAL(38, 10)";
    case TYPE_DOUBLE:
        return "DOUBLE";
    case TYPE_TEXT:
        return "VARCHAR";
    case TYPE_DATE:
        return "DATE";
    case TYPE_TIME:
        return "TIME";
    case TYPE_TIMESTAMP:
        return "TIMESTAMP";
    case TYPE_TIMESTAMPTZ:
        return "TIMESTAMPTZ";
    case TYPE_BINARY:
        return "BLOB";
    default:
        return UNSUPPORTED;
    }
}

static void literal(struct render *r, const struct expr *e)
{
    if (standard_literal(r, e)) return;
    if (e->type.kind == TYPE_TIMESTAMPTZ) {
        render_text(r, "TIMESTAMPTZ ");
        render_quoted(r, e->literal.text);
    } else if (e->type.kind == TYPE_BINARY) {
        render_text(r, "from_hex(");
        render_quoted(r, e->literal.text);
        render_text(r, ")");
    } else {
        render_quoted(r, e->literal.text);
    }
}

static void like(struct render *r, const struct expr *e)
{
    render_binary(r, e->like.arg,
                  e->like.fold ? (e->negated ? "NOT ILIKE" : "ILIKE") : (e->negated ? "NOT LIKE" : "LIKE"),
                  e->like.pattern, BINDS_CONCAT, BINDS_CONCAT);
    if (!e->like.escape) return;
    render_text(r, " ESCAPE ");
    render_value(r, e->like.escape, BINDS_PRIMARY);
    /* How the engine sees it. */
    const char *seen = e->negated     ? (e->like.fold ? "not_ilike_escape" : "not_like_escape")
                       : e->like.fold ? "ilike_escape"
                                      : "like_escape";
    reads_function(r, seen, strlen(seen));
}

static void divide(struct render *r, const struct expr *e)
{
    bool integers = is_exact_integer(e->binary.left) && is_exact_integer(e->binary.right);
    if (e->binary.op == OP_INTDIV && !integers) render_text(r, "trunc(");
    standard_divide(r, e, e->binary.op == OP_MOD ? "%" : e->binary.op == OP_INTDIV && integers ? "//" : "/", NULL);
    if (e->binary.op == OP_INTDIV && !integers) render_text(r, ")");
}

static void shift(struct render *r, const struct expr *date, const struct expr *interval, bool minus)
{
    bool day = interval->kind == EXPR_INTERVAL && interval->interval.unit <= UNIT_DAY && is_kind(date, TYPE_DATE);
    render_text(r, day ? "CAST(" : "(");
    render_value(r, date, BINDS_ADD);
    render_text(r, minus ? " - " : " + ");
    if (interval->kind == EXPR_INTERVAL) {
        enum unit unit = interval->interval.unit;
        bool quarter = unit == UNIT_QUARTER;
        render_value(r, interval->interval.value, BINDS_MULTIPLY);
        render_format(r, " * INTERVAL '%d %s'", quarter ? 3 : 1, quarter ? "month" : unit_names[unit]);
    } else {
        render_value(r, interval, BINDS_MULTIPLY);
    }
    render_text(r, day ? " AS DATE)" : ")");
}

/* Between two decimals DuckDB rounds to their scale. */
static void percentile(struct render *r, const struct expr *e)
{
    struct expr real = { .kind = EXPR_CAST,
                         .cast = { .arg = e->call.within.items[0].expr, .to = { TYPE_DOUBLE, 0, 0 } },
                         .type = { TYPE_DOUBLE, 0, 0 } };
    struct order_item item = e->call.within.items[0];
    struct expr copy = *e;
    item.expr = &real;
    copy.call.within = (struct orders){ .items = &item, .count = 1 };
    render_call_as(r, &copy, "percentile_cont($1) WITHIN GROUP ($w)");
    reads_function(r, "quantile_cont", 13); /* what the engine calls it */
}

/* The far end of a descending order, which the engine takes for the near one. */
static bool is_far_end(const struct expr *e)
{
    return e->call.within.count == 1 && e->call.within.items[0].direction == DIR_DESC && e->call.args.count == 1 &&
           expr_is_number_literal(e->call.args.items[0]) && !expr_is_nonzero(e->call.args.items[0]);
}

static void far_end(struct render *r, const struct expr *e)
{
    struct expr copy = *e, *arg = e->call.within.items[0].expr;
    copy.call.args = (struct exprs){ .items = &arg, .count = 1 };
    copy.call.within.count = 0;
    render_call_as(r, &copy, strcmp(e->call.name, "percentile") == 0 ? "max(CAST($1 AS DOUBLE))" : "max($1)");
}

static bool call(struct render *r, const struct expr *e)
{
    if (strncmp(e->call.name, "percentile", 10) == 0 && is_far_end(e)) {
        far_end(r, e);
        return true;
    }
    const struct exprs *a = &e->call.args;
    if (strcmp(e->call.name, "greatest") == 0 || strcmp(e->call.name, "least") == 0) {
        standard_greatest(r, e, e->call.name);
        return true;
    }
    if (strcmp(e->call.name, "percentile") == 0 && e->call.within.count == 1) {
        percentile(r, e);
        return true;
    }
    if (strcmp(e->call.name, "percentile_disc") == 0 && e->call.within.count == 1) {
        render_call_as(r, e, "percentile_disc($1) WITHIN GROUP ($w)");
        reads_function(r, "quantile_disc", 13);
        return true;
    }
    if (strcmp(e->call.name, "time") == 0 && a->count == 1 && is_kind(a->items[0], TYPE_DATE)) {
        render_template(r, "CAST(CAST($1 AS TIMESTAMP) AS TIME)", a, false);
        return true;
    }
    if (strcmp(e->call.name, "date_add") != 0 || a->count != 3 || unit_of(a->items[0]) < 0) return false;
    struct expr interval = { .kind = EXPR_INTERVAL,
                             .interval = { .value = a->items[1], .unit = (enum unit)unit_of(a->items[0]) } };
    shift(r, a->items[2], &interval, false);
    return true;
}

static const char *refuses(const struct expr *e)
{
    if (distinct_order_is_no_text(e)) return "orders DISTINCT values in string_agg by nothing but themselves, as texts";
    return dialect_refuses(&dialect_duckdb, e);
}

const struct dialect dialect_duckdb = {
    .name = "duckdb",
    .support = { .name = "duckdb",
                 .features = DIALECT_RECURSIVE_CAP | DIALECT_HIDDEN_AGGREGATES | DIALECT_FULL_JOIN | DIALECT_INTERSECT |
                             DIALECT_INTERSECT_ALL | DIALECT_FRAME_GROUPS | DIALECT_FRAME_EXCLUDE |
                             DIALECT_FRAME_RANGE_OFFSET | DIALECT_ROW_VALUES | DIALECT_LIMIT_EXPRESSION |
                             DIALECT_VALUES_BODY | DIALECT_NESTED_WITH,
                 .refuses = refuses },
    .quote_open = '"',
    .quote_close = '"',
    .can = D_CAP_OUTSIDE | D_BOOLEAN | D_NULLS | D_FILTER | D_LIMIT | D_ROW_LISTS | D_VALUES | D_COLUMN_ALIASES |
           D_RECURSIVE_WORD | D_CONCAT_OPERATOR | D_WINDOW_DISTINCT | D_BYTE_NAMES,
    .null_order = NULLS_ALWAYS_LAST,
    .templates = templates,
    .type_name = type_name,
    .literal = literal,
    .like = like,
    .divide = divide,
    .concat = standard_concat,
    .cast = standard_cast,
    .shift = shift,
    .distinct_from = standard_distinct_from,
    .call = call,
};
