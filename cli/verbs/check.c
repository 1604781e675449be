/* check: what is wrong with the configuration, or what is in force. */
#include "cli/verbs/verb.h"

#include <stdio.h>

static int run(struct cli *cli, int argc, char **argv);

const struct verb verb_check = {
    .name = "check",
    .usage = "",
    .doc = "Say what is wrong with the configuration, or print what is in force without its secrets.",
    .run = run,
};

static int run(struct cli *cli, int argc, char **argv)
{
    static const struct option none[] = { { 0 } };
    struct list words;
    struct buf b;
    int code;
    if (!cli_options(cli, &verb_check, none, argc, argv, 0, 0, &words, &code)) return code;
    const struct engine_options o = { .config_path = cli->config_path,
                                      .state_dir = cli->state_dir,
                                      .overrides = &cli->overrides };
    buf_init(&b, cli->call, (size_t)4 * 1024 * 1024);
    if (engine_check(cli->call, &o, &b)) return cli_fail(cli->call);
    fputs(b.data, stdout);
    return 0;
}
