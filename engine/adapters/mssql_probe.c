#include "adapters/mssql_probe.h"

#include "adapters/mssql.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* PRELOGIN: a table of options {kind, offset, length}, then their values: version, and encryption "if need be". */
static const unsigned char prelogin[] = {
    0x12, 0x01, 0x00, 0x1A, 0x00, 0x00, 0x01, 0x00,                   /* packet head, 26 bytes */
    0x00, 0x00, 0x0B, 0x00, 0x06, 0x01, 0x00, 0x11, 0x00, 0x01, 0xFF, /* options */
    0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00                          /* values */
};
enum { HEAD = 8, REPLY = 0x04, ENCRYPTION = 0x01, NOT_SUPPORTED = 2, REQUIRED = 3 };

static int connect_any(const char *host, const char *port, int seconds)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all = NULL;
    const struct timeval most = { .tv_sec = seconds };
    int fd = -1;
    if (getaddrinfo(host, port, &hints, &all)) return -1;
    for (const struct addrinfo *a = all; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) continue;
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
        if (!connect(fd, a->ai_addr, a->ai_addrlen)) continue;
        close(fd);
        fd = -1;
    }
    freeaddrinfo(all);
    return fd;
}

/* The server's word on encryption, -1 when the reply is none of the protocol. */
static int answered(const unsigned char *reply, size_t n)
{
    if (n <= HEAD || reply[0] != REPLY) return -1;
    const unsigned char *body = reply + HEAD;
    size_t rest = n - HEAD;
    for (size_t i = 0; i + 5 <= rest && body[i] != 0xFF; i += 5) {
        size_t at = (size_t)body[i + 1] << 8 | body[i + 2];
        if (body[i] == ENCRYPTION && at < rest) return body[at];
    }
    return -1;
}

int mssql_probe(const char *host, const char *port, const char *encryption, int seconds)
{
    unsigned char reply[512];
    int fd = connect_any(host, port, seconds);
    if (fd < 0) return TROUBLE_CLIENT;
    ssize_t n =
        send(fd, prelogin, sizeof prelogin, MSG_NOSIGNAL) == sizeof prelogin ? recv(fd, reply, sizeof reply, 0) : 0;
    close(fd);
    if (n < 0) return TROUBLE_SILENT;
    int said = n ? answered(reply, (size_t)n) : -1;
    if (said < 0) return TROUBLE_STRANGER;
    if (!strcmp(encryption, "require") && said == NOT_SUPPORTED) return TROUBLE_NO_TLS;
    if (!strcmp(encryption, "off")) return said == REQUIRED ? TROUBLE_WANTS_TLS : TROUBLE_CLIENT;
    return said == NOT_SUPPORTED ? TROUBLE_CLIENT : TROUBLE_TLS;
}
