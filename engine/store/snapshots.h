/* snapshots: the schema of each datasource as it was last found, with its value index; the last
 * five versions, values of the latest only. */
#ifndef QUERENT_STORE_SNAPSHOTS_H
#define QUERENT_STORE_SNAPSHOTS_H

#include "store/db.h"

struct stored_schema {
    const char *fingerprint;
    const char *source; /* hash of the connection */
    int64_t taken_at;
    const char *snapshot;   /* JSON text, see schema/snapshot.h */
    struct raw value_index; /* text NULL = none */
    int64_t change_count;   /* against the version before */
    struct raw changes;     /* the first of them, a JSON array; text NULL = not known */
};

/* Adds a version, or refreshes the one of the same fingerprint, whose changes stay when s brings none. */
int snapshots_put(struct db *db, struct call *c, const char *datasource_id, const struct stored_schema *s);
/* The latest one found through that source. */
int snapshots_last(struct db *db, struct call *c, const char *datasource_id, const char *source,
                   struct stored_schema *out, bool *found);
/* All versions that are kept, latest first, without snapshot and values: list of struct stored_schema. */
int snapshots_versions(struct db *db, struct call *c, const char *datasource_id, struct list *out);
int snapshots_remove(struct db *db, struct call *c, const char *datasource_id);

#endif
