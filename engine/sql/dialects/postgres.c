/* postgres: / of integers truncates, LIKE reads backslashes, booleans are a type. */
#include "sql/standard.h"

#include <string.h>

extern const struct dialect dialect_postgres;

#define STAMP(n)   "CAST($" #n " AS TIMESTAMP)"
#define PART(u, n) "CAST(date_part('" u "', $" #n ") AS INTEGER)"
#define PAST(u, s)                                                                                                     \
    "CAST(floor(date_part('epoch', date_trunc('" u "', " STAMP(2) ") - date_trunc('" u "', " STAMP(3) ")) / " s        \
                                                                                                      ") AS BIGINT)"

static const struct template_row templates[] = {
    { "abs", NULL },
    { "acos", NULL },
    { "any_value", "(array_agg($1)$!)[1]" },
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
    { "current_date", "CURRENT_DATE" },
    { "date", "CAST($1 AS DATE)" },
    { "date_add", WRITTEN },
    { "date_diff", UNSUPPORTED },
    { "date_diff:year", "(" PART("year", 2) " - " PART("year", 3) ")" },
    { "date_diff:quarter",
      "((" PART("year", 2) " - " PART("year", 3) ") * 4 + " PART("quarter", 2) " - " PART("quarter", 3) ")" },
    { "date_diff:month",
      "((" PART("year", 2) " - " PART("year", 3) ") * 12 + " PART("month", 2) " - " PART("month", 3) ")" },
    { "date_diff:week",
      "((CAST(date_trunc('week', " STAMP(2) ") AS DATE) - CAST(date_trunc('week', " STAMP(3) ") AS DATE)) / 7)" },
    { "date_diff:day", "(CAST($2 AS DATE) - CAST($3 AS DATE))" },
    { "date_diff:hour", PAST("hour", "3600") },
    { "date_diff:minute", PAST("minute", "60") },
    { "date_diff:second", PAST("second", "1") },
    { "date_format", WRITTEN },
    { "date_part", UNSUPPORTED },
    { "date_part:year", PART("year", 2) },
    { "date_part:quarter", PART("quarter", 2) },
    { "date_part:month", PART("month", 2) },
    { "date_part:week", PART("week", 2) },
    { "date_part:day", PART("day", 2) },
    { "date_part:hour", PART("hour", 2) },
    { "date_part:minute", PART("minute", 2) },
    { "date_part:second", "CAST(floor(date_part('second', $2)) AS INTEGER)" },
    { "date_trunc", WRITTEN },
    { "degrees", NULL },
    { "dense_rank", NULL },
    { "epoch", "CAST(floor(date_part('epoch', $1)) AS BIGINT)" },
    { "exp", NULL },
    { "first_value", NULL },
    { "floor", NULL },
    { "glob", UNSUPPORTED },
    { "greatest", WRITTEN },
    { "instr", "strpos($1, $2)" },
    { "julian_day", "(date_part('epoch', " STAMP(1) ") / 86400.0 + 2440587.5)" },
    { "lag", NULL },
    { "largest", "greatest($*)" },
    { "last_value", NULL },
    { "lead", NULL },
    { "least", WRITTEN },
    { "left", NULL },
    { "length", NULL },
    { "ln", NULL },
    { "log", "log(CAST($1 AS NUMERIC), CAST($2 AS NUMERIC))" },
    { "log10", NULL },
    { "lower", NULL },
    { "ltrim", NULL },
    { "max", NULL },
    { "median", "percentile_cont(0.5) WITHIN GROUP (ORDER BY $1)" },
    { "min", NULL },
    { "mod", "mod(CAST($1 AS NUMERIC), nullif(CAST($2 AS NUMERIC), 0))" },
    { "mode", "mode() WITHIN GROUP ($w)" },
    { "now", "timezone('UTC', now())" },
    { "nth_value", NULL },
    { "ntile", NULL },
    { "nullif", NULL },
    { "percent_rank", NULL },
    { "percentile", "percentile_cont($1) WITHIN GROUP ($w)" },
    { "percentile_disc", "percentile_disc($1) WITHIN GROUP ($w)" },
    { "pi", NULL },
    { "position", "strpos($2, $1)" },
    { "power", NULL },
    { "radians", NULL },
    { "rank", NULL },
    { "replace", NULL },
    { "right", NULL },
    { "round", "round(CAST($1 AS NUMERIC))" },
    { "round/2", "round(CAST($1 AS NUMERIC), $2)" },
    { "row_number", NULL },
    { "rtrim", NULL },
    { "sign", "CAST(sign($1) AS INTEGER)" },
    { "sin", NULL },
    { "smallest", "least($*)" },
    { "split_part", NULL },
    { "sqrt", NULL },
    { "stddev", "stddev_samp($dCAST($1 AS DOUBLE PRECISION))" },
    { "stddev_pop", "stddev_pop($dCAST($1 AS DOUBLE PRECISION))" },
    { "string_agg", "string_agg($dCAST($1 AS TEXT), ','$o)" },
    { "string_agg/2", "string_agg($dCAST($1 AS TEXT), $2$o)" },
    { "substr", "substr($1, CASE WHEN $2 < 0 THEN length($1) + $2 + 1 ELSE $2 END)" },
    { "substr/3", "substr($1, CASE WHEN $2 < 0 THEN length($1) + $2 + 1 ELSE $2 END, $3)" },
    { "sum", NULL },
    { "tan", NULL },
    { "time", "CAST($1 AS TIME)" },
    { "timestamp", "CAST($1 AS TIMESTAMP)" },
    { "total", "coalesce(CAST(sum($d$1)$! AS DOUBLE PRECISION), 0)" },
    { "trim", "btrim($*)" },
    { "trunc", "trunc(CAST($1 AS NUMERIC))" },
    { "trunc/2", "trunc(CAST($1 AS NUMERIC), $2)" },
    { "upper", NULL },
    { "variance", "var_samp($dCAST($1 AS DOUBLE PRECISION))" },
    { "variance_pop", "var_pop($dCAST($1 AS DOUBLE PRECISION))" },
    { "weekday", PART("dow", 1) },
    { "yearday", PART("doy", 1) },
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
        return t.precision ? call_format(c, "NUMERIC(%d, %d)", t.precision, t.scale) : "NUMERIC";
    case TYPE_DOUBLE:
        return "DOUBLE PRECISION";
    case TYPE_TEXT:
        return "TEXT";
    case TYPE_DATE:
        return "DATE";
    case TYPE_TIME:
        return "TIME";
    case TYPE_TIMESTAMP:
        return "TIMESTAMP";
    case TYPE_TIMESTAMPTZ:
        return "TIMESTAMPTZ";
    case TYPE_BINARY:
        return "BYTEA";
    default:
        return UNSUPPORTED;
    }
}

