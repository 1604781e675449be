#include "planners/lexical/weights.h"

#include <string.h>

struct cursor {
    const unsigned char *at, *end;
    bool failed;
};

static const void *take(struct cursor *k, size_t bytes)
{
    size_t padded = (bytes + 3) & ~(size_t)3;
    if (k->failed || (size_t)(k->end - k->at) < padded) {
        k->failed = true;
        return NULL;
    }
    const void *p = k->at;
    k->at += padded;
    return p;
}

static uint32_t take_u32(struct cursor *k)
{
    uint32_t v = 0;
    const void *p = take(k, 4);
    if (p) memcpy(&v, p, 4);
    return v;
}

static float take_float(struct cursor *k)
{
    float v = 0;
    const void *p = take(k, 4);
    if (p) memcpy(&v, p, 4);
    return v;
}

static void take_model(struct cursor *k, struct model *m)
{
    m->outputs = take_u32(k);
    uint32_t size = take_u32(k), entries = take_u32(k);
    m->scale = take_float(k);
    m->size = size;
    if (k->failed || m->outputs > 4096 || size > (1u << 22) || entries > (1u << 23) || !size) {
        k->failed = true;
        return;
    }
    m->bias = take(k, m->outputs * 4);
    m->slots = take(k, (size_t)size * 4);
    m->offsets = take(k, ((size_t)size + 1) * 4);
    m->step = take(k, entries);
    m->value = take(k, entries);
    if (!k->failed && m->offsets[size] != entries) k->failed = true;
}

static void take_curve(struct cursor *k, struct curve *v)
{
    v->count = take_u32(k);
    if (v->count > 24) {
        k->failed = true;
        return;
    }
    for (uint32_t i = 0; i < v->count; i++) {
        v->x[i] = take_float(k);
        v->y[i] = take_float(k);
    }
}

static void take_names(struct call *c, struct cursor *k, struct weights *w)
{
    for (int i = 0; i < 6; i++) w->factor_first[i] = take_u32(k);
    uint32_t count = w->factor_first[5], bytes = take_u32(k);
    const char *text = take(k, bytes);
    if (k->failed || count > 4096 || !bytes || text[bytes - 1] != 0) {
        k->failed = true;
        return;
    }
    const char **names = call_array(c, count + 1, sizeof *names);
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (at >= bytes) {
            k->failed = true;
            return;
        }
        names[i] = text + at;
        at += strlen(text + at) + 1;
    }
    w->names = names;
    uint32_t joint = count - w->factor_first[4];
    w->joint = take(k, (size_t)joint * 8);
    w->joint_prior = take(k, (size_t)joint * 4);
}

uint32_t weights_checksum(const void *blob, size_t n)
{
    const unsigned char *p = blob;
    uint32_t h = 2166136261u;
    for (size_t i = WEIGHTS_HEADER_BYTES; i < n; i++) h = (h ^ p[i]) * 16777619u;
    return h;
}

int weights_open(struct call *c, const void *blob, size_t n, struct weights *w)
{
    *w = (struct weights){ 0 };
    struct cursor k = { blob, (const unsigned char *)blob + n, false };
    uint32_t magic = take_u32(&k), version = take_u32(&k), size = take_u32(&k);
    take_u32(&k); /* checksum */
    if (k.failed || magic != WEIGHTS_MAGIC || version != WEIGHTS_VERSION || size != n)
        return call_fail(c, ERR_INTERNAL_ERROR, "The planner's weights do not belong to this version.");
    take_names(c, &k, w);
    for (int i = 0; i < MODELS && !k.failed; i++) take_model(&k, &w->models[i]);
    w->dense_count = take_u32(&k);
    if (w->dense_count > DENSE_MAX) k.failed = true;
    w->dense[0] = take(&k, (size_t)w->dense_count * 4);
    w->dense[1] = take(&k, (size_t)w->dense_count * 4);
    w->drawn[0] = take(&k, (size_t)w->dense_count * 4);
    w->drawn[1] = take(&k, (size_t)w->dense_count * 4);
    w->mean = take(&k, (size_t)w->dense_count * 4);
    w->spread = take(&k, (size_t)w->dense_count * 4);
    for (int way = 0; way < WAYS; way++) take_curve(&k, &w->confidence[way]);
    w->sure_count = take_u32(&k);
    if (w->sure_count > DENSE_MAX) k.failed = true;
    for (int way = 0; way < WAYS; way++) w->sure[way] = take(&k, (size_t)w->sure_count * 4);
    w->fit_count = take_u32(&k);
    if (w->fit_count > DENSE_MAX) k.failed = true;
    w->fit = take(&k, (size_t)w->fit_count * 4);
    w->fit_mean = take(&k, (size_t)w->fit_count * 4);
    w->fit_spread = take(&k, (size_t)w->fit_count * 4);
    for (int way = 0; way < WAYS; way++) w->answer_at[way] = take_float(&k);
    w->fit_at = take_float(&k);
    w->trust_at = take_float(&k);
    if (k.failed) return call_fail(c, ERR_INTERNAL_ERROR, "The planner's weights are damaged.");
    return OK;
}

uint32_t weights_slot(uint32_t hash, uint32_t size)
{
    return (uint32_t)((uint64_t)hash * size >> 32);
}

/* The tables are larger than a processor's cache and features lie anywhere in them, so each look-up is announced before
 * the ones in front of it are done. */
void model_sums(const struct model *m, const struct features *f, float *out)
{
    int32_t sums[4096];
    uint32_t slots[FEATURES_MAX];
    size_t found = 0;
    memset(sums, 0, m->outputs * sizeof *sums);
    for (size_t i = 0; i < f->count; i++) {
        slots[i] = weights_slot(f->items[i] ? f->items[i] : 1, m->size);
        __builtin_prefetch(&m->slots[slots[i]]);
    }
    for (size_t i = 0; i < f->count; i++) {
        uint32_t h = f->items[i] ? f->items[i] : 1, at = slots[i];
        while (m->slots[at] && m->slots[at] != h)
            if (++at == m->size) at = 0;
        if (!m->slots[at]) continue;
        __builtin_prefetch(&m->offsets[at]);
        slots[found++] = at;
    }
    for (size_t i = 0; i < found; i++) {
        uint32_t end = m->offsets[slots[i] + 1];
        for (uint32_t k = m->offsets[slots[i]], o = 0; k < end; k++) sums[o += m->step[k]] += m->value[k];
    }
    for (uint32_t o = 0; o < m->outputs; o++) out[o] = m->bias[o] + m->scale * (float)sums[o];
}

float word_doubt(const struct weights *w, const struct word *x)
{
    struct features f;
    float doubt;
    f.count = 1;
    f.items[0] = hash_text(x->fold); /* placed is not place */
    model_sums(&w->models[MODEL_DOUBT], &f, &doubt);
    return doubt;
}

float curve_at(const struct curve *v, float x)
{
    if (!v->count) return x;
    if (x <= v->x[0]) return v->y[0];
    for (uint32_t i = 1; i < v->count; i++)
        if (x <= v->x[i]) {
            float span = v->x[i] - v->x[i - 1];
            float part = span > 0 ? (x - v->x[i - 1]) / span : 1;
            return v->y[i - 1] + part * (v->y[i] - v->y[i - 1]);
        }
    return v->y[v->count - 1];
}
