/* Does anything fit: questions put to their own database, to another one, and to their own without a column that they
 * need, learned by a logistic over dense numbers and sparse features of the best reading. */
#include "train/train.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fit_case {
    enum { FIT_OWN, FIT_STRANGE, FIT_REMOVED, FIT_KINDS } kind;
    const struct example *example;
    const struct database *database;
    bool right;   /* the question is answered rightly */
    bool counted; /* measured, not only learned from */
    bool twin;    /* of a removed column: another is called so */
    struct fit *read;
    /* of the best reading by values: */
    float *sure;
    uint32_t sure_count;
    float family;
    bool held;
    double fit; /* log-odds, out of fold */
};

struct fit_cases {
    struct list list;
    struct call *call;
    double trust_at; /* log-odds */
};

/* ---- what the planner makes of a case ---- */

struct worker {
    struct fit_case *cases;
    size_t count, from, step;
    const struct weights *by_fold;
    int64_t now_us;
    struct call keep, work;
};

static void read_case(struct worker *w, struct fit_case *x)
{
    struct call *c = &w->work;
    struct arena_mark mark = arena_mark(&c->arena);
    struct linked l;
    struct graph g;
    struct context context;
    struct scores s;
    const struct weights *weights = &w->by_fold[x->example->fold];
    link_question(c, x->database->view, x->database->values, x->example->question, w->now_us, &l);
    link_explained(&l, weights);
    graph_build(c, &l, &g);
    context_read(c, &l, &g, &context);
    score_question(c, weights, &context, &l, &s);
    struct reading *readings = call_array(c, READINGS_MAX, sizeof *readings);
    size_t n = assemble(c, weights, &context, &s, readings);
    struct candidates r = { .context = &context, .scores = &s, .weights = weights, .readings = readings, .count = n };
    r.dense = call_array(c, n + 1, sizeof *r.dense);
    r.evidence = call_array(c, n + 1, sizeof *r.evidence);
    r.sparse = call_array(c, n + 1, sizeof *r.sparse);
    rank_dense(&r);
    struct features *f = call_alloc(c, sizeof *f);
    for (size_t i = 0; i < n; i++) {
        rank_sparse(&r, i, f);
        model_sums(&weights->models[MODEL_RANKER], f, &r.sparse[i]);
    }
    rank_order(c, &r, false);
    x->read = call_alloc(&w->keep, sizeof *x->read);
    fit_read(&r, x->read);
    x->sure = call_array(&w->keep, DENSE_MAX, sizeof *x->sure);
    x->sure_count = rank_sure(&r, x->sure);
    x->family = rank_family(&r);
    x->held = n && rank_held(&readings[r.order[0]]);
    arena_reset(&c->arena, mark);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    for (size_t i = w->from; i < w->count; i += w->step) read_case(w, &w->cases[i]);
    return NULL;
}

