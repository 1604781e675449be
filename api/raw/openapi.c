/* openapi: the description of this interface, byte for byte as it stands in the project. */
#include "api/raw/raw.h"
#include "api/reply.h"

void raw_openapi(struct gate *g, struct request *r)
{
    size_t n;
    const char *text = engine_file("openapi/openapi.json", &n);
    (void)g;
    if (text)
        reply_bytes(r, 200, "application/json", text, n);
    else
        call_fail(r->call, ERR_NOT_FOUND, "This build has no openapi.json inside.");
}
