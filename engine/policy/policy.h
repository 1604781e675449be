/* policy: roles -> what a caller may see. Denied is missing: policy_view builds the only picture of a datasource that
 * the rest of the engine gets to see. Over the roles a caller holds: allows add up, with the row filters of the roles
 * that allow (a role that allows without a filter opens every row); a deny and a mask of any role stand; an unknown
 * role is nothing; no role is no data. Names match without case, * stands for any run of characters within a part. */
#ifndef QUERENT_POLICY_H
#define QUERENT_POLICY_H

#include "plan/plan.h"

#include "log.h"

struct policies;

/* Decodes the `policies` section (see docs/configuration.md). NULL section = allow_all. ERR_CONFIG_INVALID at a
 * pointer. */
int policies_load(struct call *c, const struct json *section, struct policies **out); /* malloc'ed, process lifetime */
void policies_free(struct policies *p);
bool policies_allow_all(const struct policies *p);
bool policies_refusal_names_tables(const struct policies *p);
bool policies_has_role(const struct policies *p, const char *role);
const char *policies_default_role(const struct policies *p);
const char *policies_version(const struct policies *p); /* hash of the section */
struct list policies_role_names(const struct policies *p, struct call *c);
/* Level that these roles give: admin_roles, editor_roles, else viewer when any role is defined, else LEVEL_ANYONE. */
enum level policies_level(const struct policies *p, const char *const *roles, size_t count, bool *approver);

/* The caller may hear of a datasource whose tables nobody knows yet, and why it does not work: an admin, or everybody
 * where no policy hides anything. */
bool policy_told(const struct policies *p, const struct principal *who);
/* True when the caller may read at least one table of the snapshot; NULL, being unknown: policy_told. */
bool policy_reaches(const struct policies *p, const struct principal *who, const struct snapshot *s);
/* The caller's view, shared and immutable: it lives as long as the policies and the snapshot, which the call pins. The
 * operator without roles and allow_all see everything. */
int policy_view(struct call *c, const struct policies *p, const struct principal *who, const struct snapshot *s,
                const struct view **out);

/* False when no role of the caller could open anything in the datasource, whatever it holds. */
bool policy_mentions(const struct policies *p, const struct principal *who, const char *datasource);

/* May the caller know of a table, or of a column of it, by its name? For what is no longer in any snapshot; column may be
 * NULL. */
bool policy_knows(struct call *c, const struct policies *p, const struct principal *who, const char *datasource,
                  const char *schema, const char *table, const char *column);

/* A rule that takes something away and meets nothing: most likely misspelt. */
struct unmatched {
    const char *role, *rule; /* deny columns_deny filters masks allow */
    const char *pattern;     /* as written */
    const char *near;        /* the nearest name there is, or NULL */
};
/* Rules of this datasource that take something away and meet no table or column of it: list of struct unmatched. */
struct list policy_unmatched(struct call *c, const struct policies *p, const struct snapshot *s);
void policy_log_unmatched(const struct log *log, struct call *c, const struct policies *p, const struct snapshot *s);
/* Rules of a datasource that is none of these (NULL-terminated). */
struct list policy_strays(struct call *c, const struct policies *p, const char *const *ids);

/* One restricted occurrence: the index of its source in plan_walk's order of the plan before, and the query that stands
 * in its place. */
struct wrap {
    size_t occurrence;
    const struct query *query;
};
struct certificate {
    struct list wraps; /* struct wrap */
};
/* The second wall. Every occurrence of a table with a row filter or masks is replaced, under its alias, by a query that
 * shows the columns the plan uses, masked ones as their mask, of the rows that pass. WHERE and ON stay as they are.
 * `plan` must have been checked against this view and stays as it is; *out is bound, and is `plan` itself when nothing
 * is restricted. ERR_SECURITY_VIOLATION when a rule needs what the caller does not have, ERR_INTERNAL_ERROR (a
 * disagreement, with a detail for the log) when the plan reads what the view does not have. */
int access_apply(struct call *c, const struct view *view, const struct principal *who,
                 const struct dialect_support *dialect, struct query *plan, struct query **out,
                 struct certificate *cert);
/* Independent of access_apply: accepts exactly the plan whose every restricted occurrence is wrapped as above, and
 * which is otherwise the plan before. ERR_INTERNAL_ERROR with a detail for the log. */
int access_verify(struct call *c, const struct view *view, const struct principal *who, const struct query *before,
                  const struct query *after, const struct certificate *cert);

#endif
