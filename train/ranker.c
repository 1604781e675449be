/* The ranker: linear softmax over a question's readings, loss = -log of the probability that falls on right ones. Dense
 * numbers are standardised; sparse features are dropped at random while learning. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool teaches(const struct corpus *k, const struct run_result *runs, size_t i, int without_fold)
{
    const struct example *e = &k->examples[i];
    if (!e->runs || e->fold == without_fold) return false;
    for (size_t n = 0; n < runs[i].count; n++)
        if (runs[i].right[n]) return true;
    return false;
}

static void standardise(const struct corpus *k, const struct run_result *runs, int without_fold, struct ranker *out)
{
    uint32_t count = rank_dense_count();
    double *sum = call_array(k->call, count, sizeof *sum), *square = call_array(k->call, count, sizeof *square), n = 0;
    for (size_t i = 0; i < k->count; i++) {
        if (!teaches(k, runs, i, without_fold)) continue;
        for (size_t r = 0; r < runs[i].count; r++, n++)
            for (uint32_t d = 0; d < count; d++) {
                sum[d] += (double)runs[i].dense[r][d];
                square[d] += (double)runs[i].dense[r][d] * (double)runs[i].dense[r][d];
            }
    }
    out->dense_count = count;
    for (uint32_t d = 0; d < count; d++) {
        double mean = n > 0 ? sum[d] / n : 0, var = n > 0 ? square[d] / n - mean * mean : 1;
        out->mean[d] = (float)mean;
        out->spread[d] = var > 1e-8 ? (float)sqrt(var) : 1.0f;
    }
}

#define SPARSE_LEAST 5 /* databases */

struct learner {
    float w[2][DENSE_MAX], g[2][DENSE_MAX]; /* [1]: what charts add; they leave the others alone */
    uint32_t dense;
    bool executed;
    const struct ranker *r;
    /* sparse: a hashed table while learning */
    float *sw, *sg;
    uint32_t *hash;
    uint8_t *seen; /* databases, up to 255 */
    uint16_t *last;
    uint32_t mask;
};

static bool dropped(uint32_t feature, uint32_t seed)
{
    return (hash_pair(feature, seed) & 255u) < 102u;
}

static void learn_one(struct learner *t, const struct run_result *run, uint32_t seed, float rate)
{
    static const float drop_scale = 1.0f / 0.6f;
    float z[READINGS_MAX], p[READINGS_MAX], top = -1e30f, all = 0, right = 0;
    float *w = t->w[run->drawn], *g = t->g[run->drawn], weight[DENSE_MAX];
    size_t n = run->count;
    for (uint32_t d = 0; d < t->dense; d++) weight[d] = t->w[0][d] + (run->drawn ? w[d] : 0);
    for (size_t i = 0; i < n; i++) {
        z[i] = run->readings[i].grammar;
        for (uint32_t d = 0; d < t->dense; d++)
            z[i] += weight[d] * (run->dense[i][d] - t->r->mean[d]) / t->r->spread[d];
        for (uint32_t k = 1; k <= run->sparse[i][0]; k++)
            if (t->seen[run->sparse[i][k] & t->mask] >= SPARSE_LEAST &&
                (t->executed || !dropped(run->sparse[i][k], seed)))
                z[i] += (t->executed ? 1 : drop_scale) * t->sw[run->sparse[i][k] & t->mask];
        if (run->evidence[i].tried && !run->evidence[i].ok && t->executed) z[i] -= RANK_FAILED;
        if (z[i] > top) top = z[i];
    }
    for (size_t i = 0; i < n; i++) all += p[i] = expf(z[i] - top);
    for (size_t i = 0; i < n; i++) {
        p[i] /= all;
        if (run->right[i]) right += p[i];
    }
    if (right < 1e-9f) right = 1e-9f;
    float grad[DENSE_MAX] = { 0 };
    for (size_t i = 0; i < n; i++) {
        float e = p[i] - (run->right[i] ? p[i] / right : 0);
        if (fabsf(e) < 1e-5f) continue;
        for (uint32_t d = 0; d < t->dense; d++) grad[d] += e * (run->dense[i][d] - t->r->mean[d]) / t->r->spread[d];
        for (uint32_t k = 1; !t->executed && k <= run->sparse[i][0]; k++) {
            uint32_t f = run->sparse[i][k];
            if (t->seen[f & t->mask] < SPARSE_LEAST || dropped(f, seed)) continue;
            uint32_t at = f & t->mask;
            float d = e * drop_scale + 3e-4f * t->sw[at];
            t->sg[at] += d * d;
            t->sw[at] -= 0.03f * d / sqrtf(t->sg[at] + 1.0f);
        }
    }
    for (uint32_t d = 0; d < t->dense; d++) {
        float v = grad[d] + 1e-4f * w[d];
        g[d] += v * v;
        w[d] -= rate * v / sqrtf(g[d] + 1.0f);
    }
}

