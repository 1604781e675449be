#include "plan/checker.h"

#include <string.h>

static struct value_type of(enum type_kind kind)
{
    return (struct value_type){ .kind = kind };
}

static void sub(struct checker *k, struct scope *s, const struct context *x, const struct path *p, struct expr **slot)
{
    struct context inner = *x;
    inner.interval_ok = inner.row_ok = false;
    check_expr(k, s, &inner, p, slot);
}

static void sub_with_rows(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                          struct expr **slot)
{
    struct context inner = *x;
    inner.interval_ok = false;
    inner.row_ok = true;
    check_expr(k, s, &inner, p, slot);
}

static void want_boolean(struct checker *k, const struct path *p, const struct expr *e)
{
    if (type_is_any(e->type) || e->type.kind == TYPE_BOOLEAN) return;
    if (has_feature(k, DIALECT_COERCES) && type_is_number(e->type)) return;
    report_type(k, ERR_TYPE_MISMATCH, p, "A condition is needed here, this is %s.", type_text(k->c, e->type));
}

void check_condition(struct checker *k, struct scope *s, enum place place, const struct path *p, struct expr **slot)
{
    const struct context x = { .place = place };
    check_expr(k, s, &x, p, slot);
    want_boolean(k, p, *slot);
}

static void check_literal(struct checker *k, const struct path *p, struct expr *e)
{
    e->nullable = e->literal.null;
    if (e->literal.null) return;
    if (literal_valid(e->type.kind, e->literal.text)) return;
    enum err_code code = type_is_number(e->type)                              ? ERR_INVALID_NUMERIC_VALUE
                         : type_is_date(e->type) || e->type.kind == TYPE_TIME ? ERR_INVALID_DATE_FORMAT
                                                                              : ERR_INVALID_PLAN_STRUCTURE;
    report(k, code, PATH(p, "value"), "'%.80s' is not a %s.", e->literal.text, type_kind_names[e->type.kind]);
}

static void check_unary(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                        struct expr *e)
{
    const struct path *arg = PATH(p, "arg");
    sub(k, s, x, arg, &e->unary.arg);
    e->nullable = e->unary.arg->nullable;
    if (e->unary.op == UNARY_NOT) {
        want_boolean(k, arg, e->unary.arg);
        e->type = of(TYPE_BOOLEAN);
        return;
    }
    struct value_type t = e->unary.arg->type;
    if (!type_is_any(t) && !type_is_number(t) && !(has_feature(k, DIALECT_COERCES) && t.kind == TYPE_BOOLEAN)) {
        report_type(k, ERR_TYPE_MISMATCH, arg, "A number is needed after -, this is %s.", type_text(k->c, t));
        t = of(TYPE_UNKNOWN);
    }
    e->type = t;
}

static struct value_type arithmetic_type(enum binary_op op, struct value_type a, struct value_type b)
{
    if (type_is_any(a) && type_is_any(b)) return of(TYPE_UNKNOWN);
    if (a.kind == TYPE_DOUBLE || b.kind == TYPE_DOUBLE) return of(TYPE_DOUBLE);
    if (a.kind == TYPE_TEXT || b.kind == TYPE_TEXT || type_is_any(a) || type_is_any(b)) return of(TYPE_UNKNOWN);
    if (op == OP_INTDIV) return of(TYPE_INTEGER);
    if (op == OP_DIV) return of(TYPE_DECIMAL);
    return of(a.kind == TYPE_DECIMAL || b.kind == TYPE_DECIMAL ? TYPE_DECIMAL : TYPE_INTEGER);
}

