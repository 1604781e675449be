/* Stage one: samples for each model from the labelled examples. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct samples {
    struct call *call;
    struct list list;
};

static struct sample *add_sample(struct samples *s, const struct corpus *k, int example, const struct features *f)
{
    struct sample *out = list_push(s->call, &s->list, sizeof *out);
    uint32_t *copy = call_array(s->call, f->count + 1, 4);
    memcpy(copy, f->items, f->count * 4);
    *out = (struct sample){
        .features = copy, .count = (uint32_t)f->count, .example = example, .database = k->examples[example].database
    };
    return out;
}

static bool learns_from(const struct example *e, int without_fold)
{
    return e->labelled && e->fold != without_fold;
}

/* ---- sketches ---- */

#define TALLIES 2048

struct tally {
    const char *name;
    int count, databases, last;
};

static int compare_tally(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    if (x->count != y->count) return y->count - x->count;
    return strcmp(x->name, y->name);
}

static void label_sketch(const struct sketches *s, const char *sketch, int32_t labels[5])
{
    char text[4][SKETCH_MAX];
    sketch_split(sketch, text[0], text[1], text[2], text[3]);
    for (int f = 0; f < 5; f++) {
        labels[f] = -1;
        const char *want = f < 4 ? text[f] : sketch;
        for (uint32_t i = s->first[f]; i < s->first[f + 1]; i++)
            if (strcmp(s->names[i], want) == 0) labels[f] = (int32_t)i;
    }
}

static size_t tally_up(struct tally *t, size_t n, const char *name, int database)
{
    size_t at = 0;
    while (at < n && strcmp(t[at].name, name) != 0) at++;
    if (at == TALLIES) return n;
    if (at == n) t[n++] = (struct tally){ .name = name, .last = -1 };
    t[at].count++;
    if (t[at].last != database) t[at].databases++;
    t[at].last = database;
    return n;
}

/* Whole sketches and factors seen at least twice, most frequent first; a factor counts in whatever company. */
void sketches_collect(struct corpus *k, int without_fold, struct sketches *out)
{
    struct call *c = k->call;
    struct tally *t[5];
    size_t n[5] = { 0 }, kept[5];
    int total = 0;
    for (int f = 0; f < 5; f++) t[f] = call_array(c, TALLIES, sizeof *t[f]);
    for (size_t i = 0; i < k->count; i++) {
        const struct example *e = &k->examples[i];
        if (!learns_from(e, without_fold) || e->synonyms) continue;
        char text[4][SKETCH_MAX];
        sketch_split(e->sketch, text[0], text[1], text[2], text[3]);
        for (int f = 0; f < 4; f++) n[f] = tally_up(t[f], n[f], call_strdup(c, text[f]), e->database);
        n[4] = tally_up(t[4], n[4], e->sketch, e->database);
        total++;
    }
    out->names = call_array(c, n[0] + n[1] + n[2] + n[3] + n[4] + 1, sizeof(char *));
    uint32_t at = 0;
    for (int f = 0; f < 5; f++) {
        qsort(t[f], n[f], sizeof **t, compare_tally);
        kept[f] = 0;
        while (kept[f] < n[f] && kept[f] < 400 && t[f][kept[f]].count >= 2) kept[f]++;
        out->first[f] = at;
        for (size_t i = 0; i < kept[f]; i++) out->names[at++] = t[f][i].name;
    }
    out->first[5] = at;
    out->joint = call_array(c, kept[4] * 4 + 1, sizeof(uint16_t));
    out->prior = call_array(c, kept[4] + 1, sizeof(float));
    for (size_t j = 0; j < kept[4]; j++) {
        int32_t labels[5];
        label_sketch(out, t[4][j].name, labels);
        for (int f = 0; f < 4; f++) out->joint[j * 4 + (size_t)f] = (uint16_t)labels[f];
        out->prior[j] = logf((float)t[4][j].count / (float)total);
    }
}
/* ---- slots ---- */

static int32_t column_roles(const struct core *core, int column)
{
    int32_t mask = 0;
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].column == column) mask |= 1 << (core->items[i].agg ? ROLE_AGG : ROLE_SELECT);
    if (core->has_having && core->having.left.column == column) mask |= 1 << ROLE_AGG;
    for (int i = 0; i < core->order_count; i++)
        if (core->order[i].term.column == column) mask |= 1 << ROLE_ORDER;
    for (int i = 0; i < core->group_count; i++)
        if (core->group[i] == column) mask |= 1 << ROLE_GROUP;
    for (int i = 0; i < core->where_count; i++)
        if (core->where[i].sub && core->where[i].op <= COND_GE && core->where[i].left.column == column)
            mask |= 1 << ROLE_COMPARE;
    return mask;
}

