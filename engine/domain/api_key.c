#include "domain/api_key.h"

static const struct field fields[] = {
    FIELD(struct api_key, id, K_STR, .flags = F_REQUIRED, .doc = "The public part of the key."),
    FIELD(struct api_key, label, K_STR, .flags = F_REQUIRED, .doc = "What the key is for."),
    FIELD(struct api_key, user_id, K_STR, .flags = F_REQUIRED, .doc = "The user it speaks for."),
    FIELD(struct api_key, tenant_id, K_STR, .flags = F_REQUIRED, .doc = "The tenant of that user."),
    FIELD(struct api_key, level, K_ENUM, .of = level_names, .flags = F_REQUIRED,
          .doc = "The operations it opens where the policy has no roles."),
    FIELD(struct api_key, roles, K_STRINGS, .flags = F_REQUIRED, .doc = "Roles of the policy: what it may read."),
    FIELD(struct api_key, secret_hash, K_STR, .flags = F_SECRET),
    FIELD(struct api_key, created_at, K_TIME, .flags = F_REQUIRED, .doc = "When it was made."),
    FIELD(struct api_key, created_by, K_STR, .flags = F_REQUIRED, .doc = "Who made it."),
    FIELD(struct api_key, revoked_at, K_TIME, .flags = F_NULL,
          .doc = "When it was revoked; null while it is in force."),
    { 0 },
};
const struct type api_key_type = TYPE(struct api_key, "ApiKey", fields);
