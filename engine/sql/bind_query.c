#include "sql/bind.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_BYTES_MAX 63
#define RECURSION_CAP  "10000"

enum nulls default_nulls(const struct binder *b, bool descending, enum nulls written)
{
    if (written) return written == NULLS_LAST ? NULLS_DEFAULT : written;
    switch (b->tongue) {
    case TONGUE_SQLITE:
    case TONGUE_MYSQL:
    case TONGUE_MSSQL:
        return descending ? NULLS_DEFAULT : NULLS_FIRST;
    case TONGUE_POSTGRES:
        return descending ? NULLS_FIRST : NULLS_DEFAULT;
    case TONGUE_DUCKDB:
        break;
    }
    return NULLS_DEFAULT;
}

static void push_order(struct binder *b, struct orders *out, struct expr *e, const struct order_term *term)
{
    orders_push(b->call, out, e, term->descending ? DIR_DESC : DIR_ASC);
    out->items[out->count - 1].nulls = default_nulls(b, term->descending, term->nulls);
}

bool bind_orders(struct binder *b, struct scope *s, const struct order_terms *terms, struct orders *out)
{
    for (size_t i = 0; i < terms->count; i++) {
        struct expr *e = bind_expr(b, s, terms->items[i].expr);
        if (!e) return false;
        /* A constant orders nothing: T-SQL's windows write ORDER BY (SELECT NULL). */
        if (e->kind != EXPR_LITERAL) push_order(b, out, e, &terms->items[i]);
    }
    return true;
}

/* ---- names of result columns ---- */

static const char *function_label(struct binder *b, const struct node *n)
{
    const struct idents *name = &n->call->name;
    char *lower = call_strdup(b->call, name->items[name->count - 1].text);
    for (char *p = lower; *p; p++)
        if (*p >= 'A' && *p <= 'Z') *p = (char)(*p | 0x20);
    return lower;
}

/* PostgreSQL's name for an expression without an alias. */
static const char *postgres_label(struct binder *b, const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case NODE_NAME:
        return ident_text(b, &n->name.items[n->name.count - 1]);
    case NODE_CALL:
        return function_label(b, n);
    case NODE_CASE:
        return "case";
    case NODE_EXISTS:
        return "exists";
    case NODE_ROW:
        return "row";
    case NODE_CAST:
        if (n->cast.arg->kind == NODE_NAME || n->cast.arg->kind == NODE_CALL) return postgres_label(b, n->cast.arg);
        return n->cast.type->text;
    case NODE_TYPED:
        return n->cast.type->text;
    case NODE_BOOLEAN:
        return "bool";
    default:
        return "?column?";
    }
}

static const char *text_label(struct binder *b, const struct syntax_item *item)
{
    uint32_t n = item->end > item->at ? item->end - item->at : 0;
    if (n > NAME_BYTES_MAX && b->tongue != TONGUE_SQLITE) {
        n = NAME_BYTES_MAX;
        while (n && ((unsigned char)b->text[item->at + n] & 0xC0) == 0x80) n--;
    }
    return n ? call_strndup(b->call, b->text + item->at, n) : "column";
}

static const char *item_label(struct binder *b, const struct syntax_item *item, const struct expr *e)
{
    if (item->alias.text) return *item->alias.text ? ident_text(b, &item->alias) : "column";
    if (e->kind == EXPR_COLUMN && item->expr->kind == NODE_NAME) {
        const struct ident *last = &item->expr->name.items[item->expr->name.count - 1];
        return strcasecmp(e->column.column, last->text) == 0 ? e->column.column : ident_text(b, last);
    }
    if (b->tongue == TONGUE_POSTGRES) return postgres_label(b, item->expr);
    return text_label(b, item);
}

/* ---- the select list ---- */

static bool excepted(const struct syntax_item *item, const char *name)
{
    for (size_t i = 0; i < item->except.count; i++)
        if (strcasecmp(item->except.items[i].text, name) == 0) return true;
    return false;
}