static bool has_table(const struct core *core, int table)
{
    for (int i = 0; i < core->table_count; i++)
        if (core->tables[i] == table) return true;
    return false;
}

static int32_t table_roles(const struct reading *r, int table)
{
    int32_t mask = has_table(&r->left, table) ? 1 << ROLE_FROM : 0;
    if (r->set == SET_MINUS && has_table(&r->right, table) && !has_table(&r->left, table)) mask |= 1 << ROLE_NEGATED;
    for (int i = 0; i < r->left.where_count; i++)
        if (r->left.where[i].sub && r->left.where[i].op == COND_NOT_IN && has_table(r->left.where[i].sub, table))
            mask |= 1 << ROLE_NEGATED;
    return mask;
}

static enum op_class class_of(const struct cond *w)
{
    static const enum op_class plain[] = { CLASS_EQ, CLASS_NE, CLASS_LT, CLASS_LE, CLASS_GT, CLASS_GE };
    if (w->op <= COND_GE) return plain[w->op];
    if (w->op == COND_NOT_LIKE) return CLASS_NOT_LIKE;
    if (w->op == COND_BETWEEN) return CLASS_BETWEEN;
    size_t n = strlen(w->value);
    if (w->value[0] != '%') return CLASS_START;
    return n > 1 && w->value[n - 1] == '%' ? CLASS_LIKE : CLASS_END;
}

struct truth { /* of each span */
    size_t column;
    const struct cond *cond;
};

static void spans_of_cond(const struct cond *w, struct truth *t)
{
    int spans[] = { w->span, w->span2 };
    for (int i = 0; i < 2; i++)
        if (spans[i] >= 0) t[spans[i]] = (struct truth){ w->left.agg ? COLUMN_HAVING : (size_t)w->left.column, w };
}

static void spans_of_core(const struct core *core, struct truth *t)
{
    for (int i = 0; i < core->where_count; i++) {
        spans_of_cond(&core->where[i], t);
        if (core->where[i].sub) spans_of_core(core->where[i].sub, t);
    }
    if (core->has_having) spans_of_cond(&core->having, t);
    if (core->limit > 1 && core->limit_span >= 0) t[core->limit_span] = (struct truth){ COLUMN_LIMIT, NULL };
}

static void sample_spans(const struct corpus *k, int index, struct samples *spans, struct samples *ops,
                         struct features *f)
{
    const struct example *e = &k->examples[index];
    struct truth t[SPANS_MAX];
    for (size_t i = 0; i < SPANS_MAX; i++) t[i] = (struct truth){ COLUMN_NOTHING, NULL };
    spans_of_core(&e->label.left, t);
    if (e->label.set) spans_of_core(&e->label.right, t);
    for (size_t i = 0; i < e->linked.span_count; i++) {
        const struct span *s = &e->linked.spans[i];
        uint32_t list = (uint32_t)spans->list.count;
        for (size_t n = 0; n <= s->column_count; n++) {
            struct span_column sc =
                n < s->column_count ? s->columns[n] : (struct span_column){ .column = COLUMN_NOTHING };
            features_span(&e->context, i, &sc, f);
            struct sample *x = add_sample(spans, k, index, f);
            x->list = list;
            x->right = sc.column == t[i].column;
        }
        if (!t[i].cond || t[i].cond->op > COND_BETWEEN) continue;
        features_operator(&e->context, i, t[i].column, f);
        add_sample(ops, k, index, f)->labels[0] = (int32_t)class_of(t[i].cond);
    }
}

#define DOUBT_UNKNOWN 0.6f /* of a word that no question of training has */
#define DOUBT_PRIOR   2.0f /* databases that this guess is worth */

