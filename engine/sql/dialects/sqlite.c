/* sqlite: dates are ISO text, booleans are 0 and 1, LIKE folds ASCII case, / of integers truncates. median,
 * percentile_cont, percentile_disc, mode, stddev_samp, stddev_pop, var_samp, var_pop, string_agg_by, split_part and the
 * trunc of two arguments are functions that the adapter adds to its connections. */
#include "sql/standard.h"

#include <string.h>

extern const struct dialect dialect_sqlite;

static const struct template_row templates[] = {
    { "abs", NULL },
    { "acos", NULL },
    { "any_value", "$1" },
    { "asin", NULL },
    { "atan", NULL },
    { "atan2", NULL },
    { "avg", NULL },
    { "bool_and", "min($1)" },
    { "bool_or", "max($1)" },
    { "ceil", NULL },
    { "coalesce", NULL },
    { "concat", WRITTEN },
    { "concat_ws", WRITTEN },
    { "cos", NULL },
    { "count", NULL },
    { "cume_dist", NULL },
    { "current_date", "date('now')" },
    { "date", NULL },
    { "date_add", WRITTEN },
    { "date_diff", UNSUPPORTED },
    { "date_diff:year", "(CAST(strftime('%Y', $2) AS INTEGER) - CAST(strftime('%Y', $3) AS INTEGER))" },
    { "date_diff:quarter", "(CAST(strftime('%Y', $2) AS INTEGER) * 4 + (CAST(strftime('%m', $2) AS INTEGER) + 2) / 3 - "
                           "CAST(strftime('%Y', $3) AS INTEGER) * 4 - (CAST(strftime('%m', $3) AS INTEGER) + 2) / 3)" },
    { "date_diff:month", "(CAST(strftime('%Y', $2) AS INTEGER) * 12 + CAST(strftime('%m', $2) AS INTEGER) - "
                         "CAST(strftime('%Y', $3) AS INTEGER) * 12 - CAST(strftime('%m', $3) AS INTEGER))" },
    { "date_diff:week",
      "CAST((julianday(date($2, '-6 days', 'weekday 1')) - julianday(date($3, '-6 days', 'weekday 1'))) / 7 AS "
      "INTEGER)" },
    { "date_diff:day", "CAST(julianday(date($2)) - julianday(date($3)) AS INTEGER)" },
    { "date_diff:hour",
      "(CAST(julianday(date($2)) - julianday(date($3)) AS INTEGER) * 24 + CAST(strftime('%H', $2) AS INTEGER) - "
      "CAST(strftime('%H', $3) AS INTEGER))" },
    { "date_diff:minute",
      "(CAST(julianday(date($2)) - julianday(date($3)) AS INTEGER) * 1440 + CAST(strftime('%H', $2) AS INTEGER) * 60 + "
      "CAST(strftime('%M', $2) AS INTEGER) - CAST(strftime('%H', $3) AS INTEGER) * 60 - CAST(strftime('%M', $3) AS "
      "INTEGER))" },
    { "date_diff:second", "(CAST(strftime('%s', $2) AS INTEGER) - CAST(strftime('%s', $3) AS INTEGER))" },
    { "date_format", "strftime($2, $1)" },
    { "date_part", UNSUPPORTED },
    { "date_part:year", "CAST(strftime('%Y', $2) AS INTEGER)" },
    { "date_part:quarter", "((CAST(strftime('%m', $2) AS INTEGER) + 2) / 3)" },
    { "date_part:month", "CAST(strftime('%m', $2) AS INTEGER)" },
    { "date_part:week", "((CAST(strftime('%j', date($2, '-3 days', 'weekday 4')) AS INTEGER) - 1) / 7 + 1)" },
    { "date_part:day", "CAST(strftime('%d', $2) AS INTEGER)" },
    { "date_part:hour", "CAST(strftime('%H', $2) AS INTEGER)" },
    { "date_part:minute", "CAST(strftime('%M', $2) AS INTEGER)" },
    { "date_part:second", "CAST(strftime('%S', $2) AS INTEGER)" },
    { "date_trunc", WRITTEN }, /* a day and longer */
    { "date_trunc:hour", "strftime('%Y-%m-%d %H:00:00', $2)" },
    { "date_trunc:minute", "strftime('%Y-%m-%d %H:%M:00', $2)" },
    { "date_trunc:second", "strftime('%Y-%m-%d %H:%M:%S', $2)" },
    { "degrees", NULL },
    { "dense_rank", NULL },
    { "epoch", "CAST(strftime('%s', $1) AS INTEGER)" },
    { "exp", NULL },
    { "first_value", NULL },
    { "floor", NULL },
    { "glob", "glob($2, $1)" },
    { "greatest", "max($*)" },
    { "instr", NULL },
    { "julian_day", "julianday($1)" },
    { "lag", NULL },
    { "largest", WRITTEN },
    { "last_value", NULL },
    { "lead", NULL },
    { "least", "min($*)" },
    { "left", "substr($1, 1, $2)" },
    { "length", NULL },
    { "ln", NULL },
    { "log", NULL },
    { "log10", NULL },
    { "lower", NULL },
    { "ltrim", NULL },
    { "max", NULL },
    { "median", NULL },
    { "min", NULL },
    { "mod", NULL },
    { "mode", WRITTEN },
    { "now", "datetime('now')" },
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
    { "right", "substr($1, -$2, $2)" },
    { "round", NULL },
    { "round/2", WRITTEN }, /* to tens, hundreds … */
    { "row_number", NULL },
    { "rtrim", NULL },
    { "sign", NULL },
    { "sin", NULL },
    { "smallest", WRITTEN },
    { "split_part", NULL },
    { "sqrt", NULL },
    { "stddev", "stddev_samp($d$1)" },
    { "stddev_pop", NULL },
    { "string_agg", "group_concat($d$1)" },
    { "string_agg/2", "group_concat($d$1, $2)" },
    { "substr", NULL },
    { "sum", NULL },
    { "tan", NULL },
    { "time", NULL },
    { "timestamp", "datetime($1)" },
    { "total", NULL },
    { "trim", NULL },
    { "trunc", NULL },
    { "upper", NULL },
    { "variance", "var_samp($d$1)" },
    { "variance_pop", "var_pop($d$1)" },
    { "weekday", "CAST(strftime('%w', $1) AS INTEGER)" },
    { "yearday", "CAST(strftime('%j', $1) AS INTEGER)" },
    { NULL, NULL },
};

