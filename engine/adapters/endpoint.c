#include "adapters/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

const char *const tls_mode_names[] = { "disable", "prefer", "require", "verify-ca", "verify-full", NULL };
const char *const privileges_names[] = { "refuse", "warn", NULL };

/* What other tools call our members in a URL's query. */
static const struct {
    const char *theirs, *ours;
} synonyms[] = {
    { "sslmode", "tls" },      { "ssl-mode", "tls" },      { "sslrootcert", "tls_ca" }, { "ssl-ca", "tls_ca" },
    { "sslcert", "tls_cert" }, { "ssl-cert", "tls_cert" }, { "sslkey", "tls_key" },     { "ssl-key", "tls_key" },
};

static int hex_value(char ch)
{
    if (ch >= '0' && ch <= '9') return ch - '0';
    if (ch >= 'a' && ch <= 'f') return ch - 'a' + 10;
    return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* Percent-decoded copy of s[0..n), NULL when malformed or holding a NUL. */
static char *decoded(struct call *c, const char *s, size_t n)
{
    char *out = call_alloc(c, n + 1), *p = out;
    for (size_t i = 0; i < n; i++) {
        int high = 0, low = 0;
        if (s[i] != '%') {
            *p++ = s[i];
            continue;
        }
        if (n - i < 3 || (high = hex_value(s[i + 1])) < 0 || (low = hex_value(s[i + 2])) < 0 || !(high | low))
            return NULL;
        *p++ = (char)(high * 16 + low);
        i += 2;
    }
    return out;
}

static int bad_url(struct call *c, const char *why)
{
    return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/url", "The URL is not usable: %s.", why);
}

/* Sets a member from the URL unless the connection names it already. */
static int set_member(struct call *c, const struct json *connection, const struct type *type, void *out,
                      const char *name, const char *value)
{
    if (!value) return bad_url(c, "a percent escape is malformed");
    if (json_get(connection, name))
        return call_fail_at(c, ERR_VALIDATION_ERROR, call_format(c, "/connection/%s", name),
                            "'%s' stands in the URL too; give it once.", name);
    const struct field *f = type_field(type, name);
    if (f && f->kind == K_STR) { /* the value must not show in an error */
        if (strlen(value) > (size_t)f->max) return bad_url(c, call_format(c, "'%s' is too long", name));
        *(const char **)((char *)out + f->offset) = value;
        return OK;
    }
    if (f) return type_set_text(c, type, out, name, value);
    const char *names[64] = { 0 };
    for (size_t i = 0; type->fields[i].name && i < 63; i++) names[i] = type->fields[i].name;
    const char *near = nearest_name(name, names);
    if (near) call_hint(c, "Did you mean '%s'?", near);
    return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/url", "The URL has a key '%.64s' that is not known.",
                        name);
}

static int url_query(struct call *c, const struct json *connection, const struct type *type, void *out, const char *q)
{
    while (*q) {
        size_t n = strcspn(q, "&"), eq = strcspn(q, "=&");
        const char *name = decoded(c, q, eq), *value = eq < n ? decoded(c, q + eq + 1, n - eq - 1) : "";
        if (!name) return bad_url(c, "a percent escape is malformed");
        for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
            if (!strcmp(name, synonyms[i].theirs)) name = synonyms[i].ours;
        if (!strcmp(name, "url")) return bad_url(c, "it cannot hold another URL");
        int rc = set_member(c, connection, type, out, name, value);
        if (rc) return rc;
        q += n + (q[n] == '&');
    }
    return OK;
}

static int url_host(struct call *c, const struct json *connection, const struct type *type, void *out, const char *at,
                    size_t n)
{
    size_t host = n;
    if (n && *at == '[') { /* an IPv6 address in brackets */
        const char *end = memchr(at, ']', n);
        if (!end) return bad_url(c, "a bracket is not closed");
        host = (size_t)(end - at) + 1;
    } else if (memchr(at, ':', n)) {
        host = (size_t)((const char *)memchr(at, ':', n) - at);
    }
    int rc = OK;
    if (host)
        rc = *at == '[' ? set_member(c, connection, type, out, "host", call_strndup(c, at + 1, host - 2))
                        : set_member(c, connection, type, out, "host", decoded(c, at, host));
    if (!rc && host < n) {
        if (at[host] != ':') return bad_url(c, "what follows the host is not a port");
        rc = set_member(c, connection, type, out, "port", call_strndup(c, at + host + 1, n - host - 1));
    }
    return rc;
}

