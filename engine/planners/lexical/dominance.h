/* dominance: of two readings of which one has all the faults of the other and more, the other is meant. */
#ifndef QUERENT_LEXICAL_DOMINANCE_H
#define QUERENT_LEXICAL_DOMINANCE_H

#include "planners/lexical/assemble.h"

/* Lowers the grammar of readings that another one of the list makes needless, and says what each leaves of the
 * question. */
void readings_dominate(struct call *c, const struct context *x, struct reading *readings, size_t count);

#endif
