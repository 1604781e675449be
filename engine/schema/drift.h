/* drift: what is different between two pictures of a database's structure. */
#ifndef QUERENT_DRIFT_H
#define QUERENT_DRIFT_H

#include "domain/schema.h"
#include "type.h"

enum change_kind {
    CHANGE_TABLE_ADDED,
    CHANGE_TABLE_REMOVED,
    CHANGE_TABLE_KIND, /* a table became a view, or the like */
    CHANGE_COLUMN_ADDED,
    CHANGE_COLUMN_REMOVED,
    CHANGE_COLUMN_TYPE,
    CHANGE_COLUMN_NULLABLE,
    CHANGE_KEYS /* primary, unique or foreign keys */
};

struct schema_change {
    int kind; /* enum change_kind */
    const char *schema, *table, *column;
    const char *before, *after; /* types, kinds, keys in words; NULL where there is none */
};
extern const struct type schema_change_type;

/* The first `most` changes, by table, as list of struct schema_change; *count is how many there are. Both pictures'
 * tables stand by schema, then name. The texts live as long as the pictures and the call. */
void schema_drift(struct call *c, const struct snapshot *before, const struct snapshot *after, size_t most,
                  struct list *changes, int64_t *count);
/* Names, types, declared keys and kind are equal. */
bool table_same_structure(struct call *c, const struct table *a, const struct table *b);

#endif
