/* Does anything here fit the question at all? The best reading is held against every word that it should explain: a
 * word that only a part of a name, another word for it or nothing explains speaks against it, some words more than
 * others, and so does a column that nobody named. */
#include "planners/lexical/dense.h"

#include <math.h>
#include <string.h>

/* How a word is explained by the reading, best first. BY_OTHERS: only by a name that the reading does not use. */
enum state { BY_VALUE, BY_GUESS, BY_NAME, BY_PART, BY_WEAK, BY_SYNONYM, BY_OTHERS, BY_NOTHING, STATES };

struct reader {
    const struct candidates *k;
    const struct linked *l;
    struct features *f;
    uint8_t states[WORDS_MAX + 1];
    uint8_t fine[WORDS_MAX + 1];
    uint8_t roles[WORDS_MAX + 1]; /* beside words: what the reading does with what explains it */
};

enum { AS_ITEM, AS_AGGREGATE, AS_GROUP, AS_TOP, AS_COMPARED, AS_MEASURED, AS_LITERAL, AS_ORDER, AS_TABLE, AS_VALUE };

static void add(struct features *f, uint32_t template, uint32_t a, uint32_t b)
{
    if (f->count < FEATURES_MAX) f->items[f->count++] = hash_pair(template * 0x9e3779b1u + 4177u, hash_pair(a, b));
}

static enum state state_of(enum mention_kind kind)
{
    static const uint8_t by_kind[] = { BY_NAME, BY_NAME, BY_NAME,    BY_NAME,   BY_PART,
                                       BY_PART, BY_WEAK, BY_SYNONYM, BY_NOTHING };
    return (enum state)by_kind[kind];
}

static void explain(struct reader *r, const struct mention *list, size_t count, uint8_t role)
{
    for (size_t i = 0; i < count; i++)
        for (size_t p = list[i].first; p < list[i].end; p++) {
            uint8_t s = (uint8_t)state_of(list[i].kind);
            if (s >= r->states[p]) continue;
            r->states[p] = s;
            r->fine[p] = (uint8_t)list[i].kind;
            r->roles[p] = role;
        }
}

static void explain_span(struct reader *r, int span, int column)
{
    if (span < 0) return;
    const struct span *s = &r->l->spans[span];
    enum value_match match = MATCH_EXACT;
    for (size_t i = 0; i < s->column_count; i++)
        if ((int)s->columns[i].column == column) match = s->columns[i].match;
    for (size_t p = s->first; p < s->end; p++) {
        r->states[p] = s->kind != SPAN_NUMBER && s->kind != SPAN_TIME && match >= MATCH_PARTIAL ? BY_GUESS : BY_VALUE;
        r->fine[p] = (uint8_t)(16 + (uint32_t)match + 8 * (uint32_t)s->kind);
        r->roles[p] = AS_VALUE;
    }
}

static uint32_t class_of(const struct lex_column *col)
{
    return (uint32_t)col->class | (uint32_t)col->key << 2 | (uint32_t)col->foreign << 3 |
           (uint32_t)col->name_like << 4 | (uint32_t)col->id_like << 5;
}

