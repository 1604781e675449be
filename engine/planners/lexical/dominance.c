#include "planners/lexical/dominance.h"

#include "planners/lexical/faults.h"

#define NEEDLESS   2.0f  /* log-odds that a needless reading loses */
#define FAR_BEHIND 8.0f  /* a reading that much less likely by stage one makes no other needless */
#define SAME_SENSE 0.75f /* of a synonym's score: the words mean the same, not only something near */

static bool is_needless(const int *f, const int *than)
{
    bool more = false;
    for (int i = 0; i < FAULTS; i++) {
        if (f[i] < than[i]) return false;
        more |= f[i] > than[i];
    }
    return more;
}

/* The only table is one that a word far from its name stands for: pilots for employees. The word, or -1. */
static int far_fetched(const struct intent *a, const struct core *core)
{
    const struct lex_table *t = &a->l->tables[core->tables[0]];
    const struct mention *m = t->mention_count && core->table_count == 1 ? &t->mentions[0] : NULL;
    if (!m || m->kind != MENTION_SYNONYM || m->score >= SAME_SENSE || a->x->cues[m->first]) return -1;
    if (word_is_unit(a->l, m->first)) return -1;
    struct covered v = { 0 };
    for (int k = 0; k < core->where_count; k++)
        if (core->where[k].span >= 0) cover_column(a->l, core->where[k].left.column, &v);
    return !v.words[m->first] && a->l->doubts[m->first] >= DOUBT_SURE ? (int)m->first : -1;
}

/* What a reading leaves of the question, though it has to mean something: it would answer another question. */
static int left_aside(const struct intent *a, const struct reading *r)
{
    const struct linked *l = a->l;
    struct covered v = { 0 };
    cover_core(l, &r->left, &v);
    if (r->set) cover_core(l, &r->right, &v);
    for (size_t p = 0; p < l->words.count; p++) {
        const struct word *x = &l->words.items[p];
        if (x->flags & WORD_STOP || a->x->cues[p] || word_is_idle(l, p)) continue;
        if (word_reckons(x->fold) && l->weights[p] < WEIGHT_SURE) return (int)p;
        const bool unknown = l->weights[p] < WEIGHT_LEAST && l->doubts[p] >= DOUBT_SURE;
        if (!v.words[p] && (unknown || word_is_light(x->fold))) return (int)p;
    }
    for (size_t i = 0; i < l->span_count; i++) { /* a name that nobody has here */
        const struct span *s = &l->spans[i];
        if ((s->kind == SPAN_CAPITAL || s->kind == SPAN_QUOTE) && !v.words[s->first] && !v.words[s->end - 1])
            return (int)s->first;
    }
    return far_fetched(a, &r->left);
}

void readings_dominate(struct call *c, const struct context *x, struct reading *readings, size_t count)
{
    struct intent a;
    intent_read(x, &a);
    int(*f)[FAULTS] = call_array(c, count + 1, sizeof *f);
    for (size_t i = 0; i < count; i++) faults_of(&a, &readings[i], f[i]);
    for (size_t i = 0; i < count; i++) {
        bool needless = false;
        for (size_t k = 0; k < count && !needless; k++)
            needless = is_needless(f[i], f[k]) && readings[k].score > readings[i].score - FAR_BEHIND;
        if (needless) readings[i].grammar -= NEEDLESS;
        for (int n = 0; n < FAULTS; n++) readings[i].faults |= (uint16_t)((f[i][n] > 0) << n);
        readings[i].leaves = left_aside(&a, &readings[i]);
        readings[i].ignores = a.empty || a.l->trade_columns > 1 || a.l->trade_weak || f[i][FAULT_UNGROUPED] ||
                              f[i][FAULT_MISSED] || f[i][FAULT_TWICE] || f[i][FAULT_DATE] || f[i][FAULT_FAR] ||
                              f[i][FAULT_LOST] || reading_amiss(&a, &readings[i]);
    }
}
