#include "plan/names.h"
#include "plan/path.h"
#include "plan/plan.h"

#include <string.h>

#define INTEGER_MAX    INT64_C(9007199254740991) /* 2^53 - 1 */

struct decoder {
    struct call *c;
    int depth;
    size_t nodes, sources;
};

/* A place in the document and what stands there. */
struct at {
    const struct json *j;
    const struct path *path;
};

static int decode_expr(struct decoder *d, struct at a, struct expr **out);
static int decode_query(struct decoder *d, struct at a, struct query **out);

static const char *kind_of(const struct json *j)
{
    static const char *const names[] = {
        "null", "a boolean", "a number", "a number", "a text", "an array", "an object"
    };
    return names[j->kind];
}

static int fail_at(struct decoder *d, const struct path *p, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int fail_at(struct decoder *d, const struct path *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = call_vformat(d->c, fmt, ap);
    va_end(ap);
    return call_fail_at(d->c, ERR_INVALID_PLAN_STRUCTURE, path_pointer(d->c, p), "%s", text);
}

static int enter(struct decoder *d, const struct path *p)
{
    if (++d->nodes > PLAN_NODES_MAX)
        return call_fail_at(d->c, ERR_PLAN_TOO_LARGE, path_pointer(d->c, p), "The plan has more than %d nodes.",
                            PLAN_NODES_MAX);
    if (++d->depth > PLAN_DEPTH_MAX)
        return call_fail_at(d->c, ERR_PLAN_TOO_LARGE, path_pointer(d->c, p), "The plan is nested more than %d deep.",
                            PLAN_DEPTH_MAX);
    return OK;
}

static void leave(struct decoder *d)
{
    d->depth--;
}

static const char *joined_names(struct call *c, const char *const *names)
{
    struct buf b;
    buf_init(&b, c, 4096);
    for (size_t i = 0; names[i]; i++) {
        if (i) buf_str(&b, ", ");
        buf_str(&b, names[i]);
    }
    return b.data;
}

/* An object whose members are all among `names` (NULL-terminated). */
static int object(struct decoder *d, struct at a, const char *const *names)
{
    if (a.j->kind != J_OBJECT) return fail_at(d, a.path, "Expected an object, found %s.", kind_of(a.j));
    for (size_t i = 0; i < a.j->count; i++) {
        const char *name = a.j->names[i];
        size_t k = 0;
        while (names[k] && strcmp(names[k], name)) k++;
        if (names[k]) continue;
        const char *near = nearest_name(name, names);
        if (near) call_hint(d->c, "Did you mean '%s'?", near);
        return fail_at(d, PATH(a.path, name), "Unknown member '%.64s'; this object takes: %s.", name,
                       joined_names(d->c, names));
    }
    return OK;
}

#define MEMBERS(...)     ((const char *const[]){ __VA_ARGS__, NULL })
#define MEMBER(a, name_) ((struct at){ json_get((a).j, (name_)), &(const struct path){ (a).path, (name_), 0 } })
#define ITEM(a, i)       ((struct at){ &(a).j->items[i], &(const struct path){ (a).path, NULL, (i) } })
#define TRY(call_)                                                                                                     \
    do {                                                                                                               \
        int rc_ = (call_);                                                                                             \
        if (rc_) return rc_;                                                                                           \
    } while (0)

static int required(struct decoder *d, struct at a, const char *name)
{
    if (json_get(a.j, name)) return OK;
    return fail_at(d, a.path, "The member '%s' is missing.", name);
}

static int array(struct decoder *d, struct at a)
{
    if (a.j->kind == J_ARRAY) return OK;
    return fail_at(d, a.path, "Expected an array, found %s.", kind_of(a.j));
}

/* Absent = false. */
static int flag(struct decoder *d, struct at a, bool *out)
{
    if (!a.j) return OK;
    if (a.j->kind != J_BOOL) return fail_at(d, a.path, "Expected true or false, found %s.", kind_of(a.j));
    *out = a.j->boolean;
    return OK;
}

static int name_text(struct decoder *d, struct at a, const char **out)
{
    if (!a.j) return OK;
    if (a.j->kind != J_STRING) return fail_at(d, a.path, "Expected a name, found %s.", kind_of(a.j));
    if (!a.j->count || a.j->count > PLAN_NAME_BYTES)
        return fail_at(d, a.path, "A name has 1 to %d bytes.", PLAN_NAME_BYTES);
    *out = a.j->string;
    return OK;
}

static int needed_name(struct decoder *d, struct at object_at, const char *name, const char **out)
{
    TRY(required(d, object_at, name));
    return name_text(d, MEMBER(object_at, name), out);
}

static int word_among(struct decoder *d, struct at a, const char *const *names, unsigned *out)
{
    if (a.j->kind != J_STRING)
        return fail_at(d, a.path, "Expected one of %s, found %s.", joined_names(d->c, names), kind_of(a.j));
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(names[i], a.j->string)) continue;
        *out = i;
        return OK;
    }
    const char *near = nearest_name(a.j->string, names);
    if (near) call_hint(d->c, "Did you mean '%s'?", near);
    return fail_at(d, a.path, "'%.64s' is not one of %s.", a.j->string, joined_names(d->c, names));
}

