/* api_key: a credential of a program or a person, as the store keeps it. The secret itself is shown once and never
 * kept. */
#ifndef QUERENT_DOMAIN_API_KEY_H
#define QUERENT_DOMAIN_API_KEY_H

#include "json.h"

#define API_KEY_ID_BYTES 8

struct api_key {
    const char *id, *label, *user_id, *tenant_id;
    int level;         /* enum level; counts where the policy has no roles */
    struct list roles; /* const char *: roles of the policy */
    const char *secret_hash;
    int64_t created_at;
    const char *created_by;
    int64_t revoked_at; /* 0 = in force */
};
extern const struct type api_key_type;

#endif