/* date + interval, interval + date, date - interval. */
static void check_date_arithmetic(struct checker *k, const struct path *p, struct expr *e)
{
    struct expr *a = e->binary.left, *b = e->binary.right;
    bool first = a->type.kind == TYPE_INTERVAL;
    const struct expr *interval = first ? a : b, *date = first ? b : a;
    bool coerced = has_feature(k, DIALECT_COERCES) && date->type.kind == TYPE_TEXT;
    e->type = of(TYPE_UNKNOWN);
    if (first && e->binary.op == OP_SUB) {
        report(k, ERR_TYPE_MISMATCH, p, "A date cannot be subtracted from an interval.");
    } else if (!type_is_date(date->type) && !type_is_any(date->type) && !coerced) {
        report(k, ERR_TYPE_MISMATCH, p, "An interval is added to a date or a timestamp, not to %s.",
               type_text(k->c, date->type));
    } else {
        bool days = interval->kind != EXPR_INTERVAL || interval->interval.unit <= UNIT_DAY;
        e->type = date->type.kind == TYPE_DATE && !days ? of(TYPE_TIMESTAMP) : coerced ? of(TYPE_TEXT) : date->type;
    }
}

static void check_arithmetic(struct checker *k, const struct path *p, struct expr *e)
{
    struct expr *sides[] = { e->binary.left, e->binary.right };
    if (sides[0]->type.kind == TYPE_INTERVAL || sides[1]->type.kind == TYPE_INTERVAL) {
        check_date_arithmetic(k, p, e);
        return;
    }
    if (type_is_date(sides[0]->type) && type_is_date(sides[1]->type) && e->binary.op == OP_SUB) {
        report_type(k, ERR_TYPE_MISMATCH, p, "Subtract dates with date_diff(unit, later, earlier).");
        e->type = of(TYPE_UNKNOWN);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        struct value_type t = sides[i]->type;
        if (type_is_any(t) || type_is_number(t) || (has_feature(k, DIALECT_COERCES) && t.kind == TYPE_BOOLEAN))
            continue;
        if (expr_is_text(sides[i]) && !has_feature(k, DIALECT_COERCES) &&
            literal_valid(TYPE_DOUBLE, sides[i]->literal.text))
            continue;
        report_type(k, ERR_TYPE_MISMATCH, PATH(p, i ? "right" : "left"), "%s needs numbers, this is %s%s.",
                    binary_op_names[e->binary.op], type_text(k->c, t),
                    type_is_date(t) ? "; add an interval or use date_add" : "");
    }
    e->type = arithmetic_type(e->binary.op, sides[0]->type, sides[1]->type);
}

static void check_rows(struct checker *k, const struct path *p, struct expr *a, struct expr *b)
{
    size_t an = a->kind == EXPR_ROW ? a->row.count : 1, bn = b->kind == EXPR_ROW ? b->row.count : 1;
    if (an != bn) {
        report(k, ERR_WRONG_ARITY, p, "A row of %zu is compared with a row of %zu.", an, bn);
        return;
    }
    if (a->kind != EXPR_ROW || b->kind != EXPR_ROW) {
        check_comparable(k, p, a, b, "This compares");
        return;
    }
    for (size_t i = 0; i < an; i++) check_comparable(k, p, a->row.items[i], b->row.items[i], "This compares");
}

static void check_concat(struct checker *k, const struct path *p, struct expr *e)
{
    struct value_type a = e->binary.left->type, b = e->binary.right->type;
    e->type = of(TYPE_TEXT);
    if (a.kind == TYPE_TEXT || b.kind == TYPE_TEXT || type_is_any(a) || type_is_any(b)) return;
    report_type(k, ERR_TYPE_MISMATCH, p, "|| joins texts, these are %s and %s; cast one of them to text.",
                type_text(k->c, a), type_text(k->c, b));
}

