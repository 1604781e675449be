#include "plan/closure.h"

#include <string.h>

ptrdiff_t scope_position(const struct scope *s, const struct source *source)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->sources[i] == source) return (ptrdiff_t)i;
    return -1;
}

bool query_is_one_row(const struct query *q)
{
    if (q->limit && q->limit->kind == EXPR_LITERAL && q->limit->literal.text && !strcmp(q->limit->literal.text, "1"))
        return true;
    const struct body *b = q->body;
    return b->kind == BODY_SELECT && (!b->select.from || (b->select.aggregated && !b->select.group_by.count));
}

static const struct query *source_query(const struct source *s)
{
    if (s->kind == SOURCE_QUERY) return s->query;
    return s->kind == SOURCE_CTE && s->cte && !s->cte->recurses ? s->cte->query : NULL;
}

bool source_is_one_row(const struct source *s)
{
    const struct query *q = source_query(s);
    return q && query_is_one_row(q);
}

/* ---- keys ---- */

static bool table_key(const struct table *t, bool *key)
{
    size_t columns = 0;
    for (size_t i = 0; i < t->column_count; i++)
        if (t->columns[i].primary_key) {
            key[i] = true;
            columns++;
        }
    return columns > 0;
}

/* A grouped query has one row for each combination of the grouped expressions; all of them must be shown. */
static bool grouped_key(const struct body *b, bool *key)
{
    for (size_t g = 0; g < b->select.group_by.count; g++) {
        size_t i = 0;
        while (i < b->select.item_count && !expr_equal(b->select.items[i].expr, b->select.group_by.items[g])) i++;
        if (i == b->select.item_count) return false;
        key[i] = true;
    }
    return true;
}

bool source_key(const struct source *s, bool *key)
{
    if (s->table) return table_key(s->table, key);
    const struct query *q = source_query(s);
    if (!q) return false;
    if (q->body->kind == BODY_SELECT && q->body->select.group_by.count && grouped_key(q->body, key)) return true;
    bool distinct = q->body->kind == BODY_SELECT ? q->body->select.distinct
                                                 : q->body->kind == BODY_SET && q->body->set.op == SET_UNION;
    for (size_t i = 0; i < s->offer_count; i++) key[i] = distinct;
    return distinct;
}

/* ---- the closure ---- */

void closure_init(struct closure *f, struct call *c, struct scope *s)
{
    *f = (struct closure){ .s = s };
    f->fixed = call_array(c, s->count, sizeof *f->fixed);
    f->keys = call_array(c, s->count, sizeof *f->keys);
    for (size_t i = 0; i < s->count; i++) {
        const struct source *source = s->sources[i];
        f->fixed[i] = call_array(c, source->offer_count, sizeof **f->fixed);
        f->keys[i] = call_array(c, source->offer_count, sizeof **f->keys);
        if (source_is_one_row(source))
            closure_fix_source(f, i);
        else if (!source_key(source, f->keys[i]))
            f->keys[i] = NULL;
    }
}

void closure_fix_source(struct closure *f, size_t i)
{
    memset(f->fixed[i], 1, f->s->sources[i]->offer_count);
}

bool *closure_flag(const struct closure *f, const struct expr *e)
{
    if (e->kind != EXPR_COLUMN || !e->column.source) return NULL;
    ptrdiff_t at = scope_position(f->s, e->column.source);
    return at < 0 ? NULL : &f->fixed[at][e->column.index];
}

bool closure_source_fixed(const struct closure *f, size_t i)
{
    for (size_t n = 0; n < f->s->sources[i]->offer_count; n++)
        if (!f->fixed[i][n]) return false;
    return true;
}

static bool constant(const struct closure *f, const struct expr *e)
{
    return e->kind == EXPR_LITERAL || (e->kind == EXPR_COLUMN && e->column.source && !closure_flag(f, e));
}

/* a = b: a fixed side fixes the other; a literal or an outer column fixes at once. */
static void equate(struct closure *f, const struct expr *a, const struct expr *b)
{
    bool *x = closure_flag(f, a), *y = closure_flag(f, b);
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

static void equate_joins(struct closure *f, const struct from *from, bool outer_too)
{
    if (!from || from->source) return;
    for (size_t i = 0; i < from->join_count && !outer_too; i++)
        if (from->joins[i].type == JOIN_RIGHT || from->joins[i].type == JOIN_FULL) return;
    equate_joins(f, from->joined, outer_too);
    for (size_t i = 0; i < from->join_count; i++)
        if (outer_too || from->joins[i].type == JOIN_INNER) equate_all(f, from->joins[i].on);
}

static void close_keys(struct closure *f, size_t i)
{
    const struct source *s = f->s->sources[i];
    bool whole = f->keys[i] != NULL, unique = false;
    for (size_t n = 0; n < s->offer_count; n++) {
        if (f->keys[i] && f->keys[i][n] && !f->fixed[i][n]) whole = false;
        if (s->table && s->table->columns[n].unique && !s->table->columns[n].nullable && f->fixed[i][n]) unique = true;
    }
    if ((!whole && !unique) || closure_source_fixed(f, i)) return;
    closure_fix_source(f, i);
    f->changed = true;
}

void closure_run(struct closure *f, const struct body *b, bool outer_too)
{
    do {
        f->changed = false;
        equate_joins(f, b->select.from, outer_too);
        equate_all(f, b->select.where);
        for (size_t i = 0; i < f->s->count; i++) close_keys(f, i);
    } while (f->changed);
}
