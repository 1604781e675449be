#include "sql/parse.h"

#include <string.h>

enum infix_kind {
    INFIX_NONE,
    INFIX_BINARY,
    INFIX_CHAIN,
    INFIX_IS,
    INFIX_NULL_TEST, /* ISNULL, NOTNULL, NOT NULL */
    INFIX_IN,
    INFIX_BETWEEN,
    INFIX_LIKE,
    INFIX_NULL_SAFE,
    INFIX_FOREIGN /* an operator of the engine that no plan says */
};

struct infix {
    enum infix_kind kind;
    enum binding level;
    int op;           /* enum binary_op or enum like_kind */
    unsigned words;   /* tokens of the operator */
    const char *name; /* of a foreign one */
};

static bool postgres_like(const struct parser *p)
{
    return p->tongue == TONGUE_POSTGRES || p->tongue == TONGUE_DUCKDB;
}

static struct infix symbol_infix(struct parser *p, const struct token *t)
{
    struct infix in = { .kind = INFIX_BINARY, .words = 1 };
    switch (t->kind) {
    case '=':
        in.op = OP_EQ;
        break;
    case TOKEN_NE:
        in.op = OP_NE;
        break;
    case '<':
        in.op = OP_LT;
        break;
    case TOKEN_LE:
        in.op = OP_LE;
        break;
    case '>':
        in.op = OP_GT;
        break;
    case TOKEN_GE:
        in.op = OP_GE;
        break;
    case '+':
        in.op = OP_ADD;
        in.level = BIND_ADD;
        return in;
    case '-':
        in.op = OP_SUB;
        in.level = BIND_ADD;
        return in;
    case '*':
        in.op = OP_MUL;
        in.level = BIND_MULTIPLY;
        return in;
    case '/':
        in.op = OP_DIV;
        in.level = BIND_MULTIPLY;
        return in;
    case '%':
        in.op = OP_MOD;
        in.level = BIND_MULTIPLY;
        return in;
    case TOKEN_CONCAT:
        if (p->tongue == TONGUE_MSSQL) return (struct infix){ 0 };
        in.kind = INFIX_CHAIN;
        in.op = p->tongue == TONGUE_MYSQL ? OP_OR : OP_CONCAT;
        in.level = p->tongue == TONGUE_MYSQL ? BIND_OR : p->tongue == TONGUE_SQLITE ? BIND_POWER : BIND_OTHER;
        return in;
    case TOKEN_DOUBLE_AND:
        if (p->tongue != TONGUE_MYSQL) return (struct infix){ INFIX_FOREIGN, BIND_OTHER, 0, 1, "&&" };
        in.kind = INFIX_CHAIN;
        in.op = OP_AND;
        in.level = BIND_AND;
        return in;
    case TOKEN_NULL_SAFE:
        return (struct infix){ INFIX_NULL_SAFE, BIND_COMPARE, 0, 1, NULL };
    case '&':
    case '|':
    case '^':
    case '#':
    case '~':
    case '@':
    case '!':
    case TOKEN_ARROW:
    case TOKEN_OPERATOR: {
        if (p->tongue == TONGUE_MSSQL && t->n == 2 && t->text[0] == '!') { /* !< and !> */
            in.op = t->text[1] == '<' ? OP_GE : OP_LE;
            in.level = BIND_COMPARE;
            return in;
        }
        if (p->tongue == TONGUE_DUCKDB && t->n == 2 && memcmp(t->text, "//", 2) == 0) {
            in.op = OP_INTDIV;
            in.level = BIND_MULTIPLY;
            return in;
        }
        enum binding level = t->kind == '^' && p->tongue != TONGUE_MSSQL ? BIND_POWER : BIND_OTHER;
        if (t->kind == TOKEN_ARROW && p->tongue == TONGUE_SQLITE) level = BIND_POWER;
        bool shift = t->n == 2 && (memcmp(t->text, "<<", 2) == 0 || memcmp(t->text, ">>", 2) == 0);
        bool bits = shift || t->kind == '&' || t->kind == '|' || t->kind == '^' || t->kind == '#';
        const char *name = bits ? "a bit operator" : call_format(p->call, "the operator %.*s", (int)t->n, t->text);
        return (struct infix){ INFIX_FOREIGN, level, 0, 1, name };
    }
    default:
        return (struct infix){ 0 };
    }
    bool order = p->tongue == TONGUE_SQLITE && in.op != OP_EQ && in.op != OP_NE;
    in.level = order ? BIND_ORDER : BIND_COMPARE;
    return in;
}

