/* repair: the plan a checker would rather see. A repair is made on a copy of the whole plan, checked like any plan, and
 * offered only when it passes; the first one stands. Private to plan/. */
#ifndef QUERENT_PLAN_REPAIR_H
#define QUERENT_PLAN_REPAIR_H

#include "plan/checker.h"

/* A foreign key between two sources of a scope; key NULL = none. */
struct relationship {
    const struct foreign_key *key;
    const struct source *from, *to; /* owner of the key, the table it refers to */
};

struct relationship relationship_of(const struct scope *s, size_t a, size_t b);
/* Between any source of a's group and any of b's; group stands beside the sources. */
struct relationship relationship_between(const struct scope *s, const size_t *group, size_t a, size_t b);
const char *relationship_text(struct call *c, const struct relationship *r); /* "o.customer_id = c.id" */

/* Joins along the relationship; in place of the condition `wrong` when there is one. */
void suggest_join(struct checker *k, const struct query *q, const struct relationship *r, const struct expr *wrong);
/* Aggregates over one row for each key of the source whose values are aggregated. */
void suggest_distinct_rows(struct checker *k, const struct query *q);

#endif
