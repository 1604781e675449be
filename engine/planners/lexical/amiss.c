/* Readings that use every word and still answer another question. They are asked back, never answered; how readings are
 * ranked does not depend on it. */
#include "planners/lexical/fill.h"
#include "planners/lexical/intent.h"

#include <string.h>

/* Not in Germany and without orders: each denial is one of its own. */
static bool denies_less(const struct intent *a, const struct reading *r)
{
    int done = core_denials(a->l, &r->left, false) + (r->set == SET_MINUS);
    if (r->set) done += core_denials(a->l, &r->right, false);
    return a->denials > 1 && done < a->denials;
}

/* A key that is not among those of its own table, or of the one it refers to: no row is so, and nobody means it. */
static bool denies_whole(const struct linked *l, const struct core *core)
{
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        if (w->op != COND_NOT_IN || !w->sub || w->sub->where_count || w->left.column < 0) continue;
        if (w->sub->table_count != 1 || w->sub->has_having || w->sub->limit) continue;
        const struct lex_column *col = &l->columns[w->left.column];
        const int whole = w->sub->tables[0];
        if (whole == (int)col->table || (col->foreign && refers(l, col, (size_t)whole))) return true;
    }
    return false;
}

/* Orders without a store: the word that tells what is missing is no value as well. */
static bool tells_twice(const struct linked *l, const struct core *core)
{
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        if ((w->op != COND_NULL && w->op != COND_NOT_NULL) || w->left.column < 0) continue;
        const struct lex_column *col = &l->columns[w->left.column];
        for (int k = 0; k < core->where_count; k++) {
            const struct span *s = core->where[k].span >= 0 ? &l->spans[core->where[k].span] : NULL;
            bool within = s && col->mention_count;
            for (size_t m = 0; m < col->mention_count && within; m++)
                within = s->first <= col->mentions[m].first && col->mentions[m].end <= s->end;
            if (within) return true;
        }
    }
    return false;
}

static bool is_named(const struct linked *l, const struct lex_column *col)
{
    return col->mention_count && col->mentions[0].kind <= MENTION_PART && !only_table_said(l, col);
}

/* Younger than 5, read as a key below 5: keys are compared only where they are named. */
static bool compares_key(const struct linked *l, const struct core *core)
{
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        const struct lex_column *col = w->left.column >= 0 && !w->left.agg ? &l->columns[w->left.column] : NULL;
        bool compared = w->op == COND_LT || w->op == COND_LE || w->op == COND_GT || w->op == COND_GE;
        if (col && compared && (col->key || col->foreign) && !is_named(l, col)) return true;
    }
    return false;
}

/* The average orders per day are a number of orders, not what stands in one of them. */
static bool averages_things(const struct intent *a, const struct core *core)
{
    const struct linked *l = a->l;
    bool unnamed = false;
    for (int i = 0; i < core->item_count; i++) {
        const struct term *t = &core->items[i];
        unnamed |= t->agg == AGG_AVG && t->column >= 0 && !is_named(l, &l->columns[t->column]);
    }
    for (size_t p = 0; p + 2 < l->words.count && unnamed; p++) {
        size_t n = strlen(l->words.items[p + 1].fold);
        bool things = l->roles[p + 1] == 't' && n > 1 && l->words.items[p + 1].fold[n - 1] == 's';
        if (a->x->cues[p] & CUE_BIT(CUE_AVERAGE) && things && word_in_list(&l->words, p + 2, " per each every for "))
            return true;
    }
    return false;
}

/* The top 3 products per category are three of each, not three in all. */
static bool limits_all(const struct intent *a, const struct core *core)
{
    const struct linked *l = a->l;
    if (core->limit < 2 || core->limit_span < 0 || !a->grouped) return false;
    return l->spans[core->limit_span].end < a->group_at && word_in_list(&l->words, a->group_at - 1, " per each every ");
}

/* How many seats there are is a sum of what is held, or nobody knows: never how many different numbers are. */
static bool counts_numbers(const struct intent *a, const struct core *core)
{
    for (int i = 0; i < core->item_count && !(a->said & CUE_BIT(CUE_DISTINCT)); i++) {
        const struct term *t = &core->items[i];
        const struct lex_column *col = t->column >= 0 ? &a->l->columns[t->column] : NULL;
        if (t->agg == AGG_COUNT && t->distinct && col && col->class == CLASS_NUMBER && !col->key && !col->foreign &&
            !col->id_like)
            return true;
    }
    return false;
}

/* Customers from 1990 came then or were born then. */
static bool from_either(const struct linked *l, const struct core *core)
{
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        const struct span *s = w->op == COND_RANGE && w->span >= 0 && w->left.column >= 0 ? &l->spans[w->span] : NULL;
        if (!s || s->first == 0 || !word_in_list(&l->words, s->first - 1, " from ")) continue;
        const struct lex_column *col = &l->columns[w->left.column];
        const struct lex_table *t = &l->tables[col->table];
        for (size_t k = t->first_column; k < t->first_column + t->column_count && !is_named(l, col); k++)
            if (!column_is_life(col) && column_is_life(&l->columns[k])) return true;
    }
    return false;
}

bool core_void(const struct linked *l, const struct core *core)
{
    return denies_whole(l, core) || compares_key(l, core);
}

bool reading_amiss(const struct intent *a, const struct reading *r)
{
    const struct core *sides[] = { &r->left, &r->right };
    if (denies_less(a, r)) return true;
    for (int i = 0; i < (r->set ? 2 : 1); i++)
        if (core_void(a->l, sides[i]) || tells_twice(a->l, sides[i]) || averages_things(a, sides[i]) ||
            counts_numbers(a, sides[i]) || from_either(a->l, sides[i]) || limits_all(a, sides[i]))
            return true;
    return false;
}

bool word_reckons(const char *fold)
{
    return word_listed(
        " difference differences ratio percentage percentages percent proportion fraction median variance "
        "deviation growth cumulative ",
        fold);
}
