#include "store/results.h"

#include <string.h>

#define PURGE_AT_ONCE "200"

static const struct field result_fields[] = {
    FIELD(struct stored_result, id, K_STR),
    FIELD(struct stored_result, tenant_id, K_STR),
    FIELD(struct stored_result, owner, K_STR),
    FIELD(struct stored_result, trace_id, K_STR),
    FIELD(struct stored_result, datasource_id, K_STR),
    FIELD(struct stored_result, question, K_STR),
    FIELD(struct stored_result, reading, K_STR),
    FIELD(struct stored_result, sql, K_STR),
    FIELD(struct stored_result, plan, K_RAW),
    FIELD(struct stored_result, columns, K_LIST, .of = &answer_column_type),
    FIELD(struct stored_result, receipt, K_OBJECT, .of = &receipt_type),
    FIELD(struct stored_result, view_key, K_STR),
    FIELD(struct stored_result, sql_hash, K_STR),
    FIELD(struct stored_result, row_hash, K_STR),
    FIELD(struct stored_result, row_ceiling, K_INT),
    FIELD(struct stored_result, row_count, K_INT),
    FIELD(struct stored_result, stored_rows, K_INT),
    FIELD(struct stored_result, truncated, K_BOOL),
    FIELD(struct stored_result, created_at, K_TIME),
    FIELD(struct stored_result, expires_at, K_TIME),
    { 0 },
};
static const struct type result_row = TYPE(struct stored_result, "StoredResult", result_fields);

static const struct field chunk_fields[] = {
    FIELD(struct stored_chunk, first_row, K_INT),
    FIELD(struct stored_chunk, row_count, K_INT),
    FIELD(struct stored_chunk, rows, K_RAW),
    { 0 },
};
static const struct type chunk_row = TYPE(struct stored_chunk, "StoredChunk", chunk_fields);

#define PURGE_CHUNKS                                                                                                   \
    "DELETE FROM result_chunks WHERE result_id IN"                                                                     \
    " (SELECT id FROM results WHERE expires_at <= $1 ORDER BY expires_at, id LIMIT " PURGE_AT_ONCE ")"
#define PURGE_RESULTS                                                                                                  \
    "DELETE FROM results WHERE id IN"                                                                                  \
    " (SELECT id FROM results WHERE expires_at <= $1 ORDER BY expires_at, id LIMIT " PURGE_AT_ONCE ")"

static void add_write(struct call *c, struct list *writes, const char *sql, const struct param *params, size_t count)
{
    struct param *kept = call_array(c, count, sizeof *kept);
    memcpy(kept, params, count * sizeof *kept);
    *(struct db_write *)list_push(c, writes, sizeof(struct db_write)) = (struct db_write){ sql, kept, count };
}

static void add_purge(struct call *c, struct list *writes, int64_t now_us)
{
    add_write(c, writes, PURGE_CHUNKS, PARAMS(P_I(now_us)));
    add_write(c, writes, PURGE_RESULTS, PARAMS(P_I(now_us)));
}

/* A result can be had again by asking again, so it need not wait for the disk. */
int results_insert(struct db *db, struct call *c, const struct stored_result *r, const struct list *chunks)
{
    struct list writes = { 0 };
    add_purge(c, &writes, r->created_at);
    add_write(c, &writes,
              "INSERT INTO results (id, tenant_id, owner, trace_id, datasource_id, question, reading, sql, plan,"
              " columns, receipt, view_key, sql_hash, row_hash, row_ceiling, row_count, stored_rows, truncated,"
              " created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,"
              " $16, $17, $18, $19, $20)",
              PARAMS(P_T(r->id), P_T(r->tenant_id), P_T(r->owner), P_T(r->trace_id), P_T(r->datasource_id),
                     P_T(r->question), P_T(r->reading), P_T(r->sql), db_raw(r->plan),
                     db_list(c, &answer_column_type, &r->columns), db_object(c, &receipt_type, r->receipt),
                     P_T(r->view_key), P_T(r->sql_hash), P_T(r->row_hash), P_I(r->row_ceiling), P_I(r->row_count),
                     P_I(r->stored_rows), P_I(r->truncated), P_I(r->created_at), P_I(r->expires_at)));
    for (size_t i = 0; i < chunks->count; i++) {
        const struct stored_chunk *k = &LIST_AT(chunks, struct stored_chunk, i);
        add_write(c, &writes,
                  "INSERT INTO result_chunks (result_id, first_row, row_count, rows) VALUES ($1, $2, $3, $4)",
                  PARAMS(P_T(r->id), P_I(k->first_row), P_I(k->row_count), db_raw(k->rows)));
    }
    return db_append_all(db, c, writes.items, writes.count);
}

int results_get(struct db *db, struct call *c, const struct principal *who, const char *id, int64_t now_us,
                struct stored_result *out, bool *found)
{
    return db_one(db, c, "SELECT * FROM results WHERE id = $1 AND tenant_id = $2 AND owner = $3 AND expires_at > $4",
                  PARAMS(P_T(id), P_T(who->tenant), P_T(who->user), P_I(now_us)), &result_row, out, found);
}

int results_chunks(struct db *db, struct call *c, const char *id, int64_t first, int64_t count, struct list *out)
{
    return db_query(db, c,
                    "SELECT first_row, row_count, rows FROM result_chunks"
                    " WHERE result_id = $1 AND first_row < $2 AND first_row + row_count > $3 ORDER BY first_row",
                    PARAMS(P_T(id), P_I(first + count), P_I(first)), &chunk_row, out);
}

int results_purge(struct db *db, struct call *c, int64_t now_us)
{
    struct list writes = { 0 };
    add_purge(c, &writes, now_us);
    return db_append_all(db, c, writes.items, writes.count);
}
