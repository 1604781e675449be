#include "api/routes/route.h"

#include <string.h>

#define SEGMENTS_MAX 16
#define PARAMS_MAX   32

static int hex(char ch)
{
    if (ch >= '0' && ch <= '9') return ch - '0';
    if (ch >= 'a' && ch <= 'f') return ch - 'a' + 10;
    if (ch >= 'A' && ch <= 'F') return ch - 'A' + 10;
    return -1;
}

int percent_decode(struct call *c, const char *text, size_t n, bool form, const char **out)
{
    const char *where = form ? "query" : "path";
    char *to = call_alloc(c, n + 1);
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        char ch = text[i] == '+' && form ? ' ' : text[i];
        if (ch == '%') {
            int high = i + 2 < n ? hex(text[i + 1]) : -1, low = i + 2 < n ? hex(text[i + 2]) : -1;
            if (high < 0 || low < 0)
                return call_fail(c, ERR_INVALID_REQUEST, "The %s has a %% without two hexadecimal digits.", where);
            ch = (char)(high * 16 + low);
            i += 2;
            if (!ch) return call_fail(c, ERR_INVALID_REQUEST, "The %s has an encoded NUL.", where);
            if (ch == '/' && !form) return call_fail(c, ERR_INVALID_REQUEST, "The path has an encoded slash.");
        }
        to[len++] = ch;
    }
    if (!utf8_valid(to, len)) return call_fail(c, ERR_INVALID_REQUEST, "The %s is not valid UTF-8.", where);
    *out = to;
    return OK;
}

/* Segments of a path, each decoded. False count: more than any route has. */
static int split(struct call *c, const char *path, const char **segments, size_t *count)
{
    *count = 0;
    while (*path == '/') {
        const char *start = path + 1;
        size_t n = strcspn(start, "/");
        const char *text;
        int rc = percent_decode(c, start, n, false, &text);
        if (rc) return rc;
        if (*count < SEGMENTS_MAX) segments[*count] = text;
        ++*count;
        path = start + n;
    }
    return OK;
}

/* False when what stands in the pattern before its first parameter does not begin the path: most rows end here. A
 * path with an escape is left to fits(). */
static bool may_fit(const char *pattern, const char *path, bool escaped)
{
    while (*pattern && *pattern != '{' && *pattern == *path) {
        pattern++;
        path++;
    }
    return escaped || *pattern == '{' || *pattern == *path || !strcmp(pattern, "/{*}");
}

static bool fits(struct call *c, const char *pattern, const char *const *segments, size_t count, struct match *m)
{
    m->value_count = 0;
    for (size_t i = 0; *pattern == '/'; i++) {
        const char *start = pattern + 1;
        size_t n = strcspn(start, "/");
        if (n == 3 && !memcmp(start, "{*}", 3)) return true;
        if (i >= count) return false;
        if (start[0] == '{') {
            if (!*segments[i]) return false;
            m->values[m->value_count++] =
                (struct path_value){ .name = call_strndup(c, start + 1, n - 2), .text = segments[i] };
        } else if (strncmp(segments[i], start, n) || segments[i][n]) {
            return false;
        }
        pattern = start + n;
        if (!*pattern) return i + 1 == count;
    }
    return false;
}

int route_find(struct call *c, const char *method, const char *path, struct match *out)
{
    const char *segments[SEGMENTS_MAX];
    size_t count;
    *out = (struct match){ 0 };
    int rc = split(c, path, segments, &count);
    if (rc) return rc;
    bool head = !strcmp(method, "HEAD"), escaped = strchr(path, '%') != NULL;
    for (const struct route *r = routes; r->path && count <= SEGMENTS_MAX; r++) {
        if (!may_fit(r->path, path, escaped) || !fits(c, r->path, segments, count, out)) continue;
        bool bodyless = !strcmp(r->method, "GET") && !(r->flags & ROUTE_BYTES);
        if (!strcmp(r->method, method) || (head && bodyless)) {
            out->route = r;
            return OK;
        }
        out->allow = out->allow ? call_format(c, "%s, %s", out->allow, r->method) : r->method;
        if (bodyless) out->allow = call_format(c, "%s, HEAD", out->allow);
    }
    if (!out->allow) return call_fail(c, ERR_NOT_FOUND, "There is nothing at this path.");
    return call_fail(c, ERR_METHOD_NOT_ALLOWED, "%s is not allowed here; allowed: %s.", method, out->allow);
}

