/* walk: visits a plan from the outside in. A callback gets the slot that holds the expression, so it may put another
 * one there; false = do not go inside this one. NULL callbacks are skipped. It recurses: only for plans within the
 * ceilings. */
#ifndef QUERENT_WALK_H
#define QUERENT_WALK_H

#include "plan/plan.h"

struct plan_visitor {
    void *ctx;
    bool (*query)(void *ctx, struct query *q);
    bool (*source)(void *ctx, struct source *s);
    bool (*expr)(void *ctx, struct expr **slot);
    bool flat; /* do not enter queries inside expressions and sources, nor CTEs */
};

/* Order: CTEs, from (sources, then conditions), where, group_by, having, items, order_by, limit, offset. */
void plan_walk(const struct plan_visitor *v, struct query *q);
void expr_walk(const struct plan_visitor *v, struct expr **slot);
void from_walk(const struct plan_visitor *v, struct from *f);

/* The direct sub-expressions of one expression, in grammar order; not into queries. */
void expr_children(struct expr *e, void (*fn)(void *ctx, struct expr **slot), void *ctx);

/* The query directly inside an expression (in, exists, scalar), or NULL. */
struct query *expr_inner_query(const struct expr *e);

/* Sources of a FROM from left to right. */
void from_sources(struct call *c, struct from *f, struct list *out); /* list of struct source * */

#endif
