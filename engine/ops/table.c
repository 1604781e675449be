/* The operations, by name. */
#include "ops/op.h"

#include <string.h>

extern const struct op op_api_key_create, op_api_key_list, op_api_key_revoke, op_me_get, op_migration_list, op_store_backup,
    op_version_get;

const struct op *const ops[] = {
    &op_api_key_create,
    &op_api_key_list,
    &op_api_key_revoke,
    &op_me_get,
    &op_migration_list,
    &op_store_backup,
    &op_version_get,
    NULL,
};

const struct op *op_find(const char *name)
{
    for (size_t i = 0; ops[i]; i++)
        if (!strcmp(ops[i]->name, name)) return ops[i];
    return NULL;
}
