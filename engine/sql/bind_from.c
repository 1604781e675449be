#include "sql/bind.h"

#include <string.h>
#include <strings.h>

/* A part of FROM: the plan's tree, whether it is a single source, and whether only inner joins are in it. */
struct part {
    struct from *from;
    bool leaf, inner_only;
    size_t first, end;       /* its ranges in the scope */
    struct offered *visible; /* when a column was merged: what * and bare names see */
    size_t visible_count;
};

static bool bind_part(struct binder *b, struct scope *s, const struct syntax_from *f, struct part *out);

static struct part leaf(struct binder *b, struct scope *s, struct source *source)
{
    struct part p = { .leaf = true, .inner_only = true, .first = s->count - 1, .end = s->count };
    p.from = call_alloc(b->call, sizeof *p.from);
    p.from->source = source;
    return p;
}

/* The names of an alias's column list over what the source offers. */
static bool rename_columns(struct binder *b, struct range *r, const struct syntax_from *f)
{
    if (!f->columns.count) return true;
    size_t width = range_width(r);
    if (f->columns.count > width) {
        fail_bind(b, ERR_WRONG_ARITY, f->at, "%zu column names are given for %zu columns.", f->columns.count, width);
        return false;
    }
    struct offered *columns = call_array(b->call, width, sizeof *columns);
    for (size_t i = 0; i < width; i++) {
        columns[i] = range_column(r, i);
        if (i < f->columns.count) columns[i].name = ident_text(b, &f->columns.items[i]);
    }
    r->columns = columns;
    r->column_count = width;
    return true;
}

static const struct cte_env *find_cte(const struct scope *s, const struct idents *name)
{
    if (name->count != 1) return NULL;
    for (const struct cte_env *e = s->ctes; e; e = e->up)
        if (strcasecmp(e->name.text, name->items[0].text) == 0) return e;
    return NULL;
}

static void offer_columns(struct binder *b, struct range *r, const struct source_column_info *columns, size_t count)
{
    r->columns = call_array(b->call, count, sizeof *r->columns);
    r->column_count = count;
    for (size_t i = 0; i < count; i++)
        r->columns[i] = (struct offered){
            .name = columns[i].name, .table = r->plan_alias, .column = columns[i].name, .type = columns[i].type
        };
}

static bool bind_table_source(struct binder *b, struct scope *s, const struct syntax_from *f, struct part *out)
{
    struct source *source = call_alloc(b->call, sizeof *source);
    const struct cte_env *cte = find_cte(s, &f->name);
    const struct table *t = cte ? NULL : bind_table(b, &f->name);
    if (!cte && !t) return false;
    struct range *r = scope_add(b, s);
    const char *called = cte ? cte->name.text : t->name;
    r->name = f->alias.text ? ident_text(b, &f->alias) : called;
    r->plan_alias = source->alias = name_unique(b, r->name);
    if (cte) {
        source->kind = SOURCE_CTE;
        source->name = cte->plan_name;
        if (cte->used) *cte->used = true;
        offer_columns(b, r, cte->columns, cte->column_count);
    } else {
        source->kind = SOURCE_TABLE;
        source->schema = t->schema;
        source->name = t->name;
        r->table = t;
        r->schema = f->alias.text ? NULL : t->schema;
        r->hides_columns = b->view->access && b->view->access[t - b->view->tables].hides_columns;
    }
    *out = leaf(b, s, source);
    return rename_columns(b, r, f);
}

/* (WITH t(a, b) AS (VALUES …) SELECT * FROM t) is a list of values under names: where an engine takes no column list
 * behind a derived table, the renderer writes it so. */
static struct syntax_from named_values(const struct syntax_from *f)
{
    const struct syntax_query *q = f->query;
    bool whole = q->cte_count == 1 && query_is_star(q) && !f->columns.count && q->ctes[0].query->kind == QUERY_VALUES;
    struct syntax_from out = *f;
    if (!whole || q->select->from->kind != FROM_TABLE || q->select->from->name.count != 1) return out;
    if (strcasecmp(q->select->from->name.items[0].text, q->ctes[0].name.text) != 0) return out;
    out.query = q->ctes[0].query;
    out.columns = q->ctes[0].columns;
    return out;
}

