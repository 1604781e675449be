/* The verbs, in the order of the help. */
#include "cli/verbs/verb.h"

extern const struct verb verb_routes, verb_serve;

const struct verb *const verbs[] = {
    &verb_serve,
    &verb_routes,
    NULL,
};
