#include "sql/bind.h"
#include "sql/sql.h"

#include <string.h>
#include <strings.h>

#define RECURSION_CAP "10000"

static struct query *bind_side(struct binder *b, struct scope *outer, const struct cte_env *ctes,
                               const struct syntax_query *from, bool in_set);

static void offer_items(struct binder *b, struct query *q)
{
    q->offer_count = q->body->select.item_count;
    q->offers = call_array(b->call, q->offer_count, sizeof *q->offers);
    for (size_t i = 0; i < q->offer_count; i++) {
        q->offers[i].name = q->body->select.items[i].alias;
        q->offers[i].type = q->body->select.items[i].expr->type;
    }
}

static bool bind_select(struct binder *b, struct scope *s, const struct syntax_query *from, struct query *q)
{
    const struct syntax_select *select = from->select;
    enum tongue t = b->tongue;
    struct body *body = q->body;
    body->select.distinct = select->distinct;
    s->select = select;
    if (select->from && !bind_sources(b, s, select->from, &body->select.from)) return false;
    s->aliases = t == TONGUE_SQLITE || t == TONGUE_DUCKDB;
    if (select->where && !(body->select.where = bind_expr(b, s, select->where))) return false;
    s->aliases = t == TONGUE_DUCKDB;
    if (!bind_items(b, s, q, select)) return false;
    if (!body->select.item_count) {
        fail_bind(b, ERR_INVALID_PLAN_STRUCTURE, from->at, "Nothing is selected.");
        return false;
    }
    s->aliases = t != TONGUE_MSSQL;
    if (!bind_group(b, s, q, select)) return false;
    s->aliases = t != TONGUE_MSSQL && t != TONGUE_POSTGRES;
    s->aliases_first = t == TONGUE_MYSQL;
    if (select->having && !(body->select.having = bind_expr(b, s, select->having))) return false;
    s->aliases = s->aliases_first = false;
    offer_items(b, q);
    return true;
}

static bool bind_values(struct binder *b, struct scope *s, const struct syntax_query *from, struct query *q)
{
    struct body *body = q->body;
    body->kind = BODY_VALUES;
    body->values.count = from->rows.count;
    body->values.rows = call_array(b->call, from->rows.count, sizeof *body->values.rows);
    for (size_t r = 0; r < from->rows.count; r++) {
        const struct nodes *row = &from->rows.items[r]->of.list;
        for (size_t i = 0; i < row->count; i++) {
            struct expr *e = bind_expr(b, s, row->items[i]);
            if (!e) return false;
            exprs_push(b->call, &body->values.rows[r], e);
        }
        if (row->count == from->rows.items[0]->of.list.count) continue;
        fail_bind(b, ERR_WRONG_ARITY, from->rows.items[r]->at, "The rows of VALUES differ in length.");
        return false;
    }
    q->offer_count = from->rows.count ? body->values.rows[0].count : 0;
    q->offers = call_array(b->call, q->offer_count, sizeof *q->offers);
    for (size_t i = 0; i < q->offer_count; i++) {
        q->offers[i].name = b->tongue == TONGUE_MYSQL    ? call_format(b->call, "column_%zu", i)
                            : b->tongue == TONGUE_DUCKDB ? call_format(b->call, "col%zu", i)
                                                         : call_format(b->call, "column%zu", i + 1);
        q->offers[i].type = body->values.rows[0].items[i]->type;
    }
    return true;
}

/* SELECT * FROM (inner): where a bracketed query with an order or limit of its own gets another around it. */
static bool bind_nested(struct binder *b, struct scope *outer, const struct cte_env *ctes,
                        const struct syntax_query *from, struct query *q)
{
    struct query *inner = bind_query(b, outer, ctes, from->left);
    if (!inner) return false;
    const char *alias = name_unique(b, "q");
    query_from_query(b->call, q, inner, alias);
    for (size_t i = 0; i < inner->offer_count; i++) {
        struct expr *e = expr_column(b->call, alias, inner->offers[i].name);
        e->type = inner->offers[i].type;
        if (!bind_keep(b, e)) return false;
        query_item(b->call, q, e, inner->offers[i].name);
    }
    offer_items(b, q);
    return true;
}

static struct value_type wider(struct value_type a, struct value_type z)
{
    if (a.kind == z.kind || z.kind == TYPE_NULL) return a;
    if (a.kind == TYPE_NULL) return z;
    if (kind_is_number(a) && kind_is_number(z)) return a.kind == TYPE_INTEGER || z.kind == TYPE_DOUBLE ? z : a;
    return (struct value_type){ 0 };
}

