/* endpoint: where a database server is and how to speak to it securely; shared by the adapters of servers. An adapter's
 * own connection struct begins with it, so the same rows describe it everywhere. */
#ifndef QUERENT_ENDPOINT_H
#define QUERENT_ENDPOINT_H

#include "adapters/adapter.h"

enum tls_mode { TLS_DISABLE, TLS_PREFER, TLS_REQUIRE, TLS_VERIFY_CA, TLS_VERIFY_FULL };
extern const char *const tls_mode_names[]; /* disable prefer require verify-ca verify-full NULL */

struct endpoint {
    const char *url;  /* instead of the members below */
    const char *host; /* name or address; a path that begins with / is the folder of a unix socket */
    int64_t port;     /* 0 = the engine's own */
    const char *user, *password, *database;
    int tls;                                 /* enum tls_mode */
    const char *tls_ca, *tls_cert, *tls_key; /* files */
    int64_t connect_timeout_ms;
    struct list schemas; /* const char *: only these; empty = all the role can see */
};

#define ENDPOINT_ROWS                                                                                                  \
    FIELD(struct endpoint, url, K_STR, .flags = F_SECRET, .max = 4096,                                                 \
          .doc = "Everything in one URL, percent-encoded; instead of host, port, user, password and database."),       \
        FIELD(struct endpoint, host, K_STR, .max = 1024,                                                               \
              .doc = "Host name, address, or the folder of a unix socket."),                                           \
        FIELD(struct endpoint, port, K_INT, .max = 65535, .doc = "Port; the engine's own when absent."),               \
        FIELD(struct endpoint, user, K_STR, .max = 256, .doc = "A role that can only read."),                          \
        FIELD(struct endpoint, password, K_STR, .flags = F_SECRET, .max = 1024, .doc = "Its password."),               \
        FIELD(struct endpoint, database, K_STR, .max = 256, .doc = "The database to open."),                           \
        FIELD(struct endpoint, tls, K_ENUM, .of = tls_mode_names, .def = "prefer",                                     \
              .doc = "verify-full checks the certificate and its host name; prefer and require check nothing."),       \
        FIELD(struct endpoint, tls_ca, K_STR, .max = 4096, .doc = "File of the certificates to trust."),               \
        FIELD(struct endpoint, tls_cert, K_STR, .max = 4096, .doc = "File of the client's certificate."),              \
        FIELD(struct endpoint, tls_key, K_STR, .max = 4096, .doc = "File of its private key."),                        \
        FIELD(struct endpoint, connect_timeout_ms, K_INT, .min = 100, .max = 120000, .def = "5000",                    \
              .doc = "Time to wait for a connection."),                                                                \
        FIELD(struct endpoint, schemas, K_STRINGS, .max = 100,                                                         \
              .doc = "Only these schemas; all that can be read when absent.")

/* Decodes a connection (a struct of `type` that begins with an endpoint) and resolves it: takes the URL apart
 * (percent-decoded once; its keys by the names of the rows, sslmode and sslrootcert too), refuses a member given twice
 * and what is not known, by name and never with its value; fills the port. */
int endpoint_decode(struct call *c, const struct json *connection, const struct type *type, const char *const *schemes,
                    int64_t default_port, void *out);

/* What to do with a user that could do more than read. */
enum privileges { PRIVILEGES_REFUSE, PRIVILEGES_WARN };
extern const char *const privileges_names[]; /* refuse warn NULL */
#define PRIVILEGES_ROW(T)                                                                                              \
    FIELD(T, privileges, K_ENUM, .of = privileges_names, .def = "refuse",                                              \
          .doc = "What to do when the user could write: refuse the connection, or warn.")

/* What a connection test says of the stage that failed. */
struct failure {
    enum test_stage stage;
    const char *message, *fix;
};

enum reach { REACH_OK, REACH_NO_NAME, REACH_REFUSED, REACH_TIMEOUT, REACH_NO_SOCKET };
/* Looks the host up and opens one plain connection, which is closed again: tells a test where it fails. Blocks up to
 * connect_timeout_ms. */
enum reach endpoint_reach(struct call *c, const struct endpoint *e, const char *socket_name);

struct failure endpoint_failure(enum reach reach);

#endif
