#include "ops/reach.h"

static int unknown(struct call *c, const char *id)
{
    return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", id);
}

int reach_any(struct call *c, const char *id, const struct datasource **ds)
{
    *ds = registry_get(c->world->registry, c, id);
    return *ds ? OK : unknown(c, id);
}

int reach(struct call *c, const char *id, const struct datasource **ds, const struct view **view)
{
    const struct policies *p = c->world->policies;
    int rc = reach_any(c, id, ds);
    if (rc) return rc;
    c->audit.datasource_id = (*ds)->config->id;
    if (!policy_reaches(p, &c->who, (*ds)->snapshot)) return unknown(c, id);
    if ((*ds)->snapshot) return policy_view(c, p, &c->who, (*ds)->snapshot, view);
    if ((*ds)->status != DS_UNAVAILABLE) return call_fail(c, ERR_NOT_INDEXED, "%s", code_row(ERR_NOT_INDEXED)->text);
    if ((*ds)->problem) call_hint(c, "%s", (*ds)->problem);
    return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", code_row(ERR_DATASOURCE_UNAVAILABLE)->text);
}

int reach_or_only(struct call *c, const char *id, const struct datasource **ds, const struct view **view)
{
    struct buf names;
    size_t found = 0;
    const char *only = NULL;
    if (id) return reach(c, id, ds, view);
    struct list all = registry_list(c->world->registry, c);
    buf_init(&names, c, 8192);
    for (size_t i = 0; i < all.count; i++) {
        const struct datasource *one = LIST_AT(&all, const struct datasource *, i);
        if (!policy_reaches(c->world->policies, &c->who, one->snapshot)) continue;
        buf_format(&names, "%s%s", found++ ? ", " : "", one->config->id);
        only = one->config->id;
    }
    if (found == 1) return reach(c, only, ds, view);
    if (found) return call_fail_at(c, ERR_VALIDATION_ERROR, "/datasource_id", "Name the datasource: %s.", names.data);
    return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "There is no datasource.");
}