static int needed_word(struct decoder *d, struct at object_at, const char *name, const char *const *names,
                       unsigned *out)
{
    TRY(required(d, object_at, name));
    return word_among(d, MEMBER(object_at, name), names, out);
}

static int needed_expr(struct decoder *d, struct at object_at, const char *name, struct expr **out)
{
    TRY(required(d, object_at, name));
    return decode_expr(d, MEMBER(object_at, name), out);
}

static int optional_expr(struct decoder *d, struct at object_at, const char *name, struct expr **out)
{
    return json_get(object_at.j, name) ? decode_expr(d, MEMBER(object_at, name), out) : OK;
}

static int needed_query(struct decoder *d, struct at object_at, const char *name, struct query **out)
{
    TRY(required(d, object_at, name));
    return decode_query(d, MEMBER(object_at, name), out);
}

static int decode_exprs(struct decoder *d, struct at a, struct exprs *out)
{
    if (!a.j) return OK;
    TRY(array(d, a));
    if (a.j->count > PLAN_NODES_MAX)
        return call_fail_at(d->c, ERR_PLAN_TOO_LARGE, path_pointer(d->c, a.path), "The plan has more than %d nodes.",
                            PLAN_NODES_MAX);
    out->items = call_array(d->c, a.j->count, sizeof(struct expr *));
    out->count = a.j->count;
    for (size_t i = 0; i < a.j->count; i++) TRY(decode_expr(d, ITEM(a, i), &out->items[i]));
    return OK;
}

/* As decode_exprs, for members that are omitted rather than empty. */
static int decode_some_exprs(struct decoder *d, struct at a, struct exprs *out)
{
    TRY(decode_exprs(d, a, out));
    return a.j && !out->count ? fail_at(d, a.path, "Leave an empty list out.") : OK;
}

static int decode_names(struct decoder *d, struct at a, const char *const **out, size_t *count)
{
    if (!a.j) return OK;
    TRY(array(d, a));
    if (!a.j->count) return fail_at(d, a.path, "Leave an empty list out.");
    const char **names = call_array(d->c, a.j->count, sizeof *names);
    for (size_t i = 0; i < a.j->count; i++) TRY(name_text(d, ITEM(a, i), &names[i]));
    *out = names;
    *count = a.j->count;
    return OK;
}

static int decode_orders(struct decoder *d, struct at a, struct orders *out)
{
    static const char *const directions[] = { "asc", "desc", NULL };
    static const char *const nulls[] = { "first", "last", NULL };
    if (!a.j) return OK;
    TRY(array(d, a));
    if (!a.j->count) return fail_at(d, a.path, "Leave an empty list out.");
    out->items = call_array(d->c, a.j->count, sizeof *out->items);
    out->count = a.j->count;
    for (size_t i = 0; i < a.j->count; i++) {
        struct at item = ITEM(a, i);
        unsigned word = 0;
        TRY(object(d, item, MEMBERS("expr", "direction", "nulls")));
        TRY(needed_expr(d, item, "expr", &out->items[i].expr));
        if (json_get(item.j, "direction")) TRY(word_among(d, MEMBER(item, "direction"), directions, &word));
        out->items[i].direction = (enum direction)word;
        if (!json_get(item.j, "nulls")) continue;
        TRY(word_among(d, MEMBER(item, "nulls"), nulls, &word));
        out->items[i].nulls = word ? NULLS_LAST : NULLS_FIRST;
    }
    return OK;
}

