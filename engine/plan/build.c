#include "plan/plan.h"

#include <string.h>

const char *const binary_op_names[] = { "=", "!=", "<",   "<=", ">",  ">=",  "+",  "-",
                                        "*", "/",  "div", "%",  "||", "and", "or", NULL };
const char *const unit_names[] = { "year", "quarter", "month", "week", "day", "hour", "minute", "second", NULL };

static struct expr *make(struct call *c, enum expr_kind kind)
{
    struct expr *e = call_alloc(c, sizeof *e);
    e->kind = kind;
    return e;
}

struct expr *expr_column(struct call *c, const char *table, const char *column)
{
    struct expr *e = make(c, EXPR_COLUMN);
    e->column.table = table;
    e->column.column = column;
    return e;
}

struct expr *expr_output(struct call *c, const char *name)
{
    struct expr *e = make(c, EXPR_OUTPUT);
    e->output.name = name;
    return e;
}

struct expr *expr_literal(struct call *c, enum type_kind type, const char *text)
{
    struct expr *e = make(c, EXPR_LITERAL);
    e->type.kind = type;
    e->literal.text = text;
    return e;
}

struct expr *expr_text(struct call *c, const char *text)
{
    return expr_literal(c, TYPE_TEXT, text);
}

struct expr *expr_integer(struct call *c, int64_t v)
{
    return expr_literal(c, TYPE_INTEGER, call_format(c, "%lld", (long long)v));
}

struct expr *expr_number(struct call *c, const char *digits)
{
    enum type_kind type = strpbrk(digits, "eE") ? TYPE_DOUBLE : strchr(digits, '.') ? TYPE_DECIMAL : TYPE_INTEGER;
    return expr_literal(c, type, digits);
}

struct expr *expr_boolean(struct call *c, bool v)
{
    return expr_literal(c, TYPE_BOOLEAN, v ? "true" : "false");
}

struct expr *expr_null(struct call *c)
{
    struct expr *e = expr_literal(c, TYPE_NULL, NULL);
    e->literal.null = true;
    return e;
}

struct expr *expr_call(struct call *c, const char *name, size_t count, struct expr **args)
{
    struct expr *e = make(c, EXPR_CALL);
    e->call.name = name;
    e->call.args.items = call_array(c, count, sizeof(struct expr *));
    e->call.args.count = count;
    for (size_t i = 0; i < count; i++) e->call.args.items[i] = args[i];
    return e;
}

struct expr *expr_call1(struct call *c, const char *name, struct expr *arg)
{
    return expr_call(c, name, 1, &arg);
}

struct expr *expr_distinct(struct call *c, const char *name, struct expr *arg)
{
    struct expr *e = expr_call1(c, name, arg);
    e->call.distinct = true;
    return e;
}

struct expr *expr_count_star(struct call *c)
{
    return expr_call1(c, "count", expr_star(c));
}

struct expr *expr_binary(struct call *c, enum binary_op op, struct expr *left, struct expr *right)
{
    struct expr *e = make(c, EXPR_BINARY);
    e->binary.op = op;
    e->binary.left = left;
    e->binary.right = right;
    return e;
}

static struct expr *unary(struct call *c, enum unary_op op, struct expr *arg)
{
    struct expr *e = make(c, EXPR_UNARY);
    e->unary.op = op;
    e->unary.arg = arg;
    return e;
}

struct expr *expr_not(struct call *c, struct expr *arg)
{
    return unary(c, UNARY_NOT, arg);
}

struct expr *expr_minus(struct call *c, struct expr *arg)
{
    return unary(c, UNARY_MINUS, arg);
}

struct expr *expr_star(struct call *c)
{
    return make(c, EXPR_STAR);
}

struct expr *expr_and(struct call *c, struct expr *left, struct expr *right)
{
    return left && right ? expr_binary(c, OP_AND, left, right) : left ? left : right;
}

struct expr *expr_or(struct call *c, struct expr *left, struct expr *right)
{
    return left && right ? expr_binary(c, OP_OR, left, right) : left ? left : right;
}

struct expr *expr_like(struct call *c, struct expr *arg, struct expr *pattern, bool fold)
{
    struct expr *e = make(c, EXPR_LIKE);
    e->like.arg = arg;
    e->like.pattern = pattern;
    e->like.fold = fold;
    return e;
}

struct expr *expr_between(struct call *c, struct expr *arg, struct expr *low, struct expr *high)
{
    struct expr *e = make(c, EXPR_BETWEEN);
    e->between.arg = arg;
    e->between.low = low;
    e->between.high = high;
    return e;
}

struct expr *expr_in_list(struct call *c, struct expr *arg, struct exprs list)
{
    struct expr *e = make(c, EXPR_IN);
    e->in.arg = arg;
    e->in.list = list;
    return e;
}

struct expr *expr_in_query(struct call *c, struct expr *arg, struct query *q)
{
    struct expr *e = make(c, EXPR_IN);
    e->in.arg = arg;
    e->in.query = q;
    return e;
}

struct expr *expr_is_null(struct call *c, struct expr *arg)
{
    struct expr *e = make(c, EXPR_IS_NULL);
    e->is.left = arg;
    return e;
}

struct expr *expr_exists(struct call *c, struct query *q)
{
    struct expr *e = make(c, EXPR_EXISTS);
    e->query = q;
    return e;
}

struct expr *expr_query(struct call *c, struct query *q)
{
    struct expr *e = make(c, EXPR_QUERY);
    e->query = q;
    return e;
}

