/* grouping: in a query with one row a group, everything shown is grouped, aggregated, or determined by what is grouped.
 */
#include "plan/closure.h"
#include "plan/walk.h"

#include <string.h>

bool expr_is_aggregate(const struct expr *e)
{
    return e->kind == EXPR_CALL && !e->call.over && e->call.function &&
           (e->call.function->class == FUNC_AGGREGATE || e->call.function->class == FUNC_ORDERED_SET);
}

struct grouping {
    struct checker *k;
    struct scope *s;
    struct body *body;
    struct closure closure;
    bool closed; /* the closure is computed when first asked for */
    bool inner;  /* inside a subquery of an item */
    const struct path *at;
};

static void group_expr(void *ctx, struct expr **slot);

static bool grouped(const struct grouping *g, const struct expr *e)
{
    for (size_t i = 0; i < g->body->select.group_by.count; i++) {
        const struct expr *key = g->body->select.group_by.items[i];
        if (key->kind != e->kind) continue;
        if (e->kind == EXPR_COLUMN && e->column.source) {
            if (key->column.source == e->column.source && key->column.index == e->column.index) return true;
        } else if (expr_equal(key, e)) {
            return true;
        }
    }
    return false;
}

static bool determined(struct grouping *g, const struct expr *e)
{
    if (!g->body->select.group_by.count) return false;
    if (!g->closed) {
        closure_init(&g->closure, g->k->c, g->s);
        for (size_t i = 0; i < g->body->select.group_by.count; i++) {
            bool *flag = closure_flag(&g->closure, g->body->select.group_by.items[i]);
            if (flag) *flag = true;
        }
        closure_run(&g->closure, g->body, false);
        g->closed = true;
    }
    const bool *flag = closure_flag(&g->closure, e);
    return flag && *flag;
}

static const char *grouped_names(struct grouping *g)
{
    struct buf b;
    buf_init(&b, g->k->c, 1000);
    for (size_t i = 0; i < g->body->select.group_by.count; i++) {
        const struct expr *e = g->body->select.group_by.items[i];
        if (e->kind != EXPR_COLUMN) continue;
        if (b.len) buf_str(&b, ", ");
        buf_format(&b, "%s.%s", e->column.table, e->column.column);
    }
    return b.len ? b.data : "no column";
}

static void any_value(struct grouping *g, struct expr **slot)
{
    struct expr *column = *slot, *call = expr_call1(g->k->c, "any_value", column);
    call->call.function = function_find("any_value");
    call->type = column->type;
    call->nullable = column->nullable;
    *slot = call;
    g->s->aggregates++;
    g->s->any_values++;
}

static void group_column(struct grouping *g, struct expr **slot)
{
    struct expr *e = *slot;
    if (!e->column.source || scope_position(g->s, e->column.source) < 0) return;
    if (grouped(g, e)) return;
    if (determined(g, e)) {
        if (has_feature(g->k, DIALECT_DEPENDENCE)) return;
        struct expr *key = expr_column(g->k->c, e->column.table, e->column.column);
        *key = *e;
        key->column.levels_up = 0;
        exprs_push(g->k->c, &g->body->select.group_by, key);
        return;
    }
    bool forgiven = g->k->origin == ORIGIN_TEXT && has_feature(g->k, DIALECT_UNGROUPED);
    if (forgiven && !g->inner) {
        warn(g->k, ERR_UNGROUPED_COLUMN, g->at, "%s.%s is neither grouped nor aggregated; any of its values is shown.",
             e->column.table, e->column.column);
        any_value(g, slot);
        return;
    }
    report(g->k, ERR_MISSING_GROUP_BY, g->at,
           "%s.%s is neither grouped nor aggregated. Add it to group_by or aggregate it (max, any_value). Grouped: %s.",
           e->column.table, e->column.column, grouped_names(g));
}

static bool group_inner(void *ctx, struct expr **slot)
{
    struct grouping *g = ctx;
    if ((*slot)->kind == EXPR_COLUMN) group_column(g, slot);
    return true;
}

static void group_query(struct grouping *g, struct query *q)
{
    struct plan_visitor v = { .ctx = g, .expr = group_inner };
    bool was = g->inner;
    g->inner = true;
    plan_walk(&v, q);
    g->inner = was;
}

static void group_expr(void *ctx, struct expr **slot)
{
    struct grouping *g = ctx;
    struct expr *e = *slot;
    if (expr_is_aggregate(e) || grouped(g, e)) return;
    if (e->kind == EXPR_COLUMN) {
        group_column(g, slot);
        return;
    }
    expr_children(e, group_expr, g);
    if (expr_inner_query(e)) group_query(g, expr_inner_query(e));
}

static bool find_aggregate(void *ctx, struct expr **slot)
{
    if (expr_is_aggregate(*slot)) *(bool *)ctx = true;
    return true;
}

static bool shows_aggregate(struct body *b)
{
    bool found = false;
    struct plan_visitor v = { .ctx = &found, .expr = find_aggregate, .flat = true };
    for (size_t i = 0; i < b->select.item_count; i++) expr_walk(&v, &b->select.items[i].expr);
    return found;
}

void check_grouping(struct checker *k, struct scope *s, const struct path *p, struct query *q)
{
    struct body *b = q->body;
    const struct path *body = PATH(p, "body");
    struct grouping g = { .k = k, .s = s, .body = b };
    b->select.aggregated = b->select.group_by.count || b->select.having || s->aggregates;
    if (!b->select.aggregated || k->errors) return;
    if (!b->select.group_by.count && !has_feature(k, DIALECT_HIDDEN_AGGREGATES) && !shows_aggregate(b))
        report(k, ERR_PLAN_NOT_SUPPORTED, body, "%s needs a group_by, or an aggregate among the items.",
               k->dialect->name);
    for (size_t i = 0; i < b->select.item_count; i++) {
        const struct path *at = PATH(PATH_AT(PATH(body, "items"), i), "expr");
        g.at = at;
        group_expr(&g, &b->select.items[i].expr);
    }
    if (b->select.having) {
        g.at = PATH(body, "having");
        group_expr(&g, &b->select.having);
    }
    for (size_t i = 0; i < q->order_by.count; i++) {
        const struct path *at = PATH(PATH_AT(PATH(p, "order_by"), i), "expr");
        g.at = at;
        if (q->order_by.items[i].expr->kind != EXPR_OUTPUT) group_expr(&g, &q->order_by.items[i].expr);
    }
    if (!b->select.group_by.count && s->aggregates && s->aggregates == s->any_values && !k->errors)
        report(k, ERR_MISSING_GROUP_BY, body, "any_value needs a group_by or another aggregate beside it.");
}
