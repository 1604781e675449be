/* api_key_create: makes an API key; its token is shown in this answer and never again. */
#include "base/clock.h"
#include "identity/identity.h"
#include "identity/key_token.h"
#include "ops/op.h"
#include "store/api_keys.h"

#include <string.h>

struct wish {
    const char *user_id, *label;
    int level; /* of key_levels */
    struct list roles;
};

static const char *const key_levels[] = { "viewer", "editor", "admin", NULL };

static const struct field wish_fields[] = {
    FIELD(struct wish, user_id, K_STR, .flags = F_REQUIRED, .min = 1, .max = 256,
          .doc = "The user the key speaks for."),
    FIELD(struct wish, label, K_STR, .max = 200, .def = "", .doc = "What the key is for."),
    FIELD(struct wish, level, K_ENUM, .of = key_levels, .def = "viewer",
          .doc = "The operations it opens, where the policy has no roles; with roles, they decide."),
    FIELD(struct wish, roles, K_STRINGS, .max = 100, .doc = "Roles of the policy: what it may read."),
    { 0 },
};
static const struct type wish_type = TYPE(struct wish, "ApiKeyCreateRequest", wish_fields);

struct made {
    struct api_key *api_key;
    const char *token;
};
static const struct field made_fields[] = {
    FIELD(struct made, api_key, K_OBJECT, .flags = F_REQUIRED, .of = &api_key_type, .doc = "The key as it is listed."),
    FIELD(struct made, token, K_STR, .flags = F_REQUIRED, .doc = "The credential. It is shown only now."),
    { 0 },
};
static const struct type made_type = TYPE(struct made, "ApiKeyCreated", made_fields);

/* The level of a key: its roles' where the policy has roles, else as wished. Nobody below an admin makes
 * keys, and no key is above one. */
static int level_of(struct call *c, const struct wish *w, enum level *out)
{
    const struct policies *p = c->world->policies;
    bool approver = false;
    int rc = identity_check_roles(c, p, w->roles.items, w->roles.count, "/roles");
    if (rc) return rc;
    *out = LEVEL_VIEWER + (enum level)w->level;
    if (!policies_allow_all(p)) {
        if (!w->roles.count)
            return call_fail_at(c, ERR_VALIDATION_ERROR, "/roles", "A key without a role would open nothing.");
        *out = policies_level(p, w->roles.items, w->roles.count, &approver);
    }
    return OK;
}

static int api_key_create(struct engine *e, struct call *c, const void *in, void *out)
{
    const struct wish *w = in;
    struct made *made = out;
    struct key_token token;
    enum level level;
    int rc = level_of(c, w, &level);
    if (rc) return rc;
    key_token_make(c, &token);
    struct api_key *key = call_alloc(c, sizeof *key);
    *key = (struct api_key){ .id = token.id,
                             .label = w->label,
                             .user_id = w->user_id,
                             .tenant_id = c->who.tenant,
                             .level = (int)level,
                             .roles = w->roles,
                             .secret_hash = token.secret_hash,
                             .created_at = clock_utc_us(),
                             .created_by = c->who.user };
    c->audit.object_id = key->id;
    rc = api_keys_put(e->store, c, key);
    *made = (struct made){ .api_key = key, .token = token.token };
    return rc;
}

const struct op op_api_key_create = { .name = "api_key_create",
                                      .doc = "Makes an API key for a user; the token is shown once.",
                                      .level = LEVEL_ADMIN,
                                      .flags = OP_WRITES,
                                      .in = &wish_type,
                                      .out = &made_type,
                                      .run = api_key_create };
