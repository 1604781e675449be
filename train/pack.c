/* Learned models as the blob the planner reads: pruned, eight bits a weight, features in an open-addressed table. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(struct buf *b, const void *bytes, size_t n)
{
    buf_add(b, bytes, n);
    while (b->len % 4) buf_char(b, 0);
}

static void put_u32(struct buf *b, uint32_t v)
{
    put(b, &v, 4);
}

static void put_float(struct buf *b, float v)
{
    put(b, &v, 4);
}

#define STEP_MOST 255u /* from one output to the next */

static void put_model(struct buf *b, const struct learned *m, float threshold)
{
    struct call *c = b->call;
    size_t cells = m->features * m->outputs, kept = 0;
    float most = 0;
    for (size_t i = 0; i < cells; i++) most = fmaxf(most, fabsf(m->weights[i]));
    float scale = most > 0 ? most / 127.0f : 1.0f;
    if (scale > 0.03f) scale = 0.03f; /* the few largest are cut rather than the many small ones lost */
    uint8_t *alive = call_array(c, m->features + 1, 1);
    for (size_t f = 0; f < m->features; f++)
        for (uint32_t o = 0; o < m->outputs; o++)
            if (fabsf(m->weights[f * m->outputs + o]) >= threshold) alive[f] = 1;
    for (size_t f = 0; f < m->features; f++) kept += alive[f];
    size_t size = kept + kept / 4 + 4;
    uint32_t *slots = call_array(c, size, 4), *rows = call_array(c, size, 4), *offsets = call_array(c, size + 1, 4);
    for (size_t f = 0; f < m->features; f++) {
        if (!alive[f]) continue;
        uint32_t h = m->hashes[f] ? m->hashes[f] : 1;
        size_t at = weights_slot(h, (uint32_t)size);
        while (slots[at])
            if (++at == size) at = 0;
        slots[at] = h;
        rows[at] = (uint32_t)f;
    }
    size_t most_entries = cells + (size_t)kept * (m->outputs / STEP_MOST + 1);
    uint8_t *step = call_array(c, most_entries + 1, 1);
    int8_t *value = call_array(c, most_entries + 1, 1);
    uint32_t entries = 0;
    for (size_t at = 0; at < size; at++) {
        offsets[at] = entries;
        if (!slots[at]) continue;
        for (uint32_t o = 0, last = 0; o < m->outputs; o++) {
            float w = m->weights[(size_t)rows[at] * m->outputs + o];
            float q = roundf(w / scale);
            if (fabsf(w) < threshold || q == 0) continue;
            for (; o - last > STEP_MOST; last += STEP_MOST) step[entries++] = STEP_MOST; /* of value 0 */
            step[entries] = (uint8_t)(o - last);
            last = o;
            value[entries++] = (int8_t)(q > 127 ? 127 : q < -127 ? -127 : q);
        }
    }
    offsets[size] = entries;
    put_u32(b, m->outputs);
    put_u32(b, (uint32_t)size);
    put_u32(b, entries);
    put_float(b, scale);
    put(b, m->bias, m->outputs * 4);
    put(b, slots, size * 4);
    put(b, offsets, (size + 1) * 4);
    put(b, step, entries);
    put(b, value, entries);
}

static void put_names(struct buf *b, const struct sketches *s)
{
    for (int i = 0; i < 6; i++) put_u32(b, s->first[i]);
    struct buf text;
    buf_init(&text, b->call, 1u << 20);
    for (uint32_t i = 0; i < s->first[5]; i++) buf_add(&text, s->names[i], strlen(s->names[i]) + 1);
    put_u32(b, (uint32_t)text.len);
    put(b, text.data, text.len);
    uint32_t joints = s->first[5] - s->first[4];
    put(b, s->joint, (size_t)joints * 8);
    put(b, s->prior, (size_t)joints * 4);
}

static void put_curve(struct buf *b, const struct curve *v)
{
    put_u32(b, v->count);
    for (uint32_t i = 0; i < v->count; i++) {
        put_float(b, v->x[i]);
        put_float(b, v->y[i]);
    }
}

const void *weights_pack(struct call *c, const struct stage_one *s, const struct ranker *r, float threshold, size_t *n)
{
    struct buf b;
    buf_init(&b, c, 64u << 20);
    put_u32(&b, WEIGHTS_MAGIC);
    put_u32(&b, WEIGHTS_VERSION);
    put_u32(&b, 0);
    put_u32(&b, 0);
    put_names(&b, &s->sketches);
    for (int i = 0; i < MODELS; i++) {
        struct learned none = { .outputs = 1, .bias = call_alloc(c, 4) };
        bool there = s->models[i].outputs > 0;
        float least = i == MODEL_SKETCH ? threshold * 2 : i == MODEL_FIT ? FIT_PRUNED : threshold;
        put_model(&b, there ? &s->models[i] : &none, least);
    }
    static const struct ranker nothing;
    if (!r) r = &nothing;
    put_u32(&b, r->dense_count);
    put(&b, r->dense[0], r->dense_count * 4);
    put(&b, r->dense[1], r->dense_count * 4);
    put(&b, r->drawn[0], r->dense_count * 4);
    put(&b, r->drawn[1], r->dense_count * 4);
    put(&b, r->mean, r->dense_count * 4);
    put(&b, r->spread, r->dense_count * 4);
    for (int way = 0; way < WAYS; way++) put_curve(&b, &r->confidence[way]);
    put_u32(&b, r->sure_count);
    for (int way = 0; way < WAYS; way++) put(&b, r->sure[way], r->sure_count * 4);
    put_u32(&b, r->fit_count);
    put(&b, r->fit, r->fit_count * 4);
    put(&b, r->fit_mean, r->fit_count * 4);
    put(&b, r->fit_spread, r->fit_count * 4);
    for (int way = 0; way < WAYS; way++) put_float(&b, r->answer_at[way]);
    put_float(&b, r->fit_at);
    put_float(&b, r->trust_at);
    uint32_t size = (uint32_t)b.len;
    memcpy(b.data + 8, &size, 4);
    uint32_t sum = weights_checksum(b.data, b.len);
    memcpy(b.data + 12, &sum, 4);
    *n = b.len;
    return b.data;
}
