/* index: learns a datasource: structure by introspection, then statistics, sample values, undeclared keys and the value
 * index by plans of our own through guard. Tables whose structure and contents did not change since the last time are
 * not read again. Blocks for as long as the database takes, within budgets: so long altogether, a step ceiling a
 * statement. What a budget cuts short stays unknown. */
#ifndef QUERENT_INDEX_H
#define QUERENT_INDEX_H

#include "schema/registry.h"
#include "store/db.h"

enum { INDEX_CHANGES = 200 };

struct index_report {
    const char *fingerprint;
    const char *before;            /* fingerprint of the picture it replaces, NULL = there was none */
    int64_t tables, columns, rows; /* rows: of all base tables that could be counted */
    int64_t tables_read;           /* whose contents were read; the others are as they were */
    int64_t values;                /* in the value index */
    int64_t values_left_out;       /* too long, too many of a column, or beyond the size of the index */
    int64_t inferred_keys;
    int64_t bytes;       /* of memory that schema and values take while they are in use */
    bool changed;        /* the structure is another one than before */
    bool complete;       /* no budget cut anything short */
    struct list changes; /* struct schema_change, the first INDEX_CHANGES */
    int64_t change_count;
};
extern const struct type index_report_type;

struct index_options {
    bool full;           /* read all contents again, changed or not */
    bool structure_only; /* contents count as unchanged where the structure is */
    int64_t budget_us;   /* for contents; 0 = 20 s */
    /* How far it is: a constant name of the stage, what is done of how many in it, percent of the whole. */
    void (*progress)(void *ctx, const char *stage, int64_t done, int64_t total, int64_t percent);
    void *ctx;
};

/* Learns it anew, publishes and stores it. ERR_DATASOURCE_NOT_FOUND, ERR_DATASOURCE_UNAVAILABLE (the registry shows
 * it). options may be NULL. */
int index_datasource(struct call *c, struct registry *r, struct db *store, const char *id,
                     const struct index_options *options, struct index_report *out);
/* A registry's learner, ctx is the store: shows what the store remembers, then compares it with the database; the same
 * structure stands, another one is learnt. */
void index_learn(void *store, struct registry *r, struct call *c, const char *id);

#endif
