#include "plan/checker.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#define DECIMAL_PRECISION_MAX 38

static struct value_type of(enum type_kind kind)
{
    return (struct value_type){ .kind = kind };
}

/* Index of the unit a literal names, without case; -1 when it names none. */
static int unit_of(const struct expr *e)
{
    if (!expr_is_text(e)) return -1;
    for (int i = 0; unit_names[i]; i++)
        if (!strcasecmp(unit_names[i], e->literal.text)) return i;
    return -1;
}

/* ---- names ---- */

static void unknown_function(struct checker *k, const struct path *p, const struct expr *e)
{
    const char **names = call_array(k->c, function_count() + 1, sizeof *names);
    for (size_t i = 0; i < function_count(); i++) names[i] = functions[i].name;
    const char *near = nearest_name(e->call.name, names);
    report(k, ERR_UNSUPPORTED_FUNCTION, PATH(p, "function"), "The function '%.64s' is not allowed.%s%s%s", e->call.name,
           near ? " The nearest is " : "", near ? near : "", near ? "." : "");
}

/* Writes the catalogue's name for another one: year(d) becomes date_part('year', d). */
static void resolve(struct checker *k, struct expr *e)
{
    const struct function_alias *alias = function_alias(e->call.name);
    if (alias && alias->unit) {
        struct exprs args = { 0 };
        exprs_push(k->c, &args, expr_text(k->c, alias->unit));
        for (size_t i = 0; i < e->call.args.count; i++) exprs_push(k->c, &args, e->call.args.items[i]);
        e->call.args = args;
    }
    e->call.function = function_find(alias ? alias->to : e->call.name);
    if (!e->call.function) return;
    e->call.name = e->call.function->name;
    /* date_part and date_trunc take the unit on either side. */
    if (e->call.args.count == 2 && function_arg(e->call.function, 0) == 'u' && unit_of(e->call.args.items[0]) < 0 &&
        unit_of(e->call.args.items[1]) >= 0) {
        struct expr *unit = e->call.args.items[1];
        e->call.args.items[1] = e->call.args.items[0];
        e->call.args.items[0] = unit;
    }
}

/* ---- arguments ---- */

static void wrong_argument(struct checker *k, const struct path *p, const struct expr *e, const char *needs,
                           struct value_type found)
{
    report_type(k, ERR_TYPE_MISMATCH, p, "%s needs %s here, this is %s.", e->call.name, needs, type_text(k->c, found));
}

static void check_unit(struct checker *k, const struct path *p, struct expr *e, struct expr *arg)
{
    int unit = unit_of(arg);
    if (unit >= 0)
        arg->literal.text = unit_names[unit];
    else
        report(k, ERR_INVALID_PLAN_STRUCTURE, p,
               "%s needs a unit here, as a text literal: year, quarter, month, week, day, hour, minute or second.",
               e->call.name);
}

static void check_format(struct checker *k, const struct path *p, const struct expr *arg)
{
    bool fine = expr_is_text(arg);
    for (const char *t = fine ? arg->literal.text : ""; *t; t++)
        if (*t == '%' && !(*++t && strchr("YmdHMSjw", *t))) {
            fine = false;
            break;
        }
    if (!fine)
        report(k, ERR_INVALID_DATE_FORMAT, p,
               "The format is a text literal with %%Y %%m %%d %%H %%M %%S %%j %%w only.");
}

static void check_date_argument(struct checker *k, const struct path *p, struct expr *e, struct expr *arg)
{
    struct value_type t = arg->type;
    if (type_is_any(t) || type_is_date(t) || t.kind == TYPE_TIME) return;
    if (expr_is_text(arg)) {
        if (!literal_valid(TYPE_TIMESTAMPTZ, arg->literal.text) && !literal_valid(TYPE_TIMESTAMP, arg->literal.text))
            report_type(k, ERR_INVALID_DATE_FORMAT, p, "'%.80s' is not a date; write it as YYYY-MM-DD.",
                        arg->literal.text);
    } else if (t.kind != TYPE_TEXT || !has_feature(k, DIALECT_COERCES)) {
        wrong_argument(k, p, e, "a date", t);
    }
}

