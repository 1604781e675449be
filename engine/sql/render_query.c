#include "sql/render.h"

#include <stdio.h>
#include <string.h>

static const char *const join_words[] = { "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN" };
static const char *const set_words[] = { "UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL" };

void render_made_up_name(struct render *r)
{
    char name[24];
    snprintf(name, sizeof name, "q%d", ++r->names);
    render_name(r, name);
    reads_derived(r, call_strdup(r->call, name));
}

static void column_names(struct render *r, const char *const *names, size_t count)
{
    if (!count) return;
    render_text(r, " (");
    for (size_t i = 0; i < count; i++) {
        if (i) render_text(r, ", ");
        render_name(r, names[i]);
    }
    render_text(r, ")");
}

void render_subquery(struct render *r, const struct query *q)
{
    const struct query *outer = r->ordered;
    r->ordered = NULL;
    render_text(r, "(");
    render_query(r, q);
    render_text(r, ")");
    r->ordered = outer;
}

/* VALUES where the engine has no such query: SELECT … UNION ALL SELECT …. The first row names the columns. */
static void values_as_selects(struct render *r, const struct body *b, const char *const *names, size_t count)
{
    for (size_t i = 0; i < b->values.count; i++) {
        if (i) render_text(r, " UNION ALL ");
        render_text(r, "SELECT ");
        for (size_t k = 0; k < b->values.rows[i].count; k++) {
            if (k) render_text(r, ", ");
            render_value(r, b->values.rows[i].items[k], BINDS_ANY);
            if (i) continue;
            render_text(r, " AS ");
            if (k < count)
                render_name(r, names[k]);
            else
                render_format(r, "%ccolumn%zu%c", r->dialect->quote_open, k + 1, r->dialect->quote_close);
        }
    }
}

static void values(struct render *r, const struct body *b)
{
    if (!render_can(r, D_VALUES)) {
        values_as_selects(r, b, NULL, 0);
        return;
    }
    render_text(r, "VALUES ");
    for (size_t i = 0; i < b->values.count; i++) {
        render_text(r, i ? ", (" : "(");
        render_list(r, &b->values.rows[i]);
        render_text(r, ")");
    }
}

/* uncapped: what a recursion is called where another member of WITH takes its first rows under its own name. */
static void cte_name(struct render *r, const char *name, bool uncapped)
{
    render_derived(r, uncapped ? call_format(r->call, RECURSION_UNCAPPED "%s", name) : name);
}

static void source(struct render *r, const struct source *s)
{
    switch (s->kind) {
    case SOURCE_TABLE:
        if (s->table && s->table->schema) {
            render_name(r, s->table->schema);
            render_text(r, ".");
        }
        render_name(r, s->table ? s->table->name : s->name);
        reads_table(r, s);
        break;
    case SOURCE_CTE:
        cte_name(r, s->cte ? s->cte->name : s->name, s->cte && s->cte == r->recursing);
        break;
    case SOURCE_QUERY:
        if (s->column_count && !render_can(r, D_COLUMN_ALIASES)) {
            /* The engine names the columns of a WITH, not those of a derived table. */
            render_text(r, "(WITH ");
            render_alias(r, s->alias);
            column_names(r, s->columns, s->column_count);
            render_text(r, " AS ");
            render_subquery(r, s->query);
            render_text(r, " SELECT * FROM ");
            render_alias(r, s->alias);
            render_text(r, ")");
        } else {
            render_subquery(r, s->query);
        }
        break;
    }
    render_text(r, " AS ");
    if (s->kind == SOURCE_TABLE)
        render_alias(r, s->alias);
    else
        render_derived(r, s->alias);
    if (s->kind == SOURCE_QUERY && s->column_count && render_can(r, D_COLUMN_ALIASES))
        column_names(r, s->columns, s->column_count);
}