/* A column that the reading uses: how well it is named, and the words of its name that nobody said. */
static void use_column(struct reader *r, int column, uint8_t role)
{
    if (column < 0) return;
    const struct linked *l = r->l;
    const struct context *x = r->k->context;
    const struct lex_column *col = &l->columns[column];
    explain(r, col->mentions, col->mention_count, role);
    if (col->grain >= 0) return;
    uint32_t kind = col->mention_count ? (uint32_t)col->mentions[0].kind : (uint32_t)MENTION_NONE;
    uint32_t strength = x->table_strength[col->table];
    uint32_t how = role * 16u + kind, score = col->mention_count ? (uint32_t)(col->mentions[0].score * 8) : 0;
    add(r->f, 20, how, strength * 256 + class_of(col));
    add(r->f, 21, how, col->head);
    add(r->f, 22, how, x->said);
    add(r->f, 23, how, x->opening[0]);
    add(r->f, 24, how, x->opening[1]);
    add(r->f, 25, how, col->same_name > 3 ? 3 : (uint32_t)col->same_name);
    add(r->f, 26, how, x->rivals[column]);
    uint32_t unsaid = 0;
    for (size_t i = 0; i < col->word_count; i++) {
        if (col->words[i].of_table || name_word_said(l, &col->words[i])) continue;
        add(r->f, 27, kind, col->words[i].hash);
        add(r->f, 28, role, col->words[i].hash);
        add(r->f, 33, kind, i == 0 ? 1 : i + 1 == col->word_count ? 2 : 3);
        for (uint32_t cue = 0; cue < CUES; cue++)
            if (x->said >> cue & 1) add(r->f, 34, cue, col->words[i].hash);
        unsaid++;
    }
    add(r->f, 29, how, unsaid > 3 ? 3 : unsaid);
    if (!col->mention_count) return;
    size_t first = col->mentions[0].first;
    add(r->f, 32, how, score);
    add(r->f, 35, how, hash_pair(score, strength * 4 + unsaid));
    add(r->f, 30, how, first ? l->words.items[first - 1].hash : 1);
    add(r->f, 31, how, hash_pair(l->words.items[first].hash, col->head));
}

static void use_core(struct reader *r, const struct core *core);

static void use_cond(struct reader *r, const struct cond *w)
{
    bool number = w->span >= 0 && r->l->spans[w->span].kind == SPAN_NUMBER;
    use_column(r, w->left.column, w->sub ? AS_COMPARED : number ? AS_MEASURED : AS_LITERAL);
    explain_span(r, w->span, w->left.column);
    explain_span(r, w->span2, w->left.column);
    if (w->sub) use_core(r, w->sub);
}

static void use_core(struct reader *r, const struct core *core)
{
    for (int i = 0; i < core->item_count; i++)
        use_column(r, core->items[i].column, core->items[i].agg ? AS_AGGREGATE : AS_ITEM);
    for (int i = 0; i < core->where_count; i++) use_cond(r, &core->where[i]);
    for (int i = 0; i < core->group_count; i++) use_column(r, core->group[i], AS_GROUP);
    if (core->has_having) use_cond(r, &core->having);
    for (int i = 0; i < core->order_count; i++)
        use_column(r, core->order[i].term.column, core->limit ? AS_TOP : AS_ORDER);
    if (core->limit > 1) explain_span(r, core->limit_span, -1);
    for (int i = 0; i < core->table_count; i++) {
        const struct lex_table *t = &r->l->tables[core->tables[i]];
        explain(r, t->mentions, t->mention_count, AS_TABLE);
        add(r->f, 40, (uint32_t)core->table_count, r->k->context->table_strength[core->tables[i]]);
    }
}

/* The word at p as its neighbours see it: what the reading does with it, or the word itself. */
static uint32_t shown(const struct reader *r, long p)
{
    if (p < 0) return 1;
    if (p >= (long)r->l->words.count) return 2;
    if (r->states[p] <= BY_SYNONYM) return 0x4000u + r->roles[p] * STATES + r->states[p];
    return r->l->words.items[p].hash;
}

static uint32_t state_at(const struct reader *r, size_t p)
{
    return r->states[p] * 16u + (r->states[p] <= BY_SYNONYM ? r->roles[p] : 0u);
}

static void judge_word(const struct reader *r, size_t at)
{
    const struct linked *l = r->l;
    const struct word *x = &l->words.items[at];
    struct features *f = r->f;
    const uint32_t *cues = r->k->context->cues;
    long p = (long)at;
    uint32_t s = r->states[at], state = state_at(r, at);
    size_t n = strlen(x->fold);
    add(f, 1, s, hash_text(x->fold));
    add(f, 2, s, x->hash);
    if (x->flags & WORD_STOP) return;
    add(f, 3, state, shown(r, p - 1));
    add(f, 4, state, shown(r, p + 1));
    add(f, 5, state, hash_pair(shown(r, p - 1), shown(r, p + 1)));
    add(f, 6, state, hash_pair(shown(r, p - 2), shown(r, p - 1)));
    add(f, 7, state, hash_pair(shown(r, p + 1), shown(r, p + 2)));
    add(f, 8, s, cues[at]);
    add(f, 9, s, at ? cues[at - 1] : 99);
    add(f, 10, s, (x->flags & (WORD_CAPITAL | WORD_FIRST | WORD_NUMBER | WORD_QUOTED)) | 512u);
    add(f, 11, r->fine[at], state & 15);
    add(f, 12, s, n > 3 ? hash_text(x->fold + n - 2) : 0);
    add(f, 13, s, l->roles[at] * 128u + l->weights[at]);
    add(f, 14, s, (uint32_t)(l->doubts[at] * 10));
    /* the snatch score, founded year: what follows a name may belong to it */
    add(f, 15, state, hash_pair(x->hash, at && r->states[at - 1] <= BY_SYNONYM ? 1u + r->roles[at - 1] : 0));
}