static void read_cases(struct corpus *k, const struct weights *by_fold, struct fit_case *cases, size_t count)
{
    struct worker *workers = call_array(k->call, 2, sizeof *workers);
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        workers[i] = (struct worker){
            .cases = cases, .count = count, .from = i, .step = 2, .by_fold = by_fold, .now_us = k->now_us
        };
        call_begin(&workers[i].keep);
        call_begin(&workers[i].work);
        workers[i].work.who = k->call->who;
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (size_t i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

/* ---- cases ---- */

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

/* Columns that the gold needs, that the question names and that tie no tables. */
static int removable(const struct example *e, int out[16])
{
    const struct core *core = &e->label.left;
    int found[16], n = 0, count = 0;
    for (int i = 0; i < core->item_count; i++) found[n++] = core->items[i].column;
    for (int i = 0; i < core->where_count; i++) found[n++] = core->where[i].sub ? -1 : core->where[i].left.column;
    for (int i = 0; i < core->order_count; i++) found[n++] = core->order[i].term.column;
    qsort(found, (size_t)n, sizeof *found, compare_int);
    for (int i = 0; i < n; i++) {
        int column = found[i];
        if (column < 0 || column >= (int)e->linked.real_columns || (i && found[i - 1] == column)) continue;
        const struct lex_column *col = &e->linked.columns[column];
        bool named = col->mention_count && col->mentions[0].kind <= MENTION_HEAD;
        if (named && !col->key && !col->foreign) out[count++] = column;
    }
    return count;
}

static struct database *database_without(struct call *c, const struct example *e, const struct database *own,
                                         int column)
{
    const struct lex_column *col = &e->linked.columns[column];
    struct view *view = call_alloc(c, sizeof *view);
    *view = *own->view;
    view->tables = call_array(c, view->table_count, sizeof *view->tables);
    memcpy(view->tables, own->view->tables, view->table_count * sizeof *view->tables);
    for (size_t t = 0; t < view->table_count; t++) {
        struct table *table = &view->tables[t];
        if (strcmp(table->name, e->linked.tables[col->table].table->name) != 0) continue;
        struct column *columns = call_array(c, table->column_count + 1, sizeof *columns);
        size_t kept = 0;
        for (size_t i = 0; i < table->column_count; i++)
            if (strcmp(table->columns[i].name, col->column->name) != 0) columns[kept++] = table->columns[i];
        table->columns = columns;
        table->column_count = kept;
        if (!kept) return NULL;
    }
    struct database *out = call_alloc(c, sizeof *out);
    *out = *own;
    out->view = view;
    return out;
}

static struct fit_case *add_case(struct fit_cases *k, const struct example *e, const struct database *d)
{
    struct fit_case *x = list_push(k->call, &k->list, sizeof *x);
    *x = (struct fit_case){ .example = e, .database = d, .counted = !e->chart };
    return x;
}

static void add_cases(struct corpus *k, const struct outcome *outcomes, size_t i, struct fit_cases *out)
{
    const struct example *e = &k->examples[i];
    const struct database *own = &k->databases[e->database];
    add_case(out, e, own)->right = outcomes[i].right;
    size_t other = ((size_t)e->database + 1 + i % 97) % k->database_count;
    for (size_t tries = 0; tries < k->database_count; tries++, other = (other + 1) % k->database_count)
        if (other != (size_t)e->database && k->databases[other].view && k->databases[other].fold == e->fold) break;
    add_case(out, e, &k->databases[other])->kind = FIT_STRANGE;
    int columns[16], n = e->labelled ? removable(e, columns) : 0;
    for (int m = 0; m < n; m++) {
        const struct database *without = database_without(k->call, e, own, columns[m]);
        if (!without) continue;
        struct fit_case *x = add_case(out, e, without);
        x->kind = FIT_REMOVED;
        x->counted &= m == (int)(hash_text(e->question) % (uint32_t)n);
        const char *name = e->linked.columns[columns[m]].column->name;
        for (size_t t = 0; t < e->linked.real_columns; t++)
            x->twin |= (int)t != columns[m] && !strcasecmp(e->linked.columns[t].column->name, name);
    }
}

/* ---- learning ---- */

#define EPOCHS 10
#define RATE   0.05f
#define DECAY  2e-4f
#define DROP   128u /* of 256 */
#define LEAST  4    /* databases that must show a feature */
#define TRUST  0.10 /* of right answers are left to a question back, however sure they are of themselves */

struct fitter {
    float w[DENSE_MAX + 1], g[DENSE_MAX + 1], mean[DENSE_MAX], spread[DENSE_MAX]; /* w: bias last */
    uint32_t count, mask;
    float *sw, *sg;
    uint32_t *hash;
    uint8_t *seen; /* databases, up to 255 */
    uint16_t *last;
};

static size_t slot(const struct fitter *t, uint32_t h)
{
    size_t at = (h * 2654435761u) & t->mask;
    while (t->hash[at] && t->hash[at] != h) at = (at + 1) & t->mask;
    return at;
}

static bool teaches(const struct fit_case *x, int without_fold)
{
    return x->example->fold != without_fold && x->read->count;
}

static void see_features(struct fitter *t, const struct fit_case *x)
{
    uint16_t database = (uint16_t)(x->example->database + 1);
    for (size_t f = 0; f < x->read->features.count; f++) {
        size_t at = slot(t, x->read->features.items[f]);
        t->hash[at] = x->read->features.items[f];
        if (t->last[at] == database) continue;
        t->last[at] = database;
        if (t->seen[at] < 255) t->seen[at]++;
    }
}

static void fitter_open(struct call *c, const struct fit_case *cases, size_t count, int without_fold, struct fitter *t)
{
    *t = (struct fitter){ .mask = (1u << 22) - 1 };
    t->sw = call_array(c, t->mask + 1u, sizeof *t->sw);
    t->sg = call_array(c, t->mask + 1u, sizeof *t->sg);
    t->hash = call_array(c, t->mask + 1u, sizeof *t->hash);
    t->seen = call_array(c, t->mask + 1u, sizeof *t->seen);
    t->last = call_array(c, t->mask + 1u, sizeof *t->last);
    double sum[DENSE_MAX] = { 0 }, square[DENSE_MAX] = { 0 }, n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!teaches(&cases[i], without_fold)) continue;
        const struct fit *x = cases[i].read;
        see_features(t, &cases[i]);
        t->count = x->count;
        n++;
        for (uint32_t d = 0; d < t->count; d++) {
            sum[d] += (double)x->numbers[d];
            square[d] += (double)x->numbers[d] * (double)x->numbers[d];
        }
    }
    for (uint32_t d = 0; d < t->count; d++) {
        double mean = n > 0 ? sum[d] / n : 0, var = n > 0 ? square[d] / n - mean * mean : 1;
        t->mean[d] = (float)mean;
        t->spread[d] = (float)sqrt(fmax(var, 1e-6));
    }
}

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static bool dropped(uint32_t feature, uint32_t seed)
{
    return seed && (hash_pair(feature, seed) & 255u) < DROP;
}

