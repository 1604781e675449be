#include "config/parts.h"

#include "adapters/adapter.h"
#include "base/id.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Host of "host:port" or "[host]:port"; NULL when it is neither. */
static const char *listen_host(struct call *c, const char *listen)
{
    const char *colon = strrchr(listen, ':');
    if (!colon || colon == listen || !colon[1] || strlen(colon + 1) > 5) return NULL;
    char *end;
    long port = strtol(colon + 1, &end, 10);
    if (*end || port < 0 || port > 65535 || colon[1] == '+' || colon[1] == '-' || colon[1] == ' ') return NULL;
    if (*listen == '[' && colon[-1] == ']') return call_strndup(c, listen + 1, (size_t)(colon - listen - 2));
    const char *host = call_strndup(c, listen, (size_t)(colon - listen));
    return strchr(host, ':') ? NULL : host;
}

static bool loopback(const char *host)
{
    return !strcmp(host, "localhost") || !strcmp(host, "::1") || !strncmp(host, "127.", 4);
}

static int check_server(struct call *c, const struct config *g)
{
    const char *host = listen_host(c, g->server->listen);
    if (!host)
        return call_fail_at(c, ERR_CONFIG_INVALID, "/server/listen", "'%s' is not an address such as 127.0.0.1:8765.",
                            g->server->listen);
    const char *open = g->api->auth == AUTH_NONE ? "api" : g->mcp->enabled && g->mcp->auth == AUTH_NONE ? "mcp" : NULL;
    if (open && !loopback(host))
        return call_fail_at(c, ERR_CONFIG_INVALID, call_format(c, "/%s/auth", open),
                            "'none' lets every caller in, so it needs a loopback address; server.listen is '%s'.",
                            g->server->listen);
    return OK;
}

static int check_auth(struct call *c, const struct config *g)
{
    const struct list *addresses = &g->api->proxy_addresses;
    if (g->api->auth == AUTH_JWT)
        return call_fail_at(c, ERR_CONFIG_INVALID, "/api/auth",
                            "'jwt' is not available in this edition; use api_keys, proxy or none.");
    if (g->api->auth == AUTH_PROXY && !addresses->count)
        return call_fail_at(c, ERR_CONFIG_INVALID, "/api/proxy_addresses",
                            "'proxy' needs the addresses of its proxies.");
    for (size_t i = 0; i < addresses->count; i++) {
        unsigned char bytes[16];
        const char *a = LIST_AT(addresses, const char *, i);
        if (inet_pton(AF_INET, a, bytes) != 1 && inet_pton(AF_INET6, a, bytes) != 1)
            return call_fail_at(c, ERR_CONFIG_INVALID, call_format(c, "/api/proxy_addresses/%zu", i),
                                "'%s' is not an IP address.", a);
    }
    if (g->mcp->path[0] != '/' || !strncmp(g->mcp->path, "/api/", 5))
        return call_fail_at(c, ERR_CONFIG_INVALID, "/mcp/path", "'%s' must begin with / and lie outside /api/.",
                            g->mcp->path);
    return OK;
}

static int check_paths(struct loader *l, struct config *g)
{
    struct call *c = l->call;
    const char *store = g->store->path;
    if (store && strcmp(store, ":memory:")) g->store->path = path_from(c, l->folder, store);
    if (g->state) g->state = path_from(c, l->folder, g->state);
    for (size_t i = 0; i < g->connect->folders.count; i++) {
        const char **folder = &LIST_AT(&g->connect->folders, const char *, i);
        char real[PATH_MAX];
        struct stat st;
        if (!realpath(path_from(c, l->folder, *folder), real) || stat(real, &st) || !S_ISDIR(st.st_mode))
            return call_fail_at(c, ERR_CONFIG_INVALID, call_format(c, "/connect/folders/%zu", i),
                                "There is no folder '%s'.", *folder);
        *folder = call_strdup(c, real);
    }
    return OK;
}

static int unknown_kind(struct call *c, const char *type, const char *pointer)
{
    struct list names = { 0 };
    struct buf b;
    buf_init(&b, c, 4096);
    for (size_t i = 0; adapter_kinds[i]; i++) {
        *(const char **)list_push(c, &names, sizeof(char *)) = adapter_kinds[i]->name;
        buf_format(&b, "%s%s", i ? ", " : "", adapter_kinds[i]->name);
    }
    list_push(c, &names, sizeof(char *)); /* ends the array */
    const char *near = nearest_name(type, names.items);
    if (near) call_hint(c, "Did you mean '%s'?", near);
    return call_fail_at(c, ERR_CONFIG_INVALID, pointer, "'%s' is not a kind of database here; there is: %s.", type,
                        b.data);
}

static int check_datasource(struct call *c, const struct datasource_entry *e, const struct list *before,
                            const char *pointer)
{
    if (!slug_valid(e->id))
        return call_fail_at(c, ERR_CONFIG_INVALID, call_format(c, "%s/id", pointer),
                            "'%s' is not a name: a lower-case letter, then letters, digits, _ and -.", e->id);
    for (size_t i = 0; i < before->count; i++)
        if (!strcmp(LIST_AT(before, struct datasource_config, i).id, e->id))
            return call_fail_at(c, ERR_CONFIG_INVALID, call_format(c, "%s/id", pointer),
                                "There are two datasources '%s'.", e->id);
    const struct adapter_kind *kind = adapter_kind_find(e->type);
    if (!kind) return unknown_kind(c, e->type, call_format(c, "%s/type", pointer));
    return json_decode_at(c, kind->connection, e->connection, call_format(c, "%s/connection", pointer),
                          call_alloc(c, kind->connection->size));
}

static int check_datasources(struct call *c, struct loaded *loaded)
{
    struct list *out = &loaded->config.datasources;
    int rc = OK;
    loaded->loader.entries = *out;
    *out = (struct list){ 0 };
    for (size_t i = 0; !rc && i < loaded->loader.entries.count; i++) {
        struct datasource_entry *e = &LIST_AT(&loaded->loader.entries, struct datasource_entry, i);
        rc = check_datasource(c, e, out, call_format(c, "/datasources/%zu", i));
        if (!e->options) {
            e->options = call_alloc(c, sizeof *e->options);
            if (!rc) rc = type_defaults(c, &datasource_options_type, e->options);
        }
        *(struct datasource_config *)list_push(c, out, sizeof(struct datasource_config)) =
            (struct datasource_config){ .id = e->id,
                                        .description = e->description,
                                        .type = e->type,
                                        .connection = e->connection,
                                        .options = *e->options,
                                        .required = e->required,
                                        .managed = true };
    }
    return rc;
}

int config_check(struct loader *l, struct loaded *loaded)
{
    int rc = check_server(l->call, &loaded->config);
    if (!rc) rc = check_auth(l->call, &loaded->config);
    if (!rc) rc = check_paths(l, &loaded->config);
    return rc ? rc : check_datasources(l->call, loaded);
}
