/* demo_create: makes the demo datasource's file, for the command line. */
#include "ops/op.h"
#include "store/demo.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

struct demo_in {
    const char *folder;
};
static const struct field in_fields[] = {
    FIELD(struct demo_in, folder, K_STR, .max = 4096, .doc = "Where to put it; without one, the state folder."),
    { 0 },
};
static const struct type in_type = TYPE(struct demo_in, "DemoCreate", in_fields);

struct demo {
    const char *path;
    int64_t bytes;
};
static const struct field out_fields[] = {
    FIELD(struct demo, path, K_STR, .flags = F_REQUIRED, .doc = "The SQLite file."),
    FIELD(struct demo, bytes, K_INT, .flags = F_REQUIRED),
    { 0 },
};
static const struct type out_type = TYPE(struct demo, "Demo", out_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct demo_in *in = vin;
    struct demo *out = vout;
    char real[PATH_MAX];
    struct stat st;
    const char *folder = in->folder ? in->folder : e->state_dir;
    if (!folder) return call_fail_at(c, ERR_VALIDATION_ERROR, "/folder", "Name a folder: there is no state folder.");
    if (!realpath(folder, real) || stat(real, &st) || !S_ISDIR(st.st_mode))
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/folder", "There is no folder '%s'.", folder);
    out->path = call_format(c, "%s/demo.sqlite", real);
    int rc = demo_create(c, out->path);
    if (!rc && !stat(out->path, &st)) out->bytes = (int64_t)st.st_size;
    return rc;
}

const struct op op_demo_create = { .name = "demo_create",
                                   .doc = "Makes the demo datasource's file.",
                                   .level = LEVEL_OPERATOR,
                                   .flags = OP_CLI,
                                   .in = &in_type,
                                   .out = &out_type,
                                   .run = run };
