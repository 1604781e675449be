/* opinion: the second opinion. The engine's own parser says what a statement touches; it must be a subset of what the
 * rendered tree touches. Blocks for one round to the database. */
#ifndef QUERENT_OPINION_H
#define QUERENT_OPINION_H

#include "guard/guard.h"

/* OK, ERR_GUARD_DISAGREEMENT, or what the database said. */
int guard_opinion(struct call *c, const struct guarded *g);
/* The rule alone: seen is a subset of said, views of the snapshot expanded. Names what is not. */
bool opinion_agrees(const struct snapshot *s, const struct reads *said, const struct reads *seen,
                    struct table_read *table, const char **what);

#endif
