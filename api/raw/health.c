/* livez: the process answers. readyz: it takes work: the store is healthy, the demo (where there is one) can be asked,
 * and no shutdown has begun. */
#include "api/raw/raw.h"
#include "api/reply.h"

static void say(struct request *r, int status, const char *json, size_t n)
{
    reply_bytes(r, status, "application/json", json, n);
}

void raw_livez(struct gate *g, struct request *r)
{
    static const char alive[] = "{\"status\":\"alive\"}";
    (void)g;
    say(r, 200, alive, sizeof alive - 1);
}

void raw_readyz(struct gate *g, struct request *r)
{
    static const char ready[] = "{\"status\":\"ready\"}", stopping[] = "{\"status\":\"stopping\"}",
                      broken[] = "{\"status\":\"not_ready\"}";
    if (server_draining(r->server))
        say(r, 503, stopping, sizeof stopping - 1);
    else if (engine_ready(g->engine, r->call))
        say(r, 200, ready, sizeof ready - 1);
    else
        say(r, 503, broken, sizeof broken - 1);
}
