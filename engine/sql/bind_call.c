#include "sql/bind.h"

#include "plan/functions.h"

#include <string.h>
#include <strings.h>

enum { LITE = 1, PG = 2, MY = 4, DUCK = 8, MS = 16, ALL = 31 };

static int bit(const struct binder *b)
{
    switch (b->tongue) {
    case TONGUE_SQLITE:
        return LITE;
    case TONGUE_POSTGRES:
        return PG;
    case TONGUE_MYSQL:
        return MY;
    case TONGUE_DUCKDB:
        return DUCK;
    case TONGUE_MSSQL:
        return MS;
    }
    return 0;
}

/* Functions that are the plan's under the name, or one of the names, an engine has for them. With the same number of
 * arguments in the same order; what differs more has code below. */
static const struct {
    const char *name;
    int where;
    const char *plan;
} renames[] = {
    { "abs", ALL, "abs" },
    { "acos", ALL, "acos" },
    { "any_value", PG | MY | DUCK, "any_value" },
    { "arbitrary", DUCK, "any_value" },
    { "asin", ALL, "asin" },
    { "atan", ALL, "atan" },
    { "atan2", LITE | PG | MY | DUCK, "atan2" },
    { "atn2", MS, "atan2" },
    { "avg", ALL, "avg" },
    { "bool_and", PG | DUCK, "bool_and" },
    { "bool_or", PG | DUCK, "bool_or" },
    { "btrim", PG, "trim" },
    { "ceil", LITE | PG | MY | DUCK, "ceil" },
    { "ceiling", ALL, "ceil" },
    { "char_length", PG | MY, "length" },
    { "character_length", PG | MY, "length" },
    { "charindex", MS, "position" },
    { "coalesce", ALL, "coalesce" },
    { "concat", LITE | PG | DUCK | MS, "concat" },
    { "concat_ws", LITE | PG | MY | DUCK | MS, "concat_ws" },
    { "cos", ALL, "cos" },
    { "count", ALL, "count" },
    { "count_big", MS, "count" },
    { "cume_dist", ALL, "cume_dist" },
    { "degrees", ALL, "degrees" },
    { "dense_rank", ALL, "dense_rank" },
    { "every", PG, "bool_and" },
    { "exp", ALL, "exp" },
    { "first_value", ALL, "first_value" },
    { "floor", ALL, "floor" },
    { "greatest", PG | DUCK | MS, "largest" },
    { "ifnull", LITE | MY | DUCK, "coalesce" },
    { "instr", LITE | MY | DUCK, "instr" },
    { "isnull", MS, "coalesce" },
    { "lag", ALL, "lag" },
    { "last_value", ALL, "last_value" },
    { "lcase", MY, "lower" },
    { "lead", ALL, "lead" },
    { "least", PG | DUCK | MS, "smallest" },
    { "left", PG | MY | DUCK | MS, "left" },
    { "len", DUCK, "length" },
    { "length", LITE | PG | MY | DUCK, "length" },
    { "ln", LITE | PG | MY | DUCK, "ln" },
    { "locate", MY, "position" },
    { "log10", ALL, "log10" },
    { "lower", ALL, "lower" },
    { "ltrim", ALL, "ltrim" },
    { "max", ALL, "max" },
    { "median", LITE | DUCK, "median" },
    { "mid", MY, "substr" },
    { "min", ALL, "min" },
    { "mod", LITE | PG | MY | DUCK, "mod" },
    { "mode", PG, "mode" },
    { "nth_value", LITE | PG | MY | DUCK, "nth_value" },
    { "ntile", ALL, "ntile" },
    { "nullif", ALL, "nullif" },
    { "nvl", MY, "coalesce" },
    { "percent_rank", ALL, "percent_rank" },
    { "percentile_cont", PG | MS | DUCK, "percentile" },
    { "percentile_disc", PG | MS | DUCK, "percentile_disc" },
    { "pi", ALL, "pi" },
    { "position", PG | MY | DUCK, "position" },
    { "pow", LITE | PG | MY | DUCK, "power" },
    { "power", ALL, "power" },
    { "radians", ALL, "radians" },
    { "rank", ALL, "rank" },
    { "replace", ALL, "replace" },
    { "right", PG | MY | DUCK | MS, "right" },
    { "round", ALL, "round" },
    { "row_number", ALL, "row_number" },
    { "rtrim", ALL, "rtrim" },
    { "sign", ALL, "sign" },
    { "sin", ALL, "sin" },
    { "split_part", LITE | PG | DUCK, "split_part" },
    { "sqrt", ALL, "sqrt" },
    { "std", MY, "stddev_pop" },
    { "stddev", LITE | PG | DUCK, "stddev" },
    { "stddev_pop", LITE | PG | MY | DUCK, "stddev_pop" },
    { "stddev_samp", LITE | PG | MY | DUCK, "stddev" },
    { "stdev", MS, "stddev" },
    { "stdevp", MS, "stddev_pop" },
    { "strpos", PG | DUCK, "instr" },
    { "substr", LITE | PG | MY | DUCK, "substr" },
    { "substring", ALL, "substr" },
    { "sum", ALL, "sum" },
    { "tan", ALL, "tan" },
    { "total", LITE, "total" },
    { "trim", ALL, "trim" },
    { "trunc", LITE | PG | DUCK, "trunc" },
    { "truncate", MY, "trunc" },
    { "ucase", MY, "upper" },
    { "upper", ALL, "upper" },
    { "var", MS, "variance" },
    { "var_pop", LITE | PG | MY | DUCK, "variance_pop" },
    { "var_samp", LITE | PG | MY | DUCK, "variance" },
    { "variance", LITE | PG | DUCK, "variance" },
    { "varp", MS, "variance_pop" },
};