/* E'' reads backslashes whatever the server's setting, '' only where it says so: a text with one is written as E''. */
static void text(struct render *r, const char *s)
{
    if (!strchr(s, '\\')) {
        render_quoted(r, s);
        return;
    }
    struct buf b;
    buf_init(&b, r->call, 2 * strlen(s) + 1);
    for (; *s; s++) {
        if (*s == '\\') buf_char(&b, '\\');
        buf_char(&b, *s);
    }
    render_text(r, "E");
    render_quoted(r, b.data);
}

static void literal(struct render *r, const struct expr *e)
{
    if (standard_literal(r, e)) return;
    if (e->type.kind == TYPE_TIMESTAMPTZ) {
        render_text(r, "TIMESTAMPTZ ");
        render_quoted(r, e->literal.text);
    } else if (e->type.kind == TYPE_BINARY) {
        render_text(r, "decode(");
        render_quoted(r, e->literal.text);
        render_text(r, ", 'hex')");
    } else {
        text(r, e->literal.text);
    }
}

static void like(struct render *r, const struct expr *e)
{
    const char *pattern = expr_text_literal(e->like.pattern);
    reads_function(r, "like_escape", 11); /* how the engine sees ESCAPE */
    render_binary(r, e->like.arg,
                  e->like.fold ? (e->negated ? "NOT ILIKE" : "ILIKE") : (e->negated ? "NOT LIKE" : "LIKE"),
                  e->like.pattern, BINDS_CONCAT, BINDS_CONCAT);
    if (e->like.escape) {
        render_text(r, " ESCAPE ");
        render_value(r, e->like.escape, BINDS_PRIMARY);
    } else if (!pattern || strchr(pattern, '\\')) {
        render_text(r, " ESCAPE ''"); /* nothing escapes, where the engine would read a backslash */
    }
}