static bool set_offers(struct binder *b, struct query *q, const struct syntax_query *from)
{
    const struct query *l = q->body->set.left, *r = q->body->set.right;
    if (l->offer_count != r->offer_count) {
        fail_bind(b, ERR_WRONG_ARITY, from->at, "The left side has %zu columns, the right side %zu.", l->offer_count,
                  r->offer_count);
        return false;
    }
    q->offer_count = l->offer_count;
    q->offers = call_array(b->call, q->offer_count, sizeof *q->offers);
    for (size_t i = 0; i < q->offer_count; i++) {
        q->offers[i].name = l->offers[i].name;
        q->offers[i].type = wider(l->offers[i].type, r->offers[i].type);
    }
    return true;
}

static bool bind_set(struct binder *b, struct scope *outer, const struct cte_env *ctes, const struct syntax_query *from,
                     struct query *q)
{
    q->body->kind = BODY_SET;
    q->body->set.op = from->op;
    q->body->set.left = bind_side(b, outer, ctes, from->left, true);
    if (!q->body->set.left) return false;
    q->body->set.right = bind_side(b, outer, ctes, from->right, true);
    return q->body->set.right && set_offers(b, q, from);
}

/* A recursive CTE: the first branch gives the columns, the second reads them. */
static struct query *bind_recursive(struct binder *b, struct scope *outer, const struct cte_env *ctes,
                                    const struct syntax_cte *cte, const struct ident *self_name, const char *plan_name,
                                    const char *const *names, bool *used)
{
    const struct syntax_query *from = cte->query;
    struct query *q = query_set(b->call, from->op, NULL, NULL);
    q->body->set.left = bind_side(b, outer, ctes, from->left, true);
    if (!q->body->set.left) return NULL;
    const struct query *l = q->body->set.left;
    struct source_column_info *columns = call_array(b->call, l->offer_count, sizeof *columns);
    for (size_t i = 0; i < l->offer_count; i++) {
        columns[i] = l->offers[i];
        if (names && i < cte->columns.count) columns[i].name = names[i];
    }
    struct cte_env self = { ctes, *self_name, plan_name, columns, l->offer_count, used };
    q->body->set.right = bind_side(b, outer, &self, from->right, true);
    if (!q->body->set.right || !set_offers(b, q, from)) return NULL;
    if (!bind_order(b, NULL, q, &from->order) || !bind_limits(b, q, from)) return NULL;
    /* The cap that every recursion is rendered with says nothing of its own. */
    if (*used && q->limit && q->limit->kind == EXPR_LITERAL && strcmp(q->limit->literal.text, RECURSION_CAP) == 0)
        q->limit = NULL;
    return q;
}

/* The renderer caps a recursion in one of two ways: with a LIMIT of its own, or in the member behind it, which is
 * called as the recursion should be. This is that member, or NULL. */
static const struct syntax_cte *capping_member(const struct syntax_query *q, size_t i)
{
    const struct syntax_cte *all = &q->ctes[i], *next = all + 1;
    size_t n = strlen(RECURSION_UNCAPPED);
    if (i + 1 >= q->cte_count || strncmp(all->name.text, RECURSION_UNCAPPED, n) != 0 ||
        strcmp(all->name.text + n, next->name.text) != 0 || next->columns.count || next->query->kind != QUERY_SELECT)
        return NULL;
    const struct syntax_select *s = next->query->select;
    const struct node *limit = next->query->limit;
    bool star = s->item_count == 1 && s->items[0].expr->kind == NODE_STAR && !s->where && s->from &&
                s->from->kind == FROM_TABLE && s->from->name.count == 1 &&
                strcmp(s->from->name.items[0].text, all->name.text) == 0;
    return star && limit && limit->kind == NODE_NUMBER && strcmp(limit->text, RECURSION_CAP) == 0 ? next : NULL;
}

