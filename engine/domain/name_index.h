/* name_index: which tables of a view have which words in their names, in those of their columns and in the descriptions
 * of both, and which tables keys tie together; for views too large to be read whole for every question. Built once with
 * a view, of what it shows only; immutable. A look-up costs by the words asked and the tables that have them. */
#ifndef QUERENT_NAME_INDEX_H
#define QUERENT_NAME_INDEX_H

#include "base/words.h"
#include "domain/schema.h"

struct indexed_word {
    const char *fold, *stem;
    uint32_t first, count; /* places */
    uint32_t tables;       /* that have it */
};

struct name_index {
    struct indexed_word *words; /* by fold */
    size_t word_count;
    uint32_t *places;          /* table * 2 + (the word is in the table's own name): by table, its own name first */
    uint32_t *neighbours;      /* tables, both ways of a key */
    uint32_t *neighbour_first; /* beside tables, and one more */
    uint8_t *name_lengths;     /* beside tables: words of its own name, at least 1 */
    size_t table_count;
};

/* A view that is small enough to be read whole needs none. */
bool name_index_wanted(const struct table *tables, size_t count);
/* Lives in `keep`; names may be zeroed. */
const struct name_index *name_index_build(struct call *keep, const struct table *tables, size_t count,
                                          const struct table_names *names);
/* The words that begin with these bytes: *first up to the returned one. */
size_t name_index_range(const struct name_index *x, const char *begin, size_t n, size_t *first);
/* Tables that have the question's words, at most `max` into `out`, best first: rare words count more, and words of the
 * table's own name three times. Words that thousands of tables have count only where no other word finds any. */
size_t name_index_tables(const struct name_index *x, struct call *c, const struct words *q, uint32_t *out, size_t max);

#endif