static bool add_star_column(struct binder *b, struct query *q, const struct syntax_item *item, struct offered o)
{
    if (excepted(item, o.name)) return true;
    struct expr *e = offered_expr(b, &o);
    if (e) query_item(b->call, q, e, o.name);
    return e != NULL;
}

static bool bind_range_star(struct binder *b, struct query *q, const struct syntax_item *item, const struct range *r)
{
    if (r->hides_columns) {
        call_fail(b->call, ERR_STAR_NEEDS_COLUMNS, "Name the columns; * is not available for the table '%s'.", r->name);
        return false;
    }
    for (size_t i = 0; i < range_width(r); i++)
        if (!add_star_column(b, q, item, range_column(r, i))) return false;
    return true;
}

static bool bind_star(struct binder *b, struct scope *s, struct query *q, const struct syntax_item *item)
{
    const struct idents *name = &item->expr->name;
    if (name->count > 2) {
        call_fail(b->call, ERR_SQL_NOT_ALLOWED, "Use plain table names, without a schema or catalog prefix.");
        return false;
    }
    if (name->count) {
        struct range *r = find_range(s, name, name->count);
        if (r) return bind_range_star(b, q, item, r);
        fail_bind(b, ERR_COLUMN_NOT_FOUND, item->expr->at, "No table here is called '%.128s'.",
                  name->items[name->count - 1].text);
        return false;
    }
    if (!s->count) {
        fail_bind(b, ERR_COLUMN_NOT_FOUND, item->expr->at, "* needs a FROM clause.");
        return false;
    }
    for (size_t i = 0; i < s->count; i++)
        if (s->ranges[i].hides_columns) return bind_range_star(b, q, item, &s->ranges[i]);
    for (size_t i = 0; s->visible && i < s->visible_count; i++)
        if (!add_star_column(b, q, item, s->visible[i])) return false;
    for (size_t i = 0; !s->visible && i < s->count; i++)
        if (!bind_range_star(b, q, item, &s->ranges[i])) return false;
    return true;
}

static bool bind_items(struct binder *b, struct scope *s, struct query *q, const struct syntax_select *select)
{
    for (size_t i = 0; i < select->item_count; i++) {
        const struct syntax_item *item = &select->items[i];
        if (item->expr->kind == NODE_STAR) {
            if (!bind_star(b, s, q, item)) return false;
            continue;
        }
        /* SELECT "Completed" AS status … UNION …: SQLite's text, where a column of that name is made up. */
        struct expr *e = bind_operand(b, s, item->expr, s->in_set && item->alias.text);
        if (!e) return false;
        query_item(b->call, q, e, item_label(b, item, e));
    }
    return true;
}

/* The n-th result column's expression once more. Items after a * have moved, so the count goes over what was bound. */
static struct expr *item_again(struct binder *b, struct scope *s, const struct query *q,
                               const struct syntax_select *select, size_t number)
{
    const struct select_item *bound_item = &q->body->select.items[number];
    if (bound_item->expr->kind == EXPR_COLUMN) {
        struct expr *e = expr_column(b->call, bound_item->expr->column.table, bound_item->expr->column.column);
        e->type = bound_item->expr->type;
        return bind_keep(b, e);
    }
    bool stars = false;
    for (size_t i = 0; i < select->item_count; i++) stars |= select->items[i].expr->kind == NODE_STAR;
    if (!stars) return bind_expr(b, s, select->items[number].expr);
    /* Behind a star: find the item by what it was called. */
    for (size_t i = 0; i < select->item_count; i++)
        if (select->items[i].expr->kind != NODE_STAR &&
            strcmp(item_label(b, &select->items[i], bound_item->expr), bound_item->alias) == 0)
            return bind_expr(b, s, select->items[i].expr);
    return NULL;
}

