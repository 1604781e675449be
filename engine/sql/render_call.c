#include "sql/render.h"

#include "plan/walk.h"

#include <stdio.h>
#include <string.h>

static const char *const frame_units[] = { "ROWS", "RANGE", "GROUPS" };
static const char *const frame_excludes[] = { "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES" };

static void frame_bound(struct render *r, const struct frame_bound *b)
{
    switch (b->kind) {
    case BOUND_UNBOUNDED_PRECEDING:
        render_text(r, "UNBOUNDED PRECEDING");
        break;
    case BOUND_CURRENT:
        render_text(r, "CURRENT ROW");
        break;
    case BOUND_UNBOUNDED_FOLLOWING:
        render_text(r, "UNBOUNDED FOLLOWING");
        break;
    case BOUND_PRECEDING:
    case BOUND_FOLLOWING:
        if (!b->offset) {
            render_refuse(r, ERR_INVALID_PLAN_STRUCTURE, "A frame of so many rows needs an offset.");
            return;
        }
        render_value(r, b->offset, BINDS_PRIMARY);
        render_text(r, b->kind == BOUND_PRECEDING ? " PRECEDING" : " FOLLOWING");
        break;
    }
}

static void frame(struct render *r, const struct frame *f)
{
    if ((f->unit == FRAME_GROUPS && !render_knows(r, DIALECT_FRAME_GROUPS)) ||
        (f->exclude != EXCLUDE_NONE && !render_knows(r, DIALECT_FRAME_EXCLUDE))) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "GROUPS and EXCLUDE in a window frame are not available for %s.",
                      r->dialect->name);
        return;
    }
    render_format(r, "%s BETWEEN ", frame_units[f->unit]);
    frame_bound(r, &f->start);
    render_text(r, " AND ");
    frame_bound(r, &f->end);
    render_text(r, frame_excludes[f->exclude]);
}

static bool is_offset(const struct frame_bound *b)
{
    return b->kind == BOUND_PRECEDING || b->kind == BOUND_FOLLOWING || b->kind == BOUND_CURRENT;
}

static void over(struct render *r, const struct window *w)
{
    const char *space = "";
    /* A range of values around a row takes one key, and holds no NULL beside a value wherever NULL is put. */
    bool values = w->frame && w->frame->unit == FRAME_RANGE && is_offset(&w->frame->start) && is_offset(&w->frame->end);
    render_text(r, " OVER (");
    if (w->partition_by.count) {
        render_text(r, "PARTITION BY ");
        render_list(r, &w->partition_by);
        space = " ";
    }
    if (w->order_by.count) {
        render_text(r, space);
        size_t start = r->out.len;
        struct orders keys = w->order_by;
        struct order_item key;
        if (values && keys.count == 1 && !render_can(r, D_NULLS)) {
            key = keys.items[0];
            key.nulls =
                (key.direction == DIR_DESC) == (r->dialect->null_order == NULLS_LOWEST) ? NULLS_LAST : NULLS_FIRST;
            keys.items = &key;
        }
        render_orders(r, &keys, false);
        space = r->out.len == start ? "" : " ";
    }
    if (w->frame) {
        render_text(r, space);
        frame(r, w->frame);
    }
    render_text(r, ")");
}

/* FILTER and OVER. */
static void suffix(struct render *r, const struct expr *e)
{
    if (e->call.filter && render_can(r, D_FILTER)) {
        render_text(r, " FILTER (WHERE ");
        render_predicate(r, e->call.filter, BINDS_ANY);
        render_text(r, ")");
    }
    if (e->call.over) over(r, e->call.over);
}

/* Between commas and parentheses any expression may stand as it is; beside an operator only a primary. */
static bool stands_alone(const char *template, const char *at, const char *after)
{
    while (at > template && at[-1] == ' ') at--;
    bool before = at == template ? false : at[-1] == '(' || at[-1] == ',' || at[-1] == 'Y'; /* ORDER BY $1 */
    if (at > template + 2 && at[-1] == 'd' && at[-2] == '$') before = true;                 /* count($d$1) */
    return before && (*after == ')' || *after == ',' || strncmp(after, " AS ", 4) == 0);
}

static void expand(struct render *r, const char *text, const struct expr *call, const struct exprs *args, bool distinct)
{
    bool suffixed = false;
    for (const char *p = text; *p && !r->rc; p++) {
        if (*p != '$') {
            buf_char(&r->out, *p);
            continue;
        }
        p++;
        if (*p == 'd') {
            if (distinct) render_text(r, "DISTINCT ");
        } else if (*p == '*') {
            render_list(r, args);
        } else if (*p == 'o' || *p == 'w') {
            if (call && call->call.within.count) render_orders(r, &call->call.within, *p == 'o');
        } else if (*p == 'W') {
            if (call && call->call.within.count) {
                render_text(r, " WITHIN GROUP (");
                render_orders(r, &call->call.within, false);
                render_text(r, ")");
            }
        } else if (*p == 't') {
            if (call) render_text(r, r->dialect->type_name(r->call, call->type));
        } else if (*p == '!') {
            if (call) suffix(r, call);
            suffixed = true;
        } else {
            size_t i = (size_t)(*p - '1');
            if (i >= args->count)
                render_refuse(r, ERR_WRONG_ARITY, "An argument is missing.");
            else
                render_value(r, args->items[i], stands_alone(text, p - 1, p + 1) ? BINDS_ANY : BINDS_PRIMARY);
        }
    }
    if (call && !suffixed) suffix(r, call);
}

void render_template(struct render *r, const char *text, const struct exprs *args, bool distinct)
{
    expand(r, text, NULL, args, distinct);
}

