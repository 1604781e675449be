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
    enum datasource_status status;
    const char *problem; /* why unavailable, for admins */
};

struct registry;

/* Learns what is not known yet: called at the first use of a datasource without snapshot, and again some seconds after
 * a failure; one call at a time for each datasource. It publishes or marks; its own failure is forgiven. */
struct registry_learner {
    void (*learn)(void *ctx, struct registry *r, struct call *c, const char *id);
    void *ctx;
    const char *folder; /* for large value indexes; NULL = they stay in memory */
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
/* Without a snapshot DS_READY means DS_NOT_INDEXED. Unknown ids are ignored. */
void registry_mark(struct registry *r, const char *id, enum datasource_status status, const char *problem);
/* NULL when there is none. Held until call_end of the call; a second time it is the same one, whatever was published.
 */
const struct datasource *registry_get(struct registry *r, struct call *c, const char *id);
/* As it stands now, without learning and though the call may hold an older one; for those who learn and list. */
const struct datasource *registry_peek(struct registry *r, struct call *c, const char *id);
/* All, by id: list of const struct datasource *, each as registry_get has it. */
struct list registry_list(struct registry *r, struct call *c);

#endif
