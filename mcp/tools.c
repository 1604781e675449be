#include "mcp/message.h"
#include "mcp/tools/tool.h"

#include <string.h>

static void describe(struct buf *b, const struct tool *t)
{
    buf_str(b, "{\"name\":");
    json_add_string(b, t->op->name);
    buf_str(b, ",\"title\":");
    json_add_string(b, t->title);
    buf_str(b, ",\"description\":");
    json_add_string(b, t->description);
    buf_str(b, ",\"inputSchema\":");
    if (tool_in(t))
        type_schema(b, tool_in(t), true);
    else
        buf_str(b, "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}");
    buf_str(b, ",\"outputSchema\":");
    type_schema(b, tool_out(t), false);
    buf_format(b,
               ",\"annotations\":{\"readOnlyHint\":%s,\"destructiveHint\":false,\"idempotentHint\":%s,"
               "\"openWorldHint\":false}}",
               t->flags & TOOL_READ_ONLY ? "true" : "false", t->flags & TOOL_IDEMPOTENT ? "true" : "false");
}

void tools_describe(struct buf *b)
{
    buf_char(b, '[');
    for (const struct tool *t = tools; t->op; t++) {
        if (t != tools) buf_char(b, ',');
        describe(b, t);
    }
    buf_char(b, ']');
}

int tools_list(struct message *m)
{
    member(m, "tools");
    buf_add(m->out, m->server->tools.data, m->server->tools.len);
    return OK;
}

static void content_text(struct message *m, const char *text, size_t n)
{
    member(m, "content");
    buf_str(m->out, "[{\"type\":\"text\",\"text\":");
    json_add_text(m->out, text, n);
    buf_str(m->out, "}]");
}

static void structured(struct message *m, const struct buf *json)
{
    content_text(m, json->data, json->len);
    member(m, "structuredContent");
    buf_add(m->out, json->data, json->len);
}

/* The failure of a tool whose failures are results: a complete `status: error` answer. */
static void status_error(struct message *m)
{
    const struct err *err = &m->call->err;
    struct buf b;
    buf_init(&b, m->call, MCP_BODY_MAX);
    buf_str(&b, "{\"status\":\"error\",\"answer\":null,\"sub_queries\":[],\"truncated\":false,\"source\":null,"
                "\"warnings\":[],\"trace_id\":");
    json_add_string(&b, m->call->trace_id);
    buf_str(&b, ",\"errors\":[{\"code\":");
    json_add_string(&b, code_row(err->code)->name);
    buf_str(&b, ",\"node\":\"engine\",\"message\":");
    json_add_string(&b, err->message);
    buf_str(&b, "}]}");
    structured(m, &b);
}

/* A tool error: text that a model can act on. Of an unexpected failure only the code and the trace id leave. */
static void tool_error(struct message *m, const struct tool *t)
{
    const struct err *err = &m->call->err;
    const char *text = err->message;
    if (err->code == ERR_INTERNAL_ERROR)
        text = call_format(m->call, "Error executing tool %s", t->op->name);
    else if (err->hint)
        text = call_format(m->call, "%s %s", err->message, err->hint);
    content_text(m, text, strlen(text));
    member(m, "isError");
    buf_str(m->out, "true");
    meta_text(m, "code", code_row(err->code)->name);
}

static int run(struct message *m, const struct tool *t, const struct json *arguments, bool *bad_arguments)
{
    static const struct json nothing = { .kind = J_OBJECT };
    const struct op *op = t->op;
    void *in = op->in ? call_alloc(m->call, op->in->size) : NULL;
    void *out = call_alloc(m->call, op->out->size);
    if (!arguments || arguments->kind == J_NULL || (arguments->kind == J_ARRAY && !arguments->count))
        arguments = &nothing;
    int rc = op->in ? json_decode(m->call, tool_in(t), arguments, in) : OK;
    if (!rc && !op->in && arguments->count)
        rc = call_fail(m->call, ERR_VALIDATION_ERROR, "This tool takes no arguments.");
    *bad_arguments = rc != OK;
    if (!rc) rc = engine_run(m->server->engine, m->call, op, in, out);
    if (rc) return rc;
    struct buf json;
    buf_init(&json, m->call, MCP_REPLY_MAX / 2);
    json_encode(&json, tool_out(t), out);
    if (json.failed) return call_fail(m->call, ERR_LIMIT_EXCEEDED, "The result is larger than this server sends.");
    structured(m, &json);
    if (!t->meta) return OK;
    struct buf meta;
    buf_init(&meta, m->call, MCP_BODY_MAX);
    json_encode(&meta, t->meta, out);
    meta_json(m, "details", &meta);
    return OK;
}

int tools_call(struct message *m)
{
    const char *name = param_text(m, "name");
    const struct tool *t = tools;
    if (!name) return rpc_fail(m, RPC_PARAMS, "'name' must be the name of a tool.");
    while (t->op && strcmp(t->op->name, name)) t++;
    if (!t->op) return rpc_fail(m, RPC_PARAMS, "Unknown tool: %.100s", name);
    bool bad_arguments;
    int rc = run(m, t, json_get(m->params, "arguments"), &bad_arguments);
    if (rc && t->flags & TOOL_STATUS && !bad_arguments)
        status_error(m);
    else if (rc)
        tool_error(m, t);
    meta_text(m, "trace_id", m->call->trace_id);
    return OK;
}