static const char *type_name(struct call *c, struct value_type t)
{
    switch (t.kind) {
    case TYPE_BOOLEAN:
        return "BOOLEAN";
    case TYPE_INTEGER:
        return "INTEGER";
    case TYPE_DECIMAL:
        if (t.precision) return call_format(c, "DECIMAL(%d, %d)", t.precision, t.scale);
        return "NUMERIC";
    case TYPE_DOUBLE:
        return "REAL";
    case TYPE_TEXT:
        return "TEXT";
    case TYPE_BINARY:
        return "BLOB";
    default:
        return UNSUPPORTED; /* dates have functions, see date_cast() */
    }
}

static void literal(struct render *r, const struct expr *e)
{
    switch (e->type.kind) {
    case TYPE_BOOLEAN:
        render_text(r, strcmp(e->literal.text, "true") == 0 ? "TRUE" : "FALSE");
        break;
    case TYPE_BINARY:
        render_text(r, "X");
        render_quoted(r, e->literal.text);
        break;
    default:
        render_quoted(r, e->literal.text);
    }
}

/* A LIKE pattern as a GLOB pattern: % is *, _ is ?, and what GLOB would read stands in brackets. False when an escape
 * character stands at the end, where LIKE matches nothing. */
static bool glob_of(struct buf *b, const char *pattern, char escape)
{
    for (const char *p = pattern; *p; p++) {
        char ch = *p;
        if (escape && ch == escape) {
            ch = *++p;
            if (!ch) return false;
        } else if (ch == '%' || ch == '_') {
            buf_char(b, ch == '%' ? '*' : '?');
            continue;
        }
        if (ch == '*' || ch == '?' || ch == '[') {
            buf_char(b, '[');
            buf_char(b, ch);
            buf_char(b, ']');
        } else {
            buf_char(b, ch);
        }
    }
    return true;
}

