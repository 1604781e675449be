/* registry: the connected datasources. What is known about a schema is immutable and swapped whole; a call pins what it
 * sees at its first look, so no answer mixes two states. Any thread may call any function. */
#ifndef QUERENT_REGISTRY_H
#define QUERENT_REGISTRY_H

#include "adapters/adapter.h"

struct value_index; /* schema/value_index.h */

enum datasource_status { DS_READY, DS_NOT_INDEXED, DS_UNAVAILABLE };
extern const char *const datasource_status_names[]; /* ready not_indexed unavailable NULL */

/* What a call sees of a datasource: pinned, constant while the call lives. snapshot is NULL until it is indexed. */
struct datasource {
    const struct datasource_config *config;
    struct adapter *adapter; /* NULL when its driver is not installed */
    const struct snapshot *snapshot;
    const struct value_index *values; /* NULL when there is none */
    size_t bytes;                     /* of memory that snapshot and values take */
    enum datasource_status status;
    const char *problem; /* why unavailable, for admins */
};

struct registry;

/* Learns what is not known yet: called at the first use of a datasource, once what is known turned out to be stale, and
 * again some seconds after a failure; one call at a time for each datasource. It publishes, confirms or marks; its own
 * failure is forgiven. begin has registry_learn called soon on a thread that serves no request, false = it will not;
 * without it, and for the operator, learning happens on the thread of the call that needs it. */
struct registry_learner {
    void (*learn)(void *ctx, struct registry *r, struct call *c, const char *id);
    void *ctx;
    const char *folder; /* for large value indexes; NULL = they stay in memory */
    bool (*begin)(void *ctx, const char *id);
    void *begin_ctx;
};

int registry_open(struct call *c, struct registry **out);
void registry_close(struct registry *r); /* what calls have pinned stays until they end */
void registry_learn_with(struct registry *r, struct registry_learner learner); /* before any other call uses it */
/* Adds or replaces; the config is copied. An entry whose config is the same stays as it is. A connection that is not
 * well formed is ERR_VALIDATION_ERROR; a driver that is not installed is no failure: the entry is unavailable. */
int registry_put(struct registry *r, struct call *c, const struct datasource_config *config);
/* ERR_DATASOURCE_NOT_FOUND. */
int registry_remove(struct registry *r, struct call *c, const char *id);
/* Publishes a new snapshot (copied) and value index (owned afterwards, also on failure; may be NULL). It becomes ready.
 */
int registry_publish(struct registry *r, struct call *c, const char *id, const struct snapshot *s,
                     struct value_index *v);
/* The same of what the store remembers: it may be looked at, and is still to be compared with the database. */
int registry_recall(struct registry *r, struct call *c, const char *id, const struct snapshot *s,
                    struct value_index *v);
/* What is known was found true. It becomes ready. */
void registry_confirm(struct registry *r, const char *id);
/* The database no longer has what is known: the next call that names it waits until it is learnt anew. */
void registry_stale(struct registry *r, const char *id);
/* Nobody else learns it between the two; the caller publishes. Waits for who does; ERR_DATASOURCE_NOT_FOUND. */
struct slot;
int registry_lesson(struct registry *r, struct call *c, const char *id, struct slot **out);
void registry_lesson_over(struct slot *slot);
/* Has begin called if that is due, and waits for nothing. */
void registry_begin(struct registry *r, const char *id);
/* Somebody is at it, and so far nothing is known of it. False for unknown ids. */
bool registry_awaited(struct registry *r, const char *id);
/* Learns now, on this thread, if that is due. */
void registry_learn(struct registry *r, struct call *c, const char *id);
/* Without a snapshot DS_READY means DS_NOT_INDEXED. Unknown ids are ignored. */
void registry_mark(struct registry *r, const char *id, enum datasource_status status, const char *problem);
/* NULL when there is none. Held until call_end of the call; a second time it is the same one, whatever was published.
 * While another thread learns it, a call waits some seconds, and then takes it as it stands. */
const struct datasource *registry_get(struct registry *r, struct call *c, const char *id);
/* As it stands now, without learning and though the call may hold an older one; for those who learn and list. */
const struct datasource *registry_peek(struct registry *r, struct call *c, const char *id);
/* All of them as they stand, without learning: for /metrics. */
struct registry_census {
    size_t ready, not_indexed, unavailable;
    size_t bytes;         /* of memory that schemas and values take */
    size_t circuits_open; /* half open ones, too */
    int64_t opened, refused;
};
struct registry_census registry_census(struct registry *r);
/* Of all by id, those after `after` (NULL = from the first), at most `most`: list of const char *. Nothing is learnt.
 */
struct list registry_ids(struct registry *r, struct call *c, const char *after, size_t most);
/* Those of the ids that there are: list of const struct datasource *, each as registry_get has it; the whole list waits
 * only so long, and only the first 64 that need it are learnt for it. */
struct list registry_some(struct registry *r, struct call *c, const char *const *ids, size_t count);
/* All, by id. */
struct list registry_list(struct registry *r, struct call *c);

#endif
