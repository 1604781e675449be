#include "json.h"

#include <jansson.h>
#include <string.h>

/* The parser below recurses, so depth is counted on the bytes first; brackets inside strings do not count. */
static bool too_deep(const char *text, size_t n, int depth_max)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        char ch = text[i];
        if (quoted) {
            if (ch == '\\') i++;
            else if (ch == '"') quoted = false;
        } else if (ch == '"') {
            quoted = true;
        } else if (ch == '[' || ch == '{') {
            if (++depth > depth_max) return true;
        } else if (ch == ']' || ch == '}') {
            depth--;
        }
    }
    return false;
}

static void copy_value(struct call *c, json_t *from, struct json *to)
{
    switch (json_typeof(from)) {
    case JSON_NULL: to->kind = J_NULL; break;
    case JSON_TRUE:
    case JSON_FALSE:
        to->kind = J_BOOL;
        to->boolean = json_is_true(from);
        break;
    case JSON_INTEGER:
        to->kind = J_INT;
        to->integer = json_integer_value(from);
        break;
    case JSON_REAL:
        to->kind = J_REAL;
        to->real = json_real_value(from);
        break;
    case JSON_STRING:
        to->kind = J_STRING;
        to->count = json_string_length(from);
        to->string = call_strndup(c, json_string_value(from), to->count);
        break;
    case JSON_ARRAY: {
        struct json *items = call_array(c, json_array_size(from), sizeof *items);
        to->kind = J_ARRAY;
        to->count = json_array_size(from);
        to->items = items;
        for (size_t i = 0; i < to->count; i++) copy_value(c, json_array_get(from, i), &items[i]);
        break;
    }
    case JSON_OBJECT: {
        struct json *items = call_array(c, json_object_size(from), sizeof *items);
        const char **names = call_array(c, json_object_size(from), sizeof *names);
        const char *name;
        json_t *value;
        size_t i = 0;
        to->kind = J_OBJECT;
        to->count = json_object_size(from);
        to->items = items;
        to->names = names;
        json_object_foreach(from, name, value)
        {
            names[i] = call_strdup(c, name);
            copy_value(c, value, &items[i++]);
        }
        break;
    }
    }
}

int json_parse(struct call *c, const char *text, size_t n, const struct json **out)
{
    return json_parse_deep(c, text, n, JSON_DEPTH_MAX, out);
}

int json_parse_deep(struct call *c, const char *text, size_t n, int depth_max, const struct json **out)
{
    if (too_deep(text, n, depth_max))
        return call_fail(c, ERR_MALFORMED_JSON, "The JSON is nested more than %d levels deep.", depth_max);
    json_error_t error;
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!root) {
        bool nul = json_error_code(&error) == json_error_null_character;
        return call_fail(c, ERR_MALFORMED_JSON, "The JSON is malformed at line %d, column %d: %s.", error.line,
                         error.column, nul ? "a text holds the character NUL" : error.text);
    }
    struct json *tree = call_alloc(c, sizeof *tree);
    copy_value(c, root, tree);
    json_decref(root);
    *out = tree;
    return OK;
}

const struct json *json_get(const struct json *object, const char *name)
{
    if (!object || object->kind != J_OBJECT) return NULL;
    for (size_t i = 0; i < object->count; i++)
        if (!strcmp(object->names[i], name)) return &object->items[i];
    return NULL;
}

size_t utf8_sequence(const unsigned char *s, size_t n)
{
    if (s[0] < 0x80) return 1;
    size_t len = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || n < len) return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF0 && s[1] < 0x90) ||
        (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return len;
}

#define EACH_BYTE(b) (0x0101010101010101u * (b))

bool utf8_valid(const char *s, size_t n)
{
    for (size_t i = 0, len; i < n; i += len) {
        uint64_t x = EACH_BYTE(0x80);
        if (n - i >= 8) memcpy(&x, s + i, 8);
        len = x & EACH_BYTE(0x80) ? utf8_sequence((const unsigned char *)s + i, n - i) : 8;
        if (!len) return false;
    }
    return true;
}

/* The first byte from i on that is not printable ASCII or needs an escape; n without one. Eight bytes a step: a
 * byte that is special in any of the four ways raises its high bit (and may raise higher ones falsely, which the last
 * loop sorts out). */
static size_t skip_plain(const unsigned char *u, size_t i, size_t n)
{
    for (; i + 8 <= n; i += 8) {
        uint64_t x;
        memcpy(&x, u + i, 8);
        uint64_t quote = x ^ EACH_BYTE('"'), slash = x ^ EACH_BYTE('\\');
        uint64_t low = (x - EACH_BYTE(0x20)) | (quote - EACH_BYTE(1)) | (slash - EACH_BYTE(1));
        if ((low | x) & EACH_BYTE(0x80)) break;
    }
    while (i < n && u[i] >= 0x20 && u[i] < 0x80 && u[i] != '"' && u[i] != '\\') i++;
    return i;
}

void json_add_text(struct buf *b, const char *s, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *u = (const unsigned char *)s;
    size_t plain = 0;
    buf_char(b, '"');
    for (size_t i = 0; (i = skip_plain(u, i, n)) < n;) {
        unsigned char ch = u[i];
        size_t len = ch >= 0x80 ? utf8_sequence(u + i, n - i) : 0;
        if (len) {
            i += len;
            continue;
        }
        buf_add(b, s + plain, i - plain);
        if (ch >= 0x80) {
            buf_str(b, "\xEF\xBF\xBD");
        } else {
            char escape[6] = { '\\', 'u', '0', '0', hex[ch >> 4], hex[ch & 15] };
            const char *named = ch == '"' ? "\\\"" : ch == '\\' ? "\\\\" : ch == '\n' ? "\\n" : ch == '\t' ? "\\t" : NULL;
            if (named) buf_str(b, named);
            else buf_add(b, escape, sizeof escape);
        }
        plain = ++i;
    }
    buf_add(b, s + plain, n - plain);
    buf_char(b, '"');
}

void json_add_string(struct buf *b, const char *s)
{
    if (s) json_add_text(b, s, strlen(s));
    else buf_str(b, "null");
}

void json_write(struct buf *b, const struct json *j)
{
    switch (j->kind) {
    case J_NULL: buf_str(b, "null"); break;
    case J_BOOL: buf_str(b, j->boolean ? "true" : "false"); break;
    case J_INT: buf_int(b, j->integer); break;
    case J_REAL: buf_format(b, "%.17g", j->real); break;
    case J_STRING: json_add_text(b, j->string, j->count); break;
    case J_ARRAY:
        buf_char(b, '[');
        for (size_t i = 0; i < j->count; i++) {
            if (i) buf_char(b, ',');
            json_write(b, &j->items[i]);
        }
        buf_char(b, ']');
        break;
    case J_OBJECT:
        buf_char(b, '{');
        for (size_t i = 0; i < j->count; i++) {
            if (i) buf_char(b, ',');
            json_add_string(b, j->names[i]);
            buf_char(b, ':');
            json_write(b, &j->items[i]);
        }
        buf_char(b, '}');
        break;
    }
}
