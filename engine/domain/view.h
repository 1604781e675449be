/* view: what one caller may see of a snapshot. Everything between a question and the guard works on a view only, so a
 * denied table or column is missing by construction. Built by policy/, cached there, immutable. */
#ifndef QUERENT_VIEW_H
#define QUERENT_VIEW_H

#include "domain/schema.h"

struct expr;
struct name_index;

struct mask {
    const char *column;
    struct expr *expr; /* own-table columns and literals only; alias of the table is its name */
};

/* Beside each table of the view: how it may be read. */
struct table_access {
    bool hides_columns;  /* `*` is refused STAR_NEEDS_COLUMNS */
    struct expr *filter; /* NULL = every row */
    struct mask *masks;
    size_t mask_count;
};

struct view {
    const struct snapshot *snapshot; /* for guard's second wall only */
    struct table *tables;            /* copies without hidden columns and without foreign keys to hidden tables */
    struct table_access *access;     /* beside tables */
    size_t table_count;
    struct table_names names;       /* of tables; zeroed = lookups scan */
    const struct name_index *words; /* of a large view; NULL = not built */
    bool hides_anything;
    const char *key; /* names (fingerprint, policy version, roles): caches use it */
};

#endif
