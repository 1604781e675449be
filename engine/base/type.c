#include "type.h"

#include "base/clock.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

#define SAFE_INTEGER  9007199254740991LL
#define STRING_MAX    (64 * 1024)
#define LIST_MAX      1000
#define NEAREST_WORDS 64

const struct field *type_field(const struct type *t, const char *name)
{
    for (const struct field *f = t->fields; f->name; f++)
        if (!strcmp(f->name, name)) return f;
    return NULL;
}

static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[NEAREST_WORDS + 1];
    if (n > NEAREST_WORDS || m > NEAREST_WORDS) return SIZE_MAX;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = above;
            row[j] = best;
        }
    }
    return row[m];
}

const char *nearest_name(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 1;
    for (; *names; names++) {
        size_t d = edit_distance(word, *names);
        if (d < least || (d == least && !best)) {
            least = d;
            best = *names;
        }
    }
    return best;
}

static const char *const *type_names(struct call *c, const struct type *t)
{
    size_t n = 0;
    while (t->fields[n].name) n++;
    const char **names = call_array(c, n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++) names[i] = t->fields[i].name;
    return names;
}

static int bad(struct call *c, const char *pointer, const char *name, const char *what)
{
    return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "'%s' must be %s.", name, what);
}

static const char *enum_list(struct call *c, const char *const *names)
{
    struct buf b;
    buf_init(&b, c, 4096);
    for (size_t i = 0; names[i]; i++) buf_format(&b, "%s%s", i ? ", " : "", names[i]);
    return b.data;
}

static int set_int(struct call *c, const struct field *f, const char *pointer, int64_t v, void *at)
{
    if ((f->min || f->max) && (v < f->min || v > f->max))
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "'%s' must be between %lld and %lld, not %lld.", f->name,
                            (long long)f->min, (long long)f->max, (long long)v);
    *(int64_t *)at = v;
    return OK;
}

static int set_str(struct call *c, const struct field *f, const char *pointer, const char *s, size_t n, void *at)
{
    size_t max = f->max ? (size_t)f->max : STRING_MAX;
    if (n > max)
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "'%s' is %zu bytes long; the most is %zu.", f->name, n,
                            max);
    if (n < (size_t)f->min) return bad(c, pointer, f->name, "a text that is not empty");
    *(const char **)at = s;
    return OK;
}

static int set_enum(struct call *c, const struct field *f, const char *pointer, const char *s, void *at)
{
    const char *const *names = f->of;
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], s)) {
            *(int *)at = i;
            return OK;
        }
    return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "'%s' must be one of %s.", f->name, enum_list(c, names));
}

static int set_time(struct call *c, const struct field *f, const char *pointer, const char *s, void *at)
{
    if (!clock_parse(s, at)) return bad(c, pointer, f->name, "a time such as 2026-09-01T12:00:00Z");
    return OK;
}

static int decode_list(struct call *c, const struct field *f, const struct json *j, const char *pointer, void *at)
{
    const struct type *t = f->of;
    struct list *l = at;
    size_t max = f->max ? (size_t)f->max : LIST_MAX;
    if (j->kind != J_ARRAY) return bad(c, pointer, f->name, "an array");
    if (j->count > max)
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "'%s' has %zu items; the most is %zu.", f->name, j->count,
                            max);
    for (size_t i = 0; i < j->count; i++) {
        const char *item = call_format(c, "%s/%zu", pointer, i);
        if (f->kind == K_STRINGS) {
            if (j->items[i].kind != J_STRING) return bad(c, item, f->name, "an array of strings");
            *(const char **)list_push(c, l, sizeof(const char *)) = j->items[i].string;
        } else {
            int rc = json_decode_at(c, t, &j->items[i], item, list_push(c, l, t->size));
            if (rc) return rc;
        }
    }
    return OK;
}

