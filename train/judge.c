/* Outcomes of ranked readings; calibration; thresholds. */
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void rank_again(struct call *c, const struct weights *w, const struct run_result *r, bool executed,
                       struct candidates *k)
{
    struct features *f = call_alloc(c, sizeof *f);
    k->weights = w;
    k->count = r->count;
    k->dense = r->dense;
    k->evidence = executed ? r->evidence : call_array(c, r->count + 1, sizeof *k->evidence);
    k->sparse = call_array(c, r->count + 1, sizeof *k->sparse);
    for (size_t i = 0; i < r->count; i++) {
        f->count = r->sparse[i][0];
        memcpy(f->items, r->sparse[i] + 1, f->count * 4);
        model_sums(&w->models[MODEL_RANKER], f, &k->sparse[i]);
    }
    k->readings = r->readings;
    struct linked *l = call_alloc(c, sizeof *l);
    struct context *x = call_alloc(c, sizeof *x);
    l->unexplained_count = r->unexplained;
    l->doubt = r->doubt;
    l->doubt_most = r->doubt_most;
    x->linked = l;
    x->said = r->drawn ? 1u << CUE_CHART : 0;
    k->context = x;
    rank_order(c, k, executed);
}

void probe_choice(struct call *c, const struct weights *w, struct run_result *r)
{
    struct arena_mark mark = arena_mark(&c->arena);
    struct candidates k = { 0 };
    rank_again(c, w, r, false, &k);
    memset(r->evidence, 0, r->count * sizeof *r->evidence);
    for (size_t n = 0; rank_probed(&k, n, n); n++) r->evidence[k.order[n]] = r->all[k.order[n]];
    k.evidence = r->evidence;
    rank_evidence(&k);
    arena_reset(&c->arena, mark);
}

void outcome_of(struct call *c, const struct weights *w, const struct run_result *r, bool executed, struct outcome *out)
{
    struct arena_mark mark = arena_mark(&c->arena);
    struct candidates k = { 0 };
    rank_again(c, w, r, executed, &k);
    *out = (struct outcome){ .counted = true, .none = r->count == 0 };
    int seen[3], n = 0;
    for (size_t i = 0; i < r->count && n < 3; i++) {
        int at = k.order[i];
        bool old = false;
        for (int s = 0; s < n; s++) old |= seen[s] == k.cluster[at];
        if (old) continue;
        seen[n++] = k.cluster[at];
        if (n == 1) {
            out->right = r->right[at];
            out->best = at;
            out->held = rank_held(&r->readings[at]) || rank_unproved(&k);
            out->probability = k.probability[at];
        }
        out->top3 |= r->right[at];
    }
    out->sure_count = rank_sure(&k, out->sure);
    out->family = rank_family(&k);
    arena_reset(&c->arena, mark);
}

static int by_probability(const void *a, const void *b)
{
    const struct outcome *x = *(const struct outcome *const *)a, *y = *(const struct outcome *const *)b;
    return x->probability < y->probability ? -1 : x->probability > y->probability;
}

bool outcome_of_way(const struct outcome *o, enum way way)
{
    return way >= WAY_VALUES_DRAWN ? o->drawn : o->counted;
}

static const struct outcome **sorted(struct call *c, const struct outcome *o, size_t count, enum way way, size_t *n)
{
    const struct outcome **list = call_array(c, count + 1, sizeof *list);
    *n = 0;
    for (size_t i = 0; i < count; i++)
        if (outcome_of_way(&o[i], way)) list[(*n)++] = &o[i];
    qsort(list, *n, sizeof *list, by_probability);
    return list;
}

void calibrate(struct call *c, const struct outcome *outcomes, size_t count, enum way way, struct curve *v)
{
    size_t n;
    const struct outcome **list = sorted(c, outcomes, count, way, &n);
    *v = (struct curve){ 0 };
    const size_t bins = 20;
    double value[20], weight[20], x[20];
    size_t used = 0;
    for (size_t b = 0; b < bins; b++) {
        size_t from = n * b / bins, to = n * (b + 1) / bins, right = 0;
        double sum = 0;
        if (from == to) continue;
        for (size_t i = from; i < to; i++) {
            right += list[i]->right;
            sum += (double)list[i]->probability;
        }
        x[used] = sum / (double)(to - from);
        value[used] = (double)right / (double)(to - from);
        weight[used++] = (double)(to - from);
        while (used > 1 && value[used - 2] > value[used - 1]) { /* pool what falls */
            double w = weight[used - 2] + weight[used - 1];
            value[used - 2] = (value[used - 2] * weight[used - 2] + value[used - 1] * weight[used - 1]) / w;
            x[used - 2] = (x[used - 2] * weight[used - 2] + x[used - 1] * weight[used - 1]) / w;
            weight[used - 2] = w;
            used--;
        }
    }
    for (size_t i = 0; i < used; i++) {
        v->x[v->count] = (float)x[i];
        v->y[v->count++] = (float)value[i];
    }
}

