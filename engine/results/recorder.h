/* recorder: a row sink that keeps what an answer needs: the first rows as cells and as encoded chunks for the store,
 * and the count and hash of all of them. Memory stays bounded by RESULT_BYTES however long the result is. */
#ifndef QUERENT_RECORDER_H
#define QUERENT_RECORDER_H

#include "results/encode.h"
#include "results/row_hash.h"

#define RESULT_ROWS  1000
#define RESULT_BYTES (1 << 20)

struct recorder {
    struct call *call;
    const struct result_column *columns; /* as the database described them; in the call */
    size_t column_count;
    struct list rows;   /* struct cell *: the kept rows */
    struct list chunks; /* struct stored_chunk, complete after recorder_end() */
    struct buf lines;   /* of the open chunk */
    int64_t chunk_first, bytes;
    struct row_hash hash;
    bool full; /* no further row is kept */
};

/* The sink stays valid until recorder_end(), which must be called whatever happened. */
struct row_sink recorder_begin(struct recorder *r, struct call *c);
void recorder_end(struct recorder *r);

#endif
