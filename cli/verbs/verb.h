/* verb: a command of the command line; one file a verb, its row in table.c. A verb reads its options, opens the engine
 * when it needs one, and answers the exit code: 0 done, 1 failed, 2 used wrongly. */
#ifndef QUERENT_CLI_VERB_H
#define QUERENT_CLI_VERB_H

#include "engine.h"

/* What main passes to a verb. The call lives as long as the process. */
struct cli {
    struct call *call;
    const char *config_path, *state_dir; /* --config, --state; NULL = not given */
    struct json overrides;               /* config path -> text; cli_override adds */
    struct log log;
};

struct verb {
    const char *name;
    const char *usage;                                  /* what follows the name: "[--listen HOST:PORT]" */
    const char *doc;                                    /* one sentence */
    int (*run)(struct cli *cli, int argc, char **argv); /* argv[0] is the verb */
};

extern const struct verb *const verbs[]; /* in the order of the help; NULL-terminated */

enum option_kind {
    OPTION_FLAG, /* bool */
    OPTION_TEXT, /* const char * */
    OPTION_INT,  /* int64_t */
    OPTION_LIST  /* struct list of const char *; may be repeated */
};
struct option {
    const char *name; /* "--listen" */
    enum option_kind kind;
    void *to;
    const char *value; /* name of the value in the help, NULL for a flag */
    const char *doc;
};

/* Reads a verb's options (ends with name NULL) and the global ones, in any order, as `--name value` or `--name=value`;
 * after `--` everything is positional. words receives the positional arguments (const char *), at least least_words and
 * at most most_words. False = *code is the exit code and what was wrong (or the help) has been printed. */
bool cli_options(struct cli *cli, const struct verb *v, const struct option *options, int argc, char **argv,
                 size_t least_words, size_t most_words, struct list *words, int *code);
void cli_override(struct cli *cli, const char *path, const char *text);
/* Opens the engine with the global options; false = printed, exit code 1. */
bool cli_engine(struct cli *cli, bool demo, struct engine **out);
/* Prints the call's error with its hint on stderr; answers 1. */
int cli_fail(const struct call *c);

#endif
