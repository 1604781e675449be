/* drawn: words that say how an answer is to be drawn, not what of: in a bar chart, the x axis, by the total number.
 * They are marked WORD_DRAWN before anything is linked, so that none is taken for a name or missed in the view. */
#ifndef QUERENT_DRAWN_H
#define QUERENT_DRAWN_H

#include "base/words.h"

enum drawn {
    DRAWN_CHART,  /* bar chart, histogram, plot them */
    DRAWN_SERIES, /* stacked, grouped: before chart */
    DRAWN_AXIS,   /* axis */
    DRAWN_X,      /* x, of the axis */
    DRAWN_Y,      /* y */
    DRAWN_HEIGHT, /* the total number, when something is sorted by it */
    DRAWN_BARS,   /* the bars, when they are sorted */
    DRAWN_FILLER  /* bin … into intervals, group by attribute */
};

void drawn_words(struct words *q);
/* Of a word that is marked. */
enum drawn drawn_as(const struct words *q, size_t p);
/* A way to sort by is said of word p: by the x axis, y in descending order. */
bool drawn_sorts(const struct words *q, size_t p);
/* Is a direction of sorting said near word p of a text that asks for a drawing? */
bool drawn_way_near(const struct words *q, size_t p);
/* The kind of chart that is asked for, as chart_kind_names says it; NULL = none, or one that is not drawn here. */
const char *drawn_kind(const struct words *q);

#endif
