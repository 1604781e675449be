/* mssql: SQL Server 2017 on. No boolean values, no LIMIT, + joins text, a [ in LIKE opens a set. */
#include "sql/standard.h"

#include <string.h>

extern const struct dialect dialect_mssql;

#define STAMP     "CAST($2 AS DATETIME2)"
#define MONDAY(n) "(datediff(DAY, '19000101', $" #n ") / 7)"

static const struct template_row templates[] = {
    { "abs", NULL },
    { "acos", NULL },
    { "any_value", "min($1)" },
    { "asin", NULL },
    { "atan", NULL },
    { "atan2", "atn2($1, $2)" },
    { "avg", "avg($d$1)" },
    { "bool_and", "CAST(min(CAST($1 AS TINYINT))$! AS BIT)" },
    { "bool_or", "CAST(max(CAST($1 AS TINYINT))$! AS BIT)" },
    { "ceil", "ceiling($1)" },
    { "coalesce", NULL },
    { "concat", "concat($*, '')" },
    { "concat_ws", NULL },
    { "cos", NULL },
    { "count", "count_big($d$1)" },
    { "cume_dist", NULL },
    { "current_date", "CAST(sysutcdatetime() AS DATE)" },
    { "date", "CAST($1 AS DATE)" },
    { "date_add", WRITTEN },
    { "date_diff", UNSUPPORTED },
    { "date_diff:year", "datediff(YEAR, $3, $2)" },
    { "date_diff:quarter", "datediff(QUARTER, $3, $2)" },
    { "date_diff:month", "datediff(MONTH, $3, $2)" },
    { "date_diff:week", "(" MONDAY(2) " - " MONDAY(3) ")" }, /* DATEDIFF counts Sundays */
    { "date_diff:day", "datediff(DAY, $3, $2)" },
    { "date_diff:hour", "datediff(HOUR, $3, $2)" },
    { "date_diff:minute", "datediff(MINUTE, $3, $2)" },
    { "date_diff:second", "datediff_big(SECOND, $3, $2)" },
    { "date_format", WRITTEN },
    { "date_part", UNSUPPORTED },
    { "date_part:year", "datepart(YEAR, $2)" },
    { "date_part:quarter", "datepart(QUARTER, $2)" },
    { "date_part:month", "datepart(MONTH, $2)" },
    { "date_part:week", "datepart(ISO_WEEK, $2)" },
    { "date_part:day", "datepart(DAY, $2)" },
    { "date_part:hour", "datepart(HOUR, $2)" },
    { "date_part:minute", "datepart(MINUTE, $2)" },
    { "date_part:second", "datepart(SECOND, $2)" },
    { "date_trunc", UNSUPPORTED },
    { "date_trunc:year", "CAST(datefromparts(datepart(YEAR, $2), 1, 1) AS $t)" },
    { "date_trunc:quarter", "CAST(datefromparts(datepart(YEAR, $2), datepart(QUARTER, $2) * 3 - 2, 1) AS $t)" },
    { "date_trunc:month", "CAST(datefromparts(datepart(YEAR, $2), datepart(MONTH, $2), 1) AS $t)" },
    { "date_trunc:week", "CAST(dateadd(DAY, " MONDAY(2) " * 7, CAST('19000101' AS DATE)) AS $t)" },
    { "date_trunc:day", "CAST(CAST($2 AS DATE) AS $t)" },
    { "date_trunc:hour", "dateadd(HOUR, datepart(HOUR, $2), CAST(CAST($2 AS DATE) AS DATETIME2))" },
    { "date_trunc:minute",
      "dateadd(MINUTE, datepart(HOUR, $2) * 60 + datepart(MINUTE, $2), CAST(CAST($2 AS DATE) AS DATETIME2))" },
    { "date_trunc:second", "CAST(" STAMP " AS DATETIME2(0))" },
    { "degrees", "degrees(CAST($1 AS FLOAT))" },
    { "dense_rank", NULL },
    { "epoch", "datediff_big(SECOND, '19700101', $1)" },
    { "exp", NULL },
    { "first_value", NULL },
    { "floor", NULL },
    { "glob", UNSUPPORTED },
    { "greatest", UNSUPPORTED }, /* before 2022 */
    { "greatest/2", "CASE WHEN $1 >= $2 THEN $1 WHEN $1 < $2 THEN $2 END" },
    { "instr", "charindex($2, $1)" },
    { "julian_day", "(datediff_big(SECOND, '19700101', $1) / 86400.0 + 2440587.5)" },
    { "lag", NULL },
    { "largest", UNSUPPORTED },
    { "largest/2", "CASE WHEN $1 >= $2 OR $2 IS NULL THEN $1 ELSE $2 END" },
    { "last_value", NULL },
    { "lead", NULL },
    { "least", UNSUPPORTED },
    { "least/2", "CASE WHEN $1 <= $2 THEN $1 WHEN $1 > $2 THEN $2 END" },
    { "left", NULL },
    { "length", "(len($1 + 'x') - 1)" }, /* LEN leaves out spaces at the end */
    { "ln", "log($1)" },
    { "log", "log($2, $1)" },
    { "log10", NULL },
    { "lower", NULL },
    { "ltrim", NULL },
    { "ltrim/2", UNSUPPORTED },
    { "max", NULL },
    { "median", UNSUPPORTED }, /* a window function there */
    { "min", NULL },
    { "mod", "($1 % nullif($2, 0))" },
    { "mode", UNSUPPORTED },
    { "now", "sysutcdatetime()" },
    { "nth_value", UNSUPPORTED },
    { "ntile", NULL },
    { "nullif", NULL },
    { "percent_rank", NULL },
    { "percentile", UNSUPPORTED },
    { "percentile_disc", UNSUPPORTED },
    { "pi", NULL },
    { "position", "charindex($1, $2)" },
    { "power", NULL },
    { "radians", "radians(CAST($1 AS FLOAT))" },
    { "rank", NULL },
    { "replace", NULL },
    { "right", NULL },
    { "round", "round($1, 0)" },
    { "round/2", NULL },
    { "row_number", NULL },
    { "rtrim", NULL },
    { "rtrim/2", UNSUPPORTED },
    { "sign", NULL },
    { "sin", NULL },
    { "smallest", UNSUPPORTED },
    { "smallest/2", "CASE WHEN $1 <= $2 OR $2 IS NULL THEN $1 ELSE $2 END" },
    { "split_part", UNSUPPORTED },
    { "sqrt", NULL },
    { "stddev", "stdev($d$1)" },
    { "stddev_pop", "stdevp($d$1)" },
    { "string_agg", "string_agg(CAST($1 AS NVARCHAR(MAX)), ',')$W" },
    { "string_agg/2", "string_agg(CAST($1 AS NVARCHAR(MAX)), $2)$W" },
    { "substr", "substring($1, $2, len($1 + 'x'))" },
    { "substr/3", "substring($1, $2, $3)" },
    { "sum", NULL },
    { "tan", NULL },
    { "time", "CAST($1 AS TIME)" },
    { "timestamp", "CAST($1 AS DATETIME2)" },
    { "total", "coalesce(sum($dCAST($1 AS FLOAT))$!, 0)" },
    { "trim", NULL },
    { "trim/2", UNSUPPORTED },
    { "trunc", "round($1, 0, 1)" },
    { "trunc/2", "round($1, $2, 1)" },
    { "upper", NULL },
    { "variance", "var($d$1)" },
    { "variance_pop", "varp($d$1)" },
    { "weekday", "((datediff(DAY, '19000101', $1) + 1) % 7)" }, /* whatever DATEFIRST is */
    { "yearday", "datepart(DAYOFYEAR, $1)" },
    { NULL, NULL },
};

