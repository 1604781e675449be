#include "policy/policies.h"

#include <string.h>
#include <strings.h>

/* What was written of a pattern. */
static const char *written(struct call *c, const struct table_pattern *p, const char *column)
{
    return call_format(c, "%s.%s%s%s", p->datasource, p->rest, column ? "." : "", column ? column : "");
}

struct looking {
    struct call *call;
    const struct snapshot *snapshot;
    const char *const *tables; /* names, NULL-terminated; for the nearest one */
    const struct role *role;
    struct list *out;
};

static void look(struct looking *l, const char *rule, const struct table_pattern *p, const char *column)
{
    const struct snapshot *s = l->snapshot;
    const char *near = NULL;
    if (strcasecmp(p->datasource, s->datasource) != 0) return;
    for (size_t i = 0; i < s->table_count; i++) {
        const struct table *t = &s->tables[i];
        if (!pattern_matches(p, s->datasource, t)) continue;
        if (!column) return;
        const char **names = call_array(l->call, t->column_count + 1, sizeof *names);
        for (size_t k = 0; k < t->column_count; k++) {
            const struct column_pattern whole = { .table = *p, .column = column };
            names[k] = t->columns[k].name;
            if (column_pattern_matches(&whole, s->datasource, t, names[k])) return;
        }
        if (!near) near = nearest_name(column, names);
    }
    if (!near) near = nearest_name(p->table, l->tables);
    *(struct unmatched *)list_push(l->call, l->out, sizeof(struct unmatched)) =
        (struct unmatched){ l->role->name, rule, written(l->call, p, column), near };
}

struct list policy_unmatched(struct call *c, const struct policies *p, const struct snapshot *s)
{
    struct list out = { 0 };
    const char **names = call_array(c, s->table_count + 1, sizeof *names);
    for (size_t i = 0; i < s->table_count; i++) names[i] = s->tables[i].name;
    for (size_t i = 0; i < p->role_count; i++) {
        const struct role *r = &p->roles[i];
        struct looking l = { c, s, names, r, &out };
        for (size_t k = 0; k < r->deny_count; k++) look(&l, "deny", &r->deny[k], NULL);
        for (size_t k = 0; k < r->columns_deny_count; k++)
            look(&l, "columns_deny", &r->columns_deny[k].table, r->columns_deny[k].column);
        for (size_t k = 0; k < r->filter_count; k++) look(&l, "filters", &r->filters[k].table, NULL);
        for (size_t k = 0; k < r->mask_count; k++)
            look(&l, "masks", &r->masks[k].column.table, r->masks[k].column.column);
    }
    return out;
}

void policy_log_unmatched(const struct log *log, struct call *c, const struct policies *p, const struct snapshot *s)
{
    struct list all = policy_unmatched(c, p, s);
    for (size_t i = 0; i < all.count; i++) {
        const struct unmatched *u = &LIST_AT(&all, struct unmatched, i);
        log_event(log, LOG_WARN, "policy.matches_nothing", "datasource", s->datasource, "role", u->role, "rule",
                  u->rule, "pattern", u->pattern, "nearest", u->near, NULL);
    }
}

static void add_stray(struct call *c, const struct role *r, const char *rule, const struct table_pattern *p,
                      const char *column, const char *const *ids, struct list *out)
{
    if (strchr(p->datasource, '*')) return;
    for (size_t i = 0; ids[i]; i++)
        if (!strcasecmp(ids[i], p->datasource)) return;
    *(struct unmatched *)list_push(c, out, sizeof(struct unmatched)) =
        (struct unmatched){ r->name, rule, written(c, p, column), nearest_name(p->datasource, ids) };
}

struct list policy_strays(struct call *c, const struct policies *p, const char *const *ids)
{
    struct list out = { 0 };
    for (size_t i = 0; i < p->role_count; i++) {
        const struct role *r = &p->roles[i];
        for (size_t k = 0; k < r->allow_count; k++) add_stray(c, r, "allow", &r->allow[k], NULL, ids, &out);
        for (size_t k = 0; k < r->deny_count; k++) add_stray(c, r, "deny", &r->deny[k], NULL, ids, &out);
        for (size_t k = 0; k < r->columns_deny_count; k++)
            add_stray(c, r, "columns_deny", &r->columns_deny[k].table, r->columns_deny[k].column, ids, &out);
        for (size_t k = 0; k < r->filter_count; k++) add_stray(c, r, "filters", &r->filters[k].table, NULL, ids, &out);
        for (size_t k = 0; k < r->mask_count; k++)
            add_stray(c, r, "masks", &r->masks[k].column.table, r->masks[k].column.column, ids, &out);
    }
    return out;
}

bool policy_mentions(const struct policies *p, const struct principal *who, const char *datasource)
{
    if (p->allow_all || (who->level == LEVEL_OPERATOR && !who->role_count)) return true;
    for (size_t i = 0; i < who->role_count; i++) {
        const struct role *r = policies_role(p, who->roles[i]);
        for (size_t k = 0; r && k < r->allow_count; k++)
            if (pattern_names(r->allow[k].datasource, datasource)) return true;
    }
    return false;
}