static void check_argument(struct checker *k, const struct path *p, struct expr *e, size_t i)
{
    struct expr *arg = e->call.args.items[i];
    struct value_type t = arg->type;
    bool coerces = has_feature(k, DIALECT_COERCES);
    switch (function_arg(e->call.function, i)) {
    case 'n':
        if (!type_is_any(t) && !type_is_number(t) && !(coerces && t.kind == TYPE_BOOLEAN))
            wrong_argument(k, p, e, "a number", t);
        break;
    case 'i':
        if (!type_is_any(t) && !type_is_number(t)) wrong_argument(k, p, e, "a whole number", t);
        break;
    case 't':
        if (!type_is_any(t) && t.kind != TYPE_TEXT && !(coerces && (lenient(k) || type_is_date(t))))
            wrong_argument(k, p, e, "text", t);
        break;
    case 'b':
        if (!type_is_any(t) && t.kind != TYPE_BOOLEAN && !(coerces && type_is_number(t)))
            wrong_argument(k, p, e, "a condition", t);
        break;
    case 'd':
        check_date_argument(k, p, e, arg);
        break;
    case 'u':
        check_unit(k, p, e, arg);
        break;
    case 'f':
        check_format(k, p, arg);
        break;
    default:
        break;
    }
}

static void check_arity(struct checker *k, const struct path *p, const struct expr *e)
{
    size_t least, most, count = e->call.args.count;
    function_arity(e->call.function, &least, &most);
    if (count >= least && count <= most) return;
    if (most == SIZE_MAX)
        report(k, ERR_WRONG_ARITY, PATH(p, "args"), "%s takes at least %zu arguments, not %zu: %s.", e->call.name,
               least, count, e->call.function->doc);
    else if (least == most)
        report(k, ERR_WRONG_ARITY, PATH(p, "args"), "%s takes %zu argument%s, not %zu: %s.", e->call.name, least,
               least == 1 ? "" : "s", count, e->call.function->doc);
    else
        report(k, ERR_WRONG_ARITY, PATH(p, "args"), "%s takes %zu to %zu arguments, not %zu: %s.", e->call.name, least,
               most, count, e->call.function->doc);
}

/* ---- results ---- */

static struct value_type common_of(struct checker *k, const struct path *p, const struct expr *e)
{
    struct value_type t = of(TYPE_NULL);
    for (size_t i = 0; i < e->call.args.count; i++) {
        struct value_type before = t, next = e->call.args.items[i]->type;
        if (type_common(before, next, &t)) continue;
        report_type(k, ERR_TYPE_MISMATCH, PATH_AT(PATH(p, "args"), i), "%s mixes %s with %s.", e->call.name,
                    type_text(k->c, before), type_text(k->c, next));
        t = of(TYPE_UNKNOWN);
    }
    return t;
}

/* A date stays one while the unit is a day or longer. What is not known to be anything else is a timestamp, or a date
 * kept as text where the engine coerces. */
static struct value_type moved_date(const struct checker *k, const struct expr *e, size_t date)
{
    struct value_type t = e->call.args.items[date]->type;
    if (t.kind == TYPE_TIMESTAMP || t.kind == TYPE_TIMESTAMPTZ || t.kind == TYPE_TIME) return t;
    if (t.kind == TYPE_UNKNOWN && !has_feature(k, DIALECT_COERCES)) return of(TYPE_TIMESTAMP);
    return of(unit_of(e->call.args.items[0]) > UNIT_DAY ? TYPE_TIMESTAMP : TYPE_DATE);
}

static struct value_type result_of(struct checker *k, const struct path *p, const struct expr *e)
{
    const char *r = e->call.function->result;
    struct value_type first = e->call.args.count ? e->call.args.items[0]->type : of(TYPE_UNKNOWN);
    bool number = type_is_number(first);
    if (*r >= '1' && *r <= '9') return e->call.args.items[*r - '1']->type;
    if (!strcmp(r, "common")) return common_of(k, p, e);
    if (!strcmp(r, "sum")) {
        if (first.kind == TYPE_BOOLEAN) return of(TYPE_INTEGER);
        /* A sum of money has the decimals of money, however many digits it grows. */
        if (first.kind == TYPE_DECIMAL && first.scale > 0)
            return (struct value_type){ TYPE_DECIMAL, DECIMAL_PRECISION_MAX, first.scale };
        return number ? of(first.kind) : of(type_is_any(first) ? TYPE_UNKNOWN : TYPE_DOUBLE);
    }
    if (!strcmp(r, "avg"))
        return of(first.kind == TYPE_INTEGER || first.kind == TYPE_DECIMAL ? TYPE_DECIMAL : TYPE_DOUBLE);
    if (!strcmp(r, "round")) return of(number ? first.kind : TYPE_DOUBLE);
    if (!strcmp(r, "trunc")) return moved_date(k, e, 1);
    if (!strcmp(r, "add")) return moved_date(k, e, 2);
    if (!strcmp(r, "within")) return e->call.within.count ? e->call.within.items[0].expr->type : of(TYPE_UNKNOWN);
    for (int kind = TYPE_BOOLEAN; kind < TYPE_INTERVAL; kind++)
        if (!strcmp(r, type_kind_names[kind])) return of((enum type_kind)kind);
    return of(TYPE_UNKNOWN);
}

