/* What the descriptions of questions, names and literals are made of. */
#include "planners/lexical/features_parts.h"

uint32_t word_tag(const struct linked *l, long p)
{
    if (p < 0) return 1;
    if ((size_t)p >= l->words.count) return 2;
    return l->tags[p];
}

uint32_t word_tag_pair(const struct linked *l, long p)
{
    return hash_pair(word_tag(l, p), word_tag(l, p + 1));
}

void feature_add(struct features *f, uint32_t template, uint32_t a, uint32_t b)
{
    if (f->count < FEATURES_MAX) f->items[f->count++] = hash_pair(template * 0x9e3779b1u + 77u, hash_pair(a, b));
}

void features_around(struct features *f, const struct linked *l, const struct mention *m, uint32_t base, uint32_t kind)
{
    long a = (long)m->first, z = (long)m->end;
    feature_add(f, base + 0, kind, word_tag(l, a - 1));
    feature_add(f, base + 1, kind, word_tag_pair(l, a - 2));
    feature_add(f, base + 2, kind, hash_pair(word_tag_pair(l, a - 3), word_tag(l, a - 1)));
    feature_add(f, base + 3, kind, word_tag(l, z));
    feature_add(f, base + 4, kind, word_tag_pair(l, z));
    feature_add(f, base + 5, kind, hash_pair(word_tag(l, a - 1), word_tag(l, z)));
    feature_add(f, base + 6, kind, hash_pair(word_tag_pair(l, a - 2), word_tag_pair(l, z)));
    for (long p = a - 5; p < a - 1; p++)
        if (p >= 0) feature_add(f, base + 7, kind, word_tag(l, p));
    for (long p = z + 1; p < z + 4; p++)
        if (p < (long)l->words.count) feature_add(f, base + 8, kind, word_tag(l, p));
}

unsigned words_apart(size_t first, size_t end, size_t other_first, size_t other_end)
{
    if (other_first >= end) return (unsigned)(other_first - end > 3 ? 3 : other_first - end);
    if (other_end <= first) return 4 + (unsigned)(first - other_end > 3 ? 3 : first - other_end);
    return 8;
}

unsigned table_apart(const struct linked *l, const struct lex_column *col, const struct mention *m)
{
    const struct lex_table *t = &l->tables[col->table];
    if (!t->mention_count || !m) return 9;
    return words_apart(m->first, m->end, t->mentions[0].first, t->mentions[0].end);
}

unsigned table_near(const struct context *x, size_t table)
{
    const struct graph *g = x->graph;
    unsigned best = x->tables_named > (x->table_strength[table] >= 2 ? 1u : 0u) ? 2 : 0;
    for (size_t k = g->first[table]; k < g->first[table + 1]; k++) {
        const struct edge *e = &g->edges[g->list[k]];
        size_t other = (size_t)(e->owner == (int)table ? e->other : e->owner);
        if (x->table_strength[other] >= 2) best = 1;
    }
    return best;
}

uint32_t column_marks(const struct lex_column *col)
{
    return (uint32_t)col->key | (uint32_t)col->foreign << 1 | (uint32_t)col->name_like << 2 |
           (uint32_t)col->id_like << 3;
}

unsigned size_bucket(size_t n)
{
    return n < 4 ? (unsigned)n : n < 6 ? 4 : n < 10 ? 5 : 6;
}
