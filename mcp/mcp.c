#include "mcp/message.h"

#include <string.h>

int rpc_fail(struct message *m, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    m->error = code;
    m->error_text = call_vformat(m->call, fmt, ap);
    va_end(ap);
    return code;
}

void member(struct message *m, const char *name)
{
    if (!m->first_member) buf_char(m->out, ',');
    m->first_member = false;
    json_add_string(m->out, name);
    buf_char(m->out, ':');
}

static void meta_name(struct message *m, const char *name)
{
    if (m->extra.len) buf_char(&m->extra, ',');
    json_add_string(&m->extra, call_format(m->call, "querent/%s", name));
    buf_char(&m->extra, ':');
}

void meta_text(struct message *m, const char *name, const char *value)
{
    if (!value) return;
    meta_name(m, name);
    json_add_string(&m->extra, value);
}

void meta_json(struct message *m, const char *name, const struct buf *value)
{
    meta_name(m, name);
    buf_add(&m->extra, value->data, value->len);
}

const char *param_text(const struct message *m, const char *name)
{
    const struct json *j = json_get(m->params, name);
    return j && j->kind == J_STRING ? j->string : NULL;
}

struct mcp_server *mcp_open(struct call *life, struct engine *e)
{
    struct mcp_server *s = call_alloc(life, sizeof *s);
    s->engine = e;
    buf_init(&s->tools, life, MCP_BODY_MAX);
    tools_describe(&s->tools);
    return s;
}

static void error_write(struct buf *b, const struct json *id, int code, const char *text, const char *data)
{
    buf_str(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (id)
        json_write(b, id);
    else
        buf_str(b, "null");
    buf_format(b, ",\"error\":{\"code\":%d,\"message\":", code);
    json_add_string(b, text);
    if (data) {
        buf_str(b, ",\"data\":");
        buf_str(b, data);
    }
    buf_str(b, "}}");
}

void mcp_error(struct buf *b, int code, const char *message)
{
    error_write(b, NULL, code, message, NULL);
}

static void result_write(struct message *m, int *status)
{
    size_t start = m->out->len;
    buf_str(m->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    json_write(m->out, m->id);
    buf_str(m->out, ",\"result\":{");
    m->first_member = true;
    if (m->era == ERA_MODERN) {
        member(m, "resultType");
        buf_str(m->out, "\"complete\"");
    }
    int rc = method_run(m, status);
    if (!rc && m->out->failed) rc = rpc_fail(m, RPC_INTERNAL, "The result is larger than this server sends.");
    if (rc) {
        m->out->len = start;
        m->out->failed = false;
        m->notice->len = 0;
        error_write(m->out, m->id, m->error, m->error_text, m->error_data);
        return;
    }
    if (m->era == ERA_MODERN || m->extra.len) {
        member(m, "_meta");
        buf_char(m->out, '{');
        if (m->era == ERA_MODERN) {
            buf_str(m->out, "\"io.modelcontextprotocol/serverInfo\":");
            server_info(m->out);
            if (m->extra.len) buf_char(m->out, ',');
        }
        buf_add(m->out, m->extra.data, m->extra.len);
        buf_char(m->out, '}');
    }
    buf_str(m->out, "}}");
}

/* One message. Appends to `out`; returns the HTTP status, 202 = nothing to say. */
static int handle_one(const struct mcp_server *s, struct call *c, const struct json *j, const struct mcp_headers *h,
                      struct buf *out, struct buf *notice)
{
    struct message m = { .server = s, .call = c, .out = out, .notice = notice };
    buf_init(&m.extra, c, MCP_BODY_MAX);
    const struct json *method = json_get(j, "method"), *id = json_get(j, "id"), *version = json_get(j, "jsonrpc");
    bool v2 = version && version->kind == J_STRING && !strcmp(version->string, "2.0");
    if (j->kind == J_OBJECT && !method && v2 && (json_get(j, "result") || json_get(j, "error"))) return 202;
    const struct json *echo = id && (id->kind == J_STRING || id->kind == J_INT || id->kind == J_REAL) ? id : NULL;
    if (!v2 || !method || method->kind != J_STRING || (id && (!echo || id->kind == J_REAL))) {
        error_write(out, echo, RPC_INVALID, "Invalid request: a JSON-RPC 2.0 object with a method is needed.", NULL);
        return 400;
    }
    m.method = method->string;
    m.id = id;
    m.params = json_get(j, "params");
    /* Some clients send null or an empty array for "no parameters". */
    if (m.params && (m.params->kind == J_NULL || (m.params->kind == J_ARRAY && !m.params->count))) m.params = NULL;
    if (m.params && m.params->kind != J_OBJECT) {
        error_write(out, id, RPC_PARAMS, "Invalid params: an object is needed.", NULL);
        return 400;
    }
    m.meta = json_get(m.params, "_meta");
    int status = era_decide(&m, h);
    if (status) {
        error_write(out, m.id, m.error, m.error_text, m.error_data);
        return status;
    }
    if (!m.id) return 202;
    status = 200;
    result_write(&m, &status);
    return status;
}

static bool claims_modern(const struct json *j)
{
    return json_get(json_get(json_get(j, "params"), "_meta"), "io.modelcontextprotocol/protocolVersion") != NULL;
}

static int handle_batch(const struct mcp_server *s, struct call *c, const struct json *j, struct buf *out,
                        struct buf *notice)
{
    bool fit = j->count > 0 && j->count <= MCP_BATCH_MAX;
    for (size_t i = 0; fit && i < j->count; i++) fit = !claims_modern(&j->items[i]);
    if (!fit) {
        mcp_error(out, RPC_INVALID, "Invalid batch.");
        return 400;
    }
    static const struct mcp_headers none = { 0 };
    buf_char(out, '[');
    size_t empty = out->len;
    for (size_t i = 0; i < j->count; i++) {
        size_t before = out->len;
        if (before > empty) buf_char(out, ',');
        size_t after_comma = out->len;
        call_forgive(c);
        handle_one(s, c, &j->items[i], &none, out, notice);
        if (out->len == after_comma) out->len = before;
    }
    if (out->len == empty) {
        buf_clear(out);
        return 202;
    }
    buf_char(out, ']');
    return 200;
}

void mcp_handle(const struct mcp_server *s, struct call *c, const char *text, size_t n, const struct mcp_headers *h,
                struct mcp_reply *out)
{
    const struct json *j;
    buf_init(&out->body, c, MCP_REPLY_MAX);
    buf_init(&out->notice, c, 64 * 1024);
    if (json_parse(c, text, n, &j)) {
        mcp_error(&out->body, RPC_PARSE, call_format(c, "Parse error: %s", c->err.message));
        out->status = 400;
    } else if (j->kind == J_ARRAY) {
        out->status = handle_batch(s, c, j, &out->body, &out->notice);
    } else {
        out->status = handle_one(s, c, j, h, &out->body, &out->notice);
    }
    out->has_body = out->status != 202;
}
