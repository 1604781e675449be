#include "domain/result.h"
#include "plan/walk.h"

#include <string.h>

/* What is known of one query: beside its offers, the base columns each comes from. While it is being worked out, what
 * is there so far stands, which is how a recursive query sees its start. */
struct known {
    const struct query *query;
    struct list *columns;
};

struct lineage {
    struct call *c;
    struct list known; /* struct known * */
    struct list *into; /* where columns being met are added */
};

static struct list *query_lineage(struct lineage *l, const struct query *q);

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void add(struct lineage *l, struct list *to, const struct source_column *column)
{
    for (size_t i = 0; i < to->count; i++) {
        const struct source_column *have = &LIST_AT(to, struct source_column, i);
        if (same_text(have->schema, column->schema) && same_text(have->table, column->table) &&
            same_text(have->column, column->column))
            return;
    }
    *(struct source_column *)list_push(l->c, to, sizeof *column) = *column;
}

static void add_all(struct lineage *l, struct list *to, const struct list *from)
{
    for (size_t i = 0; from != to && i < from->count; i++) add(l, to, &LIST_AT(from, struct source_column, i));
}

static void add_column(struct lineage *l, const struct source *s, size_t index)
{
    if (s->table) {
        const struct source_column column = { s->table->schema, s->table->name, s->offers[index].name };
        add(l, l->into, &column);
        return;
    }
    const struct query *q = s->kind == SOURCE_QUERY ? s->query : s->cte ? s->cte->query : NULL;
    if (!q) return;
    struct list *into = l->into, *columns = query_lineage(l, q);
    l->into = into;
    add_all(l, into, &columns[index]);
}

static void visit(void *ctx, struct expr **slot)
{
    struct lineage *l = ctx;
    struct expr *e = *slot;
    struct query *q = expr_inner_query(e);
    if (e->kind == EXPR_COLUMN && e->column.source) add_column(l, e->column.source, e->column.index);
    if (q) {
        struct list *into = l->into, *columns = query_lineage(l, q);
        l->into = into;
        for (size_t i = 0; i < q->offer_count; i++) add_all(l, into, &columns[i]);
    }
    expr_children(e, visit, l);
}

static void of_expr(struct lineage *l, const struct expr *e, struct list *into)
{
    struct expr *slot = (struct expr *)(uintptr_t)e; /* only looked at */
    l->into = into;
    visit(l, &slot);
}

static void of_body(struct lineage *l, const struct query *q, struct list *columns)
{
    const struct body *b = q->body;
    if (b->kind == BODY_SELECT) {
        for (size_t i = 0; i < b->select.item_count; i++) of_expr(l, b->select.items[i].expr, &columns[i]);
    } else if (b->kind == BODY_SET) {
        const struct query *sides[] = { b->set.left, b->set.right };
        for (size_t n = 0; n < 2; n++) {
            const struct list *side = query_lineage(l, sides[n]);
            for (size_t i = 0; i < q->offer_count; i++) add_all(l, &columns[i], &side[i]);
        }
    } else {
        for (size_t n = 0; n < b->values.count; n++)
            for (size_t i = 0; i < q->offer_count; i++) of_expr(l, b->values.rows[n].items[i], &columns[i]);
    }
}

static struct list *query_lineage(struct lineage *l, const struct query *q)
{
    for (size_t i = 0; i < l->known.count; i++) {
        const struct known *k = LIST_AT(&l->known, struct known *, i);
        if (k->query == q) return k->columns;
    }
    struct known *k = call_alloc(l->c, sizeof *k);
    k->query = q;
    k->columns = call_array(l->c, q->offer_count, sizeof *k->columns);
    *(struct known **)list_push(l->c, &l->known, sizeof k) = k;
    of_body(l, q, k->columns);
    return k->columns;
}

void plan_lineage(struct call *c, const struct query *q, struct list *per_column)
{
    struct lineage l = { .c = c };
    const struct list *columns = query_lineage(&l, q);
    for (size_t i = 0; i < q->offer_count; i++)
        *(struct list *)list_push(c, per_column, sizeof(struct list)) = columns[i];
}

/* ---- filters ---- */

struct filters {
    struct lineage lineage;
    struct list *out;
};

static void add_filter(struct filters *f, const struct expr *e)
{
    if (!e) return;
    if (e->kind == EXPR_BINARY && e->binary.op == OP_AND) {
        add_filter(f, e->binary.left);
        add_filter(f, e->binary.right);
        return;
    }
    struct list sources = { 0 };
    of_expr(&f->lineage, e, &sources);
    struct plan_filter *filter = list_push(f->lineage.c, f->out, sizeof *filter);
    *filter = (struct plan_filter){ e, sources };
}

static void from_filters(struct filters *f, const struct from *from)
{
    if (!from || from->source) return;
    from_filters(f, from->joined);
    for (size_t i = 0; i < from->join_count; i++) add_filter(f, from->joins[i].on);
}

static bool query_filters(void *ctx, struct query *q)
{
    struct filters *f = ctx;
    if (q->body->kind != BODY_SELECT) return true;
    add_filter(f, q->body->select.where);
    add_filter(f, q->body->select.having);
    from_filters(f, q->body->select.from);
    return true;
}

void plan_filters(struct call *c, const struct query *q, struct list *out)
{
    struct filters f = { .lineage = { .c = c }, .out = out };
    struct plan_visitor v = { .ctx = &f, .query = query_filters };
    plan_walk(&v, (struct query *)(uintptr_t)q); /* only looked at */
}