static void check_binary(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                         struct expr *e)
{
    enum binary_op op = e->binary.op;
    struct context inner = *x;
    inner.row_ok = op == OP_EQ || op == OP_NE;
    inner.interval_ok = op == OP_ADD || op == OP_SUB;
    check_expr(k, s, &inner, PATH(p, "left"), &e->binary.left);
    check_expr(k, s, &inner, PATH(p, "right"), &e->binary.right);
    e->nullable =
        e->binary.left->nullable || e->binary.right->nullable || op == OP_DIV || op == OP_INTDIV || op == OP_MOD;
    if (op <= OP_GE) {
        check_rows(k, p, e->binary.left, e->binary.right);
        e->type = of(TYPE_BOOLEAN);
    } else if (op == OP_AND || op == OP_OR) {
        want_boolean(k, PATH(p, "left"), e->binary.left);
        want_boolean(k, PATH(p, "right"), e->binary.right);
        e->type = of(TYPE_BOOLEAN);
    } else if (op == OP_CONCAT) {
        check_concat(k, p, e);
    } else {
        check_arithmetic(k, p, e);
    }
}

static void want_text(struct checker *k, const struct path *p, const struct expr *e, const char *what)
{
    struct value_type t = e->type;
    if (type_is_any(t) || t.kind == TYPE_TEXT) return;
    if (has_feature(k, DIALECT_COERCES) && (lenient(k) || type_is_date(t) || t.kind == TYPE_TIME)) return;
    report_type(k, ERR_TYPE_MISMATCH, p, "%s needs text, this is %s; cast it to text.", what, type_text(k->c, t));
}

static void check_like(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                       struct expr *e)
{
    sub(k, s, x, PATH(p, "arg"), &e->like.arg);
    sub(k, s, x, PATH(p, "pattern"), &e->like.pattern);
    want_text(k, PATH(p, "arg"), e->like.arg, "like");
    want_text(k, PATH(p, "pattern"), e->like.pattern, "like");
    e->type = of(TYPE_BOOLEAN);
    e->nullable = e->like.arg->nullable || e->like.pattern->nullable;
    if (!e->like.escape) return;
    sub(k, s, x, PATH(p, "escape"), &e->like.escape);
    const struct expr *escape = e->like.escape;
    if (!expr_is_text(escape) || strlen(escape->literal.text) != 1 || (unsigned char)escape->literal.text[0] > 126)
        report(k, ERR_INVALID_PLAN_STRUCTURE, PATH(p, "escape"),
               "The escape is a text literal of one ASCII character.");
}

static void check_between(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                          struct expr *e)
{
    sub(k, s, x, PATH(p, "arg"), &e->between.arg);
    sub(k, s, x, PATH(p, "low"), &e->between.low);
    sub(k, s, x, PATH(p, "high"), &e->between.high);
    check_comparable(k, PATH(p, "low"), e->between.arg, e->between.low, "between compares");
    check_comparable(k, PATH(p, "high"), e->between.arg, e->between.high, "between compares");
    e->type = of(TYPE_BOOLEAN);
    e->nullable = e->between.arg->nullable || e->between.low->nullable || e->between.high->nullable;
}

static void check_in_query(struct checker *k, struct scope *s, const struct path *p, struct expr *e)
{
    struct query *q = e->in.query;
    size_t width = e->in.arg->kind == EXPR_ROW ? e->in.arg->row.count : 1;
    check_query(k, s, s->ctes, PATH(p, "query"), q);
    if (q->offer_count != width) {
        if (q->offers)
            report(k, ERR_WRONG_ARITY, PATH(p, "query"), "This query has %zu columns where %zu %s compared.",
                   q->offer_count, width, width == 1 ? "is" : "are");
        return;
    }
    for (size_t i = 0; i < width; i++) {
        struct expr *arg = width == 1 && e->in.arg->kind != EXPR_ROW ? e->in.arg : e->in.arg->row.items[i];
        struct expr column = { .kind = EXPR_STAR, .type = q->offers[i].type };
        check_comparable(k, PATH(p, "query"), arg, &column, "in compares");
        e->nullable |= q->offers[i].nullable;
    }
}

