/* plan: the typed plan, the only thing a planner, a model or a reader of SQL can produce and the only thing SQL is
 * rendered from. The JSON grammar is in docs/plan.md; this is the same tree. Nodes live in the call. Fields under
 * "bound" are filled by plan_check and are not part of the JSON. */
#ifndef QUERENT_PLAN_H
#define QUERENT_PLAN_H

#include "domain/view.h"
#include "json.h"

#define PLAN_DEPTH_MAX   64
#define PLAN_NODES_MAX   4000
#define PLAN_SOURCES_MAX 32
#define PLAN_NAME_BYTES  256 /* of an alias and of the name of a WITH; names of the schema may be longer */
#define FINDINGS_MAX     15

struct expr;
struct query;
struct source;
struct function;

enum origin { ORIGIN_TEXT, ORIGIN_PLANNER, ORIGIN_MODEL, ORIGIN_VERIFIED, ORIGIN_SYSTEM };

enum expr_kind {
    EXPR_LITERAL,
    EXPR_COLUMN,
    EXPR_OUTPUT, /* name of a result column; ORDER BY of the same query only */
    EXPR_CALL,
    EXPR_UNARY,
    EXPR_BINARY,
    EXPR_LIKE, /* and ilike */
    EXPR_BETWEEN,
    EXPR_IN, /* list or query */
    EXPR_IS_NULL,
    EXPR_IS_DISTINCT,
    EXPR_EXISTS,
    EXPR_QUERY, /* scalar */
    EXPR_CASE,
    EXPR_CAST,
    EXPR_INTERVAL,
    EXPR_ROW,
    EXPR_STAR
};

enum unary_op { UNARY_NOT, UNARY_MINUS };
enum binary_op {
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,    /* exact, NULL on zero */
    OP_INTDIV, /* truncates */
    OP_MOD,
    OP_CONCAT,
    OP_AND,
    OP_OR
};
extern const char *const binary_op_names[]; /* = != < <= > >= + - * / div % || and or NULL */

enum unit { UNIT_YEAR, UNIT_QUARTER, UNIT_MONTH, UNIT_WEEK, UNIT_DAY, UNIT_HOUR, UNIT_MINUTE, UNIT_SECOND };
extern const char *const unit_names[];

enum direction { DIR_ASC, DIR_DESC };
enum nulls { NULLS_DEFAULT, NULLS_FIRST, NULLS_LAST }; /* default = last in both directions */

/* Arrays below may be built exactly (room 0) or by the pushing functions of build.c. */
struct exprs {
    struct expr **items;
    size_t count, room;
};

struct order_item {
    struct expr *expr;
    enum direction direction;
    enum nulls nulls;
};

struct orders {
    struct order_item *items;
    size_t count, room;
};

enum frame_unit { FRAME_ROWS, FRAME_RANGE, FRAME_GROUPS };
enum bound_kind {
    BOUND_UNBOUNDED_PRECEDING,
    BOUND_PRECEDING,
    BOUND_CURRENT,
    BOUND_FOLLOWING,
    BOUND_UNBOUNDED_FOLLOWING
};
enum frame_exclude { EXCLUDE_NONE, EXCLUDE_CURRENT, EXCLUDE_GROUP, EXCLUDE_TIES };
struct frame_bound {
    enum bound_kind kind;
    struct expr *offset;
};
struct frame {
    enum frame_unit unit;
    struct frame_bound start, end;
    enum frame_exclude exclude;
};
struct window {
    struct exprs partition_by;
    struct orders order_by;
    struct frame *frame; /* NULL = the default one */
};

struct when {
    struct expr *when, *then;
};

