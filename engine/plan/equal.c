#include "plan/plan.h"

#include <string.h>
#include <strings.h>

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && !strcasecmp(a, b));
}

static bool same_type(struct value_type a, struct value_type b)
{
    return a.kind == b.kind && a.precision == b.precision && a.scale == b.scale;
}

static bool exprs_equal(const struct exprs *a, const struct exprs *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!expr_equal(a->items[i], b->items[i])) return false;
    return true;
}

static bool orders_equal(const struct orders *a, const struct orders *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct order_item *x = &a->items[i], *y = &b->items[i];
        if (x->direction != y->direction || (x->nulls == NULLS_FIRST) != (y->nulls == NULLS_FIRST)) return false;
        if (!expr_equal(x->expr, y->expr)) return false;
    }
    return true;
}

static bool bound_equal(const struct frame_bound *a, const struct frame_bound *b)
{
    return a->kind == b->kind && expr_equal(a->offset, b->offset);
}

static bool window_equal(const struct window *a, const struct window *b)
{
    if (!a || !b) return a == b;
    if (!exprs_equal(&a->partition_by, &b->partition_by) || !orders_equal(&a->order_by, &b->order_by)) return false;
    if (!a->frame || !b->frame) return a->frame == b->frame;
    return a->frame->unit == b->frame->unit && a->frame->exclude == b->frame->exclude &&
           bound_equal(&a->frame->start, &b->frame->start) && bound_equal(&a->frame->end, &b->frame->end);
}

static bool literal_equal(const struct expr *a, const struct expr *b)
{
    if (!same_type(a->type, b->type) || a->literal.null != b->literal.null) return false;
    if (a->literal.null || !a->literal.text || !b->literal.text) return a->literal.null;
    return !strcmp(a->literal.text, b->literal.text);
}

static bool call_equal(const struct expr *a, const struct expr *b)
{
    return same_name(a->call.name, b->call.name) && a->call.distinct == b->call.distinct &&
           exprs_equal(&a->call.args, &b->call.args) && expr_equal(a->call.filter, b->call.filter) &&
           orders_equal(&a->call.within, &b->call.within) && window_equal(a->call.over, b->call.over);
}

static bool case_equal(const struct expr *a, const struct expr *b)
{
    if (a->cases.count != b->cases.count) return false;
    for (size_t i = 0; i < a->cases.count; i++)
        if (!expr_equal(a->cases.whens[i].when, b->cases.whens[i].when) ||
            !expr_equal(a->cases.whens[i].then, b->cases.whens[i].then))
            return false;
    return expr_equal(a->cases.otherwise, b->cases.otherwise);
}

bool expr_equal(const struct expr *a, const struct expr *b)
{
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || a->negated != b->negated) return false;
    switch (a->kind) {
    case EXPR_LITERAL:
        return literal_equal(a, b);
    case EXPR_COLUMN:
        return same_name(a->column.table, b->column.table) && same_name(a->column.column, b->column.column);
    case EXPR_OUTPUT:
        return same_name(a->output.name, b->output.name);
    case EXPR_CALL:
        return call_equal(a, b);
    case EXPR_UNARY:
        return a->unary.op == b->unary.op && expr_equal(a->unary.arg, b->unary.arg);
    case EXPR_BINARY:
        return a->binary.op == b->binary.op && expr_equal(a->binary.left, b->binary.left) &&
               expr_equal(a->binary.right, b->binary.right);
    case EXPR_LIKE:
        return a->like.fold == b->like.fold && expr_equal(a->like.arg, b->like.arg) &&
               expr_equal(a->like.pattern, b->like.pattern) && expr_equal(a->like.escape, b->like.escape);
    case EXPR_BETWEEN:
        return expr_equal(a->between.arg, b->between.arg) && expr_equal(a->between.low, b->between.low) &&
               expr_equal(a->between.high, b->between.high);
    case EXPR_IN:
        return expr_equal(a->in.arg, b->in.arg) && exprs_equal(&a->in.list, &b->in.list) &&
               plan_equal(a->in.query, b->in.query);
    case EXPR_IS_NULL:
    case EXPR_IS_DISTINCT:
        return expr_equal(a->is.left, b->is.left) && expr_equal(a->is.right, b->is.right);
    case EXPR_EXISTS:
    case EXPR_QUERY:
        return plan_equal(a->query, b->query);
    case EXPR_CASE:
        return case_equal(a, b);
    case EXPR_CAST:
        return same_type(a->cast.to, b->cast.to) && expr_equal(a->cast.arg, b->cast.arg);
    case EXPR_INTERVAL:
        return a->interval.unit == b->interval.unit && expr_equal(a->interval.value, b->interval.value);
    case EXPR_ROW:
        return exprs_equal(&a->row, &b->row);
    case EXPR_STAR:
        return true;
    }
    return false;
}