static bool result_nullable(const struct expr *e)
{
    const struct function *f = e->call.function;
    if (f->class == FUNC_WINDOW) return strcmp(f->result, "1") == 0;
    if (f->class != FUNC_SCALAR) return strcmp(f->name, "count") != 0 && strcmp(f->name, "total") != 0;
    if (!strcmp(f->name, "concat")) return false;
    if (!strcmp(f->name, "nullif") || !strcmp(f->name, "mod") || (f->flags & FUNC_MAY_FAIL)) return true;
    bool all = true, any = false;
    for (size_t i = 0; i < e->call.args.count; i++) {
        any |= e->call.args.items[i]->nullable;
        all &= e->call.args.items[i]->nullable;
    }
    bool passes = !strcmp(f->name, "coalesce") || !strcmp(f->name, "largest") || !strcmp(f->name, "smallest");
    return passes ? all : any;
}

/* ---- windows ---- */

static void check_bound(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                        const struct window *w, struct frame_bound *b)
{
    if (b->kind != BOUND_PRECEDING && b->kind != BOUND_FOLLOWING) {
        if (b->offset) report(k, ERR_INVALID_PLAN_STRUCTURE, p, "Only preceding and following have an offset.");
        return;
    }
    if (!b->offset) {
        report(k, ERR_INVALID_PLAN_STRUCTURE, p, "preceding and following need an offset.");
        return;
    }
    check_expr(k, s, x, PATH(p, "offset"), &b->offset);
    const struct expr *e = b->offset;
    bool number = e->kind == EXPR_LITERAL && !e->literal.null && type_is_number(e->type) && *e->literal.text != '-';
    if (!number || (w->frame->unit != FRAME_RANGE && e->type.kind != TYPE_INTEGER)) {
        report(k, ERR_INVALID_PLAN_STRUCTURE, PATH(p, "offset"),
               "The offset is a number literal that is not negative.");
        return;
    }
    if (w->frame->unit != FRAME_RANGE) return;
    if (!has_feature(k, DIALECT_FRAME_RANGE_OFFSET))
        report(k, ERR_PLAN_NOT_SUPPORTED, p, "%s has no offset in a range frame.", k->dialect->name);
    if (w->order_by.count != 1 ||
        !(type_is_number(w->order_by.items[0].expr->type) || type_is_any(w->order_by.items[0].expr->type)))
        report(k, ERR_INVALID_PLAN_STRUCTURE, p, "A range with an offset is ordered by exactly one number.");
}

static void check_frame(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                        struct window *w)
{
    struct frame *f = w->frame;
    if (f->unit == FRAME_GROUPS && !has_feature(k, DIALECT_FRAME_GROUPS))
        report(k, ERR_PLAN_NOT_SUPPORTED, PATH(p, "unit"), "%s has no groups frame.", k->dialect->name);
    if (f->exclude && !has_feature(k, DIALECT_FRAME_EXCLUDE))
        report(k, ERR_PLAN_NOT_SUPPORTED, PATH(p, "exclude"), "%s excludes nothing from a frame.", k->dialect->name);
    if (f->unit == FRAME_GROUPS && !w->order_by.count)
        report(k, ERR_INVALID_PLAN_STRUCTURE, p, "A groups frame needs an order_by.");
    check_bound(k, s, x, PATH(p, "start"), w, &f->start);
    check_bound(k, s, x, PATH(p, "end"), w, &f->end);
    if (f->start.kind == BOUND_UNBOUNDED_FOLLOWING || f->end.kind == BOUND_UNBOUNDED_PRECEDING ||
        f->start.kind > f->end.kind)
        report(k, ERR_INVALID_PLAN_STRUCTURE, p, "The frame ends before it starts.");
}

static void check_orders(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                         struct orders *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct path *at = PATH(PATH_AT(p, i), "expr");
        check_expr(k, s, x, at, &l->items[i].expr);
        if (l->items[i].expr->kind == EXPR_LITERAL)
            report(k, ERR_INVALID_PLAN_STRUCTURE, at, "A constant orders nothing.");
    }
}

