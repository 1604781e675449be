/* grouping: in a query with one row a group, everything shown is grouped, aggregated, or determined by what is grouped.
 */
#include "plan/checker.h"
#include "plan/walk.h"

#include <string.h>

bool expr_is_aggregate(const struct expr *e)
{
    return e->kind == EXPR_CALL && !e->call.over && e->call.function &&
           (e->call.function->class == FUNC_AGGREGATE || e->call.function->class == FUNC_ORDERED_SET);
}

/* ---- what the grouped columns determine ---- */

/* For each source of the scope, which of its columns have one value a group. */
struct closure {
    struct checker *k;
    struct scope *s;
    bool **fixed; /* beside the sources, each beside its offers */
    bool changed;
};

static ptrdiff_t source_position(const struct scope *s, const struct source *source)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->sources[i] == source) return (ptrdiff_t)i;
    return -1;
}

static bool *flag_of(struct closure *f, const struct expr *e)
{
    if (e->kind != EXPR_COLUMN || !e->column.source) return NULL;
    ptrdiff_t at = source_position(f->s, e->column.source);
    return at < 0 ? NULL : &f->fixed[at][e->column.index];
}

static bool constant(struct closure *f, const struct expr *e)
{
    return e->kind == EXPR_LITERAL || (e->kind == EXPR_COLUMN && e->column.source && !flag_of(f, e));
}

/* a = b: one side determines the other; a constant or an outer column determines at once. */
static void equate(struct closure *f, const struct expr *a, const struct expr *b)
{
    bool *x = flag_of(f, a), *y = flag_of(f, b);
    if (x && !*x && (y ? *y : constant(f, b))) *x = f->changed = true;
    if (y && !*y && (x ? *x : constant(f, a))) *y = f->changed = true;
}

static void equate_all(struct closure *f, const struct expr *e)
{
    if (!e || e->kind != EXPR_BINARY) return;
    if (e->binary.op == OP_AND) {
        equate_all(f, e->binary.left);
        equate_all(f, e->binary.right);
    } else if (e->binary.op == OP_EQ) {
        equate(f, e->binary.left, e->binary.right);
    }
}

/* Only conditions that hold for every row of the result: those of inner joins with no outer join around them. */
static void equate_joins(struct closure *f, const struct from *from)
{
    if (!from || from->source) return;
    for (size_t i = 0; i < from->join_count; i++)
        if (from->joins[i].type == JOIN_RIGHT || from->joins[i].type == JOIN_FULL) return;
    equate_joins(f, from->joined);
    for (size_t i = 0; i < from->join_count; i++)
        if (from->joins[i].type == JOIN_INNER) equate_all(f, from->joins[i].on);
}

/* A key of the table among the fixed columns fixes the rest. */
static void close_keys(struct closure *f, size_t i)
{
    const struct table *t = f->s->sources[i]->table;
    size_t key_columns = 0, key_fixed = 0;
    bool unique = false;
    if (!t) return;
    for (size_t n = 0; n < t->column_count; n++) {
        const struct column *c = &t->columns[n];
        if (c->primary_key) {
            key_columns++;
            if (f->fixed[i][n]) key_fixed++;
        }
        if (c->unique && !c->nullable && f->fixed[i][n]) unique = true;
    }
    if (!unique && (!key_columns || key_fixed < key_columns)) return;
    for (size_t n = 0; n < t->column_count; n++) {
        if (f->fixed[i][n]) continue;
        f->fixed[i][n] = f->changed = true;
    }
}

static void close_over(struct closure *f, const struct body *b)
{
    f->fixed = call_array(f->k->c, f->s->count, sizeof *f->fixed);
    for (size_t i = 0; i < f->s->count; i++)
        f->fixed[i] = call_array(f->k->c, f->s->sources[i]->offer_count, sizeof **f->fixed);
    for (size_t i = 0; i < b->select.group_by.count; i++) {
        bool *flag = flag_of(f, b->select.group_by.items[i]);
        if (flag) *flag = true;
    }
    do {
        f->changed = false;
        equate_joins(f, b->select.from);
        equate_all(f, b->select.where);
        for (size_t i = 0; i < f->s->count; i++) close_keys(f, i);
    } while (f->changed);
}

/* ---- what is shown ---- */

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
        g->closure = (struct closure){ .k = g->k, .s = g->s };
        close_over(&g->closure, g->body);
        g->closed = true;
    }
    const bool *flag = flag_of(&g->closure, e);
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
    if (!e->column.source || source_position(g->s, e->column.source) < 0) return;
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

void check_grouping(struct checker *k, struct scope *s, const struct path *p, struct query *q)
{
    struct body *b = q->body;
    const struct path *body = PATH(p, "body");
    struct grouping g = { .k = k, .s = s, .body = b };
    b->select.aggregated = b->select.group_by.count || b->select.having || s->aggregates;
    if (!b->select.aggregated || k->errors) return;
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
