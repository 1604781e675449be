/* syntax: what a SELECT statement says, before any name in it means something. Private to sql/: parse makes it, bind
 * reads it. All of it lives in the call. `at` is the byte of the text where a thing begins. */
#ifndef QUERENT_SYNTAX_H
#define QUERENT_SYNTAX_H

#include "domain/value_type.h"
#include "plan/plan.h"
#include "sql/lex.h"

#define SQL_BYTES_MAX     (64u * 1024)
#define SYNTAX_NODES_MAX  5000u
#define SYNTAX_HEIGHT_MAX 128u /* of the tree */
#define SYNTAX_DEPTH_MAX  200u /* of brackets and nested queries while parsing */

struct ident {
    const char *text; /* NULL = absent */
    char quote;       /* 0 bare, else the opening quote */
};

struct idents {
    struct ident *items;
    size_t count, room;
};

struct node;
struct nodes {
    struct node **items;
    size_t count, room;
};

struct type_name {
    const char *text;       /* as written, for messages */
    struct value_type type; /* TYPE_UNKNOWN when the plan has none */
    bool array;
    bool unsigned_; /* MySQL */
};

struct order_term {
    struct node *expr;
    bool descending;
    enum nulls nulls;
    uint32_t at;
};
struct order_terms {
    struct order_term *items;
    size_t count, room;
};

struct syntax_bound {
    enum bound_kind kind;
    struct node *offset;
};
struct syntax_window {
    struct ident name; /* of a WINDOW clause's member, or the one an OVER clause builds on */
    bool only_name;    /* OVER name */
    struct nodes partition;
    struct order_terms order;
    bool has_frame;
    enum frame_unit unit;
    struct syntax_bound start, end;
    enum frame_exclude exclude;
    uint32_t at;
};

struct syntax_call {
    struct idents name;
    struct nodes args;
    bool star, distinct;
    bool keyword;             /* written without parentheses: CURRENT_DATE */
    struct order_terms order; /* inside the parentheses */
    struct node *separator;   /* MySQL's GROUP_CONCAT */
    struct order_terms within;
    struct node *filter;
    struct syntax_window *over;
};

enum node_kind {
    NODE_NULL,
    NODE_BOOLEAN, /* negated = FALSE */
    NODE_NUMBER,
    NODE_TEXT,
    NODE_BINARY_TEXT, /* hex digits */
    NODE_TYPED,       /* DATE '…': cast of a text */
    NODE_NAME,
    NODE_STAR, /* name.* ; count 0 = bare */
    NODE_CALL,
    NODE_MINUS,
    NODE_NOT,
    NODE_BINARY, /* op */
    NODE_CHAIN,  /* op AND, OR, CONCAT over a list */
    NODE_LIKE,   /* left LIKE right ESCAPE third; like_kind in op */
    NODE_BETWEEN,
    NODE_IN,
    NODE_IS_NULL,
    NODE_IS_DISTINCT,
    NODE_IS_TRUTH, /* op: 0 false, 1 true, 2 unknown */
    NODE_EXISTS,
    NODE_QUERY,
    NODE_CASE,
    NODE_CAST,
    NODE_INTERVAL,
    NODE_ROW,
    NODE_QUANTIFIED, /* left op ANY|ALL (list or query): negated = ALL */
    NODE_ARRAY,
    NODE_OTHER /* understood, but no plan says it: the parse carries the refusal */
};
enum like_kind { LIKE_PLAIN, LIKE_FOLD, LIKE_GLOB };

struct node {
    uint8_t kind, op;
    bool negated;
    bool try_cast;
    uint16_t height;
    uint32_t at;
    union {
        const char *text;
        struct idents name;
        struct syntax_call *call;
        struct {
            struct node *left, *right, *third;
        };
        struct {
            struct node *arg; /* in, quantified */
            struct nodes list;
            struct syntax_query *query; /* in, exists, query */
        } of;
        struct {
            struct node *operand, *otherwise;
            struct nodes whens; /* when, then, when, then */
        } cases;
        struct {
            struct node *arg;
            struct type_name *type;
        } cast;
        struct {
            struct node *value;
            const char *unit; /* NULL: the value is a text that says it */
        } interval;
    };
};

struct syntax_item {
    struct node *expr;
    struct ident alias;
    uint32_t at, end;     /* of the expression: some engines name a column by its text */
    struct idents except; /* * EXCLUDE (…) */
};

enum from_kind { FROM_TABLE, FROM_QUERY, FROM_JOIN, FROM_OTHER };
struct syntax_from {
    enum from_kind kind;
    uint16_t height;
    uint32_t at;
    struct idents name; /* table */
    struct syntax_query *query;
    struct ident alias;
    struct idents columns;
    struct syntax_from *left, *right; /* join */
    enum join_type type;
    bool comma, natural;
    struct node *on;
    struct idents using_;
};

struct syntax_select {
    bool distinct;
    struct syntax_item *items;
    size_t item_count, item_room;
    struct syntax_from *from;
    struct node *where;
    struct nodes group_by;
    struct node *having;
    struct syntax_window *windows;
    size_t window_count, window_room;
    struct node *top;
};

struct syntax_cte {
    struct ident name;
    struct idents columns;
    struct syntax_query *query;
    uint32_t at;
};

enum syntax_query_kind { QUERY_SELECT, QUERY_SET, QUERY_VALUES, QUERY_NESTED };
struct syntax_query {
    enum syntax_query_kind kind;
    uint16_t height;
    uint32_t at;
    bool recursive;
    struct syntax_cte *ctes;
    size_t cte_count, cte_room;
    struct syntax_select *select;
    enum set_op op;
    struct syntax_query *left, *right; /* set; nested: left */
    struct nodes rows;                 /* values: NODE_ROW each */
    struct order_terms order;
    struct node *limit, *offset;
};

struct syntax {
    struct syntax_query *query;
    /* The first thing that was understood but is refused by name; OK when there is none. */
    enum err_code refused;
    const char *refusal;
};

/* parse.c: ERR_SQL_PARSE_ERROR, ERR_SQL_NOT_ALLOWED, ERR_PLAN_TOO_LARGE. A refusal by name is no failure here. */
int syntax_parse(struct call *c, enum tongue tongue, const char *text, size_t n, struct syntax *out);

#endif