static int small_integer(struct decoder *d, struct at a, int most, int *out)
{
    if (!a.j) return OK;
    if (a.j->kind != J_INT || a.j->integer < 0 || a.j->integer > most)
        return fail_at(d, a.path, "Expected a whole number from 0 to %d.", most);
    *out = (int)a.j->integer;
    return OK;
}

static int decode_type(struct decoder *d, struct at a, struct value_type *out)
{
    static const char *const names[] = { "boolean", "integer",   "decimal",     "double", "text", "date",
                                         "time",    "timestamp", "timestamptz", "binary", NULL };
    unsigned word = 0;
    if (a.j->kind != J_OBJECT) {
        TRY(word_among(d, a, names, &word));
    } else {
        TRY(object(d, a, MEMBERS("kind", "precision", "scale")));
        TRY(needed_word(d, a, "kind", names, &word));
        if (TYPE_BOOLEAN + (int)word != TYPE_DECIMAL) return fail_at(d, a.path, "Only decimal has a precision.");
        TRY(required(d, a, "precision"));
        TRY(small_integer(d, MEMBER(a, "precision"), 38, &out->precision));
        TRY(small_integer(d, MEMBER(a, "scale"), 38, &out->scale));
        if (!out->precision || out->scale > out->precision)
            return fail_at(d, a.path, "The precision is 1 to 38 and the scale at most the precision.");
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
        if (a.j->kind != J_BOOL) return fail_at(d, a.path, "A boolean's value is true or false, not %s.", kind_of(a.j));
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
        return fail_at(d, a.path, "The value of a literal of type %s is a text%s, not %s.",
                       type_kind_names[e->type.kind], number ? " or a whole number" : "", kind_of(a.j));
    e->literal.text = a.j->string;
    return OK;
}

static int decode_literal(struct decoder *d, struct at a, struct expr *e)
{
    TRY(object(d, a, MEMBERS("kind", "type", "value", "null")));
    TRY(flag(d, MEMBER(a, "null"), &e->literal.null));
    e->type.kind = TYPE_NULL;
    if (e->literal.null) {
        if (json_get(a.j, "value")) return fail_at(d, PATH(a.path, "value"), "A null literal has no value.");
        if (json_get(a.j, "type")) TRY(decode_type(d, MEMBER(a, "type"), &e->type));
        return OK;
    }
    TRY(required(d, a, "type"));
    TRY(required(d, a, "value"));
    TRY(decode_type(d, MEMBER(a, "type"), &e->type));
    return decode_value(d, MEMBER(a, "value"), e);
}

static int decode_bound(struct decoder *d, struct at a, struct frame_bound *out)
{
    unsigned word = 0;
    TRY(object(d, a, MEMBERS("kind", "offset")));
    TRY(needed_word(d, a, "kind", bound_kind_names, &word));
    out->kind = (enum bound_kind)word;
    bool offset = out->kind == BOUND_PRECEDING || out->kind == BOUND_FOLLOWING;
    if (offset) return needed_expr(d, a, "offset", &out->offset);
    if (json_get(a.j, "offset"))
        return fail_at(d, PATH(a.path, "offset"), "Only preceding and following have an offset.");
    return OK;
}

static int decode_frame(struct decoder *d, struct at a, struct frame **out)
{
    struct frame *f = call_alloc(d->c, sizeof *f);
    unsigned word = 0;
    TRY(object(d, a, MEMBERS("unit", "start", "end", "exclude")));
    TRY(needed_word(d, a, "unit", frame_unit_names, &word));
    f->unit = (enum frame_unit)word;
    TRY(required(d, a, "start"));
    TRY(required(d, a, "end"));
    TRY(decode_bound(d, MEMBER(a, "start"), &f->start));
    TRY(decode_bound(d, MEMBER(a, "end"), &f->end));
    word = 0;
    if (json_get(a.j, "exclude")) TRY(word_among(d, MEMBER(a, "exclude"), frame_exclude_names, &word));
    f->exclude = (enum frame_exclude)word;
    *out = f;
    return OK;
}

static int decode_window(struct decoder *d, struct at a, struct window **out)
{
    struct window *w = call_alloc(d->c, sizeof *w);
    TRY(object(d, a, MEMBERS("partition_by", "order_by", "frame")));
    TRY(decode_some_exprs(d, MEMBER(a, "partition_by"), &w->partition_by));
    TRY(decode_orders(d, MEMBER(a, "order_by"), &w->order_by));
    if (json_get(a.j, "frame")) TRY(decode_frame(d, MEMBER(a, "frame"), &w->frame));
    *out = w;
    return OK;
}

static int decode_call(struct decoder *d, struct at a, struct expr *e)
{
    TRY(object(d, a, MEMBERS("kind", "function", "args", "distinct", "filter", "within", "over")));
    TRY(needed_name(d, a, "function", &e->call.name));
    TRY(required(d, a, "args"));
    TRY(decode_exprs(d, MEMBER(a, "args"), &e->call.args));
    TRY(flag(d, MEMBER(a, "distinct"), &e->call.distinct));
    TRY(optional_expr(d, a, "filter", &e->call.filter));
    TRY(decode_orders(d, MEMBER(a, "within"), &e->call.within));
    return json_get(a.j, "over") ? decode_window(d, MEMBER(a, "over"), &e->call.over) : OK;
}

static int decode_unary(struct decoder *d, struct at a, struct expr *e)
{
    static const char *const ops[] = { "not", "-", NULL };
    unsigned word = 0;
    TRY(object(d, a, MEMBERS("kind", "op", "arg")));
    TRY(needed_word(d, a, "op", ops, &word));
    e->unary.op = (enum unary_op)word;
    return needed_expr(d, a, "arg", &e->unary.arg);
}

static int decode_binary(struct decoder *d, struct at a, struct expr *e)
{
    unsigned word = 0;
    TRY(object(d, a, MEMBERS("kind", "op", "left", "right")));
    TRY(needed_word(d, a, "op", binary_op_names, &word));
    e->binary.op = (enum binary_op)word;
    TRY(needed_expr(d, a, "left", &e->binary.left));
    return needed_expr(d, a, "right", &e->binary.right);
}

static int decode_like(struct decoder *d, struct at a, struct expr *e)
{
    TRY(object(d, a, MEMBERS("kind", "arg", "pattern", "escape", "not")));
    TRY(needed_expr(d, a, "arg", &e->like.arg));
    TRY(needed_expr(d, a, "pattern", &e->like.pattern));
    return optional_expr(d, a, "escape", &e->like.escape);
}

static int decode_between(struct decoder *d, struct at a, struct expr *e)
{
    TRY(object(d, a, MEMBERS("kind", "arg", "low", "high", "not")));
    TRY(needed_expr(d, a, "arg", &e->between.arg));
    TRY(needed_expr(d, a, "low", &e->between.low));
    return needed_expr(d, a, "high", &e->between.high);
}

static int decode_in(struct decoder *d, struct at a, struct expr *e)
{
    TRY(object(d, a, MEMBERS("kind", "arg", "list", "query", "not")));
    TRY(needed_expr(d, a, "arg", &e->in.arg));
    if (!json_get(a.j, "list") == !json_get(a.j, "query"))
        return fail_at(d, a.path, "An in has either a list or a query.");
    if (json_get(a.j, "query")) return decode_query(d, MEMBER(a, "query"), &e->in.query);
    return decode_exprs(d, MEMBER(a, "list"), &e->in.list);
}

static int decode_is(struct decoder *d, struct at a, struct expr *e)
{
    if (e->kind == EXPR_IS_NULL) {
        TRY(object(d, a, MEMBERS("kind", "arg", "not")));
        return needed_expr(d, a, "arg", &e->is.left);
    }
    TRY(object(d, a, MEMBERS("kind", "left", "right", "not")));
    TRY(needed_expr(d, a, "left", &e->is.left));
    return needed_expr(d, a, "right", &e->is.right);
}

static int decode_case(struct decoder *d, struct at a, struct expr *e)
{
    TRY(object(d, a, MEMBERS("kind", "whens", "else")));
    TRY(required(d, a, "whens"));
    struct at whens = MEMBER(a, "whens");
    TRY(array(d, whens));
    if (!whens.j->count) return fail_at(d, whens.path, "A case has at least one when.");
    e->cases.whens = call_array(d->c, whens.j->count, sizeof *e->cases.whens);
    e->cases.count = whens.j->count;
    for (size_t i = 0; i < whens.j->count; i++) {
        struct at when = ITEM(whens, i);
        TRY(object(d, when, MEMBERS("when", "then")));
        TRY(needed_expr(d, when, "when", &e->cases.whens[i].when));
        TRY(needed_expr(d, when, "then", &e->cases.whens[i].then));
    }
    return optional_expr(d, a, "else", &e->cases.otherwise);
}

static int decode_cast(struct decoder *d, struct at a, struct expr *e)
{
    TRY(object(d, a, MEMBERS("kind", "arg", "to")));
    TRY(needed_expr(d, a, "arg", &e->cast.arg));
    TRY(required(d, a, "to"));
    return decode_type(d, MEMBER(a, "to"), &e->cast.to);
}

static int decode_interval(struct decoder *d, struct at a, struct expr *e)
{
    unsigned word = 0;
    TRY(object(d, a, MEMBERS("kind", "value", "unit")));
    TRY(needed_expr(d, a, "value", &e->interval.value));
    TRY(needed_word(d, a, "unit", unit_names, &word));
    e->interval.unit = (enum unit)word;
    return OK;
}

static int decode_members(struct decoder *d, struct at a, struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        return decode_literal(d, a, e);
    case EXPR_COLUMN:
        TRY(object(d, a, MEMBERS("kind", "table", "column")));
        TRY(needed_name(d, a, "table", &e->column.table));
        return needed_name(d, a, "column", &e->column.column);
    case EXPR_OUTPUT:
        TRY(object(d, a, MEMBERS("kind", "name")));
        return needed_name(d, a, "name", &e->output.name);
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
        TRY(object(d, a, MEMBERS("kind", "query", "not")));
        return needed_query(d, a, "query", &e->query);
    case EXPR_QUERY:
        TRY(object(d, a, MEMBERS("kind", "query")));
        return needed_query(d, a, "query", &e->query);
    case EXPR_CASE:
        return decode_case(d, a, e);
    case EXPR_CAST:
        return decode_cast(d, a, e);
    case EXPR_INTERVAL:
        return decode_interval(d, a, e);
    case EXPR_ROW:
        TRY(object(d, a, MEMBERS("kind", "items")));
        TRY(required(d, a, "items"));
        return decode_exprs(d, MEMBER(a, "items"), &e->row);
    case EXPR_STAR:
        return object(d, a, MEMBERS("kind"));
    }
    return OK;
}

