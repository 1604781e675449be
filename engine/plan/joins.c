/* joins: are the sources of a SELECT joined at all, along relationships that are known, and without counting a measure
 * twice. */
#include "plan/closure.h"
#include "plan/repair.h"
#include "plan/walk.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#define OUTER PLAN_SOURCES_MAX /* stands for every source of an enclosing query */

/* One equality between columns of two base tables of the scope. */
struct equality {
    size_t a, b;                     /* sources; a < b */
    const struct expr *left, *right; /* of a, of b */
    const struct expr *whole;
};

struct joins {
    struct checker *k;
    struct scope *s;
    struct query *q;
    const struct path *body;
    size_t group[PLAN_SOURCES_MAX + 1]; /* component of each source */
    struct list equalities;
    uint64_t mentioned; /* by the condition being read */
};

/* ---- reading the conditions ---- */

static bool mention(void *ctx, struct expr **slot)
{
    struct joins *j = ctx;
    const struct expr *e = *slot;
    if (e->kind != EXPR_COLUMN || !e->column.source) return true;
    ptrdiff_t at = scope_position(j->s, e->column.source);
    if (at >= 0)
        j->mentioned |= UINT64_C(1) << at;
    else if (e->column.levels_up > 0)
        j->mentioned |= UINT64_C(1) << OUTER;
    return true;
}

static void connect(struct joins *j, size_t a, size_t b)
{
    size_t from = j->group[a], to = j->group[b];
    for (size_t i = 0; i <= OUTER; i++)
        if (j->group[i] == from) j->group[i] = to;
}

static void note_equality(struct joins *j, const struct expr *e)
{
    if (e->kind != EXPR_BINARY || e->binary.op != OP_EQ) return;
    const struct expr *x = e->binary.left, *y = e->binary.right;
    if (x->kind != EXPR_COLUMN || y->kind != EXPR_COLUMN || !x->column.source || !y->column.source) return;
    ptrdiff_t a = scope_position(j->s, x->column.source), b = scope_position(j->s, y->column.source);
    if (a < 0 || b < 0 || a == b || !x->column.source->table || !y->column.source->table) return;
    struct equality *q = list_push(j->k->c, &j->equalities, sizeof *q);
    *q =
        a < b ? (struct equality){ (size_t)a, (size_t)b, x, y, e } : (struct equality){ (size_t)b, (size_t)a, y, x, e };
}

static void read_condition(struct joins *j, struct expr *e)
{
    if (!e) return;
    if (e->kind == EXPR_BINARY && e->binary.op == OP_AND) {
        read_condition(j, e->binary.left);
        read_condition(j, e->binary.right);
        return;
    }
    struct plan_visitor v = { .ctx = j, .expr = mention };
    j->mentioned = 0;
    expr_walk(&v, &e);
    size_t first = SIZE_MAX;
    for (size_t i = 0; i <= OUTER; i++) {
        if (!(j->mentioned >> i & 1)) continue;
        if (first == SIZE_MAX)
            first = i;
        else
            connect(j, first, i);
    }
    note_equality(j, e);
}

static void read_from(struct joins *j, struct from *f)
{
    if (!f || f->source) return;
    read_from(j, f->joined);
    for (size_t i = 0; i < f->join_count; i++) read_condition(j, f->joins[i].on);
}

/* ---- sources that nothing joins ---- */

static void check_connected(struct joins *j)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < j->s->count; i++) {
        if (source_is_one_row(j->s->sources[i])) continue;
        if (first == SIZE_MAX) first = i;
        if (j->group[i] == j->group[first]) continue;
        const struct source *a = j->s->sources[first], *b = j->s->sources[i];
        const struct relationship r = relationship_between(j->s, j->group, first, i);
        if (r.key)
            report_by_origin(j->k, ERR_DISCONNECTED_JOIN, PATH(j->body, "from"),
                             "'%s' and '%s' are not joined by any condition. Join %s.", a->alias, b->alias,
                             relationship_text(j->k->c, &r));
        else
            report_by_origin(
                j->k, ERR_DISCONNECTED_JOIN, PATH(j->body, "from"),
                "'%s' and '%s' are not joined by any condition, and no relationship between them is known.", a->alias,
                b->alias);
        if (r.key) suggest_join(j->k, j->q, &r, NULL);
        connect(j, i, first);
    }
}

/* ---- joins that follow no relationship ---- */