static bool names_equal(const char *const *a, size_t an, const char *const *b, size_t bn)
{
    if (an != bn) return false;
    for (size_t i = 0; i < an; i++)
        if (!same_name(a[i], b[i])) return false;
    return true;
}

static bool source_equal(const struct source *a, const struct source *b)
{
    if (!a || !b) return a == b;
    return a->kind == b->kind && same_name(a->schema, b->schema) && same_name(a->name, b->name) &&
           same_name(a->alias, b->alias) && names_equal(a->columns, a->column_count, b->columns, b->column_count) &&
           plan_equal(a->query, b->query);
}

static bool from_equal(const struct from *a, const struct from *b)
{
    if (!a || !b) return a == b;
    if (!source_equal(a->source, b->source) || !from_equal(a->joined, b->joined) || a->join_count != b->join_count)
        return false;
    for (size_t i = 0; i < a->join_count; i++)
        if (a->joins[i].type != b->joins[i].type || !source_equal(a->joins[i].source, b->joins[i].source) ||
            !expr_equal(a->joins[i].on, b->joins[i].on))
            return false;
    return true;
}

static bool select_equal(const struct body *a, const struct body *b)
{
    if (a->select.distinct != b->select.distinct || a->select.item_count != b->select.item_count) return false;
    for (size_t i = 0; i < a->select.item_count; i++) {
        const struct select_item *x = &a->select.items[i], *y = &b->select.items[i];
        bool alias = x->alias == y->alias || (x->alias && y->alias && !strcmp(x->alias, y->alias));
        if (!alias || !expr_equal(x->expr, y->expr)) return false;
    }
    return from_equal(a->select.from, b->select.from) && expr_equal(a->select.where, b->select.where) &&
           exprs_equal(&a->select.group_by, &b->select.group_by) && expr_equal(a->select.having, b->select.having);
}

static bool body_equal(const struct body *a, const struct body *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == BODY_SELECT) return select_equal(a, b);
    if (a->kind == BODY_SET)
        return a->set.op == b->set.op && plan_equal(a->set.left, b->set.left) && plan_equal(a->set.right, b->set.right);
    if (a->values.count != b->values.count) return false;
    for (size_t i = 0; i < a->values.count; i++)
        if (!exprs_equal(&a->values.rows[i], &b->values.rows[i])) return false;
    return true;
}

bool plan_equal(const struct query *a, const struct query *b)
{
    if (!a || !b) return a == b;
    if (a->cte_count != b->cte_count) return false;
    for (size_t i = 0; i < a->cte_count; i++) {
        const struct cte *x = &a->ctes[i], *y = &b->ctes[i];
        if (!same_name(x->name, y->name) || x->recursive != y->recursive || !plan_equal(x->query, y->query) ||
            !names_equal(x->columns, x->column_count, y->columns, y->column_count))
            return false;
    }
    return body_equal(a->body, b->body) && orders_equal(&a->order_by, &b->order_by) && expr_equal(a->limit, b->limit) &&
           expr_equal(a->offset, b->offset);
}
