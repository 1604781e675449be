/* row_hash: a hash of rows as a multiset: equal for the same rows in any order, different when one is missing, doubled
 * or changed. SHA-256 of each row, summed modulo 2^256, hashed again with the count. */
#ifndef QUERENT_ROW_HASH_H
#define QUERENT_ROW_HASH_H

#include "base/hash.h"
#include "domain/result.h"

struct row_hash {
    struct call *call;
    struct hash *hash;
    char *row; /* for rows that are too long for the stack */
    size_t room;
    uint64_t sum[4];
    uint64_t rows;
    unsigned char last[HASH_BYTES]; /* of the row added last */
};

void row_hash_begin(struct row_hash *h, struct call *c);
void row_hash_add(struct row_hash *h, const struct cell *cells, size_t count);
char *row_hash_text(const struct row_hash *h); /* of the rows so far, in the call; 64 hex characters */
void row_hash_end(struct row_hash *h);         /* may be called when begin was not */

#endif