static int decode_expr(struct decoder *d, struct at a, struct expr **out)
{
    struct expr *e = call_alloc(d->c, sizeof *e);
    unsigned word = 0;
    TRY(enter(d, a.path));
    if (a.j->kind != J_OBJECT) return fail_at(d, a.path, "Expected an expression object, found %s.", kind_of(a.j));
    TRY(required(d, a, "kind"));
    struct at kind = MEMBER(a, "kind");
    if (kind.j->kind == J_STRING && !strcmp(kind.j->string, "ilike")) {
        word = EXPR_LIKE;
        e->like.fold = true;
    } else {
        TRY(word_among(d, kind, expr_kind_names, &word));
    }
    e->kind = (enum expr_kind)word;
    TRY(decode_members(d, a, e));
    TRY(flag(d, MEMBER(a, "not"), &e->negated));
    leave(d);
    *out = e;
    return OK;
}

static int decode_source(struct decoder *d, struct at a, struct source **out)
{
    struct source *s = call_alloc(d->c, sizeof *s);
    if (++d->sources > PLAN_SOURCES_MAX)
        return call_fail_at(d->c, ERR_PLAN_TOO_LARGE, path_pointer(d->c, a.path), "The plan has more than %d sources.",
                            PLAN_SOURCES_MAX);
    TRY(enter(d, a.path));
    if (a.j->kind != J_OBJECT) return fail_at(d, a.path, "Expected a source object, found %s.", kind_of(a.j));
    if (json_get(a.j, "query")) {
        s->kind = SOURCE_QUERY;
        TRY(object(d, a, MEMBERS("query", "alias", "columns")));
        TRY(needed_query(d, a, "query", &s->query));
        TRY(decode_names(d, MEMBER(a, "columns"), &s->columns, &s->column_count));
    } else if (json_get(a.j, "cte")) {
        s->kind = SOURCE_CTE;
        TRY(object(d, a, MEMBERS("cte", "alias")));
        TRY(needed_name(d, a, "cte", &s->name));
    } else {
        TRY(object(d, a, MEMBERS("table", "schema", "alias")));
        TRY(needed_name(d, a, "table", &s->name));
        TRY(name_text(d, MEMBER(a, "schema"), &s->schema));
    }
    TRY(needed_name(d, a, "alias", &s->alias));
    leave(d);
    *out = s;
    return OK;
}