static bool refers(const struct source *from, const struct expr *own, const struct source *to,
                   const struct expr *theirs, const struct foreign_key **key)
{
    const struct table *t = from->table;
    for (size_t i = 0; i < t->foreign_key_count; i++) {
        const struct foreign_key *f = &t->foreign_keys[i];
        if (strcasecmp(f->table, to->table->name) ||
            (f->schema && to->table->schema && strcasecmp(f->schema, to->table->schema)))
            continue;
        for (size_t n = 0; n < f->column_count; n++)
            if (!strcasecmp(f->columns[n], own->column.source->offers[own->column.index].name) &&
                !strcasecmp(f->referred[n], theirs->column.source->offers[theirs->column.index].name)) {
                *key = f;
                return true;
            }
    }
    return false;
}

/* What a column refers to: "table\0column" by the first foreign key it is part of. */
static const struct foreign_key *target(const struct expr *e, const char **column)
{
    const struct table *t = e->column.source->table;
    for (size_t i = 0; i < t->foreign_key_count; i++)
        for (size_t n = 0; n < t->foreign_keys[i].column_count; n++)
            if (!strcasecmp(t->foreign_keys[i].columns[n], e->column.source->offers[e->column.index].name)) {
                *column = t->foreign_keys[i].referred[n];
                return &t->foreign_keys[i];
            }
    return NULL;
}

static bool same_target(const struct expr *a, const struct expr *b)
{
    const char *x, *y;
    const struct foreign_key *f = target(a, &x), *g = target(b, &y);
    return f && g && !strcasecmp(f->table, g->table) && !strcasecmp(x, y);
}

bool columns_related(const struct expr *a, const struct expr *b)
{
    const struct foreign_key *key;
    if (a->kind != EXPR_COLUMN || b->kind != EXPR_COLUMN || !a->column.source || !b->column.source) return false;
    const struct source *x = a->column.source, *y = b->column.source;
    if (!x->table || !y->table) return false;
    return refers(x, a, y, b, &key) || refers(y, b, x, a, &key) || same_target(a, b);
}

/* Every column of a composite key takes part. */
static bool whole_key(const struct joins *j, const struct equality *q, const struct foreign_key *key, bool forward)
{
    size_t found = 0;
    for (size_t n = 0; n < key->column_count; n++)
        for (size_t i = 0; i < j->equalities.count; i++) {
            const struct equality *o = &LIST_AT(&j->equalities, struct equality, i);
            const struct expr *own = forward ? o->left : o->right, *theirs = forward ? o->right : o->left;
            if (o->a != q->a || o->b != q->b) continue;
            if (strcasecmp(key->columns[n], own->column.source->offers[own->column.index].name) ||
                strcasecmp(key->referred[n], theirs->column.source->offers[theirs->column.index].name))
                continue;
            found++;
            break;
        }
    return found == key->column_count;
}

static bool known(const struct joins *j, const struct equality *q)
{
    const struct source *a = j->s->sources[q->a], *b = j->s->sources[q->b];
    const struct foreign_key *key;
    if (a->table == b->table && q->left->column.index == q->right->column.index) return true;
    if (same_target(q->left, q->right)) return true;
    if (refers(a, q->left, b, q->right, &key)) return whole_key(j, q, key, true);
    return refers(b, q->right, a, q->left, &key) && whole_key(j, q, key, false);
}

static bool has_relationships(const struct view *v)
{
    for (size_t i = 0; i < v->table_count; i++)
        if (v->tables[i].foreign_key_count) return true;
    return false;
}

static void check_relationships(struct joins *j)
{
    if (!j->equalities.count) return;
    uint64_t fine[PLAN_SOURCES_MAX] = { 0 };
    bool any_unknown = false;
    for (size_t i = 0; i < j->equalities.count; i++) {
        const struct equality *q = &LIST_AT(&j->equalities, struct equality, i);
        bool view = j->s->sources[q->a]->table->kind != TABLE_BASE || j->s->sources[q->b]->table->kind != TABLE_BASE;
        if (view || known(j, q))
            fine[q->a] |= UINT64_C(1) << q->b;
        else
            any_unknown = true;
    }
    if (!any_unknown || !has_relationships(j->k->view)) return;
    for (size_t i = 0; i < j->equalities.count; i++) {
        const struct equality *q = &LIST_AT(&j->equalities, struct equality, i);
        if (fine[q->a] >> q->b & 1) continue;
        fine[q->a] |= UINT64_C(1) << q->b;
        struct relationship r = relationship_of(j->s, q->a, q->b);
        report_by_origin(j->k, ERR_UNKNOWN_RELATIONSHIP, PATH(j->body, "from"),
                         "%s.%s = %s.%s follows no known relationship%s%s.", q->left->column.table,
                         q->left->column.column, q->right->column.table, q->right->column.column,
                         r.key ? "; the known one is " : "", r.key ? relationship_text(j->k->c, &r) : "");
        if (r.key) suggest_join(j->k, j->q, &r, q->whole);
    }
}