/* self: what its own step calls it. */
static bool bind_cte(struct binder *b, struct scope *outer, const struct cte_env **ctes, const struct syntax_cte *from,
                     const struct ident *self_name, bool recursive, struct cte *out)
{
    if (!names_left(b, from->at)) return false;
    /* The plan's name must not hide a table or another CTE. */
    const char *plan_name = ident_text(b, &from->name);
    size_t matches;
    for (unsigned i = 2;
         schema_find(b->view->tables, b->view->table_count, &b->view->names, NULL, plan_name, &matches) || matches; i++)
        plan_name = call_format(b->call, "%s_%u", from->name.text, i);
    out->name = plan_name = name_unique(b, plan_name);
    const char **names = from->columns.count ? call_array(b->call, from->columns.count, sizeof *names) : NULL;
    for (size_t i = 0; i < from->columns.count; i++) names[i] = ident_text(b, &from->columns.items[i]);
    bool self = (recursive || b->tongue == TONGUE_SQLITE) && from->query->kind == QUERY_SET &&
                !from->query->cte_count && (from->query->op == SET_UNION || from->query->op == SET_UNION_ALL);
    out->query = self ? bind_recursive(b, outer, *ctes, from, self_name, plan_name, names, &out->recursive)
                      : bind_query(b, outer, *ctes, from->query);
    if (!out->query) return false;
    size_t width = out->query->offer_count;
    if (from->columns.count && from->columns.count != width) {
        fail_bind(b, ERR_WRONG_ARITY, from->at, "%zu column names are given for a query of %zu columns.",
                  from->columns.count, width);
        return false;
    }
    out->columns = names;
    out->column_count = from->columns.count;
    struct source_column_info *columns = call_array(b->call, width, sizeof *columns);
    for (size_t i = 0; i < width; i++) {
        columns[i] = out->query->offers[i];
        if (names) columns[i].name = names[i];
    }
    struct cte_env *env = call_alloc(b->call, sizeof *env);
    *env = (struct cte_env){ *ctes, from->name, plan_name, columns, width, NULL };
    *ctes = env;
    return true;
}

bool query_is_star(const struct syntax_query *q)
{
    const struct syntax_select *s = q->kind == QUERY_SELECT ? q->select : NULL;
    return s && s->from && s->item_count == 1 && s->items[0].expr->kind == NODE_STAR && !s->items[0].expr->name.count &&
           !s->items[0].except.count && !s->distinct && !s->where && !s->group_by.count && !s->having && !s->top &&
           !q->order.count && !q->limit && !q->offset;
}

/* What a query without clauses of its own is about: brackets around another, or SELECT * FROM (another), which is how
 * the renderer writes a side of a set operation that is more than a SELECT. */
static const struct syntax_query *unwrapped(const struct syntax_query *q, bool in_set)
{
    for (;;) {
        bool plain = !q->cte_count && !q->order.count && !q->limit && !q->offset;
        if (plain && q->kind == QUERY_NESTED) {
            q = q->left;
            continue;
        }
        const struct syntax_select *s = q->kind == QUERY_SELECT ? q->select : NULL;
        bool star = plain && in_set && s && query_is_star(q) && s->from->kind == FROM_QUERY && !s->from->columns.count;
        if (!star) return q;
        q = s->from->query;
    }
}

static struct query *bind_side(struct binder *b, struct scope *outer, const struct cte_env *ctes,
                               const struct syntax_query *from, bool in_set)
{
    from = unwrapped(from, in_set);
    struct query *q = query_select(b->call);
    struct scope s = { .up = outer, .in_set = in_set };
    if (from->cte_count) {
        q->ctes = call_array(b->call, from->cte_count, sizeof *q->ctes);
        for (size_t i = 0; i < from->cte_count; i++) {
            const struct syntax_cte *cap = capping_member(from, i);
            struct syntax_cte member = from->ctes[i];
            if (cap) member.name = cap->name;
            if (!bind_cte(b, outer, &ctes, &member, &from->ctes[i].name, from->recursive, &q->ctes[q->cte_count]))
                return NULL;
            q->cte_count++;
            i += cap != NULL;
        }
    }
    s.ctes = ctes;
    bool ok = false;
    switch (from->kind) {
    case QUERY_SELECT:
        ok = bind_select(b, &s, from, q);
        break;
    case QUERY_VALUES:
        ok = bind_values(b, &s, from, q);
        break;
    case QUERY_NESTED:
        ok = bind_nested(b, outer, ctes, from, q);
        break;
    case QUERY_SET:
        ok = bind_set(b, outer, ctes, from, q);
        break;
    }
    struct scope *order = from->kind == QUERY_SELECT ? &s : NULL;
    if (!ok || !bind_order(b, order, q, &from->order) || !bind_limits(b, q, from)) return NULL;
    return q;
}

struct query *bind_query(struct binder *b, struct scope *outer, const struct cte_env *ctes,
                         const struct syntax_query *from)
{
    return bind_side(b, outer, ctes, from, false);
}
