/* op: what an operation may reach. One file an op; its row is in table.c. An op validates what its types cannot say, calls
 * the room that does the work, and fills `out`. It holds no SQL, no JSON and no HTTP. */
#ifndef QUERENT_OP_H
#define QUERENT_OP_H

#include "base/secret.h"
#include "domain/world.h"
#include "engine.h"
#include "identity/key_cache.h"
#include "store/db.h"

struct jobs;
struct metrics;

struct engine {
    struct db *store;
    struct key_cache keys;
    struct log log;
    const char *state_dir; /* NULL with a :memory: store */
    unsigned char master_key[SECRET_KEY_BYTES]; /* seals datasource secrets */
    unsigned char cursor_key[SECRET_KEY_BYTES]; /* signs cursors; derived from the master key */
    struct metrics *metrics;
    struct jobs *jobs; /* long work; NULL only while opening and closing */
    pthread_mutex_t world_lock; /* leaf lock: held only to pin, count and swap */
    struct world *world;
    bool measure;
};

#endif
