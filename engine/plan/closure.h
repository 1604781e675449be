/* closure: which columns of a SELECT's sources have one value once some are fixed: by equality with a fixed column, a
 * literal or an outer column, and by keys. Private to plan/. */
#ifndef QUERENT_PLAN_CLOSURE_H
#define QUERENT_PLAN_CLOSURE_H

#include "plan/checker.h"

struct closure {
    struct scope *s;
    bool **fixed; /* beside the sources, each beside its offers */
    bool **keys;  /* columns of a key; NULL = the source has none */
    bool changed;
};

void closure_init(struct closure *f, struct call *c, struct scope *s); /* sources of one row are fixed */
void closure_fix_source(struct closure *f, size_t i);
bool *closure_flag(const struct closure *f, const struct expr *e); /* of a column of the scope, else NULL */
bool closure_source_fixed(const struct closure *f, size_t i);
/* outer_too: conditions of outer joins count as well; else only what holds for every row of the result. */
void closure_run(struct closure *f, const struct body *b, bool outer_too);

ptrdiff_t scope_position(const struct scope *s, const struct source *source); /* -1 = of another scope */
bool query_is_one_row(const struct query *q);
bool source_is_one_row(const struct source *s);
/* Sets the flags (beside the offers) of a key of the source; false when it has none. */
bool source_key(const struct source *s, bool *key);

#endif
