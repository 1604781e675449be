#include "planners/lexical/lexicon.h"

#include "base/embed.h"

#include <string.h>

void lexicon_open(struct lexicon *x)
{
    *x = (struct lexicon){ 0 };
    const struct embedded *file = embedded_find("engine/planners/lexical/lexicon.bin");
    size_t n = file ? (size_t)(file->end - file->begin) : 0;
    const uint32_t *head = file ? (const uint32_t *)(const void *)file->begin : NULL;
    if (n < 12 || head[0] != LEXICON_MAGIC) return;
    uint32_t count = head[1], senses = head[2];
    if (n < 12 + ((size_t)count * 2 + 1) * 4 + (size_t)senses * 2 + count) return;
    x->count = count;
    x->hashes = head + 3;
    x->offsets = x->hashes + count;
    x->senses = (const uint16_t *)(const void *)(x->offsets + count + 1);
    x->own = (const uint8_t *)(const void *)(x->senses + senses);
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

enum likeness lexicon_like(const struct lexicon *x, uint32_t a, uint32_t b)
{
    enum likeness best = LIKE_NOTHING;
    if (a >= x->count || b >= x->count) return best;
    for (uint32_t i = x->offsets[a]; i < x->offsets[a + 1]; i++)
        for (uint32_t k = x->offsets[b]; k < x->offsets[b + 1]; k++) {
            bool own_a = i - x->offsets[a] < x->own[a], own_b = k - x->offsets[b] < x->own[b];
            if (x->senses[i] != x->senses[k] || !(own_a || own_b)) continue;
            if (own_a && own_b) return LIKE_SAME;
            best = LIKE_KIND;
        }
    return best;
}
