#include "sql/bind.h"

#include <string.h>
#include <strings.h>

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
        bool plain = e->kind == EXPR_COLUMN && strcasecmp(e->column.column, q->offers[i].name) == 0;
        if (!plain && times_called(q, q->offers[i].name) == 1) return output_expr(b, q, (size_t)i);
        return item_again(b, s, q, select, (size_t)i);
    }
    bool before = s->aliases;
    s->aliases = b->tongue != TONGUE_POSTGRES && b->tongue != TONGUE_MSSQL;
    struct expr *e = bind_expr(b, s, n);
    s->aliases = before;
    return e;
}

bool bind_order(struct binder *b, struct scope *s, struct query *q, const struct order_terms *terms)
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

bool bind_limits(struct binder *b, struct query *q, const struct syntax_query *from)
{
    const struct node *limit = from->limit;
    if (!limit && from->kind == QUERY_SELECT) limit = from->select->top;
    return bind_count(b, limit, &q->limit) && bind_count(b, from->offset, &q->offset);
}
