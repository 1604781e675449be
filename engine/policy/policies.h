/* policies: the decoded section, as the files of this room share it. Private to policy/. Immutable after policies_load,
 * but for the cache of views behind its own lock. */
#ifndef QUERENT_POLICIES_H
#define QUERENT_POLICIES_H

#include "plan/plan.h"
#include "policy/policy.h"

/* "ds.table", "ds.schema.table" or "ds.*", each part with * for any run of characters. */
struct table_pattern {
    const char *datasource, *schema, *table; /* schema NULL = any */
    const char *rest;                        /* all after the datasource, for table names that contain a dot */
};

struct column_pattern {
    struct table_pattern table;
    const char *column;
};

/* A literal {user_id} or {tenant_id} stands for the verified caller's, whoever it is. */
struct role_filter {
    struct table_pattern table;
    struct expr *expr;
};

struct role_mask {
    struct column_pattern column;
    struct expr *expr;
};

struct role {
    const char *name, *description;
    struct table_pattern *allow, *deny;
    size_t allow_count, deny_count;
    struct column_pattern *columns_deny;
    size_t columns_deny_count;
    struct role_filter *filters;
    size_t filter_count;
    struct role_mask *masks;
    size_t mask_count;
};

struct view_cache;

struct policies {
    struct call memory; /* owns everything below; used by one thread, while loading */
    bool allow_all, refusal_names_tables;
    const char *default_role, *version;
    struct list admin_roles, editor_roles, approver_roles; /* const char * */
    struct role *roles;
    size_t role_count;
    struct view_cache *views;
};

const struct role *policies_role(const struct policies *p, const char *name);

/* match.c */
bool pattern_names(const char *pattern, const char *name); /* one part of a pattern */
bool pattern_matches(const struct table_pattern *p, const char *datasource, const struct table *t);
bool column_pattern_matches(const struct column_pattern *p, const char *datasource, const struct table *t,
                            const char *column);
/* False when the text is not at least `ds.table`. Parts live in the call. */
bool pattern_parse(struct call *c, const char *text, struct table_pattern *out);
bool column_pattern_parse(struct call *c, const char *text, struct column_pattern *out);

/* rules.c: the JSON of a filter or mask -> expression over the columns of one table, whose alias is the empty text
 * until access writes the table's name. */
int filter_decode(struct call *c, const struct json *j, const char *pointer, struct expr **out);
int mask_decode(struct call *c, const struct json *j, const char *pointer, struct expr **out);

/* view_cache.c */
struct view_cache *view_cache_new(void);
void view_cache_free(struct view_cache *cache);

#endif