/* Log-odds; seed 0 drops nothing. */
static float log_odds(const struct fitter *t, const struct fit *x, uint32_t seed)
{
    float z = t->w[t->count], kept = seed ? 256.0f / (256.0f - (float)DROP) : 1;
    for (uint32_t d = 0; d < t->count; d++) z += t->w[d] * fit_standard(x->numbers[d], t->mean[d], t->spread[d]);
    for (size_t f = 0; f < x->features.count; f++) {
        size_t at = slot(t, x->features.items[f]);
        if (t->seen[at] >= LEAST && !dropped(x->features.items[f], seed)) z += t->sw[at] * kept;
    }
    return z;
}

static void descend(float grad, float *w, float *square)
{
    grad += DECAY * *w;
    *square += grad * grad;
    *w -= RATE * grad / sqrtf(*square + 1.0f);
}

static void learn_case(struct fitter *t, const struct fit_case *x, uint32_t seed)
{
    float e = 1.0f / (1.0f + expf(-log_odds(t, x->read, seed))) - (x->kind == FIT_OWN ? 1.0f : 0);
    for (uint32_t d = 0; d < t->count; d++)
        descend(e * fit_standard(x->read->numbers[d], t->mean[d], t->spread[d]), &t->w[d], &t->g[d]);
    descend(e, &t->w[t->count], &t->g[t->count]);
    for (size_t f = 0; f < x->read->features.count; f++) {
        size_t at = slot(t, x->read->features.items[f]);
        if (t->seen[at] >= LEAST && !dropped(x->read->features.items[f], seed)) descend(e, &t->sw[at], &t->sg[at]);
    }
}

static void fitter_learn(struct call *c, const struct fit_case *cases, size_t count, int without_fold, struct fitter *t)
{
    fitter_open(c, cases, count, without_fold, t);
    size_t *order = call_array(c, count + 1, sizeof *order), n = 0;
    for (size_t i = 0; i < count; i++)
        if (teaches(&cases[i], without_fold)) order[n++] = i;
    uint32_t state = 4242;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        for (size_t i = n; i > 1; i--) {
            size_t j = random_next(&state) % i, swap = order[i - 1];
            order[i - 1] = order[j];
            order[j] = swap;
        }
        for (size_t i = 0; i < n; i++) learn_case(t, &cases[order[i]], random_next(&state) | 1u);
    }
    for (size_t at = 0; at <= t->mask; at++) /* measured as it ships */
        if (t->seen[at] < LEAST || fabsf(t->sw[at]) < FIT_PRUNED) t->sw[at] = 0;
}

/* ---- figures and thresholds ---- */

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The fit above which all but `loss` of the rightly answered questions are. */
static double fit_at(struct call *c, const struct fit_case *cases, size_t count, double loss)
{
    double *right = call_array(c, count + 1, sizeof *right);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (cases[i].kind == FIT_OWN && cases[i].counted && cases[i].right) right[n++] = cases[i].fit;
    qsort(right, n, sizeof *right, compare_double);
    return n ? right[(size_t)(loss * (double)n)] : 0;
}

static double percent(size_t part, size_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0;
}

static void report(struct call *c, const struct fit_case *cases, size_t count)
{
    static const double losses[] = { 0.01, 0.025, 0.04, 0.05, 0.1 };
    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++) {
        double at = fit_at(c, cases, count, losses[k]);
        size_t below[FIT_KINDS] = { 0 }, all[FIT_KINDS] = { 0 }, alone = 0, alone_below = 0;
        for (size_t i = 0; i < count; i++) {
            const struct fit_case *x = &cases[i];
            if (!x->counted) continue;
            all[x->kind]++;
            below[x->kind] += x->fit < at;
            if (x->kind != FIT_REMOVED || x->twin) continue;
            alone++;
            alone_below += x->fit < at;
        }
        printf("refused at %.1f %% of right answers: wrong databases %.1f, removed columns %.1f, without a namesake "
               "%.1f\n",
               losses[k] * 100, percent(below[FIT_STRANGE], all[FIT_STRANGE]),
               percent(below[FIT_REMOVED], all[FIT_REMOVED]), percent(alone_below, alone));
    }
}