static const char *type_name(struct call *c, struct value_type t)
{
    switch (t.kind) {
    case TYPE_BOOLEAN:
        return "BIT";
    case TYPE_INTEGER:
        return "BIGINT";
    case TYPE_DECIMAL:
        return t.precision ? call_format(c, "DECIMAL(%d, %d)", t.precision, t.scale) : "DECIMAL(38, 10)";
    case TYPE_DOUBLE:
        return "FLOAT";
    case TYPE_TEXT:
        return "NVARCHAR(MAX)";
    case TYPE_DATE:
        return "DATE";
    case TYPE_TIME:
        return "TIME";
    case TYPE_TIMESTAMP:
        return "DATETIME2";
    case TYPE_TIMESTAMPTZ:
        return "DATETIMEOFFSET";
    case TYPE_BINARY:
        return "VARBINARY(MAX)";
    default:
        return UNSUPPORTED;
    }
}

/* A backslash at the end of a line joins it to the next: such a text is cut there. */
static void text(struct render *r, const char *s)
{
    const char *cut = strstr(s, "\\\n");
    const char *other = strstr(s, "\\\r");
    if (!cut || (other && other < cut)) cut = other;
    if (!cut) {
        render_text(r, "N");
        render_quoted(r, s);
        return;
    }
    render_text(r, "concat(N");
    render_quoted(r, call_strndup(r->call, s, (size_t)(cut - s) + 1));
    render_text(r, ", ");
    text(r, cut + 1);
    render_text(r, ")");
}