/* ---- measures that a join repeats ---- */

struct measures {
    struct joins *j;
    const struct path *at;
    bool reported;
};

/* The sources an aggregate reads, as a mask. */
static uint64_t read_by(struct joins *j, const struct expr *call)
{
    struct exprs args = call->call.args;
    struct plan_visitor v = { .ctx = j, .expr = mention };
    j->mentioned = 0;
    for (size_t i = 0; i < args.count; i++) expr_walk(&v, &args.items[i]);
    return j->mentioned & ~(UINT64_C(1) << OUTER);
}

/* A source whose rows repeat the rows an aggregate reads, or -1. Of rows without a key nothing is known. */
static ptrdiff_t repeated_by(struct joins *j, const struct expr *call)
{
    struct closure f;
    uint64_t read = read_by(j, call);
    if (!read) return -1;
    closure_init(&f, j->k->c, j->s);
    for (size_t i = 0; i < j->s->count; i++) {
        if (!(read >> i & 1)) continue;
        if (!f.keys[i]) return -1;
        closure_fix_source(&f, i);
    }
    for (size_t i = 0; i < j->q->body->select.group_by.count; i++) {
        bool *flag = closure_flag(&f, j->q->body->select.group_by.items[i]);
        if (flag) *flag = true;
    }
    closure_run(&f, j->q->body, true);
    for (size_t i = 0; i < j->s->count; i++)
        if (!closure_source_fixed(&f, i)) return (ptrdiff_t)i;
    return -1;
}

static void check_measure(struct measures *m, const struct expr *e)
{
    bool count = !strcmp(e->call.name, "count") && e->call.args.count && e->call.args.items[0]->kind != EXPR_STAR;
    if (m->reported || e->call.distinct || (!count && !(e->call.function->flags & FUNC_ADDITIVE))) return;
    ptrdiff_t by = repeated_by(m->j, e);
    if (by < 0) return;
    m->reported = true;
    const char *alias = m->j->s->sources[by]->alias;
    if (count) {
        warn(m->j->k, ERR_FAN_OUT, m->at,
             "count counts a value once for each row of '%s' that is joined to it; count(*) counts the "
             "joined rows, count distinct the values.",
             alias);
        return;
    }
    report_by_origin(m->j->k, ERR_FAN_OUT, m->at,
                     "%s takes a value once for each row of '%s' that is joined to it; aggregate before joining.",
                     e->call.name, alias);
    suggest_distinct_rows(m->j->k, m->j->q);
}

static void find_measures(void *ctx, struct expr **slot)
{
    if (expr_is_aggregate(*slot))
        check_measure(ctx, *slot);
    else
        expr_children(*slot, find_measures, ctx);
}

static void check_fan_out(struct joins *j, const struct path *p)
{
    struct body *b = j->q->body;
    struct measures m = { .j = j };
    for (size_t i = 0; i < b->select.item_count; i++) {
        const struct path *at = PATH(PATH_AT(PATH(j->body, "items"), i), "expr");
        m.at = at;
        find_measures(&m, &b->select.items[i].expr);
    }
    if (b->select.having) {
        m.at = PATH(j->body, "having");
        find_measures(&m, &b->select.having);
    }
    for (size_t i = 0; i < j->q->order_by.count; i++) {
        const struct path *at = PATH(PATH_AT(PATH(p, "order_by"), i), "expr");
        m.at = at;
        find_measures(&m, &j->q->order_by.items[i].expr);
    }
}

void check_joins(struct checker *k, struct scope *s, const struct path *p, struct query *q)
{
    if (s->count < 2 || k->errors || k->origin == ORIGIN_SYSTEM) return;
    struct joins j = { .k = k, .s = s, .q = q, .body = PATH(p, "body") };
    for (size_t i = 0; i <= OUTER; i++) j.group[i] = i;
    read_from(&j, q->body->select.from);
    read_condition(&j, q->body->select.where);
    check_connected(&j);
    check_relationships(&j);
    if (q->body->select.aggregated) check_fan_out(&j, p);
}