static bool bind_query_source(struct binder *b, struct scope *s, const struct syntax_from *written, struct part *out)
{
    const struct syntax_from values = named_values(written), *f = &values;
    struct source *source = call_alloc(b->call, sizeof *source);
    source->kind = SOURCE_QUERY;
    /* A derived table sees the queries around this one, never its neighbours in FROM. */
    source->query = bind_query(b, s->up, s->ctes, f->query);
    if (!source->query) return false;
    struct range *r = scope_add(b, s);
    if (f->alias.text)
        r->name = ident_text(b, &f->alias);
    else
        r->name = "";
    r->plan_alias = source->alias = name_unique(b, *r->name ? r->name : "q");
    offer_columns(b, r, source->query->offers, source->query->offer_count);
    if (f->columns.count) {
        if (f->columns.count > r->column_count) return rename_columns(b, r, f);
        const char **names = call_array(b->call, r->column_count, sizeof *names);
        for (size_t i = 0; i < r->column_count; i++) {
            names[i] = i < f->columns.count ? ident_text(b, &f->columns.items[i]) : r->columns[i].name;
            r->columns[i].name = r->columns[i].column = names[i];
        }
        source->columns = names;
        source->column_count = r->column_count;
    }
    *out = leaf(b, s, source);
    return true;
}

/* ---- joins ---- */

static void append(struct binder *b, struct from *left, enum join_type type, struct source *source, struct expr *on)
{
    struct join *joins = call_array(b->call, left->join_count + 1, sizeof *joins);
    if (left->join_count) memcpy(joins, left->joins, left->join_count * sizeof *joins);
    joins[left->join_count] = (struct join){ .type = type, .source = source, .on = on };
    left->joins = joins;
    left->join_count++;
}

/* A tree of joins that the source is appended to; a leaf becomes one. */
static struct from *as_tree(struct binder *b, struct from *f)
{
    if (!f->source) return f;
    struct from *tree = call_alloc(b->call, sizeof *tree);
    tree->joined = f;
    return tree;
}

/* A tree of joins as one derived table, its columns under new names; the ranges inside keep their names. */
static struct source *derive(struct binder *b, struct scope *s, struct part *p)
{
    struct source *source = call_alloc(b->call, sizeof *source);
    struct query *q = query_select(b->call);
    source->kind = SOURCE_QUERY;
    source->query = q;
    source->alias = name_unique(b, "j");
    q->body->select.from = p->from;
    size_t number = 0;
    for (size_t i = p->first; i < p->end; i++) {
        struct range *r = &s->ranges[i];
        size_t width = range_width(r);
        struct offered *columns = call_array(b->call, width, sizeof *columns);
        for (size_t n = 0; n < width; n++) {
            struct offered o = range_column(r, n);
            const char *name = call_format(b->call, "c%zu", ++number);
            query_item(b->call, q, expr_column(b->call, o.table, o.column), name);
            columns[n] = (struct offered){ .name = o.name, .table = source->alias, .column = name, .type = o.type };
            for (size_t v = 0; v < p->visible_count; v++)
                if (!p->visible[v].merged && p->visible[v].table == o.table && p->visible[v].column == o.column) {
                    p->visible[v].table = source->alias;
                    p->visible[v].column = name;
                }
        }
        r->columns = columns;
        r->column_count = width;
    }
    for (size_t v = 0; v < p->visible_count; v++) {
        if (!p->visible[v].merged) continue;
        const char *name = call_format(b->call, "c%zu", ++number);
        query_item(b->call, q, p->visible[v].merged, name);
        p->visible[v].merged = NULL;
        p->visible[v].table = source->alias;
        p->visible[v].column = name;
    }
    return source;
}

static void see_all(struct binder *b, struct scope *s, struct part *p)
{
    if (p->visible) return;
    size_t width = 0;
    for (size_t i = p->first; i < p->end; i++) width += range_width(&s->ranges[i]);
    p->visible = call_array(b->call, width + 1, sizeof *p->visible);
    for (size_t i = p->first; i < p->end; i++)
        for (size_t n = 0; n < range_width(&s->ranges[i]); n++)
            p->visible[p->visible_count++] = range_column(&s->ranges[i], n);
}

