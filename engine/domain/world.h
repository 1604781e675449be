/* world: everything an answer depends on besides the databases, as one immutable, reference-counted value. A call pins it
 * once, so no answer mixes versions; a change builds a new world and swaps the pointer. */
#ifndef QUERENT_WORLD_H
#define QUERENT_WORLD_H

#include <stddef.h>
#include <stdint.h>

struct call;
struct config;
struct policies;
struct registry;

struct world {
    const struct config *config;
    const struct policies *policies;
    struct registry *registry; /* datasources: adapter, snapshot, value index */
    int64_t version;           /* grows with each swap */
};

#endif
