#include "mcp/message.h"

#include <string.h>

extern const struct op op_list_datasources, op_describe_table, op_schema_text;

/* A JSON object of text members, for op_json. Pairs of name and value, ended by NULL. */
static const char *arguments(struct message *m, ...)
{
    struct buf b;
    va_list ap;
    buf_init(&b, m->call, MCP_BODY_MAX * 8);
    va_start(ap, m);
    for (const char *name; (name = va_arg(ap, const char *));) {
        buf_char(&b, b.len ? ',' : '{');
        json_add_string(&b, name);
        buf_char(&b, ':');
        json_add_string(&b, va_arg(ap, const char *));
    }
    va_end(ap);
    buf_str(&b, b.len ? "}" : "{}");
    return b.data;
}

/* Runs an op on arguments given as JSON and answers its output as JSON: a door knows ops by their types only. */
static int op_json(struct message *m, const struct op *op, const char *text, const struct json **out)
{
    const struct json *in_json;
    void *in = op->in ? call_alloc(m->call, op->in->size) : NULL;
    void *result = call_alloc(m->call, op->out->size);
    int rc = json_parse(m->call, text, strlen(text), &in_json);
    if (!rc && op->in) rc = json_decode(m->call, op->in, in_json, in);
    if (!rc) rc = engine_run(m->server->engine, m->call, op, in, result);
    if (rc) return rc;
    struct buf b;
    buf_init(&b, m->call, MCP_REPLY_MAX / 2);
    json_encode(&b, op->out, result);
    return json_parse(m->call, b.data, b.len, out);
}

static const char *text_member(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_STRING ? v->string : NULL;
}

/* The reachable datasources, NULL when they cannot be told. */
static const struct json *datasources(struct message *m)
{
    const struct json *list = NULL;
    if (op_json(m, &op_list_datasources, "{}", &list)) {
        call_forgive(m->call);
        return NULL;
    }
    list = json_get(list, "items");
    return list && list->kind == J_ARRAY ? list : NULL;
}

static void resource(struct message *m, bool first, const char *uri, const char *name, const char *description)
{
    if (!first) buf_char(m->out, ',');
    buf_str(m->out, "{\"uri\":");
    json_add_string(m->out, uri);
    buf_str(m->out, ",\"name\":");
    json_add_string(m->out, name);
    buf_str(m->out, ",\"description\":");
    json_add_string(m->out, description);
    buf_str(m->out, ",\"mimeType\":\"text/plain\"}");
}

int resources_list(struct message *m)
{
    const struct json *list = datasources(m);
    bool first = true;
    member(m, "resources");
    buf_char(m->out, '[');
    if (list && list->count == 1) {
        resource(m, true, "schema://tables", "tables", "Tables and columns of the datasource.");
        first = false;
    }
    for (size_t i = 0; list && i < list->count; i++) {
        const char *id = text_member(&list->items[i], "id");
        if (!id) continue;
        resource(m, first, call_format(m->call, "schema://%s/tables", id), call_format(m->call, "%s tables", id),
                 call_format(m->call, "Tables and columns of datasource %s.", id));
        first = false;
    }
    buf_char(m->out, ']');
    return OK;
}

int resources_templates(struct message *m)
{
    member(m, "resourceTemplates");
    buf_str(m->out,
            "[{\"uriTemplate\":\"schema://{datasource}/{table}\",\"name\":\"table\",\"description\":\"Columns and "
            "keys of one table.\",\"mimeType\":\"application/json\"}]");
    return OK;
}

static int not_found(struct message *m, const char *uri)
{
    call_forgive(m->call);
    rpc_fail(m, m->era == ERA_MODERN ? RPC_PARAMS : RPC_NOT_FOUND_LEGACY, "Resource not found.");
    m->error_data = arguments(m, "uri", uri, NULL);
    return m->error;
}

static int contents(struct message *m, const char *uri, const char *mime, const char *text, size_t n)
{
    member(m, "contents");
    buf_str(m->out, "[{\"uri\":");
    json_add_string(m->out, uri);
    buf_str(m->out, ",\"mimeType\":");
    json_add_string(m->out, mime);
    buf_str(m->out, ",\"text\":");
    json_add_text(m->out, text, n);
    buf_str(m->out, "}]");
    return OK;
}

static int hex_digit(char ch)
{
    if (ch >= '0' && ch <= '9') return ch - '0';
    if (ch >= 'a' && ch <= 'f') return ch - 'a' + 10;
    return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* "%41" -> "A"; NULL when an escape is malformed or a NUL. */
static const char *percent_decode(struct call *c, const char *s)
{
    char *out = call_alloc(c, strlen(s) + 1), *p = out;
    for (; *s; s++) {
        if (*s != '%') {
            *p++ = *s;
            continue;
        }
        int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);
        if (low < 0 || (!high && !low)) return NULL;
        *p++ = (char)(high * 16 + low);
        s += 2;
    }
    return out;
}

static int read_tables(struct message *m, const char *uri, const char *datasource)
{
    const struct json *out;
    if (op_json(m, &op_schema_text, arguments(m, "datasource_id", datasource, NULL), &out)) return not_found(m, uri);
    const char *text = text_member(out, "text");
    return text ? contents(m, uri, "text/plain", text, strlen(text)) : not_found(m, uri);
}

static int read_table(struct message *m, const char *uri, const char *datasource, const char *table)
{
    const struct json *out;
    if (op_json(m, &op_describe_table, arguments(m, "datasource_id", datasource, "table", table, NULL), &out))
        return not_found(m, uri);
    const char *status = text_member(out, "status");
    const struct json *description = json_get(out, "table");
    if (!status || strcmp(status, "ok") || !description) return not_found(m, uri);
    struct buf b;
    buf_init(&b, m->call, MCP_REPLY_MAX / 2);
    json_write(&b, description);
    return contents(m, uri, "application/json", b.data, b.len);
}

int resources_read(struct message *m)
{
    static const char scheme[] = "schema://";
    const char *uri = param_text(m, "uri");
    if (!uri) return rpc_fail(m, RPC_PARAMS, "'uri' must be the uri of a resource.");
    if (strncmp(uri, scheme, sizeof scheme - 1)) return not_found(m, uri);
    const char *rest = uri + sizeof scheme - 1, *slash = strchr(rest, '/');
    if (!slash) {
        const struct json *list = strcmp(rest, "tables") ? NULL : datasources(m);
        const char *only = list && list->count == 1 ? text_member(&list->items[0], "id") : NULL;
        return only ? read_tables(m, uri, only) : not_found(m, uri);
    }
    const char *datasource = call_strndup(m->call, rest, (size_t)(slash - rest));
    const char *table = percent_decode(m->call, slash + 1);
    if (!table || !*table) return not_found(m, uri);
    return strcmp(table, "tables") ? read_table(m, uri, datasource, table) : read_tables(m, uri, datasource);
}
