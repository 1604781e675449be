/* me_get: who the caller is to this server. */
#include "ops/op.h"

struct me {
    const char *user, *tenant, *source, *key_id;
    int level;
    bool approver;
    struct list roles;
};

static const struct field me_fields[] = {
    FIELD(struct me, user, K_STR, .flags = F_REQUIRED, .doc = "Name of the caller."),
    FIELD(struct me, tenant, K_STR, .flags = F_REQUIRED, .doc = "Tenant of the caller."),
    FIELD(struct me, source, K_STR, .flags = F_REQUIRED,
          .doc = "How the caller is known: none, api_key, jwt, proxy, operator."),
    FIELD(struct me, key_id, K_STR, .doc = "Id of the API key, when it is one."),
    FIELD(struct me, level, K_ENUM, .flags = F_REQUIRED, .of = level_names, .doc = "Which operations are open."),
    FIELD(struct me, approver, K_BOOL, .flags = F_REQUIRED, .doc = "May approve what needs an approval."),
    FIELD(struct me, roles, K_STRINGS, .flags = F_REQUIRED, .doc = "Roles of the policy that the caller holds."),
    { 0 },
};
static const struct type me_type = TYPE(struct me, "Me", me_fields);

static int me_get(struct engine *e, struct call *c, const void *in, void *out)
{
    const struct principal *who = &c->who;
    struct me *me = out;
    (void)e;
    (void)in;
    *me = (struct me){ .user = who->user,
                       .tenant = who->tenant,
                       .source = who->source,
                       .key_id = who->key_id,
                       .level = (int)who->level,
                       .approver = who->approver };
    for (size_t i = 0; i < who->role_count; i++)
        *(const char **)list_push(c, &me->roles, sizeof(const char *)) = who->roles[i];
    return OK;
}

const struct op op_me_get = { .name = "me_get",
                              .doc = "The caller as this server knows it: name, tenant, level, roles.",
                              .level = LEVEL_ANYONE,
                              .flags = OP_QUIET,
                              .out = &me_type,
                              .run = me_get };