struct expr {
    enum expr_kind kind;
    bool negated; /* like, between, in, is_null, is_distinct, exists */
    union {
        struct {
            bool null;
            const char *text; /* digits of a number, true/false, ISO text of a date, the text itself; NULL when null */
        } literal;            /* its type is in `type` */
        struct {
            const char *table, *column; /* alias in scope; column name */
            /* bound */
            const struct source *source;
            size_t index;  /* column of the source */
            int levels_up; /* 0 = this query, 1 = the enclosing one (correlated) */
        } column;
        struct {
            const char *name;
            size_t index; /* bound: item of the select list */
        } output;
        struct {
            const char *name;
            struct exprs args;
            bool distinct;
            struct expr *filter;
            struct orders within;
            struct window *over;
            const struct function *function; /* bound */
        } call;
        struct {
            enum unary_op op;
            struct expr *arg;
        } unary;
        struct {
            enum binary_op op;
            struct expr *left, *right;
        } binary;
        struct {
            struct expr *arg, *pattern, *escape;
            bool fold; /* ilike */
        } like;
        struct {
            struct expr *arg, *low, *high;
        } between;
        struct {
            struct expr *arg;
            struct exprs list;
            struct query *query;
        } in;
        struct {
            struct expr *left, *right; /* is_null: right is NULL */
        } is;
        struct query *query; /* exists, scalar */
        struct {
            struct when *whens;
            size_t count;
            struct expr *otherwise;
        } cases;
        struct {
            struct expr *arg;
            struct value_type to;
        } cast;
        struct {
            struct expr *value;
            enum unit unit;
        } interval;
        struct exprs row;
    };
    struct value_type type; /* literals: given; the rest: bound */
    bool nullable;          /* bound */
};

enum source_kind { SOURCE_TABLE, SOURCE_CTE, SOURCE_QUERY };

/* What a source offers to its scope, bound. */
struct source_column_info {
    const char *name;
    struct value_type type;
    bool nullable;
};

struct source {
    enum source_kind kind;
    const char *schema, *name; /* table or cte */
    const char *alias;
    struct query *query;        /* SOURCE_QUERY */
    const char *const *columns; /* names given to a query's columns */
    size_t column_count;
    /* bound */
    const struct table *table; /* of the view */
    size_t table_index;        /* in the view */
    const struct cte *cte;
    struct source_column_info *offers;
    size_t offer_count;
    bool *used; /* beside offers: some expression names the column */
};

enum join_type { JOIN_INNER, JOIN_LEFT, JOIN_RIGHT, JOIN_FULL, JOIN_CROSS };

/* One source, or a tree of joins. from == NULL in a leaf. */
struct from {
    struct source *source; /* leaf */
    struct from *joined;   /* left side of the joins */
    struct join *joins;
    size_t join_count;
};

struct join {
    enum join_type type;
    struct source *source;
    struct expr *on;
};

struct select_item {
    struct expr *expr;
    const char *alias;
};

enum body_kind { BODY_SELECT, BODY_SET, BODY_VALUES };
enum set_op { SET_UNION, SET_UNION_ALL, SET_INTERSECT, SET_INTERSECT_ALL, SET_EXCEPT, SET_EXCEPT_ALL };

struct body {
    enum body_kind kind;
    union {
        struct {
            bool distinct;
            struct select_item *items;
            size_t item_count, item_room;
            struct from *from; /* NULL = none */
            struct expr *where;
            struct exprs group_by;
            struct expr *having;
            bool aggregated; /* bound: one row a group: has group_by, having or an aggregate */
        } select;
        struct {
            enum set_op op;
            struct query *left, *right;
        } set;
        struct {
            struct exprs *rows;
            size_t count;
        } values;
    };
};

struct cte {
    const char *name;
    const char *const *columns;
    size_t column_count;
    bool recursive;
    struct query *query;
    /* bound */
    struct source_column_info *offers;
    size_t offer_count;
    bool recurses; /* its query reads itself */
    bool counted;  /* and its step counts to a bound, so that it ends by itself within 10,000 rounds */
};

struct query {
    struct cte *ctes;
    size_t cte_count;
    struct body *body;
    struct orders order_by;
    struct expr *limit, *offset; /* NULL = absent; a literal integer, or an expression without columns */
    /* bound: the result columns */
    struct source_column_info *offers;
    size_t offer_count;
};

/* plan/decode.c: JSON -> tree. Strict; ERR_INVALID_PLAN_STRUCTURE, ERR_NUMBER_AS_TEXT or ERR_PLAN_TOO_LARGE at a JSON
 * pointer. Parse the text with plan_parse: a plan of 64 levels is deeper than 64 levels of JSON. */
int plan_decode(struct call *c, const struct json *j, struct query **out);
int plan_parse(struct call *c, const char *text, size_t n, struct query **out); /* json text -> tree */
/* plan/encode.c: tree -> JSON, members in grammar order, defaults omitted. */
void plan_encode(struct buf *b, const struct query *q);
/* plan/canonical.c: a copy in canonical form (stored spelling, aliases renumbered t1…, output aliases kept), and its
 * hash: SHA-256 of its encoding. The query must have been checked; the copy is not bound. */
