/* Does anything fit: questions put to their own database, to another one, and to their own without a column that they
 * need, learned by a logistic over dense numbers and sparse features of the best reading. */
#include "train/fit_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    fit_cases_make(k, outcomes[1], list);
    struct fit_case *cases = list->list.items;
    size_t count = list->list.count;
    fit_cases_read(k, by_fold, cases, count);
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