/* -1 none, -2 several */
static ptrdiff_t find_visible(const struct part *p, const char *name)
{
    ptrdiff_t at = -1;
    for (size_t i = 0; i < p->visible_count; i++) {
        if (strcasecmp(p->visible[i].name, name) != 0) continue;
        if (at >= 0) return -2;
        at = (ptrdiff_t)i;
    }
    return at;
}

static struct expr *equal_columns(struct binder *b, const struct offered *l, const struct offered *r)
{
    struct expr *left = offered_expr(b, l), *right = offered_expr(b, r);
    if (!left || !right) return NULL;
    return with_type(bind_keep(b, expr_binary(b->call, OP_EQ, left, right)), TYPE_BOOLEAN);
}

static bool merge_one(struct binder *b, const struct syntax_from *f, struct part *l, struct part *r, const char *name,
                      struct offered *merged, struct expr **on)
{
    ptrdiff_t li = find_visible(l, name), ri = find_visible(r, name);
    /* SQLite takes the first of several on the left. */
    if (li == -2 && b->tongue == TONGUE_SQLITE)
        for (li = 0; strcasecmp(l->visible[li].name, name) != 0; li++) {
        }
    if (li == -2 || ri == -2) {
        fail_bind(b, ERR_AMBIGUOUS_NAME, f->at, "The column '%.128s' of USING is there more than once on one side.",
                  name);
        return false;
    }
    if (li < 0 || ri < 0) {
        fail_bind(b, ERR_COLUMN_NOT_FOUND, f->at, "There is no column '%.128s' on both sides of the join.", name);
        return false;
    }
    struct offered *a = &l->visible[li], *z = &r->visible[ri];
    struct expr *equal = equal_columns(b, a, z);
    if (!equal) return false;
    *on = expr_and(b->call, *on, equal);
    *merged = f->type == JOIN_RIGHT ? *z : *a;
    merged->name = a->name;
    if (f->type == JOIN_FULL) {
        struct expr *args[] = { offered_expr(b, a), offered_expr(b, z) };
        if (!args[0] || !args[1]) return false;
        merged->merged = call_plan(b, "coalesce", 2, args);
        if (!merged->merged) return false;
    }
    /* Gone from the two sides: the merged one stands for both. */
    a->name = z->name = "";
    return true;
}

/* USING and NATURAL: the condition, and what * and bare names see afterwards. */
static bool merge(struct binder *b, struct scope *s, const struct syntax_from *f, struct part *l, struct part *r,
                  struct part *out, struct expr **on)
{
    see_all(b, s, l);
    see_all(b, s, r);
    out->visible = call_array(b->call, l->visible_count + r->visible_count + 1, sizeof *out->visible);
    size_t count = 0;
    if (f->natural) {
        for (size_t i = 0; i < l->visible_count; i++) {
            const char *name = l->visible[i].name;
            if (!*name || find_visible(r, name) == -1) continue;
            if (!merge_one(b, f, l, r, name, &out->visible[count], on)) return false;
            count++;
        }
    }
    for (size_t i = 0; i < f->using_.count; i++) {
        if (!merge_one(b, f, l, r, f->using_.items[i].text, &out->visible[count], on)) return false;
        count++;
    }
    for (size_t i = 0; i < l->visible_count; i++)
        if (*l->visible[i].name) out->visible[count++] = l->visible[i];
    for (size_t i = 0; i < r->visible_count; i++)
        if (*r->visible[i].name) out->visible[count++] = r->visible[i];
    out->visible_count = count;
    return true;
}

static enum join_type swapped(enum join_type t)
{
    return t == JOIN_LEFT ? JOIN_RIGHT : t == JOIN_RIGHT ? JOIN_LEFT : t;
}

/* The plan's joins take one source at a time, to the right of a tree. What comes as a tree on the right is turned
 * round, flattened or derived; none of it changes which rows there are. */
