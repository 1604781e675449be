/* cues: classes of words that say what to do with what is named: the highest, per, different, without. Words of one
 * class share what is learned about any of them. */
#ifndef QUERENT_LEXICAL_CUES_H
#define QUERENT_LEXICAL_CUES_H

#include "base/words.h"

enum cue {
    CUE_MOST,  /* highest, oldest, most, expensive: the large end */
    CUE_LEAST, /* lowest, youngest, cheapest: the small end */
    CUE_SUM,
    CUE_AVERAGE,
    CUE_COUNT, /* how many, number of */
    CUE_DISTINCT,
    CUE_EACH, /* per, each, by */
    CUE_NOT,
    CUE_ORDER, /* sorted, alphabetical */
    CUE_DESCENDING,
    CUE_MORE, /* more than, above */
    CUE_LESS,
    CUE_BOTH,
    CUE_EITHER,
    CUE_BETWEEN, /* two numbers that bound */
    CUE_ASCENDING,
    CUE_CHART, /* to be drawn */
    CUE_BY_X,  /* sorted by what stands along the x axis */
    CUE_BY_Y,  /* by the heights */
    CUE_BY_BARS,
    CUE_SERIES, /* a third column tells what stands side by side */
    CUES
};

/* Bit set of the classes of word p; some need the words beside it. */
uint32_t word_cues(const struct words *q, size_t p);

/* Words that say nothing of their own beside the names of things: orders that were placed, are still open. */
bool word_is_light(const char *fold);

/* Before "by" the p-th word tells a deed or the way of sorting, and nothing is grouped: paid by card, sorted by, are
 * by. named: it is part of a name, as a noun in -ed or -en (speed) is. */
bool word_tells_deed(const struct words *q, size_t p, bool named);

#endif