static void literal(struct render *r, const struct expr *e)
{
    switch (e->type.kind) {
    case TYPE_BOOLEAN:
        render_text(r, strcmp(e->literal.text, "true") == 0 ? "CAST(1 AS BIT)" : "CAST(0 AS BIT)");
        break;
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
        render_text(r, "CAST(");
        render_quoted(r, e->literal.text);
        render_format(r, " AS %s)", type_name(r->call, e->type));
        break;
    case TYPE_BINARY:
        render_format(r, "0x%s", e->literal.text);
        break;
    default:
        text(r, e->literal.text);
    }
}

static void pattern(struct render *r, const struct expr *e)
{
    const char *s = expr_text_literal(e);
    if (!s) {
        render_text(r, "replace(");
        render_value(r, e, BINDS_ANY);
        render_text(r, ", N'[', N'[[]')");
        return;
    }
    struct buf b;
    buf_init(&b, r->call, 3 * strlen(s) + 1);
    for (; *s; s++) {
        if (*s == '[')
            buf_str(&b, "[[]");
        else
            buf_char(&b, *s);
    }
    text(r, b.data);
}

static void like(struct render *r, const struct expr *e)
{
    if (e->like.fold) render_text(r, "lower(");
    render_value(r, e->like.arg, e->like.fold ? BINDS_ANY : BINDS_PRIMARY);
    if (e->like.fold) render_text(r, ")");
    render_text(r, " COLLATE Latin1_General_100_BIN2");
    render_text(r, e->negated ? " NOT LIKE " : " LIKE ");
    if (e->like.fold) render_text(r, "lower(");
    pattern(r, e->like.pattern);
    if (e->like.fold) render_text(r, ")");
    if (!e->like.escape) return;
    render_text(r, " ESCAPE ");
    render_value(r, e->like.escape, BINDS_PRIMARY);
}

enum { DIGITS_MAX = 38, DIGITS_AFTER = 12 };

/* Six digits after the point are all that a quotient or an average of decimals keeps by itself. *to has more, and room
 * before the point for every value of a column, for 26 digits of what is computed; false when there is no such type. */
static bool widened(const struct expr *e, struct value_type *to)
{
    bool told = e->kind == EXPR_COLUMN && e->type.precision;
    int before = told ? e->type.precision - e->type.scale : DIGITS_MAX - DIGITS_AFTER;
    int after = DIGITS_MAX - before < DIGITS_AFTER ? DIGITS_MAX - before : DIGITS_AFTER;
    *to = (struct value_type){ TYPE_DECIMAL, DIGITS_MAX, after };
    return is_kind(e, TYPE_DECIMAL) && after > e->type.scale;
}

static void divide(struct render *r, const struct expr *e)
{
    struct value_type to;
    bool integers = is_exact_integer(e->binary.left) && is_exact_integer(e->binary.right);
    bool exact = is_exact_integer(e->binary.right) || is_kind(e->binary.right, TYPE_DECIMAL);
    if (e->binary.op == OP_MOD) {
        standard_divide(r, e, "%", NULL);
    } else if (e->binary.op == OP_DIV && exact && widened(e->binary.left, &to)) {
        standard_divide(r, e, "/", type_name(r->call, to));
    } else if (e->binary.op == OP_DIV) {
        standard_divide(r, e, "/", integers ? "DECIMAL(38, 10)" : NULL);
    } else if (integers) {
        standard_divide(r, e, "/", NULL);
    } else {
        render_text(r, "round(");
        standard_divide(r, e, "/", NULL);
        render_text(r, ", 0, 1)");
    }
}

static void operand(struct render *r, const struct expr *e)
{
    if (e->type.kind == TYPE_TEXT) {
        render_value(r, e, BINDS_PRIMARY);
        return;
    }
    render_text(r, "CAST(");
    render_value(r, e, BINDS_ANY);
    render_text(r, " AS NVARCHAR(MAX))");
}

static void concat(struct render *r, const struct expr *e)
{
    render_text(r, "(");
    operand(r, e->binary.left);
    render_text(r, " + ");
    operand(r, e->binary.right);
    render_text(r, ")");
}

static void shift(struct render *r, const struct expr *date, const struct expr *interval, bool minus)
{
    static const char *const words[] = { "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND" };
    if (interval->kind != EXPR_INTERVAL) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "Only a written interval can be added to a date for mssql.");
        return;
    }
    render_format(r, "dateadd(%s, %s", words[interval->interval.unit], minus ? "-" : "");
    render_value(r, interval->interval.value, minus ? BINDS_PRIMARY : BINDS_ANY);
    /* A date takes no hours. */
    bool widen = is_kind(date, TYPE_DATE) && interval->interval.unit >= UNIT_HOUR;
    render_text(r, widen ? ", CAST(" : ", ");
    render_value(r, date, BINDS_ANY);
    render_text(r, widen ? " AS DATETIME2))" : ")");
}

