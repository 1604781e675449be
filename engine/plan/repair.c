#include "plan/repair.h"

#include "plan/closure.h"
#include "plan/walk.h"

#include <string.h>
#include <strings.h>

/* ---- relationships ---- */

static const struct foreign_key *key_to(const struct source *from, const struct source *to)
{
    if (!from->table || !to->table) return NULL;
    for (size_t i = 0; i < from->table->foreign_key_count; i++) {
        const struct foreign_key *f = &from->table->foreign_keys[i];
        if (!strcasecmp(f->table, to->table->name) &&
            (!f->schema || !to->table->schema || !strcasecmp(f->schema, to->table->schema)))
            return f;
    }
    return NULL;
}

struct relationship relationship_of(const struct scope *s, size_t a, size_t b)
{
    const struct source *x = s->sources[a], *y = s->sources[b];
    const struct foreign_key *key = key_to(x, y);
    if (key) return (struct relationship){ key, x, y };
    return (struct relationship){ key_to(y, x), y, x };
}

struct relationship relationship_between(const struct scope *s, const size_t *group, size_t a, size_t b)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t n = 0; n < s->count; n++) {
            if (group[i] != group[a] || group[n] != group[b]) continue;
            struct relationship r = relationship_of(s, i, n);
            if (r.key) return r;
        }
    return (struct relationship){ 0 };
}

const char *relationship_text(struct call *c, const struct relationship *r)
{
    struct buf b;
    buf_init(&b, c, 2000);
    for (size_t i = 0; i < r->key->column_count; i++)
        buf_format(&b, "%s%s.%s = %s.%s", i ? " and " : "", r->from->alias, r->key->columns[i], r->to->alias,
                   r->key->referred[i]);
    return b.data;
}

static struct expr *condition(struct call *c, const struct relationship *r)
{
    struct expr *e = NULL;
    for (size_t i = 0; i < r->key->column_count; i++)
        e = expr_and(c, e,
                     expr_binary(c, OP_EQ, expr_column(c, r->from->alias, r->key->columns[i]),
                                 expr_column(c, r->to->alias, r->key->referred[i])));
    return e;
}

/* ---- the copy ---- */

struct finder {
    const struct query *wanted;
    size_t index, at; /* position of the wanted one; of the one to return */
    struct query *found;
    bool counting;
};

static bool find_query(void *ctx, struct query *q)
{
    struct finder *f = ctx;
    if (f->counting) {
        if (q == f->wanted) f->at = f->index;
    } else if (f->index == f->at) {
        f->found = q;
    }
    f->index++;
    return true;
}

/* The query of the copy that stands where q stands in the original. */
static struct query *counterpart(struct query *original, struct query *copy, const struct query *q)
{
    struct finder f = { .wanted = q, .at = SIZE_MAX, .counting = true };
    struct plan_visitor v = { .ctx = &f, .query = find_query };
    plan_walk(&v, original);
    f.counting = false;
    f.index = 0;
    plan_walk(&v, copy);
    return f.found;
}

/* Keeps the repaired plan when it passes by itself. The findings so far are put aside meanwhile. */
static void offer(struct checker *k, struct query *repaired)
{
    struct err err = k->c->err;
    k->c->err = (struct err){ 0 };
    int rc = plan_check(k->c, k->view, k->dialect, k->origin, repaired, NULL);
    k->c->err = err;
    if (!rc) k->out->suggested = repaired;
}

static bool wanted(const struct checker *k)
{
    return k->out && !k->out->suggested;
}

/* ---- a missing or a wrong condition ---- */

static bool replace_condition(struct expr **slot, const struct expr *wrong, struct expr *right)
{
    struct expr *e = *slot;
    if (!e) return false;
    if (expr_equal(e, wrong)) {
        *slot = right;
        return true;
    }
    return e->kind == EXPR_BINARY && e->binary.op == OP_AND &&
           (replace_condition(&e->binary.left, wrong, right) || replace_condition(&e->binary.right, wrong, right));
}

static bool replace_in_from(struct from *f, const struct expr *wrong, struct expr *right)
{
    if (!f || f->source) return false;
    for (size_t i = 0; i < f->join_count; i++)
        if (replace_condition(&f->joins[i].on, wrong, right)) return true;
    return replace_in_from(f->joined, wrong, right);
}

/* The join that brings in the later of the two sources, where a condition may name both. */
static struct join *later_join(struct from *f, const struct relationship *r, size_t *left)
{
    if (!f) return NULL;
    if (f->source) {
        if (!strcasecmp(f->source->alias, r->from->alias) || !strcasecmp(f->source->alias, r->to->alias)) --*left;
        return NULL;
    }
    struct join *j = later_join(f->joined, r, left);
    for (size_t i = 0; i < f->join_count && !j; i++) {
        const char *alias = f->joins[i].source->alias;
        if (strcasecmp(alias, r->from->alias) && strcasecmp(alias, r->to->alias)) continue;
        if (!--*left) j = &f->joins[i];
    }
    return j;
}

