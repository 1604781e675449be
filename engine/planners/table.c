#include "planners/planner.h"

extern const struct planner planner_lexical;

/* In the order ask tries them. */
const struct planner *const planners[] = { &planner_lexical, NULL };
