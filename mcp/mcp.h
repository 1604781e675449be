/* mcp: one message in, one message out, for both eras of the protocol; no sockets. The HTTP door and stdio carry the
 * bytes. A server is made once and is constant afterwards; mcp_handle may run in many threads, one call each. The
 * call's principal must have been resolved for this very message. */
#ifndef QUERENT_MCP_H
#define QUERENT_MCP_H

#include "engine.h"

#define MCP_BODY_MAX  (1024 * 1024)
#define MCP_REPLY_MAX (32 * 1024 * 1024)
#define MCP_BATCH_MAX 50

struct mcp_server;

/* `life` is a call that lives as long as the server: its memory holds the prepared tool list. */
struct mcp_server *mcp_open(struct call *life, struct engine *e);

/* The header layer of HTTP, values trimmed, NULL = not sent. stdio has none: pass NULL for the whole. */
struct mcp_headers {
    const char *version; /* MCP-Protocol-Version */
    const char *method;  /* Mcp-Method */
    const char *name;    /* Mcp-Name */
};

struct mcp_reply {
    int status;        /* HTTP status */
    bool has_body;     /* false = 202 with an empty body */
    struct buf body;   /* one JSON-RPC message, or an array for a batch */
    struct buf notice; /* a notification to send before it, when its len > 0: needs an event stream on HTTP */
};

void mcp_handle(const struct mcp_server *s, struct call *c, const char *text, size_t n, const struct mcp_headers *h,
                struct mcp_reply *out);

/* A JSON-RPC error that the door itself raises (401, 403, 405, 413, 415). */
void mcp_error(struct buf *b, int code, const char *message);

struct mcp_stdio {
    const char *user;
    const char *const *roles;
    size_t role_count;
    int in, out;
};
/* Serves lines until the input ends; requests already read are answered first. Blocks. Returns 0. */
int mcp_stdio(const struct mcp_server *s, struct engine *e, const struct mcp_stdio *options);

#endif
