/* random_plan: plans and schemas for property tests, the same for the same seed. A plan is made to fit its view: every
 * name resolves and every type fits without coercion, so plan_check accepts it from text (joins may still be warned
 * about). */
#ifndef QUERENT_TEST_RANDOM_PLAN_H
#define QUERENT_TEST_RANDOM_PLAN_H

#include "plan/plan.h"

struct random {
    uint64_t state;
};
uint64_t random_next(struct random *r);
size_t random_below(struct random *r, size_t n); /* 0 <= result < n */

const struct view *random_view(struct call *c, struct random *r);
/* depth: how deep expressions and subqueries may nest, 1 to 4. features: enum dialect_feature, what may be used. */
struct query *random_plan(struct call *c, struct random *r, const struct view *v, unsigned features, int depth);
/* The same, of which every engine that keeps its meaning gives the same rows: a limit only behind a whole order, no
 * text beyond ASCII folded, no number that binary fractions cannot hold, no scalar query of several rows, no literals
 * that one collation orders otherwise than another. */
struct query *random_sure_plan(struct call *c, struct random *r, const struct view *v, unsigned features, int depth);
/* Damages one place of the tree: another name, kind, operand, number of arguments, … The tree stays complete. */
void random_damage(struct call *c, struct random *r, struct query *q);

#endif
