/* owned: rows that belong to one person and own rows of another table (conversations and their turns, dashboards and
 * their tiles): got, listed newest first, deleted whole. */
#ifndef QUERENT_OWNED_H
#define QUERENT_OWNED_H

#include "store/db.h"

/* Its statements, made of constants by OWNED. */
struct owned {
    const struct type *row;
    const char *get, *first, *next, *delete_parts, *delete_one;
};
#define OWNED_THIS " WHERE id = $1 AND tenant_id = $2 AND owner = $3"
#define OWNED_LIST " ORDER BY updated_at DESC, id DESC LIMIT "
/* columns: what a SELECT lists; part_key: the column of `parts` that holds the id. */
#define OWNED(row_type, columns, table, parts, part_key)                                                               \
    {                                                                                                                  \
        .row = (row_type), .get = "SELECT " columns " FROM " table OWNED_THIS,                                         \
        .first = "SELECT " columns " FROM " table " WHERE tenant_id = $1 AND owner = $2" OWNED_LIST "$3",              \
        .next = "SELECT " columns " FROM " table " WHERE tenant_id = $1 AND owner = $2 AND (updated_at < $3 OR"        \
                " (updated_at = $3 AND id < $4))" OWNED_LIST "$5",                                                     \
        .delete_parts = "DELETE FROM " parts " WHERE " part_key " IN (SELECT id FROM " table OWNED_THIS ")",           \
        .delete_one = "DELETE FROM " table OWNED_THIS                                                                  \
    }

/* *found false for what is not there and for another's alike. */
int owned_get(struct db *db, struct call *c, const struct owned *o, const struct principal *who, const char *id,
              void *out, bool *found);
/* Those before (before_us, before_id); before_id NULL = from the newest. */
int owned_list(struct db *db, struct call *c, const struct owned *o, const struct principal *who, int64_t before_us,
               const char *before_id, int64_t limit, struct list *out);
int owned_delete(struct db *db, struct call *c, const struct owned *o, const struct principal *who, const char *id,
                 bool *found);

#endif
