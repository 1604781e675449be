#include "plan/walk.h"

#include <stdint.h>

static void exprs_children(struct exprs *l, void (*fn)(void *ctx, struct expr **slot), void *ctx)
{
    for (size_t i = 0; i < l->count; i++) fn(ctx, &l->items[i]);
}

static void orders_children(struct orders *l, void (*fn)(void *ctx, struct expr **slot), void *ctx)
{
    for (size_t i = 0; i < l->count; i++) fn(ctx, &l->items[i].expr);
}

static void optional(struct expr **slot, void (*fn)(void *ctx, struct expr **slot), void *ctx)
{
    if (*slot) fn(ctx, slot);
}

static void call_children(struct expr *e, void (*fn)(void *ctx, struct expr **slot), void *ctx)
{
    exprs_children(&e->call.args, fn, ctx);
    optional(&e->call.filter, fn, ctx);
    orders_children(&e->call.within, fn, ctx);
    if (!e->call.over) return;
    exprs_children(&e->call.over->partition_by, fn, ctx);
    orders_children(&e->call.over->order_by, fn, ctx);
    if (!e->call.over->frame) return;
    optional(&e->call.over->frame->start.offset, fn, ctx);
    optional(&e->call.over->frame->end.offset, fn, ctx);
}

void expr_children(struct expr *e, void (*fn)(void *ctx, struct expr **slot), void *ctx)
{
    switch (e->kind) {
    case EXPR_LITERAL:
    case EXPR_COLUMN:
    case EXPR_OUTPUT:
    case EXPR_EXISTS:
    case EXPR_QUERY:
    case EXPR_STAR:
        break;
    case EXPR_CALL:
        call_children(e, fn, ctx);
        break;
    case EXPR_UNARY:
        fn(ctx, &e->unary.arg);
        break;
    case EXPR_BINARY:
        fn(ctx, &e->binary.left);
        fn(ctx, &e->binary.right);
        break;
    case EXPR_LIKE:
        fn(ctx, &e->like.arg);
        fn(ctx, &e->like.pattern);
        optional(&e->like.escape, fn, ctx);
        break;
    case EXPR_BETWEEN:
        fn(ctx, &e->between.arg);
        fn(ctx, &e->between.low);
        fn(ctx, &e->between.high);
        break;
    case EXPR_IN:
        fn(ctx, &e->in.arg);
        exprs_children(&e->in.list, fn, ctx);
        break;
    case EXPR_IS_NULL:
    case EXPR_IS_DISTINCT:
        fn(ctx, &e->is.left);
        optional(&e->is.right, fn, ctx);
        break;
    case EXPR_CASE:
        for (size_t i = 0; i < e->cases.count; i++) {
            fn(ctx, &e->cases.whens[i].when);
            fn(ctx, &e->cases.whens[i].then);
        }
        optional(&e->cases.otherwise, fn, ctx);
        break;
    case EXPR_CAST:
        fn(ctx, &e->cast.arg);
        break;
    case EXPR_INTERVAL:
        fn(ctx, &e->interval.value);
        break;
    case EXPR_ROW:
        exprs_children(&e->row, fn, ctx);
        break;
    }
}

struct query *expr_inner_query(const struct expr *e)
{
    if (e->kind == EXPR_EXISTS || e->kind == EXPR_QUERY) return e->query;
    return e->kind == EXPR_IN ? e->in.query : NULL;
}

static void visit_slot(void *ctx, struct expr **slot)
{
    expr_walk(ctx, slot);
}

void expr_walk(const struct plan_visitor *v, struct expr **slot)
{
    if (v->expr && !v->expr(v->ctx, slot)) return;
    struct plan_visitor inner = *v;
    expr_children(*slot, visit_slot, &inner);
    if (!v->flat && expr_inner_query(*slot)) plan_walk(v, expr_inner_query(*slot));
}

static void source_walk(const struct plan_visitor *v, struct source *s)
{
    if (v->source && !v->source(v->ctx, s)) return;
    if (s->query && !v->flat) plan_walk(v, s->query);
}

void from_walk(const struct plan_visitor *v, struct from *f)
{
    if (!f) return;
    if (f->source) source_walk(v, f->source);
    from_walk(v, f->joined);
    for (size_t i = 0; i < f->join_count; i++) {
        source_walk(v, f->joins[i].source);
        if (f->joins[i].on) expr_walk(v, &f->joins[i].on);
    }
}

static void body_walk(const struct plan_visitor *v, struct body *b)
{
    switch (b->kind) {
    case BODY_SELECT:
        from_walk(v, b->select.from);
        if (b->select.where) expr_walk(v, &b->select.where);
        for (size_t i = 0; i < b->select.group_by.count; i++) expr_walk(v, &b->select.group_by.items[i]);
        if (b->select.having) expr_walk(v, &b->select.having);
        for (size_t i = 0; i < b->select.item_count; i++) expr_walk(v, &b->select.items[i].expr);
        break;
    case BODY_SET:
        if (v->flat) break;
        plan_walk(v, b->set.left);
        plan_walk(v, b->set.right);
        break;
    case BODY_VALUES:
        for (size_t i = 0; i < b->values.count; i++)
            for (size_t k = 0; k < b->values.rows[i].count; k++) expr_walk(v, &b->values.rows[i].items[k]);
        break;
    }
}

void plan_walk(const struct plan_visitor *v, struct query *q)
{
    if (v->query && !v->query(v->ctx, q)) return;
    for (size_t i = 0; i < q->cte_count && !v->flat; i++) plan_walk(v, q->ctes[i].query);
    body_walk(v, q->body);
    for (size_t i = 0; i < q->order_by.count; i++) expr_walk(v, &q->order_by.items[i].expr);
    if (q->limit) expr_walk(v, &q->limit);
    if (q->offset) expr_walk(v, &q->offset);
}

void from_sources(struct call *c, struct from *f, struct list *out)
{
    if (!f) return;
    if (f->source) *(struct source **)list_push(c, out, sizeof(struct source *)) = f->source;
    from_sources(c, f->joined, out);
    for (size_t i = 0; i < f->join_count; i++)
        *(struct source **)list_push(c, out, sizeof(struct source *)) = f->joins[i].source;
}

struct outward {
    struct query *query;
    const struct source *wanted;
    bool inside, outside;
};

static bool is_wanted(void *ctx, struct source *s)
{
    struct outward *o = ctx;
    o->inside = o->inside || s == o->wanted;
    return true;
}

static bool looks_outward(void *ctx, struct expr **slot)
{
    struct outward *o = ctx;
    if (o->outside || (*slot)->kind != EXPR_COLUMN || !(*slot)->column.source || !(*slot)->column.levels_up)
        return !o->outside;
    o->wanted = (*slot)->column.source;
    o->inside = false;
    plan_walk(&(struct plan_visitor){ .ctx = o, .source = is_wanted }, o->query);
    o->outside = !o->inside;
    return !o->outside;
}

bool query_is_correlated(const struct query *q)
{
    struct outward o = { .query = (struct query *)(uintptr_t)q };
    plan_walk(&(struct plan_visitor){ .ctx = &o, .expr = looks_outward }, o.query);
    return o.outside;
}