/* A whole number that names a result column; -1 when the node is none. */
static long ordinal(const struct node *n)
{
    if (n->kind != NODE_NUMBER || strspn(n->text, "0123456789") != strlen(n->text) || strlen(n->text) > 6) return -1;
    return strtol(n->text, NULL, 10);
}

static bool bind_group(struct binder *b, struct scope *s, struct query *q, const struct syntax_select *select)
{
    for (size_t i = 0; i < select->group_by.count; i++) {
        const struct node *n = select->group_by.items[i];
        long number = b->tongue == TONGUE_MSSQL ? -1 : ordinal(n);
        struct expr *e;
        if (number >= 0) {
            if (number == 0 || (size_t)number > q->body->select.item_count) {
                fail_bind(b, ERR_COLUMN_NOT_FOUND, n->at, "GROUP BY %ld: there are %zu result columns.", number,
                          q->body->select.item_count);
                return false;
            }
            e = item_again(b, s, q, select, (size_t)number - 1);
        } else {
            e = bind_expr(b, s, n);
        }
        if (!e) return false;
        /* A constant makes no groups; one group of everything is another thing, so at least one term stays. */
        if (e->kind == EXPR_ROW) {
            for (size_t k = 0; k < e->row.count; k++) exprs_push(b->call, &q->body->select.group_by, e->row.items[k]);
            continue;
        }
        exprs_push(b->call, &q->body->select.group_by, e);
    }
    return true;
}

/* ---- ORDER BY ---- */

static size_t times_called(const struct query *q, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < q->offer_count; i++) count += strcasecmp(q->offers[i].name, name) == 0;
    return count;
}

static struct expr *output_expr(struct binder *b, const struct query *q, size_t index)
{
    struct expr *e = expr_output(b->call, q->offers[index].name);
    e->type = q->offers[index].type;
    return bind_keep(b, e);
}

/* The result column that a term names by number or name; -1 = none, -2 after an error. */
static ptrdiff_t named_output(struct binder *b, const struct query *q, const struct node *n)
{
    long number = ordinal(n);
    if (number >= 0) {
        if (number >= 1 && (size_t)number <= q->offer_count) return number - 1;
        fail_bind(b, ERR_COLUMN_NOT_FOUND, n->at, "ORDER BY %ld: there are %zu result columns.", number,
                  q->offer_count);
        return -2;
    }
    if (n->kind != NODE_NAME || n->name.count != 1) return -1;
    const char *name = ident_text(b, &n->name.items[0]);
    for (size_t i = 0; i < q->offer_count; i++)
        if (strcasecmp(q->offers[i].name, name) == 0) return (ptrdiff_t)i;
    return -1;
}

static struct expr *bind_set_order(struct binder *b, struct query *q, const struct node *n)
{
    ptrdiff_t i = named_output(b, q, n);
    /* The name of a column of a table stands for the result column called so. */
    if (i == -1 && n->kind == NODE_NAME) {
        const char *name = n->name.items[n->name.count - 1].text;
        for (size_t k = 0; k < q->offer_count && i == -1; k++)
            if (strcasecmp(q->offers[k].name, name) == 0) i = (ptrdiff_t)k;
    }
    if (i < 0) {
        fail_bind(b, ERR_COLUMN_NOT_FOUND, n->at, "ORDER BY over %s takes names or numbers of result columns.",
                  q->body->kind == BODY_VALUES ? "VALUES" : "a set operation");
        return NULL;
    }
    return output_expr(b, q, (size_t)i);
}

static struct expr *bind_select_order(struct binder *b, struct scope *s, struct query *q, const struct node *n)
{
    const struct syntax_select *select = s->select;
    ptrdiff_t i = named_output(b, q, n);
    if (i == -2) return NULL;
    if (i >= 0) {
        const struct expr *e = q->body->select.items[i].expr;
        /* A plain column under its own name is ordered by as a column: that also says it when the name is there twice.
         */
        bool plain = e->kind == EXPR_COLUMN;
        if (!plain && times_called(q, q->offers[i].name) == 1) return output_expr(b, q, (size_t)i);
        return item_again(b, s, q, select, (size_t)i);
    }
    bool before = s->aliases;
    s->aliases = b->tongue != TONGUE_POSTGRES && b->tongue != TONGUE_MSSQL;
    struct expr *e = bind_expr(b, s, n);
    s->aliases = before;
    return e;
}