struct expr *expr_cast(struct call *c, struct expr *arg, enum type_kind to)
{
    struct expr *e = make(c, EXPR_CAST);
    e->cast.arg = arg;
    e->cast.to.kind = to;
    return e;
}

bool expr_has_not(const struct expr *e)
{
    switch (e->kind) {
    case EXPR_LIKE:
    case EXPR_BETWEEN:
    case EXPR_IN:
    case EXPR_IS_NULL:
    case EXPR_IS_DISTINCT:
    case EXPR_EXISTS:
        return true;
    default:
        return false;
    }
}

struct expr *expr_negated(struct call *c, struct expr *e)
{
    if (!expr_has_not(e)) return expr_not(c, e);
    e->negated = !e->negated;
    return e;
}

struct query *query_select(struct call *c)
{
    struct query *q = call_alloc(c, sizeof *q);
    q->body = call_alloc(c, sizeof *q->body);
    q->body->kind = BODY_SELECT;
    return q;
}

struct query *query_set(struct call *c, enum set_op op, struct query *left, struct query *right)
{
    struct query *q = query_select(c);
    q->body->kind = BODY_SET;
    q->body->set.op = op;
    q->body->set.left = left;
    q->body->set.right = right;
    return q;
}

/* Room for one item more at the end of an array of `count`, which has room for at least `*room`. */
static void *grown(struct call *c, void *items, size_t count, size_t *room, size_t bytes)
{
    if (count < *room) return items;
    *room = count < 4 ? 4 : count * 2;
    return arena_grow(&c->arena, items, count * bytes, *room * bytes);
}

void query_item(struct call *c, struct query *q, struct expr *e, const char *alias)
{
    struct body *b = q->body;
    b->select.items = grown(c, b->select.items, b->select.item_count, &b->select.item_room, sizeof(struct select_item));
    b->select.items[b->select.item_count++] = (struct select_item){ .expr = e, .alias = alias };
}

static struct source *add_source(struct call *c, struct query *q, enum join_type type, const struct source *what,
                                 struct expr *on)
{
    struct source *s = call_alloc(c, sizeof *s);
    *s = *what;
    struct from *from = q->body->select.from;
    if (!from || from->source) {
        struct from *top = call_alloc(c, sizeof *top);
        if (!from) {
            top->source = s;
            q->body->select.from = top;
            return s;
        }
        top->joined = from;
        q->body->select.from = from = top;
    }
    size_t none = 0; /* sources are few: an array of exactly what is needed each time */
    struct join *joins = grown(c, from->joins, from->join_count, &none, sizeof *joins);
    joins[from->join_count++] = (struct join){ .type = type, .source = s, .on = on };
    from->joins = joins;
    return s;
}

struct source *query_from(struct call *c, struct query *q, const char *schema, const char *table, const char *alias)
{
    return query_join(c, q, JOIN_CROSS, schema, table, alias, NULL);
}

struct source *query_join(struct call *c, struct query *q, enum join_type type, const char *schema, const char *table,
                          const char *alias, struct expr *on)
{
    struct source s = { .kind = SOURCE_TABLE, .schema = schema, .name = table, .alias = alias };
    return add_source(c, q, type, &s, on);
}

struct source *query_from_query(struct call *c, struct query *q, struct query *sub, const char *alias)
{
    return query_join_query(c, q, JOIN_CROSS, sub, alias, NULL);
}

struct source *query_join_query(struct call *c, struct query *q, enum join_type type, struct query *sub,
                                const char *alias, struct expr *on)
{
    struct source s = { .kind = SOURCE_QUERY, .query = sub, .alias = alias };
    return add_source(c, q, type, &s, on);
}

struct source *query_from_cte(struct call *c, struct query *q, const char *cte, const char *alias)
{
    struct source s = { .kind = SOURCE_CTE, .name = cte, .alias = alias };
    return add_source(c, q, JOIN_CROSS, &s, NULL);
}

struct cte *query_with(struct call *c, struct query *q, const char *name, struct query *sub)
{
    size_t none = 0;
    struct cte *ctes = grown(c, q->ctes, q->cte_count, &none, sizeof *ctes);
    ctes[q->cte_count] = (struct cte){ .name = name, .query = sub };
    q->ctes = ctes;
    return &ctes[q->cte_count++];
}

void query_where(struct call *c, struct query *q, struct expr *e)
{
    q->body->select.where = expr_and(c, q->body->select.where, e);
}

void query_having(struct call *c, struct query *q, struct expr *e)
{
    q->body->select.having = expr_and(c, q->body->select.having, e);
}

void query_group(struct call *c, struct query *q, struct expr *e)
{
    exprs_push(c, &q->body->select.group_by, e);
}

void query_order(struct call *c, struct query *q, struct expr *e, enum direction d)
{
    orders_push(c, &q->order_by, e, d);
}

void query_limit(struct call *c, struct query *q, int64_t limit)
{
    q->limit = expr_integer(c, limit);
}

void exprs_push(struct call *c, struct exprs *l, struct expr *e)
{
    l->items = grown(c, l->items, l->count, &l->room, sizeof(struct expr *));
    l->items[l->count++] = e;
}

void orders_push(struct call *c, struct orders *l, struct expr *e, enum direction d)
{
    l->items = grown(c, l->items, l->count, &l->room, sizeof(struct order_item));
    l->items[l->count++] = (struct order_item){ .expr = e, .direction = d };
}
