#include "results/recorder.h"

#include "store/results.h"

#define CHUNK_ROWS 200

static int take_columns(void *ctx, struct call *c, const struct result_column *columns, size_t count)
{
    struct recorder *r = ctx;
    struct result_column *copy = call_array(c, count, sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        copy[i] = columns[i];
        copy[i].name = call_strdup(c, columns[i].name);
        copy[i].db_type = call_strdup(c, columns[i].db_type);
    }
    r->columns = copy;
    r->column_count = count;
    return OK;
}

static void close_chunk(struct recorder *r)
{
    int64_t next = (int64_t)r->rows.count;
    if (next == r->chunk_first) return;
    struct stored_chunk *chunk = list_push(r->call, &r->chunks, sizeof *chunk);
    chunk->first_row = r->chunk_first;
    chunk->row_count = next - r->chunk_first;
    chunk->rows = (struct raw){ call_strndup(r->call, r->lines.data, r->lines.len), r->lines.len };
    r->chunk_first = next;
    buf_clear(&r->lines);
}

static struct cell *copy_row(struct call *c, const struct cell *cells, size_t count)
{
    struct cell *copy = call_array(c, count, sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        copy[i] = cells[i];
        copy[i].text = cells[i].kind == CELL_NULL ? NULL : call_strndup(c, cells[i].text, cells[i].n);
    }
    return copy;
}

static int take_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct recorder *r = ctx;
    row_hash_add(&r->hash, cells, count);
    if (r->full) return OK;
    size_t before = r->lines.len;
    row_encode(&r->lines, cells, count);
    buf_char(&r->lines, '\n');
    r->bytes += (int64_t)(r->lines.len - before);
    if (r->bytes > RESULT_BYTES || r->rows.count == RESULT_ROWS) {
        r->full = true; /* a later, shorter row would leave a hole */
        r->lines.len = before;
        return OK;
    }
    *(struct cell **)list_push(c, &r->rows, sizeof(struct cell *)) = copy_row(c, cells, count);
    if ((int64_t)r->rows.count - r->chunk_first == CHUNK_ROWS) close_chunk(r);
    return OK;
}

struct row_sink recorder_begin(struct recorder *r, struct call *c)
{
    *r = (struct recorder){ .call = c };
    buf_init(&r->lines, c, SIZE_MAX / 2);
    row_hash_begin(&r->hash, c);
    return (struct row_sink){ .columns = take_columns, .row = take_row, .ctx = r };
}

void recorder_end(struct recorder *r)
{
    close_chunk(r);
    row_hash_end(&r->hash);
}
