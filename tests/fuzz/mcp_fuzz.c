/* Any bytes as a message of MCP to a whole engine with an empty store in memory. The answer, if there is one, is JSON.
 */
#include "mcp/mcp.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct engine *engine;
static const struct mcp_server *server;

static void need(bool fact)
{
    if (!fact) abort();
}

static void start(void)
{
    static struct call life;
    const struct engine_options o = { .state_dir = ":memory:", .measure = true, .log = { .fd = 2, .least = LOG_OFF } };
    call_begin(&life);
    need(!engine_open(&life, &o, &engine));
    server = mcp_open(&life, engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const versions[] = { NULL, "2025-03-26", "2025-06-18", "2026-01-01" };
    struct call c;
    struct mcp_reply reply = { 0 };
    const struct json *said;
    if (!server) start();
    if (!size) return 0;
    call_begin(&c);
    need(!engine_operator(engine, &c, NULL, NULL, 0));
    struct mcp_headers headers = { .version = versions[data[0] % 4] };
    mcp_handle(server, &c, (const char *)data + 1, size - 1, data[0] & 4 ? NULL : &headers, &reply);
    if (reply.has_body) need(!json_parse(&c, reply.body.data, reply.body.len, &said));
    call_end(&c);
    return 0;
}
