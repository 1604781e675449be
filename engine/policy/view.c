#include "domain/name_index.h"
#include "policy/policies.h"
#include "policy/view_cache.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The roles of one caller that the policy defines. */
struct holder {
    const struct policies *policies;
    const struct role **roles;
    size_t count;
    const char *datasource;
    bool all; /* no policy, or the operator: everything */
};

static struct holder holder_of(struct call *c, const struct policies *p, const struct principal *who,
                               const char *datasource)
{
    struct holder h = { .policies = p, .datasource = datasource };
    h.all = p->allow_all || (who->level == LEVEL_OPERATOR && !who->role_count);
    h.roles = call_array(c, who->role_count, sizeof(struct role *));
    for (size_t i = 0; i < who->role_count && !h.all; i++) {
        const struct role *role = policies_role(p, who->roles[i]);
        if (role) h.roles[h.count++] = role;
    }
    return h;
}

static bool any_pattern(const struct table_pattern *patterns, size_t count, const char *datasource,
                        const struct table *t)
{
    for (size_t i = 0; i < count; i++)
        if (pattern_matches(&patterns[i], datasource, t)) return true;
    return false;
}

static bool role_allows(const struct holder *h, const struct role *role, const struct table *t)
{
    return any_pattern(role->allow, role->allow_count, h->datasource, t);
}

/* Any held role opens it, no held role closes it. */
static bool table_allowed(const struct holder *h, const struct table *t)
{
    if (h->all) return true;
    bool allowed = false;
    for (size_t i = 0; i < h->count; i++) {
        if (any_pattern(h->roles[i]->deny, h->roles[i]->deny_count, h->datasource, t)) return false;
        allowed = allowed || role_allows(h, h->roles[i], t);
    }
    return allowed;
}

static bool column_denied(const struct holder *h, const struct table *t, const char *column)
{
    for (size_t i = 0; i < h->count; i++)
        for (size_t k = 0; k < h->roles[i]->columns_deny_count; k++)
            if (column_pattern_matches(&h->roles[i]->columns_deny[k], h->datasource, t, column)) return true;
    return false;
}

/* A mask of any held role stands, as a deny does. */
static struct expr *column_mask(const struct holder *h, const struct table *t, const char *column)
{
    for (size_t i = 0; i < h->count; i++)
        for (size_t k = 0; k < h->roles[i]->mask_count; k++)
            if (column_pattern_matches(&h->roles[i]->masks[k].column, h->datasource, t, column))
                return h->roles[i]->masks[k].expr;
    return NULL;
}

/* A filter belongs to what its role opens: a role that opens the table without one opens all rows, several filters open
 * the rows of each. Filters of one role all hold. */
static struct expr *table_filter(struct call *c, const struct holder *h, const struct table *t)
{
    struct expr *any = NULL;
    for (size_t i = 0; i < h->count; i++) {
        if (!role_allows(h, h->roles[i], t)) continue;
        struct expr *own = NULL;
        for (size_t k = 0; k < h->roles[i]->filter_count; k++)
            if (pattern_matches(&h->roles[i]->filters[k].table, h->datasource, t))
                own = expr_and(c, own, h->roles[i]->filters[k].expr);
        if (!own) return NULL;
        any = expr_or(c, any, own);
    }
    return any;
}

/* What a table keeps while a view is made. */
struct fate {
    bool visible;
    struct expr *filter;
    bool *hidden;        /* beside columns; NULL = none */
    struct expr **masks; /* beside columns; NULL = none */
};

static void decide_columns(struct call *c, const struct holder *h, const struct table *t, struct fate *f)
{
    size_t left = t->column_count;
    for (size_t i = 0; i < t->column_count; i++) {
        struct expr *mask = NULL;
        if (column_denied(h, t, t->columns[i].name)) {
            if (!f->hidden) f->hidden = call_array(c, t->column_count, sizeof(bool));
            f->hidden[i] = true;
            left--;
        } else if ((mask = column_mask(h, t, t->columns[i].name))) {
            if (!f->masks) f->masks = call_array(c, t->column_count, sizeof(struct expr *));
            f->masks[i] = mask;
        }
    }
    if (!left && t->column_count) f->visible = false;
}

static bool reads_table(const struct table_read *r, const struct table *t)
{
    return strcasecmp(r->table, t->name) == 0 && (!r->schema || !t->schema || strcasecmp(r->schema, t->schema) == 0);
}

static bool reads_column(const struct table_read *r, const char *column)
{
    for (size_t i = 0; i < r->column_count; i++)
        if (strcasecmp(r->columns[i], column) == 0) return true;
    return false;
}