static void divide(struct render *r, const struct expr *e)
{
    bool integers = is_exact_integer(e->binary.left) && is_exact_integer(e->binary.right);
    bool real = is_kind(e->binary.left, TYPE_DOUBLE) || is_kind(e->binary.right, TYPE_DOUBLE);
    if (e->binary.op == OP_DIV) {
        standard_divide(r, e, "/", integers ? "NUMERIC" : NULL);
    } else if (integers) {
        standard_divide(r, e, e->binary.op == OP_MOD ? "%" : "/", NULL);
    } else if (e->binary.op == OP_INTDIV) {
        render_text(r, "trunc(");
        standard_divide(r, e, "/", NULL);
        render_text(r, ")");
    } else {
        struct expr right = { .kind = EXPR_CAST, .cast = { .arg = e->binary.right, .to = { TYPE_DECIMAL, 0, 0 } } };
        struct expr numeric = *e;
        if (real) numeric.binary.right = &right;
        standard_divide(r, &numeric, "%", real ? "NUMERIC" : NULL);
    }
}

static void shift(struct render *r, const struct expr *date, const struct expr *interval, bool minus)
{
    bool day = interval->kind == EXPR_INTERVAL && interval->interval.unit <= UNIT_DAY && is_kind(date, TYPE_DATE);
    if (day) render_text(r, "CAST(");
    render_text(r, day ? "" : "(");
    render_value(r, date, BINDS_ADD);
    render_text(r, minus ? " - " : " + ");
    if (interval->kind == EXPR_INTERVAL) {
        int64_t n;
        enum unit unit = interval->interval.unit;
        const char *word = unit == UNIT_QUARTER ? "month" : unit_names[unit];
        int times = unit == UNIT_QUARTER ? 3 : 1;
        if (expr_natural(interval->interval.value, &n) && n < INT64_MAX / 3) {
            render_format(r, "INTERVAL '%lld %s'", (long long)n * times, word);
        } else {
            render_value(r, interval->interval.value, BINDS_MULTIPLY);
            render_format(r, " * INTERVAL '%d %s'", times, word);
        }
    } else {
        render_value(r, interval, BINDS_MULTIPLY);
    }
    render_text(r, day ? " AS DATE)" : ")");
}

struct formatted {
    struct render *r;
    const struct expr *date;
    int pieces;
};

static void piece(void *ctx, char letter, const char *between, size_t n)
{
    static const char *const words[][2] = { { "Y", "YYYY" }, { "m", "MM" }, { "d", "DD" }, { "H", "HH24" },
                                            { "M", "MI" },   { "S", "SS" }, { "j", "DDD" } };
    struct formatted *f = ctx;
    if (f->pieces++) render_text(f->r, " || ");
    if (!letter) {
        text(f->r, call_strndup(f->r->call, between, n));
        return;
    }
    const char *word = NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i][0][0] == letter) word = words[i][1];
    render_text(f->r, word ? "to_char(" : "CAST(date_part('dow', ");
    render_value(f->r, f->date, BINDS_ANY);
    if (word)
        render_format(f->r, ", '%s')", word);
    else
        render_text(f->r, ") AS TEXT)");
}

