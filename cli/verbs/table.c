/* The verbs, in the order of the help. */
#include "cli/verbs/verb.h"

extern const struct verb verb_ask, verb_backup, verb_check, verb_demo, verb_keys, verb_migrate, verb_routes, verb_serve;

const struct verb *const verbs[] = {
    &verb_serve, &verb_ask, &verb_demo, &verb_keys, &verb_check, &verb_migrate, &verb_backup, &verb_routes, NULL,
};
