/* gate: the straight line each request walks: route, host, origin, identity, body, operation, reply, log. */
#ifndef QUERENT_API_GATE_H
#define QUERENT_API_GATE_H

#include "api/server.h"
#include "engine.h"

struct mcp_server;

struct gate {
    struct engine *engine;
    const struct mcp_server *mcp;
};

/* Callbacks of the server; ctx is the gate. */
void gate_handle(void *ctx, struct request *r);
void gate_refuse(void *ctx, struct request *r, int status, const char *why);

/* Host and Origin by these lists, and the CORS headers: for raw routes that have lists of their own. */
int gate_admit_origin(struct request *r, const struct list *hosts, const struct list *origins);

/* ERR_UNSUPPORTED_MEDIA_TYPE unless the body is application/json. */
int gate_check_media(struct request *r);

#endif
