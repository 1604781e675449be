/* slot: how the registry keeps one datasource: its connection, what is known of it, and how calls share both. For
 * registry.c, learning.c and slot.c only. */
#ifndef QUERENT_SLOT_H
#define QUERENT_SLOT_H

#include "schema/registry.h"

/* A configuration and its adapter, held by a slot and by the states that show them. */
struct connected {
    atomic_size_t holders;
    struct call memory; /* of the config */
    struct datasource_config config;
    const char *text; /* equal texts are equal configs */
    struct adapter *adapter;
};

/* A snapshot with its value index, held by the states that show them. */
struct known {
    atomic_size_t holders;
    struct arena arena;
    const struct snapshot *snapshot;
    struct value_index *values;
    size_t bytes;
};

/* What calls hold; immutable. */
struct state {
    struct datasource shown; /* first: a pinned datasource leads back to its state */
    atomic_size_t holders;
    struct connected *connected;
    struct known *known; /* NULL until indexed */
    char *problem;
};

/* A datasource under its configuration, and what is known of it now. */
struct slot {
    atomic_size_t holders; /* the registry, and calls that work on it */
    struct connected *connected;
    pthread_mutex_t lock; /* leaf: state, learning */
    struct state *state;
    bool learning; /* somebody is at it, or will be soon */
    int64_t learning_since_us;
    pthread_cond_t learnt;    /* with lock: learning is over, or state is another one */
    pthread_mutex_t lesson;   /* held while the learner runs */
    atomic_bool checked;      /* what is known was compared with the database in this process */
    atomic_bool stale;        /* the database said that what is known no longer holds */
    _Atomic int64_t tried_us; /* monotonic; 0 = never */
    _Atomic int64_t vain_us;  /* when it was called stale and was not */
};

struct registry {
    pthread_rwlock_t lock; /* leaf: the list */
    struct slot **slots;   /* by id */
    size_t count, room;
    struct registry_learner learner;
};

void *slot_memory(size_t bytes); /* zeroed */
struct slot *slot_new(struct connected *connected, enum datasource_status status, const char *problem);
void slot_hold(struct slot *slot);
void slot_drop(struct slot *slot);
struct slot *slot_find(struct registry *r, const char *id); /* held until slot_drop; NULL when there is none */

void slot_checked(struct slot *slot); /* what is shown is what the database has */

void connected_drop(struct connected *k);
void known_drop(struct known *k);
void state_drop(void *state);
/* Takes over one hold on known. */
struct state *state_new(struct connected *connected, struct known *known, enum datasource_status status,
                        const char *problem);
struct state *slot_state(struct slot *slot); /* held until state_drop */
void slot_show(struct slot *slot, struct state *s);

/* Sees to it that something is known before a call looks, as far as its patience goes. */
struct patience {
    int64_t unknown_us; /* how long a call waits when nothing is known, or what is known does not hold */
    int64_t known_us;   /* how long after learning began it waits when something is known */
    int64_t retry_us;   /* how soon after a failure it is tried again */
};
void slot_learn(struct registry *r, struct slot *slot, struct call *c, const struct patience *p);
/* Starts it, when it is due, without waiting. */
void slot_learn_begin(struct registry *r, struct slot *slot, const struct patience *p);

#endif
