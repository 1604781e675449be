/* rebind: a deep copy of a checked plan that is bound like the original, so that access can put queries in the place of
 * tables without checking twice. Private to policy/. */
#ifndef QUERENT_REBIND_H
#define QUERENT_REBIND_H

#include "plan/plan.h"

/* Sources of the whole plan in plan_walk's order: list of struct source *. */
struct list rebind_sources(struct call *c, struct query *plan);
/* The bound copy, and its sources in the same order. Columns still count as in the original. */
struct query *rebind_copy(struct call *c, struct query *plan, struct list *sources);
/* Puts a checked query, whose items are the used columns of the table in order, in the place of a copied table. */
void rebind_wrap(struct source *copy, struct query *q);
/* Once all are wrapped: columns count as in their wrap, and the sources offer what it does. */
void rebind_columns(struct query *copy, const struct list *wrapped); /* list of struct source * */

#endif