static struct infix word_infix(struct parser *p, const struct token *t, unsigned before)
{
    enum binding equal = BIND_COMPARE, like = p->tongue == TONGUE_SQLITE ? BIND_COMPARE : BIND_LIKE;
    unsigned words = before + 1;
    switch (t->keyword) {
    case KW_IN:
        return (struct infix){ INFIX_IN, like, 0, words, NULL };
    case KW_BETWEEN:
        return (struct infix){ INFIX_BETWEEN, like, 0, words, NULL };
    case KW_LIKE: {
        /* SQLite's LIKE and, by their usual collations, MySQL's and SQL Server's do not mind case. */
        bool fold = p->tongue == TONGUE_SQLITE || p->tongue == TONGUE_MYSQL || p->tongue == TONGUE_MSSQL;
        return (struct infix){ INFIX_LIKE, like, fold ? LIKE_FOLD : LIKE_PLAIN, words, NULL };
    }
    case KW_ILIKE:
        if (!postgres_like(p)) return (struct infix){ 0 };
        return (struct infix){ INFIX_LIKE, like, LIKE_FOLD, words, NULL };
    case KW_GLOB:
        if (p->tongue != TONGUE_SQLITE && p->tongue != TONGUE_DUCKDB) return (struct infix){ 0 };
        return (struct infix){ INFIX_LIKE, like, LIKE_GLOB, words, NULL };
    case KW_REGEXP:
    case KW_RLIKE:
    case KW_MATCH:
        if (p->tongue != TONGUE_SQLITE && p->tongue != TONGUE_MYSQL) return (struct infix){ 0 };
        return (struct infix){ INFIX_FOREIGN, like, 0, words, t->keyword == KW_MATCH ? "MATCH" : "REGEXP" };
    case KW_SIMILAR:
        return (struct infix){ INFIX_FOREIGN, like, 0, words + 1, "SIMILAR TO" };
    default:
        break;
    }
    if (before) { /* only after NOT */
        if (t->keyword == KW_NULL) return (struct infix){ INFIX_NULL_TEST, equal, 1, words, NULL };
        return (struct infix){ 0 };
    }
    switch (t->keyword) {
    case KW_AND:
        return (struct infix){ INFIX_CHAIN, BIND_AND, OP_AND, 1, NULL };
    case KW_OR:
        return (struct infix){ INFIX_CHAIN, BIND_OR, OP_OR, 1, NULL };
    case KW_IS:
        return (struct infix){ INFIX_IS, postgres_like(p) ? BIND_IS : equal, 0, 1, NULL };
    case KW_ISNULL:
        return (struct infix){ INFIX_NULL_TEST, postgres_like(p) ? BIND_IS : equal, 0, 1, NULL };
    case KW_NOTNULL:
        return (struct infix){ INFIX_NULL_TEST, postgres_like(p) ? BIND_IS : equal, 1, 1, NULL };
    case KW_XOR:
        if (p->tongue != TONGUE_MYSQL) break;
        return (struct infix){ INFIX_FOREIGN, BIND_XOR, 0, 1, "XOR" };
    case KW_DIV:
        if (p->tongue != TONGUE_MYSQL) break;
        return (struct infix){ INFIX_BINARY, BIND_MULTIPLY, OP_INTDIV, 1, NULL };
    case KW_MOD:
        if (p->tongue != TONGUE_MYSQL) break;
        return (struct infix){ INFIX_BINARY, BIND_MULTIPLY, OP_MOD, 1, NULL };
    case KW_OVERLAPS:
        return (struct infix){ INFIX_FOREIGN, BIND_OTHER, 0, 1, "OVERLAPS" };
    case KW_MEMBER:
        if (p->tongue != TONGUE_MYSQL) break;
        return (struct infix){ INFIX_FOREIGN, BIND_LIKE, 0, 2, "MEMBER OF" };
    case KW_SOUNDS:
        if (p->tongue != TONGUE_MYSQL || peek_token(p, 1)->keyword != KW_LIKE) break;
        return (struct infix){ INFIX_FOREIGN, BIND_LIKE, 0, 2, "SOUNDS LIKE" };
    case KW_OPERATOR:
        if (p->tongue != TONGUE_POSTGRES) break;
        return (struct infix){ INFIX_FOREIGN, BIND_OTHER, 0, 1, "OPERATOR()" };
    default:
        break;
    }
    return (struct infix){ 0 };
}

