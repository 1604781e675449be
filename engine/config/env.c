#include "config/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "QUERENT_"

/* One line: NAME=value, NAME="value", NAME='value', with `export ` allowed before it. */
static int line(struct loader *l, char *s, size_t number)
{
    struct call *c = l->call;
    while (*s == ' ' || *s == '\t') s++;
    if (!*s || *s == '#') return OK;
    if (!strncmp(s, "export ", 7)) s += 7;
    size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (!n || s[n] != '=' || isdigit((unsigned char)*s))
        return call_fail(c, ERR_CONFIG_INVALID, ".env, line %zu: expected NAME=value.", number);
    char *value = s + n + 1, *end = value + strlen(value);
    while (end > value && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) *--end = '\0';
    if ((*value == '"' || *value == '\'') && (end - value < 2 || end[-1] != *value))
        return call_fail(c, ERR_CONFIG_INVALID, ".env, line %zu: the quote is not closed.", number);
    if (*value == '"' || *value == '\'') {
        end[-1] = '\0';
        value++;
    }
    struct variable *v = list_push(c, &l->dot_env, sizeof *v);
    *v = (struct variable){ .name = call_strndup(c, s, n), .value = value };
    return OK;
}

int env_load(struct loader *l)
{
    const char *path = path_from(l->call, l->folder, ".env"), *text;
    size_t n, number = 1;
    if (access(path, F_OK)) return OK;
    int rc = file_read(l->call, path, CONFIG_FILE_MAX, ".env", &text, &n);
    char *copy = rc ? NULL : call_strndup(l->call, text, n);
    for (char *next; !rc && copy; copy = next, number++) {
        next = strchr(copy, '\n');
        if (next) *next++ = '\0';
        rc = line(l, copy, number);
    }
    return rc;
}

const char *env_get(const struct loader *l, const char *name)
{
    const char *exported = getenv(name);
    if (exported) return exported;
    for (size_t i = l->dot_env.count; i-- > 0;)
        if (!strcmp(LIST_AT(&l->dot_env, struct variable, i).name, name))
            return LIST_AT(&l->dot_env, struct variable, i).value;
    return NULL;
}

/* Length of `name` when `text` begins with it in upper case (or as it is), else 0. */
static size_t begins(const char *text, const char *name, bool upper)
{
    size_t n = 0;
    for (; name[n]; n++)
        if (text[n] != (upper ? toupper((unsigned char)name[n]) : name[n])) return 0;
    return n;
}

static bool settable(const struct field *f)
{
    return f->kind != K_OBJECT && f->kind != K_LIST && f->kind != K_JSON && f->kind != K_RAW;
}

/* The member that a path names (SERVER_LISTEN or server.listen) and the struct it is in. */
static const struct field *find(const struct type *t, void *obj, const char *path, bool upper,
                                const struct type **owner, void **object)
{
    for (const struct field *f = t->fields; f->name; f++) {
        size_t n = begins(path, f->name, upper);
        if (n && !path[n] && settable(f)) {
            *owner = t;
            *object = obj;
            return f;
        }
        if (n && path[n] == (upper ? '_' : '.') && f->kind == K_OBJECT) {
            void *inner = *(void **)(void *)((char *)obj + f->offset);
            const struct field *found = find(f->of, inner, path + n + 1, upper, owner, object);
            if (found) return found;
        }
    }
    return NULL;
}

static int set(struct loader *l, struct config *config, const char *name, const char *path, bool upper,
               const char *value)
{
    const struct type *owner;
    void *object;
    const struct field *f = find(&config_type, config, path, upper, &owner, &object);
    if (!f && upper) {
        *(const char **)list_push(l->call, &config->warnings, sizeof(char *)) =
            call_format(l->call, "%s is not a key of the configuration and is ignored.", name);
        return OK;
    }
    if (!f) return call_fail(l->call, ERR_CONFIG_INVALID, "There is no key '%s' in the configuration.", path);
    if (type_set_text(l->call, owner, object, f->name, call_strdup(l->call, value))) {
        l->call->err.field = NULL;
        return config_error(l->call, name);
    }
    *(const void **)list_push(l->call, &l->overridden, sizeof(void *)) = (char *)object + f->offset;
    return OK;
}

static bool referred(const struct loader *l, const char *name)
{
    for (size_t i = 0; i < l->referred.count; i++)
        if (!strcmp(LIST_AT(&l->referred, const char *, i), name)) return true;
    return false;
}

static int set_variable(struct loader *l, struct config *config, const char *name, const char *value)
{
    if (strncmp(name, PREFIX, strlen(PREFIX)) || referred(l, name)) return OK;
    return set(l, config, name, name + strlen(PREFIX), true, value);
}

int env_override(struct loader *l, const struct json *overrides, struct config *config)
{
    int rc = OK;
    for (size_t i = 0; !rc && i < l->dot_env.count; i++) {
        const struct variable *v = &LIST_AT(&l->dot_env, struct variable, i);
        rc = set_variable(l, config, v->name, v->value);
    }
    for (char **e = environ; !rc && *e; e++) {
        const char *equals = strchr(*e, '=');
        if (equals) rc = set_variable(l, config, call_strndup(l->call, *e, (size_t)(equals - *e)), equals + 1);
    }
    for (size_t i = 0; !rc && overrides && i < overrides->count; i++) {
        const struct json *v = &overrides->items[i];
        if (v->kind == J_STRING) rc = set(l, config, overrides->names[i], overrides->names[i], false, v->string);
    }
    return rc;
}
