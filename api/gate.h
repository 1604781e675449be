/* gate: the straight line each request walks: route, host, origin, identity, body, operation, reply, log. */
#ifndef QUERENT_API_GATE_H
#define QUERENT_API_GATE_H

#include "api/server.h"
#include "engine.h"

struct gate {
    struct engine *engine;
};

/* Callbacks of the server; ctx is the gate. */
void gate_handle(void *ctx, struct request *r);
void gate_refuse(void *ctx, struct request *r, int status, const char *why);

/* Host and Origin by these lists, CORS headers, then the caller's identity: what a raw route that is not ROUTE_OPEN has
 * behind it, and what one with lists of its own calls itself. */
int gate_admit(struct gate *g, struct request *r, const struct list *hosts, const struct list *origins);

#endif
