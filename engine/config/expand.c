#include "config/parts.h"

#include "adapters/adapter.h"

#include <stdlib.h>
#include <string.h>

bool is_reference(const char *s)
{
    const char *end = strchr(s, '}');
    return !strncmp(s, "${", 2) && end && !end[1];
}

static int variable(struct loader *l, const char *name, const char *pointer, const char **out)
{
    *(const char **)list_push(l->call, &l->referred, sizeof(char *)) = name;
    *out = env_get(l, name);
    if (*out) return OK;
    return call_fail_at(l->call, ERR_CONFIG_INVALID, pointer, "The environment variable %s is not set.", name);
}

static int secret_file(struct loader *l, const char *path, const char *pointer, const char **out)
{
    struct call *c = l->call;
    size_t n;
    if (file_read(c, path_from(c, l->folder, path), SECRET_FILE_MAX, path, out, &n)) {
        c->err.field = pointer;
        return ERR_CONFIG_INVALID;
    }
    while (n && ((*out)[n - 1] == '\n' || (*out)[n - 1] == '\r')) n--;
    if (memchr(*out, 0, n))
        return call_fail_at(c, ERR_CONFIG_INVALID, pointer, "The file %s holds a NUL character.", path);
    *out = call_strndup(c, *out, n);
    return OK;
}

/* s points behind "${"; *s is left behind "}". */
static int reference(struct loader *l, const char **s, const char *pointer, const char **out)
{
    struct call *c = l->call;
    const char *end = strchr(*s, '}'), *colon = strchr(*s, ':');
    if (!end || !colon || colon > end)
        return call_fail_at(c, ERR_CONFIG_INVALID, pointer, "A reference is ${env:NAME} or ${file:/path}.");
    const char *provider = call_strndup(c, *s, (size_t)(colon - *s));
    const char *key = call_strndup(c, colon + 1, (size_t)(end - colon - 1));
    *s = end + 1;
    if (!strcmp(provider, "env")) return variable(l, key, pointer, out);
    if (!strcmp(provider, "file")) return secret_file(l, key, pointer, out);
    return call_fail_at(c, ERR_CONFIG_INVALID, pointer, "There is no provider '%s'; use ${env:NAME} or ${file:/path}.",
                        provider);
}

/* "$${" stands for "${". */
static int expand_text(struct loader *l, const char *s, const char *pointer, const char **out)
{
    struct buf b;
    buf_init(&b, l->call, SECRET_FILE_MAX);
    while (*s) {
        if (!strncmp(s, "$${", 3)) {
            buf_str(&b, "${");
            s += 3;
        } else if (!strncmp(s, "${", 2)) {
            const char *value;
            s += 2;
            int rc = reference(l, &s, pointer, &value);
            if (rc) return rc;
            buf_str(&b, value);
        } else {
            buf_char(&b, *s++);
        }
    }
    if (b.failed) return call_fail_at(l->call, ERR_CONFIG_INVALID, pointer, "The value is too long.");
    *out = b.data;
    return OK;
}

/* A number or a flag that came by reference is text until its member's kind is known. */
static void coerce(const struct field *f, struct json *j)
{
    char *end;
    if (!f) return;
    if (f->kind == K_INT) {
        long long v = strtoll(j->string, &end, 10);
        if (*j->string && !*end && j->string[0] != ' ') *j = (struct json){ .kind = J_INT, .integer = v };
    } else if (f->kind == K_BOOL) {
        bool yes = !strcmp(j->string, "true");
        if (yes || !strcmp(j->string, "false")) *j = (struct json){ .kind = J_BOOL, .boolean = yes };
    }
}

static int expand(struct loader *l, const struct type *t, const struct field *f, const struct json *in,
                  const char *pointer, struct json *out);

/* The type of a member: its row's, or, for a connection, what the kind of database beside it says. */
static const struct type *inner_type(const struct type *t, const struct field *f, const struct json *object)
{
    if (f && (f->kind == K_OBJECT || f->kind == K_LIST)) return f->of;
    if (t != &datasource_entry_type || !f || strcmp(f->name, "connection")) return NULL;
    const struct json *name = json_get(object, "type");
    const struct adapter_kind *kind = name && name->kind == J_STRING ? adapter_kind_find(name->string) : NULL;
    return kind ? kind->connection : NULL;
}

static int expand_members(struct loader *l, const struct type *t, const struct json *in, const char *pointer,
                          struct json *out)
{
    struct json *items = call_array(l->call, in->count, sizeof *items);
    int rc = OK;
    out->items = items;
    for (size_t i = 0; !rc && i < in->count; i++) {
        bool array = in->kind == J_ARRAY;
        const char *at =
            array ? call_format(l->call, "%s/%zu", pointer, i) : call_format(l->call, "%s/%s", pointer, in->names[i]);
        const struct field *f = !array && t ? type_field(t, in->names[i]) : NULL;
        rc = expand(l, array ? t : inner_type(t, f, in), f, &in->items[i], at, &items[i]);
    }
    return rc;
}

static int expand(struct loader *l, const struct type *t, const struct field *f, const struct json *in,
                  const char *pointer, struct json *out)
{
    *out = *in;
    if (in->kind == J_ARRAY || in->kind == J_OBJECT) return expand_members(l, t, in, pointer, out);
    if (f && f->flags & F_SECRET && in->kind != J_NULL && (in->kind != J_STRING || !is_reference(in->string)))
        return call_fail_at(l->call, ERR_SECRET_VALUE_IN_CONFIG, pointer,
                            "'%s' is a secret and must not stand in a file; write ${env:NAME} or ${file:/path}.",
                            f->name);
    if (in->kind != J_STRING || !strstr(in->string, "${")) return OK;
    int rc = expand_text(l, in->string, pointer, &out->string);
    if (rc) return rc;
    out->count = strlen(out->string);
    coerce(f, out);
    return OK;
}

int expand_tree(struct loader *l, const struct json *raw, const struct json **out)
{
    struct json *tree = call_alloc(l->call, sizeof *tree);
    *out = tree;
    return expand(l, &config_type, NULL, raw, "", tree);
}
