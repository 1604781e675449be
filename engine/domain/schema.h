/* schema: what a database holds, as introspection found it. A snapshot is immutable once made. */
#ifndef QUERENT_SCHEMA_H
#define QUERENT_SCHEMA_H

#include "domain/value_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct column {
    const char *name;    /* stored spelling */
    const char *db_type; /* as the database reports it, "DECIMAL(10,2)" */
    struct value_type type;
    bool nullable;
    int primary_key; /* 1-based position in the key, 0 = not in it */
    bool unique;     /* a unique index on this column alone */
    const char *description;
    bool pii; /* never indexed or sampled; from configuration */
    /* Statistics; -1 = not known. */
    int64_t distinct_count, null_count;
    const char *min, *max;
    const char *const *samples; /* most frequent values first; text-like columns only */
    size_t sample_count;
};

struct foreign_key {
    const char *const *columns; /* of the owning table */
    size_t column_count;
    const char *schema, *table; /* referred table */
    const char *const *referred;
    bool inferred; /* found by names and values, not declared */
};

/* A table and those of its columns that something reads. */
struct table_read {
    const char *schema, *table;
    const char *const *columns;
    size_t column_count;
};

enum table_kind { TABLE_BASE, TABLE_VIEW, TABLE_MATERIALIZED_VIEW, TABLE_FOREIGN };

struct table {
    const char *schema; /* NULL where the engine has one namespace (sqlite) */
    const char *name;
    enum table_kind kind;
    const char *description;
    struct column *columns;
    size_t column_count;
    struct foreign_key *foreign_keys;
    size_t foreign_key_count;
    int64_t row_count; /* -1 = not known */
    /* Another text than before when rows were written since, as far as the engine counts that; NULL = it does not. */
    const char *mark;
    /* What a view reads and calls, views inside it expanded to their tables; for the second opinion. */
    struct table_read *reads;
    size_t read_count;
    const char *const *functions; /* lower case */
    size_t function_count;
    bool reads_unknown; /* a view of which the catalogue does not say, to this connection, what it reads */
};

struct snapshot {
    const char *datasource;
    const char *dialect;     /* row of sql/dialects/table.c */
    const char *fingerprint; /* SHA-256 over names, types, keys */
    const char *server_version;
    int64_t taken_us;
    struct table *tables; /* by schema, then name */
    size_t table_count;
};

/* Names compare without case when that is unique; the stored spelling wins otherwise. schema NULL = any. NULL when none or
 * ambiguous. */
const struct table *schema_table(const struct table *tables, size_t count, const char *schema, const char *name);
const struct column *schema_column(const struct table *t, const char *name);

/* By schema, then name: as the tables of a snapshot stand. */
int table_order(const struct table *a, const struct table *b);
/* Of tables in that order, the one whose name is spelt so; NULL when there is none. Halves: cheap with thousands. */
const struct table *schema_spelt(const struct table *tables, size_t count, const char *schema, const char *name);

/* Tables by name without case, for databases with thousands of them. `slots` is the owner's memory, at least
 * table_names_bytes(count). Zeroed = none: lookups scan. */
struct table_names {
    uint32_t *slots; /* index + 1 into the tables, 0 = empty */
    size_t size;     /* a power of two */
};
size_t table_names_bytes(size_t count);
void table_names_build(struct table_names *n, void *memory, const struct table *tables, size_t count);
/* As schema_table; *matches counts the tables that could be meant (0, 1, or more = ambiguous). */
const struct table *schema_find(const struct table *tables, size_t count, const struct table_names *names,
                                const char *schema, const char *name, size_t *matches);

#endif
