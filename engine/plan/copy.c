#include "plan/plan.h"

#include <string.h>

static void *copied(struct call *c, const void *items, size_t count, size_t bytes)
{
    if (!count) return NULL;
    void *to = call_array(c, count, bytes);
    memcpy(to, items, count * bytes);
    return to;
}

static struct exprs copy_exprs(struct call *c, const struct exprs *from)
{
    struct exprs to = { .items = copied(c, from->items, from->count, sizeof *from->items), .count = from->count };
    for (size_t i = 0; i < to.count; i++) to.items[i] = expr_copy(c, from->items[i]);
    return to;
}

static struct orders copy_orders(struct call *c, const struct orders *from)
{
    struct orders to = { .items = copied(c, from->items, from->count, sizeof *from->items), .count = from->count };
    for (size_t i = 0; i < to.count; i++) to.items[i].expr = expr_copy(c, from->items[i].expr);
    return to;
}

static struct window *copy_window(struct call *c, const struct window *from)
{
    if (!from) return NULL;
    struct window *to = copied(c, from, 1, sizeof *from);
    to->partition_by = copy_exprs(c, &from->partition_by);
    to->order_by = copy_orders(c, &from->order_by);
    if (!from->frame) return to;
    to->frame = copied(c, from->frame, 1, sizeof *from->frame);
    to->frame->start.offset = expr_copy(c, from->frame->start.offset);
    to->frame->end.offset = expr_copy(c, from->frame->end.offset);
    return to;
}

static void copy_case(struct call *c, struct expr *e)
{
    e->cases.whens = copied(c, e->cases.whens, e->cases.count, sizeof *e->cases.whens);
    for (size_t i = 0; i < e->cases.count; i++) {
        e->cases.whens[i].when = expr_copy(c, e->cases.whens[i].when);
        e->cases.whens[i].then = expr_copy(c, e->cases.whens[i].then);
    }
    e->cases.otherwise = expr_copy(c, e->cases.otherwise);
}

static void copy_call(struct call *c, struct expr *e)
{
    e->call.args = copy_exprs(c, &e->call.args);
    e->call.filter = expr_copy(c, e->call.filter);
    e->call.within = copy_orders(c, &e->call.within);
    e->call.over = copy_window(c, e->call.over);
    e->call.function = NULL;
}

struct expr *expr_copy(struct call *c, const struct expr *from)
{
    if (!from) return NULL;
    struct expr *e = copied(c, from, 1, sizeof *from);
    if (e->kind != EXPR_LITERAL) e->type = (struct value_type){ 0 };
    e->nullable = false;
    switch (e->kind) {
    case EXPR_LITERAL:
    case EXPR_STAR:
        break;
    case EXPR_COLUMN:
        e->column.source = NULL;
        e->column.index = 0;
        e->column.levels_up = 0;
        break;
    case EXPR_OUTPUT:
        e->output.index = 0;
        break;
    case EXPR_CALL:
        copy_call(c, e);
        break;
    case EXPR_UNARY:
        e->unary.arg = expr_copy(c, e->unary.arg);
        break;
    case EXPR_BINARY:
        e->binary.left = expr_copy(c, e->binary.left);
        e->binary.right = expr_copy(c, e->binary.right);
        break;
    case EXPR_LIKE:
        e->like.arg = expr_copy(c, e->like.arg);
        e->like.pattern = expr_copy(c, e->like.pattern);
        e->like.escape = expr_copy(c, e->like.escape);
        break;
    case EXPR_BETWEEN:
        e->between.arg = expr_copy(c, e->between.arg);
        e->between.low = expr_copy(c, e->between.low);
        e->between.high = expr_copy(c, e->between.high);
        break;
    case EXPR_IN:
        e->in.arg = expr_copy(c, e->in.arg);
        e->in.list = copy_exprs(c, &e->in.list);
        e->in.query = plan_copy(c, e->in.query);
        break;
    case EXPR_IS_NULL:
    case EXPR_IS_DISTINCT:
        e->is.left = expr_copy(c, e->is.left);
        e->is.right = expr_copy(c, e->is.right);
        break;
    case EXPR_EXISTS:
    case EXPR_QUERY:
        e->query = plan_copy(c, e->query);
        break;
    case EXPR_CASE:
        copy_case(c, e);
        break;
    case EXPR_CAST:
        e->cast.arg = expr_copy(c, e->cast.arg);
        break;
    case EXPR_INTERVAL:
        e->interval.value = expr_copy(c, e->interval.value);
        break;
    case EXPR_ROW:
        e->row = copy_exprs(c, &e->row);
        break;
    }
    return e;
}

static struct source *copy_source(struct call *c, const struct source *from)
{
    struct source *s = call_alloc(c, sizeof *s);
    s->kind = from->kind;
    s->schema = from->schema;
    s->name = from->name;
    s->alias = from->alias;
    s->query = plan_copy(c, from->query);
    s->columns = from->columns;
    s->column_count = from->column_count;
    return s;
}

static struct from *copy_from(struct call *c, const struct from *from)
{
    if (!from) return NULL;
    struct from *f = copied(c, from, 1, sizeof *from);
    if (f->source) f->source = copy_source(c, f->source);
    f->joined = copy_from(c, f->joined);
    f->joins = copied(c, f->joins, f->join_count, sizeof *f->joins);
    for (size_t i = 0; i < f->join_count; i++) {
        f->joins[i].source = copy_source(c, f->joins[i].source);
        f->joins[i].on = expr_copy(c, f->joins[i].on);
    }
    return f;
}

static struct body *copy_body(struct call *c, const struct body *from)
{
    struct body *b = copied(c, from, 1, sizeof *from);
    switch (b->kind) {
    case BODY_SELECT:
        b->select.items = copied(c, b->select.items, b->select.item_count, sizeof *b->select.items);
        b->select.item_room = 0;
        for (size_t i = 0; i < b->select.item_count; i++)
            b->select.items[i].expr = expr_copy(c, b->select.items[i].expr);
        b->select.from = copy_from(c, b->select.from);
        b->select.where = expr_copy(c, b->select.where);
        b->select.group_by = copy_exprs(c, &b->select.group_by);
        b->select.having = expr_copy(c, b->select.having);
        b->select.aggregated = false;
        break;
    case BODY_SET:
        b->set.left = plan_copy(c, b->set.left);
        b->set.right = plan_copy(c, b->set.right);
        break;
    case BODY_VALUES:
        b->values.rows = copied(c, b->values.rows, b->values.count, sizeof *b->values.rows);
        for (size_t i = 0; i < b->values.count; i++) b->values.rows[i] = copy_exprs(c, &b->values.rows[i]);
        break;
    }
    return b;
}

struct query *plan_copy(struct call *c, const struct query *from)
{
    if (!from) return NULL;
    struct query *q = call_alloc(c, sizeof *q);
    q->cte_count = from->cte_count;
    q->ctes = call_array(c, q->cte_count, sizeof *q->ctes);
    for (size_t i = 0; i < q->cte_count; i++)
        q->ctes[i] = (struct cte){ .name = from->ctes[i].name,
                                   .columns = from->ctes[i].columns,
                                   .column_count = from->ctes[i].column_count,
                                   .recursive = from->ctes[i].recursive,
                                   .query = plan_copy(c, from->ctes[i].query) };
    q->body = copy_body(c, from->body);
    q->order_by = copy_orders(c, &from->order_by);
    q->limit = expr_copy(c, from->limit);
    q->offset = expr_copy(c, from->offset);
    return q;
}
