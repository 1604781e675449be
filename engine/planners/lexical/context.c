/* What several readers of features need of a question, worked out once. */
#include "planners/lexical/features.h"

void context_read(struct call *c, const struct linked *l, const struct graph *g, struct context *x)
{
    *x = (struct context){ .linked = l, .graph = g };
    x->opening[0] = l->words.count ? l->words.items[0].hash : 3;
    x->opening[1] = hash_pair(x->opening[0], l->words.count > 1 ? l->words.items[1].hash : 3);
    x->cues = call_array(c, l->words.count + 1, sizeof *x->cues);
    for (size_t p = 0; p < l->words.count; p++) {
        if (l->roles[p] != 'v') x->cues[p] = word_cues(&l->words, p);
        x->said |= x->cues[p];
    }
    x->order = call_array(c, l->column_count + 1, 1);
    x->rivals = call_array(c, l->column_count + 1, 1);
    x->table_strength = call_array(c, l->table_count + 1, 1);
    for (size_t t = 0; t < l->table_count; t++) {
        if (!l->tables[t].mention_count) continue;
        enum mention_kind k = l->tables[t].mentions[0].kind;
        x->table_strength[t] = k <= MENTION_WINDOW ? 3 : k <= MENTION_PART ? 2 : 1;
        if (k <= MENTION_PART) x->tables_named++;
    }
    for (size_t i = 0; i < l->column_count; i++) {
        const struct lex_column *a = &l->columns[i];
        if (!a->mention_count) continue;
        unsigned before = 1, rivals = 0;
        for (size_t k = 0; k < l->column_count; k++) {
            const struct lex_column *b = &l->columns[k];
            if (k == i || !b->mention_count) continue;
            if (b->mentions[0].kind <= MENTION_PART && b->mentions[0].first < a->mentions[0].first) before++;
            bool meet = b->mentions[0].first < a->mentions[0].end && a->mentions[0].first < b->mentions[0].end;
            if (meet && b->mentions[0].kind <= a->mentions[0].kind &&
                b->mentions[0].score >= a->mentions[0].score - 0.01f)
                rivals++;
        }
        x->order[i] = (uint8_t)(before > 5 ? 5 : before);
        x->rivals[i] = (uint8_t)(rivals > 4 ? 4 : rivals);
    }
}
