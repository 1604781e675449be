/* A question as a whole: what the sketch model reads. */
#include "planners/lexical/features_parts.h"

void features_question(const struct context *x, struct features *f)
{
    const struct linked *l = x->linked;
    long n = (long)l->words.count;
    f->count = 0;
    for (long p = -1; p < n; p++) {
        uint32_t gram = word_tag(l, p);
        if (p >= 0) feature_add(f, 1, gram, 0);
        for (unsigned k = 2; k <= 4; k++) {
            if (p + (long)k - 1 > n) break;
            gram = hash_pair(gram, word_tag(l, p + (long)k - 1));
            feature_add(f, k, gram, 0);
        }
        if (p >= 0) { /* raw words under the placeholders, and skip-grams */
            uint32_t h = l->words.items[p].hash;
            if (word_tag(l, p) != h) feature_add(f, 5, h, 0);
            if (p + 1 < n && (word_tag(l, p) != h || word_tag(l, p + 1) != l->words.items[p + 1].hash))
                feature_add(f, 6, hash_pair(h, l->words.items[p + 1].hash), 0);
            if (p + 2 < n) feature_add(f, 7, word_tag(l, p), word_tag(l, p + 2));
            if (p + 3 < n) feature_add(f, 8, word_tag(l, p), word_tag(l, p + 3));
        }
    }
    for (long p = 0; p < n; p++)
        for (uint32_t k = 0; k < CUES; k++) {
            if (!(x->cues[p] >> k & 1)) continue;
            feature_add(f, 260, k, 0);
            feature_add(f, 261, k, word_tag(l, p + 1));
            feature_add(f, 262, k, p ? word_tag(l, p - 1) : 1);
            feature_add(f, 263, k, word_tag_pair(l, p + 1));
            feature_add(f, 264, k, x->opening[0]);
        }
    feature_add(f, 265, x->said, 0);
    feature_add(f, 266, x->said & 0xff, x->opening[1]);
    unsigned columns = 0, tables = 0, values = 0, numbers = 0, marks = 0;
    for (long p = 0; p < n; p++) {
        uint8_t r = l->roles[p];
        bool starts = p == 0 || l->roles[p - 1] != r;
        if (!starts) continue;
        columns += r == 'c' || r == 'b';
        tables += r == 't' || r == 'b';
        values += r == 'v';
        numbers += r == 'n';
        marks += l->words.items[p].fold[0] == ',';
    }
    feature_add(f, 10, columns > 5 ? 5 : columns, 0);
    feature_add(f, 11, tables > 4 ? 4 : tables, 0);
    feature_add(f, 12, values > 4 ? 4 : values, 0);
    feature_add(f, 13, numbers > 3 ? 3 : numbers, 0);
    feature_add(f, 14, (columns > 3 ? 3 : columns) * 10 + (values + numbers > 3 ? 3 : values + numbers), x->opening[0]);
    feature_add(f, 15, (values > 3 ? 3 : values) * 10 + (numbers > 3 ? 3 : numbers), x->opening[1]);
    feature_add(f, 16, marks > 3 ? 3 : marks, columns > 4 ? 4 : columns);
    feature_add(f, 17, size_bucket((size_t)n / 3), x->opening[1]);
    feature_add(f, 18, x->tables_named > 4 ? 4 : x->tables_named, x->opening[1]);
}
