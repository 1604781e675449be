/* migration_list: what was applied to the store. */
#include "ops/op.h"

struct migrations {
    struct list items;
};
static const struct field migrations_fields[] = {
    FIELD(struct migrations, items, K_LIST, .flags = F_REQUIRED, .of = &migration_type, .doc = "Oldest first."),
    { 0 },
};
static const struct type migrations_type = TYPE(struct migrations, "MigrationList", migrations_fields);

static int migration_list(struct engine *e, struct call *c, const void *in, void *out)
{
    (void)in;
    return db_migrations(e->store, c, &((struct migrations *)out)->items);
}

const struct op op_migration_list = { .name = "migration_list",
                                      .doc = "The migrations that were applied to the store.",
                                      .level = LEVEL_ADMIN,
                                      .flags = OP_CLI,
                                      .out = &migrations_type,
                                      .run = migration_list };
