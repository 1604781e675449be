#include "plan/checker.h"
#include "plan/walk.h"

struct measure {
    int depth;
    size_t nodes, sources;
    const char *wrong; /* what is wrong, NULL = nothing */
    enum err_code code;
};

static void measure_query(struct measure *m, struct query *q);

static void wrong(struct measure *m, enum err_code code, const char *what)
{
    if (m->wrong) return;
    m->wrong = what;
    m->code = code;
}

#define STR_(x) #x
#define STR(x)  STR_(x)

static bool enter(struct measure *m)
{
    if (++m->nodes > PLAN_NODES_MAX)
        wrong(m, ERR_PLAN_TOO_LARGE, "The plan has more than " STR(PLAN_NODES_MAX) " nodes.");
    if (++m->depth > PLAN_DEPTH_MAX)
        wrong(m, ERR_PLAN_TOO_LARGE, "The plan is nested more than " STR(PLAN_DEPTH_MAX) " deep.");
    return !m->wrong;
}

static bool whole_expr(const struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        return e->literal.null || e->literal.text;
    case EXPR_COLUMN:
        return e->column.table && e->column.column;
    case EXPR_OUTPUT:
        return e->output.name;
    case EXPR_CALL:
        return e->call.name;
    case EXPR_EXISTS:
    case EXPR_QUERY:
        return e->query;
    case EXPR_CASE:
        return e->cases.count;
    case EXPR_IS_DISTINCT:
        return e->is.right;
    default:
        return e->kind <= EXPR_STAR;
    }
}

static void measure_slot(void *ctx, struct expr **slot)
{
    struct measure *m = ctx;
    if (!*slot || !whole_expr(*slot)) wrong(m, ERR_INVALID_PLAN_STRUCTURE, "An expression of the plan is incomplete.");
    if (enter(m)) {
        expr_children(*slot, measure_slot, m);
        if (expr_inner_query(*slot)) measure_query(m, expr_inner_query(*slot));
    }
    m->depth--;
}

static void measure_source(struct measure *m, struct source *s)
{
    if (++m->sources > PLAN_SOURCES_MAX)
        wrong(m, ERR_PLAN_TOO_LARGE, "The plan has more than " STR(PLAN_SOURCES_MAX) " sources.");
    if (!s || !s->alias || !*s->alias || (s->kind == SOURCE_QUERY ? !s->query : !s->name))
        wrong(m, ERR_INVALID_PLAN_STRUCTURE, "A source of the plan is incomplete: it needs a name and an alias.");
    if (enter(m) && s->kind == SOURCE_QUERY) measure_query(m, s->query);
    m->depth--;
}

static void measure_from(struct measure *m, struct from *f)
{
    if (!f->source && !f->joined) wrong(m, ERR_INVALID_PLAN_STRUCTURE, "A from of the plan is empty.");
    if (enter(m)) {
        if (f->source)
            measure_source(m, f->source);
        else
            measure_from(m, f->joined);
        for (size_t i = 0; i < f->join_count && !f->source; i++) {
            measure_source(m, f->joins[i].source);
            if (f->joins[i].on) measure_slot(m, &f->joins[i].on);
        }
    }
    m->depth--;
}

static void measure_exprs(struct measure *m, struct exprs *l)
{
    for (size_t i = 0; i < l->count && !m->wrong; i++) measure_slot(m, &l->items[i]);
}

static void measure_body(struct measure *m, struct body *b)
{
    switch (b->kind) {
    case BODY_SELECT:
        if (b->select.from) measure_from(m, b->select.from);
        if (b->select.where) measure_slot(m, &b->select.where);
        measure_exprs(m, &b->select.group_by);
        if (b->select.having) measure_slot(m, &b->select.having);
        for (size_t i = 0; i < b->select.item_count && !m->wrong; i++) {
            if (!b->select.items[i].alias || !*b->select.items[i].alias)
                wrong(m, ERR_INVALID_PLAN_STRUCTURE, "Every select item needs an alias.");
            measure_slot(m, &b->select.items[i].expr);
        }
        break;
    case BODY_SET:
        measure_query(m, b->set.left);
        measure_query(m, b->set.right);
        break;
    case BODY_VALUES:
        for (size_t i = 0; i < b->values.count; i++) measure_exprs(m, &b->values.rows[i]);
        break;
    }
}

static void measure_query(struct measure *m, struct query *q)
{
    if (!q || !q->body) wrong(m, ERR_INVALID_PLAN_STRUCTURE, "A query of the plan is incomplete.");
    if (enter(m)) {
        for (size_t i = 0; i < q->cte_count; i++) {
            if (!q->ctes[i].name || !*q->ctes[i].name)
                wrong(m, ERR_INVALID_PLAN_STRUCTURE, "Every common table expression needs a name.");
            measure_query(m, q->ctes[i].query);
        }
        measure_body(m, q->body);
        for (size_t i = 0; i < q->order_by.count && !m->wrong; i++) measure_slot(m, &q->order_by.items[i].expr);
        if (q->limit) measure_slot(m, &q->limit);
        if (q->offset) measure_slot(m, &q->offset);
    }
    m->depth--;
}

void check_size(struct checker *k, struct query *q)
{
    struct measure m = { 0 };
    measure_query(&m, q);
    if (m.wrong) report(k, m.code, NULL, "%s", m.wrong);
}