static bool call(struct render *r, const struct expr *e)
{
    const struct exprs *a = &e->call.args;
    if (strcmp(e->call.name, "greatest") == 0 || strcmp(e->call.name, "least") == 0) {
        standard_greatest(r, e, e->call.name);
        return true;
    }
    const char *name = e->call.name;
    int64_t n;
    if (strcmp(name, "date_add") == 0 && a->count == 3 && unit_of(a->items[0]) >= 0) {
        struct expr interval = { .kind = EXPR_INTERVAL,
                                 .interval = { .value = a->items[1], .unit = (enum unit)unit_of(a->items[0]) } };
        shift(r, a->items[2], &interval, false);
        return true;
    }
    if (strcmp(name, "date_trunc") == 0 && a->count == 2 && unit_of(a->items[0]) >= 0) {
        bool date = is_kind(e, TYPE_DATE), stamped = !date && is_kind(a->items[1], TYPE_DATE);
        render_text(r, date ? "CAST(" : "");
        render_format(r, "date_trunc('%s', %s", unit_names[unit_of(a->items[0])], stamped ? "CAST(" : "");
        render_value(r, a->items[1], BINDS_ANY);
        render_text(r, stamped ? " AS TIMESTAMP)" : ""); /* of a date it would be one with a time zone */
        render_text(r, date ? ") AS DATE)" : ")");
        return true;
    }
    if (strcmp(name, "time") == 0 && a->count == 1 && is_kind(a->items[0], TYPE_DATE)) {
        render_template(r, "CAST(CAST($1 AS TIMESTAMP) AS TIME)", a, false);
        return true;
    }
    if (strcmp(name, "date_format") == 0 && a->count == 2 && expr_text_literal(a->items[1])) {
        struct formatted f = { .r = r, .date = a->items[0] };
        render_text(r, "(");
        format_pieces(expr_text_literal(a->items[1]), piece, &f);
        render_text(r, f.pieces ? ")" : "'')");
        return true;
    }
    if (strcmp(name, "substr") == 0 && a->count >= 2 && expr_natural(a->items[1], &n)) {
        render_text(r, "substr(");
        render_list(r, a);
        render_text(r, ")");
        return true;
    }
    if ((strcmp(name, "max") == 0 || strcmp(name, "min") == 0) && a->count == 1 && is_kind(a->items[0], TYPE_BOOLEAN)) {
        render_call_as(r, e, name[1] == 'a' ? "bool_or($1)" : "bool_and($1)");
        return true;
    }
    if (strcmp(name, "mod") == 0 && a->count == 2 && is_exact_integer(a->items[0]) && is_exact_integer(a->items[1])) {
        render_template(r, "mod($1, nullif($2, 0))", a, false);
        return true;
    }
    return false;
}

static const char *refuses(const struct expr *e)
{
    if (e->kind == EXPR_CALL && e->call.over && e->call.distinct) return "has no DISTINCT over a window";
    if (e->kind == EXPR_CALL && e->call.over && strcmp(e->call.name, "median") == 0)
        return "has no median over a window";
    if (distinct_order_is_no_text(e)) return "orders DISTINCT values in string_agg by nothing but themselves, as texts";
    return dialect_refuses(&dialect_postgres, e);
}

const struct dialect dialect_postgres = {
    .name = "postgres",
    .support = { .name = "postgres",
                 .features = DIALECT_RECURSIVE_CAP | DIALECT_HIDDEN_AGGREGATES | DIALECT_FULL_JOIN | DIALECT_INTERSECT |
                             DIALECT_INTERSECT_ALL | DIALECT_FRAME_GROUPS | DIALECT_FRAME_EXCLUDE |
                             DIALECT_FRAME_RANGE_OFFSET | DIALECT_ROW_VALUES | DIALECT_LIMIT_EXPRESSION |
                             DIALECT_VALUES_BODY | DIALECT_NESTED_WITH,
                 .refuses = refuses },
    .quote_open = '"',
    .quote_close = '"',
    .can = D_CAP_OUTSIDE | D_BOOLEAN | D_NULLS | D_FILTER | D_LIMIT | D_ROW_LISTS | D_VALUES | D_COLUMN_ALIASES |
           D_RECURSIVE_WORD | D_CONCAT_OPERATOR | D_BYTE_NAMES,
    .null_order = NULLS_HIGHEST,
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
