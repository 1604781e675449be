#include "results/row_hash.h"

#include <string.h>

void row_hash_begin(struct row_hash *h, struct call *c)
{
    *h = (struct row_hash){ .call = c, .hash = hash_begin(c) };
    buf_init(&h->row, c, SIZE_MAX / 2);
}

void row_hash_add(struct row_hash *h, const struct cell *cells, size_t count)
{
    uint64_t part[4];
    bool carry = false;
    buf_clear(&h->row);
    for (size_t i = 0; i < count; i++) {
        uint64_t n = cells[i].kind == CELL_NULL ? 0 : cells[i].n;
        char head[9] = { (char)('0' + (int)cells[i].kind) };
        memcpy(head + 1, &n, sizeof n);
        buf_add(&h->row, head, sizeof head);
        if (n) buf_add(&h->row, cells[i].text, (size_t)n);
    }
    hash_add(h->hash, h->row.data, h->row.len);
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
    if (h->hash) hash_end(h->call, h->hash);
    h->hash = NULL;
}
