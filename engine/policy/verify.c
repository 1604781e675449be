/* verify: the independent checker of what access made. It knows what a wrap must look like and nothing of how it was
 * made: it shares no code with access.c and rebind.c. It puts the tables back in the place of the wraps and compares.
 */
#include "policy/policy.h"

#include "plan/walk.h"

#include <string.h>
#include <strings.h>

struct verifier {
    struct call *call;
    const struct view *view;
    const struct principal *who;
    int rc;
};

static int reject(struct verifier *v, const char *why, const char *what)
{
    if (v->rc) return v->rc;
    call_detail(v->call, "verify rejects: %s%s%s", why, what ? " " : "", what ? what : "");
    v->rc = call_fail(v->call, ERR_INTERNAL_ERROR, "%s", code_row(ERR_INTERNAL_ERROR)->text);
    return v->rc;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Row of the view that names this table, or -1. */
static long view_row(const struct view *view, const char *schema, const char *name)
{
    /* A view's tables mostly stand in order; one that does not is found the long way. */
    const struct table *found = schema_spelt(view->tables, view->table_count, schema, name);
    if (found && same(found->schema, schema)) return (long)(found - view->tables);
    for (size_t i = 0; i < view->table_count; i++)
        if (same(view->tables[i].name, name) && same(view->tables[i].schema, schema)) return (long)i;
    return -1;
}

static bool restricted(const struct view *view, long row)
{
    return view->access[row].filter != NULL || view->access[row].mask_count != 0;
}

struct gathered {
    struct call *call;
    struct list sources; /* struct source * */
};

static bool gather(void *ctx, struct source *s)
{
    struct gathered *g = ctx;
    *(struct source **)list_push(g->call, &g->sources, sizeof s) = s;
    return true;
}

static struct list all_sources(struct call *c, struct query *q)
{
    struct gathered g = { .call = c };
    struct plan_visitor v = { .ctx = &g, .source = gather };
    plan_walk(&v, q);
    return g.sources;
}

/* ---- rules: a filter or mask as written in the policy against the expression that stands in the wrap ---- */

struct parts {
    struct call *call;
    struct list found; /* struct expr *, in order */
};

static void collect(void *ctx, struct expr **slot)
{
    struct parts *p = ctx;
    *(struct expr **)list_push(p->call, &p->found, sizeof *slot) = *slot;
}

static struct list parts_of(struct verifier *v, const struct expr *e)
{
    struct parts p = { .call = v->call };
    expr_children((struct expr *)e, collect, &p);
    return p.found;
}

static const char *claim_value(const struct verifier *v, const char *text)
{
    if (strcmp(text, "{user_id}") == 0) return v->who->user;
    if (strcmp(text, "{tenant_id}") == 0) return v->who->tenant;
    return NULL;
}

static bool is_claim(const struct expr *e)
{
    return e->kind == EXPR_LITERAL && !e->literal.null && e->type.kind == TYPE_TEXT &&
           (strcmp(e->literal.text, "{user_id}") == 0 || strcmp(e->literal.text, "{tenant_id}") == 0);
}

/* The same expression, with the caller's value where the rule names the caller. */
static bool rule_holds(struct verifier *v, const struct table *t, const struct expr *rule, const struct expr *is)
{
    if (is_claim(rule)) {
        const char *value = claim_value(v, rule->literal.text);
        return value && *value && is->kind == EXPR_LITERAL && !is->literal.null && strcmp(is->literal.text, value) == 0;
    }
    if (rule->kind != is->kind || rule->negated != is->negated) return false;
    if (rule->kind == EXPR_COLUMN)
        return same(is->column.table, t->name) && strcasecmp(rule->column.column, is->column.column) == 0;
    struct list a = parts_of(v, rule), b = parts_of(v, is);
    if (!a.count) return expr_equal(rule, is);
    if (a.count != b.count) return false;
    switch (rule->kind) {
    case EXPR_BINARY:
        if (rule->binary.op != is->binary.op) return false;
        break;
    case EXPR_UNARY:
        if (rule->unary.op != is->unary.op) return false;
        break;
    case EXPR_LIKE:
        if (rule->like.fold != is->like.fold || !rule->like.escape != !is->like.escape) return false;
        break;
    case EXPR_CALL:
        if (strcasecmp(rule->call.name, is->call.name) != 0) return false;
        break;
    case EXPR_CASE:
        if (rule->cases.count != is->cases.count) return false;
        break;
    case EXPR_CAST:
        if (memcmp(&rule->cast.to, &is->cast.to, sizeof rule->cast.to) != 0) return false;
        break;
    case EXPR_INTERVAL:
        if (rule->interval.unit != is->interval.unit) return false;
        break;
    case EXPR_BETWEEN:
    case EXPR_IN:
    case EXPR_IS_NULL:
    case EXPR_IS_DISTINCT:
        break;
    default:
        return false; /* no rule has one */
    }
    for (size_t i = 0; i < a.count; i++)
        if (!rule_holds(v, t, LIST_AT(&a, struct expr *, i), LIST_AT(&b, struct expr *, i))) return false;
    return true;
}

/* ---- wraps ---- */

static bool all_rows(const struct expr *limit)
{
    return limit->kind == EXPR_LITERAL && !limit->literal.null &&
           strcmp(limit->literal.text, "999999999999999999") == 0;
}

static const struct mask *mask_named(const struct table_access *a, const char *column)
{
    for (size_t i = 0; i < a->mask_count; i++)
        if (strcmp(a->masks[i].column, column) == 0) return &a->masks[i];
    return NULL;
}

static int wrap_item(struct verifier *v, const struct table *t, const struct table_access *a,
                     const struct select_item *item)
{
    const struct expr *e = item->expr;
    if (e->kind == EXPR_LITERAL && same(item->alias, "one") && same(e->literal.text, "1")) return OK;
    const struct column *visible = NULL;
    for (size_t i = 0; i < t->column_count && item->alias; i++)
        if (strcmp(t->columns[i].name, item->alias) == 0) visible = &t->columns[i];
    if (!visible) return reject(v, "a wrap shows a column that the view does not have:", item->alias);
    const struct mask *mask = mask_named(a, visible->name);
    if (mask) {
        if (!rule_holds(v, t, mask->expr, e)) return reject(v, "a masked column is shown otherwise:", visible->name);
        return OK;
    }
    if (e->kind != EXPR_COLUMN || !same(e->column.table, t->name) || !same(e->column.column, visible->name))
        return reject(v, "a wrap shows something else as", visible->name);
    return OK;
}

static int wrap_shape(struct verifier *v, long row, const struct query *q)
{
    const struct table *t = &v->view->tables[row];
    const struct table_access *a = &v->view->access[row];
    const struct body *b = q->body;
    if (q->cte_count || q->order_by.count || q->offset || (q->limit && !all_rows(q->limit)) || b->kind != BODY_SELECT ||
        b->select.distinct || b->select.group_by.count || b->select.having || !b->select.from || b->select.from->joined)
        return reject(v, "a wrap is no plain query of", t->name);
    const struct source *s = b->select.from->source;
    if (s->kind != SOURCE_TABLE || !s->table || !same(s->table->name, t->name) || !same(s->table->schema, t->schema) ||
        !same(s->alias, t->name))
        return reject(v, "a wrap reads another table than", t->name);
    if (!a->filter != !b->select.where) return reject(v, "a filter is missing or made up on", t->name);
    if (a->filter && !rule_holds(v, t, a->filter, b->select.where))
        return reject(v, "another filter stands on", t->name);
    for (size_t i = 0; i < b->select.item_count; i++)
        if (wrap_item(v, t, a, &b->select.items[i])) return v->rc;
    return OK;
}

static const struct query *certified(const struct certificate *cert, size_t occurrence)
{
    for (size_t i = 0; i < cert->wraps.count; i++) {
        const struct wrap *w = &LIST_AT(&cert->wraps, struct wrap, i);
        if (w->occurrence == occurrence) return w->query;
    }
    return NULL;
}

/* Every column that the plan names of a visible table is one that the view shows. */
static bool column_visible(void *ctx, struct expr **slot)
{
    struct verifier *v = ctx;
    const struct expr *e = *slot;
    if (v->rc || e->kind != EXPR_COLUMN || !e->column.source || e->column.source->kind != SOURCE_TABLE) return !v->rc;
    const struct table *t = e->column.source->table;
    long row = t ? view_row(v->view, t->schema, t->name) : -1;
    if (row < 0 || e->column.index >= v->view->tables[row].column_count)
        reject(v, "a column of a table that the view does not have:", e->column.column);
    else if (strcasecmp(v->view->tables[row].columns[e->column.index].name, e->column.column) != 0)
        reject(v, "a column that the view does not have:", e->column.column);
    return !v->rc;
}

/* Restores the tables of a copy of `after`, each after it was judged; what remains must be the plan before. */
static void restore(struct verifier *v, const struct query *before, const struct query *after,
                    const struct certificate *cert)
{
    struct query *plain = plan_copy(v->call, after);
    struct list first = all_sources(v->call, (struct query *)before);
    size_t wraps = 0, skip = 0;
    /* Wraps bring sources of their own, right behind the wrapped one. */
    struct list bound = all_sources(v->call, (struct query *)after), copies = all_sources(v->call, plain);
    for (size_t i = 0; i < first.count && !v->rc; i++) {
        const struct source *was = LIST_AT(&first, struct source *, i);
        if (i + skip >= bound.count) {
            reject(v, "a source is missing", NULL);
            return;
        }
        const struct source *is = LIST_AT(&bound, struct source *, i + skip);
        struct source *copy = LIST_AT(&copies, struct source *, i + skip);
        if (was->kind != SOURCE_TABLE) continue;
        long row = was->table ? view_row(v->view, was->table->schema, was->table->name) : -1;
        if (row < 0) {
            reject(v, "the plan reads a table that the view does not have:", was->name);
            return;
        }
        const struct query *wrap = certified(cert, i);
        if (restricted(v->view, row)) {
            if (is->kind != SOURCE_QUERY || !wrap || is->query != wrap) {
                reject(v, "a restricted table is not wrapped:", was->name);
                return;
            }
            if (wrap_shape(v, row, wrap)) return;
            copy->kind = SOURCE_TABLE;
            copy->query = NULL;
            wraps++;
            skip++;
        } else if (wrap || is->kind != SOURCE_TABLE || !is->table || !same(is->table->name, was->table->name) ||
                   !same(is->table->schema, was->table->schema)) {
            reject(v, "a table became another one:", was->name);
            return;
        }
        copy->schema = was->schema;
        copy->name = was->name;
    }
    if (v->rc) return;
    if (wraps != cert->wraps.count || first.count + skip != bound.count)
        reject(v, "the certificate and the plan differ", NULL);
    else if (!plan_equal(before, plain))
        reject(v, "the plan was changed beside its wraps", NULL);
}

int access_verify(struct call *c, const struct view *view, const struct principal *who, const struct query *before,
                  const struct query *after, const struct certificate *cert)
{
    struct verifier v = { .call = c, .view = view, .who = who };
    struct plan_visitor columns = { .ctx = &v, .expr = column_visible };
    plan_walk(&columns, (struct query *)before);
    if (!v.rc) restore(&v, before, after, cert);
    return v.rc;
}