static void like_folding(struct render *r, const struct expr *e)
{
    render_value(r, e->like.arg, BINDS_CONCAT);
    render_text(r, e->negated ? " NOT LIKE " : " LIKE ");
    render_value(r, e->like.pattern, BINDS_CONCAT);
    if (e->like.escape) {
        render_text(r, " ESCAPE ");
        render_value(r, e->like.escape, BINDS_PRIMARY);
    }
    reads_function(r, "like", 4);
}

/* Case-sensitive: SQLite's LIKE is not, its GLOB is. A computed pattern is translated where it stands. */
static void like(struct render *r, const struct expr *e)
{
    if (e->like.fold) {
        like_folding(r, e);
        return;
    }
    const char *pattern = expr_text_literal(e->like.pattern);
    const char *escape = e->like.escape ? expr_text_literal(e->like.escape) : "";
    if (e->negated) render_text(r, "NOT ");
    if (pattern && escape && strlen(escape) <= 1) {
        struct buf b;
        buf_init(&b, r->call, 3 * strlen(pattern) + 3);
        if (glob_of(&b, pattern, escape[0])) {
            render_text(r, "glob(");
            render_quoted(r, b.data);
        } else {
            render_text(r, "glob('[]'"); /* an empty set: no text matches, NULL stays NULL */
        }
    } else if (!e->like.escape) {
        render_text(r, "glob(replace(replace(replace(replace(replace(");
        render_value(r, e->like.pattern, BINDS_ANY);
        render_text(r, ", '[', '[[]'), '*', '[*]'), '?', '[?]'), '%', '*'), '_', '?')");
    } else {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED,
                      "A case-sensitive LIKE with ESCAPE needs a literal pattern and one escape character for sqlite.");
    }
    render_text(r, ", ");
    render_value(r, e->like.arg, BINDS_ANY);
    render_text(r, ")");
}

/* True when SQLite holds the value as a floating-point number for sure, so `/` does not truncate. */
static bool is_real(const struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        return expr_is_number_literal(e) && strpbrk(e->literal.text, ".eE") != NULL;
    case EXPR_CAST:
        return e->cast.to.kind == TYPE_DOUBLE;
    case EXPR_CALL:
        return strcmp(e->call.name, "avg") == 0 || strcmp(e->call.name, "total") == 0;
    case EXPR_UNARY:
        return e->unary.op == UNARY_MINUS && is_real(e->unary.arg);
    case EXPR_BINARY:
        if (e->binary.op == OP_DIV) return true;
        return e->binary.op >= OP_ADD && e->binary.op <= OP_MUL &&
               (is_real(e->binary.left) || is_real(e->binary.right));
    case EXPR_COLUMN: {
        const struct source *s = e->column.source;
        return s && s->kind == SOURCE_TABLE && s->table && e->column.index < s->table->column_count &&
               s->table->columns[e->column.index].type.kind == TYPE_DOUBLE;
    }
    default:
        return false;
    }
}

static void divide(struct render *r, const struct expr *e)
{
    const struct expr *left = e->binary.left, *right = e->binary.right;
    bool integers = left->type.kind == TYPE_INTEGER && right->type.kind == TYPE_INTEGER;
    if (e->binary.op == OP_MOD && !integers) { /* % would make integers of them */
        struct expr *args[] = { e->binary.left, e->binary.right };
        render_template(r, "mod($1, $2)", &(struct exprs){ .items = args, .count = 2 }, false);
    } else if (e->binary.op == OP_MOD) {
        render_binary(r, left, "%", right, BINDS_MULTIPLY, BINDS_UNARY);
    } else if (e->binary.op == OP_INTDIV) {
        if (!integers) render_text(r, "CAST(");
        render_binary(r, left, "/", right, BINDS_MULTIPLY, BINDS_UNARY);
        if (!integers) render_text(r, " AS INTEGER)");
    } else if (is_real(left) || is_real(right)) {
        render_binary(r, left, "/", right, BINDS_MULTIPLY, BINDS_UNARY);
    } else {
        render_text(r, "CAST(");
        render_value(r, left, BINDS_ANY);
        render_text(r, " AS REAL) / ");
        render_value(r, right, BINDS_UNARY);
    }
}