static int decode_field(struct call *c, const struct field *f, const struct json *j, const char *pointer, void *at)
{
    switch (f->kind) {
    case K_BOOL:
        if (j->kind != J_BOOL) return bad(c, pointer, f->name, "true or false");
        *(bool *)at = j->boolean;
        return OK;
    case K_INT:
        if (j->kind != J_INT) return bad(c, pointer, f->name, "an integer");
        return set_int(c, f, pointer, j->integer, at);
    case K_NUMBER:
        if (j->kind != J_INT && j->kind != J_REAL) return bad(c, pointer, f->name, "a number");
        *(double *)at = j->kind == J_INT ? (double)j->integer : j->real;
        return OK;
    case K_STR:
        if (j->kind != J_STRING) return bad(c, pointer, f->name, "a string");
        return set_str(c, f, pointer, j->string, j->count, at);
    case K_ENUM:
        if (j->kind != J_STRING) return bad(c, pointer, f->name, "a string");
        return set_enum(c, f, pointer, j->string, at);
    case K_TIME:
        if (j->kind != J_STRING) return bad(c, pointer, f->name, "a time as a string");
        return set_time(c, f, pointer, j->string, at);
    case K_OBJECT: {
        const struct type *t = f->of;
        void *object = call_alloc(c, t->size);
        *(void **)at = object;
        return json_decode_at(c, t, j, pointer, object);
    }
    case K_LIST:
    case K_STRINGS: return decode_list(c, f, j, pointer, at);
    case K_JSON: *(const struct json **)at = j; return OK;
    case K_RAW: break;
    }
    return bad(c, pointer, f->name, "absent; it is written by the server");
}

static void *member(const struct field *f, const void *obj) { return (char *)(uintptr_t)obj + f->offset; }

int type_set_text(struct call *c, const struct type *t, void *obj, const char *name, const char *text)
{
    const struct field *f = type_field(t, name);
    const char *pointer = call_format(c, "/%s", name);
    if (!f || f->kind == K_OBJECT || f->kind == K_LIST || f->kind == K_JSON || f->kind == K_RAW) {
        const char *near = nearest_name(name, type_names(c, t));
        if (near) call_hint(c, "Did you mean '%s'?", near);
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "There is no parameter '%s'.", name);
    }
    void *at = member(f, obj);
    char *end;
    switch (f->kind) {
    case K_BOOL:
        if (strcmp(text, "true") && strcmp(text, "false") && strcmp(text, "1") && strcmp(text, "0"))
            return bad(c, pointer, name, "true or false");
        *(bool *)at = text[0] == 't' || text[0] == '1';
        return OK;
    case K_INT: {
        long long v = strtoll(text, &end, 10);
        if (!*text || *end || (size_t)(end - text) > 20 || text[0] == ' ') return bad(c, pointer, name, "an integer");
        return set_int(c, f, pointer, v, at);
    }
    case K_NUMBER:
        *(double *)at = strtod(text, &end);
        return *text && !*end ? OK : bad(c, pointer, name, "a number");
    case K_ENUM: return set_enum(c, f, pointer, text, at);
    case K_TIME: return set_time(c, f, pointer, text, at);
    case K_STRINGS: {
        struct list *l = at;
        *l = (struct list){ 0 };
        for (const char *p = text; *p;) {
            size_t n = strcspn(p, ",");
            if (n) *(const char **)list_push(c, l, sizeof(const char *)) = call_strndup(c, p, n);
            p += n + (p[n] == ',');
        }
        return OK;
    }
    default: return set_str(c, f, pointer, call_strdup(c, text), strlen(text), at);
    }
}

int type_defaults(struct call *c, const struct type *t, void *obj)
{
    for (const struct field *f = t->fields; f->name; f++) {
        int rc = f->def ? type_set_text(c, t, obj, f->name, f->def) : OK;
        if (rc) return rc;
    }
    return OK;
}