static void check_over(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                       struct expr *e)
{
    const struct function *f = e->call.function;
    struct window *w = e->call.over;
    struct context inner = *x;
    const struct path *over = PATH(p, "over");
    inner.in_window = true;
    if (f->class == FUNC_SCALAR || f->class == FUNC_ORDERED_SET ||
        (f->class == FUNC_AGGREGATE && !(f->flags & FUNC_OVER)))
        report(k, ERR_WINDOW_NOT_ALLOWED, over, "%s cannot be computed over a window.", f->name);
    else if (x->in_window)
        report(k, ERR_WINDOW_NOT_ALLOWED, p,
               "A window function cannot stand inside another one; compute it in a subquery.");
    else if (x->place != PLACE_ITEM && x->place != PLACE_ORDER)
        report(k, ERR_WINDOW_NOT_ALLOWED, p,
               "A window function stands only in items and order_by; filter on it around a subquery.");
    if (e->call.distinct)
        report(k, ERR_PLAN_NOT_SUPPORTED, PATH(p, "distinct"), "A window function takes no distinct.");
    if (e->call.filter && f->class == FUNC_WINDOW)
        report(k, ERR_INVALID_PLAN_STRUCTURE, PATH(p, "filter"), "Only an aggregate takes a filter.");
    if (e->call.within.count)
        report(k, ERR_PLAN_NOT_SUPPORTED, PATH(p, "within"), "%s over a window takes no order within.", f->name);
    for (size_t i = 0; i < w->partition_by.count; i++)
        check_expr(k, s, &inner, PATH_AT(PATH(over, "partition_by"), i), &w->partition_by.items[i]);
    check_orders(k, s, &inner, PATH(over, "order_by"), &w->order_by);
    if (w->frame) check_frame(k, s, &inner, PATH(over, "frame"), w);
}

/* ---- aggregates ---- */

static void aggregate_place(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                            const struct expr *e)
{
    static const char *const where[] = {
        [PLACE_WHERE] = "where; compare it in having",
        [PLACE_ON] = "the condition of a join",
        [PLACE_GROUP] = "group_by",
        [PLACE_LIMIT] = "limit",
        [PLACE_VALUES] = "values",
        [PLACE_ARGUMENT] = "another aggregate; compute it in a subquery",
    };
    if (x->place == PLACE_ITEM || x->place == PLACE_HAVING || x->place == PLACE_ORDER) {
        s->aggregates++;
        if (!strcmp(e->call.name, "any_value")) s->any_values++;
        return;
    }
    report(k, ERR_AGGREGATE_NOT_ALLOWED, p, "The aggregate %s cannot stand in %s.", e->call.name, where[x->place]);
}

static void check_within(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                         struct expr *e)
{
    const struct function *f = e->call.function;
    if (f->class == FUNC_ORDERED_SET) {
        if (e->call.distinct)
            report(k, ERR_INVALID_PLAN_STRUCTURE, PATH(p, "distinct"), "%s takes no distinct.", f->name);
        if (e->call.within.count != 1)
            report(k, ERR_INVALID_PLAN_STRUCTURE, p, "%s needs exactly one expression in 'within'.", f->name);
        const struct expr *fraction = e->call.args.count ? e->call.args.items[0] : NULL;
        if (fraction && (fraction->kind != EXPR_LITERAL || !type_is_number(fraction->type) || fraction->literal.null ||
                         !(*fraction->literal.text == '0' || *fraction->literal.text == '.' ||
                           (*fraction->literal.text == '1' && !strpbrk(fraction->literal.text + 1, "123456789eE")))))
            report(k, ERR_INVALID_NUMERIC_VALUE, PATH_AT(PATH(p, "args"), 0), "%s needs a literal from 0 to 1.",
                   f->name);
    } else if (e->call.within.count && !(f->flags & FUNC_WITHIN)) {
        report(k, ERR_INVALID_PLAN_STRUCTURE, PATH(p, "within"), "%s takes no order within.", f->name);
    }
    check_orders(k, s, x, PATH(p, "within"), &e->call.within);
}

static void check_filter(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                         struct expr *e)
{
    if (!e->call.filter) return;
    const struct path *filter = PATH(p, "filter");
    check_expr(k, s, x, filter, &e->call.filter);
    struct value_type t = e->call.filter->type;
    if (!type_is_any(t) && t.kind != TYPE_BOOLEAN && !(has_feature(k, DIALECT_COERCES) && type_is_number(t)))
        report_type(k, ERR_TYPE_MISMATCH, filter, "A filter is a condition, this is %s.", type_text(k->c, t));
}

/* An aggregate belongs to the query whose columns it reads; one that reads only columns of an enclosing query would
 * belong there, which a plan says by computing it there. */
static void check_level(struct checker *k, const struct path *p, const struct scope *s, const struct scope *before,
                        const struct expr *e)
{
    if (s->own_columns == before->own_columns && s->outer_columns > before->outer_columns)
        report(k, ERR_AGGREGATE_NOT_ALLOWED, p, "%s reads only columns of an enclosing query; compute it there.",
               e->call.name);
}

