/* What a reading does of what cues ask for: counts, ends, orders, denials, drawings. */
#include "planners/lexical/dense.h"

#include <string.h>

static uint32_t compares(const struct core *c)
{
    uint32_t done = 0;
    for (int i = 0; i < c->where_count + c->has_having; i++) {
        enum cond_op op = i < c->where_count ? c->where[i].op : c->having.op;
        if (op == COND_GT || op == COND_GE) done |= 1u << CUE_MORE;
        if (op == COND_LT || op == COND_LE) done |= 1u << CUE_LESS;
        if (op == COND_BETWEEN || op == COND_RANGE) done |= 1u << CUE_BETWEEN;
    }
    if (done >> CUE_MORE & done >> CUE_LESS & 1) done |= 1u << CUE_BETWEEN;
    return done;
}

/* Of two plain columns, is the first one the heights? A number beside what is none; price over year. */
static bool heights_first(const struct linked *l, const struct core *c)
{
    const struct lex_column *a = &l->columns[c->items[0].column], *b = &l->columns[c->items[1].column];
    if ((a->class == CLASS_NUMBER) != (b->class == CLASS_NUMBER)) return a->class == CLASS_NUMBER;
    for (size_t p = 1; a->mention_count && b->mention_count && p < l->words.count; p++)
        if (a->mentions[0].end <= p && p < b->mentions[0].first && !strcmp(l->words.items[p].fold, "over")) return true;
    return false;
}

/* What a drawing asks for: x and y are both there, and the one that is sorted by is. */
static uint32_t drawn_deeds(const struct linked *l, const struct core *c)
{
    uint32_t done = 0;
    if (c->item_count == 2) done |= 1u << CUE_CHART;
    if (c->item_count == 3) done |= 1u << CUE_SERIES;
    if (!c->order_count || c->item_count < 2) return done;
    int x = 0, y = c->item_count - 1;
    bool plain = c->item_count == 2 && !c->items[0].agg && !c->items[1].agg;
    if (plain && c->items[0].column >= 0 && c->items[1].column >= 0 && heights_first(l, c)) x = 1, y = 0;
    if (term_equal(&c->order[0].term, &c->items[x])) done |= 1u << CUE_BY_X | 1u << CUE_BY_BARS;
    if (term_equal(&c->order[0].term, &c->items[y])) done |= 1u << CUE_BY_Y;
    return done;
}

uint32_t reading_deeds(const struct linked *l, const struct reading *r)
{
    uint32_t done = 0;
    const struct core *c = &r->left;
    static const uint32_t by_agg[] = {
        0, 1u << CUE_COUNT, 1u << CUE_SUM, 1u << CUE_AVERAGE, 1u << CUE_LEAST, 1u << CUE_MOST
    };
    for (int i = 0; i < c->item_count; i++) {
        done |= by_agg[c->items[i].agg];
        if (c->items[i].distinct) done |= 1u << CUE_DISTINCT;
    }
    if (c->distinct) done |= 1u << CUE_DISTINCT;
    if (c->group_count) done |= 1u << CUE_EACH;
    if (c->order_count && c->limit) done |= 1u << (c->order[0].desc ? CUE_MOST : CUE_LEAST);
    if (c->order_count && !c->limit) done |= 1u << CUE_ORDER;
    if (c->has_having) done |= by_agg[c->having.left.agg];
    if (c->order_count) done |= by_agg[c->order[0].term.agg];
    if (c->order_count) done |= 1u << (c->order[0].desc ? CUE_DESCENDING : CUE_ASCENDING);
    done |= drawn_deeds(l, c);
    if (r->set == SET_MINUS) done |= 1u << CUE_NOT;
    if (r->set == SET_AND || (c->where_count > 1 && !c->any)) done |= 1u << CUE_BOTH;
    if (r->set == SET_EITHER || (c->where_count > 1 && c->any)) done |= 1u << CUE_EITHER;
    const struct core *right = r->set ? &r->right : c;
    done |= compares(c) | compares(right);
    for (int i = 0; i < c->where_count; i++) {
        const struct cond *w = &c->where[i];
        if (w->op == COND_NE || w->op == COND_NOT_LIKE || w->op == COND_NOT_IN || w->op == COND_NULL)
            done |= 1u << CUE_NOT;
        if (w->sub && w->op <= COND_GE && w->sub->items[0].agg == AGG_AVG) done |= 1u << CUE_AVERAGE;
        if (w->sub && w->op <= COND_GE && w->sub->items[0].agg == AGG_MAX) done |= 1u << CUE_MOST;
        if (w->sub && w->op <= COND_GE && w->sub->items[0].agg == AGG_MIN) done |= 1u << CUE_LEAST;
    }
    return done;
}
