/* mysql: MySQL 8.0 and MariaDB 10.6 on. || is a function, LIKE reads backslashes, what the two do not share is not
 * said. */
#include "sql/standard.h"

#include <ctype.h>
#include <string.h>

extern const struct dialect dialect_mysql;

#define DAYS "datediff($2, $3)"

static const struct template_row templates[] = {
    { "abs", NULL },
    { "acos", NULL },
    { "any_value", "min($1)" },
    { "asin", NULL },
    { "atan", NULL },
    { "atan2", NULL },
    { "avg", NULL },
    { "bool_and", "min($1)" },
    { "bool_or", "max($1)" },
    { "ceil", NULL },
    { "coalesce", NULL },
    { "concat", "concat_ws('', $*)" }, /* which passes over NULL */
    { "concat_ws", NULL },
    { "cos", NULL },
    { "count", NULL },
    { "cume_dist", NULL },
    { "current_date", "current_date()" },
    { "date", NULL },
    { "date_add", WRITTEN },
    { "date_diff", UNSUPPORTED },
    { "date_diff:year", "(year($2) - year($3))" },
    { "date_diff:quarter", "(year($2) * 4 + quarter($2) - year($3) * 4 - quarter($3))" },
    { "date_diff:month", "(year($2) * 12 + month($2) - year($3) * 12 - month($3))" },
    { "date_diff:week", "((to_days($2) - weekday($2) - to_days($3) + weekday($3)) DIV 7)" },
    { "date_diff:day", DAYS },
    { "date_diff:hour", "(" DAYS " * 24 + hour($2) - hour($3))" },
    { "date_diff:minute", "(" DAYS " * 1440 + hour($2) * 60 + minute($2) - hour($3) * 60 - minute($3))" },
    { "date_diff:second", "timestampdiff(SECOND, $3, $2)" },
    { "date_format", WRITTEN },
    { "date_part", UNSUPPORTED },
    { "date_part:year", "year($2)" },
    { "date_part:quarter", "quarter($2)" },
    { "date_part:month", "month($2)" },
    { "date_part:week", "week($2, 3)" },
    { "date_part:day", "dayofmonth($2)" },
    { "date_part:hour", "hour($2)" },
    { "date_part:minute", "minute($2)" },
    { "date_part:second", "second($2)" },
    { "date_trunc", UNSUPPORTED },
    { "date_trunc:year", "CAST(makedate(year($2), 1) AS $t)" },
    { "date_trunc:quarter", "CAST(date_add(makedate(year($2), 1), INTERVAL (quarter($2) - 1) * 3 MONTH) AS $t)" },
    { "date_trunc:month", "CAST(date_format($2, '%Y-%m-01') AS $t)" },
    { "date_trunc:week", "CAST(date_sub(date($2), INTERVAL weekday($2) DAY) AS $t)" },
    { "date_trunc:day", "CAST(date($2) AS $t)" },
    { "date_trunc:hour", "CAST(date_format($2, '%Y-%m-%d %H:00:00') AS DATETIME)" },
    { "date_trunc:minute", "CAST(date_format($2, '%Y-%m-%d %H:%i:00') AS DATETIME)" },
    { "date_trunc:second", "CAST(date_format($2, '%Y-%m-%d %H:%i:%s') AS DATETIME)" },
    { "degrees", NULL },
    { "dense_rank", NULL },
    { "epoch", "timestampdiff(SECOND, '1970-01-01', $1)" },
    { "exp", NULL },
    { "first_value", NULL },
    { "floor", NULL },
    { "glob", UNSUPPORTED },
    { "greatest", NULL },
    { "instr", NULL },
    { "julian_day", "(to_days($1) + 1721059.5 + time_to_sec(time($1)) / 86400)" },
    { "lag", NULL },
    { "largest", WRITTEN },
    { "last_value", NULL },
    { "lead", NULL },
    { "lag/3", WRITTEN }, /* MariaDB takes no default */
    { "lead/3", WRITTEN },
    { "least", NULL },
    { "left", NULL },
    { "length", "char_length($1)" },
    { "ln", NULL },
    { "log", NULL },
    { "log10", NULL },
    { "lower", NULL },
    { "ltrim", NULL },
    { "ltrim/2", UNSUPPORTED }, /* takes off a whole text, not any of its characters */
    { "max", NULL },
    { "median", UNSUPPORTED },
    { "min", NULL },
    { "mod", NULL },
    { "mode", UNSUPPORTED },
    { "now", "utc_timestamp()" },
    { "nth_value", NULL },
    { "ntile", NULL },
    { "nullif", NULL },
    { "percent_rank", NULL },
    { "percentile", UNSUPPORTED },
    { "percentile_disc", UNSUPPORTED },
    { "pi", "acos(-1)" },
    { "position", "locate($1, $2)" },
    { "power", NULL },
    { "radians", NULL },
    { "rank", NULL },
    { "replace", NULL },
    { "right", NULL },
    { "round", WRITTEN }, /* where it would be one of a double */
    { "row_number", NULL },
    { "rtrim", NULL },
    { "rtrim/2", UNSUPPORTED },
    { "sign", NULL },
    { "sin", NULL },
    { "smallest", WRITTEN },
    { "split_part",
      "CASE WHEN $1 IS NULL OR $3 <= (char_length($1) - char_length(replace($1, $2, ''))) / char_length($2) + 1 THEN "
      "substring_index(substring_index($1, $2, $3), $2, -1) ELSE '' END" },
    { "sqrt", NULL },
    { "stddev", "stddev_samp(CAST($1 AS DOUBLE))" },
    { "stddev_pop", "stddev_pop(CAST($1 AS DOUBLE))" },
    { "string_agg", "group_concat($d$1$o SEPARATOR ',')" },
    { "string_agg/2", "group_concat($d$1$o SEPARATOR $2)" },
    { "substr", NULL },
    { "sum", NULL },
    { "tan", NULL },
    { "time", NULL },
    { "timestamp", "CAST($1 AS DATETIME)" },
    { "total", "coalesce(CAST(sum($d$1)$! AS DOUBLE), 0)" },
    { "trim", NULL },
    { "trim/2", UNSUPPORTED },
    { "trunc", "truncate($1, 0)" },
    { "trunc/2", "truncate($1, $2)" },
    { "upper", NULL },
    { "variance", "var_samp(CAST($1 AS DOUBLE))" },
    { "variance_pop", "var_pop(CAST($1 AS DOUBLE))" },
    { "weekday", "(dayofweek($1) - 1)" },
    { "yearday", "dayofyear($1)" },
    { NULL, NULL },
};