static struct infix next_infix(struct parser *p)
{
    const struct token *t = peek_token(p, 0);
    if (t->kind != TOKEN_WORD) return symbol_infix(p, t);
    if (t->keyword != KW_NOT) return t->keyword ? word_infix(p, t, 0) : (struct infix){ 0 };
    const struct token *next = peek_token(p, 1);
    return next->kind == TOKEN_WORD ? word_infix(p, next, 1) : (struct infix){ 0 };
}

static struct node *foreign(struct parser *p, struct node *left, const struct infix *in)
{
    refuse_feature(p, peek_token(p, 0)->at, "%s", in->name);
    struct token op = { 0 };
    for (unsigned i = 0; i < in->words; i++) op = take_token(p);
    if (op.keyword == KW_OPERATOR && !skip_brackets(p)) return NULL;
    struct node *n = node_new(p, NODE_OTHER, left->at);
    /* A lambda's body reaches as far as an expression can. */
    struct node *right = parse_expr(
        p, op.kind == TOKEN_ARROW && p->tongue == TONGUE_DUCKDB ? BIND_OTHER : (enum binding)(in->level + 1));
    if (!right) return NULL;
    if (take_word_if(p, KW_ESCAPE) && !parse_expr(p, BIND_UNARY)) return NULL;
    return node_over(p, n, left, right, NULL);
}

static struct node *chain(struct parser *p, struct node *left, const struct infix *in)
{
    take_token(p);
    struct node *right = parse_expr(p, (enum binding)(in->level + 1));
    if (!right) return NULL;
    if (left->kind != NODE_CHAIN || left->op != in->op) {
        struct node *n = node_new(p, NODE_CHAIN, left->at);
        if (!n || !node_holds(p, n, left->height)) return NULL;
        n->op = (uint8_t)in->op;
        nodes_push(p, &n->of.list, left);
        left = n;
    }
    if (!node_holds(p, left, right->height)) return NULL;
    nodes_push(p, &left->of.list, right);
    return left;
}

/* = ANY (…), <> ALL (…): the list or query behind the word. */
static struct node *quantified(struct parser *p, struct node *left, int op, uint32_t at)
{
    struct node *n = node_new(p, NODE_QUANTIFIED, at);
    if (!n) return NULL;
    n->op = (uint8_t)op;
    n->negated = take_token(p).keyword == KW_ALL;
    n->of.arg = left;
    if (!expect_kind(p, '(', "'('") || !parse_deeper(p) || !node_holds(p, n, left->height)) return NULL;
    if (at_query(p, 0)) {
        n->of.query = parse_query(p);
        if (!n->of.query || !node_holds(p, n, n->of.query->height)) return NULL;
    } else {
        struct node *list = parse_expr(p, BIND_ANY);
        if (!list) return NULL;
        if (list->kind == NODE_ARRAY) {
            n->of.list = list->of.list;
            n->try_cast = true; /* a list was given */
        } else {
            refuse_feature(p, list->at, "ANY or ALL over an array that is not written out");
        }
        if (!node_holds(p, n, list->height)) return NULL;
    }
    parse_shallower(p);
    return expect_kind(p, ')', "')'") ? n : NULL;
}

static struct node *binary(struct parser *p, struct node *left, const struct infix *in)
{
    take_token(p);
    const struct token *t = peek_token(p, 0);
    bool compares = in->op <= OP_GE;
    if (compares && t->kind == TOKEN_WORD && peek_token(p, 1)->kind == '(' && p->tongue != TONGUE_SQLITE &&
        (t->keyword == KW_ANY || t->keyword == KW_SOME || t->keyword == KW_ALL))
        return quantified(p, left, in->op, left->at);
    struct node *n = node_new(p, NODE_BINARY, left->at);
    if (!n) return NULL;
    n->op = (uint8_t)in->op;
    n->left = left;
    n->right = parse_expr(p, (enum binding)(in->level + 1));
    return n->right ? node_over(p, n, n->left, n->right, NULL) : NULL;
}

