/* normalise: readings as people mean them. */
#ifndef QUERENT_LEXICAL_NORMALISE_H
#define QUERENT_LEXICAL_NORMALISE_H

#include "planners/lexical/assemble.h"

/* A person is shown by the whole name, unless the question says which part; the oldest has the earliest date. Leaves no
 * two readings equal; answers how many are left. */
size_t readings_normalise(const struct context *x, struct reading *readings, size_t count);

#endif
