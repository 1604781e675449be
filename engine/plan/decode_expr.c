/* Expressions of a plan. */
#include "plan/decoder.h"
#include "plan/names.h"

#include <string.h>

int decode_needed_expr(struct decoder *d, struct at object_at, const char *name, struct expr **out)
{
    TRY(decode_required(d, object_at, name));
    return decode_expr(d, MEMBER(object_at, name), out);
}

int decode_optional_expr(struct decoder *d, struct at object_at, const char *name, struct expr **out)
{
    return json_get(object_at.j, name) ? decode_expr(d, MEMBER(object_at, name), out) : OK;
}

int decode_exprs(struct decoder *d, struct at a, struct exprs *out)
{
    if (!a.j) return OK;
    TRY(decode_array(d, a));
    if (a.j->count > PLAN_NODES_MAX)
        return call_fail_at(d->c, ERR_PLAN_TOO_LARGE, path_pointer(d->c, a.path), "The plan has more than %d nodes.",
                            PLAN_NODES_MAX);
    out->items = call_array(d->c, a.j->count, sizeof(struct expr *));
    out->count = a.j->count;
    for (size_t i = 0; i < a.j->count; i++) TRY(decode_expr(d, ITEM(a, i), &out->items[i]));
    return OK;
}

/* As decode_exprs, for members that are omitted rather than empty. */
int decode_some_exprs(struct decoder *d, struct at a, struct exprs *out)
{
    TRY(decode_exprs(d, a, out));
    return a.j && !out->count ? decode_fail(d, a.path, "Leave an empty list out.") : OK;
}

int decode_orders(struct decoder *d, struct at a, struct orders *out)
{
    static const char *const directions[] = { "asc", "desc", NULL };
    static const char *const nulls[] = { "first", "last", NULL };
    if (!a.j) return OK;
    TRY(decode_array(d, a));
    if (!a.j->count) return decode_fail(d, a.path, "Leave an empty list out.");
    out->items = call_array(d->c, a.j->count, sizeof *out->items);
    out->count = a.j->count;
    for (size_t i = 0; i < a.j->count; i++) {
        struct at item = ITEM(a, i);
        unsigned word = 0;
        TRY(decode_object(d, item, MEMBERS("expr", "direction", "nulls")));
        TRY(decode_needed_expr(d, item, "expr", &out->items[i].expr));
        if (json_get(item.j, "direction")) TRY(decode_word(d, MEMBER(item, "direction"), directions, &word));
        out->items[i].direction = (enum direction)word;
        if (!json_get(item.j, "nulls")) continue;
        TRY(decode_word(d, MEMBER(item, "nulls"), nulls, &word));
        out->items[i].nulls = word ? NULLS_LAST : NULLS_FIRST;
    }
    return OK;
}

static int small_integer(struct decoder *d, struct at a, int most, int *out)
{
    if (!a.j) return OK;
    if (a.j->kind != J_INT || a.j->integer < 0 || a.j->integer > most)
        return decode_fail(d, a.path, "Expected a whole number from 0 to %d.", most);
    *out = (int)a.j->integer;
    return OK;
}

static int decode_type(struct decoder *d, struct at a, struct value_type *out)
{
    static const char *const names[] = { "boolean", "integer",   "decimal",     "double", "text", "date",
                                         "time",    "timestamp", "timestamptz", "binary", NULL };
    unsigned word = 0;
    if (a.j->kind != J_OBJECT) {
        TRY(decode_word(d, a, names, &word));
    } else {
        TRY(decode_object(d, a, MEMBERS("kind", "precision", "scale")));
        TRY(decode_needed_word(d, a, "kind", names, &word));
        if (TYPE_BOOLEAN + (int)word != TYPE_DECIMAL) return decode_fail(d, a.path, "Only decimal has a precision.");
        TRY(decode_required(d, a, "precision"));
        TRY(small_integer(d, MEMBER(a, "precision"), 38, &out->precision));
        TRY(small_integer(d, MEMBER(a, "scale"), 38, &out->scale));
        if (!out->precision || out->scale > out->precision)
            return decode_fail(d, a.path, "The precision is 1 to 38 and the scale at most the precision.");
    }
    out->kind = (enum type_kind)(TYPE_BOOLEAN + (int)word);
    return OK;
}