static struct node *is_test(struct parser *p, struct node *left, const struct infix *in)
{
    take_token(p);
    bool negated = take_word_if(p, KW_NOT);
    const struct token *t = peek_token(p, 0);
    struct node *n = NULL;
    uint16_t keyword = t->kind == TOKEN_WORD ? t->keyword : 0;
    if (keyword == KW_NULL) {
        take_token(p);
        n = node_new(p, NODE_IS_NULL, left->at);
    } else if (keyword == KW_TRUE || keyword == KW_FALSE || keyword == KW_UNKNOWN) {
        n = node_new(p, NODE_IS_TRUTH, left->at);
        if (n) n->op = keyword == KW_TRUE ? 1 : keyword == KW_FALSE ? 0 : 2;
        take_token(p);
    } else if (keyword == KW_DISTINCT && at_word_next(p, KW_FROM)) {
        take_token(p);
        take_token(p);
        n = node_new(p, NODE_IS_DISTINCT, left->at);
        if (n) n->right = parse_expr(p, (enum binding)(in->level + 1));
        if (!n || !n->right) return NULL;
        n->negated = negated;
        n->left = left;
        return node_over(p, n, left, n->right, NULL);
    } else if (p->tongue == TONGUE_SQLITE) { /* IS compares anything */
        n = node_new(p, NODE_IS_DISTINCT, left->at);
        if (n) n->right = parse_expr(p, (enum binding)(in->level + 1));
        if (!n || !n->right) return NULL;
        n->left = left;
        n->negated = !negated;
        return node_over(p, n, left, n->right, NULL);
    } else if (t->kind == TOKEN_WORD && (token_is(t, "json") || token_is(t, "document") || token_is(t, "normalized") ||
                                         token_is(t, "nfc") || token_is(t, "of"))) {
        refuse_feature(p, t->at, "IS %.*s", (int)t->n, t->text);
        while (peek_token(p, 0)->kind == TOKEN_WORD &&
               (!keyword_ends_alias(peek_token(p, 0)->keyword) || at_word(p, KW_ARRAY) || at_word(p, KW_WITH)))
            take_token(p);
        return node_over(p, node_new(p, NODE_OTHER, left->at), left, NULL, NULL);
    } else {
        return parse_fail(p, "NULL, TRUE, FALSE or DISTINCT FROM after IS");
    }
    if (!n) return NULL;
    n->left = left;
    n->negated = negated;
    return node_over(p, n, left, NULL, NULL);
}

static struct node *in_test(struct parser *p, struct node *left, bool negated)
{
    struct node *n = node_new(p, NODE_IN, left->at);
    if (!n) return NULL;
    n->negated = negated;
    n->of.arg = left;
    if (peek_token(p, 0)->kind != '(') {
        refuse_feature(p, peek_token(p, 0)->at, "IN without a bracketed list");
        struct node *right = parse_expr(p, BIND_OTHER);
        return right ? node_over(p, n, left, right, NULL) : NULL;
    }
    take_token(p);
    if (!parse_deeper(p) || !node_holds(p, n, left->height)) return NULL;
    if (at_query(p, 0)) {
        n->of.query = parse_query(p);
        if (!n->of.query || !node_holds(p, n, n->of.query->height)) return NULL;
    } else if (peek_token(p, 0)->kind != ')' || p->tongue != TONGUE_SQLITE) { /* SQLite takes an empty list */
        if (!parse_expr_list(p, &n->of.list)) return NULL;
        for (size_t i = 0; i < n->of.list.count; i++)
            if (!node_holds(p, n, n->of.list.items[i]->height)) return NULL;
    }
    parse_shallower(p);
    return expect_kind(p, ')', "')'") ? n : NULL;
}

