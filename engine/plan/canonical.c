#include "base/hash.h"
#include "plan/functions.h"
#include "plan/walk.h"

#include <string.h>

#define PLAN_BYTES_MAX ((size_t)4 * 1024 * 1024)

/* The named things of a plan in the order a reader meets them. A copy has the same shape as its original, so its lists
 * stand beside the original's, item by item. */
struct inventory {
    struct call *c;
    struct list sources, ctes, columns, calls; /* pointers */
};

static void note(struct inventory *v, struct list *l, void *p)
{
    *(void **)list_push(v->c, l, sizeof(void *)) = p;
}

static bool note_query(void *ctx, struct query *q)
{
    struct inventory *v = ctx;
    for (size_t i = 0; i < q->cte_count; i++) note(v, &v->ctes, &q->ctes[i]);
    return true;
}

static bool note_source(void *ctx, struct source *s)
{
    struct inventory *v = ctx;
    note(v, &v->sources, s);
    return true;
}

static bool note_expr(void *ctx, struct expr **slot)
{
    struct inventory *v = ctx;
    if ((*slot)->kind == EXPR_COLUMN) note(v, &v->columns, *slot);
    if ((*slot)->kind == EXPR_CALL) note(v, &v->calls, *slot);
    return true;
}

static void take_inventory(struct inventory *v, struct query *q)
{
    struct plan_visitor visitor = { .ctx = v, .query = note_query, .source = note_source, .expr = note_expr };
    plan_walk(&visitor, q);
}

static size_t position_of(const struct list *l, const void *p)
{
    size_t i = 0;
    while (i < l->count && LIST_AT(l, void *, i) != p) i++;
    return i;
}

static void rename_source(const struct inventory *was, const struct inventory *is, size_t i)
{
    const struct source *from = LIST_AT(&was->sources, struct source *, i);
    struct source *to = LIST_AT(&is->sources, struct source *, i);
    to->alias = call_format(is->c, "t%zu", i + 1);
    if (from->kind == SOURCE_TABLE && from->table) {
        to->schema = from->table->schema;
        to->name = from->table->name;
    } else if (from->kind == SOURCE_CTE) {
        size_t at = position_of(&was->ctes, from->cte);
        if (at < is->ctes.count) to->name = LIST_AT(&is->ctes, struct cte *, at)->name;
    }
}

static void rename_column(const struct inventory *was, const struct inventory *is, size_t i)
{
    const struct expr *from = LIST_AT(&was->columns, struct expr *, i);
    struct expr *to = LIST_AT(&is->columns, struct expr *, i);
    size_t at = position_of(&was->sources, from->column.source);
    if (at == was->sources.count) return;
    to->column.table = LIST_AT(&is->sources, struct source *, at)->alias;
    to->column.column = from->column.source->offers[from->column.index].name;
}

struct query *plan_canonical(struct call *c, const struct query *q)
{
    struct query *copy = plan_copy(c, q);
    struct inventory was = { .c = c }, is = { .c = c };
    /* The walk only looks: the original stays as it is. */
    take_inventory(&was, (struct query *)(uintptr_t)q);
    take_inventory(&is, copy);
    for (size_t i = 0; i < is.ctes.count; i++) LIST_AT(&is.ctes, struct cte *, i)->name = call_format(c, "w%zu", i + 1);
    for (size_t i = 0; i < is.sources.count; i++) rename_source(&was, &is, i);
    for (size_t i = 0; i < is.columns.count; i++) rename_column(&was, &is, i);
    for (size_t i = 0; i < is.calls.count; i++) {
        const struct function *f = LIST_AT(&was.calls, struct expr *, i)->call.function;
        if (f) LIST_AT(&is.calls, struct expr *, i)->call.name = f->name;
    }
    return copy;
}

const char *plan_hash(struct call *c, const struct query *q)
{
    struct buf b;
    buf_init(&b, c, PLAN_BYTES_MAX);
    plan_encode(&b, plan_canonical(c, q));
    return hash_hex(c, b.data, b.len);
}
