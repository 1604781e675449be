/* features_parts: what the descriptions of questions, names and literals are made of. Private to features_*.c. */
#ifndef QUERENT_LEXICAL_FEATURES_PARTS_H
#define QUERENT_LEXICAL_FEATURES_PARTS_H

#include "planners/lexical/features.h"

/* One more of a template: its number and what it joins. Beyond FEATURES_MAX they are left out. */
void feature_add(struct features *f, uint32_t template, uint32_t a, uint32_t b);
/* Of the p-th word, which may stand before the first or behind the last; of it and the next. */
uint32_t word_tag(const struct linked *l, long p);
uint32_t word_tag_pair(const struct linked *l, long p);
/* The words around a mention: nine templates from `base` on, each joined with what kind of mention it is. */
void features_around(struct features *f, const struct linked *l, const struct mention *m, uint32_t base, uint32_t kind);
/* Side and distance of other words from first..end: 0..3 behind them, 4..7 before them, 8 among them. */
unsigned words_apart(size_t first, size_t end, size_t other_first, size_t other_end);
/* The same of the best mention of the column's table from m; 9 = there is none. */
unsigned table_apart(const struct linked *l, const struct lex_column *col, const struct mention *m);
/* How close the nearest table with a good mention is along keys: 0 no other, 1 neighbour, 2 further. */
unsigned table_near(const struct context *x, size_t table);
/* Key, foreign key, like a name, like an id: four bits. */
uint32_t column_marks(const struct lex_column *col);
/* 0..3 as they are, then 4 and 5, 6 to 9, more: 4, 5, 6. */
unsigned size_bucket(size_t n);

#endif
