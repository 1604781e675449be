/* The question rewritten by what a reading makes of it, as hashed features. */
#include "planners/lexical/rank.h"

#include <string.h>

static void add(struct features *f, uint32_t template, uint32_t a, uint32_t b)
{
    if (f->count < FEATURES_MAX) f->items[f->count++] = hash_pair(template * 0x9e3779b1u + 977u, hash_pair(a, b));
}

/* Words rewritten by what the reading makes of them: the role of each mention in place of the word. */
struct tagged {
    uint32_t tags[WORDS_MAX + 4];
    bool used[WORDS_MAX + 4];
};

static void tag_mention(const struct linked *l, struct tagged *t, int column, uint32_t role)
{
    if (column < 0) return;
    const struct lex_column *col = &l->columns[column];
    if (!col->mention_count) return;
    for (size_t p = col->mentions[0].first; p < col->mentions[0].end; p++) {
        t->tags[p] = t->used[p] ? hash_pair(t->tags[p], role) : role;
        t->used[p] = true;
    }
}

static void tag_core(const struct linked *l, struct tagged *t, const struct core *core, uint32_t side)
{
    for (int i = 0; i < core->item_count; i++)
        tag_mention(l, t, core->items[i].column, 0x2000u + (uint32_t)core->items[i].agg * 2 + core->items[i].distinct);
    for (int i = 0; i < core->group_count; i++) tag_mention(l, t, core->group[i], 0x2100u);
    for (int i = 0; i < core->order_count; i++)
        tag_mention(l, t, core->order[i].term.column, 0x2200u + core->order[i].desc);
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        tag_mention(l, t, w->left.column, 0x2300u + side);
        for (size_t p = 0; w->span >= 0 && p < l->words.count; p++)
            if (l->spans[w->span].first <= p && p < l->spans[w->span].end) {
                t->tags[p] = 0x2400u + (uint32_t)w->op + side * 32;
                t->used[p] = true;
            }
        if (w->sub) tag_core(l, t, w->sub, 2);
    }
    if (core->has_having && core->having.span >= 0) {
        size_t p = l->spans[core->having.span].first;
        t->tags[p] = 0x2500u + (uint32_t)core->having.op;
        t->used[p] = true;
    }
    for (int i = 0; i < core->table_count; i++) {
        const struct lex_table *table = &l->tables[core->tables[i]];
        for (size_t p = 0; table->mention_count && p < l->words.count; p++)
            if (table->mentions[0].first <= p && p < table->mentions[0].end && !t->used[p]) {
                t->tags[p] = 0x2600u + (side == 2);
                t->used[p] = true;
            }
    }
}

void rank_sparse(const struct candidates *k, size_t reading, struct features *f)
{
    const struct context *x = k->context;
    const struct linked *l = x->linked;
    const struct reading *r = &k->readings[reading];
    const struct weights *w = k->weights;
    struct tagged t;
    memset(&t, 0, sizeof t);
    size_t n = l->words.count;
    for (size_t p = 0; p < n; p++) t.tags[p] = l->roles[p] ? 0x2800u + l->roles[p] : l->words.items[p].hash;
    tag_core(l, &t, &r->left, 0);
    if (r->set) tag_core(l, &t, &r->right, 1);
    t.tags[n] = 0x27ffu;
    f->count = 0;
    uint32_t factor[4];
    for (int i = 0; i < 4; i++) factor[i] = hash_text(w->names[r->factors[i]]);
    for (size_t p = 0; p < n; p++) {
        uint32_t before = p ? t.tags[p - 1] : 1, before2 = p > 1 ? t.tags[p - 2] : 1;
        if (t.used[p] || l->roles[p]) {
            add(f, 1, t.tags[p], before);
            add(f, 2, t.tags[p], t.tags[p + 1]);
            add(f, 3, t.tags[p], hash_pair(before2, before));
        }
        if (l->words.items[p].flags & WORD_MARK) continue;
        for (uint32_t i = 0; i < 4; i++) add(f, 10 + i, factor[i], l->roles[p] ? t.tags[p] : l->words.items[p].hash);
    }
    for (uint32_t cue = 0; cue < CUES; cue++)
        if (x->said >> cue & 1)
            for (uint32_t i = 0; i < 4; i++) add(f, 40 + i, factor[i], cue);
    for (int i = 0; i < r->left.order_count; i++) {
        const struct order_term *o = &r->left.order[i];
        if (o->term.column < 0) continue;
        const struct lex_column *col = &l->columns[o->term.column];
        uint32_t word = col->mention_count ? l->words.items[col->mentions[0].first].hash : 0;
        add(f, 33, hash_pair(col->head, o->desc), word);
        add(f, 34, hash_pair(col->class, o->desc), word);
        add(f, 35, hash_pair(col->head, o->term.agg), x->said & (1u << CUE_MOST | 1u << CUE_LEAST | 1u << CUE_ORDER));
    }
    for (int i = 0; i < r->left.item_count; i++) {
        if (r->left.items[i].column < 0) continue;
        const struct lex_column *col = &l->columns[r->left.items[i].column];
        add(f, 30, r->left.items[i].agg, col->head);
        add(f, 31, r->left.items[i].agg,
            hash_pair(col->class, (uint32_t)(col->mention_count ? col->mentions[0].kind : MENTION_NONE)));
    }
    add(f, 32, factor[0], hash_pair((uint32_t)r->left.table_count, factor[2]));
}
