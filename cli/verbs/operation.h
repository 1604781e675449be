/* operation: how a verb runs an operation as the operator, through the same types as the other doors. */
#ifndef QUERENT_CLI_OPERATION_H
#define QUERENT_CLI_OPERATION_H

#include "cli/verbs/verb.h"

/* One member of the input by name; value NULL leaves it out. */
struct argument {
    const char *name, *value;
};

/* *out is the operation's answer as a JSON tree, NULL when it has none. False = printed, exit code 1. */
bool cli_operation(struct cli *cli, struct engine *e, const char *op, const struct argument *arguments, size_t count,
                   const struct json **out);

#endif
