/* Linear models by Adagrad: softmax over factors, independent outputs, or softmax over the members of a list. Samples
 * are visited in a fixed pseudo-random order, so the same input gives the same bytes. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dictionary {
    uint32_t *hashes, *index;
    size_t mask, count;
};

static size_t slot_of(const struct dictionary *d, uint32_t h)
{
    size_t at = (h * 2654435761u) & d->mask;
    while (d->index[at] && d->hashes[at] != h) at = (at + 1) & d->mask;
    return at;
}

/* Features seen in enough databases get a number, in order of first sight. */
static void number_features(struct call *c, const struct sample *s, size_t count, int least, struct dictionary *out)
{
    size_t total = 0, size = 1024;
    for (size_t i = 0; i < count; i++) total += s[i].count;
    while (size < total / 2 + 1024) size *= 2;
    struct dictionary all = { call_array(c, size, 4), call_array(c, size, 4), size - 1, 0 };
    uint16_t *last = call_array(c, size, 2);
    uint8_t *seen = call_array(c, size, 1);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < s[i].count; k++) {
            size_t at = slot_of(&all, s[i].features[k]);
            all.index[at] = 1;
            all.hashes[at] = s[i].features[k];
            if (last[at] == s[i].database + 1) continue;
            last[at] = (uint16_t)(s[i].database + 1);
            if (seen[at] < 255) seen[at]++;
        }
    *out = all;
    out->count = 0;
    for (size_t at = 0; at < size; at++)
        all.index[at] = all.index[at] && seen[at] >= least ? UINT32_MAX : all.index[at];
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < s[i].count; k++) {
            size_t at = slot_of(&all, s[i].features[k]);
            if (all.index[at] == UINT32_MAX) all.index[at] = (uint32_t)++out->count + 1;
        }
}

/* Numbers of a sample's features; those too rare are left out. index holds number + 2. */
static uint32_t known(const struct dictionary *d, const struct sample *s, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        uint32_t v = d->index[slot_of(d, s->features[k])];
        if (v >= 2) out[n++] = v - 2;
    }
    return n;
}

struct learner {
    const struct learn_options *o;
    float *w, *g, *bias, *bias_g;
    float *z, *grad;
};

static void sum(const struct learner *t, const uint32_t *f, uint32_t n, float *z)
{
    uint32_t outs = t->o->outputs;
    memcpy(z, t->bias, outs * sizeof *z);
    for (uint32_t k = 0; k < n; k++) {
        const float *row = t->w + (size_t)f[k] * outs;
        for (uint32_t i = 0; i < outs; i++) z[i] += row[i];
    }
}

static void step(struct learner *t, const uint32_t *f, uint32_t n, const float *grad)
{
    uint32_t outs = t->o->outputs, active[4096], count = 0;
    for (uint32_t i = 0; i < outs; i++)
        if (fabsf(grad[i]) > 1e-3f) active[count++] = i;
    for (uint32_t k = 0; k < n; k++) {
        float *row = t->w + (size_t)f[k] * outs, *sq = t->g + (size_t)f[k] * outs;
        for (uint32_t a = 0; a < count; a++) {
            uint32_t i = active[a];
            float d = grad[i] + t->o->l2 * row[i];
            sq[i] += d * d;
            row[i] -= t->o->rate * d / sqrtf(sq[i] + 1.0f);
        }
    }
    for (uint32_t a = 0; a < count; a++) {
        uint32_t i = active[a];
        t->bias_g[i] += grad[i] * grad[i];
        t->bias[i] -= t->o->rate * grad[i] / sqrtf(t->bias_g[i] + 1.0f);
    }
}