static void sparse_open(struct corpus *k, const struct run_result *runs, int without_fold, struct learner *t)
{
    size_t size = 1u << 22;
    t->mask = (uint32_t)size - 1;
    t->sw = call_array(k->call, size, sizeof *t->sw);
    t->sg = call_array(k->call, size, sizeof *t->sg);
    t->hash = call_array(k->call, size, sizeof *t->hash);
    t->seen = call_array(k->call, size, 1);
    t->last = call_array(k->call, size, sizeof *t->last);
    for (size_t i = 0; i < k->count; i++) {
        if (!teaches(k, runs, i, without_fold)) continue;
        uint16_t database = (uint16_t)(k->examples[i].database + 1);
        for (size_t r = 0; r < runs[i].count; r++)
            for (uint32_t f = 1; f <= runs[i].sparse[r][0]; f++) {
                uint32_t at = runs[i].sparse[r][f] & t->mask;
                if (!t->hash[at]) t->hash[at] = runs[i].sparse[r][f];
                if (t->last[at] == database || t->hash[at] != runs[i].sparse[r][f]) continue;
                t->last[at] = database;
                if (t->seen[at] < 255) t->seen[at]++;
            }
    }
}

static void sparse_close(struct call *c, const struct learner *t, struct learned *out)
{
    size_t n = 0;
    for (size_t at = 0; at <= t->mask; at++) n += t->seen[at] >= SPARSE_LEAST && t->sw[at] != 0;
    *out = (struct learned){ .outputs = 1, .bias = call_alloc(c, sizeof(float)) };
    out->hashes = call_array(c, n + 1, sizeof *out->hashes);
    out->weights = call_array(c, n + 1, sizeof *out->weights);
    for (size_t at = 0; at <= t->mask; at++)
        if (t->seen[at] >= SPARSE_LEAST && t->sw[at] != 0) {
            out->hashes[out->features] = t->hash[at];
            out->weights[out->features++] = t->sw[at];
        }
}

static void learn_passes(struct corpus *k, const struct run_result *runs, int without_fold, struct learner *t)
{
    size_t *order = call_array(k->call, k->count + 1, sizeof *order), n = 0;
    for (size_t i = 0; i < k->count; i++)
        if (teaches(k, runs, i, without_fold)) order[n++] = i;
    uint32_t state = 777;
    for (int epoch = 0; epoch < 4; epoch++) {
        for (size_t i = n; i > 1; i--) {
            size_t j = random_next(&state) % i, swap = order[i - 1];
            order[i - 1] = order[j];
            order[j] = swap;
        }
        for (size_t i = 0; i < n; i++) learn_one(t, &runs[order[i]], random_next(&state), 0.05f);
    }
}

struct learner *ranker_learn_plain(struct corpus *k, const struct run_result *runs, int without_fold,
                                   struct ranker *out, struct learned *sparse)
{
    memset(out, 0, sizeof *out);
    standardise(k, runs, without_fold, out);
    struct learner *t = call_alloc(k->call, sizeof *t);
    t->r = out;
    t->dense = rank_dense_plain();
    sparse_open(k, runs, without_fold, t);
    learn_passes(k, runs, without_fold, t);
    memcpy(out->dense[0], t->w[0], sizeof t->w[0]);
    memcpy(out->drawn[0], t->w[1], sizeof t->w[1]);
    sparse_close(k->call, t, sparse);
    return t;
}

void ranker_learn_executed(struct corpus *k, const struct run_result *runs, int without_fold,
                           const struct learner *plain, struct ranker *out)
{
    struct ranker fresh = *out;
    standardise(k, runs, without_fold, &fresh);
    uint32_t first = rank_dense_plain();
    memcpy(out->mean + first, fresh.mean + first, sizeof out->mean - first * sizeof(float));
    memcpy(out->spread + first, fresh.spread + first, sizeof out->spread - first * sizeof(float));
    struct learner *t = call_alloc(k->call, sizeof *t);
    t->r = out;
    t->executed = true;
    t->dense = rank_dense_count();
    t->sw = plain->sw;
    t->mask = plain->mask;
    t->seen = plain->seen;
    memcpy(t->w, plain->w, sizeof t->w);
    learn_passes(k, runs, without_fold, t);
    memcpy(out->dense[1], t->w[0], sizeof t->w[0]);
    memcpy(out->drawn[1], t->w[1], sizeof t->w[1]);
}
