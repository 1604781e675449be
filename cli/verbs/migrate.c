/* migrate: brings the store to this program's version and says what it holds. */
#include "cli/verbs/operation.h"

#include <stdio.h>

static int run(struct cli *cli, int argc, char **argv);

const struct verb verb_migrate = {
    .name = "migrate",
    .usage = "",
    .doc = "Bring the store to this program's version; every other verb does it, too.",
    .run = run,
};

static int run(struct cli *cli, int argc, char **argv)
{
    static const struct option none[] = { { 0 } };
    const struct json *out;
    struct list words;
    int code;
    if (!cli_options(cli, &verb_migrate, none, argc, argv, 0, 0, &words, &code)) return code;
    struct engine *e;
    if (!cli_engine(cli, false, &e)) return 1;
    bool ok = cli_operation(cli, e, "migration_list", NULL, 0, &out);
    engine_close(e);
    if (!ok) return 1;
    const struct json *items = json_get(out, "items");
    for (size_t i = 0; i < items->count; i++)
        printf("%s  %s\n", json_get(&items->items[i], "applied_at")->string,
               json_get(&items->items[i], "name")->string);
    return 0;
}
