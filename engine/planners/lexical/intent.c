#include "planners/lexical/intent.h"

#include <string.h>

static bool names_column(const struct linked *l, size_t p)
{
    return p < l->words.count && l->weights[p] >= WEIGHT_SURE && (l->roles[p] == 'c' || l->roles[p] == 'b');
}

bool intent_names(const struct linked *l, size_t p)
{
    return names_column(l, p) || (p < l->words.count && l->weights[p] >= WEIGHT_SURE && l->roles[p] == 't');
}

bool word_is_idle(const struct linked *l, size_t p)
{
    const bool tells = word_in_list(&l->words, p, " paid ") && p + 1 < l->words.count && l->roles[p + 1] == 't';
    return word_is_light(l->words.items[p].fold) && !tells;
}

bool only_table_said(const struct linked *l, const struct lex_column *col)
{
    const struct mention *m = &col->mentions[0];
    const struct lex_table *t = &l->tables[col->table];
    if (m->kind <= MENTION_WINDOW) return false;
    for (size_t k = 0; k < t->mention_count; k++)
        if (t->mentions[k].kind < m->kind && t->mentions[k].first <= m->first && m->end <= t->mentions[k].end)
            return true;
    return false;
}

/* How many orders did each customer place: a number for each. */
static bool counts_before(const struct words *q, size_t p)
{
    for (size_t i = 0; i + 1 < p; i++)
        if (word_in_list(q, i, " how ") && word_in_list(q, i + 1, " many much ")) return true;
    return false;
}

/* "by" groups before a name where nothing is sorted and no deed is told. Of names in the view's own words terse.c has
 * made "for each" of it; what is left are names said in other words. */
static bool groups_by(const struct intent *a, size_t p)
{
    /* the name of each student is one name a row, whatever it is grouped by */
    const uint32_t computes = CUE_BIT(CUE_COUNT) | CUE_BIT(CUE_SUM) | CUE_BIT(CUE_AVERAGE) | CUE_BIT(CUE_MOST) |
                              CUE_BIT(CUE_LEAST) | CUE_BIT(CUE_DISTINCT);
    const struct words *q = &a->l->words;
    if (word_in_list(q, p, " per ")) return true;
    if (word_in_list(q, p, " each every "))
        return p > 0 &&
               ((word_in_list(q, p - 1, " for in of by on from at ") && a->said & computes) || counts_before(q, p));
    if (!word_in_list(q, p, " by ") || !intent_names(a->l, p + 1)) return false;
    return p > 0 && !word_tells_deed(q, p - 1, false) &&
           !(a->said & (CUE_BIT(CUE_ORDER) | CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST)));
}

/* A table, a column or a literal: more than a unit of time, as in "and by month?" */
static bool names_something(const struct linked *l)
{
    for (size_t i = 0; i < l->table_count; i++)
        if (l->tables[i].mention_count) return true;
    for (size_t i = 0; i < l->real_columns; i++)
        if (l->columns[i].mention_count && l->columns[i].mentions[0].kind <= MENTION_WEAK) return true;
    for (size_t i = 0; i < l->span_count; i++)
        if (l->spans[i].kind != SPAN_TIME && l->spans[i].kind != SPAN_NUMBER) return true;
    return false;
}

void intent_read(const struct context *x, struct intent *a)
{
    const struct linked *l = x->linked;
    const struct words *q = &l->words;
    *a = (struct intent){ .x = x, .l = l, .said = x->said };
    for (size_t p = 0, at = 0; p < q->count; p++) {
        if (!names_column(l, p)) a->plain |= x->cues[p];
        a->joined |= word_in_list(q, p, " and also well as but & ");
        a->much |= p > 0 && word_in_list(q, p, " much ") && word_in_list(q, p - 1, " how ");
        a->which |= word_in_list(q, p, " which what when ");
        a->person |= word_in_list(q, p, " who whose whom ");
        a->who |= p == 0 && word_in_list(q, p, " who ");
        if (x->cues[p] & (CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST)) && !names_column(l, p)) {
            a->old |= word_in_list(q, p, " oldest eldest earliest first ");
            a->young |= word_in_list(q, p, " youngest newest latest last ");
            a->dated |= word_in_list(q, p, " oldest eldest earliest youngest newest latest ");
            a->aged |= word_in_list(q, p, " oldest eldest youngest ");
            a->most |=
                !word_in_list(q, p,
                              " oldest eldest earliest youngest newest latest cheapest priciest costliest expensive "
                              "heaviest lightest tallest shortest longest ");
        }
        a->denials += (x->cues[p] & CUE_BIT(CUE_NOT)) != 0;
        bool unexplained = at < l->unexplained_count && l->unexplained[at] == q->items[p].text;
        at += unexplained;
        a->open |= unexplained && !x->cues[p] && !word_is_light(q->items[p].fold);
    }
    a->empty = !names_something(l);
    for (size_t p = 0; p + 1 < q->count && !a->grouped; p++)
        if (groups_by(a, p)) a->grouped = true, a->group_at = p + 1;
    if (a->grouped) a->said |= CUE_BIT(CUE_EACH);
}

void cover(struct covered *v, const struct mention *list, size_t count)
{
    for (size_t i = 0; i < count; i++) memset(v->words + list[i].first, 1, list[i].end - list[i].first);
}

void cover_column(const struct linked *l, int column, struct covered *v)
{
    if (column >= 0) cover(v, l->columns[column].mentions, l->columns[column].mention_count);
}

static void cover_span(const struct linked *l, int span, struct covered *v)
{
    if (span >= 0) memset(v->words + l->spans[span].first, 1, l->spans[span].end - l->spans[span].first);
}

static void cover_cond(const struct linked *l, const struct cond *w, struct covered *v)
{
    cover_column(l, w->left.column, v);
    cover_span(l, w->span, v);
    cover_span(l, w->span2, v);
    if (w->sub) cover_core(l, w->sub, v);
}

void cover_core(const struct linked *l, const struct core *core, struct covered *v)
{
    for (int i = 0; i < core->item_count; i++) cover_column(l, core->items[i].column, v);
    for (int i = 0; i < core->where_count; i++) cover_cond(l, &core->where[i], v);
    for (int i = 0; i < core->group_count; i++) cover_column(l, core->group[i], v);
    if (core->has_having) cover_cond(l, &core->having, v);
    for (int i = 0; i < core->order_count; i++) cover_column(l, core->order[i].term.column, v);
    if (core->limit > 1) cover_span(l, core->limit_span, v);
    for (int i = 0; i < core->table_count; i++)
        cover(v, l->tables[core->tables[i]].mentions, l->tables[core->tables[i]].mention_count);
}

int core_denials(const struct linked *l, const struct core *core, bool inside)
{
    int n = 0;
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        const struct span *s = w->span >= 0 ? &l->spans[w->span] : NULL;
        n += w->op == COND_NE || w->op == COND_NOT_LIKE || w->op == COND_NOT_IN || w->op == COND_NULL;
        if (s && s->kind == SPAN_FLAG && s->first) n += word_in_list(&l->words, s->first - 1, " not no never without ");
        if (w->sub && inside) n += core_denials(l, w->sub, inside);
    }
    return n;
}