static int decode_value(struct decoder *d, struct at a, struct expr *e)
{
    bool number = e->type.kind == TYPE_INTEGER || e->type.kind == TYPE_DECIMAL || e->type.kind == TYPE_DOUBLE;
    if (a.j->kind == J_REAL)
        return call_fail_at(d->c, ERR_NUMBER_AS_TEXT, path_pointer(d->c, a.path),
                            "Write a number with a fraction as a string of digits, such as \"1.50\".");
    if (e->type.kind == TYPE_BOOLEAN) {
        if (a.j->kind != J_BOOL)
            return decode_fail(d, a.path, "A boolean's value is true or false, not %s.", found_kind(a.j));
        e->literal.text = a.j->boolean ? "true" : "false";
        return OK;
    }
    if (a.j->kind == J_INT && number) {
        if (a.j->integer > INTEGER_MAX || a.j->integer < -INTEGER_MAX)
            return call_fail_at(d->c, ERR_NUMBER_AS_TEXT, path_pointer(d->c, a.path),
                                "Write an integer beyond 2^53 as a string of digits.");
        e->literal.text = call_format(d->c, "%lld", (long long)a.j->integer);
        return OK;
    }
    if (a.j->kind != J_STRING)
        return decode_fail(d, a.path, "The value of a literal of type %s is a text%s, not %s.",
                           type_kind_names[e->type.kind], number ? " or a whole number" : "", found_kind(a.j));
    e->literal.text = a.j->string;
    return OK;
}

static int decode_literal(struct decoder *d, struct at a, struct expr *e)
{
    TRY(decode_object(d, a, MEMBERS("kind", "type", "value", "null")));
    TRY(decode_flag(d, MEMBER(a, "null"), &e->literal.null));
    e->type.kind = TYPE_NULL;
    if (e->literal.null) {
        if (json_get(a.j, "value")) return decode_fail(d, PATH(a.path, "value"), "A null literal has no value.");
        if (json_get(a.j, "type")) TRY(decode_type(d, MEMBER(a, "type"), &e->type));
        return OK;
    }
    TRY(decode_required(d, a, "type"));
    TRY(decode_required(d, a, "value"));
    TRY(decode_type(d, MEMBER(a, "type"), &e->type));
    return decode_value(d, MEMBER(a, "value"), e);
}

static int decode_bound(struct decoder *d, struct at a, struct frame_bound *out)
{
    unsigned word = 0;
    TRY(decode_object(d, a, MEMBERS("kind", "offset")));
    TRY(decode_needed_word(d, a, "kind", bound_kind_names, &word));
    out->kind = (enum bound_kind)word;
    bool offset = out->kind == BOUND_PRECEDING || out->kind == BOUND_FOLLOWING;
    if (offset) return decode_needed_expr(d, a, "offset", &out->offset);
    if (json_get(a.j, "offset"))
        return decode_fail(d, PATH(a.path, "offset"), "Only preceding and following have an offset.");
    return OK;
}

static int decode_frame(struct decoder *d, struct at a, struct frame **out)
{
    struct frame *f = call_alloc(d->c, sizeof *f);
    unsigned word = 0;
    TRY(decode_object(d, a, MEMBERS("unit", "start", "end", "exclude")));
    TRY(decode_needed_word(d, a, "unit", frame_unit_names, &word));
    f->unit = (enum frame_unit)word;
    TRY(decode_required(d, a, "start"));
    TRY(decode_required(d, a, "end"));
    TRY(decode_bound(d, MEMBER(a, "start"), &f->start));
    TRY(decode_bound(d, MEMBER(a, "end"), &f->end));
    word = 0;
    if (json_get(a.j, "exclude")) TRY(decode_word(d, MEMBER(a, "exclude"), frame_exclude_names, &word));
    f->exclude = (enum frame_exclude)word;
    *out = f;
    return OK;
}

static int decode_window(struct decoder *d, struct at a, struct window **out)
{
    struct window *w = call_alloc(d->c, sizeof *w);
    TRY(decode_object(d, a, MEMBERS("partition_by", "order_by", "frame")));
    TRY(decode_some_exprs(d, MEMBER(a, "partition_by"), &w->partition_by));
    TRY(decode_orders(d, MEMBER(a, "order_by"), &w->order_by));
    if (json_get(a.j, "frame")) TRY(decode_frame(d, MEMBER(a, "frame"), &w->frame));
    *out = w;
    return OK;
}

