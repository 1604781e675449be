/* registry: the connected datasources of one world. Each entry is shared between worlds while its configuration stays the
 * same; snapshots are immutable and swapped whole. */
#ifndef QUERENT_REGISTRY_H
#define QUERENT_REGISTRY_H

#include "adapters/adapter.h"

struct value_index; /* schema/value_index.h */

enum datasource_status { DS_READY, DS_NOT_INDEXED, DS_UNAVAILABLE };
extern const char *const datasource_status_names[]; /* ready not_indexed unavailable NULL */

/* What a call sees of a datasource: pinned, constant while the call lives. snapshot is NULL when not_indexed. */
struct datasource {
    const struct datasource_config *config;
    struct adapter *adapter;
    const struct snapshot *snapshot;
    const struct value_index *values; /* NULL when there is none */
    enum datasource_status status;
    const char *problem; /* why unavailable, for admins */
};

struct registry;
int registry_open(struct call *c, struct registry **out);
void registry_close(struct registry *r);
/* Adds or replaces; the config is copied. */
int registry_put(struct registry *r, struct call *c, const struct datasource_config *config);
int registry_remove(struct registry *r, struct call *c, const char *id);
/* Publishes a new snapshot and value index (both copied or owned by the registry afterwards). */
int registry_publish(struct registry *r, struct call *c, const char *id, const struct snapshot *s, struct value_index *v);
void registry_mark(struct registry *r, const char *id, enum datasource_status status, const char *problem);
/* NULL when there is none. The entry is held until call_end of the call (registered with it). */
const struct datasource *registry_get(struct registry *r, struct call *c, const char *id);
/* All, by id: list of const struct datasource *. */
struct list registry_list(struct registry *r, struct call *c);

#endif