static void concat(struct render *r, const struct expr *e)
{
    render_binary(r, e->binary.left, "||", e->binary.right, BINDS_CONCAT, BINDS_UNARY);
}

static const char *date_cast(struct value_type to)
{
    switch (to.kind) {
    case TYPE_DATE:
        return "date";
    case TYPE_TIME:
        return "time";
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
        return "datetime";
    default:
        return NULL;
    }
}

static void cast(struct render *r, const struct expr *e)
{
    const char *function = date_cast(e->cast.to);
    if (function) {
        render_format(r, "%s(", function);
        render_value(r, e->cast.arg, BINDS_ANY);
        render_text(r, ")");
        return;
    }
    const char *type = type_name(r->call, e->cast.to);
    if (!*type) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "A cast to %s is not available for sqlite.",
                      type_kind_names[e->cast.to.kind]);
        return;
    }
    render_text(r, "CAST(");
    render_value(r, e->cast.arg, BINDS_ANY);
    render_format(r, " AS %s)", type);
}

static const char *date_function(const struct expr *date, enum unit unit)
{
    const char *text = expr_text_literal(date);
    bool day = date->type.kind == TYPE_DATE || (text && strlen(text) == 10);
    return day && unit <= UNIT_DAY ? "date" : "datetime";
}

/* SQLite knows no quarters and weeks: so many months and days. */
static void modifier(struct render *r, const struct expr *count, enum unit unit, bool minus)
{
    static const char *const words[] = { "years", "months", "months", "days", "days", "hours", "minutes", "seconds" };
    int64_t times = unit == UNIT_QUARTER ? 3 : unit == UNIT_WEEK ? 7 : 1, n;
    if (expr_natural(count, &n) && !__builtin_mul_overflow(n, times, &n)) {
        render_format(r, "'%s%lld %s'", minus ? "-" : "+", (long long)n, words[unit]);
        return;
    }
    if (minus) times = -times;
    render_text(r, "(");
    render_value(r, count, times == 1 ? BINDS_CONCAT : BINDS_UNARY);
    if (times != 1) render_format(r, " * %lld", (long long)times);
    render_format(r, ") || ' %s'", words[unit]);
}

static void shift(struct render *r, const struct expr *date, const struct expr *interval, bool minus)
{
    if (interval->kind != EXPR_INTERVAL) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "Only a written interval can be added to a date for sqlite.");
        return;
    }
    render_format(r, "%s(", date_function(date, interval->interval.unit));
    render_value(r, date, BINDS_ANY);
    render_text(r, ", ");
    modifier(r, interval->interval.value, interval->interval.unit, minus);
    render_text(r, ")");
}

static void distinct_from(struct render *r, const struct expr *e)
{
    render_binary(r, e->is.left, e->negated ? "IS" : "IS NOT", e->is.right, BINDS_CONCAT, BINDS_CONCAT);
}

static void trunc_date(struct render *r, const struct expr *e, enum unit unit)
{
    const struct expr *date = e->call.args.items[1];
    bool stamp = e->type.kind == TYPE_TIMESTAMP || e->type.kind == TYPE_TIMESTAMPTZ;
    render_text(r, stamp ? "datetime(" : "date(");
    render_value(r, date, BINDS_ANY);
    switch (unit) {
    case UNIT_YEAR:
        render_text(r, ", 'start of year')");
        break;
    case UNIT_QUARTER:
        render_text(r, ", 'start of month', '-' || ((CAST(strftime('%m', ");
        render_value(r, date, BINDS_ANY);
        render_text(r, ") AS INTEGER) - 1) % 3) || ' months')");
        break;
    case UNIT_MONTH:
        render_text(r, ", 'start of month')");
        break;
    case UNIT_WEEK:
        render_text(r, stamp ? ", 'start of day', '-6 days', 'weekday 1')" : ", '-6 days', 'weekday 1')");
        break;
    default:
        render_text(r, stamp ? ", 'start of day')" : ")");
    }
}

static void joined_text(struct render *r, const struct expr *e, size_t from, const struct expr *separator)
{
    for (size_t i = from; i < e->call.args.count; i++) {
        if (i > from) render_text(r, " || ");
        render_text(r, "coalesce(");
        if (separator) {
            render_value(r, separator, BINDS_CONCAT);
            render_text(r, " || ");
        }
        render_value(r, e->call.args.items[i], separator ? BINDS_UNARY : BINDS_ANY);
        render_text(r, ", '')");
    }
}