static void from(struct render *r, const struct from *f)
{
    if (!f->joined) {
        source(r, f->source);
        return;
    }
    if (++r->depth > 4 * PLAN_DEPTH_MAX) {
        render_refuse(r, ERR_PLAN_TOO_LARGE, "The plan is nested too deeply.");
        return;
    }
    from(r, f->joined);
    for (size_t i = 0; i < f->join_count; i++) {
        const struct join *j = &f->joins[i];
        if (j->type == JOIN_FULL && !render_knows(r, DIALECT_FULL_JOIN))
            render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "FULL JOIN is not available for %s.", r->dialect->name);
        bool cross = j->type == JOIN_CROSS || !j->on;
        render_format(r, " %s ", !cross ? join_words[j->type] : render_can(r, D_BARE_JOIN) ? "JOIN" : "CROSS JOIN");
        source(r, j->source);
        if (j->on) {
            render_text(r, " ON ");
            render_predicate(r, j->on, BINDS_ANY);
        }
    }
    r->depth--;
}

/* True when the select item needs no AS: the engine names it so by itself. */
static bool names_itself(const struct select_item *item)
{
    const struct expr *e = item->expr;
    if (!item->alias) return true;
    if (e->kind != EXPR_COLUMN || !e->column.source) return false;
    const struct source *s = e->column.source;
    const char *name = s->kind == SOURCE_TABLE && s->table && e->column.index < s->table->column_count
                           ? s->table->columns[e->column.index].name
                       : e->column.index < s->offer_count ? s->offers[e->column.index].name
                                                          : e->column.column;
    return strcmp(name, item->alias) == 0;
}

static void group_by(struct render *r, const struct exprs *l)
{
    for (size_t i = 0; i < l->count; i++) {
        render_text(r, i ? ", " : " GROUP BY ");
        /* A bare number here would be a position. */
        if (expr_is_constant(l->items[i])) {
            struct expr cast = { .kind = EXPR_CAST, .cast = { .arg = l->items[i], .to = { TYPE_TEXT, 0, 0 } } };
            render_value(r, &cast, BINDS_ANY);
        } else {
            render_value(r, l->items[i], BINDS_ANY);
        }
    }
}

static void select_body(struct render *r, const struct body *b, int64_t top)
{
    render_text(r, b->select.distinct ? "SELECT DISTINCT " : "SELECT ");
    if (top >= 0) render_format(r, "TOP (%lld) ", (long long)top);
    for (size_t i = 0; i < b->select.item_count; i++) {
        const struct select_item *item = &b->select.items[i];
        if (i) render_text(r, ", ");
        render_value(r, item->expr, BINDS_ANY);
        if (names_itself(item)) continue;
        render_text(r, " AS ");
        render_name(r, item->alias);
    }
    if (b->select.from) {
        render_text(r, " FROM ");
        from(r, b->select.from);
    }
    if (b->select.where) {
        render_text(r, " WHERE ");
        render_predicate(r, b->select.where, BINDS_ANY);
    }
    group_by(r, &b->select.group_by);
    if (b->select.having) {
        render_text(r, " HAVING ");
        render_predicate(r, b->select.having, BINDS_ANY);
    }
}

/* Engines disagree on what may stand beside a set operator, and on which of two binds first: an operand is a plain
 * SELECT, or SELECT * FROM (…). */
static bool is_plain(const struct query *q)
{
    return q->body->kind == BODY_SELECT && !q->cte_count && !q->order_by.count && !q->limit && !q->offset;
}

static void operand(struct render *r, const struct query *q)
{
    if (is_plain(q)) {
        render_query(r, q);
        return;
    }
    render_text(r, "SELECT * FROM ");
    render_subquery(r, q);
    render_text(r, " AS ");
    render_made_up_name(r);
}

static void set_body(struct render *r, const struct body *b)
{
    if ((b->set.op == SET_INTERSECT_ALL || b->set.op == SET_EXCEPT_ALL) && !render_knows(r, DIALECT_INTERSECT_ALL)) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "%s is not available for %s.", set_words[b->set.op], r->dialect->name);
        return;
    }
    operand(r, b->set.left);
    render_format(r, " %s ", set_words[b->set.op]);
    operand(r, b->set.right);
}