static void check_arguments(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                            struct expr *e)
{
    for (size_t i = 0; i < e->call.args.count; i++) {
        const struct path *at = PATH_AT(PATH(p, "args"), i);
        struct expr *arg = e->call.args.items[i];
        if (arg->kind == EXPR_STAR && (!e->call.function || (e->call.function->flags & FUNC_STAR))) {
            if (e->call.distinct || e->call.args.count > 1)
                report(k, ERR_INVALID_PLAN_STRUCTURE, at, "count(*) counts rows; name a column for distinct.");
            continue;
        }
        check_expr(k, s, x, at, &e->call.args.items[i]);
        if (e->call.function) check_argument(k, at, e, i);
    }
}

static void check_aggregate(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                            struct expr *e)
{
    struct scope before = *s;
    struct context inner = *x;
    inner.place = PLACE_ARGUMENT;
    aggregate_place(k, s, x, p, e);
    if (x->in_window && x->place == PLACE_ARGUMENT) inner.in_window = true;
    check_arguments(k, s, &inner, p, e);
    check_filter(k, s, &inner, p, e);
    check_within(k, s, &inner, p, e);
    check_level(k, p, s, &before, e);
}

/* A scalar function, or anything over a window. */
static void check_plain(struct checker *k, struct scope *s, const struct context *x, const struct path *p,
                        struct expr *e)
{
    const struct function *f = e->call.function;
    struct context inner = *x;
    if (e->call.over) inner.in_window = true;
    check_arguments(k, s, &inner, p, e);
    check_filter(k, s, &inner, p, e);
    if (e->call.over) {
        check_over(k, s, x, p, e);
        return;
    }
    if (f && f->class == FUNC_WINDOW) report(k, ERR_INVALID_PLAN_STRUCTURE, p, "%s needs 'over'.", f->name);
    if (e->call.distinct || e->call.filter || e->call.within.count)
        report(k, ERR_INVALID_PLAN_STRUCTURE, p, "%s is no aggregate: it takes no distinct, filter or within.",
               e->call.name);
}

/* glob(text, 'a*') is a case-sensitive LIKE, which every engine has, unless the pattern names sets of characters. */
static void glob_as_like(struct checker *k, struct expr **slot)
{
    struct expr *e = *slot, *arg = e->call.args.items[0], *pattern = e->call.args.items[1];
    if (!expr_is_text(pattern) || strchr(pattern->literal.text, '[') || arg->type.kind != TYPE_TEXT) return;
    struct buf b;
    bool escaped = false;
    buf_init(&b, k->c, 2 * strlen(pattern->literal.text) + 1);
    for (const char *p = pattern->literal.text; *p; p++) {
        bool special = *p == '%' || *p == '_' || *p == '!';
        if (special) buf_char(&b, '!');
        buf_char(&b, *p == '*' ? '%' : *p == '?' ? '_' : *p);
        escaped = escaped || special;
    }
    /* Only a sign that would be read otherwise needs the escape. */
    escaped = escaped && strpbrk(pattern->literal.text, "%_");
    if (!escaped && strchr(pattern->literal.text, '!')) return;
    struct expr *like = expr_like(k->c, arg, expr_text(k->c, b.data), false);
    if (escaped) like->like.escape = expr_text(k->c, "!");
    like->type = of(TYPE_BOOLEAN);
    like->nullable = e->nullable;
    *slot = like;
}

void check_call(struct checker *k, struct scope *s, const struct context *x, const struct path *p, struct expr **slot)
{
    struct expr *e = *slot;
    struct context inner = *x;
    inner.interval_ok = inner.row_ok = false;
    resolve(k, e);
    e->type = of(TYPE_UNKNOWN);
    e->nullable = true;
    const struct function *f = e->call.function;
    if (!f) {
        unknown_function(k, p, e);
        check_arguments(k, s, &inner, p, e);
        return;
    }
    size_t errors = k->errors;
    check_arity(k, p, e);
    if (k->errors > errors) {
        e->call.function = NULL;
        check_arguments(k, s, &inner, p, e);
        e->call.function = f;
        return;
    }
    if ((f->class == FUNC_AGGREGATE || f->class == FUNC_ORDERED_SET) && !e->call.over)
        check_aggregate(k, s, &inner, p, e);
    else
        check_plain(k, s, &inner, p, e);
    e->type = result_of(k, p, e);
    e->nullable = result_nullable(e);
    if (!strcmp(f->name, "glob") && k->errors == errors) glob_as_like(k, slot);
}