static void softmax(float *v, size_t n)
{
    float top = v[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        if (v[i] > top) top = v[i];
    for (size_t i = 0; i < n; i++) sum += v[i] = expf(v[i] - top);
    for (size_t i = 0; i < n; i++) v[i] /= sum;
}

static void learn_one(struct learner *t, const struct sample *s, const uint32_t *f, uint32_t n)
{
    const struct learn_options *o = t->o;
    sum(t, f, n, t->z);
    memset(t->grad, 0, o->outputs * sizeof *t->grad);
    if (o->loss == LOSS_BINARY) {
        for (uint32_t i = 0; i < o->outputs; i++)
            t->grad[i] = 1.0f / (1.0f + expf(-t->z[i])) - (float)(s->labels[0] >> i & 1);
    } else {
        for (uint32_t k = 0; k < o->factor_count; k++) {
            if (s->labels[k] < 0) continue;
            uint32_t first = o->factors[k], end = o->factors[k + 1];
            memcpy(t->grad + first, t->z + first, (end - first) * sizeof(float));
            softmax(t->grad + first, end - first);
            t->grad[s->labels[k]] -= 1.0f;
        }
    }
    step(t, f, n, t->grad);
}

/* One output; the right members of a list share the probability. */
static void learn_list(struct learner *t, const struct sample *s, size_t count, uint32_t *const *f, const uint32_t *n)
{
    float z[64], p[64], right = 0;
    if (count > 64) count = 64;
    for (size_t i = 0; i < count; i++) {
        sum(t, f[i], n[i], &z[i]);
        p[i] = z[i];
    }
    softmax(p, count);
    for (size_t i = 0; i < count; i++)
        if (s[i].right) right += p[i];
    if (right <= 0) return;
    for (size_t i = 0; i < count; i++) {
        float grad = p[i] - (s[i].right ? p[i] / right : 0);
        step(t, f[i], n[i], &grad);
    }
}

uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

void learn(struct call *c, const struct learn_options *o, const struct sample *samples, size_t count,
           struct learned *out)
{
    struct dictionary d;
    number_features(c, samples, count, o->least_databases, &d);
    struct learner t = { .o = o };
    size_t cells = (d.count + 1) * o->outputs;
    t.w = call_array(c, cells, sizeof(float));
    t.g = call_array(c, cells, sizeof(float));
    t.bias = call_array(c, o->outputs + 1, sizeof(float));
    t.bias_g = call_array(c, o->outputs + 1, sizeof(float));
    t.z = call_array(c, o->outputs + 1, sizeof(float));
    t.grad = call_array(c, o->outputs + 1, sizeof(float));
    uint32_t **features = call_array(c, count + 1, sizeof *features), *n = call_array(c, count + 1, sizeof *n);
    size_t *starts = call_array(c, count + 1, sizeof *starts), units = 0;
    for (size_t i = 0; i < count; i++) {
        features[i] = call_array(c, samples[i].count + 1u, 4);
        n[i] = known(&d, &samples[i], features[i]);
        if (o->loss != LOSS_LIST || i == 0 || samples[i].list != samples[i - 1].list) starts[units++] = i;
    }
    size_t *order = call_array(c, units + 1, sizeof *order);
    for (size_t i = 0; i < units; i++) order[i] = i;
    uint32_t state = 12345;
    for (int epoch = 0; epoch < o->epochs; epoch++) {
        for (size_t i = units; i > 1; i--) {
            size_t k = random_next(&state) % i, swap = order[i - 1];
            order[i - 1] = order[k];
            order[k] = swap;
        }
        for (size_t u = 0; u < units; u++) {
            size_t first = starts[order[u]], end = order[u] + 1 < units ? starts[order[u] + 1] : count;
            if (o->loss == LOSS_LIST)
                learn_list(&t, samples + first, end - first, features + first, n + first);
            else
                learn_one(&t, samples + first, features[first], n[first]);
        }
    }
    out->features = d.count;
    out->outputs = o->outputs;
    out->weights = t.w;
    out->bias = t.bias;
    out->hashes = call_array(c, d.count + 1, 4);
    for (size_t at = 0; at <= d.mask; at++)
        if (d.index[at] >= 2) out->hashes[d.index[at] - 2] = d.hashes[at];
}