/* True when a view that reads r shows what the caller may not see of t, or not as it is. */
static bool shows_restricted(const struct table_read *r, const struct table *t, const struct fate *f)
{
    if (!reads_table(r, t)) return false;
    if (!f->visible || f->filter) return true;
    for (size_t k = 0; k < t->column_count; k++)
        if (((f->hidden && f->hidden[k]) || (f->masks && f->masks[k])) && reads_column(r, t->columns[k].name))
            return true;
    return false;
}

static bool plain(const struct fate *f)
{
    return f->visible && !f->filter && !f->hidden && !f->masks;
}

/* A view is no way round its tables. What it reads is known as tables, whatever views stand between; one of which that
 * is not known falls with any table that is not wholly open. */
static bool view_falls(const struct snapshot *s, const struct fate *fates, const struct table *view)
{
    for (size_t k = 0; view->reads_unknown && k < s->table_count; k++)
        if (s->tables[k].kind != TABLE_VIEW && !plain(&fates[k])) return true;
    for (size_t i = 0; i < view->read_count; i++)
        for (size_t k = 0; k < s->table_count; k++)
            if (&s->tables[k] != view && shows_restricted(&view->reads[i], &s->tables[k], &fates[k])) return true;
    return false;
}

static struct fate *decide(struct call *c, const struct holder *h, const struct snapshot *s)
{
    struct fate *fates = call_array(c, s->table_count, sizeof *fates);
    for (size_t i = 0; i < s->table_count; i++) {
        fates[i].visible = table_allowed(h, &s->tables[i]);
        if (!fates[i].visible || h->all) continue;
        fates[i].filter = table_filter(c, h, &s->tables[i]);
        decide_columns(c, h, &s->tables[i], &fates[i]);
    }
    if (h->all) return fates;
    for (size_t i = 0; i < s->table_count; i++)
        if (fates[i].visible && view_falls(s, fates, &s->tables[i])) fates[i].visible = false;
    return fates;
}

static bool touched(const struct fate *f, size_t column)
{
    return (f->hidden && f->hidden[column]) || (f->masks && f->masks[column]);
}

static size_t column_index(const struct table *t, const char *name)
{
    const struct column *found = schema_column(t, name);
    return found ? (size_t)(found - t->columns) : SIZE_MAX;
}

/* Both ends of the key are there as they are. */
static bool key_survives(const struct snapshot *s, const struct fate *fates, const struct table *t,
                         const struct fate *own, const struct foreign_key *fk)
{
    const struct table *to = schema_spelt(s->tables, s->table_count, fk->schema, fk->table);
    if (!to) to = schema_table(s->tables, s->table_count, fk->schema, fk->table);
    if (!to || !fates[to - s->tables].visible) return false;
    for (size_t i = 0; i < fk->column_count; i++) {
        size_t here = column_index(t, fk->columns[i]);
        size_t there = fk->referred && fk->referred[i] ? column_index(to, fk->referred[i]) : SIZE_MAX;
        if (here == SIZE_MAX || touched(own, here)) return false;
        if (there != SIZE_MAX && touched(&fates[to - s->tables], there)) return false;
    }
    return true;
}

static void forget_statistics(struct column *col)
{
    col->distinct_count = col->null_count = -1;
    col->min = col->max = NULL;
    col->samples = NULL;
    col->sample_count = 0;
}

static void apply_mask(struct column *col, const struct expr *mask)
{
    forget_statistics(col);
    col->unique = false;
    col->nullable = true;
    if (mask->kind == EXPR_LITERAL && !mask->literal.null && mask->type.kind != TYPE_UNKNOWN) col->type = mask->type;
}

static void copy_columns(struct arena *a, const struct table *from, const struct fate *f, struct table *to,
                         struct table_access *access)
{
    bool whole_key = true;
    to->columns = arena_alloc(a, from->column_count * sizeof *to->columns);
    to->column_count = 0;
    access->masks = f->masks ? arena_alloc(a, from->column_count * sizeof *access->masks) : NULL;
    for (size_t i = 0; i < from->column_count; i++) {
        if (from->columns[i].primary_key && touched(f, i)) whole_key = false;
        if (f->hidden && f->hidden[i]) {
            access->hides_columns = true;
            continue;
        }
        struct column *col = &to->columns[to->column_count++];
        *col = from->columns[i];
        if (f->filter) forget_statistics(col);
        if (!f->masks || !f->masks[i]) continue;
        apply_mask(col, f->masks[i]);
        access->masks[access->mask_count++] = (struct mask){ .column = col->name, .expr = f->masks[i] };
    }
    for (size_t i = 0; i < to->column_count && !whole_key; i++) to->columns[i].primary_key = 0;
}

