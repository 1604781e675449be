/* value_index: distinct values of a datasource's text-like columns, for linking words of a question to data. Immutable once
 * built; built by indexing/ through guard. Lookups cost by the question, not by the data. */
#ifndef QUERENT_VALUE_INDEX_H
#define QUERENT_VALUE_INDEX_H

#include "domain/view.h"

#include "call.h"

struct value_index;

enum value_match { MATCH_EXACT, MATCH_FOLDED, MATCH_STEMMED, MATCH_PARTIAL, MATCH_TRIGRAM };

struct value_hit {
    const char *schema, *table, *column;
    const char *value; /* stored spelling */
    enum value_match match;
    float score;       /* 1 for exact; less for the rest */
};

/* Builder: values of one column after another. */
struct value_builder;
struct value_builder *value_builder_new(struct call *c);
void value_builder_add(struct value_builder *b, const char *schema, const char *table, const char *column,
                       const char *value);
struct value_index *value_builder_end(struct value_builder *b, size_t max_bytes); /* malloc'ed: one blob */

void value_index_free(struct value_index *v);
const void *value_index_blob(const struct value_index *v, size_t *n); /* for the store */
struct value_index *value_index_map(const void *blob, size_t n);      /* takes a copy; NULL when it is not one */

/* Hits for the words[first, first+count) of a question, only in columns that the view has, unmasked and unfiltered (or
 * public). Best first, at most `max`. */
size_t value_index_find(const struct value_index *v, struct call *c, const struct view *view, const char *phrase,
                        struct value_hit *hits, size_t max);

#endif
