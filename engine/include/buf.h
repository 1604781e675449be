/* buf: a byte buffer with a ceiling. Memory comes from a call. Sticky: append freely, ask `failed` once at the end.
 * `data` is never NULL and always ends in a NUL that `len` does not count. */
#ifndef QUERENT_BUF_H
#define QUERENT_BUF_H

#include "call.h"

struct buf {
    struct call *call;
    char *data;
    size_t len, room, limit;
    bool failed; /* the ceiling was met; further appends are ignored */
};

/* limit: bytes at most, the NUL not counted. Takes no memory before something is added. */
void buf_init(struct buf *b, struct call *c, size_t limit);
void buf_add(struct buf *b, const char *bytes, size_t n);
void buf_str(struct buf *b, const char *s);
void buf_char(struct buf *b, char ch);
void buf_int(struct buf *b, int64_t v);
void buf_format(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_clear(struct buf *b); /* keeps the memory */

#endif
