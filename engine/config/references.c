#include "config/references.h"

#include "config/parts.h"

#include <stdlib.h>
#include <string.h>

static bool open_to_all(const struct config *config, const char *reference)
{
    const struct list *open = &config->connect->references;
    size_t n = strlen(reference);
    for (size_t i = 0; i < open->count; i++) {
        const char *name = LIST_AT(open, const char *, i); /* env:NAME in ${env:NAME} */
        if (strlen(name) + 3 == n && !strncmp(reference + 2, name, n - 3)) return true;
    }
    return false;
}

static int value_of(struct call *c, const char *reference, const char *pointer, const char **out)
{
    const char *key = call_strndup(c, strchr(reference, ':') + 1, strlen(strchr(reference, ':') + 1) - 1);
    size_t n;
    if (!strncmp(reference, "${env:", 6)) {
        *out = getenv(key);
        if (*out) return OK;
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "The environment variable %s is not set.", key);
    }
    if (file_read(c, key, SECRET_FILE_MAX, key, out, &n) || memchr(*out, 0, n)) {
        call_forgive(c);
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "The file %s cannot be read.", key);
    }
    while (n && ((*out)[n - 1] == '\n' || (*out)[n - 1] == '\r')) n--;
    *out = call_strndup(c, *out, n);
    return OK;
}

static int resolve(struct call *c, const struct config *config, const char *name, const char *reference,
                   struct json *out)
{
    const char *pointer = call_format(c, "/connection/%s", name), *value;
    if (strncmp(reference, "${env:", 6) != 0 && strncmp(reference, "${file:/", 8) != 0)
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "A reference is ${env:NAME} or ${file:/path}.");
    if (!open_to_all(config, reference)) {
        call_hint(c, "The operator opens it by naming %.*s in connect.references of the configuration.",
                  (int)strlen(reference) - 3, reference + 2);
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer,
                            "The reference %s is not open to connections that are made at run time.", reference);
    }
    int rc = value_of(c, reference, pointer, &value);
    if (!rc) *out = (struct json){ .kind = J_STRING, .string = value, .count = strlen(value) };
    return rc;
}

int references_resolve(struct call *c, const struct config *config, const struct json *connection,
                       const struct json **out)
{
    struct json *items = NULL, *copy;
    *out = connection;
    if (!connection || connection->kind != J_OBJECT) return OK;
    for (size_t i = 0; i < connection->count; i++) {
        const struct json *j = &connection->items[i];
        if (j->kind != J_STRING || !is_reference(j->string)) continue;
        if (!items) {
            items = call_array(c, connection->count, sizeof *items);
            memcpy(items, connection->items, connection->count * sizeof *items);
        }
        int rc = resolve(c, config, connection->names[i], j->string, &items[i]);
        if (rc) return rc;
    }
    if (!items) return OK;
    copy = call_alloc(c, sizeof *copy);
    *copy = *connection;
    copy->items = items;
    *out = copy;
    return OK;
}
