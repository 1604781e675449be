/* options: which of the candidates are offered when the question is asked back, and in what order. */
#ifndef QUERENT_LEXICAL_OPTIONS_H
#define QUERENT_LEXICAL_OPTIONS_H

#include "planners/lexical/rank.h"

struct offer {
    const struct candidates *k;
    struct candidate *list; /* best first */
    int *offered;           /* beside the list: their readings */
    size_t count;
};

/* Readings that do what was asked come first, and the others do not come at all where there are some; of several
 * families each once, by names rather than ids; of a word of trade each column once. How many may be chosen from. */
size_t options_order(const struct offer *o);

#endif
