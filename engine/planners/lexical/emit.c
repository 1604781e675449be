/* A reading as a typed plan, and in plain words. */
#include "planners/lexical/emit.h"

#include "planners/lexical/turn.h"

#include <ctype.h>
#include <string.h>

static const char *const agg_names[] = { "", "count", "sum", "avg", "min", "max" };

const char *emit_alias(const struct emit *e, int table)
{
    return e->linked->tables[table].table->name;
}

struct expr *emit_cut(const struct emit *e, int item, int grain)
{
    const struct lex_column *col = &e->linked->columns[item];
    struct expr *x = expr_column(e->call, emit_alias(e, (int)col->table), col->column->name);
    if (grain < 0) return x;
    if (grain == GRAIN_WEEKDAY) return expr_call(e->call, "weekday", 1, &x);
    /* Cut to a unit: a text that sorts like the time. Quarters and weeks start at their first day. */
    static const char *const formats[] = { "%Y", NULL, "%Y-%m", NULL, "%Y-%m-%d" };
    if (grain <= UNIT_DAY && formats[grain]) {
        struct expr *args[] = { x, expr_text(e->call, formats[grain]) };
        return expr_call(e->call, "date_format", 2, args);
    }
    struct expr *args[] = { expr_text(e->call, unit_names[grain]), x };
    return expr_call(e->call, "date_trunc", 2, args);
}

struct expr *emit_column(const struct emit *e, int item)
{
    return emit_cut(e, item, e->linked->columns[item].grain);
}

static struct expr *new_expr(const struct emit *e, enum expr_kind kind)
{
    struct expr *x = call_alloc(e->call, sizeof *x);
    x->kind = kind;
    return x;
}

static bool is_number_kind(enum type_kind k)
{
    return k == TYPE_INTEGER || k == TYPE_DECIMAL || k == TYPE_DOUBLE;
}

struct expr *emit_term(const struct emit *e, const struct term *t)
{
    struct expr *x = t->column == TERM_STAR ? expr_star(e->call) : emit_column(e, t->column);
    if (t->agg == AGG_NONE) return x;
    bool adds = t->agg == AGG_SUM || t->agg == AGG_AVG;
    if (adds && e->linked->columns[t->column].column->type.kind == TYPE_TEXT) { /* amounts that are kept as texts */
        struct expr *cast = new_expr(e, EXPR_CAST);
        cast->cast.arg = x;
        cast->cast.to.kind = TYPE_DECIMAL;
        x = cast;
    }
    struct expr *call = expr_call(e->call, agg_names[t->agg], 1, &x);
    call->call.distinct = t->distinct;
    return call;
}

static bool is_number(const char *s)
{
    size_t i = s[0] == '-', digits = 0;
    for (; isdigit((unsigned char)s[i]); i++) digits++;
    if (s[i] == '.')
        for (i++; isdigit((unsigned char)s[i]); i++) digits++;
    return digits && !s[i];
}

static struct expr *literal_expr(const struct emit *e, const struct term *left, const char *value)
{
    bool number = left->agg != AGG_NONE;
    if (left->column >= 0 && left->agg != AGG_MIN && left->agg != AGG_MAX)
        number |= is_number_kind(e->linked->columns[left->column].column->type.kind);
    if (number && is_number(value)) return expr_number(e->call, value);
    struct expr *x = expr_text(e->call, value);
    if (left->column >= 0 && left->agg == AGG_NONE) {
        enum type_kind kind = e->linked->columns[left->column].column->type.kind;
        if (kind == TYPE_DATE || kind == TYPE_TIMESTAMP || kind == TYPE_TIMESTAMPTZ) x->type.kind = kind;
        if (kind == TYPE_BOOLEAN) x->type.kind = kind;
    }
    return x;
}

static struct query *core_query(const struct emit *e, const struct core *core);

static struct expr *range_expr(const struct emit *e, const struct cond *w)
{
    struct expr *all = NULL;
    if (w->value) all = expr_binary(e->call, OP_GE, emit_term(e, &w->left), literal_expr(e, &w->left, w->value));
    if (w->value2)
        all = expr_and(e->call, all,
                       expr_binary(e->call, OP_LT, emit_term(e, &w->left), literal_expr(e, &w->left, w->value2)));
    return all;
}