static int decode_call(struct decoder *d, struct at a, struct expr *e)
{
    TRY(decode_object(d, a, MEMBERS("kind", "function", "args", "distinct", "filter", "within", "over")));
    TRY(decode_needed_name(d, a, "function", &e->call.name));
    TRY(decode_required(d, a, "args"));
    TRY(decode_exprs(d, MEMBER(a, "args"), &e->call.args));
    TRY(decode_flag(d, MEMBER(a, "distinct"), &e->call.distinct));
    TRY(decode_optional_expr(d, a, "filter", &e->call.filter));
    TRY(decode_orders(d, MEMBER(a, "within"), &e->call.within));
    return json_get(a.j, "over") ? decode_window(d, MEMBER(a, "over"), &e->call.over) : OK;
}

static int decode_unary(struct decoder *d, struct at a, struct expr *e)
{
    static const char *const ops[] = { "not", "-", NULL };
    unsigned word = 0;
    TRY(decode_object(d, a, MEMBERS("kind", "op", "arg")));
    TRY(decode_needed_word(d, a, "op", ops, &word));
    e->unary.op = (enum unary_op)word;
    return decode_needed_expr(d, a, "arg", &e->unary.arg);
}

static int decode_binary(struct decoder *d, struct at a, struct expr *e)
{
    unsigned word = 0;
    TRY(decode_object(d, a, MEMBERS("kind", "op", "left", "right")));
    TRY(decode_needed_word(d, a, "op", binary_op_names, &word));
    e->binary.op = (enum binary_op)word;
    TRY(decode_needed_expr(d, a, "left", &e->binary.left));
    return decode_needed_expr(d, a, "right", &e->binary.right);
}

static int decode_like(struct decoder *d, struct at a, struct expr *e)
{
    TRY(decode_object(d, a, MEMBERS("kind", "arg", "pattern", "escape", "not")));
    TRY(decode_needed_expr(d, a, "arg", &e->like.arg));
    TRY(decode_needed_expr(d, a, "pattern", &e->like.pattern));
    return decode_optional_expr(d, a, "escape", &e->like.escape);
}

static int decode_between(struct decoder *d, struct at a, struct expr *e)
{
    TRY(decode_object(d, a, MEMBERS("kind", "arg", "low", "high", "not")));
    TRY(decode_needed_expr(d, a, "arg", &e->between.arg));
    TRY(decode_needed_expr(d, a, "low", &e->between.low));
    return decode_needed_expr(d, a, "high", &e->between.high);
}

static int decode_in(struct decoder *d, struct at a, struct expr *e)
{
    TRY(decode_object(d, a, MEMBERS("kind", "arg", "list", "query", "not")));
    TRY(decode_needed_expr(d, a, "arg", &e->in.arg));
    if (!json_get(a.j, "list") == !json_get(a.j, "query"))
        return decode_fail(d, a.path, "An in has either a list or a query.");
    if (json_get(a.j, "query")) return decode_query(d, MEMBER(a, "query"), &e->in.query);
    return decode_exprs(d, MEMBER(a, "list"), &e->in.list);
}

static int decode_is(struct decoder *d, struct at a, struct expr *e)
{
    if (e->kind == EXPR_IS_NULL) {
        TRY(decode_object(d, a, MEMBERS("kind", "arg", "not")));
        return decode_needed_expr(d, a, "arg", &e->is.left);
    }
    TRY(decode_object(d, a, MEMBERS("kind", "left", "right", "not")));
    TRY(decode_needed_expr(d, a, "left", &e->is.left));
    return decode_needed_expr(d, a, "right", &e->is.right);
}

