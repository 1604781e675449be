/* emit: parts of a typed plan from parts of a reading. Private to the making of plans. */
#ifndef QUERENT_LEXICAL_EMIT_H
#define QUERENT_LEXICAL_EMIT_H

#include "planners/lexical/reading.h"

struct emit {
    struct call *call;
    const struct linked *linked;
};

const char *emit_alias(const struct emit *e, int table); /* of a source */
struct expr *emit_column(const struct emit *e, int item);
struct expr *emit_cut(const struct emit *e, int item, int grain); /* a date cut to a unit; grain < 0: the column */
struct expr *emit_term(const struct emit *e, const struct term *t);
struct expr *emit_cond(const struct emit *e, const struct cond *w);
/* Conditions joined by and, or by or; NULL when there are none. */
struct expr *emit_conds(const struct emit *e, const struct cond *list, int count, bool any);
/* The core's tables; those with a bit of their place in `loose` need not have a row. */
void emit_from(const struct emit *e, struct query *q, const struct core *core, uint32_t loose);
const char *emit_name(const struct emit *e, const struct term *t); /* of a result column; NULL for all columns */
/* The core's items, under names that differ. */
void emit_items(const struct emit *e, struct query *q, const struct core *core);
void emit_time_order(const struct emit *e, struct query *q, const struct core *core);

#endif
