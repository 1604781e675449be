/* api_key_revoke: a key stops working at once and for good; its row stays. */
#include "ops/op.h"
#include "store/api_keys.h"

struct which {
    const char *id;
};
static const struct field which_fields[] = {
    FIELD(struct which, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the key."),
    { 0 },
};
static const struct type which_type = TYPE(struct which, "ApiKeyRef", which_fields);

static int api_key_revoke(struct engine *e, struct call *c, const void *in, void *out)
{
    const struct which *which = in;
    c->audit.object_id = which->id;
    int rc = api_keys_revoke(e->store, c, c->who.tenant, which->id, out);
    if (!rc) key_cache_forget(&e->keys, which->id);
    return rc;
}

const struct op op_api_key_revoke = { .name = "api_key_revoke",
                                      .doc = "Revokes an API key; it stays listed with the time.",
                                      .level = LEVEL_ADMIN,
                                      .flags = OP_WRITES,
                                      .in = &which_type,
                                      .out = &api_key_type,
                                      .run = api_key_revoke };