void render_call_as(struct render *r, const struct expr *e, const char *text)
{
    expand(r, text, e, &e->call.args, e->call.distinct);
}

static bool key_is(const char *key, const char *name, const char *rest)
{
    size_t n = strlen(name);
    return strncmp(key, name, n) == 0 && strcmp(key + n, rest) == 0;
}

const char *dialect_template(const struct dialect *d, const char *name, size_t arg_count, const char *unit)
{
    const char *best = UNSUPPORTED, *by_count = NULL, *by_unit = NULL;
    bool counted = false, united = false;
    char count[8], colon[24];
    snprintf(count, sizeof count, "/%zu", arg_count);
    snprintf(colon, sizeof colon, ":%s", unit ? unit : "");
    for (const struct template_row *t = d->templates; t->key; t++) {
        if (t->key[0] != name[0]) continue;
        if (key_is(t->key, name, "")) best = t->text;
        if (key_is(t->key, name, count)) by_count = t->text, counted = true;
        if (unit && key_is(t->key, name, colon)) by_unit = t->text, united = true;
    }
    return united ? by_unit : counted ? by_count : best;
}

bool distinct_order_differs(const struct expr *e)
{
    if (e->kind != EXPR_CALL || !e->call.distinct || !e->call.args.count) return false;
    for (size_t i = 0; i < e->call.within.count; i++)
        if (!expr_equal(e->call.within.items[i].expr, e->call.args.items[0])) return true;
    return false;
}

int unit_of(const struct expr *e)
{
    const char *name = expr_text_literal(e);
    for (int i = UNIT_YEAR; name && i <= UNIT_SECOND; i++)
        if (strcmp(name, unit_names[i]) == 0) return i;
    return -1;
}

/* The unit that a call's first argument names, NULL when it takes none. */
static const char *unit_argument(const struct expr *e)
{
    if (!e->call.function || e->call.function->args[0] != 'u' || !e->call.args.count) return NULL;
    return expr_text_literal(e->call.args.items[0]);
}

const char *dialect_refuses(const struct dialect *d, const struct expr *e)
{
    const struct query *inner = expr_inner_query(e);
    if (inner && inner->offers && query_is_cut_off(d, inner, e->kind == EXPR_IN))
        return "cannot order or limit a subquery here that names columns of the query around it";
    if (e->kind == EXPR_CALL) {
        const char *text = dialect_template(d, e->call.name, e->call.args.count, unit_argument(e));
        if (text && !*text) return "has no such function";
        const struct function *f = e->call.distinct ? function_find(e->call.name) : NULL;
        bool told = !text || strcmp(text, WRITTEN) == 0 || strstr(text, "$d");
        return f && f->flags & FUNC_ADDITIVE && !told ? "has no DISTINCT in this function" : NULL;
    }
    if (e->kind == EXPR_CAST) {
        const char *type = d->type_name(NULL, (struct value_type){ e->cast.to.kind, 0, 0 });
        return *type ? NULL : "has no such type";
    }
    return NULL;
}

static void refuse_call(struct render *r, const struct expr *e, const char *what)
{
    render_refuse(r, ERR_UNSUPPORTED_FUNCTION, "The function '%s'%s is not available for %s.", e->call.name, what,
                  r->dialect->name);
}

/* Without FILTER the condition moves into the argument: rows that fail it give NULL, which no aggregate counts. */
static void filtered_argument(struct render *r, const struct expr *e, struct expr *when_arg, struct when *when)
{
    struct expr *arg = e->call.args.count ? e->call.args.items[0] : NULL;
    static const struct expr one = { .kind = EXPR_LITERAL, .literal = { .text = "1" }, .type = { TYPE_INTEGER, 0, 0 } };
    if (!arg) {
        refuse_call(r, e, " with a filter");
        return;
    }
    struct expr *then = call_alloc(r->call, sizeof *then);
    *then = arg->kind == EXPR_STAR ? one : *arg;
    *when = (struct when){ .when = e->call.filter, .then = then };
    *when_arg = (struct expr){
        .kind = EXPR_CASE, .cases = { .whens = when, .count = 1 }, .type = then->type, .nullable = true
    };
}

/* e->call.args hold the arguments in effect. */
static void write_call(struct render *r, const struct expr *e)
{
    if (r->dialect->call && r->dialect->call(r, e)) return;
    const char *unit = unit_argument(e);
    const char *text = dialect_template(r->dialect, e->call.name, e->call.args.count, unit);
    if (text && (!*text || strcmp(text, WRITTEN) == 0)) {
        refuse_call(r, e, unit ? call_format(r->call, " of a %s", unit) : "");
        return;
    }
    if (!text) text = call_format(r->call, "%s($d$*)", e->call.name);
    expand(r, text, e, &e->call.args, e->call.distinct);
}

void render_call(struct render *r, const struct expr *e)
{
    if (e->call.over && e->call.distinct && !render_can(r, D_WINDOW_DISTINCT)) {
        refuse_call(r, e, " with DISTINCT over a window");
        return;
    }
    if (!e->call.filter || render_can(r, D_FILTER)) {
        write_call(r, e);
        return;
    }
    struct expr inside, copy = *e;
    struct when when;
    struct expr *args[8];
    if (e->call.args.count > 8) {
        refuse_call(r, e, " with a filter");
        return;
    }
    filtered_argument(r, e, &inside, &when);
    if (r->rc) return;
    for (size_t i = 1; i < e->call.args.count; i++) args[i] = e->call.args.items[i];
    args[0] = &inside;
    copy.call.args.items = args;
    copy.call.filter = NULL;
    write_call(r, &copy);
}
