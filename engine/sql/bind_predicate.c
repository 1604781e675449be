#include "sql/bind.h"

#include <string.h>

/* PostgreSQL and MySQL take a backslash in a pattern as an escape unless told otherwise; the plan has none by itself.
 */
static bool implied_escape(const struct binder *b, const struct expr *pattern)
{
    if (b->tongue != TONGUE_POSTGRES && b->tongue != TONGUE_MYSQL) return false;
    return pattern->kind != EXPR_LITERAL || (!pattern->literal.null && strchr(pattern->literal.text, '\\'));
}

struct expr *bind_like(struct binder *b, struct scope *s, const struct node *n)
{
    struct expr *arg = bind_operand(b, s, n->left, true), *pattern = arg ? bind_operand(b, s, n->right, true) : NULL;
    if (!pattern) return NULL;
    if (n->op == LIKE_GLOB) {
        struct expr *args[] = { arg, pattern };
        struct expr *e = with_type(call_plan(b, "glob", 2, args), TYPE_BOOLEAN);
        return e && n->negated ? bind_boolean(b, expr_not(b->call, e)) : e;
    }
    if (b->tongue == TONGUE_MSSQL &&
        (pattern->kind != EXPR_LITERAL || (pattern->literal.text && strchr(pattern->literal.text, '[')))) {
        bool literal = pattern->kind == EXPR_LITERAL;
        fail_unsupported(b, n->at, "%s", literal ? "a character class in LIKE" : "a computed pattern of LIKE");
        return NULL;
    }
    struct expr *e = bind_boolean(b, expr_like(b->call, arg, pattern, n->op == LIKE_FOLD));
    if (!e) return NULL;
    e->negated = n->negated;
    if (n->third) {
        e->like.escape = bind_operand(b, s, n->third, true);
        if (!e->like.escape) return NULL;
        bool none =
            e->like.escape->kind == EXPR_LITERAL && e->like.escape->literal.text && !*e->like.escape->literal.text;
        if (none) e->like.escape = NULL; /* ESCAPE '': no escape */
    } else if (implied_escape(b, pattern)) {
        e->like.escape = expr_text(b->call, "\\");
    }
    return e;
}

struct expr *bind_between(struct binder *b, struct scope *s, const struct node *n)
{
    struct expr *arg = bind_operand(b, s, n->left, true), *low = arg ? bind_operand(b, s, n->right, true) : NULL;
    struct expr *high = low ? bind_operand(b, s, n->third, true) : NULL;
    struct expr *e = high ? bind_boolean(b, expr_between(b->call, arg, low, high)) : NULL;
    if (e) e->negated = n->negated;
    return e;
}

struct expr *bind_in(struct binder *b, struct scope *s, const struct node *n, bool negated)
{
    struct expr *arg = bind_operand(b, s, n->of.arg, true), *e;
    if (!arg) return NULL;
    if (n->of.query) {
        struct query *q = bind_query(b, s, s->ctes, n->of.query);
        e = q ? bind_boolean(b, expr_in_query(b->call, arg, q)) : NULL;
    } else {
        struct exprs list = { 0 };
        for (size_t i = 0; i < n->of.list.count; i++) {
            struct expr *item = bind_operand(b, s, n->of.list.items[i], true);
            if (!item) return NULL;
            exprs_push(b->call, &list, item);
        }
        if (!list.count) return bind_boolean(b, expr_boolean(b->call, negated)); /* nothing is in an empty list */
        e = bind_boolean(b, expr_in_list(b->call, arg, list));
    }
    if (e) e->negated = negated;
    return e;
}

struct expr *bind_quantified(struct binder *b, struct scope *s, const struct node *n)
{
    bool all = n->negated;
    if (!(n->op == OP_EQ && !all) && !(n->op == OP_NE && all)) {
        fail_unsupported(b, n->at, "ANY or ALL other than = ANY and <> ALL");
        return NULL;
    }
    return bind_in(b, s, n, all);
}

struct expr *bind_is_null(struct binder *b, struct scope *s, const struct node *n)
{
    struct expr *arg = bind_expr(b, s, n->left);
    struct expr *e = arg ? bind_boolean(b, expr_is_null(b->call, arg)) : NULL;
    if (e) e->negated = n->negated;
    return e;
}

static struct expr *distinct(struct binder *b, struct expr *l, struct expr *r, bool negated)
{
    struct expr *e = call_alloc(b->call, sizeof *e);
    e->kind = EXPR_IS_DISTINCT;
    e->is.left = l;
    e->is.right = r;
    e->negated = negated;
    return bind_boolean(b, e);
}

/* x IS TRUE: the condition is not distinct from true; a number is a condition where it is not 0. */
struct expr *bind_is_truth(struct binder *b, struct scope *s, const struct node *n)
{
    struct expr *arg = bind_expr(b, s, n->left);
    if (!arg) return NULL;
    if (n->op == 2) {
        struct expr *e = bind_boolean(b, expr_is_null(b->call, arg));
        if (e) e->negated = n->negated;
        return e;
    }
    if (kind_is_number(arg->type)) arg = bind_boolean(b, expr_binary(b->call, OP_NE, arg, expr_integer(b->call, 0)));
    return arg ? distinct(b, arg, with_type(expr_boolean(b->call, n->op == 1), TYPE_BOOLEAN), !n->negated) : NULL;
}

struct expr *bind_is_distinct(struct binder *b, struct scope *s, const struct node *n)
{
    struct expr *l = bind_operand(b, s, n->left, true), *r = l ? bind_operand(b, s, n->right, true) : NULL;
    return r ? distinct(b, l, r, n->negated) : NULL;
}