/* Keys that were declared with different types on their two ends are compared as texts. */
static struct expr *as_text(const struct emit *e, struct expr *x, enum type_kind own, enum type_kind other)
{
    if (is_number_kind(own) == is_number_kind(other) || !is_number_kind(own)) return x;
    struct expr *cast = new_expr(e, EXPR_CAST);
    cast->cast.arg = x;
    cast->cast.to.kind = TYPE_TEXT;
    return cast;
}

static enum type_kind kind_of(const struct table *t, const char *column)
{
    const struct column *col = schema_column(t, column);
    return col ? col->type.kind : TYPE_UNKNOWN;
}

/* What is not among values of which one is missing is unknown in SQL; people ask for what is not among those there are.
 */
static void only_known(const struct emit *e, const struct core *sub, struct query *q)
{
    const struct term *t = &sub->items[0];
    if (t->agg != AGG_NONE || t->column < 0 || sub->group_count) return;
    const struct lex_column *col = &e->linked->columns[t->column];
    if (!col->column->nullable || col->key) return;
    struct expr *known = new_expr(e, EXPR_IS_NULL);
    known->negated = true;
    known->is.left = emit_term(e, t);
    q->body->select.where = expr_and(e->call, q->body->select.where, known);
}

struct expr *emit_cond(const struct emit *e, const struct cond *w)
{
    struct expr *left = emit_term(e, &w->left), *x;
    switch (w->op) {
    case COND_RANGE:
        return range_expr(e, w);
    case COND_LIKE:
    case COND_NOT_LIKE:
        x = new_expr(e, EXPR_LIKE);
        x->negated = w->op == COND_NOT_LIKE;
        x->like.arg = left;
        x->like.pattern = expr_text(e->call, w->value);
        x->like.fold = true;
        return x;
    case COND_BETWEEN:
        x = new_expr(e, EXPR_BETWEEN);
        x->between.arg = left;
        x->between.low = literal_expr(e, &w->left, w->value);
        x->between.high = literal_expr(e, &w->left, w->value2);
        return x;
    case COND_NULL:
    case COND_NOT_NULL:
        x = new_expr(e, EXPR_IS_NULL);
        x->negated = w->op == COND_NOT_NULL;
        x->is.left = left;
        return x;
    case COND_IN:
    case COND_NOT_IN:
        x = new_expr(e, EXPR_IN);
        x->negated = w->op == COND_NOT_IN;
        x->in.arg = left;
        x->in.query = core_query(e, w->sub);
        if (w->op == COND_NOT_IN) only_known(e, w->sub, x->in.query);
        if (w->left.column >= 0 && w->sub->items[0].column >= 0)
            x->in.arg = as_text(e, left, e->linked->columns[w->left.column].column->type.kind,
                                e->linked->columns[w->sub->items[0].column].column->type.kind);
        return x;
    default:
        break;
    }
    struct expr *right;
    if (w->sub) {
        right = new_expr(e, EXPR_QUERY);
        right->query = core_query(e, w->sub);
    } else {
        right = literal_expr(e, &w->left, w->value);
    }
    static const enum binary_op ops[] = { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE };
    return expr_binary(e->call, ops[w->op], left, right);
}

struct expr *emit_conds(const struct emit *e, const struct cond *list, int count, bool any)
{
    struct expr *all = NULL;
    for (int i = 0; i < count; i++) {
        struct expr *x = emit_cond(e, &list[i]);
        all = any ? expr_or(e->call, all, x) : expr_and(e->call, all, x);
    }
    return all;
}

static struct expr *edge_expr(const struct emit *e, const struct edge *edge)
{
    struct expr *all = NULL;
    const struct table *owner = e->linked->tables[edge->owner].table, *other = e->linked->tables[edge->other].table;
    for (size_t i = 0; i < edge->key->column_count; i++) {
        enum type_kind a = kind_of(owner, edge->key->columns[i]), b = kind_of(other, edge->key->referred[i]);
        struct expr *left = expr_column(e->call, emit_alias(e, edge->owner), edge->key->columns[i]);
        struct expr *right = expr_column(e->call, emit_alias(e, edge->other), edge->key->referred[i]);
        all = expr_and(e->call, all, expr_binary(e->call, OP_EQ, as_text(e, left, a, b), as_text(e, right, b, a)));
    }
    return all;
}

