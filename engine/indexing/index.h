/* index: learns a datasource: structure by introspection, then statistics, sample values, undeclared keys and the value
 * index by plans of our own through guard. Blocks for as long as the database takes, within budgets: 20 s altogether, a
 * step ceiling a statement. What a budget cuts short stays unknown. */
#ifndef QUERENT_INDEX_H
#define QUERENT_INDEX_H

#include "schema/registry.h"
#include "store/db.h"

struct index_report {
    const char *fingerprint;
    int64_t tables, columns, rows; /* rows: of all base tables that could be counted */
    int64_t values;                /* in the value index */
    int64_t inferred_keys;
    bool changed;  /* the structure is another one than before */
    bool complete; /* no budget cut anything short */
};

/* Learns it anew, publishes and stores it. ERR_DATASOURCE_NOT_FOUND, ERR_DATASOURCE_UNAVAILABLE (the registry shows
 * it). */
int index_datasource(struct call *c, struct registry *r, struct db *store, const char *id, struct index_report *out);
/* A registry's learner, ctx is the store: what the store remembers while the structure is still the same, else anew. */
void index_learn(void *store, struct registry *r, struct call *c, const char *id);

#endif