static void cte(struct render *r, const struct cte *c)
{
    bool caps = c->recurses && !c->counted, outside = caps && render_can(r, D_CAP_OUTSIDE);
    if (caps && !render_knows(r, DIALECT_RECURSIVE_CAP)) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "A recursive query is not available for %s.", r->dialect->name);
        return;
    }
    const struct cte *outer = r->recursing;
    if (outside) r->recursing = c;
    cte_name(r, c->name, outside);
    column_names(r, c->columns, c->column_count);
    render_text(r, " AS (");
    render_query(r, c->query);
    if (caps && !outside) render_format(r, " LIMIT %lld", (long long)r->recursion_cap);
    if (outside) {
        render_text(r, "), ");
        render_alias(r, c->name);
        render_text(r, " AS (SELECT * FROM ");
        cte_name(r, c->name, true);
        render_format(r, " LIMIT %lld", (long long)r->recursion_cap);
    }
    render_text(r, ")");
    r->recursing = outer;
    r->capped = r->capped || caps;
}

static void with(struct render *r, const struct query *q)
{
    if (!q->cte_count) return;
    if (r->depth > 1 && !render_knows(r, DIALECT_NESTED_WITH)) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "WITH inside a subquery is not available for %s.", r->dialect->name);
        return;
    }
    bool recursive = false;
    for (size_t i = 0; i < q->cte_count; i++) recursive = recursive || q->ctes[i].recurses;
    render_text(r, recursive && render_can(r, D_RECURSIVE_WORD) ? "WITH RECURSIVE " : "WITH ");
    for (size_t i = 0; i < q->cte_count; i++) {
        if (i) render_text(r, ", ");
        cte(r, &q->ctes[i]);
    }
    render_text(r, " ");
}

/* The name alone when it is clear; else the expression behind it. */
static void order_key(struct render *r, const struct expr *e)
{
    const struct query *q = r->ordered;
    if (e->kind == EXPR_OUTPUT && !r->derived && q && q->body->kind == BODY_SELECT &&
        e->output.index < q->body->select.item_count) {
        const struct select_item *item = &q->body->select.items[e->output.index];
        bool clear = !names_itself(item);
        for (size_t i = 0; clear && i < q->body->select.item_count; i++)
            if (i != e->output.index && q->body->select.items[i].alias &&
                strcasecmp(q->body->select.items[i].alias, item->alias) == 0)
                clear = false;
        if (clear) {
            render_name(r, item->alias);
            return;
        }
    } else if (e->kind == EXPR_OUTPUT) {
        render_name(r, e->output.name);
        return;
    }
    render_value(r, e, BINDS_ANY);
}

static void order_item(struct render *r, const struct order_item *item)
{
    bool desc = item->direction == DIR_DESC, first = item->nulls == NULLS_FIRST;
    enum null_order order = r->dialect->null_order;
    bool first_by_itself = order == NULLS_ALWAYS_LAST ? false : order == NULLS_LOWEST ? !desc : desc;
    bool say = first != first_by_itself && item->expr->nullable;
    if (order == NULLS_ALWAYS_LAST) say = first;
    if (say && !render_can(r, D_NULLS)) {
        render_text(r, "CASE WHEN ");
        render_value(r, item->expr, BINDS_CONCAT);
        render_format(r, " IS NULL THEN %d ELSE %d END, ", first ? 0 : 1, first ? 1 : 0);
        say = false;
    }
    order_key(r, item->expr);
    if (desc) render_text(r, " DESC");
    if (say) render_text(r, first ? " NULLS FIRST" : " NULLS LAST");
}

void render_orders(struct render *r, const struct orders *o, bool spaced)
{
    size_t written = 0;
    for (size_t i = 0; i < o->count; i++) {
        /* A constant orders nothing, and a bare number would be a position. */
        if (expr_is_constant(o->items[i].expr)) continue;
        render_text(r, written++ ? ", " : spaced ? " ORDER BY " : "ORDER BY ");
        order_item(r, &o->items[i]);
    }
}

bool query_literal_limit(const struct query *q, int64_t *out)
{
    return expr_natural(q->limit, out);
}