static const char *type_name(struct call *c, struct value_type t)
{
    switch (t.kind) {
    case TYPE_BOOLEAN:
    case TYPE_INTEGER:
        return "SIGNED";
    case TYPE_DECIMAL:
        return t.precision ? call_format(c, "DECIMAL(%d, %d)", t.precision, t.scale) : "DECIMAL(38, 10)";
    case TYPE_DOUBLE:
        return "DOUBLE";
    case TYPE_TEXT:
        return "CHAR";
    case TYPE_DATE:
        return "DATE";
    case TYPE_TIME:
        return "TIME";
    case TYPE_TIMESTAMP:
        return "DATETIME";
    case TYPE_BINARY:
        return "BINARY";
    default:
        return UNSUPPORTED;
    }
}

/* Whether a backslash escapes depends on the session's sql_mode: a text with one is written in hexadecimal. */
static void text(struct render *r, const char *s)
{
    if (!strchr(s, '\\')) {
        render_quoted(r, s);
        return;
    }
    render_text(r, "_utf8mb4 X'");
    for (; *s; s++) render_format(r, "%02X", (unsigned)(unsigned char)*s);
    render_text(r, "'");
}

static void literal(struct render *r, const struct expr *e)
{
    if (standard_literal(r, e)) return;
    if (e->type.kind == TYPE_BINARY) {
        render_text(r, "X");
        render_quoted(r, e->literal.text);
    } else {
        text(r, e->literal.text);
    }
}

/* The usual collations fold case and accents. like asks for one that does neither; ilike folds case only, by lower().
 */
