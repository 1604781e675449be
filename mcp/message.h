/* message: a decoded request on its way through eras, methods, tools and resources. Internal to mcp/. */
#ifndef QUERENT_MCP_MESSAGE_H
#define QUERENT_MCP_MESSAGE_H

#include "mcp/mcp.h"

enum mcp_era { ERA_LEGACY = 1, ERA_MODERN = 2 };

enum {
    RPC_PARSE = -32700,
    RPC_INVALID = -32600,
    RPC_NO_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_NOT_FOUND_LEGACY = -32002,
    RPC_TRANSPORT = -32000,
    RPC_HEADER_MISMATCH = -32020,
    RPC_UNSUPPORTED_VERSION = -32022
};

struct mcp_server {
    struct engine *engine;
    struct buf tools; /* the array of tools/list */
};

struct message {
    const struct mcp_server *server;
    struct call *call;
    enum mcp_era era;
    const struct json *params, *meta, *id; /* id NULL = notification; params NULL = absent */
    const char *method;
    /* The result under construction: members are added with member(). */
    struct buf *out;
    bool first_member;
    struct buf extra; /* members of the result's _meta besides serverInfo */
    struct buf *notice;
    /* Set by rpc_fail. */
    int error;
    const char *error_text;
    const char *error_data; /* JSON text or NULL */
};

/* Records a JSON-RPC error and returns its code. */
int rpc_fail(struct message *m, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Opens a member of the result: the value follows in m->out. */
void member(struct message *m, const char *name);
/* Adds a text member to the result's _meta under our own prefix. */
void meta_text(struct message *m, const char *name, const char *value);
void meta_json(struct message *m, const char *name, const struct buf *value);
const char *param_text(const struct message *m, const char *name); /* NULL when absent or not a string */

/* eras.c: which era speaks, and whether its envelope and headers agree. OK, or the HTTP status of the error recorded.
 */
extern const char mcp_modern_version[];
int era_decide(struct message *m, const struct mcp_headers *h);
bool version_is_legacy(const char *version);

/* methods.c: runs the method. OK or the error recorded; status 404 for an unknown modern method. */
int method_run(struct message *m, int *status);
void server_info(struct buf *b);

/* tools.c, resources.c */
void tools_describe(struct buf *b);
int tools_list(struct message *m);
int tools_call(struct message *m);
int resources_list(struct message *m);
int resources_templates(struct message *m);
int resources_read(struct message *m);

#endif