struct query *plan_canonical(struct call *c, const struct query *q);
const char *plan_hash(struct call *c, const struct query *q);

/* plan/copy.c: deep copies; bound fields are not copied (a literal keeps its type). */
struct query *plan_copy(struct call *c, const struct query *q);
struct expr *expr_copy(struct call *c, const struct expr *e);

/* plan/equal.c: same tree, names compared without case, bound fields ignored. */
bool plan_equal(const struct query *a, const struct query *b);
bool expr_equal(const struct expr *a, const struct expr *b);
/* JSON pointers where two plans differ, in document order: list of struct plan_difference. Either value is the JSON
 * text found there, NULL where one plan has nothing. */
struct plan_difference {
    const char *pointer, *before, *after;
};
void plan_diff(struct call *c, const struct query *before, const struct query *after, struct list *out);

/* What an engine can be told, as far as a checker must know: filled by each row of sql/dialects. Whatever the renderer
 * can refuse is said here, so that plan_check refuses it first. */
enum dialect_feature {
    DIALECT_COERCES = 1,   /* compares and adds text and numbers by itself: sqlite, mysql, mssql */
    DIALECT_UNGROUPED = 2, /* text may show a column that is neither grouped nor aggregated: sqlite, mysql */
    /* Shows whatever the grouped columns determine through keys and equalities: sqlite, mysql. Elsewhere (postgres sees
     * a primary key and no more) check adds it to group_by. */
    DIALECT_DEPENDENCE = 4,
    DIALECT_DISTINCT_ORDER = 8, /* SELECT DISTINCT may be ordered by what it does not show */
    DIALECT_FULL_JOIN = 16,
    DIALECT_INTERSECT = 32,      /* and EXCEPT */
    DIALECT_INTERSECT_ALL = 64,  /* and EXCEPT ALL */
    DIALECT_RECURSIVE_CAP = 128, /* the recursive member of a CTE can be capped */
    DIALECT_FRAME_GROUPS = 256,
    DIALECT_FRAME_EXCLUDE = 512,
    DIALECT_FRAME_RANGE_OFFSET = 1024,
    DIALECT_ROW_VALUES = 2048,       /* (a, b) = (c, d), (a, b) IN (…) */
    DIALECT_LIMIT_EXPRESSION = 4096, /* LIMIT takes more than a literal */
    DIALECT_VALUES_BODY = 8192,
    DIALECT_NESTED_WITH = 16384,      /* WITH inside a subquery */
    DIALECT_HIDDEN_AGGREGATES = 32768 /* an aggregate in HAVING or ORDER BY alone makes the rows one group */
};
struct dialect_support {
    const char *name;  /* the dialect's */
    unsigned features; /* enum dialect_feature */
    /* Why this engine cannot be told this expression, in a few words ("has no median"), or NULL when it can. Called for
     * every call, cast, interval and literal once its parts are bound and typed. NULL = it can say everything. */
    const char *(*refuses)(const struct expr *e);
};

/* plan/check.c: resolves names against the view, types every expression, fills the bound fields. Errors end as the
 * call's error with findings (code, pointer, found, what exists; at most FINDINGS_MAX); warnings come out beside. Types
 * that the engine coerces by itself (DIALECT_COERCES) are errors for a model, else warnings. The plan may be amended
 * where its meaning stays: in sqlite and mysql text an ungrouped column becomes any_value(column), and where the engine
 * lacks DIALECT_DEPENDENCE a column that the grouped ones determine joins group_by. An any_value stands only beside a
 * group_by or another aggregate, so an engine without it may write the plain column. */
struct plan_warning {
    const char *code, *pointer, *detail;
};
struct check_result {
    struct list warnings;    /* struct plan_warning */
    struct query *suggested; /* a repaired plan, or NULL */
};
int plan_check(struct call *c, const struct view *view, const struct dialect_support *dialect, enum origin origin,
               struct query *q, struct check_result *out);

/* plan/walk.c, for checked queries: true when an expression inside names a column of an enclosing query. */
bool query_is_correlated(const struct query *q);

