#include "sql/bind.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_BYTES_MAX 63

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
    uint32_t most = b->tongue == TONGUE_SQLITE ? PLAN_NAME_BYTES : NAME_BYTES_MAX;
    if (n > most) {
        n = most;
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

bool bind_items(struct binder *b, struct scope *s, struct query *q, const struct syntax_select *select)
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
struct expr *item_again(struct binder *b, struct scope *s, const struct query *q, const struct syntax_select *select,
                        size_t number)
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
long ordinal(const struct node *n)
{
    if (n->kind != NODE_NUMBER || strspn(n->text, "0123456789") != strlen(n->text) || strlen(n->text) > 6) return -1;
    return strtol(n->text, NULL, 10);
}

bool bind_group(struct binder *b, struct scope *s, struct query *q, const struct syntax_select *select)
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