int json_decode_at(struct call *c, const struct type *type, const struct json *j, const char *pointer, void *out)
{
    if (j->kind != J_OBJECT)
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "Expected an object%s%s.", *pointer ? " at " : "", pointer);
    int rc = type_defaults(c, type, out);
    if (rc) return rc;
    for (size_t i = 0; i < j->count; i++) {
        const struct field *f = type_field(type, j->names[i]);
        const char *at = call_format(c, "%s/%s", pointer, j->names[i]);
        if (!f || f->flags & (F_PATH | F_HIDDEN)) {
            const char *near = nearest_name(j->names[i], type_names(c, type));
            if (near && strcmp(near, j->names[i])) call_hint(c, "Did you mean '%s'?", near);
            return call_fail_at(c, ERR_VALIDATION_ERROR, at, "There is no member '%s' here.", j->names[i]);
        }
        if (j->items[i].kind == J_NULL && f->kind != K_JSON) continue;
        if (f->kind == K_LIST || f->kind == K_STRINGS) *(struct list *)member(f, out) = (struct list){ 0 };
        rc = decode_field(c, f, &j->items[i], at, member(f, out));
        if (rc) return rc;
    }
    for (const struct field *f = type->fields; f->name; f++) {
        if (!(f->flags & F_REQUIRED) || f->flags & F_PATH) continue;
        const struct json *v = json_get(j, f->name);
        if (!v || v->kind == J_NULL)
            return call_fail_at(c, ERR_VALIDATION_ERROR, call_format(c, "%s/%s", pointer, f->name), "'%s' is required.",
                                f->name);
    }
    return OK;
}

int json_decode(struct call *c, const struct type *type, const struct json *j, void *out)
{
    return json_decode_at(c, type, j, "", out);
}

static void encode_int(struct buf *b, int64_t v)
{
    bool safe = v <= SAFE_INTEGER && v >= -SAFE_INTEGER;
    if (!safe) buf_char(b, '"');
    buf_int(b, v);
    if (!safe) buf_char(b, '"');
}

static bool absent(const struct field *f, const void *at)
{
    switch (f->kind) {
    case K_STR:
    case K_OBJECT:
    case K_JSON: return !*(const void *const *)at;
    case K_RAW: return !((const struct raw *)at)->text;
    case K_TIME: return !*(const int64_t *)at;
    case K_LIST:
    case K_STRINGS: return !((const struct list *)at)->count && !(f->flags & F_REQUIRED);
    default: return false;
    }
}

static void encode_field(struct buf *b, const struct field *f, const void *at)
{
    switch (f->kind) {
    case K_BOOL: buf_str(b, *(const bool *)at ? "true" : "false"); break;
    case K_INT: encode_int(b, *(const int64_t *)at); break;
    case K_NUMBER: buf_format(b, "%.6g", *(const double *)at); break;
    case K_STR: json_add_string(b, *(const char *const *)at); break;
    case K_ENUM: json_add_string(b, ((const char *const *)f->of)[*(const int *)at]); break;
    case K_TIME: {
        char text[CLOCK_TEXT];
        clock_text(*(const int64_t *)at, text);
        json_add_string(b, text);
        break;
    }
    case K_OBJECT: json_encode(b, f->of, *(const void *const *)at); break;
    case K_LIST: {
        const struct list *l = at;
        const struct type *t = f->of;
        buf_char(b, '[');
        for (size_t i = 0; i < l->count; i++) {
            if (i) buf_char(b, ',');
            json_encode(b, t, (const char *)l->items + i * t->size);
        }
        buf_char(b, ']');
        break;
    }
    case K_STRINGS: {
        const struct list *l = at;
        buf_char(b, '[');
        for (size_t i = 0; i < l->count; i++) {
            if (i) buf_char(b, ',');
            json_add_string(b, LIST_AT(l, const char *, i));
        }
        buf_char(b, ']');
        break;
    }
    case K_JSON: json_write(b, *(const struct json *const *)at); break;
    case K_RAW: buf_add(b, ((const struct raw *)at)->text, ((const struct raw *)at)->n); break;
    }
}

void json_encode(struct buf *b, const struct type *type, const void *obj)
{
    bool first = true;
    buf_char(b, '{');
    for (const struct field *f = type->fields; f->name; f++) {
        const void *at = member(f, obj);
        if (f->flags & (F_SECRET | F_HIDDEN)) continue;
        bool missing = absent(f, at);
        if (missing && !(f->flags & (F_NULL | F_REQUIRED))) continue;
        if (!first) buf_char(b, ',');
        first = false;
        json_add_string(b, f->name);
        buf_char(b, ':');
        if (missing) buf_str(b, "null");
        else encode_field(b, f, at);
    }
    buf_char(b, '}');
}

