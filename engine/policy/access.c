#include "policy/policy.h"

#include "plan/functions.h"
#include "plan/walk.h"
#include "policy/rebind.h"

#include <string.h>

#define ALL_ROWS "999999999999999999"

static int disagree(struct call *c, const char *what)
{
    call_detail(c, "access disagrees with check: %s", what);
    return call_fail(c, ERR_INTERNAL_ERROR, "%s", code_row(ERR_INTERNAL_ERROR)->text);
}

static int refuse(struct call *c, const char *why)
{
    call_detail(c, "row rule: %s", why);
    return call_fail(c, ERR_SECURITY_VIOLATION, "%s", code_row(ERR_SECURITY_VIOLATION)->text);
}

static bool is_restricted(const struct table_access *a)
{
    return a->filter || a->mask_count;
}

/* The table an occurrence reads must be one of the view's own. */
static int resolved(struct call *c, const struct view *view, const struct source *s)
{
    if (!s->table || s->table_index >= view->table_count || s->table != &view->tables[s->table_index])
        return disagree(c, "a table that the view does not have");
    return OK;
}

static const struct table *base_table(const struct view *view, const struct table *t)
{
    const struct snapshot *s = view->snapshot;
    for (size_t i = 0; i < s->table_count; i++)
        if (strcmp(s->tables[i].name, t->name) == 0 && (!t->schema || strcmp(s->tables[i].schema, t->schema) == 0))
            return &s->tables[i];
    return NULL;
}

struct filling {
    struct call *call;
    const struct principal *who;
    const struct table *table;
    const struct column *beside; /* what the literal is compared with */
    int rc;
};

static bool is_numeric(const struct column *col)
{
    return col && (col->type.kind == TYPE_INTEGER || col->type.kind == TYPE_DECIMAL || col->type.kind == TYPE_DOUBLE);
}

static struct expr *claim(struct filling *f, const char *value, const char *what)
{
    if (!value || !*value) {
        f->rc = refuse(f->call, call_format(f->call, "the caller has no %s", what));
        return NULL;
    }
    if (!is_numeric(f->beside)) return expr_text(f->call, value);
    size_t digits = strspn(value, "0123456789");
    if (digits && !value[digits] && digits < 19) return expr_number(f->call, value);
    f->rc = refuse(f->call, call_format(f->call, "the caller's %s is no number", what));
    return NULL;
}

static void fill(void *ctx, struct expr **slot);

static const struct column *column_of(const struct filling *f, const struct expr *e)
{
    return e->kind == EXPR_COLUMN ? schema_column(f->table, e->column.column) : NULL;
}

static void fill_leaf(struct filling *f, struct expr **slot)
{
    struct expr *e = *slot, *value = NULL;
    if (e->kind == EXPR_COLUMN) {
        const struct column *col = schema_column(f->table, e->column.column);
        e->column.table = f->table->name;
        if (col)
            e->column.column = col->name;
        else
            f->rc = refuse(f->call, call_format(f->call, "there is no column %s.%s", f->table->name, e->column.column));
        return;
    }
    if (e->literal.null || e->type.kind != TYPE_TEXT) return;
    if (strcmp(e->literal.text, "{user_id}") == 0)
        value = claim(f, f->who->user, "user");
    else if (strcmp(e->literal.text, "{tenant_id}") == 0)
        value = claim(f, f->who->tenant, "tenant");
    if (value) *slot = value;
}

/* Columns get their stored names, and what stands for the caller its value, as a number beside a number. */
static void fill(void *ctx, struct expr **slot)
{
    struct filling *f = ctx, inner = *f;
    struct expr *e = *slot;
    if (f->rc) return;
    if (e->kind == EXPR_COLUMN || e->kind == EXPR_LITERAL) {
        fill_leaf(f, slot);
        return;
    }
    inner.beside = NULL;
    if (e->kind == EXPR_BINARY) {
        inner.beside = column_of(f, e->binary.left);
        if (!inner.beside) inner.beside = column_of(f, e->binary.right);
    } else if (e->kind == EXPR_IN) {
        inner.beside = column_of(f, e->in.arg);
    } else if (e->kind == EXPR_BETWEEN) {
        inner.beside = column_of(f, e->between.arg);
    }
    expr_children(e, fill, &inner);
    f->rc = inner.rc;
}

static int rule(struct call *c, const struct principal *who, const struct table *t, const struct expr *from,
                struct expr **out)
{
    struct filling f = { .call = c, .who = who, .table = t };
    *out = expr_copy(c, from);
    fill(&f, out);
    return f.rc;
}

static const struct expr *mask_of(const struct table_access *a, const char *column)
{
    for (size_t i = 0; i < a->mask_count; i++)
        if (strcmp(a->masks[i].column, column) == 0) return a->masks[i].expr;
    return NULL;
}

static int wrap_items(struct call *c, const struct principal *who, const struct table *base,
                      const struct table_access *a, const struct source *s, struct query *q)
{
    for (size_t i = 0; i < s->offer_count; i++) {
        if (!s->used || !s->used[i]) continue;
        const char *name = s->table->columns[i].name;
        const struct expr *mask = mask_of(a, name);
        struct expr *e;
        int rc = OK;
        if (mask)
            rc = rule(c, who, base, mask, &e);
        else
            e = expr_column(c, base->name, name);
        if (rc) return rc;
        query_item(c, q, e, name);
    }
    /* count(*) names no column, but a query shows at least one. */
    if (!q->body->select.item_count) query_item(c, q, expr_integer(c, 1), "one");
    return OK;
}

