/* explain: how the words of a question were read, in plain words: a line for each part of a reading, no line twice. */
#ifndef QUERENT_LEXICAL_EXPLAIN_H
#define QUERENT_LEXICAL_EXPLAIN_H

#include "planners/lexical/reading.h"
#include "planners/planner.h"

/* Adds to the reasons of `out`; sets its doubt when a value was said that is not known where it is looked for.
 * values_known: there is an index of values to know it from. */
void reading_explain(const struct linked *l, const struct reading *r, bool values_known, struct candidate *out);

#endif
