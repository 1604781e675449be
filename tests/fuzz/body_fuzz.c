/* Any bytes as the body of an operation; the first one picks the operation. What reads as JSON is written and read
 * again as the same text; what fits the operation's input can be written. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES ((size_t)16 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool fact)
{
    if (!fact) abort();
}

static const struct op *pick(uint8_t which)
{
    size_t n = 0;
    while (ops[n]) n++;
    return ops[which % n];
}

static void written_again(struct call *c, const struct json *j)
{
    const struct json *again;
    struct buf first, second;
    buf_init(&first, c, TEXT_BYTES);
    json_write(&first, j);
    need(!json_parse(c, first.data, first.len, &again));
    buf_init(&second, c, TEXT_BYTES);
    json_write(&second, again);
    need(first.len == second.len && !memcmp(first.data, second.data, first.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct call c;
    const struct json *j;
    if (!size) return 0;
    const struct op *op = pick(data[0]);
    call_begin(&c);
    if (json_parse(&c, (const char *)data + 1, size - 1, &j)) {
        need(c.err.code && c.err.message);
    } else {
        written_again(&c, j);
        void *in = op->in ? call_alloc(&c, op->in->size) : NULL;
        if (in && !json_decode(&c, op->in, j, in)) {
            struct buf b;
            buf_init(&b, &c, TEXT_BYTES);
            json_encode(&b, op->in, in);
            need(!json_parse(&c, b.data, b.len, &j));
        } else if (in) {
            need(c.err.code && c.err.message);
        }
    }
    call_end(&c);
    return 0;
}
