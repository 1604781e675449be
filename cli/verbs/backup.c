/* backup: a copy of the store. */
#include "cli/verbs/operation.h"

#include <stdio.h>

static int run(struct cli *cli, int argc, char **argv);

const struct verb verb_backup = {
    .name = "backup",
    .usage = "FILE",
    .doc = "Copy the store into a new file, also while a server uses it.",
    .run = run,
};

static int run(struct cli *cli, int argc, char **argv)
{
    static const struct option none[] = { { 0 } };
    const struct json *out;
    struct list words;
    int code;
    if (!cli_options(cli, &verb_backup, none, argc, argv, 1, 1, &words, &code)) return code;
    const struct argument file[] = { { "path", LIST_AT(&words, const char *, 0) } };
    struct engine *e;
    if (!cli_engine(cli, false, &e)) return 1;
    bool ok = cli_operation(cli, e, "store_backup", file, 1, &out);
    engine_close(e);
    if (!ok) return 1;
    printf("%s holds the store. Keep master.key of the state folder beside it.\n", file[0].value);
    return 0;
}
