#include "policy/policies.h"

#include "plan/functions.h"
#include "plan/walk.h"

#include <string.h>
#include <strings.h>

struct rule_check {
    struct call *call;
    const char *pointer;
    int rc;
};

static bool refuse(struct rule_check *k, const char *what)
{
    if (!k->rc)
        k->rc = call_fail_at(k->call, ERR_CONFIG_INVALID, k->pointer,
                             "%s; a rule uses columns of its own table, literals and scalar functions", what);
    return false;
}

static bool check_literal(struct rule_check *k, const struct expr *e)
{
    const char *text = e->type.kind == TYPE_TEXT && !e->literal.null ? e->literal.text : "";
    size_t n = strlen(text);
    if (n < 2 || text[0] != '{' || text[n - 1] != '}') return true;
    if (strcmp(text, "{user_id}") == 0 || strcmp(text, "{tenant_id}") == 0) return true;
    if (!k->rc)
        k->rc = call_fail_at(k->call, ERR_CONFIG_INVALID, k->pointer,
                             "'%s' is no value of a caller; use {user_id} or {tenant_id}", text);
    return false;
}

/* year(x) is date_part('year', x): rules stand in one form only, so that they can be compared. */
static void catalogue_name(struct rule_check *k, struct expr *e)
{
    const struct function_alias *alias = function_alias(e->call.name);
    if (!alias) return;
    e->call.name = alias->to;
    if (!alias->unit) return;
    struct exprs args = { 0 };
    exprs_push(k->call, &args, expr_text(k->call, alias->unit));
    for (size_t i = 0; i < e->call.args.count; i++) exprs_push(k->call, &args, e->call.args.items[i]);
    e->call.args = args;
}

static bool check_call(struct rule_check *k, struct expr *e)
{
    catalogue_name(k, e);
    const struct function *f = function_find(e->call.name);
    if (!f) return refuse(k, call_format(k->call, "there is no function '%s'", e->call.name));
    e->call.name = f->name;
    if (f->class != FUNC_SCALAR || e->call.over || e->call.filter || e->call.distinct || e->call.within.count)
        return refuse(k, call_format(k->call, "'%s' reads other rows", e->call.name));
    return true;
}

static bool check_expr(void *ctx, struct expr **slot)
{
    struct rule_check *k = ctx;
    struct expr *e = *slot;
    if (k->rc) return false;
    switch (e->kind) {
    case EXPR_LITERAL:
        return check_literal(k, e);
    case EXPR_COLUMN:
        e->column.table = "";
        return true;
    case EXPR_CALL:
        return check_call(k, e);
    case EXPR_IN:
        return e->in.query ? refuse(k, "a query cannot stand in a rule") : true;
    case EXPR_EXISTS:
    case EXPR_QUERY:
        return refuse(k, "a query cannot stand in a rule");
    case EXPR_OUTPUT:
    case EXPR_STAR:
    case EXPR_ROW:
        return refuse(k, "rows, stars and result names cannot stand in a rule");
    default:
        return true;
    }
}

static int check(struct call *c, const char *pointer, struct expr **e)
{
    struct rule_check k = { .call = c, .pointer = pointer };
    struct plan_visitor v = { .ctx = &k, .expr = check_expr };
    expr_walk(&v, e);
    return k.rc;
}

/* The plan's own decoder reads whole queries: the expression travels as the one item of one. */
static int decode_expr(struct call *c, const struct json *j, const char *pointer, struct expr **out)
{
    struct buf b;
    struct query *q;
    buf_init(&b, c, (size_t)256 * 1024);
    buf_str(&b, "{\"body\":{\"kind\":\"select\",\"items\":[{\"alias\":\"value\",\"expr\":");
    json_write(&b, j);
    buf_str(&b, "}]}}");
    if (b.failed) return call_fail_at(c, ERR_CONFIG_INVALID, pointer, "the expression is too large");
    int rc = plan_parse(c, b.data, b.len, &q);
    if (rc) {
        const char *message = c->err.message;
        call_forgive(c);
        return call_fail_at(c, ERR_CONFIG_INVALID, pointer, "%s", message);
    }
    *out = q->body->select.items[0].expr;
    return check(c, pointer, out);
}

static struct expr *value_of(struct call *c, const struct json *j)
{
    switch (j->kind) {
    case J_STRING:
        return expr_text(c, j->string);
    case J_INT:
        return expr_integer(c, j->integer);
    case J_BOOL:
        return expr_boolean(c, j->boolean);
    case J_NULL:
        return expr_null(c);
    default:
        return NULL;
    }
}

static int bad_value(struct call *c, const char *pointer)
{
    return call_fail_at(c, ERR_CONFIG_INVALID, pointer, "expected a text, an integer, true, false or null");
}

/* {column: value, column: [values]}: all of them must hold. */
static int decode_pairs(struct call *c, const struct json *j, const char *pointer, struct expr **out)
{
    for (size_t i = 0; i < j->count; i++) {
        const struct json *v = &j->items[i];
        const char *at = call_format(c, "%s/%s", pointer, j->names[i]);
        struct expr *column = expr_column(c, "", j->names[i]), *test;
        if (v->kind == J_ARRAY) {
            struct exprs list = { 0 };
            for (size_t k = 0; k < v->count; k++) {
                struct expr *member = value_of(c, &v->items[k]);
                if (!member || member->literal.null) return bad_value(c, at);
                exprs_push(c, &list, member);
            }
            if (!list.count) return call_fail_at(c, ERR_CONFIG_INVALID, at, "the list is empty");
            test = expr_in_list(c, column, list);
        } else {
            struct expr *value = value_of(c, v);
            if (!value) return bad_value(c, at);
            test = value->literal.null ? expr_is_null(c, column) : expr_binary(c, OP_EQ, column, value);
        }
        *out = expr_and(c, *out, test);
    }
    if (!*out) return call_fail_at(c, ERR_CONFIG_INVALID, pointer, "the filter is empty");
    return check(c, pointer, out);
}

static bool is_expression(const struct json *j)
{
    const struct json *kind = json_get(j, "kind");
    return kind && kind->kind == J_STRING && j->count > 1;
}

int filter_decode(struct call *c, const struct json *j, const char *pointer, struct expr **out)
{
    *out = NULL;
    if (j->kind != J_OBJECT)
        return call_fail_at(c, ERR_CONFIG_INVALID, pointer, "expected {column: value} or an expression of the plan");
    return is_expression(j) ? decode_expr(c, j, pointer, out) : decode_pairs(c, j, pointer, out);
}

int mask_decode(struct call *c, const struct json *j, const char *pointer, struct expr **out)
{
    if (j->kind == J_OBJECT) return decode_expr(c, j, pointer, out);
    *out = value_of(c, j);
    return *out ? check(c, pointer, out) : bad_value(c, pointer);
}
