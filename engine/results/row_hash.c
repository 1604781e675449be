#include "results/row_hash.h"

#include <string.h>

void row_hash_begin(struct row_hash *h, struct call *c)
{
    *h = (struct row_hash){ .call = c, .hash = hash_begin(c) };
}

/* Of each cell: its kind and its length. */
enum { CELL_HEAD = 1 + sizeof(uint64_t), SMALL_ROW = 1024 };

static size_t length_of(const struct cell *cell)
{
    return cell->kind == CELL_NULL ? 0 : cell->n;
}

static char *large_row(struct row_hash *h, size_t bytes)
{
    if (bytes > h->room) {
        h->room = 2 * bytes;
        h->row = call_alloc(h->call, h->room);
    }
    return h->row;
}

void row_hash_add(struct row_hash *h, const struct cell *cells, size_t count)
{
    uint64_t part[4];
    bool carry = false;
    char small[SMALL_ROW], *at = small;
    size_t bytes = count * CELL_HEAD;
    for (size_t i = 0; i < count; i++) bytes += length_of(&cells[i]);
    if (bytes > sizeof small) at = large_row(h, bytes);
    const char *row = at;
    for (size_t i = 0; i < count; i++) {
        uint64_t n = length_of(&cells[i]);
        *at++ = (char)('0' + (int)cells[i].kind);
        memcpy(at, &n, sizeof n);
        at += sizeof n;
        if (n) memcpy(at, cells[i].text, (size_t)n);
        at += n;
    }
    hash_add(h->hash, row, bytes);
    hash_take(h->hash, h->last);
    memcpy(part, h->last, sizeof part);
    for (int i = 0; i < 4; i++) {
        bool over = __builtin_add_overflow(h->sum[i], part[i], &h->sum[i]);
        carry = __builtin_add_overflow(h->sum[i], (uint64_t)carry, &h->sum[i]) || over;
    }
    h->rows++;
}

char *row_hash_text(const struct row_hash *h)
{
    uint64_t all[5] = { h->sum[0], h->sum[1], h->sum[2], h->sum[3], h->rows };
    return hash_hex(h->call, all, sizeof all);
}

void row_hash_end(struct row_hash *h)
{
    h->hash = NULL;
}
