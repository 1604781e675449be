/* checker: what the files of plan_check share. Private to plan/.
 * One pass binds and types a query from its sources outwards; grouping and join rules follow for each SELECT once
 * everything in it is bound. A part that failed has type unknown, which fits everything, so one mistake is reported
 * once. */
#ifndef QUERENT_CHECKER_H
#define QUERENT_CHECKER_H

#include "plan/functions.h"
#include "plan/path.h"
#include "plan/plan.h"

/* A common table expression in sight, innermost first. */
struct cte_env {
    const struct cte_env *up;
    struct cte *cte;
};

struct checker {
    struct call *c;
    const struct view *view;
    const struct dialect_support *dialect;
    enum origin origin;
    struct check_result *out;
    struct query *root;
    size_t errors;
    bool has_ctes;
};

/* One SELECT and the sources its expressions may name. */
struct scope {
    struct scope *up;
    const struct cte_env *ctes;
    struct source **sources;
    size_t count;
    /* Counted while expressions are bound: columns of this scope and of outer ones, aggregates. */
    size_t own_columns, outer_columns, aggregates, any_values;
};

/* Where an expression stands. */
enum place {
    PLACE_ITEM,
    PLACE_WHERE,
    PLACE_ON,
    PLACE_GROUP,
    PLACE_HAVING,
    PLACE_ORDER,
    PLACE_LIMIT,
    PLACE_VALUES,
    PLACE_ARGUMENT /* of an aggregate */
};

struct context {
    enum place place;
    bool in_window;           /* inside the arguments or the OVER of a window function */
    bool interval_ok, row_ok; /* the parent takes one */
};

/* check.c */
void check_name(struct checker *k, const struct path *p, const char *name); /* of an alias or a WITH */
void report(struct checker *k, enum err_code code, const struct path *p, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void warn(struct checker *k, enum err_code code, const struct path *p, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* An error from a planner or a model, a warning from text. */
void report_by_origin(struct checker *k, enum err_code code, const struct path *p, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A finding about types: a warning where the engine coerces by itself, except for a model, which does better to mend
 * it; elsewhere an error. */
void report_type(struct checker *k, enum err_code code, const struct path *p, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool has_feature(const struct checker *k, enum dialect_feature f);
bool from_person(const struct checker *k); /* text, a verified query, the system: not a planner or a model */
bool lenient(const struct checker *k);     /* report_type only warns */
void check_query(struct checker *k, struct scope *up, const struct cte_env *ctes, const struct path *p,
                 struct query *q);

/* measure.c: the ceilings, and that no part of the tree is missing; the rest may then recurse and follow pointers. */
void check_size(struct checker *k, struct query *q);

/* scope.c */
void bind_from(struct checker *k, struct scope *s, const struct path *p, struct from *f);
void bind_column(struct checker *k, struct scope *s, const struct path *p, struct expr *e);
/* Names, nearest to `word` first, at most 15 and then how many more: "a, b, c". */
const char *list_names(struct call *c, const char *word, const char *const *names, size_t count);

/* types.c */
void check_expr(struct checker *k, struct scope *s, const struct context *x, const struct path *p, struct expr **slot);
void check_condition(struct checker *k, struct scope *s, enum place place, const struct path *p, struct expr **slot);

/* compare.c */
bool type_is_number(struct value_type t);
bool type_is_date(struct value_type t); /* date, timestamp, timestamptz */
bool type_is_any(struct value_type t);  /* unknown or NULL */
/* The type both fit into; false when there is none. */
bool type_common(struct value_type a, struct value_type b, struct value_type *out);
const char *type_text(struct call *c, struct value_type t);
void check_comparable(struct checker *k, const struct path *p, struct expr *a, struct expr *b, const char *what);
bool expr_is_text(const struct expr *e); /* a text literal */

/* literals.c: whether the text of a literal, or any text, is a value of the type. */
bool literal_valid(enum type_kind kind, const char *text);

/* calls.c */
void check_call(struct checker *k, struct scope *s, const struct context *x, const struct path *p, struct expr **slot);

/* grouping.c */
void check_grouping(struct checker *k, struct scope *s, const struct path *body, struct query *q);
bool expr_is_aggregate(const struct expr *e); /* an aggregate or ordered-set call without OVER */

/* joins.c */
void check_joins(struct checker *k, struct scope *s, const struct path *p, struct query *q);
bool columns_related(const struct expr *a, const struct expr *b); /* a foreign key relates the two */

/* recursion.c, for a recursive CTE whose two sides are bound. Counted: the step has a column that moves by a number, and
 * a condition that compares it with one, so that it ends within 10,000 rounds. It ends not when the step reads nothing
 * but itself and has no condition. */
bool recursion_counted(const struct cte *t);
bool recursion_ends(const struct cte *t);

#endif