static void like(struct render *r, const struct expr *e)
{
    const char *escape = e->like.escape ? expr_text_literal(e->like.escape) : NULL;
    if (e->like.fold && e->like.escape && (!escape || isalpha((unsigned char)*escape))) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "A letter cannot be the escape of a pattern for mysql.");
        return;
    }
    render_text(r, e->like.fold ? "lower(CAST(" : "CAST(");
    render_value(r, e->like.arg, BINDS_ANY);
    render_text(r, e->like.fold ? " AS CHAR CHARACTER SET utf8mb4)) COLLATE utf8mb4_bin"
                                : " AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_bin");
    render_text(r, e->negated ? " NOT LIKE " : " LIKE ");
    if (e->like.fold) render_text(r, "lower(");
    render_value(r, e->like.pattern, e->like.fold ? BINDS_ANY : BINDS_CONCAT);
    if (e->like.fold) render_text(r, ")");
    const char *pattern = expr_text_literal(e->like.pattern);
    if (e->like.escape) {
        render_text(r, " ESCAPE ");
        render_value(r, e->like.escape, BINDS_PRIMARY);
    } else if (!pattern || strchr(pattern, '\\')) {
        render_text(r, " ESCAPE '\x1f'"); /* a sign that stands in no text: whatever the mode, nothing escapes */
    }
}

/* Each gives NULL on zero. Of exact numbers `/` keeps four more digits than the left one has: as doubles it keeps all.
 */
static void divide(struct render *r, const struct expr *e)
{
    if (e->binary.op == OP_DIV && !is_kind(e->binary.left, TYPE_DOUBLE) && !is_kind(e->binary.right, TYPE_DOUBLE)) {
        render_text(r, "CAST(");
        render_value(r, e->binary.left, BINDS_ANY);
        render_text(r, " AS DOUBLE) / ");
        render_value(r, e->binary.right, BINDS_UNARY);
        return;
    }
    const char *op = e->binary.op == OP_DIV ? "/" : e->binary.op == OP_INTDIV ? "DIV" : "%";
    render_binary(r, e->binary.left, op, e->binary.right, BINDS_MULTIPLY, BINDS_UNARY);
}

static void concat_arguments(struct render *r, const struct expr *e)
{
    if (e->kind == EXPR_BINARY && e->binary.op == OP_CONCAT) {
        concat_arguments(r, e->binary.left);
        render_text(r, ", ");
        render_value(r, e->binary.right, BINDS_ANY);
    } else {
        render_value(r, e, BINDS_ANY);
    }
}

static void concat(struct render *r, const struct expr *e)
{
    render_text(r, "concat(");
    concat_arguments(r, e);
    render_text(r, ")");
}

static void shift(struct render *r, const struct expr *date, const struct expr *interval, bool minus)
{
    static const char *const words[] = { "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND" };
    if (interval->kind != EXPR_INTERVAL) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "Only a written interval can be added to a date for mysql.");
        return;
    }
    render_text(r, minus ? "date_sub(" : "date_add(");
    render_value(r, date, BINDS_ANY);
    render_text(r, ", INTERVAL ");
    render_value(r, interval->interval.value, BINDS_PRIMARY);
    render_format(r, " %s)", words[interval->interval.unit]);
}

static void distinct_from(struct render *r, const struct expr *e)
{
    if (!e->negated) render_text(r, "NOT (");
    render_binary(r, e->is.left, "<=>", e->is.right, BINDS_CONCAT, BINDS_CONCAT);
    if (!e->negated) render_text(r, ")");
}

static void piece(void *ctx, char letter, const char *between, size_t n)
{
    struct buf *b = ctx;
    if (letter) {
        buf_char(b, '%');
        buf_char(b, letter == 'M' ? 'i' : letter);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (between[i] == '%') buf_char(b, '%');
        buf_char(b, between[i]);
    }
}

/* Where there is no such row, lag of a constant is NULL. */
static void with_default(struct render *r, const struct expr *e)
{
    struct expr *args[] = { expr_integer(r->call, 1), e->call.args.items[1] }, copy = *e;
    copy.call.args = (struct exprs){ .items = args, .count = 2 };
    render_text(r, "CASE WHEN ");
    render_call(r, &copy);
    render_text(r, " IS NULL THEN ");
    render_value(r, e->call.args.items[2], BINDS_ANY);
    args[0] = e->call.args.items[0];
    render_text(r, " ELSE ");
    render_call(r, &copy);
    render_text(r, " END");
}

