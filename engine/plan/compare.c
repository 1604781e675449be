/* compare: how types fit together, and what may be compared with what. */
#include "plan/checker.h"

#include <string.h>

bool type_is_number(struct value_type t)
{
    return t.kind == TYPE_INTEGER || t.kind == TYPE_DECIMAL || t.kind == TYPE_DOUBLE;
}

bool type_is_date(struct value_type t)
{
    return t.kind == TYPE_DATE || t.kind == TYPE_TIMESTAMP || t.kind == TYPE_TIMESTAMPTZ;
}

bool type_is_any(struct value_type t)
{
    return t.kind == TYPE_UNKNOWN || t.kind == TYPE_NULL;
}

const char *type_text(struct call *c, struct value_type t)
{
    if (t.kind == TYPE_DECIMAL && t.precision) return call_format(c, "decimal(%d,%d)", t.precision, t.scale);
    return type_kind_names[t.kind];
}

static struct value_type of(enum type_kind kind)
{
    return (struct value_type){ .kind = kind };
}

static bool decimal_equal(struct value_type a, struct value_type b)
{
    return a.precision == b.precision && a.scale == b.scale;
}

bool type_common(struct value_type a, struct value_type b, struct value_type *out)
{
    struct value_type t = a;
    if (a.kind == TYPE_NULL)
        t = b;
    else if (b.kind == TYPE_NULL)
        t = a;
    else if (type_is_any(a) || type_is_any(b))
        t = of(TYPE_UNKNOWN);
    else if (a.kind == b.kind)
        t = a.kind == TYPE_DECIMAL && !decimal_equal(a, b) ? of(TYPE_DECIMAL) : a;
    else if (type_is_number(a) && type_is_number(b))
        t = of(a.kind == TYPE_DOUBLE || b.kind == TYPE_DOUBLE ? TYPE_DOUBLE : TYPE_DECIMAL);
    else if (type_is_date(a) && type_is_date(b))
        t = of(a.kind == TYPE_TIMESTAMPTZ || b.kind == TYPE_TIMESTAMPTZ ? TYPE_TIMESTAMPTZ : TYPE_TIMESTAMP);
    else
        return false;
    *out = t;
    return true;
}

bool expr_is_text(const struct expr *e)
{
    return e->kind == EXPR_LITERAL && e->type.kind == TYPE_TEXT && !e->literal.null;
}

/* A text literal stands for a value of the other side's type when it reads as one. */
static void check_text_literal(struct checker *k, const struct path *p, const struct expr *literal,
                               struct value_type other)
{
    const char *text = literal->literal.text;
    if (type_is_number(other)) {
        if (!literal_valid(TYPE_DOUBLE, text))
            report_type(k, ERR_INVALID_NUMERIC_VALUE, p, "'%.80s' is compared with %s but is not a number.", text,
                        type_text(k->c, other));
    } else if (type_is_date(other)) {
        if (!literal_valid(TYPE_TIMESTAMP, text) && !literal_valid(TYPE_TIMESTAMPTZ, text))
            report_type(k, ERR_INVALID_DATE_FORMAT, p, "'%.80s' is compared with %s; write it as YYYY-MM-DD%s.", text,
                        type_text(k->c, other), other.kind == TYPE_DATE ? "" : " or YYYY-MM-DD HH:MM:SS");
    } else if (other.kind == TYPE_TIME) {
        if (!literal_valid(TYPE_TIME, text))
            report_type(k, ERR_INVALID_DATE_FORMAT, p, "'%.80s' is compared with a time; write it as HH:MM:SS.", text);
    } else if (!has_feature(k, DIALECT_COERCES) && strcmp(text, "true") && strcmp(text, "false")) {
        report_type(k, ERR_TYPE_MISMATCH, p, "'%.80s' is compared with %s.", text, type_text(k->c, other));
    }
}

static bool kind_pair(const struct expr *a, const struct expr *b, bool (*first)(struct value_type),
                      enum type_kind second)
{
    return (first(a->type) && b->type.kind == second) || (first(b->type) && a->type.kind == second);
}

void check_comparable(struct checker *k, const struct path *p, struct expr *a, struct expr *b, const char *what)
{
    struct value_type common;
    if (type_common(a->type, b->type, &common)) return;
    if (expr_is_text(a) && b->type.kind != TYPE_BINARY && b->type.kind != TYPE_INTERVAL) {
        check_text_literal(k, p, a, b->type);
        return;
    }
    if (expr_is_text(b) && a->type.kind != TYPE_BINARY && a->type.kind != TYPE_INTERVAL) {
        check_text_literal(k, p, b, a->type);
        return;
    }
    /* Where the engine coerces, dates are kept as text and truth as 0 and 1, and keys may be declared either way. */
    if (has_feature(k, DIALECT_COERCES) &&
        (columns_related(a, b) || kind_pair(a, b, type_is_date, TYPE_TEXT) ||
         kind_pair(a, b, type_is_number, TYPE_BOOLEAN) || (a->type.kind == TYPE_TEXT && b->type.kind == TYPE_BOOLEAN) ||
         (b->type.kind == TYPE_TEXT && a->type.kind == TYPE_BOOLEAN) ||
         (a->type.kind == TYPE_TEXT && b->type.kind == TYPE_TIME) ||
         (b->type.kind == TYPE_TEXT && a->type.kind == TYPE_TIME)))
        return;
    report_type(k, ERR_TYPE_MISMATCH, p, "%s %s with %s; cast one of them.", what, type_text(k->c, a->type),
                type_text(k->c, b->type));
}