void suggest_join(struct checker *k, const struct query *q, const struct relationship *r, const struct expr *wrong)
{
    if (!wanted(k)) return;
    struct query *copy = plan_copy(k->c, k->root), *at = counterpart(k->root, copy, q);
    struct expr *right = condition(k->c, r);
    struct body *b = at->body;
    if (wrong) {
        if (!replace_in_from(b->select.from, wrong, right) && !replace_condition(&b->select.where, wrong, right))
            return;
    } else {
        size_t left = 2;
        struct join *j = later_join(b->select.from, r, &left);
        if (j && (j->type == JOIN_CROSS || j->type == JOIN_INNER)) {
            j->type = JOIN_INNER;
            j->on = expr_and(k->c, j->on, right);
        } else {
            query_where(k->c, at, right);
        }
    }
    offer(k, copy);
}

/* ---- a measure that a join repeats ---- */

#define ROWS "distinct_rows"

struct rewriter {
    struct checker *k;
    const struct source *measured; /* the source every aggregate reads; bound */
    struct query *inner;           /* the select distinct */
    struct exprs groups;           /* expressions as they stood, beside the inner items g0, g1, … */
    struct exprs outer_groups;
    int measures;
    bool failed;
};

static void find_measured(void *ctx, struct expr **slot)
{
    struct rewriter *w = ctx;
    const struct expr *e = *slot;
    if (e->kind == EXPR_COLUMN && e->column.levels_up == 0) {
        if (w->measured && w->measured != e->column.source) w->failed = true;
        w->measured = e->column.source;
    }
    if (expr_inner_query(e)) w->failed = true;
    expr_children(*slot, find_measured, ctx);
}

static void find_aggregates(void *ctx, struct expr **slot)
{
    struct rewriter *w = ctx;
    struct expr *e = *slot;
    if (expr_inner_query(e)) w->failed = true;
    if (!expr_is_aggregate(e)) {
        expr_children(e, find_aggregates, ctx);
        return;
    }
    const struct source *before = w->measured;
    w->measured = NULL;
    if (!e->call.args.count || e->call.filter || e->call.within.count) w->failed = true;
    expr_children(e, find_measured, ctx);
    if (!w->measured || (before && before != w->measured)) w->failed = true;
}

static void each_shown(struct query *q, void (*fn)(void *ctx, struct expr **slot), void *ctx)
{
    struct body *b = q->body;
    for (size_t i = 0; i < b->select.item_count; i++) fn(ctx, &b->select.items[i].expr);
    if (b->select.having) fn(ctx, &b->select.having);
    for (size_t i = 0; i < q->order_by.count; i++) fn(ctx, &q->order_by.items[i].expr);
}

static struct expr *group_column(struct rewriter *w, struct expr *e)
{
    struct call *c = w->k->c;
    size_t i = 0;
    while (i < w->groups.count && !expr_equal(w->groups.items[i], e)) i++;
    const char *name = call_format(c, "g%zu", i);
    if (i == w->groups.count) {
        exprs_push(c, &w->groups, e);
        exprs_push(c, &w->outer_groups, expr_column(c, ROWS, name));
        query_item(c, w->inner, e, name);
    }
    return expr_column(c, ROWS, name);
}

/* Works on the copy, which is not bound: an aggregate is known by its name. */
static void rewrite(void *ctx, struct expr **slot)
{
    struct rewriter *w = ctx;
    struct expr *e = *slot;
    size_t i = 0;
    while (i < w->groups.count && !expr_equal(w->groups.items[i], e)) i++;
    if (i < w->groups.count || e->kind == EXPR_COLUMN) {
        *slot = group_column(w, e);
        return;
    }
    const struct function *f = e->kind == EXPR_CALL && !e->call.over ? function_find(e->call.name) : NULL;
    if (f && f->class == FUNC_AGGREGATE) {
        const char *name = call_format(w->k->c, "m%d", w->measures++);
        query_item(w->k->c, w->inner, e->call.args.items[0], name);
        e->call.args.items[0] = expr_column(w->k->c, ROWS, name);
        return;
    }
    expr_children(e, rewrite, w);
}

void suggest_distinct_rows(struct checker *k, const struct query *q)
{
    struct rewriter w = { .k = k };
    if (!wanted(k)) return;
    each_shown((struct query *)(uintptr_t)q, find_aggregates, &w);
    if (w.failed || !w.measured) return;
    bool *key = call_array(k->c, w.measured->offer_count, sizeof *key);
    if (!source_key(w.measured, key)) return;
    struct query *copy = plan_copy(k->c, k->root), *at = counterpart(k->root, copy, q);
    w.inner = query_select(k->c);
    w.inner->body->select.distinct = true;
    w.inner->body->select.from = at->body->select.from;
    w.inner->body->select.where = at->body->select.where;
    for (size_t i = 0; i < at->body->select.group_by.count; i++) group_column(&w, at->body->select.group_by.items[i]);
    for (size_t i = 0; i < w.measured->offer_count; i++)
        if (key[i])
            query_item(k->c, w.inner, expr_column(k->c, w.measured->alias, w.measured->offers[i].name),
                       call_format(k->c, "k%zu", i));
    each_shown(at, rewrite, &w);
    at->body->select.from = NULL;
    at->body->select.where = NULL;
    query_from_query(k->c, at, w.inner, ROWS);
    at->body->select.group_by = w.outer_groups;
    offer(k, copy);
}
