/* The verbs, in the order of the help. */
#include "cli/verbs/verb.h"

/* clang-format off: a line a verb */
extern const struct verb
    verb_serve,
    verb_ask,
    verb_mcp,
    verb_demo,
    verb_keys,
    verb_check,
    verb_eval,
    verb_migrate,
    verb_backup,
    verb_bench,
    verb_sql,
    verb_guard,
    verb_routes,
    verb_worker;

const struct verb *const verbs[] = {
    &verb_serve,
    &verb_ask,
    &verb_mcp,
    &verb_demo,
    &verb_keys,
    &verb_check,
    &verb_migrate,
    &verb_backup,
    &verb_bench,
    &verb_sql,
    &verb_guard,
    &verb_eval,
    &verb_routes,
    &verb_worker,
    NULL,
};