/* MySQL's STDDEV and VARIANCE are those of the population, elsewhere they are the sample's. */
static const char *plan_name(const struct binder *b, const char *name)
{
    if (b->tongue == TONGUE_MYSQL && strcasecmp(name, "stddev") == 0) return "stddev_pop";
    if (b->tongue == TONGUE_MYSQL && strcasecmp(name, "variance") == 0) return "variance_pop";
    /* MySQL's GREATEST is NULL when one argument is; the others pass over it. */
    if (b->tongue == TONGUE_MYSQL && strcasecmp(name, "greatest") == 0) return "greatest";
    if (b->tongue == TONGUE_MYSQL && strcasecmp(name, "least") == 0) return "least";
    size_t low = 0, high = sizeof renames / sizeof *renames;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcasecmp(name, renames[middle].name);
        if (order == 0) return renames[middle].where & bit(b) ? renames[middle].plan : NULL;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static struct value_type first_type(const struct exprs *args)
{
    for (size_t i = 0; i < args->count; i++)
        if (args->items[i]->type.kind > TYPE_NULL) return args->items[i]->type;
    return (struct value_type){ 0 };
}

void type_call(struct expr *e)
{
    const struct function *f = function_find(e->call.name);
    if (!f) return;
    const struct exprs *args = &e->call.args;
    struct value_type first = args->count ? args->items[0]->type : (struct value_type){ 0 };
    const char *r = f->result;
    if (*r >= '1' && *r <= '9') {
        e->type = args->count >= (size_t)(*r - '0') ? args->items[*r - '1']->type : first;
    } else if (strcmp(r, "common") == 0) {
        e->type = first_type(args);
        for (size_t i = 0; i < args->count; i++)
            if (kind_is_number(e->type) && kind_is_number(args->items[i]->type) && e->type.kind == TYPE_INTEGER)
                e->type = args->items[i]->type;
    } else if (strcmp(r, "sum") == 0) {
        e->type.kind = kind_is_number(first) ? first.kind : first.kind == TYPE_BOOLEAN ? TYPE_INTEGER : TYPE_DOUBLE;
    } else if (strcmp(r, "avg") == 0) {
        e->type.kind = first.kind == TYPE_INTEGER || first.kind == TYPE_DECIMAL ? TYPE_DECIMAL : TYPE_DOUBLE;
    } else if (strcmp(r, "round") == 0) {
        e->type.kind = kind_is_number(first) ? first.kind : TYPE_DOUBLE;
    } else if (strcmp(r, "trunc") == 0 || strcmp(r, "add") == 0) {
        e->type = args->items[args->count - 1]->type;
    } else if (strcmp(r, "within") == 0) {
        if (e->call.within.count) e->type = e->call.within.items[0].expr->type;
    } else {
        for (int kind = TYPE_BOOLEAN; kind < TYPE_INTERVAL; kind++)
            if (strcmp(r, type_kind_names[kind]) == 0) e->type.kind = (enum type_kind)kind;
    }
}

struct expr *call_plan(struct binder *b, const char *name, size_t count, struct expr **args)
{
    struct expr *e = bind_keep(b, expr_call(b->call, name, count, args));
    if (e) type_call(e);
    return e;
}

/* ---- what stands behind the arguments ---- */

static bool bind_bound(struct binder *b, struct scope *s, const struct syntax_bound *from, struct frame_bound *out)
{
    out->kind = from->kind;
    return !from->offset || (out->offset = bind_expr(b, s, from->offset)) != NULL;
}

static const struct syntax_window *named_window(struct binder *b, const struct scope *s, const struct syntax_window *w)
{
    for (const struct scope *at = s; at; at = NULL)
        for (size_t i = 0; at->select && i < at->select->window_count; i++)
            if (strcasecmp(at->select->windows[i].name.text, w->name.text) == 0) return &at->select->windows[i];
    fail_bind(b, ERR_INVALID_PLAN_STRUCTURE, w->at, "There is no window '%.128s'.", w->name.text);
    return NULL;
}

static struct window *bind_window(struct binder *b, struct scope *s, const struct syntax_window *from)
{
    struct window *w = call_alloc(b->call, sizeof *w);
    const struct syntax_window *base = from->name.text ? named_window(b, s, from) : NULL;
    if (from->name.text && !base) return NULL;
    const struct syntax_window *partition = base ? base : from;
    /* A window built on another takes its partition and, without one of its own, its order. */
    const struct syntax_window *order = base && !from->order.count ? base : from;
    const struct syntax_window *frame = from->only_name ? base : from;
    for (size_t i = 0; i < partition->partition.count; i++) {
        struct expr *e = bind_expr(b, s, partition->partition.items[i]);
        if (!e) return NULL;
        if (e->kind != EXPR_LITERAL) exprs_push(b->call, &w->partition_by, e);
    }
    struct orders orders = { 0 };
    for (size_t i = 0; i < order->order.count; i++) {
        const struct order_term *term = &order->order.items[i];
        struct order_terms one = { .items = &order->order.items[i], .count = 1 };
        bool constant = term->expr->kind == NODE_QUERY && term->expr->of.query->kind == QUERY_SELECT &&
                        !term->expr->of.query->select->from;
        if (!constant && !bind_orders(b, s, &one, &orders)) return NULL;
    }
    w->order_by = orders;
    if (!frame->has_frame) return w;
    w->frame = call_alloc(b->call, sizeof *w->frame);
    w->frame->unit = frame->unit;
    w->frame->exclude = frame->exclude;
    return bind_bound(b, s, &frame->start, &w->frame->start) && bind_bound(b, s, &frame->end, &w->frame->end) ? w
                                                                                                              : NULL;
}

static struct expr *bind_behind(struct binder *b, struct scope *s, const struct syntax_call *from, struct expr *e)
{
    if (!e) return NULL;
    e->call.distinct = from->distinct;
    if (from->order.count && !bind_orders(b, s, &from->order, &e->call.within)) return NULL;
    if (from->within.count && !bind_orders(b, s, &from->within, &e->call.within)) return NULL;
    if (from->filter && !(e->call.filter = bind_expr(b, s, from->filter))) return NULL;
    if (from->over && !(e->call.over = bind_window(b, s, from->over))) return NULL;
    /* DuckDB interpolates doubles only when it is given some. */
    struct expr *key = e->call.within.count == 1 ? e->call.within.items[0].expr : NULL;
    if (key && b->tongue == TONGUE_DUCKDB && strcmp(e->call.name, "percentile") == 0 && key->kind == EXPR_CAST &&
        key->cast.to.kind == TYPE_DOUBLE)
        e->call.within.items[0].expr = key->cast.arg;
    type_call(e);
    return e;
}

/* ---- arguments ---- */

static bool bind_args(struct binder *b, struct scope *s, const struct syntax_call *from, struct exprs *out)
{
    for (size_t i = 0; i < from->args.count; i++) {
        const struct node *n = from->args.items[i];
        struct expr *e;
        if (n->kind == NODE_STAR && !n->name.count)
            e = bind_keep(b, expr_star(b->call));
        else
            e = bind_operand(b, s, n, true);
        if (!e) return false;
        exprs_push(b->call, out, e);
    }
    return true;
}

static struct expr *choice(struct binder *b, struct expr *when, struct expr *then, struct expr *otherwise)
{
    struct expr *e = call_alloc(b->call, sizeof *e);
    e->kind = EXPR_CASE;
    e->cases.whens = call_alloc(b->call, sizeof *e->cases.whens);
    e->cases.whens[0] = (struct when){ when, then };
    e->cases.count = 1;
    e->cases.otherwise = otherwise;
    e->type = then->type.kind > TYPE_NULL || !otherwise ? then->type : otherwise->type;
    return bind_keep(b, e);
}

static struct expr *join_texts(struct binder *b, const struct exprs *args)
{
    struct expr *e = args->items[0];
    for (size_t i = 1; i < args->count && e; i++)
        e = with_type(bind_keep(b, expr_binary(b->call, OP_CONCAT, e, args->items[i])), TYPE_TEXT);
    return e;
}

/* Functions that are more than another name. NULL with *is_one false: none of them. */
static struct expr *bind_special(struct binder *b, struct scope *s, const struct node *n, const char *name,
                                 bool *is_one)
{
    const struct syntax_call *from = n->call;
    size_t count = from->args.count;
    int where = bit(b);
    struct exprs args = { 0 };
    *is_one = true;
    bool choose = (where & (LITE | MS) && strcasecmp(name, "iif") == 0) ||
                  (where & (MY | DUCK | LITE) && strcasecmp(name, "if") == 0);
    bool fixed = choose || (where == MY && strcasecmp(name, "concat") == 0) ||
                 (where == LITE && (strcasecmp(name, "max") == 0 || strcasecmp(name, "min") == 0) && count > 1) ||
                 (strcasecmp(name, "log") == 0) || (where & (MY | LITE | DUCK) && strcasecmp(name, "log2") == 0) ||
                 (where == LITE && count == 2 && (strcasecmp(name, "glob") == 0 || strcasecmp(name, "like") == 0)) ||
                 (where == MS && (strcasecmp(name, "len") == 0 || (strcasecmp(name, "square") == 0))) ||
                 (where & (PG | DUCK) && strcasecmp(name, "div") == 0);
    if (!fixed) {
        *is_one = false;
        return NULL;
    }
    if (!bind_args(b, s, from, &args)) return NULL;
    struct expr **a = args.items;
    if (choose && (count == 3 || (count == 2 && where == LITE))) return choice(b, a[0], a[1], count == 3 ? a[2] : NULL);
    if (strcasecmp(name, "concat") == 0 && count)
        return count == 1 ? call_plan(b, "concat", 1, a) : join_texts(b, &args);
    if (strcasecmp(name, "max") == 0) return call_plan(b, "greatest", count, a);
    if (strcasecmp(name, "min") == 0) return call_plan(b, "least", count, a);
    if (strcasecmp(name, "log") == 0 && count == 1) return call_plan(b, where & (MY | MS) ? "ln" : "log10", 1, a);
    if (strcasecmp(name, "log") == 0 && count == 2) {
        struct expr *swapped[] = { a[1], a[0] };
        return call_plan(b, "log", 2, where == MS ? swapped : a);
    }
    if (strcasecmp(name, "log2") == 0 && count == 1) {
        struct expr *base[] = { expr_integer(b->call, 2), a[0] };
        return call_plan(b, "log", 2, base);
    }
    if (strcasecmp(name, "glob") == 0) {
        struct expr *turned[] = { a[1], a[0] };
        return call_plan(b, "glob", 2, turned);
    }
    if (strcasecmp(name, "like") == 0)
        return with_type(bind_keep(b, expr_like(b->call, a[1], a[0], true)), TYPE_BOOLEAN);
    if (strcasecmp(name, "len") == 0 && count == 1) {
        struct expr *trimmed = call_plan(b, "rtrim", 1, a); /* T-SQL does not count spaces at the end */
        return trimmed ? call_plan(b, "length", 1, &trimmed) : NULL;
    }
    if (strcasecmp(name, "square") == 0 && count == 1) {
        struct expr *two[] = { a[0], expr_integer(b->call, 2) };
        return call_plan(b, "power", 2, two);
    }
    if (strcasecmp(name, "div") == 0 && count == 2)
        return with_type(bind_keep(b, expr_binary(b->call, OP_INTDIV, a[0], a[1])), TYPE_INTEGER);
    fail_bind(b, ERR_WRONG_ARITY, n->at, "The function '%s' does not take %zu arguments.", name, count);
    return NULL;
}

/* string_agg and its other names: the separator is an argument, or stands behind SEPARATOR. */
static struct expr *bind_string_agg(struct binder *b, struct scope *s, const struct node *n, const char *name,
                                    bool *is_one)
{
    const struct syntax_call *from = n->call;
    int where = bit(b);
    bool aggregates = (strcasecmp(name, "group_concat") == 0 && where & (LITE | MY | DUCK)) ||
                      (strcasecmp(name, "string_agg") == 0 && where & (PG | DUCK | MS | LITE)) ||
                      (strcasecmp(name, "listagg") == 0 && where & DUCK);
    *is_one = aggregates;
    if (!aggregates) return NULL;
    struct exprs args = { 0 };
    if (!bind_args(b, s, from, &args)) return NULL;
    if (where == MY && args.count > 1) { /* the values are joined before they are collected */
        struct expr *joined = join_texts(b, &args);
        if (!joined) return NULL;
        args.count = 0;
        exprs_push(b->call, &args, joined);
    }
    /* PostgreSQL's takes texts only; the plan's writes what it gets as text. */
    bool cast =
        where & (PG | DUCK) && args.count && args.items[0]->kind == EXPR_CAST && args.items[0]->cast.to.kind == TYPE_TEXT;
    if (cast) args.items[0] = args.items[0]->cast.arg;
    if (from->separator) {
        struct expr *separator = bind_expr(b, s, from->separator);
        if (!separator) return NULL;
        exprs_push(b->call, &args, separator);
    }
    return bind_behind(b, s, from, call_plan(b, "string_agg", args.count, args.items));
}

/* DuckDB's quantile_cont(x, 0.5) and mode(x), and SQLite's percentile_cont(x, 0.5, 'desc'), are ordered-set functions
 * of the plan. */
static struct expr *bind_quantile(struct binder *b, struct scope *s, const struct node *n, const char *name,
                                  bool *is_one)
{
    static const struct {
        const char *name;
        int where;
        size_t args; /* without 'desc' */
        const char *plan;
    } known[] = { { "quantile_cont", DUCK, 2, "percentile" },
                  { "quantile_disc", DUCK, 2, "percentile_disc" },
                  { "percentile_cont", LITE, 2, "percentile" },
                  { "percentile_disc", LITE, 2, "percentile_disc" },
                  { "mode", DUCK | LITE, 1, "mode" } };
    const struct syntax_call *from = n->call;
    size_t count = from->args.count, i = 0, most = sizeof known / sizeof *known;
    while (i < most && !(known[i].where & bit(b) && strcasecmp(name, known[i].name) == 0)) i++;
    if (i < most && count == known[i].args + 1 && b->tongue == TONGUE_SQLITE) {
        const char *how = node_text(from->args.items[count - 1], false);
        if (how && strcmp(how, "desc") == 0) count--;
    }
    *is_one = i < most && (count == known[i].args || b->tongue == TONGUE_SQLITE) && !from->within.count;
    if (!*is_one) return NULL;
    struct exprs args = { 0 };
    if (!bind_args(b, s, from, &args)) return NULL;
    if (count != known[i].args) {
        fail_bind(b, ERR_WRONG_ARITY, n->at, "The function '%s' does not take %zu arguments.", name, args.count);
        return NULL;
    }
    struct expr *e = bind_keep(b, expr_call(b->call, known[i].plan, count - 1, args.items + 1));
    if (!e) return NULL;
    orders_push(b->call, &e->call.within, args.items[0], args.count > count ? DIR_DESC : DIR_ASC);
    e->type = args.items[0]->type;
    return bind_behind(b, s, from, e);
}

/* SQLite's string_agg_by(value, separator, how, key …), as the renderer writes it. */
static struct expr *bind_ordered_agg(struct binder *b, struct scope *s, const struct node *n, const char *name,
                                     bool *is_one)
{
    const struct syntax_call *from = n->call;
    struct exprs args = { 0 };
    *is_one = b->tongue == TONGUE_SQLITE && strcasecmp(name, "string_agg_by") == 0;
    if (!*is_one || !bind_args(b, s, from, &args)) return NULL;
    const char *how = args.count < 3 ? NULL : node_text(from->args.items[2], false);
    bool unique = how && *how == 'u';
    const char *letters = how ? how + unique : "";
    if (!how || strlen(letters) != 2 * (args.count - 3) || strspn(letters, "adfl") != strlen(letters)) {
        fail_bind(b, ERR_WRONG_ARITY, n->at, "string_agg_by does not fit its arguments.");
        return NULL;
    }
    struct expr *e = call_plan(b, "string_agg", 2, args.items);
    if (!e) return NULL;
    for (size_t i = 3; i < args.count; i++, letters += 2) {
        orders_push(b->call, &e->call.within, args.items[i], letters[0] == 'd' ? DIR_DESC : DIR_ASC);
        if (letters[1] == 'f') e->call.within.items[i - 3].nulls = NULLS_FIRST;
    }
    e = bind_behind(b, s, from, e);
    if (e) e->call.distinct = unique;
    return e;
}

/* Deviations and the like are doubles of whatever they are given: the cast that says so is the renderer's. */
static void without_cast(const struct binder *b, const char *plan, struct exprs *args)
{
    static const char *const names[] = { "stddev", "stddev_pop", "variance", "variance_pop", "median" };
    struct expr *arg = args->count == 1 ? args->items[0] : NULL;
    bool exact = b->tongue == TONGUE_POSTGRES && (strcmp(plan, "round") == 0 || strcmp(plan, "trunc") == 0);
    struct expr *number = exact && args->count ? args->items[0] : NULL;
    if (number && number->kind == EXPR_CAST && number->cast.to.kind == TYPE_DECIMAL && !number->cast.to.precision)
        args->items[0] = number->cast.arg;
    for (size_t i = 0; arg && i < sizeof names / sizeof *names; i++)
        if (strcmp(plan, names[i]) == 0 && arg->kind == EXPR_CAST && arg->cast.to.kind == TYPE_DOUBLE)
            args->items[0] = arg->cast.arg;
}

static struct expr *not_allowed(struct binder *b, const char *name)
{
    if (!b->call->err.code) call_fail(b->call, ERR_SQL_NOT_ALLOWED, "The function '%.128s' is not allowed.", name);
    return NULL;
}

struct expr *bind_call(struct binder *b, struct scope *s, const struct node *n)
{
    const struct syntax_call *from = n->call;
    const struct ident *last = &from->name.items[from->name.count - 1];
    /* A qualified function, or one whose name was written in quotes of another kind, is not one of ours. */
    bool builtin = from->name.count == 1 || (from->name.count == 2 && b->tongue == TONGUE_POSTGRES &&
                                             strcasecmp(from->name.items[0].text, "pg_catalog") == 0);
    if (!builtin) return not_allowed(b, last->text);
    bool is_one;
    struct expr *e = bind_date_call(b, s, n, last->text, &is_one);
    if (is_one) return e;
    e = bind_string_agg(b, s, n, last->text, &is_one);
    if (is_one) return e;
    e = bind_ordered_agg(b, s, n, last->text, &is_one);
    if (is_one) return e;
    e = bind_quantile(b, s, n, last->text, &is_one);
    if (is_one) return e;
    e = bind_special(b, s, n, last->text, &is_one);
    if (is_one) {
        bool extras = from->distinct || from->over || from->filter || from->order.count || from->within.count;
        if (!extras || !e) return e;
        fail_bind(b, ERR_INVALID_PLAN_STRUCTURE, n->at, "The function '%s' is no aggregate.", last->text);
        return NULL;
    }
    const char *plan = plan_name(b, last->text);
    if (!plan) return not_allowed(b, last->text);
    struct exprs args = { 0 };
    if (!bind_args(b, s, from, &args)) return NULL;
    without_cast(b, plan, &args);
    /* COUNT() counts rows in DuckDB. */
    if (!args.count && strcmp(plan, "count") == 0) exprs_push(b->call, &args, expr_star(b->call));
    return bind_behind(b, s, from, call_plan(b, plan, args.count, args.items));
}