static void check_in(struct checker *k, struct scope *s, const struct context *x, const struct path *p, struct expr *e)
{
    sub_with_rows(k, s, x, PATH(p, "arg"), &e->in.arg);
    e->type = of(TYPE_BOOLEAN);
    e->nullable = e->in.arg->nullable;
    if (e->in.query) {
        check_in_query(k, s, p, e);
        return;
    }
    if (!e->in.list.count)
        report(k, ERR_INVALID_PLAN_STRUCTURE, PATH(p, "list"), "The list is empty; nothing is in it.");
    for (size_t i = 0; i < e->in.list.count; i++) {
        const struct path *at = PATH_AT(PATH(p, "list"), i);
        sub_with_rows(k, s, x, at, &e->in.list.items[i]);
        check_rows(k, at, e->in.arg, e->in.list.items[i]);
        e->nullable |= e->in.list.items[i]->nullable;
    }
}

static void check_is(struct checker *k, struct scope *s, const struct context *x, const struct path *p, struct expr *e)
{
    bool distinct = e->kind == EXPR_IS_DISTINCT;
    e->type = of(TYPE_BOOLEAN);
    e->nullable = false;
    sub(k, s, x, PATH(p, distinct ? "left" : "arg"), &e->is.left);
    if (!distinct) return;
    sub(k, s, x, PATH(p, "right"), &e->is.right);
    check_comparable(k, p, e->is.left, e->is.right, "is_distinct compares");
}

static void check_case(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                       struct expr *e)
{
    e->type = of(TYPE_NULL);
    e->nullable = !e->cases.otherwise;
    for (size_t i = 0; i <= e->cases.count; i++) {
        bool last = i == e->cases.count;
        const struct path *at = last ? PATH(p, "else") : PATH_AT(PATH(p, "whens"), i);
        struct expr **value = last ? &e->cases.otherwise : &e->cases.whens[i].then;
        if (!*value) continue;
        if (!last) {
            sub(k, s, x, PATH(at, "when"), &e->cases.whens[i].when);
            want_boolean(k, PATH(at, "when"), e->cases.whens[i].when);
        }
        const struct path *then = last ? at : PATH(at, "then");
        sub(k, s, x, then, value);
        e->nullable |= (*value)->nullable;
        struct value_type before = e->type;
        if (type_common(before, (*value)->type, &e->type)) continue;
        e->type = of(TYPE_UNKNOWN);
        report_type(k, ERR_TYPE_MISMATCH, then, "This value is %s, the ones before are %s.",
                    type_text(k->c, (*value)->type), type_text(k->c, before));
    }
}

static void check_cast(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                       struct expr *e)
{
    sub(k, s, x, PATH(p, "arg"), &e->cast.arg);
    e->type = e->cast.to;
    e->nullable = e->cast.arg->nullable;
    if (e->cast.to.kind <= TYPE_NULL || e->cast.to.kind >= TYPE_INTERVAL)
        report(k, ERR_INVALID_PLAN_STRUCTURE, PATH(p, "to"), "This is not a type that can be cast to.");
    struct value_type t = e->cast.arg->type;
    bool number_to_date =
        (type_is_number(t) || t.kind == TYPE_BOOLEAN) && (type_is_date(e->type) || e->type.kind == TYPE_TIME);
    bool date_to_number =
        (type_is_date(t) || t.kind == TYPE_TIME) && (type_is_number(e->type) || e->type.kind == TYPE_BOOLEAN);
    if (number_to_date || date_to_number)
        report_type(k, ERR_TYPE_MISMATCH, p, "%s cannot be cast to %s.", type_text(k->c, t), type_text(k->c, e->type));
}

static void check_interval(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                           struct expr *e)
{
    sub(k, s, x, PATH(p, "value"), &e->interval.value);
    e->type = of(TYPE_INTERVAL);
    e->nullable = e->interval.value->nullable;
    if (!x->interval_ok) report(k, ERR_TYPE_MISMATCH, p, "An interval stands only beside + or - with a date.");
    if (!type_is_any(e->interval.value->type) && !type_is_number(e->interval.value->type))
        report(k, ERR_TYPE_MISMATCH, PATH(p, "value"), "The length of an interval is a number, not %s.",
               type_text(k->c, e->interval.value->type));
}

