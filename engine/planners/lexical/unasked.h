/* unasked: what a reading adds though nobody asked for it, and what it leaves undone. Of two readings of which one has
 * all the faults of the other and more, the other is meant. */
#ifndef QUERENT_LEXICAL_UNASKED_H
#define QUERENT_LEXICAL_UNASKED_H

#include "planners/lexical/assemble.h"

/* Readings as people mean them: a person is shown by the whole name, unless the question says which part; the oldest
 * has the earliest date. Leaves no two readings equal; answers how many are left. */
size_t unasked_mend(const struct context *x, struct reading *readings, size_t count);

/* Lowers the grammar of readings that another one of the list makes needless. */
void unasked_lower(struct call *c, const struct context *x, struct reading *readings, size_t count);

/* Words that say nothing of their own beside the names of things: orders that were placed, are still open. */
bool word_is_light(const char *fold);

#endif