static void combine(struct binder *b, struct scope *s, struct part *l, struct part *r, enum join_type type,
                    struct expr *on, struct part *out)
{
    bool inner = type == JOIN_INNER || type == JOIN_CROSS;
    out->inner_only = inner && l->inner_only && r->inner_only;
    if (r->leaf) {
        out->from = as_tree(b, l->from);
        append(b, out->from, type, r->from->source, on);
    } else if (l->leaf) {
        out->from = as_tree(b, r->from);
        append(b, out->from, swapped(type), l->from->source, on);
    } else if (inner && r->inner_only && r->from->joined && r->from->joined->source) {
        out->from = as_tree(b, l->from);
        append(b, out->from, JOIN_CROSS, r->from->joined->source, NULL);
        for (size_t i = 0; i < r->from->join_count; i++) {
            struct join *j = &r->from->joins[i];
            bool last = i + 1 == r->from->join_count;
            struct expr *condition = last ? expr_and(b->call, j->on, on) : j->on;
            append(b, out->from, condition ? JOIN_INNER : JOIN_CROSS, j->source, condition);
        }
    } else {
        struct source *source = derive(b, s, r);
        out->from = as_tree(b, l->from);
        append(b, out->from, type, source, on);
    }
}

/* A condition sees the ranges of its own join, and those of the queries around. */
static struct expr *bind_condition(struct binder *b, struct scope *s, const struct part *p, const struct node *n)
{
    struct scope inner = *s;
    inner.first = p->first;
    inner.count = p->end;
    inner.visible = p->visible;
    inner.visible_count = p->visible_count;
    inner.aliases = false;
    /* SQLite reads ON against everything to its left. */
    if (b->tongue == TONGUE_SQLITE) inner.first = 0;
    return bind_expr(b, &inner, n);
}

static bool bind_join(struct binder *b, struct scope *s, const struct syntax_from *f, struct part *out)
{
    struct part l, r;
    struct expr *on = NULL;
    if (!bind_part(b, s, f->left, &l) || !bind_part(b, s, f->right, &r)) return false;
    *out = (struct part){ .first = l.first, .end = r.end };
    bool merges = f->natural || f->using_.count;
    if ((merges || l.visible || r.visible) && !merge(b, s, f, &l, &r, out, &on)) return false;
    enum join_type type = f->type;
    /* A tree that will be derived must have its new names before the condition reads them. */
    bool inner = type == JOIN_INNER || type == JOIN_CROSS;
    bool derives = !r.leaf && !l.leaf && !(inner && r.inner_only && r.from->joined && r.from->joined->source);
    if (derives) {
        if (out->visible) {
            fail_unsupported(b, f->at, "USING or NATURAL over joins in brackets");
            return false;
        }
        struct part derived = r;
        derived.from = call_alloc(b->call, sizeof *derived.from);
        derived.from->source = derive(b, s, &r);
        derived.leaf = true;
        r = derived;
    }
    if (f->on && !(on = bind_condition(b, s, out, f->on))) return false;
    if (type == JOIN_CROSS && on) type = JOIN_INNER;
    if (type == JOIN_INNER && !on) type = JOIN_CROSS;
    if (!on && type != JOIN_CROSS) on = with_type(expr_boolean(b->call, true), TYPE_BOOLEAN);
    combine(b, s, &l, &r, type, on, out);
    return true;
}

static bool bind_part(struct binder *b, struct scope *s, const struct syntax_from *f, struct part *out)
{
    if (!names_left(b, f->at)) return false;
    if (f->kind == FROM_TABLE) return bind_table_source(b, s, f, out);
    if (f->kind == FROM_QUERY) return bind_query_source(b, s, f, out);
    if (f->kind == FROM_JOIN) return bind_join(b, s, f, out);
    call_fail(b->call, ERR_SQL_NOT_ALLOWED, "Table functions such as read_csv are not allowed.");
    return false;
}

bool bind_sources(struct binder *b, struct scope *s, const struct syntax_from *f, struct from **out)
{
    struct part p;
    if (!bind_part(b, s, f, &p)) return false;
    *out = p.from;
    s->visible = p.visible;
    s->visible_count = p.visible_count;
    return true;
}
