#include "planners/lexical/lexicon.h"

#include "base/embed.h"

#include <string.h>

void lexicon_open(struct lexicon *x)
{
    *x = (struct lexicon){ 0 };
    const struct embedded *file = embedded_find("engine/planners/lexical/lexicon.bin");
    size_t n = file ? (size_t)(file->end - file->begin) : 0;
    const uint32_t *head = file ? (const uint32_t *)(const void *)file->begin : NULL;
    if (n < 16 || head[0] != LEXICON_MAGIC) return;
    size_t count = head[1], senses = head[2], fellows = head[3];
    if (n < 16 + (count * 3 + 2) * 4 + (senses + fellows) * 2 + count * 2) return;
    x->count = head[1];
    x->hashes = head + 4;
    x->offsets = x->hashes + count;
    x->from = x->offsets + count + 1;
    x->senses = (const uint16_t *)(const void *)(x->from + count + 1);
    x->fellows = x->senses + senses;
    x->own = (const uint8_t *)(const void *)(x->fellows + fellows);
    x->close = x->own + count;
}

uint32_t lexicon_find(const struct lexicon *x, uint32_t hash)
{
    uint32_t low = 0, high = x->count;
    while (low < high) {
        uint32_t at = low + (high - low) / 2;
        if (x->hashes[at] == hash) return at;
        if (x->hashes[at] < hash)
            low = at + 1;
        else
            high = at;
    }
    return x->count;
}

static enum likeness fellow(const struct lexicon *x, uint32_t a, uint32_t b)
{
    for (uint32_t i = x->from[a]; i < x->from[a + 1]; i++)
        if (x->fellows[i] == b) return i - x->from[a] < x->close[a] ? LIKE_CLOSE : LIKE_FELLOW;
    return LIKE_NOTHING;
}

enum likeness lexicon_like(const struct lexicon *x, uint32_t a, uint32_t b)
{
    if (a >= x->count || b >= x->count) return LIKE_NOTHING;
    enum likeness best = fellow(x, a, b), other = fellow(x, b, a);
    if (other > best) best = other;
    for (uint32_t i = x->offsets[a]; i < x->offsets[a + 1]; i++)
        for (uint32_t k = x->offsets[b]; k < x->offsets[b + 1]; k++) {
            bool own_a = i - x->offsets[a] < x->own[a], own_b = k - x->offsets[b] < x->own[b];
            if (x->senses[i] != x->senses[k] || !(own_a || own_b)) continue;
            if (own_a && own_b) return LIKE_SAME;
            if (best < LIKE_KIND) best = LIKE_KIND;
        }
    return best;
}