/* True where an exact number is divided, which divide() does with doubles. */
static bool divides(const struct expr *e, int depth)
{
    bool any = false;
    if (depth > PLAN_DEPTH_MAX) return false;
    switch (e->kind) {
    case EXPR_UNARY:
        return divides(e->unary.arg, depth + 1);
    case EXPR_BINARY:
        if (e->binary.op == OP_DIV) return true;
        return divides(e->binary.left, depth + 1) || divides(e->binary.right, depth + 1);
    case EXPR_CALL:
        for (size_t i = 0; i < e->call.args.count && !any; i++) any = divides(e->call.args.items[i], depth + 1);
        return any;
    case EXPR_CASE:
        for (size_t i = 0; i < e->cases.count && !any; i++) any = divides(e->cases.whens[i].then, depth + 1);
        return any || (e->cases.otherwise && divides(e->cases.otherwise, depth + 1));
    default:
        return false;
    }
}

static bool call(struct render *r, const struct expr *e)
{
    const struct exprs *a = &e->call.args;
    if (strcmp(e->call.name, "round") == 0) {
        /* The halves of a double are rounded to even numbers, those of a decimal away from zero. */
        bool cast = is_kind(a->items[0], TYPE_DECIMAL) && divides(a->items[0], 0);
        const char *rest = a->count > 1 ? ", $2)" : ")";
        render_call_as(r, e, call_format(r->call, cast ? "round(CAST($1 AS DECIMAL(65, 30))%s" : "round($1%s", rest));
        return true;
    }
    if (a->count == 3 && (strcmp(e->call.name, "lag") == 0 || strcmp(e->call.name, "lead") == 0)) {
        with_default(r, e);
        return true;
    }
    if (strcmp(e->call.name, "largest") == 0 || strcmp(e->call.name, "smallest") == 0) {
        standard_largest(r, e, e->call.name[0] == 'l' ? "greatest" : "least");
        return true;
    }
    if (strcmp(e->call.name, "date_add") == 0 && a->count == 3 && unit_of(a->items[0]) >= 0) {
        struct expr interval = { .kind = EXPR_INTERVAL,
                                 .interval = { .value = a->items[1], .unit = (enum unit)unit_of(a->items[0]) } };
        shift(r, a->items[2], &interval, false);
        return true;
    }
    if (strcmp(e->call.name, "date_format") == 0 && a->count == 2 && expr_text_literal(a->items[1])) {
        struct buf format;
        buf_init(&format, r->call, 4000);
        format_pieces(expr_text_literal(a->items[1]), piece, &format);
        render_text(r, "date_format(");
        render_value(r, a->items[0], BINDS_ANY);
        render_text(r, ", ");
        text(r, format.data);
        render_text(r, ")");
        return true;
    }
    return false;
}

static const char *refuses(const struct expr *e)
{
    if (e->kind == EXPR_CALL && e->call.over && e->call.distinct) return "has no DISTINCT over a window";
    if (is_too_many(e)) return "compares no more than four values at once";
    if (e->kind == EXPR_CALL && strcmp(e->call.name, "string_agg") == 0) {
        if (e->call.args.count > 1 && !expr_text_literal(e->call.args.items[1])) return "has only literal separators";
        if (e->call.over) return "has no string_agg over a window";
    }
    return dialect_refuses(&dialect_mysql, e);
}

const struct dialect dialect_mysql = {
    .name = "mysql",
    .support = { .name = "mysql",
                 .features = DIALECT_HIDDEN_AGGREGATES | DIALECT_COERCES | DIALECT_UNGROUPED | DIALECT_DEPENDENCE |
                             DIALECT_INTERSECT | DIALECT_FRAME_RANGE_OFFSET | DIALECT_ROW_VALUES | DIALECT_VALUES_BODY |
                             DIALECT_NESTED_WITH | DIALECT_INTERSECT_ALL,
                 .refuses = refuses },
    .quote_open = '`',
    .quote_close = '`',
    .can = D_BOOLEAN | D_LIMIT | D_ROW_LISTS | D_RECURSIVE_WORD | D_NO_LIMIT_IN,
    .null_order = NULLS_LOWEST,
    .templates = templates,
    .type_name = type_name,
    .literal = literal,
    .like = like,
    .divide = divide,
    .concat = concat,
    .cast = standard_cast,
    .shift = shift,
    .distinct_from = distinct_from,
    .call = call,
};
