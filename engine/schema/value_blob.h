/* value_blob: how a value index lies in memory and in the store. One blob: columns, values, and a table of keys. A key
 * is the hash of a value's folded words, its stemmed words, one of its words, or the first letters of one; it leads to
 * a run of values. Private to value_builder.c, value_index.c and value_scope.c. */
#ifndef QUERENT_VALUE_BLOB_H
#define QUERENT_VALUE_BLOB_H

#include "schema/value_index.h"

#define BLOB_MAGIC   0x31495651u /* "QVI1" */
#define PREFIX_BYTES 4

enum key_kind { KEY_FOLDED = 1, KEY_STEMMED, KEY_WORD, KEY_PREFIX };

struct blob_column {
    uint32_t schema, table, column; /* offsets into the text, schema 0 = none */
};
struct blob_value {
    uint32_t column, text;
};
struct blob_key {
    uint32_t hash, first, count; /* count 0 = empty */
};
struct blob {
    uint32_t magic, bytes;
    uint32_t column_count, value_count, key_slots, run_count, text_bytes;
    uint32_t columns, values, keys, runs, text; /* offsets from the beginning */
};

struct value_index {
    size_t n;
    const struct blob *blob;
    bool *open;  /* beside columns: may be matched whatever the row filter; NULL = none */
    bool mapped; /* the blob is a file's, not malloc'ed */
};

/* What stands at an offset of the blob. */
static inline const void *blob_part(const struct value_index *v, uint32_t offset)
{
    return (const unsigned char *)v->blob + offset;
}

/* The hash that a key is filed under; never 0. */
static inline uint32_t key_hash(enum key_kind kind, uint32_t h)
{
    h = hash_pair((uint32_t)kind, h);
    return h ? h : 1;
}

/* One more word, folded or stemmed, of a row of words that begins with 1. */
static inline uint32_t words_hash(uint32_t h, const char *s)
{
    return hash_pair(h, hash_text(s));
}

#endif