static bool bind_order(struct binder *b, struct scope *s, struct query *q, const struct order_terms *terms)
{
    for (size_t i = 0; i < terms->count; i++) {
        const struct node *n = terms->items[i].expr;
        struct expr *e = q->body->kind == BODY_SELECT && s ? bind_select_order(b, s, q, n) : bind_set_order(b, q, n);
        if (!e) return false;
        bool constant = e->kind == EXPR_LITERAL ||
                        (e->kind == EXPR_QUERY && e->query->body->kind == BODY_SELECT && !e->query->body->select.from);
        if (!constant) push_order(b, &q->order_by, e, &terms->items[i]);
    }
    return true;
}

/* ---- LIMIT ---- */

static bool bind_count(struct binder *b, const struct node *n, struct expr **out)
{
    *out = NULL;
    if (!n || n->kind == NODE_NULL) return true;
    if (n->kind == NODE_MINUS && n->left->kind == NODE_NUMBER && b->tongue == TONGUE_SQLITE) return true; /* no limit */
    if (n->kind == NODE_NUMBER) {
        /* Where OFFSET needs a LIMIT, the largest number stands for none. */
        if (strcmp(n->text, "9223372036854775807") == 0 || strcmp(n->text, "18446744073709551615") == 0) return true;
        *out = bind_keep(b, expr_number(b->call, n->text));
        return *out != NULL;
    }
    struct scope none = { .no_columns = true };
    *out = bind_expr(b, &none, n);
    return *out != NULL;
}

static bool bind_limits(struct binder *b, struct query *q, const struct syntax_query *from)
{
    const struct node *limit = from->limit;
    if (!limit && from->kind == QUERY_SELECT) limit = from->select->top;
    return bind_count(b, limit, &q->limit) && bind_count(b, from->offset, &q->offset);
}

/* ---- queries ---- */

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
                                    const struct syntax_cte *cte, const char *plan_name, const char *const *names,
                                    bool *used)
{
    const struct syntax_query *from = cte->query;
    struct query *q = query_set(b->call, from->op, NULL, NULL);
    q->body->set.left = bind_query(b, outer, ctes, from->left);
    if (!q->body->set.left) return NULL;
    const struct query *l = q->body->set.left;
    struct source_column_info *columns = call_array(b->call, l->offer_count, sizeof *columns);
    for (size_t i = 0; i < l->offer_count; i++) {
        columns[i] = l->offers[i];
        if (names && i < cte->columns.count) columns[i].name = names[i];
    }
    struct cte_env self = { ctes, cte->name, plan_name, columns, l->offer_count, used };
    q->body->set.right = bind_query(b, outer, &self, from->right);
    if (!q->body->set.right || !set_offers(b, q, from)) return NULL;
    if (!bind_order(b, NULL, q, &from->order) || !bind_limits(b, q, from)) return NULL;
    /* The cap that every recursion is rendered with says nothing of its own. */
    if (*used && q->limit && q->limit->kind == EXPR_LITERAL && strcmp(q->limit->literal.text, RECURSION_CAP) == 0)
        q->limit = NULL;
    return q;
}

static bool bind_cte(struct binder *b, struct scope *outer, const struct cte_env **ctes, const struct syntax_cte *from,
                     bool recursive, struct cte *out)
{
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
    out->query = self ? bind_recursive(b, outer, *ctes, from, plan_name, names, &out->recursive)
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
        q->cte_count = from->cte_count;
        for (size_t i = 0; i < from->cte_count; i++)
            if (!bind_cte(b, outer, &ctes, &from->ctes[i], from->recursive, &q->ctes[i])) return NULL;
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
