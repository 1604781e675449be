/* identity: credential -> principal. What is known of an API key is at most a second old. */
#ifndef QUERENT_IDENTITY_H
#define QUERENT_IDENTITY_H

#include "domain/config.h"
#include "engine.h"
#include "identity/key_cache.h"
#include "policy/policy.h"
#include "store/db.h"

/* Fills c->who. ERR_UNAUTHENTICATED, the same for every reason; the detail says it to the log. */
int identity_resolve(struct call *c, struct db *store, struct key_cache *keys, const struct config *config,
                     const struct policies *policies, const struct credential *credential);
/* The command line and stdio. Without roles the operator, who may do and see everything; with roles a caller who has
 * those and their level. ERR_VALIDATION_ERROR for a role that the policy does not have. */
int identity_operator(struct call *c, const struct policies *policies, const char *user, const char *const *roles,
                      size_t count);
/* OK when the policy has all these roles, else ERR_VALIDATION_ERROR at `pointer` naming those there are. */
int identity_check_roles(struct call *c, const struct policies *policies, const char *const *roles, size_t count,
                         const char *pointer);

#endif
