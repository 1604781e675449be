/* version_get: what runs here. */
#include "ops/op.h"

struct version {
    const char *name, *version, *api;
};

static const struct field version_fields[] = {
    FIELD(struct version, name, K_STR, .flags = F_REQUIRED, .doc = "Always querent."),
    FIELD(struct version, version, K_STR, .flags = F_REQUIRED, .doc = "Version of the program."),
    FIELD(struct version, api, K_STR, .flags = F_REQUIRED, .doc = "Version of this interface."),
    { 0 },
};
static const struct type version_type = TYPE(struct version, "Version", version_fields);

static int version_get(struct engine *e, struct call *c, const void *in, void *out)
{
    (void)e;
    (void)c;
    (void)in;
    *(struct version *)out = (struct version){ .name = "querent", .version = querent_version, .api = "v1" };
    return OK;
}

const struct op op_version_get = { .name = "version_get",
                                   .doc = "Version of the program and of this interface.",
                                   .level = LEVEL_ANYONE,
                                   .flags = OP_QUIET,
                                   .out = &version_type,
                                   .run = version_get };
