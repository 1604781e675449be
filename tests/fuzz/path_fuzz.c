/* Any bytes as a request: method, path, query and body, each ended by a line feed. What finds a route has an input or a
 * reason. */
#include "api/routes/route.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool fact)
{
    if (!fact) abort();
}

/* The text up to a line feed, as the server hands it over: without a NUL. */
static const char *line(struct call *c, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *from = *at, *to = from < end ? memchr(from, '\n', (size_t)(end - from)) : NULL;
    if (!to) to = end;
    *at = to < end ? to + 1 : end;
    return call_strndup(c, (const char *)from, strnlen((const char *)from, (size_t)(to - from)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct call c;
    struct match m = { 0 };
    const uint8_t *at = data, *end = data + size;
    void *in;
    call_begin(&c);
    const char *method = line(&c, &at, end), *path = line(&c, &at, end), *query = line(&c, &at, end);
    if (!route_find(&c, method, path, &m)) {
        need(m.route != NULL);
        if (m.route->op && route_input(&c, &m, query, at < end ? (const char *)at : NULL, (size_t)(end - at), &in))
            need(c.err.code && c.err.message);
    } else {
        need(c.err.code && c.err.message);
    }
    call_end(&c);
    return 0;
}