/* In how many databases questions say a word, and in how many of those a name explains it. */
static void learn_doubt(struct corpus *k, int without_fold, struct learned *out)
{
    const size_t size = 1u << 16;
    struct call *c = k->call;
    uint32_t *hashes = call_array(c, size, sizeof *hashes);
    int *last[2], *seen[2]; /* unexplained, explained */
    for (int x = 0; x < 2; x++) {
        last[x] = call_array(c, size, sizeof **last);
        seen[x] = call_array(c, size, sizeof **seen);
    }
    for (size_t i = 0; i < k->count; i++) {
        const struct example *e = &k->examples[i];
        if (!learns_from(e, without_fold) || e->synonyms) continue;
        for (size_t p = 0; p < e->linked.words.count; p++) {
            const struct word *w = &e->linked.words.items[p];
            uint8_t role = e->linked.roles[p];
            bool named = role == 'c' || role == 't' || role == 'b';
            if (w->flags & (WORD_STOP | WORD_NAMELESS) || (e->linked.weights[p] && !named)) continue;
            uint32_t hash = hash_text(w->fold);
            size_t at = hash & (size - 1);
            while ((seen[0][at] || seen[1][at]) && hashes[at] != hash) at = (at + 1) & (size - 1);
            hashes[at] = hash;
            if (last[named][at] == e->database + 1) continue;
            last[named][at] = e->database + 1;
            seen[named][at]++;
        }
    }
    *out = (struct learned){ .outputs = 1, .bias = call_alloc(c, sizeof(float)) };
    out->bias[0] = DOUBT_UNKNOWN;
    out->hashes = call_array(c, size, sizeof *out->hashes);
    out->weights = call_array(c, size, sizeof *out->weights);
    for (size_t at = 0; at < size; at++) {
        int all = seen[0][at] + seen[1][at];
        if (all < 2) continue;
        float doubt = ((float)seen[1][at] + DOUBT_PRIOR * DOUBT_UNKNOWN) / ((float)all + DOUBT_PRIOR);
        out->hashes[out->features] = hashes[at];
        out->weights[out->features++] = doubt - DOUBT_UNKNOWN;
    }
}

void stage_one_learn(struct corpus *k, const struct options *o, int without_fold, struct stage_one *out)
{
    struct call *c = k->call;
    struct samples sets[MODELS] = { { 0 } };
    struct features *f = call_alloc(c, sizeof *f);
    for (int i = 0; i < MODELS; i++) sets[i].call = c;
    sketches_collect(k, without_fold, &out->sketches);
    for (int i = 0; i < (int)k->count; i++) {
        const struct example *e = &k->examples[i];
        if (!learns_from(e, without_fold)) continue;
        features_question(&e->context, f);
        label_sketch(&out->sketches, e->sketch, add_sample(&sets[MODEL_SKETCH], k, i, f)->labels);
        for (size_t n = 0; n < e->linked.column_count; n++) {
            features_column(&e->context, n, f);
            add_sample(&sets[MODEL_COLUMN], k, i, f)->labels[0] = column_roles(&e->label.left, (int)n);
        }
        for (size_t n = 0; n < e->linked.table_count; n++) {
            features_table(&e->context, n, f);
            add_sample(&sets[MODEL_TABLE], k, i, f)->labels[0] = table_roles(&e->label, (int)n);
        }
        sample_spans(k, i, &sets[MODEL_SPAN], &sets[MODEL_OPERATOR], f);
    }
    learn_doubt(k, without_fold, &out->models[MODEL_DOUBT]);
    static const uint32_t op_factor[] = { 0, OP_CLASSES };
    const struct learn_options models[] = {
        [MODEL_SKETCH] = { LOSS_SOFTMAX, out->sketches.first[5], out->sketches.first, 5, 5, o->least_databases, 0.12f,
                           2e-5f },
        [MODEL_COLUMN] = { LOSS_BINARY, COLUMN_ROLES, NULL, 0, 3, o->least_databases, 0.06f, 2e-5f },
        [MODEL_TABLE] = { LOSS_BINARY, TABLE_ROLES, NULL, 0, 4, o->least_databases, 0.06f, 2e-5f },
        [MODEL_SPAN] = { LOSS_LIST, 1, NULL, 0, 5, o->least_databases, 0.12f, 2e-5f },
        [MODEL_OPERATOR] = { LOSS_SOFTMAX, OP_CLASSES, op_factor, 1, 6, o->least_databases, 0.1f, 2e-5f },
    };
    for (int m = MODEL_SKETCH; m <= MODEL_OPERATOR; m++)
        learn(c, &models[m], sets[m].list.items, sets[m].list.count, &out->models[m]);
}