/* Charts are held to the fit of other questions. */
static void report_charts(const struct fit_case *cases, size_t count, double at, double trust_at)
{
    size_t n = 0, refused = 0, doubted = 0;
    for (size_t i = 0; i < count; i++) {
        if (!cases[i].example->chart || cases[i].kind != FIT_OWN || !cases[i].right) continue;
        n++;
        refused += cases[i].fit < at;
        doubted += cases[i].fit < trust_at;
    }
    if (n)
        printf("charts: of right answers %.1f %% refused, %.1f not trusted\n", percent(refused, n),
               percent(doubted, n));
}

static void keep(struct call *c, const struct fitter *t, struct ranker *out, struct learned *sparse)
{
    out->fit_count = t->count;
    for (uint32_t d = 0; d < t->count; d++) {
        out->fit[d] = t->w[d];
        out->fit_mean[d] = t->mean[d];
        out->fit_spread[d] = t->spread[d];
    }
    size_t n = 0;
    for (size_t at = 0; at <= t->mask; at++) n += t->sw[at] != 0;
    *sparse = (struct learned){ .outputs = 1, .bias = call_alloc(c, sizeof(float)) };
    sparse->bias[0] = t->w[t->count];
    sparse->hashes = call_array(c, n + 1, sizeof *sparse->hashes);
    sparse->weights = call_array(c, n + 1, sizeof *sparse->weights);
    for (size_t at = 0; at <= t->mask; at++)
        if (t->sw[at] != 0) {
            sparse->hashes[sparse->features] = t->hash[at];
            sparse->weights[sparse->features++] = t->sw[at];
        }
}

static float probability(double log_odds)
{
    return (float)(1.0 / (1.0 + exp(-log_odds)));
}

static void trust(const struct corpus *k, const struct fit_case *cases, size_t count, double at,
                  struct outcome *const outcomes[2])
{
    for (size_t i = 0; i < count; i++)
        for (int x = 0; x < 2; x++)
            if (cases[i].kind == FIT_OWN) outcomes[x][cases[i].example - k->examples].trusted = cases[i].fit >= at;
}

struct fit_cases *settle_fit(struct corpus *k, const struct weights *by_fold, struct outcome *const outcomes[2],
                             double loss, struct ranker *out, struct learned *sparse)
{
    struct call *c = k->call;
    struct fit_cases *list = call_alloc(c, sizeof *list);
    list->call = c;
    for (size_t i = 0; i < k->count; i++)
        if (!k->examples[i].synonyms && k->examples[i].runs) add_cases(k, outcomes[1], i, list);
    struct fit_case *cases = list->list.items;
    size_t count = list->list.count;
    read_cases(k, by_fold, cases, count);
    struct fitter *t = call_alloc(c, sizeof *t);
    struct arena_mark mark = arena_mark(&c->arena);
    for (int fold = 0; fold < FOLDS; fold++) {
        fitter_learn(c, cases, count, fold, t);
        for (size_t i = 0; i < count; i++)
            if (cases[i].example->fold == fold)
                cases[i].fit = cases[i].read->count ? (double)log_odds(t, cases[i].read, 0) : -99;
        arena_reset(&c->arena, mark);
    }
    report(c, cases, count);
    list->trust_at = fit_at(c, cases, count, TRUST);
    report_charts(cases, count, fit_at(c, cases, count, loss), list->trust_at);
    trust(k, cases, count, list->trust_at, outcomes);
    out->fit_at = probability(fit_at(c, cases, count, loss));
    out->trust_at = probability(list->trust_at);
    fitter_learn(c, cases, count, -1, t);
    keep(c, t, out, sparse);
    return list;
}

void report_answered(const struct fit_cases *list, const struct ranker *r)
{
    size_t answered[FIT_KINDS] = { 0 }, all[FIT_KINDS] = { 0 };
    for (size_t i = 0; i < list->list.count; i++) {
        const struct fit_case *x = &LIST_AT(&list->list, struct fit_case, i);
        if (!x->counted) continue;
        float sure = curve_at(&r->confidence[0], rank_logistic(r->sure[0], r->sure_count, x->sure, x->sure_count));
        all[x->kind]++;
        bool enough = sure >= r->answer_at[0] || rank_meant(WAY_VALUES, x->family, sure);
        answered[x->kind] += !x->held && x->fit >= list->trust_at && enough;
    }
    printf("answered by values without asking back: own %.1f, of wrong databases %.1f, of removed columns %.1f\n",
           percent(answered[FIT_OWN], all[FIT_OWN]), percent(answered[FIT_STRANGE], all[FIT_STRANGE]),
           percent(answered[FIT_REMOVED], all[FIT_REMOVED]));
}