static void copy_table(struct arena *a, const struct snapshot *s, const struct fate *fates, size_t i, struct table *to,
                       struct table_access *access)
{
    const struct table *from = &s->tables[i];
    *to = *from;
    access->filter = fates[i].filter;
    if (!plain(&fates[i])) copy_columns(a, from, &fates[i], to, access);
    if (fates[i].filter) to->row_count = -1;
    size_t kept = 0;
    to->foreign_keys = arena_alloc(a, from->foreign_key_count * sizeof *to->foreign_keys);
    for (size_t k = 0; k < from->foreign_key_count; k++)
        if (key_survives(s, fates, from, &fates[i], &from->foreign_keys[k]))
            to->foreign_keys[kept++] = from->foreign_keys[k];
    to->foreign_key_count = kept;
}

/* Everything, without copies. */
static void full_view(struct arena *a, const struct snapshot *s, struct view *v)
{
    v->tables = s->tables;
    v->table_count = s->table_count;
    v->access = arena_alloc(a, s->table_count * sizeof *v->access);
}

static void index_names(struct call *m, struct view *v)
{
    table_names_build(&v->names, call_alloc(m, table_names_bytes(v->table_count)), v->tables, v->table_count);
    if (name_index_wanted(v->tables, v->table_count))
        v->words = name_index_build(m, v->tables, v->table_count, &v->names);
}

/* m owns what the view holds. */
static void build(struct call *m, const struct holder *h, const struct snapshot *s, struct view *v)
{
    struct arena *a = &m->arena;
    if (h->all) {
        full_view(a, s, v);
        index_names(m, v);
        return;
    }
    struct fate *fates = decide(m, h, s);
    size_t visible = 0;
    for (size_t i = 0; i < s->table_count; i++) {
        visible += fates[i].visible ? 1 : 0;
        v->hides_anything = v->hides_anything || !plain(&fates[i]);
    }
    v->tables = arena_alloc(a, visible * sizeof *v->tables);
    v->access = arena_alloc(a, visible * sizeof *v->access);
    for (size_t i = 0; i < s->table_count; i++) {
        if (!fates[i].visible) continue;
        copy_table(a, s, fates, i, &v->tables[v->table_count], &v->access[v->table_count]);
        v->table_count++;
    }
    index_names(m, v);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The roles in one order, so that the same set has one key. */
static const char *view_key(struct call *c, const struct holder *h, const struct snapshot *s)
{
    struct buf b;
    const char **names = call_array(c, h->count, sizeof *names);
    for (size_t i = 0; i < h->count; i++) names[i] = h->roles[i]->name;
    if (h->count) qsort(names, h->count, sizeof *names, by_name);
    buf_init(&b, c, (size_t)64 * 1024);
    buf_str(&b, s->datasource);
    buf_char(&b, '\n');
    buf_str(&b, s->fingerprint ? s->fingerprint : "");
    buf_char(&b, '\n');
    buf_str(&b, h->policies->version);
    buf_char(&b, '\n');
    buf_str(&b, h->all ? "*" : "");
    for (size_t i = 0; i < h->count; i++) {
        if (i && strcmp(names[i], names[i - 1]) == 0) continue;
        buf_char(&b, ' ');
        buf_str(&b, names[i]);
    }
    return b.data;
}

bool policy_told(const struct policies *p, const struct principal *who)
{
    return who->level >= LEVEL_ADMIN || p->allow_all;
}

bool policy_reaches(const struct policies *p, const struct principal *who, const struct snapshot *s)
{
    if (!s) return policy_told(p, who);
    /* A handful of roles at most: no call, no memory but the stack. */
    const struct role *roles[64];
    struct holder h = { .policies = p, .roles = roles, .datasource = s->datasource };
    h.all = p->allow_all || (who->level == LEVEL_OPERATOR && !who->role_count);
    for (size_t i = 0; i < who->role_count && h.count < 64; i++) {
        const struct role *role = policies_role(p, who->roles[i]);
        if (role) roles[h.count++] = role;
    }
    for (size_t i = 0; i < s->table_count; i++)
        if (table_allowed(&h, &s->tables[i])) return true;
    return h.all;
}

bool policy_knows(struct call *c, const struct policies *p, const struct principal *who, const char *datasource,
                  const char *schema, const char *table, const char *column)
{
    struct holder h = holder_of(c, p, who, datasource);
    const struct table t = { .schema = schema, .name = table };
    return table_allowed(&h, &t) && !(column && column_denied(&h, &t, column));
}

int policy_view(struct call *c, const struct policies *p, const struct principal *who, const struct snapshot *s,
                const struct view **out)
{
    struct holder h = holder_of(c, p, who, s->datasource);
    const char *key = view_key(c, &h, s);
    if ((*out = view_cache_get(p->views, s, key))) return OK;
    struct call *kept = view_cache_memory(p->views), *m = kept ? kept : c;
    struct view *v = call_alloc(m, sizeof *v);
    v->snapshot = s;
    v->key = key;
    build(m, &h, s, v);
    *out = kept ? view_cache_put(p->views, kept, v, key) : v;
    return OK;
}
