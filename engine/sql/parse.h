/* parse: the recursive descent, one function a rule of the grammar. A rule answers what it read, or NULL after
 * recording an error in the call. Recursion is counted; chains are loops. */
#ifndef QUERENT_PARSE_H
#define QUERENT_PARSE_H

#include "sql/keywords.h"
#include "sql/syntax.h"

#define TOKENS_AHEAD 4u

struct parser {
    struct lexer lexer;
    struct call *call;
    enum tongue tongue;
    struct token ring[TOKENS_AHEAD];
    uint32_t first, held;
    uint32_t last_end; /* byte after the last token taken */
    unsigned depth, nodes;
    struct syntax *out;
};

/* How tightly an infix operator binds; each engine has its own order. */
enum binding {
    BIND_ANY = 0,
    BIND_OR,
    BIND_XOR,
    BIND_AND,
    BIND_NOT,
    BIND_IS,
    BIND_COMPARE,
    BIND_ORDER, /* SQLite: < binds tighter than = */
    BIND_LIKE,
    BIND_OTHER, /* bits, JSON arrows, PostgreSQL's || */
    BIND_ADD,
    BIND_MULTIPLY,
    BIND_POWER, /* and SQLite's || */
    BIND_UNARY
};

/* parse.c */
const struct token *peek_token(struct parser *p, uint32_t ahead);
struct token take_token(struct parser *p);
bool at_word(struct parser *p, uint16_t keyword);
bool at_word_next(struct parser *p, uint16_t keyword); /* the token after */
bool take_kind(struct parser *p, uint16_t kind);
bool take_word_if(struct parser *p, uint16_t keyword);
bool expect_kind(struct parser *p, uint16_t kind, const char *what);
bool expect_word(struct parser *p, uint16_t keyword, const char *what);
void *parse_fail(struct parser *p, const char *expected); /* "expected …, found …"; answers NULL */
bool parse_fails(struct parser *p, const char *expected); /* the same, answers false */
bool parse_deeper(struct parser *p);                      /* false after recording that it is too deep */
void parse_shallower(struct parser *p);
bool parse_too_deep(struct parser *p);
/* Keep the first thing that no plan says, and read on. */
void refuse_feature(struct parser *p, uint32_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void refuse_function(struct parser *p, const char *name);
void refuse_table_function(struct parser *p);
void refuse_write(struct parser *p, uint32_t at, const char *what);
bool skip_brackets(struct parser *p); /* from the opening bracket to its partner */
bool at_query(struct parser *p, uint32_t ahead);
bool starts_other_statement(const struct token *t);
bool token_is(const struct token *t, const char *word); /* a bare word, without case */

struct node *node_new(struct parser *p, enum node_kind kind, uint32_t at);
/* Sets the height over up to three children (any may be NULL) and answers the node, NULL when it is too deep. */
struct node *node_over(struct parser *p, struct node *n, const struct node *a, const struct node *b,
                       const struct node *d);
bool node_holds(struct parser *p, struct node *n, unsigned height);
void nodes_push(struct parser *p, struct nodes *l, struct node *n);
void idents_push(struct parser *p, struct idents *l, struct ident i);
bool token_names(const struct token *t, bool after_as);
struct ident token_ident(struct parser *p, const struct token *t);
bool parse_name(struct parser *p, struct idents *out);       /* a.b.c */
bool parse_ident_list(struct parser *p, struct idents *out); /* (a, b) */
struct node *text_node(struct parser *p, const char *text, uint32_t at);

/* parse_query.c */
struct syntax_query *parse_query(struct parser *p);
/* Goes on after a bracketed query: set operators, ORDER BY, LIMIT. */
struct syntax_query *parse_query_after(struct parser *p, struct syntax_query *left);
bool at_query_tail(struct parser *p);
/* Raise *tallest to the height of what stands there. */
void reach_orders(unsigned *tallest, const struct order_terms *l);
void reach_window(unsigned *tallest, const struct syntax_window *w);
bool parse_order_by(struct parser *p, struct order_terms *out); /* after ORDER */

struct syntax_query *query_new(struct parser *p, enum syntax_query_kind kind, uint32_t at);

/* parse_select.c: one SELECT, VALUES or TABLE, up to its set operator or order. */
struct syntax_query *parse_select(struct parser *p);
struct syntax_query *parse_values(struct parser *p);
struct syntax_query *parse_table(struct parser *p);
bool parse_into(struct parser *p);  /* true when there is no INTO */
bool skip_clause(struct parser *p); /* of a clause that is refused anyway */

/* parse_from.c */
struct syntax_from *parse_from(struct parser *p);
bool parse_alias(struct parser *p, struct ident *out);

/* parse_expr.c */
struct node *parse_expr(struct parser *p, enum binding least);
struct node *parse_infix(struct parser *p, struct node *left, enum binding least);
bool parse_expr_list(struct parser *p, struct nodes *out); /* up to, not with, the closing bracket */

/* parse_operand.c */
struct node *parse_operand(struct parser *p);
struct node *parse_after(struct parser *p, struct node *n); /* ::type, [index], COLLATE, AT TIME ZONE, .field */
struct node *scalar_query(struct parser *p, struct syntax_query *q);

/* parse_call.c */
struct node *parse_call(struct parser *p, struct idents name, uint32_t at); /* at the opening bracket */
struct node *parse_special(struct parser *p, bool *is_one);                 /* CASE, CAST, EXTRACT, TRIM … */
bool parse_window(struct parser *p, struct syntax_window *out);             /* at the opening bracket */

/* parse_type.c */
struct type_name *parse_type(struct parser *p);
bool type_at_text(struct parser *p); /* a type name with a string behind it: DATE '…' */

#endif