static bool from_path(const struct match *m, const char *name)
{
    for (size_t i = 0; i < m->value_count; i++)
        if (!strcmp(m->values[i].name, name)) return true;
    return false;
}

/* Each parameter at most once; those of the path do not come again. */
static int set_query(struct call *c, const struct match *m, const char *query, void *in)
{
    const struct op *op = m->route->op;
    const char *seen[PARAMS_MAX];
    size_t count = 0;
    for (; query && *query; query += *query == '&') {
        size_t n = strcspn(query, "&"), name_n = strcspn(query, "=&");
        const char *name, *text = "";
        int rc = percent_decode(c, query, name_n, true, &name);
        if (!rc && name_n < n) rc = percent_decode(c, query + name_n + 1, n - name_n - 1, true, &text);
        if (rc) return rc;
        query += n;
        if (!n) continue;
        const struct field *f = op->in ? type_field(op->in, name) : NULL;
        const char *pointer = call_format(c, "/%s", name);
        if (!op->in || from_path(m, name) || (f && f->flags & F_PATH))
            return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "There is no parameter '%s' here.", name);
        for (size_t i = 0; i < count; i++)
            if (!strcmp(seen[i], name))
                return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "The parameter '%s' stands twice.", name);
        if (count == PARAMS_MAX) return call_fail(c, ERR_INVALID_REQUEST, "There are too many parameters.");
        seen[count++] = name;
        rc = type_set_text(c, op->in, in, name, text);
        if (rc) return rc;
    }
    return OK;
}

/* What cannot be a name of ours names nothing. */
static int set_path(struct call *c, const struct match *m, void *in)
{
    for (size_t i = 0; i < m->value_count; i++) {
        if (!type_set_text(c, m->route->op->in, in, m->values[i].name, m->values[i].text)) continue;
        call_forgive(c);
        return call_fail(c, ERR_NOT_FOUND, "There is nothing at this path.");
    }
    return OK;
}

/* What json_decode checks in a body, for an input that came as text. */
static int required(struct call *c, const struct type *t, const void *in)
{
    for (const struct field *f = t->fields; f->name; f++)
        if (f->flags & F_REQUIRED && f->kind == K_STR && !*(const char *const *)((const char *)in + f->offset))
            return call_fail_at(c, ERR_VALIDATION_ERROR, call_format(c, "/%s", f->name), "'%s' is required.", f->name);
    return OK;
}

int route_input(struct call *c, const struct match *m, const char *query, const char *body, size_t n, void **out)
{
    const struct type *t = m->route->op->in;
    bool has_body = !strcmp(m->route->method, "POST") || !strcmp(m->route->method, "PATCH");
    void *in = t ? call_alloc(c, t->size) : NULL;
    const struct json *j = &(const struct json){ .kind = J_OBJECT };
    int rc = OK;
    *out = in;
    if (n && !has_body) return call_fail(c, ERR_INVALID_REQUEST, "A %s request has no body here.", m->route->method);
    if (n) rc = json_parse(c, body, n, &j);
    if (rc) return rc;
    if (n && j->kind != J_OBJECT) return call_fail(c, ERR_VALIDATION_ERROR, "The body must be a JSON object.");
    if (!t) {
        if (n && j->count)
            return call_fail_at(c, ERR_VALIDATION_ERROR, call_format(c, "/%s", j->names[0]),
                                "There is no member '%s' here.", j->names[0]);
        return set_query(c, m, query, in);
    }
    for (size_t i = 0; n && i < j->count; i++)
        if (from_path(m, j->names[i]))
            return call_fail_at(c, ERR_VALIDATION_ERROR, call_format(c, "/%s", j->names[i]),
                                "'%s' stands in the path; leave it out of the body.", j->names[i]);
    rc = has_body ? json_decode(c, t, j, in) : type_defaults(c, t, in);
    if (!rc) rc = set_query(c, m, query, in);
    if (!rc) rc = set_path(c, m, in);
    return rc || has_body ? rc : required(c, t, in);
}