static struct node *between_test(struct parser *p, struct node *left, enum binding level, bool negated)
{
    if (token_is(peek_token(p, 0), "symmetric") || token_is(peek_token(p, 0), "asymmetric")) {
        bool plain = token_is(peek_token(p, 0), "asymmetric");
        struct token t = take_token(p);
        if (!plain) refuse_feature(p, t.at, "BETWEEN SYMMETRIC");
    }
    struct node *n = node_new(p, NODE_BETWEEN, left->at);
    if (!n) return NULL;
    n->negated = negated;
    n->left = left;
    n->right = parse_expr(p, (enum binding)(level + 1));
    if (!n->right || !expect_word(p, KW_AND, "AND")) return NULL;
    n->third = parse_expr(p, (enum binding)(level + 1));
    return n->third ? node_over(p, n, n->left, n->right, n->third) : NULL;
}

static struct node *like_test(struct parser *p, struct node *left, const struct infix *in, bool negated)
{
    struct node *n = node_new(p, NODE_LIKE, left->at);
    if (!n) return NULL;
    n->negated = negated;
    n->op = (uint8_t)in->op;
    n->left = left;
    const struct token *t = peek_token(p, 0);
    if (t->kind == TOKEN_WORD && (t->keyword == KW_ANY || t->keyword == KW_ALL || t->keyword == KW_SOME) &&
        peek_token(p, 1)->kind == '(')
        refuse_feature(p, take_token(p).at, "LIKE ANY and LIKE ALL");
    n->right = parse_expr(p, (enum binding)(in->level + 1));
    if (!n->right) return NULL;
    if (take_word_if(p, KW_ESCAPE)) {
        n->third = parse_expr(p, (enum binding)(in->level + 1));
        if (!n->third) return NULL;
    }
    return node_over(p, n, n->left, n->right, n->third);
}

static struct node *apply_infix(struct parser *p, struct node *left, const struct infix *in)
{
    if (in->kind == INFIX_BINARY) return binary(p, left, in);
    if (in->kind == INFIX_CHAIN) return chain(p, left, in);
    if (in->kind == INFIX_IS) return is_test(p, left, in);
    if (in->kind == INFIX_FOREIGN) return foreign(p, left, in);
    bool negated = at_word(p, KW_NOT);
    for (unsigned i = 0; i < in->words; i++) take_token(p);
    if (in->kind == INFIX_IN) return in_test(p, left, negated);
    if (in->kind == INFIX_BETWEEN) return between_test(p, left, in->level, negated);
    if (in->kind == INFIX_LIKE) return like_test(p, left, in, negated);
    struct node *n;
    if (in->kind == INFIX_NULL_SAFE) {
        n = node_new(p, NODE_IS_DISTINCT, left->at);
        if (!n) return NULL;
        n->negated = true;
        n->right = parse_expr(p, (enum binding)(in->level + 1));
        if (!n->right) return NULL;
    } else {
        n = node_new(p, NODE_IS_NULL, left->at);
        if (!n) return NULL;
        n->negated = in->op == 1;
    }
    n->left = left;
    return node_over(p, n, left, n->kind == NODE_IS_DISTINCT ? n->right : NULL, NULL);
}

struct node *parse_infix(struct parser *p, struct node *left, enum binding least)
{
    while (left) {
        struct infix in = next_infix(p);
        if (in.kind == INFIX_NONE || in.level < least) break;
        left = apply_infix(p, left, &in);
    }
    return p->call->err.code ? NULL : left;
}

struct node *parse_expr(struct parser *p, enum binding least)
{
    if (!parse_deeper(p)) return NULL;
    struct node *n = NULL;
    const struct token *t = peek_token(p, 0);
    bool low_not = t->kind == TOKEN_WORD && t->keyword == KW_NOT;
    bool high_not = t->kind == '!' && p->tongue == TONGUE_MYSQL;
    if (low_not || high_not) {
        n = node_new(p, NODE_NOT, take_token(p).at);
        if (!n) return NULL;
        n->left = parse_expr(p, low_not ? BIND_NOT : BIND_UNARY);
        n = n->left ? node_over(p, n, n->left, NULL, NULL) : NULL;
    } else {
        n = parse_operand(p);
    }
    if (n) n = parse_infix(p, n, least);
    parse_shallower(p);
    return n;
}

bool parse_expr_list(struct parser *p, struct nodes *out)
{
    do {
        struct node *n = parse_expr(p, BIND_ANY);
        if (!n) return false;
        nodes_push(p, out, n);
    } while (take_kind(p, ','));
    return true;
}