/* The first things that are named, in their order: what is asked for stands there. */
static void judge_order(const struct reader *r, const struct reading *best)
{
    const struct linked *l = r->l;
    const struct context *x = r->k->context;
    uint32_t order = 0, last = 99, joined = 0;
    for (size_t p = 0; p < l->words.count; p++) {
        const struct word *w = &l->words.items[p];
        joined += w->fold[0] == ',' || strcmp(w->fold, "and") == 0;
        if (w->flags & (WORD_STOP | WORD_NAMELESS) || x->cues[p]) continue;
        uint32_t state = state_at(r, p);
        if (order < 5) add(r->f, 41, order, state);
        if (order < 4) add(r->f, 42, hash_pair(last, state), x->opening[0]);
        if (!order) add(r->f, 43, state, x->opening[1]);
        last = state;
        order++;
    }
    const char *const *names = r->k->weights->names;
    add(r->f, 44, (uint32_t)best->left.item_count * 8u + (joined > 7 ? 7 : joined), hash_text(names[best->factors[1]]));
    for (int i = 0; i < 4; i++) add(r->f, 50 + (uint32_t)i, hash_text(names[best->factors[i]]), 0);
}

static void read_features(const struct candidates *k, struct features *f)
{
    struct reader r = { .k = k, .l = k->context->linked, .f = f };
    const struct linked *l = r.l;
    const struct reading *best = &k->readings[k->order[0]];
    for (size_t p = 0; p < l->words.count; p++) r.states[p] = l->weights[p] >= WEIGHT_LEAST ? BY_OTHERS : BY_NOTHING;
    use_core(&r, &best->left);
    if (best->set) use_core(&r, &best->right);
    for (size_t p = 0; p < l->words.count; p++)
        if (!(l->words.items[p].flags & WORD_NAMELESS)) judge_word(&r, p);
    judge_order(&r, best);
}

void fit_read(const struct candidates *k, struct fit *out)
{
    const struct linked *l = k->context->linked;
    out->count = 0;
    out->features.count = 0;
    if (!k->count) return;
    int best = k->order[0];
    memcpy(out->numbers, k->dense[best], D_EVIDENCE * sizeof *out->numbers);
    float *n = out->numbers + D_EVIDENCE;
    *n++ = k->readings[best].score;
    *n++ = k->total[best];
    *n++ = k->probability[best];
    *n++ = (float)l->unexplained_count;
    *n++ = (float)l->unexplained_count / (float)(l->content_count ? l->content_count : 1);
    *n++ = (float)l->content_count;
    *n++ = l->doubt;
    *n++ = l->doubt_most;
    *n++ = l->unexplained_count > 0;
    out->count = (uint32_t)(n - out->numbers);
    read_features(k, &out->features);
}

float fit_standard(float number, float mean, float spread)
{
    float v = (number - mean) / spread;
    return v > FIT_FAR ? FIT_FAR : v < -FIT_FAR ? -FIT_FAR : v;
}

float fit_of(const struct weights *w, const struct fit *x)
{
    if (!x->count || w->fit_count != x->count) return 0;
    float z;
    model_sums(&w->models[MODEL_FIT], &x->features, &z);
    for (uint32_t i = 0; i < x->count; i++)
        z += w->fit[i] * fit_standard(x->numbers[i], w->fit_mean[i], w->fit_spread[i]);
    return 1.0f / (1.0f + expf(-z));
}
