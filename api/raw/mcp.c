/* mcp: carries the messages of MCP over HTTP; what they mean is in mcp/. */
#include "mcp/mcp.h"
#include "api/auth.h"
#include "api/raw/raw.h"
#include "api/reply.h"

#include <string.h>

#define RPC_TRANSPORT -32000
#define RPC_PARSE     -32700
#define ALLOWED_HEADERS                                                                                                \
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID, " \
    "X-API-Key, X-Request-Id, Traceparent"

/* The call's error as a JSON-RPC one, with the status of its code. */
static void refuse(struct request *r)
{
    struct call *c = r->call;
    const struct code_row *row = code_row(c->err.code);
    struct buf b;
    buf_init(&b, c, 64 * 1024);
    mcp_error(&b, c->err.code == ERR_INVALID_REQUEST ? RPC_PARSE : RPC_TRANSPORT, c->err.message);
    if (c->err.code == ERR_UNAUTHENTICATED)
        reply_header(r, "WWW-Authenticate",
                     request_header(r, "Authorization") ? "Bearer realm=\"querent\", error=\"invalid_token\""
                                                        : "Bearer realm=\"querent\"");
    if (row->retryable && row->status >= 429) reply_header(r, "Retry-After", "1");
    reply_bytes(r, row->status, "application/json", b.data, b.len);
}

static void preflight(struct request *r)
{
    reply_header(r, "Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS");
    reply_header(r, "Access-Control-Allow-Headers", ALLOWED_HEADERS);
    reply_header(r, "Access-Control-Max-Age", "600");
    reply_header(r, "Allow", "POST, OPTIONS");
    reply_bytes(r, 204, NULL, "", 0);
}

static const char *trimmed(struct request *r, const char *name)
{
    const char *v = request_header(r, name);
    if (!v) return NULL;
    v += strspn(v, " \t");
    size_t n = strlen(v);
    while (n && (v[n - 1] == ' ' || v[n - 1] == '\t')) n--;
    return call_strndup(r->call, v, n);
}

/* A client that accepts nothing but an event stream gets one of a single event; all others get JSON. */
static bool only_events(const struct request *r)
{
    const char *accept = request_header(r, "Accept");
    return accept && strcasestr(accept, "text/event-stream") && !strcasestr(accept, "application/json") &&
           !strstr(accept, "*/*");
}

static void event(struct buf *b, const struct buf *message)
{
    buf_str(b, "event: message\ndata: ");
    buf_add(b, message->data, message->len);
    buf_str(b, "\n\n");
}

static void say(struct request *r, const struct mcp_reply *reply)
{
    if (!reply->has_body) {
        reply_bytes(r, 202, NULL, "", 0);
    } else if (reply->status == 200 && (reply->notice.len || only_events(r))) {
        struct buf b;
        buf_init(&b, r->call, MCP_REPLY_MAX + 64 * 1024);
        if (reply->notice.len) event(&b, &reply->notice);
        event(&b, &reply->body);
        reply_header(r, "X-Accel-Buffering", "no");
        reply_bytes(r, 200, "text/event-stream", b.data, b.len);
    } else {
        reply_bytes(r, reply->status, "application/json", reply->body.data, reply->body.len);
    }
}

static int answer(struct gate *g, struct request *r)
{
    struct call *c = r->call;
    struct door_config door;
    const char *body;
    size_t n;
    if (server_draining(r->server)) return call_fail(c, ERR_UNAVAILABLE, "The server is shutting down.");
    int rc = engine_door_config(g->engine, c, &door);
    if (!rc && !door.mcp_enabled) rc = call_fail(c, ERR_NOT_FOUND, "MCP is switched off here.");
    if (!rc) rc = gate_admit_origin(r, &door.mcp_allowed_hosts, &door.mcp_allowed_origins);
    if (rc) return rc;
    if (!strcmp(r->method, "OPTIONS")) {
        preflight(r);
        return OK;
    }
    if (strcmp(r->method, "POST")) {
        reply_header(r, "Allow", "POST, OPTIONS");
        return call_fail(c, ERR_METHOD_NOT_ALLOWED, "POST one JSON-RPC message; there is no stream to GET here.");
    }
    rc = auth_caller(g->engine, r);
    if (!rc) rc = gate_check_media(r);
    if (!rc) rc = request_body(r, &body, &n);
    if (rc) return rc;
    struct mcp_headers headers = { trimmed(r, "MCP-Protocol-Version"), trimmed(r, "Mcp-Method"),
                                   trimmed(r, "Mcp-Name") };
    struct mcp_reply reply = { 0 };
    request_watch(r);
    mcp_handle(g->mcp, c, body, n, &headers, &reply);
    request_unwatch(r);
    say(r, &reply);
    return OK;
}

void raw_mcp(struct gate *g, struct request *r)
{
    if (!answer(g, r)) return;
    refuse(r);
}