static int url_apart(struct call *c, const struct json *connection, const struct type *type, const char *const *schemes,
                     void *out)
{
    const char *url = ((struct endpoint *)out)->url, *p = strstr(url, "://");
    bool known = false;
    for (size_t i = 0; p && schemes[i]; i++)
        known = known || (strlen(schemes[i]) == (size_t)(p - url) && !strncmp(url, schemes[i], (size_t)(p - url)));
    if (!known) return bad_url(c, call_format(c, "it must begin with %s://", schemes[0]));
    p += 3;
    size_t authority = strcspn(p, "/?#");
    const char *at = NULL;
    for (size_t i = 0; i < authority; i++)
        if (p[i] == '@') at = p + i; /* the last one: a password may hold others */
    int rc = OK;
    if (at) {
        size_t n = (size_t)(at - p), user = strcspn(p, ":");
        if (user > n) user = n;
        rc = set_member(c, connection, type, out, "user", decoded(c, p, user));
        if (!rc && user < n)
            rc = set_member(c, connection, type, out, "password", decoded(c, p + user + 1, n - user - 1));
        authority -= n + 1;
        p = at + 1;
    }
    if (!rc) rc = url_host(c, connection, type, out, p, authority);
    p += authority;
    if (!rc && *p == '/') {
        size_t n = strcspn(++p, "?#");
        if (n) rc = set_member(c, connection, type, out, "database", decoded(c, p, n));
        p += n;
    }
    if (!rc && *p == '#') return bad_url(c, "it has a fragment");
    if (!rc && *p == '?') rc = url_query(c, connection, type, out, p + 1);
    return rc;
}

int endpoint_decode(struct call *c, const struct json *connection, const struct type *type, const char *const *schemes,
                    int64_t default_port, void *out)
{
    struct endpoint *e = out;
    int rc = json_decode_at(c, type, connection, "/connection", out);
    if (!rc && e->url) rc = url_apart(c, connection, type, schemes, out);
    if (rc) return rc;
    if (!e->host)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/host",
                            "'host' is required (or a 'url' that has one).");
    if (!e->port) e->port = default_port;
    if ((e->tls == TLS_VERIFY_CA || e->tls == TLS_VERIFY_FULL) && e->host[0] == '/')
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/tls", "A unix socket has no certificate to verify.");
    if (e->tls == TLS_DISABLE && (e->tls_ca || e->tls_cert || e->tls_key))
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/tls",
                            "Certificates are given, but tls is 'disable'.");
    if (!e->tls_cert != !e->tls_key)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/tls_key", "tls_cert and tls_key go together.");
    return OK;
}

static enum reach try_connect(int family, const struct sockaddr *address, socklen_t n, int64_t timeout_ms)
{
    enum reach found = REACH_REFUSED;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return found;
    if (!connect(fd, address, n)) {
        found = REACH_OK;
    } else if (errno == EINPROGRESS || errno == EAGAIN) {
        struct pollfd wait = { .fd = fd, .events = POLLOUT };
        int error = 0;
        socklen_t size = sizeof error;
        int ready = poll(&wait, 1, (int)timeout_ms);
        if (!ready)
            found = REACH_TIMEOUT;
        else if (ready > 0 && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size))
            found = !error ? REACH_OK : error == ETIMEDOUT ? REACH_TIMEOUT : REACH_REFUSED;
    } else if (errno == ENOENT) {
        found = REACH_NO_SOCKET;
    }
    close(fd);
    return found;
}

enum reach endpoint_reach(struct call *c, const struct endpoint *e, const char *socket_name)
{
    if (e->host[0] == '/') {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        const char *path = call_format(c, "%s/%s", e->host, socket_name);
        if (strlen(path) >= sizeof address.sun_path) return REACH_NO_SOCKET;
        memcpy(address.sun_path, path, strlen(path));
        return try_connect(AF_UNIX, (const struct sockaddr *)&address, sizeof address, e->connect_timeout_ms);
    }
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all = NULL;
    if (getaddrinfo(e->host, call_format(c, "%lld", (long long)e->port), &hints, &all)) return REACH_NO_NAME;
    enum reach found = REACH_REFUSED;
    for (const struct addrinfo *a = all; a && found != REACH_OK; a = a->ai_next)
        found = try_connect(a->ai_family, a->ai_addr, a->ai_addrlen, e->connect_timeout_ms);
    freeaddrinfo(all);
    return found;
}

struct failure endpoint_failure(enum reach reach)
{
    static const struct failure failures[] = {
        [REACH_NO_NAME] = { STAGE_RESOLVE, "The host name is not known.", "Check the host." },
        [REACH_REFUSED] = { STAGE_CONNECT, "Nothing answers at this host and port.",
                            "Check host and port, that the server runs, and that a firewall lets it through." },
        [REACH_TIMEOUT] = { STAGE_CONNECT, "The host does not answer in time.",
                            "Check host, port, network and firewall." },
        [REACH_NO_SOCKET] = { STAGE_CONNECT, "There is no server's socket in this folder.", "Check host and port." },
    };
    return failures[reach];
}
