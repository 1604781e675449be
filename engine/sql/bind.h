/* bind: syntax + view -> plan. Names are resolved in scopes, innermost first; what the view does not have does not
 * exist. Functions answer NULL or false after recording an error in the call. Expressions carry a provisional type,
 * which decides what an operator of the source dialect means; plan_check types them again. */
#ifndef QUERENT_BIND_H
#define QUERENT_BIND_H

#include "sql/syntax.h"

#define BOUND_NODES_MAX 8000u

struct binder {
    struct call *call;
    enum tongue tongue;
    const struct view *view;
    const char *text; /* of the statement, for names and messages */
    uint32_t n;
    unsigned nodes;
    unsigned alias_depth; /* select-list aliases being opened */
    struct list aliases;  /* const char *: plan aliases and CTE names in use, unique in the statement */
};

/* A column that a scope offers: how it is called there and how the plan calls it. */
struct offered {
    const char *name;
    const char *table, *column; /* in the plan */
    struct expr *merged;        /* a column of USING in a full join: coalesce(left, right) */
    struct value_type type;
};

/* One name in FROM. */
struct range {
    const char *name;       /* alias, or the name of the table or CTE */
    const char *schema;     /* of a table named without an alias, else NULL */
    const char *plan_alias; /* NULL once its columns are offered through another source */
    const struct table *table;
    bool hides_columns;
    struct offered *columns; /* NULL: the table's own under plan_alias */
    size_t column_count;
};

struct cte_env {
    const struct cte_env *up;
    struct ident name;
    const char *plan_name;
    const struct source_column_info *columns;
    size_t column_count;
    bool *used; /* set when a source reads it */
};

struct scope {
    struct scope *up;
    const struct cte_env *ctes;
    struct range *ranges;
    size_t first, count, room; /* a condition of a join sees only ranges from `first` */
    struct offered *visible;   /* what unqualified names and * see; NULL = the columns of the ranges */
    size_t visible_count;
    bool no_columns;                    /* LIMIT: no name resolves */
    const struct syntax_select *select; /* whose select list names aliases, whose WINDOW clause names windows */
    bool aliases, aliases_first;
    bool in_set; /* a side of a set operation */
};

/* bind_names.c */
const char *name_unique(struct binder *b, const char *wanted);
/* False, with an error, when the query has more names than any plan may have sources: finding another is not free. */
bool names_left(struct binder *b, uint32_t at);
/* As the engine stores it: PostgreSQL folds a bare name to lower case. */
const char *ident_text(struct binder *b, const struct ident *i);
struct range *scope_add(struct binder *b, struct scope *s);
size_t range_width(const struct range *r);
struct offered range_column(const struct range *r, size_t i);
struct expr *offered_expr(struct binder *b, const struct offered *o);
/* The range that name.* or name.column means; NULL when this scope has none. */
struct range *find_range(struct scope *s, const struct idents *name, size_t qualifiers);
struct expr *bind_name(struct binder *b, struct scope *s, const struct node *n, bool text_ok);
const struct table *bind_table(struct binder *b, const struct idents *name);
void fail_table(struct binder *b, const char *name);
int fail_bind(struct binder *b, enum err_code code, uint32_t at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int fail_unsupported(struct binder *b, uint32_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* bind_from.c */
bool bind_sources(struct binder *b, struct scope *s, const struct syntax_from *f, struct from **out);

/* bind_items.c: the select list, its names, GROUP BY. */
bool bind_items(struct binder *b, struct scope *s, struct query *q, const struct syntax_select *select);
bool bind_group(struct binder *b, struct scope *s, struct query *q, const struct syntax_select *select);
struct expr *item_again(struct binder *b, struct scope *s, const struct query *q, const struct syntax_select *select,
                        size_t number);
long ordinal(const struct node *n); /* the result column a number names, -1 = the node is no such number */

/* bind_order.c: ORDER BY and LIMIT. Without a scope only result columns can be named. */
bool bind_order(struct binder *b, struct scope *s, struct query *q, const struct order_terms *terms);
bool bind_limits(struct binder *b, struct query *q, const struct syntax_query *from);
bool bind_orders(struct binder *b, struct scope *s, const struct order_terms *terms, struct orders *out);
enum nulls default_nulls(const struct binder *b, bool descending, enum nulls written);

/* bind_query.c */
struct query *bind_query(struct binder *b, struct scope *outer, const struct cte_env *ctes,
                         const struct syntax_query *q);
bool query_is_star(const struct syntax_query *q); /* SELECT * FROM … and nothing else */

/* bind_expr.c. text_ok: a double-quoted name that is no column may be a text here (SQLite). */
struct expr *bind_expr(struct binder *b, struct scope *s, const struct node *n);
struct expr *bind_operand(struct binder *b, struct scope *s, const struct node *n, bool text_ok);
struct expr *bind_keep(struct binder *b, struct expr *e); /* counts it; NULL past the ceiling */
bool kind_is_number(struct value_type t);
bool kind_is_date(struct value_type t);
struct expr *with_type(struct expr *e, enum type_kind kind);

struct expr *bind_boolean(struct binder *b, struct expr *e); /* kept, as a condition */

/* bind_predicate.c: LIKE, BETWEEN, IN, IS. */
struct expr *bind_like(struct binder *b, struct scope *s, const struct node *n);
struct expr *bind_between(struct binder *b, struct scope *s, const struct node *n);
struct expr *bind_in(struct binder *b, struct scope *s, const struct node *n, bool negated);
struct expr *bind_quantified(struct binder *b, struct scope *s, const struct node *n);
struct expr *bind_is_null(struct binder *b, struct scope *s, const struct node *n);
struct expr *bind_is_truth(struct binder *b, struct scope *s, const struct node *n);
struct expr *bind_is_distinct(struct binder *b, struct scope *s, const struct node *n);

/* bind_interval.c */
bool unit_find(const char *text, enum unit *out); /* year, YEARS, mon, mi … */
struct expr *bind_interval(struct binder *b, struct scope *s, const struct node *n);
/* x + INTERVAL '1 year 2 months' is two additions. */
struct expr *add_interval(struct binder *b, struct expr *date, const struct node *interval, struct scope *s,
                          bool minus);

/* bind_call.c, bind_dates.c */
struct expr *bind_call(struct binder *b, struct scope *s, const struct node *n);
struct expr *call_plan(struct binder *b, const char *name, size_t count, struct expr **args);
void type_call(struct expr *e);
/* A date function of the dialect; *is_one false when the name is none. */
struct expr *bind_date_call(struct binder *b, struct scope *s, const struct node *n, const char *name, bool *is_one);
struct expr *bind_sqlite_date(struct binder *b, struct scope *s, const struct node *n, const char *name, bool *is_one);
/* Calls of the plan's catalogue; NULL in, NULL out. */
struct expr *plan_text(struct binder *b, const char *s);
struct expr *plan_call1(struct binder *b, const char *name, struct expr *a);
struct expr *plan_call2(struct binder *b, const char *name, struct expr *a, struct expr *z);
struct expr *plan_date_part(struct binder *b, enum unit unit, struct expr *date);
struct expr *plan_date_add(struct binder *b, enum unit unit, struct expr *count, struct expr *date);
struct expr *plan_format_date(struct binder *b, const char *format, struct expr *date);
struct expr *plan_today(struct binder *b);
struct expr *plan_now(struct binder *b);
const char *node_text(const struct node *n,
                      bool double_quotes); /* a text, also in SQLite's double quotes; NULL = none */

#endif