/* INTERSECT holds two NULLs for the same. */
static void distinct_from(struct render *r, const struct expr *e)
{
    render_text(r, e->negated ? "EXISTS (SELECT " : "NOT EXISTS (SELECT ");
    render_value(r, e->is.left, BINDS_ANY);
    render_text(r, " INTERSECT SELECT ");
    render_value(r, e->is.right, BINDS_ANY);
    render_text(r, ")");
}

struct formatted {
    struct render *r;
    const struct expr *date;
};

static void piece(void *ctx, char letter, const char *between, size_t n)
{
    static const char *const words[][2] = { { "Y", "yyyy" }, { "m", "MM" }, { "d", "dd" },
                                            { "H", "HH" },   { "M", "mm" }, { "S", "ss" } };
    struct formatted *f = ctx;
    struct exprs args = { .items = (struct expr **)&f->date, .count = 1 };
    if (!letter) {
        text(f->r, call_strndup(f->r->call, between, n));
        render_text(f->r, ", ");
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i][0][0] != letter) continue;
        render_text(f->r, "format(CAST(");
        render_value(f->r, f->date, BINDS_ANY);
        render_format(f->r, " AS DATETIME2), '%s', 'en-US'), ", words[i][1]);
        return;
    }
    if (letter == 'j')
        render_template(f->r, "format(datepart(DAYOFYEAR, $1), '000'), ", &args, false);
    else
        render_template(f->r, "((datediff(DAY, '19000101', $1) + 1) % 7), ", &args, false);
}

/* A sum of integers is no wider than they are, and their average is cut off. */
static bool aggregated_as(const char *name, const struct expr *arg, struct value_type *to)
{
    bool integer = is_exact_integer(arg);
    if (strcmp(name, "sum") == 0) {
        *to = (struct value_type){ .kind = TYPE_INTEGER };
        return integer && arg->kind != EXPR_CAST; /* a cast to an integer is to the widest */
    }
    if (strcmp(name, "avg") != 0) return false;
    if (!integer) return widened(arg, to);
    *to = (struct value_type){ TYPE_DECIMAL, DIGITS_MAX, 10 };
    return true;
}

static bool call(struct render *r, const struct expr *e)
{
    const struct exprs *a = &e->call.args;
    if (strcmp(e->call.name, "date_add") == 0 && a->count == 3 && unit_of(a->items[0]) >= 0) {
        struct expr interval = { .kind = EXPR_INTERVAL,
                                 .interval = { .value = a->items[1], .unit = (enum unit)unit_of(a->items[0]) } };
        shift(r, a->items[2], &interval, false);
        return true;
    }
    if (strcmp(e->call.name, "date_format") == 0 && a->count == 2 && expr_text_literal(a->items[1])) {
        struct formatted f = { .r = r, .date = a->items[0] };
        render_text(r, "concat(");
        format_pieces(expr_text_literal(a->items[1]), piece, &f);
        render_text(r, "'', '')");
        return true;
    }
    bool least = strcmp(e->call.name, "min") == 0 || strcmp(e->call.name, "any_value") == 0;
    if ((least || strcmp(e->call.name, "max") == 0) && a->count == 1 && is_kind(a->items[0], TYPE_BOOLEAN)) {
        render_call_as(r, e, dialect_template(&dialect_mssql, least ? "bool_and" : "bool_or", 1, NULL));
        return true;
    }
    struct value_type to;
    if (a->count == 1 && aggregated_as(e->call.name, a->items[0], &to)) {
        struct expr cast = { .kind = EXPR_CAST, .cast = { .arg = a->items[0], .to = to }, .type = to };
        struct expr *arg = &cast, copy = *e;
        copy.call.args.items = &arg;
        render_call(r, &copy);
        return true;
    }
    return false;
}

static const char *refuses(const struct expr *e)
{
    int64_t n;
    if (e->kind == EXPR_CALL && e->call.over && e->call.distinct) return "has no DISTINCT over a window";
    if (e->kind == EXPR_CALL && strcmp(e->call.name, "string_agg") == 0 && (e->call.distinct || e->call.over))
        return "has no string_agg of DISTINCT values or over a window";
    if (e->kind == EXPR_CALL && strcmp(e->call.name, "substr") == 0 && e->call.args.count > 1 &&
        !expr_natural(e->call.args.items[1], &n))
        return "has no substr but from a literal start";
    return dialect_refuses(&dialect_mssql, e);
}

const struct dialect dialect_mssql = {
    .name = "mssql",
    .support = { .name = "mssql",
                 .features = DIALECT_HIDDEN_AGGREGATES | DIALECT_COERCES | DIALECT_FULL_JOIN | DIALECT_INTERSECT |
                             DIALECT_VALUES_BODY,
                 .refuses = refuses },
    .quote_open = '[',
    .quote_close = ']',
    .can = D_COLUMN_ALIASES,
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