/* A view of the one table as it is, filter columns included: only wraps are bound against it. */
static struct view *base_view(struct call *c, const struct view *view, const struct table *base)
{
    struct view *v = call_alloc(c, sizeof *v);
    v->snapshot = view->snapshot;
    v->tables = (struct table *)base;
    v->table_count = 1;
    v->access = call_alloc(c, sizeof *v->access);
    v->key = "";
    return v;
}

static int wrap(struct call *c, const struct view *view, const struct principal *who,
                const struct dialect_support *dialect, const struct source *s, bool fence, struct query **out)
{
    const struct table_access *a = &view->access[s->table_index];
    const struct table *base = base_table(view, s->table);
    if (!base) return disagree(c, "a table that the snapshot does not have");
    struct query *q = query_select(c);
    int rc = wrap_items(c, who, base, a, s, q);
    query_from(c, q, base->schema, base->name, base->name);
    if (!rc && a->filter) {
        struct expr *filter;
        rc = rule(c, who, base, a->filter, &filter);
        if (!rc) query_where(c, q, filter);
    }
    if (rc) return rc;
    /* What may fail on a hidden row must not be moved inside: an engine does not push conditions below a limit. */
    if (fence) q->limit = expr_literal(c, TYPE_INTEGER, ALL_ROWS);
    struct check_result result = { 0 };
    rc = plan_check(c, base_view(c, view, base), dialect, ORIGIN_SYSTEM, q, &result);
    if (rc) {
        const char *why = call_format(c, "rule of %s: %s", base->name, c->err.message);
        call_forgive(c);
        return refuse(c, why);
    }
    *out = q;
    return OK;
}

/* An engine that compares a number with a text reads the one as the other, which can fail. */
static bool converts(const struct expr *a, const struct expr *b)
{
    return a->type.kind != b->type.kind && (a->type.kind == TYPE_TEXT || b->type.kind == TYPE_TEXT);
}

static bool list_converts(const struct expr *arg, const struct exprs *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (converts(arg, list->items[i])) return true;
    return false;
}

/* Whether an error of this node alone, in any engine, could depend on a value. */
static bool fails(const struct expr *e)
{
    switch (e->kind) {
    case EXPR_CAST:
    case EXPR_QUERY:
    case EXPR_INTERVAL:
        return true;
    case EXPR_UNARY:
        return e->unary.op == UNARY_MINUS;
    case EXPR_BINARY:
        if (e->binary.op >= OP_ADD && e->binary.op <= OP_MOD) return true;
        return e->binary.op <= OP_GE && converts(e->binary.left, e->binary.right);
    case EXPR_LIKE: /* a pattern that is a value can be malformed or too long */
        return e->like.pattern->kind != EXPR_LITERAL;
    case EXPR_IN:
        return list_converts(e->in.arg, &e->in.list);
    case EXPR_BETWEEN:
        return converts(e->between.arg, e->between.low) || converts(e->between.arg, e->between.high);
    case EXPR_IS_DISTINCT:
        return converts(e->is.left, e->is.right);
    case EXPR_CALL:
        return !e->call.function || (e->call.function->flags & (FUNC_MAY_FAIL | FUNC_MAY_RAISE)) ||
               (!strncmp(e->call.function->args, "aa", 2) && list_converts(e->call.args.items[0], &e->call.args));
    case EXPR_CASE:
        for (size_t i = 1; i < e->cases.count; i++)
            if (converts(e->cases.whens[0].then, e->cases.whens[i].then)) return true;
        return e->cases.otherwise && converts(e->cases.whens[0].then, e->cases.otherwise);
    default:
        return false;
    }
}

static bool may_fail(void *ctx, struct expr **slot)
{
    bool *found = ctx;
    if (fails(*slot)) *found = true;
    return !*found;
}

static bool needs_fence(struct query *plan)
{
    bool found = false;
    struct plan_visitor v = { .ctx = &found, .expr = may_fail };
    plan_walk(&v, plan);
    return found;
}

int access_apply(struct call *c, const struct view *view, const struct principal *who,
                 const struct dialect_support *dialect, struct query *plan, struct query **out,
                 struct certificate *cert)
{
    struct list sources = rebind_sources(c, plan), after = { 0 }, wrapped = { 0 };
    bool restricted = false;
    *cert = (struct certificate){ 0 };
    for (size_t i = 0; i < sources.count; i++) {
        const struct source *s = LIST_AT(&sources, struct source *, i);
        if (s->kind != SOURCE_TABLE) continue;
        int rc = resolved(c, view, s);
        if (rc) return rc;
        restricted = restricted || is_restricted(&view->access[s->table_index]);
    }
    *out = plan;
    if (!restricted) return OK;

    bool fence = needs_fence(plan);
    *out = rebind_copy(c, plan, &after);
    for (size_t i = 0; i < sources.count; i++) {
        const struct source *s = LIST_AT(&sources, struct source *, i);
        if (s->kind != SOURCE_TABLE || !is_restricted(&view->access[s->table_index])) continue;
        struct query *q = NULL;
        int rc = wrap(c, view, who, dialect, s, fence && view->access[s->table_index].filter, &q);
        if (rc) return rc;
        struct source *twin = LIST_AT(&after, struct source *, i);
        rebind_wrap(twin, q);
        *(struct source **)list_push(c, &wrapped, sizeof twin) = twin;
        *(struct wrap *)list_push(c, &cert->wraps, sizeof(struct wrap)) = (struct wrap){ .occurrence = i, .query = q };
    }
    rebind_columns(*out, &wrapped);
    return OK;
}