/* SQLite rounds to no fewer than no decimals. */
static bool round_to_tens(struct render *r, const struct expr *e)
{
    int64_t n;
    const struct expr *digits = e->call.args.items[1];
    struct expr positive = *digits;
    if (!expr_is_number_literal(digits) || *digits->literal.text != '-') return false;
    positive.literal.text = digits->literal.text + 1;
    if (!expr_natural(&positive, &n) || n > 18) return false;
    bool integer = e->type.kind == TYPE_INTEGER;
    render_text(r, integer ? "CAST(round(" : "(round(");
    render_value(r, e->call.args.items[0], BINDS_MULTIPLY);
    render_format(r, " / 1e%d) * 1e%d%s", (int)n, (int)n, integer ? " AS INTEGER)" : ")");
    return true;
}

static bool call_text(struct render *r, const struct expr *e)
{
    const struct exprs *a = &e->call.args;
    if (strcmp(e->call.name, "largest") == 0 || strcmp(e->call.name, "smallest") == 0) {
        standard_largest(r, e, e->call.name[0] == 'l' ? "max" : "min");
        return true;
    }
    if (strcmp(e->call.name, "round") == 0 && a->count == 2) {
        if (!round_to_tens(r, e)) render_call_as(r, e, "round($*)");
        return true;
    }
    if (strcmp(e->call.name, "concat") == 0) {
        joined_text(r, e, 0, NULL);
        return true;
    }
    if (strcmp(e->call.name, "concat_ws") == 0 && a->count > 1) {
        /* The separator before each, then without the first one. */
        render_text(r, "substr(");
        joined_text(r, e, 1, a->items[0]);
        render_text(r, ", length(");
        render_value(r, a->items[0], BINDS_ANY);
        render_text(r, ") + 1)");
        return true;
    }
    return false;
}

/* The value whose order counts stands first, then the fraction, then 'desc' when the order descends. */
static void ordered_set(struct render *r, const struct expr *e, const char *name)
{
    const struct order_item *order = &e->call.within.items[0];
    struct exprs args = { 0 };
    struct expr copy = *e;
    exprs_push(r->call, &args, order->expr);
    if (e->call.args.count) exprs_push(r->call, &args, e->call.args.items[0]);
    if (order->direction == DIR_DESC) exprs_push(r->call, &args, expr_text(r->call, "desc"));
    copy.call.args = args;
    render_call_as(r, &copy, call_format(r->call, "%s($*)", name));
}

/* string_agg_by(value, separator, how, key …): 'u' for distinct values, then for each key its direction, a or d, and
 * where NULL goes, f or l. */
static void string_agg_by(struct render *r, const struct expr *e)
{
    struct exprs args = { 0 };
    struct expr copy = *e;
    struct buf how;
    buf_init(&how, r->call, 2 * e->call.within.count + 2);
    if (e->call.distinct) buf_char(&how, 'u');
    exprs_push(r->call, &args, e->call.args.items[0]);
    exprs_push(r->call, &args, e->call.args.count > 1 ? e->call.args.items[1] : expr_text(r->call, ","));
    exprs_push(r->call, &args, NULL);
    for (size_t i = 0; i < e->call.within.count; i++) {
        const struct order_item *key = &e->call.within.items[i];
        buf_char(&how, key->direction == DIR_DESC ? 'd' : 'a');
        buf_char(&how, key->nulls == NULLS_FIRST ? 'f' : 'l');
        exprs_push(r->call, &args, key->expr);
    }
    args.items[2] = expr_text(r->call, how.data);
    copy.call.args = args;
    render_call_as(r, &copy, "string_agg_by($*)");
}

static bool is_comma(const struct exprs *a)
{
    const char *separator = a->count > 1 ? expr_text_literal(a->items[1]) : ",";
    return separator && strcmp(separator, ",") == 0;
}

