#include "base/cursor.h"

#include "base/clock.h"
#include "buf.h"

#include <stdlib.h>
#include <string.h>

#define LIFE_US      (24 * 3600 * (int64_t)1000000)
#define POSITION_MAX 1024
#define HEAD         8  /* expiry, big endian microseconds */
#define TAG          16 /* leading bytes of the HMAC */

/* Every part is preceded by its length, so no two scopes sign the same bytes. */
static void part(struct buf *b, const void *bytes, size_t n)
{
    buf_format(b, "%zu:", n);
    buf_add(b, bytes, n);
}

static void sign(struct call *c, const struct cursor_scope *s, const unsigned char *body, size_t n,
                 unsigned char out[32])
{
    const char *filters = s->filters ? s->filters : "", *owner = s->owner ? s->owner : "";
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    part(&b, s->op, strlen(s->op));
    part(&b, owner, strlen(owner));
    part(&b, filters, strlen(filters));
    part(&b, body, n);
    hmac_sha256(s->key, b.data, b.len, out);
}

char *cursor_make(struct call *c, const struct cursor_scope *scope, const char *position)
{
    size_t n = strlen(position);
    if (n > POSITION_MAX) abort();
    unsigned char *body = call_alloc(c, HEAD + n + TAG), mac[32];
    uint64_t expires = (uint64_t)(clock_utc_us() + LIFE_US);
    for (int i = 0; i < HEAD; i++) body[i] = (unsigned char)(expires >> (56 - 8 * i));
    memcpy(body + HEAD, position, n);
    sign(c, scope, body, HEAD + n, mac);
    memcpy(body + HEAD + n, mac, TAG);
    return base64url(c, body, HEAD + n + TAG);
}

int cursor_read(struct call *c, const struct cursor_scope *scope, const char *text, const char **position)
{
    size_t n = 0;
    unsigned char mac[32];
    unsigned char *body = strnlen(text, CURSOR_TEXT_MAX + 1) <= CURSOR_TEXT_MAX ? base64url_decode(c, text, &n) : NULL;
    if (!body || n < HEAD + TAG) return call_fail(c, ERR_CURSOR_INVALID, "%s", code_row(ERR_CURSOR_INVALID)->text);
    n -= TAG;
    sign(c, scope, body, n, mac);
    uint64_t expires = 0;
    for (int i = 0; i < HEAD; i++) expires = expires << 8 | body[i];
    if (!secret_equal(mac, body + n, TAG) || expires < (uint64_t)clock_utc_us())
        return call_fail(c, ERR_CURSOR_INVALID, "%s", code_row(ERR_CURSOR_INVALID)->text);
    *position = call_strndup(c, (char *)body + HEAD, n - HEAD);
    return OK;
}