static int decode_from(struct decoder *d, struct at a, struct from **out);

static int decode_join(struct decoder *d, struct at a, struct join *out)
{
    unsigned word = 0;
    TRY(object(d, a, MEMBERS("type", "source", "on")));
    TRY(needed_word(d, a, "type", join_type_names, &word));
    out->type = (enum join_type)word;
    TRY(required(d, a, "source"));
    TRY(decode_source(d, MEMBER(a, "source"), &out->source));
    return optional_expr(d, a, "on", &out->on);
}

static int decode_joined(struct decoder *d, struct at a, struct from *out)
{
    TRY(object(d, a, MEMBERS("from", "joins")));
    TRY(required(d, a, "from"));
    TRY(required(d, a, "joins"));
    TRY(decode_from(d, MEMBER(a, "from"), &out->joined));
    struct at joins = MEMBER(a, "joins");
    TRY(array(d, joins));
    if (!joins.j->count) return fail_at(d, joins.path, "A joined from has at least one join.");
    out->joins = call_array(d->c, joins.j->count, sizeof *out->joins);
    out->join_count = joins.j->count;
    for (size_t i = 0; i < joins.j->count; i++) TRY(decode_join(d, ITEM(joins, i), &out->joins[i]));
    return OK;
}

static int decode_from(struct decoder *d, struct at a, struct from **out)
{
    struct from *f = call_alloc(d->c, sizeof *f);
    TRY(enter(d, a.path));
    if (json_get(a.j, "joined")) {
        TRY(object(d, a, MEMBERS("joined")));
        TRY(decode_joined(d, MEMBER(a, "joined"), f));
    } else {
        TRY(decode_source(d, a, &f->source));
    }
    leave(d);
    *out = f;
    return OK;
}

