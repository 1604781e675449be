/* use: a reading under the eye: what it uses of the question and of the schema. Private to the dense numbers. */
#ifndef QUERENT_LEXICAL_USE_H
#define QUERENT_LEXICAL_USE_H

#include "planners/lexical/dense.h"

#define USED_COLUMNS_MAX 32

struct use {
    const struct candidates *k;
    const struct linked *l;
    const struct reading *r;
    float *d;
    uint8_t covered[WORDS_MAX];
    float strength[WORDS_MAX]; /* of the best name that covers a word */
    int columns[USED_COLUMNS_MAX];
    int column_count;
    uint8_t *tables; /* beside tables */
};

static inline enum mention_kind kind_of(const struct lex_column *col)
{
    return col->mention_count ? col->mentions[0].kind : MENTION_NONE;
}

static inline void least(float *at, float v)
{
    if (v < *at) *at = v;
}

/* dense_tables.c: the tables of FROM and the keys that they hang together along. */
void dense_tables(struct use *u, const struct core *core);

#endif
