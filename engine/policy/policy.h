/* policy: roles -> what a caller may see. Denied is missing: policy_view builds the only picture of a datasource that the
 * rest of the engine gets to see. */
#ifndef QUERENT_POLICY_H
#define QUERENT_POLICY_H

#include "domain/view.h"
#include "json.h"

struct policies;

/* Decodes the `policies` section (see docs/configuration.md). NULL section = allow_all. ERR_CONFIG_INVALID at a pointer. */
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

/* True when the caller may read at least one table of the snapshot. */
bool policy_reaches(const struct policies *p, const struct principal *who, const struct snapshot *s);
/* The caller's view; in the call. Operator and allow_all see everything. */
int policy_view(struct call *c, const struct policies *p, const struct principal *who, const struct snapshot *s,
                const struct view **out);

struct query;
struct certificate; /* occurrence -> wrap, see access.c */
/* The second wall: replaces each filtered or masked table by its wrapped source; ERR_INTERNAL_ERROR (logged as a
 * disagreement) when the plan reads what the view does not have. The plan must have been checked against this view. */
int access_apply(struct call *c, const struct view *view, const struct principal *who, struct query *plan,
                 struct query **out, struct certificate **cert);
/* Independent of access_apply: accepts exactly the plan whose every occurrence of a restricted table is wrapped. */
int access_verify(struct call *c, const struct view *view, const struct principal *who, const struct query *before,
                  const struct query *after, const struct certificate *cert);

#endif
