/* render: the walk from plan to text that the files of this folder share. Private to sql/. Output goes to one buffer;
 * the first failure stands in the call and makes every further step do nothing. */
#ifndef QUERENT_RENDER_H
#define QUERENT_RENDER_H

#include "sql/dialects/dialect.h"

/* How tightly an expression holds together; an operand below what its place asks for stands in parentheses.
 * Concatenation stands below arithmetic, because engines disagree where it belongs. */
enum level_of {
    BINDS_ANY,
    BINDS_OR,
    BINDS_AND,
    BINDS_NOT,
    BINDS_COMPARE,
    BINDS_CONCAT,
    BINDS_ADD,
    BINDS_MULTIPLY,
    BINDS_UNARY,
    BINDS_PRIMARY
};

struct render {
    struct call *call;
    const struct dialect *dialect;
    struct buf out;
    int rc; /* first failure */
    int depth;
    int names;                   /* aliases made up so far */
    const struct query *ordered; /* the query whose ORDER BY is being written */
    const struct cte *recursing; /* whose own query is being written */
    int64_t recursion_cap;
    bool capped;                 /* some recursion was */
    bool derived;                /* its body stands in a derived table: only the names of its columns are in scope */
    struct list tables;          /* struct reading */
    struct list functions;       /* const char * */
    struct list unreal;          /* const char *: names of sources that are no tables */
};

void render_text(struct render *r, const char *s);
void render_format(struct render *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void render_name(struct render *r, const char *name);   /* quoted */
void render_derived(struct render *r, const char *name); /* the alias of what is no table */
void render_alias(struct render *r, const char *name);  /* of a source or a WITH: quoted, another name when it is long or
                                                            not of plain letters */
void render_quoted(struct render *r, const char *text); /* 'text' with quotes doubled */
/* Fails with a code and a message that a planner can act on. */
void render_refuse(struct render *r, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool render_can(const struct render *r, unsigned what);   /* D_… */
bool render_knows(const struct render *r, unsigned what); /* DIALECT_… */

/* render_query.c */
void render_query(struct render *r, const struct query *q);
void render_subquery(struct render *r, const struct query *q); /* in parentheses */
void render_made_up_name(struct render *r);                    /* q1, q2 … */
/* True when the query, or a part of it, names columns of an enclosing one and would have to be written as a derived
 * table, which sees none of them. in: it stands behind IN. */
bool query_is_cut_off(const struct dialect *d, const struct query *q, bool in);
/* ORDER BY and its keys, after a space when spaced. */
void render_orders(struct render *r, const struct orders *o, bool spaced);
/* False when there is no limit or it is not a plain number. */
bool query_literal_limit(const struct query *q, int64_t *out);
bool expr_natural(const struct expr *e, int64_t *out); /* a literal integer from 0 up */

/* render_expr.c */
void render_value(struct render *r, const struct expr *e, enum level_of least);
void render_predicate(struct render *r, const struct expr *e, enum level_of least);
void render_list(struct render *r, const struct exprs *l);
void render_binary(struct render *r, const struct expr *left, const char *op, const struct expr *right,
                   enum level_of least_left, enum level_of least_right);
enum level_of render_binds(const struct render *r, const struct expr *e);
bool expr_is_predicate(const struct expr *e);
bool expr_is_constant(const struct expr *e); /* a literal, or minus a literal */
bool expr_is_number_literal(const struct expr *e);
bool expr_is_nonzero(const struct expr *e); /* a number literal other than zero */

/* render_call.c */
void render_call(struct render *r, const struct expr *e);
/* Expands a template over arguments. */
void render_template(struct render *r, const char *text, const struct exprs *args, bool distinct);
void render_call_as(struct render *r, const struct expr *e, const char *text); /* the call by this template */
const char *expr_text_literal(const struct expr *e);                           /* NULL when it is none */
/* string_agg of DISTINCT values in another order than the values' own: which row's key counts is not said. */
bool distinct_order_differs(const struct expr *e);
int unit_of(const struct expr *e); /* of the literal name of a unit; -1 when it is none */

/* reads.c: what the text touches, for the second opinion. */
void reads_column(struct render *r, const struct source *s, size_t index);
void reads_table(struct render *r, const struct source *s);
void reads_function(struct render *r, const char *name, size_t n);
void reads_derived(struct render *r, const char *name);
void reads_functions_of(struct render *r, const char *sql); /* every word before a parenthesis, outside of quotes */
void reads_finish(struct render *r, struct reads *out);

#endif
