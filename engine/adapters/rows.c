#include "adapters/rows.h"

void rows_open(struct rows *r, size_t count)
{
    r->count = count;
    r->columns = call_array(r->call, count, sizeof *r->columns);
    r->cells = call_array(r->call, count, sizeof *r->cells);
    for (size_t i = 0; i < count; i++)
        if (r->statement && i < r->statement->column_count) r->columns[i] = r->statement->columns[i];
}

void rows_name(struct rows *r, size_t i, const char *name)
{
    if (r->columns[i].name) return;
    r->columns[i].name = call_strdup(r->call, name);
    r->columns[i].nullable = true;
}

int rows_begin(struct rows *r)
{
    r->began = true;
    return r->sink->columns ? r->sink->columns(r->sink->ctx, r->call, r->columns, r->count) : OK;
}

void rows_next(struct rows *r)
{
    if (r->fresh.head) {
        arena_reset(&r->scratch, r->fresh);
    } else { /* its first block stays from row to row */
        arena_alloc(&r->scratch, 1);
        r->fresh = arena_mark(&r->scratch);
    }
}

int rows_give(struct rows *r)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct cell *cell = &r->cells[i];
        bytes += (int64_t)cell->n;
        if ((int64_t)cell->n > r->limits->cell_bytes)
            return call_fail(r->call, ERR_LIMIT_EXCEEDED, "A value of column '%s' is larger than %lld bytes.",
                             r->columns[i].name, (long long)r->limits->cell_bytes);
        if (cell->kind == CELL_TEXT && !utf8_valid(cell->text, cell->n)) cell->kind = CELL_BINARY;
    }
    if (r->stats->rows >= r->limits->rows || r->stats->bytes + bytes > r->limits->bytes) {
        r->stats->truncated = true;
        r->stats->stopped_by = r->stats->rows >= r->limits->rows ? "rows" : "bytes";
        return ROWS_ENOUGH;
    }
    r->stats->rows++;
    r->stats->bytes += bytes;
    return r->sink->row(r->sink->ctx, r->call, r->cells, r->count);
}

void rows_close(struct rows *r)
{
    arena_free(&r->scratch);
}
