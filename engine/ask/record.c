/* record: the result is stored before its first row leaves, then a listener gets its first page. */
#include "ask/run.h"

static struct raw preview(struct run *r)
{
    struct buf b;
    buf_init(&b, r->call, SIZE_MAX / 2);
    buf_char(&b, '[');
    for (size_t i = 0; i < r->rows.rows.count && i < PREVIEW_ROWS; i++) {
        if (i) buf_char(&b, ',');
        row_encode(&b, LIST_AT(&r->rows.rows, struct cell *, i), r->rows.column_count);
    }
    buf_char(&b, ']');
    return (struct raw){ b.data, b.len };
}

int ask_record(struct run *r)
{
    struct call *c = r->call;
    recorder_end(&r->rows);
    r->receipt->row_hash = row_hash_text(&r->rows.hash);
    r->out->receipt = r->receipt;
    struct result_made made = { .question = r->request->question,
                                .reading = r->reading,
                                .guarded = r->guarded,
                                .rows = &r->rows,
                                .stats = &r->stats,
                                .receipt = r->receipt };
    int rc = result_store(c, r->store, &made, &r->result_id);
    if (rc) return rc;
    c->audit.object_id = r->result_id;
    struct answer_query *q = &LIST_AT(&r->out->sub_queries, struct answer_query, 0);
    q->column_types = columns_describe(c, r->rows.columns, r->rows.column_count);
    q->columns = columns_names(c, &q->column_types);
    q->rows = preview(r);
    q->total_rows = r->stats.rows;
    q->truncated = r->stats.truncated || r->rows.rows.count > PREVIEW_ROWS || r->stats.rows > PREVIEW_ROWS;
    q->result_id = r->result_id;
    r->out->truncated = q->truncated;
    return call_emit(c, "run.result", &answer_query_type, q);
}
