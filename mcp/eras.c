#include "mcp/message.h"

#include <string.h>

#define META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_CLIENT       "io.modelcontextprotocol/clientInfo"
#define META_LOG_LEVEL    "io.modelcontextprotocol/logLevel"

const char mcp_modern_version[] = "2026-07-28";
static const char *const legacy_versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL };
static const char *const log_levels[] = { "debug",    "info",  "notice",    "warning", "error",
                                          "critical", "alert", "emergency", NULL };

static bool listed(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(word, *words)) return true;
    return false;
}

bool version_is_legacy(const char *version)
{
    return listed(version, legacy_versions);
}

/* A date at or after the first stateless revision, known here or not. */
static bool is_modern(const char *v)
{
    if (!v || strlen(v) != 10 || v[4] != '-' || v[7] != '-') return false;
    for (int i = 0; i < 10; i++)
        if (i != 4 && i != 7 && (v[i] < '0' || v[i] > '9')) return false;
    return strcmp(v, mcp_modern_version) >= 0;
}

static bool is_object(const struct json *j)
{
    return j && j->kind == J_OBJECT;
}

static const char *text_of(const struct json *j)
{
    return j && j->kind == J_STRING ? j->string : NULL;
}

/* The envelope's first bad key, or NULL. */
static const char *bad_envelope(const struct json *meta)
{
    const struct json *client = json_get(meta, META_CLIENT), *level = json_get(meta, META_LOG_LEVEL);
    if (!text_of(json_get(meta, META_VERSION))) return META_VERSION;
    if (!is_object(json_get(meta, META_CAPABILITIES))) return META_CAPABILITIES;
    if (client && !(text_of(json_get(client, "name")) && text_of(json_get(client, "version")))) return META_CLIENT;
    if (level && !(text_of(level) && listed(level->string, log_levels))) return META_LOG_LEVEL;
    return NULL;
}

static int base64_value(char ch)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = ch ? strchr(alphabet, ch) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

/* "=?base64?…?=" -> the bytes; any other text is itself; NULL when the sentinel holds no strict base64. */
static const char *header_decode(struct call *c, const char *v)
{
    size_t n = strlen(v);
    if (n < 11 || strncmp(v, "=?base64?", 9) || strcmp(v + n - 2, "?=")) return v;
    const char *in = v + 9;
    n -= 11;
    if (n % 4) return NULL;
    size_t pad = n && in[n - 1] == '=' ? 1u + (in[n - 2] == '=') : 0, done = 0;
    char *out = call_alloc(c, n / 4 * 3 + 1);
    uint32_t bits = 0;
    for (size_t i = 0; i < n - pad; i++) {
        int value = base64_value(in[i]);
        if (value < 0) return NULL;
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 == 3) {
            out[done++] = (char)(bits >> 16);
            out[done++] = (char)(bits >> 8);
            out[done++] = (char)bits;
            bits = 0;
        }
    }
    if (pad == 1) {
        out[done++] = (char)(bits >> 10);
        out[done++] = (char)(bits >> 2);
    } else if (pad == 2) {
        out[done++] = (char)(bits >> 4);
    }
    return strlen(out) == done ? out : NULL;
}

static int check_headers(struct message *m, const struct mcp_headers *h)
{
    if (!h->version || !h->method) {
        rpc_fail(m, RPC_HEADER_MISMATCH, "Header mismatch: the required header %s is absent.",
                 h->version ? "Mcp-Method" : "MCP-Protocol-Version");
        return 400;
    }
    const char *named = NULL;
    if (!strcmp(m->method, "tools/call") || !strcmp(m->method, "prompts/get")) named = param_text(m, "name");
    if (!strcmp(m->method, "resources/read")) named = param_text(m, "uri");
    const char *sent = named && h->name ? header_decode(m->call, h->name) : NULL;
    if (named && (!sent || strcmp(sent, named))) {
        rpc_fail(m, RPC_HEADER_MISMATCH, "Header mismatch: Mcp-Name must carry the name or uri of the body.");
        return 400;
    }
    return OK;
}

static int modern(struct message *m, const struct mcp_headers *h)
{
    const char *bad = bad_envelope(m->meta), *version = text_of(json_get(m->meta, META_VERSION));
    m->era = ERA_MODERN;
    if (bad) {
        rpc_fail(m, RPC_PARAMS, "Invalid _meta: %s is missing or malformed.", bad);
        return 400;
    }
    if (h && h->version && strcmp(h->version, version)) {
        rpc_fail(m, RPC_HEADER_MISMATCH, "Header mismatch: MCP-Protocol-Version differs from _meta.");
        return 400;
    }
    if (h && h->method && strcmp(h->method, m->method)) {
        rpc_fail(m, RPC_HEADER_MISMATCH, "Header mismatch: Mcp-Method differs from the body's method.");
        return 400;
    }
    if (!m->id) return OK;
    if (strcmp(version, mcp_modern_version)) {
        struct buf data;
        buf_init(&data, m->call, MCP_BODY_MAX * 8);
        buf_str(&data, "{\"supported\":[");
        json_add_string(&data, mcp_modern_version);
        buf_str(&data, "],\"requested\":");
        json_add_string(&data, version);
        buf_char(&data, '}');
        rpc_fail(m, RPC_UNSUPPORTED_VERSION, "Unsupported protocol version.");
        m->error_data = data.data;
        return 400;
    }
    return h ? check_headers(m, h) : OK;
}

int era_decide(struct message *m, const struct mcp_headers *h)
{
    const char *header = h ? h->version : NULL;
    bool claimed = is_object(m->meta) && json_get(m->meta, META_VERSION);
    m->era = ERA_LEGACY;
    if (!strcmp(m->method, "initialize") &&
        !(claimed && !bad_envelope(m->meta) && is_modern(text_of(json_get(m->meta, META_VERSION))))) {
        if (!is_modern(header)) return OK;
        rpc_fail(m, RPC_HEADER_MISMATCH, "Header mismatch: initialize belongs to earlier protocol versions.");
        return 400;
    }
    if (claimed) return modern(m, h);
    if (is_modern(header)) {
        m->era = ERA_MODERN;
        if (!m->id) return OK;
        rpc_fail(m, RPC_PARAMS, "The request lacks the _meta keys %s and %s.", META_VERSION, META_CAPABILITIES);
        return 400;
    }
    if (m->id && header && !version_is_legacy(header)) {
        rpc_fail(m, RPC_TRANSPORT, "Unsupported protocol version: %s", header);
        return 400;
    }
    return OK;
}