static void check_row(struct checker *k, struct scope *s, const struct context *x, const struct path *p, struct expr *e)
{
    e->type = of(TYPE_UNKNOWN);
    if (!x->row_ok) report(k, ERR_INVALID_PLAN_STRUCTURE, p, "A row stands only beside =, != and in.");
    if (!has_feature(k, DIALECT_ROW_VALUES))
        report(k, ERR_PLAN_NOT_SUPPORTED, p, "%s does not compare rows; compare column by column with and.",
               k->dialect->name);
    if (e->row.count < 2) report(k, ERR_INVALID_PLAN_STRUCTURE, p, "A row has at least two items.");
    for (size_t i = 0; i < e->row.count; i++) {
        sub(k, s, x, PATH_AT(PATH(p, "items"), i), &e->row.items[i]);
        e->nullable |= e->row.items[i]->nullable;
    }
}

static void check_scalar_query(struct checker *k, struct scope *s, const struct path *p, struct expr *e)
{
    check_query(k, s, s->ctes, PATH(p, "query"), e->query);
    e->nullable = e->kind == EXPR_QUERY;
    e->type = of(e->kind == EXPR_EXISTS ? TYPE_BOOLEAN : TYPE_UNKNOWN);
    if (e->kind == EXPR_EXISTS || !e->query->offers) return;
    if (e->query->offer_count == 1)
        e->type = e->query->offers[0].type;
    else
        report(k, ERR_WRONG_ARITY, PATH(p, "query"), "A query used as a value has one column, this one has %zu.",
               e->query->offer_count);
}

static void check_column_place(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                               struct expr *e)
{
    if (x->place == PLACE_LIMIT || x->place == PLACE_VALUES) {
        report(k, ERR_COLUMN_NOT_FOUND, p, "No column can be named here.");
        return;
    }
    bind_column(k, s, p, e);
}

void check_expr(struct checker *k, struct scope *s, const struct context *x, const struct path *p, struct expr **slot)
{
    struct expr *e = *slot;
    switch (e->kind) {
    case EXPR_LITERAL:
        check_literal(k, p, e);
        break;
    case EXPR_COLUMN:
        check_column_place(k, s, x, p, e);
        break;
    case EXPR_OUTPUT:
        e->type = of(TYPE_UNKNOWN);
        report(k, ERR_INVALID_PLAN_STRUCTURE, p, "A result column is named only by order_by, and stands there alone.");
        break;
    case EXPR_CALL:
        check_call(k, s, x, p, slot);
        break;
    case EXPR_UNARY:
        check_unary(k, s, x, p, e);
        break;
    case EXPR_BINARY:
        check_binary(k, s, x, p, e);
        break;
    case EXPR_LIKE:
        check_like(k, s, x, p, e);
        break;
    case EXPR_BETWEEN:
        check_between(k, s, x, p, e);
        break;
    case EXPR_IN:
        check_in(k, s, x, p, e);
        break;
    case EXPR_IS_NULL:
    case EXPR_IS_DISTINCT:
        check_is(k, s, x, p, e);
        break;
    case EXPR_EXISTS:
    case EXPR_QUERY:
        check_scalar_query(k, s, p, e);
        break;
    case EXPR_CASE:
        check_case(k, s, x, p, e);
        break;
    case EXPR_CAST:
        check_cast(k, s, x, p, e);
        break;
    case EXPR_INTERVAL:
        check_interval(k, s, x, p, e);
        break;
    case EXPR_ROW:
        check_row(k, s, x, p, e);
        break;
    case EXPR_STAR:
        e->type = of(TYPE_UNKNOWN);
        report(k, ERR_INVALID_PLAN_STRUCTURE, p, "A star stands only inside count.");
        break;
    }
    const char *refused = k->dialect->refuses && !k->errors ? k->dialect->refuses(*slot) : NULL;
    if (refused) report(k, ERR_PLAN_NOT_SUPPORTED, p, "%s %s.", k->dialect->name, refused);
}