static int decode_case(struct decoder *d, struct at a, struct expr *e)
{
    TRY(decode_object(d, a, MEMBERS("kind", "whens", "else")));
    TRY(decode_required(d, a, "whens"));
    struct at whens = MEMBER(a, "whens");
    TRY(decode_array(d, whens));
    if (!whens.j->count) return decode_fail(d, whens.path, "A case has at least one when.");
    e->cases.whens = call_array(d->c, whens.j->count, sizeof *e->cases.whens);
    e->cases.count = whens.j->count;
    for (size_t i = 0; i < whens.j->count; i++) {
        struct at when = ITEM(whens, i);
        TRY(decode_object(d, when, MEMBERS("when", "then")));
        TRY(decode_needed_expr(d, when, "when", &e->cases.whens[i].when));
        TRY(decode_needed_expr(d, when, "then", &e->cases.whens[i].then));
    }
    return decode_optional_expr(d, a, "else", &e->cases.otherwise);
}

static int decode_cast(struct decoder *d, struct at a, struct expr *e)
{
    TRY(decode_object(d, a, MEMBERS("kind", "arg", "to")));
    TRY(decode_needed_expr(d, a, "arg", &e->cast.arg));
    TRY(decode_required(d, a, "to"));
    return decode_type(d, MEMBER(a, "to"), &e->cast.to);
}

static int decode_interval(struct decoder *d, struct at a, struct expr *e)
{
    unsigned word = 0;
    TRY(decode_object(d, a, MEMBERS("kind", "value", "unit")));
    TRY(decode_needed_expr(d, a, "value", &e->interval.value));
    TRY(decode_needed_word(d, a, "unit", unit_names, &word));
    e->interval.unit = (enum unit)word;
    return OK;
}

static int decode_members(struct decoder *d, struct at a, struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        return decode_literal(d, a, e);
    case EXPR_COLUMN:
        TRY(decode_object(d, a, MEMBERS("kind", "table", "column")));
        TRY(decode_needed_name(d, a, "table", &e->column.table));
        return decode_needed_name(d, a, "column", &e->column.column);
    case EXPR_OUTPUT:
        TRY(decode_object(d, a, MEMBERS("kind", "name")));
        return decode_needed_name(d, a, "name", &e->output.name);
    case EXPR_CALL:
        return decode_call(d, a, e);
    case EXPR_UNARY:
        return decode_unary(d, a, e);
    case EXPR_BINARY:
        return decode_binary(d, a, e);
    case EXPR_LIKE:
        return decode_like(d, a, e);
    case EXPR_BETWEEN:
        return decode_between(d, a, e);
    case EXPR_IN:
        return decode_in(d, a, e);
    case EXPR_IS_NULL:
    case EXPR_IS_DISTINCT:
        return decode_is(d, a, e);
    case EXPR_EXISTS:
        TRY(decode_object(d, a, MEMBERS("kind", "query", "not")));
        return decode_needed_query(d, a, "query", &e->query);
    case EXPR_QUERY:
        TRY(decode_object(d, a, MEMBERS("kind", "query")));
        return decode_needed_query(d, a, "query", &e->query);
    case EXPR_CASE:
        return decode_case(d, a, e);
    case EXPR_CAST:
        return decode_cast(d, a, e);
    case EXPR_INTERVAL:
        return decode_interval(d, a, e);
    case EXPR_ROW:
        TRY(decode_object(d, a, MEMBERS("kind", "items")));
        TRY(decode_required(d, a, "items"));
        return decode_exprs(d, MEMBER(a, "items"), &e->row);
    case EXPR_STAR:
        return decode_object(d, a, MEMBERS("kind"));
    }
    return OK;
}

int decode_expr(struct decoder *d, struct at a, struct expr **out)
{
    struct expr *e = call_alloc(d->c, sizeof *e);
    unsigned word = 0;
    TRY(decode_enter(d, a.path));
    if (a.j->kind != J_OBJECT)
        return decode_fail(d, a.path, "Expected an expression object, found %s.", found_kind(a.j));
    TRY(decode_required(d, a, "kind"));
    struct at kind = MEMBER(a, "kind");
    if (kind.j->kind == J_STRING && !strcmp(kind.j->string, "ilike")) {
        word = EXPR_LIKE;
        e->like.fold = true;
    } else {
        TRY(decode_word(d, kind, expr_kind_names, &word));
    }
    e->kind = (enum expr_kind)word;
    TRY(decode_members(d, a, e));
    TRY(decode_flag(d, MEMBER(a, "not"), &e->negated));
    decode_leave(d);
    *out = e;
    return OK;
}
