/* running: the engine as it stands behind the facade: what operations reach (struct engine), the world with its count,
 * and the callers at work. */
#ifndef QUERENT_RUNNING_H
#define QUERENT_RUNNING_H

#include "ops/op.h"

#include "domain/config.h"

/* A world and who holds it. The engine's own hold ends when it is swapped out. */
struct held_world {
    struct world world; /* first: a call's world finds its count by it */
    struct config *config;
    struct policies *policies;
    atomic_long holds;
};

#define CALLERS_MAX 1024

/* How many operations each caller has in work. */
struct callers {
    pthread_mutex_t lock; /* leaf lock */
    struct caller {
        uint64_t who;
        int64_t count;
    } at_work[CALLERS_MAX];
    size_t used;
};

#define DEMO_ID "demo"

/* What readiness waits for: the demo that was put in is learnt, or cannot be. */
enum demo_state { DEMO_SETTLED, DEMO_PUT, DEMO_BEGUN };

struct running {
    struct engine engine; /* first: the facade's pointer */
    struct call memory;   /* of the engine's lifetime: paths and overrides */
    const char *config_path;
    const struct json *overrides;
    struct callers callers;
    _Atomic enum demo_state demo;
};

/* world: builds the first one, swaps in another, ends the last. */
int world_build(struct running *r, struct call *c, struct config *config,
                struct held_world **out); /* takes the config */
void world_swap(struct running *r, struct held_world *next);
void world_drop(struct held_world *never_used);
void world_end(struct running *r);
void world_pin(struct engine *e, struct call *c); /* once a call; released by call_end */

/* state: the folder and its master key. */
int state_open(struct call *c, const struct engine_options *o, const struct config *config, struct engine *e);

/* False when the caller has `most` operations in work. */
bool callers_enter(struct callers *s, const struct principal *who, int64_t most);
void callers_leave(struct callers *s, const struct principal *who);

#endif
