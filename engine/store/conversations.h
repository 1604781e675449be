/* conversations: questions and answers in order, appended one turn at a time, bound to their owner. Each function
 * blocks on the store. */
#ifndef QUERENT_STORE_CONVERSATIONS_H
#define QUERENT_STORE_CONVERSATIONS_H

#include "store/db.h"

struct stored_conversation {
    const char *id, *tenant_id, *owner, *title, *datasource_id;
    int64_t turn_count;
    struct raw pending; /* absent when nothing waits for a choice */
    int64_t created_at, updated_at;
};

struct stored_turn {
    int64_t number; /* 1-based */
    int64_t at;
    const char *kind, *text, *question, *status, *trace_id;
    bool rewritten;
    struct raw result, error;
};

/* *found false for what is not there and for another's alike; insert takes the id as it is. */
int conversations_insert(struct db *db, struct call *c, const struct stored_conversation *v);
int conversations_get(struct db *db, struct call *c, const struct principal *who, const char *id,
                      struct stored_conversation *out, bool *found);
/* The caller's own, latest first, after the position (updated_at, id) when id is set: list of stored_conversation. */
int conversations_list(struct db *db, struct call *c, const struct principal *who, int64_t before_us,
                       const char *before_id, int64_t limit, struct list *out);
int conversations_delete(struct db *db, struct call *c, const struct principal *who, const char *id, bool *found);
/* Deletes those without a turn since `before_us`. */
int conversations_purge(struct db *db, struct call *c, int64_t before_us);
int conversations_turns(struct db *db, struct call *c, const char *id, struct list *out); /* list of stored_turn */

/* Takes the lock of a running turn until `until_us`; *taken false when another turn holds it. */
int conversations_lock(struct db *db, struct call *c, const char *id, const char *by, int64_t now_us, int64_t until_us,
                       bool *taken);
int conversations_unlock(struct db *db, struct call *c, const char *id, const char *by);
/* Appends the turn (its number is set here), replaces pending, sets the title when it is the first turn and the stored
 * title is empty. ERR_CONFLICT when `by` lost the lock. */
int conversations_append(struct db *db, struct call *c, const char *id, const char *by, const char *title,
                         struct raw pending, struct stored_turn *turn);

#endif
