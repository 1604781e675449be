/* reach: a datasource as the caller of an operation may see it. */
#ifndef QUERENT_REACH_H
#define QUERENT_REACH_H

#include "ops/op.h"
#include "policy/policy.h"
#include "schema/registry.h"

/* ERR_DATASOURCE_NOT_FOUND for one that is unknown or out of reach, alike; for those who may be told,
 * ERR_DATASOURCE_UNAVAILABLE or ERR_NOT_INDEXED. */
int reach(struct call *c, const char *id, const struct datasource **ds, const struct view **view);
/* The same; id NULL = the one datasource that the caller reaches. ERR_VALIDATION_ERROR at /datasource_id naming them
 * when there are several, ERR_DATASOURCE_NOT_FOUND when there is none. */
int reach_or_only(struct call *c, const char *id, const struct datasource **ds, const struct view **view);
/* The same without needing its schema: for admins' operations on the datasource itself. */
int reach_any(struct call *c, const char *id, const struct datasource **ds);

#endif
