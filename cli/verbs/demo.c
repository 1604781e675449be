/* demo: the demonstration database as a file. */
#include "cli/verbs/operation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int run(struct cli *cli, int argc, char **argv);

const struct verb verb_demo = {
    .name = "demo",
    .usage = "[DIR]",
    .doc = "Make the demonstration shop's SQLite file and print where it is.",
    .run = run,
};

static int run(struct cli *cli, int argc, char **argv)
{
    static const struct option none[] = { { 0 } };
    const struct json *out, *path;
    struct list words;
    int code;
    if (!cli_options(cli, &verb_demo, none, argc, argv, 0, 1, &words, &code)) return code;
    const char *folder = words.count ? LIST_AT(&words, const char *, 0) : NULL;
    if (folder && mkdir(folder, 0755) && errno != EEXIST) {
        fprintf(stderr, "The folder %s cannot be made: %s.\n", folder, strerror(errno));
        return 1;
    }
    const struct argument where[] = { { "folder", folder } };
    struct engine *e;
    if (!cli_engine(cli, false, &e)) return 1;
    bool ok = cli_operation(cli, e, "demo_create", where, 1, &out);
    engine_close(e);
    path = ok ? json_get(out, "path") : NULL;
    if (!path) return 1;
    printf("%s\n", path->string);
    return 0;
}
