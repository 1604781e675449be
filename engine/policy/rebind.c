#include "policy/rebind.h"

#include "plan/walk.h"

#include <stdlib.h>
#include <string.h>

/* All nodes of a plan in one order. */
struct nodes {
    struct call *call;
    struct list queries, sources, exprs; /* pointers */
};

static bool on_query(void *ctx, struct query *q)
{
    struct nodes *n = ctx;
    *(struct query **)list_push(n->call, &n->queries, sizeof q) = q;
    return true;
}

static bool on_source(void *ctx, struct source *s)
{
    struct nodes *n = ctx;
    *(struct source **)list_push(n->call, &n->sources, sizeof s) = s;
    return true;
}

static bool on_expr(void *ctx, struct expr **slot)
{
    struct nodes *n = ctx;
    *(struct expr **)list_push(n->call, &n->exprs, sizeof *slot) = *slot;
    return true;
}

static struct nodes collect(struct call *c, struct query *plan)
{
    struct nodes n = { .call = c };
    struct plan_visitor v = { .ctx = &n, .query = on_query, .source = on_source, .expr = on_expr };
    plan_walk(&v, plan);
    return n;
}

struct list rebind_sources(struct call *c, struct query *plan)
{
    struct nodes n = { .call = c };
    struct plan_visitor v = { .ctx = &n, .source = on_source };
    plan_walk(&v, plan);
    return n.sources;
}

static struct source *source_twin(const struct nodes *from, const struct nodes *to, const struct source *s)
{
    for (size_t i = 0; i < from->sources.count; i++)
        if (LIST_AT(&from->sources, struct source *, i) == s) return LIST_AT(&to->sources, struct source *, i);
    return NULL;
}

static struct cte *cte_twin(const struct nodes *from, const struct nodes *to, const struct cte *cte)
{
    for (size_t i = 0; i < from->queries.count; i++) {
        const struct query *q = LIST_AT(&from->queries, struct query *, i);
        for (size_t k = 0; k < q->cte_count; k++)
            if (&q->ctes[k] == cte) return &LIST_AT(&to->queries, struct query *, i)->ctes[k];
    }
    return NULL;
}

static void bind_expr(const struct nodes *from, const struct nodes *to, const struct expr *e, struct expr *copy)
{
    copy->type = e->type;
    copy->nullable = e->nullable;
    if (e->kind == EXPR_COLUMN) {
        copy->column.source = source_twin(from, to, e->column.source);
        copy->column.index = e->column.index;
        copy->column.levels_up = e->column.levels_up;
    } else if (e->kind == EXPR_OUTPUT) {
        copy->output.index = e->output.index;
    } else if (e->kind == EXPR_CALL) {
        copy->call.function = e->call.function;
    }
}

static void bind_query(const struct query *q, struct query *copy)
{
    copy->offers = q->offers;
    copy->offer_count = q->offer_count;
    for (size_t k = 0; k < q->cte_count; k++) {
        copy->ctes[k].offers = q->ctes[k].offers;
        copy->ctes[k].offer_count = q->ctes[k].offer_count;
        copy->ctes[k].recurses = q->ctes[k].recurses;
        copy->ctes[k].counted = q->ctes[k].counted;
    }
    if (q->body->kind == BODY_SELECT) copy->body->select.aggregated = q->body->select.aggregated;
}

struct query *rebind_copy(struct call *c, struct query *plan, struct list *sources)
{
    struct query *copy = plan_copy(c, plan);
    struct nodes from = collect(c, plan), to = collect(c, copy);
    if (from.queries.count != to.queries.count || from.sources.count != to.sources.count ||
        from.exprs.count != to.exprs.count)
        abort(); /* a copy that is no copy */
    for (size_t i = 0; i < from.queries.count; i++)
        bind_query(LIST_AT(&from.queries, struct query *, i), LIST_AT(&to.queries, struct query *, i));
    for (size_t i = 0; i < from.sources.count; i++) {
        const struct source *s = LIST_AT(&from.sources, struct source *, i);
        struct source *twin = LIST_AT(&to.sources, struct source *, i);
        twin->table = s->table;
        twin->table_index = s->table_index;
        twin->cte = s->cte ? cte_twin(&from, &to, s->cte) : NULL;
        twin->offers = s->offers;
        twin->offer_count = s->offer_count;
        twin->used = s->used;
    }
    for (size_t i = 0; i < from.exprs.count; i++)
        bind_expr(&from, &to, LIST_AT(&from.exprs, struct expr *, i), LIST_AT(&to.exprs, struct expr *, i));
    *sources = to.sources;
    return copy;
}

void rebind_wrap(struct source *copy, struct query *q)
{
    copy->kind = SOURCE_QUERY;
    copy->schema = copy->name = NULL;
    copy->query = q;
    copy->table = NULL;
}

static bool count_column(void *ctx, struct expr **slot)
{
    const struct list *wrapped = ctx;
    struct expr *e = *slot;
    if (e->kind != EXPR_COLUMN) return true;
    for (size_t i = 0; i < wrapped->count; i++) {
        const struct source *s = LIST_AT(wrapped, struct source *, i);
        if (s != e->column.source) continue;
        size_t index = 0;
        for (size_t k = 0; k < e->column.index; k++) index += s->used && s->used[k] ? 1 : 0;
        e->column.index = index;
        break;
    }
    return true;
}

void rebind_columns(struct query *copy, const struct list *wrapped)
{
    struct list list = *wrapped;
    struct plan_visitor v = { .ctx = &list, .expr = count_column };
    plan_walk(&v, copy);
    for (size_t i = 0; i < wrapped->count; i++) {
        struct source *s = LIST_AT(wrapped, struct source *, i);
        s->offers = s->query->offers;
        s->offer_count = s->query->offer_count;
        s->used = NULL;
    }
}
