#include "plan/checker.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 10000

/* A whole number written out, within what a count of steps can need. */
static bool small_number(const struct expr *e, int64_t *out)
{
    if (e->kind != EXPR_LITERAL || e->type.kind != TYPE_INTEGER || e->literal.null || strlen(e->literal.text) > 9)
        return false;
    *out = strtoll(e->literal.text, NULL, 10);
    return true;
}

static bool own_column(const struct expr *e, const struct cte *t, size_t *index)
{
    if (e->kind != EXPR_COLUMN || !e->column.source || e->column.source->cte != t || e->column.levels_up) return false;
    *index = e->column.index;
    return true;
}

/* column < number, number > column: the bound and on which side it stands. */
static bool bounds(const struct expr *e, const struct cte *t, size_t *index, int64_t *most, bool *upper)
{
    if (e->kind != EXPR_BINARY || e->binary.op < OP_LT || e->binary.op > OP_GE) return false;
    bool less = e->binary.op == OP_LT || e->binary.op == OP_LE;
    if (own_column(e->binary.left, t, index) && small_number(e->binary.right, most)) {
        *upper = less;
        return true;
    }
    if (own_column(e->binary.right, t, index) && small_number(e->binary.left, most)) {
        *upper = !less;
        return true;
    }
    return false;
}

/* The step's item for the column is the column plus or minus a number. */
static bool moves(const struct expr *e, const struct cte *t, size_t index, int64_t *by)
{
    size_t own;
    if (e->kind != EXPR_BINARY || (e->binary.op != OP_ADD && e->binary.op != OP_SUB)) return false;
    if (!own_column(e->binary.left, t, &own) || own != index || !small_number(e->binary.right, by)) return false;
    if (e->binary.op == OP_SUB) *by = -*by;
    return *by != 0;
}

static bool counts(const struct expr *e, const struct cte *t)
{
    const struct body *start = t->query->body->set.left->body, *step = t->query->body->set.right->body;
    size_t index;
    int64_t most, from, by;
    bool upper;
    if (e->kind == EXPR_BINARY && e->binary.op == OP_AND)
        return counts(e->binary.left, t) || counts(e->binary.right, t);
    if (!bounds(e, t, &index, &most, &upper) || start->kind != BODY_SELECT) return false;
    if (index >= start->select.item_count || index >= step->select.item_count) return false;
    if (!small_number(start->select.items[index].expr, &from) || !moves(step->select.items[index].expr, t, index, &by))
        return false;
    return upper ? by > 0 && (most - from) / by <= STEPS_MAX : by < 0 && (from - most) / -by <= STEPS_MAX;
}

bool recursion_counted(const struct cte *t)
{
    const struct body *step = t->query->body->set.right->body;
    return step->kind == BODY_SELECT && step->select.where && counts(step->select.where, t);
}

bool recursion_ends(const struct cte *t)
{
    const struct body *step = t->query->body->set.right->body;
    if (step->kind != BODY_SELECT || !step->select.from) return true;
    const struct from *f = step->select.from;
    bool conditions = step->select.where != NULL;
    return conditions || !f->source; /* another table has an end */
}
