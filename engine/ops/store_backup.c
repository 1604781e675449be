/* store_backup: a consistent copy of the store in a new file, while it is in use. */
#include "ops/op.h"

struct target {
    const char *path;
};
static const struct field target_fields[] = {
    FIELD(struct target, path, K_STR, .flags = F_REQUIRED, .min = 1, .max = 4096, .doc = "File to make."),
    { 0 },
};
static const struct type target_type = TYPE(struct target, "StoreBackup", target_fields);

static int store_backup(struct engine *e, struct call *c, const void *in, void *out)
{
    (void)out;
    return db_backup(e->store, c, ((const struct target *)in)->path);
}

const struct op op_store_backup = { .name = "store_backup",
                                    .doc = "Copies the store into a new file while it is in use.",
                                    .level = LEVEL_ADMIN,
                                    .flags = OP_CLI,
                                    .in = &target_type,
                                    .run = store_backup };