static int decode_select(struct decoder *d, struct at a, struct body *b)
{
    TRY(object(d, a, MEMBERS("kind", "distinct", "items", "from", "where", "group_by", "having")));
    TRY(flag(d, MEMBER(a, "distinct"), &b->select.distinct));
    TRY(required(d, a, "items"));
    struct at items = MEMBER(a, "items");
    TRY(array(d, items));
    b->select.items = call_array(d->c, items.j->count, sizeof *b->select.items);
    b->select.item_count = items.j->count;
    for (size_t i = 0; i < items.j->count; i++) {
        struct at item = ITEM(items, i);
        TRY(object(d, item, MEMBERS("expr", "alias")));
        TRY(needed_expr(d, item, "expr", &b->select.items[i].expr));
        TRY(needed_name(d, item, "alias", &b->select.items[i].alias));
    }
    if (json_get(a.j, "from")) TRY(decode_from(d, MEMBER(a, "from"), &b->select.from));
    TRY(optional_expr(d, a, "where", &b->select.where));
    TRY(decode_some_exprs(d, MEMBER(a, "group_by"), &b->select.group_by));
    return optional_expr(d, a, "having", &b->select.having);
}

static int decode_body(struct decoder *d, struct at a, struct body **out)
{
    static const char *const kinds[] = { "select", "set", "values", NULL };
    struct body *b = call_alloc(d->c, sizeof *b);
    unsigned word = 0;
    *out = b;
    if (a.j->kind != J_OBJECT) return fail_at(d, a.path, "Expected an object, found %s.", kind_of(a.j));
    TRY(needed_word(d, a, "kind", kinds, &word));
    b->kind = (enum body_kind)word;
    if (b->kind == BODY_SELECT) return decode_select(d, a, b);
    if (b->kind == BODY_SET) {
        TRY(object(d, a, MEMBERS("kind", "op", "left", "right")));
        TRY(needed_word(d, a, "op", set_op_names, &word));
        b->set.op = (enum set_op)word;
        TRY(needed_query(d, a, "left", &b->set.left));
        return needed_query(d, a, "right", &b->set.right);
    }
    TRY(object(d, a, MEMBERS("kind", "rows")));
    TRY(required(d, a, "rows"));
    struct at rows = MEMBER(a, "rows");
    TRY(array(d, rows));
    b->values.rows = call_array(d->c, rows.j->count, sizeof *b->values.rows);
    b->values.count = rows.j->count;
    for (size_t i = 0; i < rows.j->count; i++) TRY(decode_exprs(d, ITEM(rows, i), &b->values.rows[i]));
    return OK;
}