static void schema_field(struct buf *b, const struct field *f, bool input)
{
    const char *null = f->flags & F_NULL && !input ? ",\"null\"" : "";
    switch (f->kind) {
    case K_BOOL: buf_str(b, "{\"type\":\"boolean\""); break;
    case K_INT:
        buf_str(b, "{\"type\":\"integer\"");
        if (input && (f->min || f->max))
            buf_format(b, ",\"minimum\":%lld,\"maximum\":%lld", (long long)f->min, (long long)f->max);
        break;
    case K_NUMBER: buf_str(b, "{\"type\":\"number\""); break;
    case K_STR:
        buf_format(b, *null ? "{\"type\":[\"string\"%s]" : "{\"type\":\"string\"%s", null);
        if (input && f->min) buf_format(b, ",\"minLength\":%lld", (long long)f->min);
        break;
    case K_TIME:
        buf_format(b, *null ? "{\"type\":[\"string\"%s],\"format\":\"date-time\"" : "{\"type\":\"string\"%s,\"format\":\"date-time\"",
                   null);
        break;
    case K_ENUM: {
        const char *const *names = f->of;
        buf_str(b, "{\"type\":\"string\",\"enum\":[");
        for (size_t i = 0; names[i]; i++) {
            if (i) buf_char(b, ',');
            json_add_string(b, names[i]);
        }
        buf_char(b, ']');
        break;
    }
    case K_OBJECT:
        if (*null) {
            buf_str(b, "{\"anyOf\":[");
            type_schema(b, f->of, input);
            buf_str(b, ",{\"type\":\"null\"}]");
            break;
        }
        type_schema(b, f->of, input);
        b->len--; /* reopen the object for the description below */
        break;
    case K_LIST:
        buf_str(b, "{\"type\":\"array\",\"items\":");
        type_schema(b, f->of, input);
        break;
    case K_STRINGS: buf_str(b, "{\"type\":\"array\",\"items\":{\"type\":\"string\"}"); break;
    case K_JSON: buf_str(b, "{\"description\":"); break;
    case K_RAW: buf_str(b, f->of ? (const char *)f->of : "{"); break;
    }
    if (f->kind == K_JSON) {
        json_add_string(b, f->doc ? f->doc : f->name);
    } else if (f->doc) {
        if (b->data[b->len - 1] != '{') buf_char(b, ',');
        buf_str(b, "\"description\":");
        json_add_string(b, f->doc);
    }
    if (input && f->def && f->kind == K_STR) {
        buf_str(b, ",\"default\":");
        json_add_string(b, f->def);
    } else if (input && f->def && (f->kind == K_INT || f->kind == K_BOOL)) {
        buf_format(b, ",\"default\":%s", f->def);
    }
    buf_char(b, '}');
}

void type_schema(struct buf *b, const struct type *t, bool input)
{
    bool first = true;
    buf_str(b, "{\"type\":\"object\",\"properties\":{");
    for (const struct field *f = t->fields; f->name; f++) {
        if (f->flags & F_HIDDEN || (f->flags & F_SECRET && !input)) continue;
        if (!first) buf_char(b, ',');
        first = false;
        json_add_string(b, f->name);
        buf_char(b, ':');
        schema_field(b, f, input);
    }
    buf_char(b, '}');
    first = true;
    for (const struct field *f = t->fields; f->name; f++) {
        if (!(f->flags & F_REQUIRED) || (f->flags & F_SECRET && !input)) continue;
        buf_str(b, first ? ",\"required\":[" : ",");
        json_add_string(b, f->name);
        first = false;
    }
    if (!first) buf_char(b, ']');
    if (input) buf_str(b, ",\"additionalProperties\":false");
    buf_char(b, '}');
}