static bool call_aggregate(struct render *r, const struct expr *e)
{
    const char *name = e->call.name;
    bool ordered = e->call.within.count > 0;
    if (ordered && strcmp(name, "percentile") == 0)
        ordered_set(r, e, "percentile_cont");
    else if (ordered && (strcmp(name, "percentile_disc") == 0 || strcmp(name, "mode") == 0))
        ordered_set(r, e, name);
    else if (strcmp(name, "string_agg") == 0 && (ordered || (e->call.distinct && !is_comma(&e->call.args))))
        string_agg_by(r, e);
    else if (strcmp(name, "string_agg") == 0 && e->call.distinct)
        render_call_as(r, e, "group_concat($d$1)");
    else
        return false;
    return true;
}

static bool call(struct render *r, const struct expr *e)
{
    const struct exprs *a = &e->call.args;
    const char *name = e->call.name, *unit_name = a->count ? expr_text_literal(a->items[0]) : NULL;
    if (strcmp(name, "mod") == 0 && a->count == 2 && a->items[0]->type.kind == TYPE_INTEGER &&
        a->items[1]->type.kind == TYPE_INTEGER) {
        render_template(r, "($1 % $2)", a, false);
        return true;
    }
    if (unit_name && strncmp(name, "date_", 5) == 0) {
        int unit = unit_of(a->items[0]);
        if (strcmp(name, "date_add") == 0 && unit >= 0 && a->count == 3) {
            render_format(r, "%s(", date_function(a->items[2], (enum unit)unit));
            render_value(r, a->items[2], BINDS_ANY);
            render_text(r, ", ");
            modifier(r, a->items[1], (enum unit)unit, false);
            render_text(r, ")");
            return true;
        }
        if (strcmp(name, "date_trunc") == 0 && unit >= 0 && unit <= UNIT_DAY && a->count == 2) {
            trunc_date(r, e, (enum unit)unit);
            return true;
        }
    }
    return call_aggregate(r, e) || call_text(r, e);
}

static int binds(const struct expr *e)
{
    return strcmp(e->call.name, "concat") == 0 && e->call.args.count > 1 ? BINDS_CONCAT : BINDS_PRIMARY;
}

/* What like() refuses, said before. */
static const char *refuses(const struct expr *e)
{
    if (e->kind == EXPR_LIKE && !e->like.fold && e->like.escape) {
        const char *escape = expr_text_literal(e->like.escape);
        if (!expr_text_literal(e->like.pattern) || !escape || strlen(escape) > 1)
            return "has no case-sensitive LIKE with ESCAPE but for a literal pattern and one escape character";
    }
    if (e->kind == EXPR_CAST && date_cast(e->cast.to)) return NULL;
    if (is_too_many(e)) return "compares no more than four values at once";
    if (distinct_order_differs(e)) return "orders DISTINCT values in string_agg by nothing but themselves";
    if (e->kind == EXPR_CALL && e->call.distinct && e->call.over) return "has no DISTINCT over a window";
    return dialect_refuses(&dialect_sqlite, e);
}

const struct dialect dialect_sqlite = {
    .name = "sqlite",
    .support = { .name = "sqlite",
                 .features = DIALECT_COERCES | DIALECT_UNGROUPED | DIALECT_DEPENDENCE | DIALECT_DISTINCT_ORDER |
                             DIALECT_FULL_JOIN | DIALECT_INTERSECT | DIALECT_RECURSIVE_CAP | DIALECT_FRAME_GROUPS |
                             DIALECT_FRAME_EXCLUDE | DIALECT_FRAME_RANGE_OFFSET | DIALECT_ROW_VALUES |
                             DIALECT_LIMIT_EXPRESSION | DIALECT_VALUES_BODY | DIALECT_NESTED_WITH,
                 .refuses = refuses },
    .quote_open = '"',
    .quote_close = '"',
    .can = D_BOOLEAN | D_NULLS | D_FILTER | D_LIMIT | D_VALUES | D_RECURSIVE_WORD | D_CONCAT_OPERATOR | D_GLOB |
           D_BARE_JOIN | D_BYTE_NAMES,
    .null_order = NULLS_LOWEST,
    .templates = templates,
    .type_name = type_name,
    .literal = literal,
    .like = like,
    .divide = divide,
    .concat = concat,
    .cast = cast,
    .shift = shift,
    .distinct_from = distinct_from,
    .call = call,
    .binds = binds,
};