/* plan/lineage.c, for checked queries. Sources of each result column, as base table columns: list of struct list of
 * struct source_column, beside the query's offers. */
void plan_lineage(struct call *c, const struct query *q, struct list *per_column);
/* Conditions that decide which rows count (where, having, on), outermost first, with the base columns each reads. */
struct plan_filter {
    const struct expr *expr;
    struct list sources; /* struct source_column */
};
void plan_filters(struct call *c, const struct query *q, struct list *out); /* list of struct plan_filter */

/* plan/build.c: short constructors for planners, indexing and tests. Texts are kept, not copied. */
struct expr *expr_column(struct call *c, const char *table, const char *column);
struct expr *expr_output(struct call *c, const char *name);
struct expr *expr_literal(struct call *c, enum type_kind type, const char *text);
struct expr *expr_text(struct call *c, const char *text);
struct expr *expr_integer(struct call *c, int64_t v);
struct expr *expr_number(struct call *c, const char *digits); /* integer or decimal by its digits */
struct expr *expr_boolean(struct call *c, bool v);
struct expr *expr_null(struct call *c);
struct expr *expr_call(struct call *c, const char *name, size_t count, struct expr **args);
struct expr *expr_call1(struct call *c, const char *name, struct expr *arg);
struct expr *expr_distinct(struct call *c, const char *name, struct expr *arg); /* count(DISTINCT arg) */
struct expr *expr_count_star(struct call *c);
struct expr *expr_binary(struct call *c, enum binary_op op, struct expr *left, struct expr *right);
struct expr *expr_not(struct call *c, struct expr *arg);
struct expr *expr_minus(struct call *c, struct expr *arg);
struct expr *expr_star(struct call *c);
struct expr *expr_and(struct call *c, struct expr *left, struct expr *right); /* either may be NULL */
struct expr *expr_or(struct call *c, struct expr *left, struct expr *right);  /* either may be NULL */
struct expr *expr_like(struct call *c, struct expr *arg, struct expr *pattern, bool fold);
struct expr *expr_between(struct call *c, struct expr *arg, struct expr *low, struct expr *high);
struct expr *expr_in_list(struct call *c, struct expr *arg, struct exprs list);
struct expr *expr_in_query(struct call *c, struct expr *arg, struct query *q);
struct expr *expr_is_null(struct call *c, struct expr *arg);
struct expr *expr_exists(struct call *c, struct query *q);
struct expr *expr_query(struct call *c, struct query *q); /* scalar */
struct expr *expr_cast(struct call *c, struct expr *arg, enum type_kind to);
bool expr_has_not(const struct expr *e); /* its kind has `not`: like, between, in, is null, is distinct, exists */
struct expr *expr_negated(struct call *c, struct expr *e); /* sets `not` in place where the kind has it, else NOT e */

struct query *query_select(struct call *c); /* an empty select, ready to be filled */
struct query *query_set(struct call *c, enum set_op op, struct query *left, struct query *right);
void query_item(struct call *c, struct query *q, struct expr *e, const char *alias);
/* First source, or a further one as a join; the source is returned. on may be NULL. */
struct source *query_from(struct call *c, struct query *q, const char *schema, const char *table, const char *alias);
struct source *query_join(struct call *c, struct query *q, enum join_type type, const char *schema, const char *table,
                          const char *alias, struct expr *on);
struct source *query_from_query(struct call *c, struct query *q, struct query *sub, const char *alias);
struct source *query_join_query(struct call *c, struct query *q, enum join_type type, struct query *sub,
                                const char *alias, struct expr *on);
struct source *query_from_cte(struct call *c, struct query *q, const char *cte, const char *alias);
struct cte *query_with(struct call *c, struct query *q, const char *name, struct query *sub); /* valid until the next */
void query_where(struct call *c, struct query *q, struct expr *e); /* AND beside what stands */
void query_having(struct call *c, struct query *q, struct expr *e);
void query_group(struct call *c, struct query *q, struct expr *e);
void query_order(struct call *c, struct query *q, struct expr *e, enum direction d);
void query_limit(struct call *c, struct query *q, int64_t limit);
void exprs_push(struct call *c, struct exprs *l, struct expr *e);
void orders_push(struct call *c, struct orders *l, struct expr *e, enum direction d);

#endif
