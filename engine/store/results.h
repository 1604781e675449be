/* results: answered rows in the store, bound to their owner. Each function blocks on the store. */
#ifndef QUERENT_STORE_RESULTS_H
#define QUERENT_STORE_RESULTS_H

#include "domain/answer.h"
#include "store/db.h"

struct stored_result {
    const char *id, *tenant_id, *owner, *trace_id, *datasource_id, *question, *reading, *sql;
    struct raw plan;     /* plan JSON */
    struct list columns; /* struct answer_column */
    struct receipt *receipt;
    const char *view_key, *sql_hash, *row_hash;
    int64_t row_ceiling; /* of the run */
    int64_t row_count;   /* delivered by the run */
    int64_t stored_rows; /* kept in chunks, from the first row on */
    bool truncated;      /* the run was cut at its ceiling */
    int64_t created_at, expires_at;
};

struct stored_chunk {
    int64_t first_row, row_count;
    struct raw rows; /* row_count lines, each a JSON array */
};

/* Result and chunks (list of struct stored_chunk) in one transaction, which also sweeps what has expired. */
int results_insert(struct db *db, struct call *c, const struct stored_result *r, const struct list *chunks);
/* The caller's own, not expired at `now_us`. */
int results_get(struct db *db, struct call *c, const struct principal *who, const char *id, int64_t now_us,
                struct stored_result *out, bool *found);
/* Chunks that hold rows [first, first + count), in order: list of struct stored_chunk. */
int results_chunks(struct db *db, struct call *c, const char *id, int64_t first, int64_t count, struct list *out);
/* Deletes what expired before `now_us`; at most a few hundred at once. */
int results_purge(struct db *db, struct call *c, int64_t now_us);

#endif