bool expr_natural(const struct expr *e, int64_t *out)
{
    if (!e || e->kind != EXPR_LITERAL || e->literal.null || e->type.kind != TYPE_INTEGER) return false;
    int64_t v = 0;
    for (const char *p = e->literal.text; *p; p++) {
        if (*p < '0' || *p > '9') return false;
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v)) return false;
    }
    *out = v;
    return true;
}

static void limit_value(struct render *r, const struct expr *e)
{
    if (e->kind != EXPR_LITERAL && !render_knows(r, DIALECT_LIMIT_EXPRESSION))
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "A limit must be a number for %s.", r->dialect->name);
    render_value(r, e, BINDS_PRIMARY);
}

static void limit(struct render *r, const struct query *q, bool ordered)
{
    if (render_can(r, D_LIMIT)) {
        if (q->limit) {
            render_text(r, " LIMIT ");
            limit_value(r, q->limit);
        } else if (q->offset) {
            render_text(r, " LIMIT 999999999999999999");
        }
        if (q->offset) {
            render_text(r, " OFFSET ");
            limit_value(r, q->offset);
        }
        return;
    }
    if (!q->offset && !q->limit) return;
    if (!ordered) render_text(r, " ORDER BY (SELECT NULL)");
    render_text(r, " OFFSET ");
    if (q->offset)
        limit_value(r, q->offset);
    else
        render_text(r, "0");
    render_text(r, " ROWS");
    if (q->limit) {
        render_text(r, " FETCH NEXT ");
        limit_value(r, q->limit);
        render_text(r, " ROWS ONLY");
    }
}

/* ORDER BY over a set or DISTINCT takes plain names only: where NULLS FIRST must be written as an expression, and where
 * TOP stands for LIMIT, the body becomes a derived table. */
static bool needs_derived(const struct dialect *d, const struct query *q)
{
    if (q->body->kind == BODY_VALUES) return q->order_by.count || q->limit || q->offset;
    bool set = q->body->kind == BODY_SET, narrow = set || q->body->select.distinct;
    if (!narrow) return false;
    if (set && (q->limit || q->offset) && !(d->can & D_LIMIT)) return true;
    if (!q->order_by.count || d->can & D_NULLS) return false;
    for (size_t i = 0; i < q->order_by.count; i++)
        if (q->order_by.items[i].expr->kind != EXPR_OUTPUT) return false;
    return true;
}

bool query_is_cut_off(const struct dialect *d, const struct query *q, bool in)
{
    bool wrapped = needs_derived(d, q) || (in && (q->limit || q->offset) && d->can & D_NO_LIMIT_IN);
    if (wrapped) return query_is_correlated(q);
    if (q->body->kind != BODY_SET) return false;
    const struct query *sides[] = { q->body->set.left, q->body->set.right };
    for (size_t i = 0; i < 2; i++)
        if (!is_plain(sides[i]) && query_is_correlated(sides[i])) return true;
    return false;
}

static void derived(struct render *r, const struct query *q)
{
    struct query inner = { .body = q->body };
    render_text(r, "SELECT * FROM (");
    render_query(r, &inner);
    render_text(r, ") AS ");
    render_made_up_name(r);
}

void render_query(struct render *r, const struct query *q)
{
    if (r->rc) return;
    if (++r->depth > 4 * PLAN_DEPTH_MAX) {
        render_refuse(r, ERR_PLAN_TOO_LARGE, "The plan is nested too deeply.");
        return;
    }
    const struct query *outer = r->ordered;
    with(r, q);
    int64_t top = -1;
    bool wrap = needs_derived(r->dialect, q);
    if (wrap) {
        derived(r, q);
    } else if (q->body->kind == BODY_SELECT) {
        if (!render_can(r, D_LIMIT) && !q->offset && (!query_literal_limit(q, &top) || top < 0)) top = -1;
        select_body(r, q->body, top);
    } else if (q->body->kind == BODY_SET) {
        set_body(r, q->body);
    } else {
        values(r, q->body);
    }
    r->ordered = q;
    r->derived = wrap;
    size_t before = r->out.len;
    render_orders(r, &q->order_by, true);
    bool ordered = r->out.len != before;
    if (top < 0) limit(r, q, ordered);
    r->ordered = outer;
    r->derived = false;
    r->depth--;
}