void emit_from(const struct emit *e, struct query *q, const struct core *core, uint32_t loose)
{
    for (int i = 0; i < core->table_count; i++) {
        const struct table *t = e->linked->tables[core->tables[i]].table;
        if (i == 0)
            query_from(e->call, q, t->schema, t->name, t->name);
        else
            query_join(e->call, q, loose >> i & 1 ? JOIN_LEFT : JOIN_INNER, t->schema, t->name, t->name,
                       edge_expr(e, core->edges[i - 1]));
    }
}

/* Names of result columns: the column's own, or what was done to it. NULL lets the column speak for itself. */
const char *emit_name(const struct emit *e, const struct term *t)
{
    if (t->column == TERM_STAR) return t->agg ? "count" : NULL;
    const struct lex_column *col = &e->linked->columns[t->column];
    if (col->grain >= 0) return grain_name(col->grain);
    if (t->agg == AGG_NONE) return col->column->name;
    return call_format(e->call, "%s_%s", agg_names[t->agg], col->column->name);
}

void emit_items(const struct emit *e, struct query *q, const struct core *core)
{
    for (int i = 0; i < core->item_count; i++) {
        const struct term *t = &core->items[i];
        if (t->column != TERM_STAR || t->agg != AGG_NONE) {
            const char *alias = emit_name(e, t);
            for (int k = 0, same = 1; k < i; k++)
                if (strcasecmp(q->body->select.items[k].alias, alias) == 0)
                    alias = call_format(e->call, "%s_%d", emit_name(e, t), ++same), k = -1;
            query_item(e->call, q, emit_term(e, t), alias);
            continue;
        }
        const struct lex_table *main = &e->linked->tables[core->tables[0]];
        for (size_t k = 0; k < main->column_count; k++)
            query_item(e->call, q, emit_column(e, (int)(main->first_column + k)), main->table->columns[k].name);
    }
}

static struct query *core_query(const struct emit *e, const struct core *core)
{
    struct query *q = query_select(e->call);
    q->body->select.distinct = core->distinct;
    emit_from(e, q, core, 0);
    emit_items(e, q, core);
    q->body->select.where = emit_conds(e, core->where, core->where_count, core->any);
    for (int i = 0; i < core->group_count; i++)
        exprs_push(e->call, &q->body->select.group_by, emit_column(e, core->group[i]));
    if (core->has_having) q->body->select.having = emit_cond(e, &core->having);
    for (int i = 0; i < core->order_count; i++)
        orders_push(e->call, &q->order_by, emit_term(e, &core->order[i].term),
                    core->order[i].desc ? DIR_DESC : DIR_ASC);
    if (core->limit) q->limit = expr_integer(e->call, core->limit);
    return q;
}

/* Periods that nothing else orders are told from the first to the last. */
void emit_time_order(const struct emit *e, struct query *q, const struct core *core)
{
    if (core->order_count) return;
    for (int i = 0; i < core->group_count; i++)
        if (e->linked->columns[core->group[i]].grain >= 0)
            orders_push(e->call, &q->order_by, emit_column(e, core->group[i]), DIR_ASC);
}

struct query *reading_plan(struct call *c, const struct linked *l, const struct reading *r)
{
    struct emit e = { c, l };
    if (r->turned) return r->turned->turn->kind->plan(&e, r->turned);
    struct query *left = core_query(&e, &r->left);
    if (r->set == SET_NONE) {
        emit_time_order(&e, left, &r->left);
        return left;
    }
    struct query *q = call_alloc(c, sizeof *q);
    q->body = call_alloc(c, sizeof *q->body);
    q->body->kind = BODY_SET;
    static const enum set_op ops[] = { SET_UNION, SET_INTERSECT, SET_EXCEPT, SET_UNION };
    q->body->set.op = ops[r->set];
    q->body->set.left = left;
    q->body->set.right = core_query(&e, &r->right);
    return q;
}
