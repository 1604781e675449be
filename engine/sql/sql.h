/* sql: SQL text into plans and plans into SQL text. */
#ifndef QUERENT_SQL_H
#define QUERENT_SQL_H

#include "domain/statement.h"
#include "plan/plan.h"

/* Before the name of a recursion whose first rows another member of WITH takes: how the renderer writes it and the
 * binder knows it. */
#define RECURSION_UNCAPPED "all of "

/* Renders a checked (and, for customers' data, access-wrapped) plan. The only constructor of a statement.
 * row_ceiling: rows the caller may get at most (see contract: a literal limit at or below it is rendered as it is, anything
 * else becomes ceiling + 1). 0 = no ceiling (system plans that aggregate). */
int sql_render(struct call *c, const char *dialect, const struct query *q, int64_t row_ceiling, struct statement **out);

/* Text of one SELECT-family statement in a dialect -> plan over the view. Fails closed: ERR_SQL_PARSE_ERROR,
 * ERR_SQL_NOT_ALLOWED and the guard messages of the contract. The plan is bound, not yet checked. */
int sql_to_plan(struct call *c, const char *dialect, const char *text, size_t n, const struct view *view,
                struct query **out);

/* What the parser alone makes of a text, whatever its names mean: OK, or the error it ends with; *refusal is set when it
 * was understood and a part of it is refused by name. For measuring. */
int sql_parse(struct call *c, const char *dialect, const char *text, size_t n, const char **refusal);

#endif
