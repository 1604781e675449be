#include "buf.h"

#include <stdio.h>
#include <string.h>

static const char empty[1]; /* never written: a buffer without room only reads it */

void buf_init(struct buf *b, struct call *c, size_t limit)
{
    *b = (struct buf){ .call = c, .data = (char *)(uintptr_t)empty, .limit = limit };
}

static bool reserve(struct buf *b, size_t more)
{
    if (b->failed) return false;
    if (more > b->limit - b->len) {
        b->failed = true;
        return false;
    }
    size_t need = b->len + more + 1;
    if (need <= b->room) return true;
    size_t room = b->room ? b->room : 256;
    while (room < need) room *= 2;
    b->data = arena_grow_text(&b->call->arena, b->room ? b->data : NULL, b->room, room);
    b->room = room;
    return true;
}

void buf_add(struct buf *b, const char *bytes, size_t n)
{
    bool fits = b->len + n < b->room && n <= b->limit - b->len && !b->failed;
    if (!n || (!fits && !reserve(b, n))) return;
    memcpy(b->data + b->len, bytes, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void buf_str(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_char(struct buf *b, char ch)
{
    bool fits = b->len + 1 < b->room && b->len < b->limit && !b->failed;
    if (!fits && !reserve(b, 1)) return;
    b->data[b->len++] = ch;
    b->data[b->len] = '\0';
}

void buf_int(struct buf *b, int64_t v)
{
    char text[24], *end = text + sizeof text, *p = end;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do *--p = (char)('0' + u % 10);
    while (u /= 10);
    if (v < 0) *--p = '-';
    buf_add(b, p, (size_t)(end - p));
}

void buf_format(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char text[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    if (n >= 0 && (size_t)n < sizeof text)
        buf_add(b, text, (size_t)n);
    else
        buf_str(b, call_vformat(b->call, fmt, again));
    va_end(again);
    va_end(ap);
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->failed = false;
    if (b->room) b->data[0] = '\0';
}