/* As the planner decides: what leaves something or hardly fits is not answered; what is meant for sure is, whatever the
 * threshold. */
static float decided(const struct outcome *o, enum way way, const struct curve *v)
{
    if (o->held || !o->trusted) return 0;
    return rank_meant(way, o->family, curve_at(v, o->probability)) ? 1 : o->probability;
}

float threshold_for(struct call *c, const struct outcome *outcomes, size_t count, enum way way, const struct curve *v,
                    double precision, double *coverage)
{
    struct outcome *all = call_array(c, count + 1, sizeof *all);
    size_t n, right = 0, best = 0;
    for (size_t i = 0; i < count; i++) {
        all[i] = outcomes[i];
        all[i].probability = decided(&outcomes[i], way, v);
    }
    const struct outcome **list = sorted(c, all, count, way, &n);
    for (size_t i = 0; i < n; i++) {
        right += list[n - 1 - i]->right;
        if (i > 50 && (double)right >= precision * (double)(i + 1)) best = i + 1;
    }
    *coverage = n ? (double)best / (double)n : 0;
    return best ? curve_at(v, list[n - best]->probability) : 1.1f;
}

/* Rows of numbers, wanted 0 or 1, weight of each row -> weights and bias for the numbers as they are. */
static void learn_logistic(const float *const *rows, const bool *wanted, const double *weight, size_t n, uint32_t d,
                           float *out)
{
    double mean[DENSE_MAX] = { 0 }, spread[DENSE_MAX] = { 0 }, w[DENSE_MAX + 1] = { 0 }, all = 0;
    for (size_t i = 0; i < n; i++) {
        all += weight[i];
        for (uint32_t k = 0; k < d; k++) {
            mean[k] += (double)rows[i][k] / (double)n;
            spread[k] += (double)rows[i][k] * (double)rows[i][k] / (double)n;
        }
    }
    for (uint32_t k = 0; k < d; k++) spread[k] = sqrt(fmax(spread[k] - mean[k] * mean[k], 1e-6));
    for (int epoch = 0; epoch < 400; epoch++) {
        double grad[DENSE_MAX + 1] = { 0 };
        for (size_t i = 0; i < n; i++) {
            double z = w[d];
            for (uint32_t k = 0; k < d; k++) z += w[k] * ((double)rows[i][k] - mean[k]) / spread[k];
            double e = (1.0 / (1.0 + exp(-z)) - (wanted[i] ? 1.0 : 0.0)) * weight[i] / all;
            for (uint32_t k = 0; k < d; k++) grad[k] += e * ((double)rows[i][k] - mean[k]) / spread[k];
            grad[d] += e;
        }
        for (uint32_t k = 0; k <= d; k++) w[k] -= 1.0 * grad[k] + 5e-3 * w[k];
    }
    double bias = w[d];
    for (uint32_t k = 0; k < d; k++) {
        out[k] = (float)(w[k] / spread[k]);
        bias -= w[k] * mean[k] / spread[k];
    }
    out[d] = (float)bias;
}

void learn_sure(struct corpus *k, struct outcome *outcomes, enum way way, struct ranker *out)
{
    struct call *c = k->call;
    const float **rows = call_array(c, k->count + 1, sizeof *rows);
    bool *wanted = call_array(c, k->count + 1, sizeof *wanted);
    double *weight = call_array(c, k->count + 1, sizeof *weight);
    uint32_t d = 0;
    float w[DENSE_MAX + 1];
    for (int fold = 0; fold <= FOLDS; fold++) { /* out of fold for the figures; at last from all, for the product */
        size_t n = 0;
        for (size_t i = 0; i < k->count; i++) {
            bool teaches = outcome_of_way(&outcomes[i], way) || (way >= WAY_VALUES_DRAWN && outcomes[i].counted);
            if (!teaches || k->examples[i].fold == fold) continue; /* charts are few: others teach them too */
            d = outcomes[i].sure_count;
            rows[n] = outcomes[i].sure;
            wanted[n] = outcomes[i].right;
            weight[n++] = 1;
        }
        learn_logistic(rows, wanted, weight, n, d, w);
        for (size_t i = 0; i < k->count; i++)
            if (outcome_of_way(&outcomes[i], way) && k->examples[i].fold == fold)
                outcomes[i].probability = rank_logistic(w, d + 1, outcomes[i].sure, d);
    }
    out->sure_count = d + 1;
    memcpy(out->sure[way], w, (d + 1) * sizeof *w);
}
