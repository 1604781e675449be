/* value_index: distinct values of a datasource's text-like columns, for linking words of a question to data. Immutable
 * once built; built by indexing/ through guard. Lookups cost by the question, not by the data. */
#ifndef QUERENT_VALUE_INDEX_H
#define QUERENT_VALUE_INDEX_H

#include "base/words.h"
#include "domain/view.h"

struct value_index;

enum value_match { MATCH_EXACT, MATCH_FOLDED, MATCH_STEMMED, MATCH_PARTIAL, MATCH_TRIGRAM };

struct value_hit {
    const char *schema, *table, *column;
    const char *value; /* stored spelling */
    enum value_match match;
    float score;                      /* 1 for exact; less for the rest */
    size_t table_index, column_index; /* of the view */
};

/* Builder: values of one column after another; the blob never takes more than max_bytes (0 = as much as it may). */
struct value_builder;
struct value_builder *value_builder_new(struct call *c, size_t max_bytes);
/* False: left out, being longer than 80 bytes or more than fits. */
bool value_builder_add(struct value_builder *b, const char *schema, const char *table, const char *column,
                       const char *value);
struct value_index *value_builder_end(struct value_builder *b); /* malloc'ed: one blob */

void value_index_free(struct value_index *v);
/* Every value, column by column, in the order they were added; schema may be NULL. */
void value_index_each(const struct value_index *v, void *ctx,
                      void (*fn)(void *ctx, const char *schema, const char *table, const char *column,
                                 const char *value));
const void *value_index_blob(const struct value_index *v, size_t *n); /* for the store */
struct value_index *value_index_map(const void *blob, size_t n);      /* takes a copy; NULL when it is not one */

/* Moves a large blob from memory into an unlinked file of the folder, mapped read-only: the system may drop and reread
 * its pages. Where that fails it stays in memory. Before anybody else has the index. */
void value_index_to_file(struct value_index *v, struct call *c, const char *folder);
/* Columns ("table.column", "schema.table.column") whose values may be matched where a row filter holds. Before anybody
 * else has the index. */
void value_index_open_columns(struct value_index *v, const struct list *listed);

/* The index through one caller's eyes: only columns that the view has, unmasked, in tables without a row filter. */
struct value_scope;
struct value_scope *value_scope_open(struct call *c, const struct value_index *v, const struct view *view);
/* Hits for these words side by side; phrase is the same text as written. Best first, at most `max`. PARTIAL: the words
 * stand inside a longer value. TRIGRAM: the value begins like the word (Japanese, Japan). */
size_t value_scope_find(const struct value_scope *s, struct call *c, const struct word *words, size_t count,
                        const char *phrase, struct value_hit *hits, size_t max);
/* The same for a bare text. */
size_t value_index_find(const struct value_index *v, struct call *c, const struct view *view, const char *phrase,
                        struct value_hit *hits, size_t max);

#endif
