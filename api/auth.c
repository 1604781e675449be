#include "api/auth.h"

#include <string.h>
#include <strings.h>

/* "[::1]:8765" -> name "[::1]", port "8765"; port NULL without one. */
static void split_host(struct call *c, const char *host, const char **name, const char **port)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : NULL;
    const char *colon = strchr(end ? end : host, ':');
    *name = colon ? call_strndup(c, host, (size_t)(colon - host)) : host;
    *port = colon ? colon + 1 : NULL;
}

static bool loopback_name(const char *name)
{
    return !strcasecmp(name, "localhost") || !strcmp(name, "127.0.0.1") || !strcmp(name, "[::1]");
}

static bool host_fits(struct call *c, const char *host, const char *entry)
{
    const char *name, *port, *entry_name, *entry_port;
    if (!strcmp(entry, "*")) return true;
    split_host(c, host, &name, &port);
    split_host(c, entry, &entry_name, &entry_port);
    if (strcasecmp(name, entry_name)) return false;
    return !entry_port || !strcmp(entry_port, "*") || (port && !strcmp(port, entry_port));
}

static bool host_is_here(const struct request *r, const char *host)
{
    const char *name, *port;
    split_host(r->call, host, &name, &port);
    if (loopback_name(name)) return true;
    const char *here = request_local_address(r);
    if (!strcmp(name, here)) return true;
    return name[0] == '[' && !strcasecmp(name, call_format(r->call, "[%s]", here));
}

int auth_host(struct request *r, const struct list *allowed)
{
    struct call *c = r->call;
    size_t count = request_header_count(r, "Host");
    if (count > 1 || (count == 0 && !request_http10(r)))
        return call_fail(c, ERR_INVALID_REQUEST, "A request has exactly one Host header.");
    const char *host = request_header(r, "Host");
    bool fits = !host || (!allowed->count && host_is_here(r, host));
    for (size_t i = 0; i < allowed->count && !fits; i++) fits = host_fits(c, host, LIST_AT(allowed, const char *, i));
    if (fits) return OK;
    call_hint(c, "Add it to allowed_hosts in the configuration.");
    return call_fail(c, ERR_HOST_NOT_ALLOWED, "The host '%s' is not served here.", host);
}

int auth_origin(struct request *r, const struct list *allowed, const char **cross)
{
    struct call *c = r->call;
    const char *origin = request_header(r, "Origin"), *host = request_header(r, "Host");
    *cross = NULL;
    if (!origin) return OK;
    if (request_header_count(r, "Origin") > 1)
        return call_fail(c, ERR_INVALID_REQUEST, "There are two Origin headers.");
    const char *authority = strstr(origin, "://");
    if (authority && host && !strcasecmp(authority + 3, host)) return OK;
    for (size_t i = 0; i < allowed->count; i++) {
        const char *entry = LIST_AT(allowed, const char *, i);
        if (!strcmp(entry, "*") || !strcasecmp(entry, origin)) {
            *cross = origin;
            return OK;
        }
    }
    call_hint(c, "Add it to allowed_origins in the configuration.");
    return call_fail(c, ERR_ORIGIN_NOT_ALLOWED, "The origin '%s' is not allowed.", origin);
}

/* Our own name, with the port that we listen on (80 may be left out). */
static bool ours(const struct request *r, const char *host)
{
    const char *name, *port;
    split_host(r->call, host, &name, &port);
    return loopback_name(name) && !strcmp(port ? port : "80", call_number(r->call, server_port(r->server)));
}

bool auth_local(const struct request *r)
{
    const char *host = request_header(r, "Host"), *origin = request_header(r, "Origin");
    if (!host || !ours(r, host)) return false;
    if (origin && (strncasecmp(origin, "http://", 7) || !ours(r, origin + 7))) return false;
    if (request_header(r, "Forwarded") || request_header(r, "Via") || request_has_header_prefix(r, "X-Forwarded-"))
        return false;
    return request_loopback(r);
}

int auth_caller(struct engine *e, struct request *r)
{
    /* A second one may be the caller's own beside the one that a proxy wrote. */
    static const char *const single[] = { "Authorization", "X-API-Key", "X-Querent-User", "X-Querent-Roles" };
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
        if (request_header_count(r, single[i]) > 1)
            return call_fail(r->call, ERR_INVALID_REQUEST, "A request has at most one %s header.", single[i]);
    struct credential credential = { .authorization = request_header(r, "Authorization"),
                                     .api_key = request_header(r, "X-API-Key"),
                                     .peer = r->peer,
                                     .proxy_user = request_header(r, "X-Querent-User"),
                                     .proxy_roles = request_header(r, "X-Querent-Roles") };
    struct door_config door;
    int rc = engine_door_config(e, r->call, &door);
    if (rc) return rc;
    credential.mcp = door.mcp_enabled && !strcmp(r->path, door.mcp_path);
    credential.local = !credential.authorization && !credential.api_key && auth_local(r);
    return engine_identify(e, r->call, &credential);
}
