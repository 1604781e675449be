#include "config/parts.h"

#include "base/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int file_read(struct call *c, const char *path, size_t max, const char *what, const char **out, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return call_fail(c, ERR_CONFIG_INVALID, "%s cannot be read: %s.", what, strerror(errno));
    struct buf b;
    char chunk[8192];
    ssize_t got;
    buf_init(&b, c, max);
    while (!b.failed && (got = read(fd, chunk, sizeof chunk)) > 0) buf_add(&b, chunk, (size_t)got);
    int problem = !b.failed && got < 0 ? errno : 0;
    close(fd);
    if (problem) return call_fail(c, ERR_CONFIG_INVALID, "%s cannot be read: %s.", what, strerror(problem));
    if (b.failed) return call_fail(c, ERR_CONFIG_INVALID, "%s is longer than %zu bytes.", what, max);
    *out = b.data;
    *n = b.len;
    return OK;
}

const char *path_from(struct call *c, const char *folder, const char *path)
{
    return *path == '/' ? path : call_format(c, "%s/%s", folder, path);
}

int config_error(struct call *c, const char *where)
{
    struct err *e = &c->err;
    if (e->code != ERR_SECRET_VALUE_IN_CONFIG) e->code = ERR_CONFIG_INVALID;
    e->message = call_format(c, "%s%s%s%s%s%s%s", where ? where : "", where ? ": " : "", e->field ? e->field : "",
                             e->field ? ": " : "", e->message, e->hint ? " " : "", e->hint ? e->hint : "");
    e->hint = NULL;
    return (int)e->code;
}

/* A section that is a text names the file it stands in. */
static int read_section(struct loader *l, const char *name, struct json *section)
{
    const struct field *f = type_field(&config_type, name);
    const struct json *content;
    const char *text;
    size_t n;
    if (!f || section->kind != J_STRING || (f->kind != K_OBJECT && f->kind != K_LIST && f->kind != K_JSON)) return OK;
    const char *path = section->string;
    int rc = file_read(l->call, path_from(l->call, l->folder, path), CONFIG_FILE_MAX, path, &text, &n);
    if (!rc) rc = yaml_parse(l->call, path, text, n, &content);
    if (!rc) *section = *content;
    return rc;
}

static int read_file(struct loader *l, const char *path)
{
    struct call *c = l->call;
    const struct json *tree = NULL;
    const char *text, *slash = strrchr(path, '/');
    size_t n;
    l->file = slash ? slash + 1 : path;
    l->folder = slash ? call_strndup(c, path, (size_t)(slash - path) + (slash == path)) : ".";
    int rc = file_read(c, path, CONFIG_FILE_MAX, path, &text, &n);
    if (!rc) rc = yaml_parse(c, l->file, text, n, &tree);
    if (rc) return rc;
    if (tree->kind != J_OBJECT)
        return call_fail(c, ERR_CONFIG_INVALID, "%s holds no keys; it begins with 'version: 1'.", l->file);
    struct json *sections = call_array(c, tree->count, sizeof *sections), *root = call_alloc(c, sizeof *root);
    *root = *tree;
    root->items = sections;
    for (size_t i = 0; !rc && i < tree->count; i++) {
        sections[i] = tree->items[i];
        rc = read_section(l, tree->names[i], &sections[i]);
    }
    l->raw = root;
    return rc;
}

/* Sections that were not written hold their defaults. */
static int fill(struct call *c, const struct type *t, void *obj)
{
    int rc = OK;
    for (const struct field *f = t->fields; !rc && f->name; f++) {
        void **at = (void **)(void *)((char *)obj + f->offset);
        if (f->kind != K_OBJECT) continue;
        const struct type *inner = f->of;
        if (!*at) {
            *at = call_alloc(c, inner->size);
            rc = type_defaults(c, inner, *at);
        }
        if (!rc) rc = fill(c, inner, *at);
    }
    return rc;
}

static struct loaded *loaded_new(void)
{
    struct loaded *loaded = calloc(1, sizeof *loaded);
    if (!loaded) abort();
    call_begin(&loaded->memory);
    loaded->loader = (struct loader){ .call = &loaded->memory, .folder = "." };
    return loaded;
}

static int decode(struct loader *l, struct config *out)
{
    const struct json *tree;
    int rc = expand_tree(l, l->raw, &tree);
    if (!rc) rc = json_decode(l->call, &config_type, tree, out);
    if (!rc) rc = fill(l->call, &config_type, out);
    return rc;
}

static int defaults(struct loader *l, struct config *out)
{
    int rc = type_defaults(l->call, &config_type, out);
    if (!rc) rc = fill(l->call, &config_type, out);
    out->version = 1;
    if (rc) return rc;
    out->api->auth = AUTH_NONE;
    out->mcp->auth = AUTH_NONE;
    return OK;
}

static int build(struct loaded *loaded, const char *path, const struct json *overrides)
{
    struct loader *l = &loaded->loader;
    int rc = path ? read_file(l, path) : OK;
    if (!rc && path) rc = env_load(l);
    if (rc) return rc;
    rc = path ? decode(l, &loaded->config) : defaults(l, &loaded->config);
    if (rc) return config_error(l->call, l->file);
    if ((rc = env_override(l, overrides, &loaded->config))) return rc;
    rc = config_check(l, loaded);
    return rc ? config_error(l->call, l->file) : OK;
}

int config_load(struct call *c, const char *path, const struct json *overrides, struct config **out)
{
    struct loaded *loaded = loaded_new();
    if (!build(loaded, path, overrides)) {
        *out = &loaded->config;
        return OK;
    }
    const struct err *e = &loaded->memory.err;
    int rc = call_fail_at(c, e->code, call_strdup(c, e->field), "%s", e->message);
    config_free(&loaded->config);
    return rc;
}

struct config *config_defaults(struct call *c)
{
    struct loaded *loaded = loaded_new();
    (void)c;
    if (defaults(&loaded->loader, &loaded->config) || config_check(&loaded->loader, loaded)) abort();
    return &loaded->config;
}

void config_free(struct config *config)
{
    struct loaded *loaded = (struct loaded *)config;
    if (!loaded) return;
    call_end(&loaded->memory);
    free(loaded);
}