static int decode_cte(struct decoder *d, struct at a, struct cte *out)
{
    TRY(object(d, a, MEMBERS("name", "columns", "recursive", "query")));
    TRY(needed_name(d, a, "name", &out->name));
    TRY(decode_names(d, MEMBER(a, "columns"), &out->columns, &out->column_count));
    TRY(flag(d, MEMBER(a, "recursive"), &out->recursive));
    return needed_query(d, a, "query", &out->query);
}

/* A limit or an offset: a whole number, or an expression. */
static int decode_count(struct decoder *d, struct at a, struct expr **out)
{
    if (!a.j) return OK;
    if (a.j->kind == J_OBJECT) return decode_expr(d, a, out);
    if (a.j->kind != J_INT || a.j->integer < 0 || a.j->integer > INTEGER_MAX)
        return fail_at(d, a.path, "Expected a whole number of rows that is not negative.");
    *out = expr_integer(d->c, a.j->integer);
    return OK;
}

static int decode_query(struct decoder *d, struct at a, struct query **out)
{
    struct query *q = call_alloc(d->c, sizeof *q);
    TRY(enter(d, a.path));
    TRY(object(d, a, MEMBERS("with", "body", "order_by", "limit", "offset")));
    if (json_get(a.j, "with")) {
        struct at with = MEMBER(a, "with");
        TRY(array(d, with));
        if (!with.j->count) return fail_at(d, with.path, "Leave an empty list out.");
        q->ctes = call_array(d->c, with.j->count, sizeof *q->ctes);
        q->cte_count = with.j->count;
        for (size_t i = 0; i < with.j->count; i++) TRY(decode_cte(d, ITEM(with, i), &q->ctes[i]));
    }
    TRY(required(d, a, "body"));
    TRY(decode_body(d, MEMBER(a, "body"), &q->body));
    TRY(decode_orders(d, MEMBER(a, "order_by"), &q->order_by));
    TRY(decode_count(d, MEMBER(a, "limit"), &q->limit));
    TRY(decode_count(d, MEMBER(a, "offset"), &q->offset));
    leave(d);
    *out = q;
    return OK;
}

int plan_decode(struct call *c, const struct json *j, struct query **out)
{
    struct decoder d = { .c = c };
    return decode_query(&d, (struct at){ j, NULL }, out);
}

int plan_parse(struct call *c, const char *text, size_t n, struct query **out)
{
    const struct json *j = NULL;
    TRY(json_parse_deep(c, text, n, PLAN_DEPTH_MAX * 4, &j));
    return plan_decode(c, j, out);
}
