/* pooled: what adapters have in common whose sessions wait in a pool: those of database servers, and DuckDB's workers.
 * Opening, the connection test, introspection, and the one new try when a session that idled is gone stand here; a
 * driver says how its sessions are made. */
#ifndef QUERENT_POOLED_H
#define QUERENT_POOLED_H

#include "adapters/breaker.h"
#include "adapters/endpoint.h"
#include "adapters/pool.h"

struct pooled {
    struct adapter base;
    const struct pooled_driver *driver;
    struct call life; /* memory of the connection's description */
    void *with;       /* the connection, decoded */
    struct pool *pool;
    struct breaker breaker; /* of making sessions */
};

/* A session belongs to who took it. Functions that take a call block and honour it. */
struct pooled_driver {
    const struct adapter_kind *kind;
    size_t with_bytes;
    int64_t places; /* of the pool when the configuration does not say; 0 = the pool's own rule */
    int (*decode)(struct call *c, const struct json *connection, void *with);
    enum reach (*reach)(struct call *c, const void *with); /* NULL: there is nothing to reach before opening */
    void *(*open)(struct call *c, struct pooled *p, struct failure *why); /* NULL and why; a detail may stand in c */
    void (*close)(void *session);
    bool (*usable)(void *session); /* for another statement, as far as is known without asking */
    const char *(*version)(struct call *c, void *session); /* "PostgreSQL 15.4" */
    const char *(*warning)(void *session);                 /* what the user could do, NULL; a constant */
    int (*catalog)(struct call *c, struct pooled *p, void *session, struct snapshot *out); /* tables of out */
    bool (*read_row)(struct call *c, void *session);
    struct failure unreadable, empty; /* of the catalogue */
};

/* The functions of an adapter_kind. pooled_open decodes but does not connect. */
int pooled_open(struct call *c, const struct datasource_config *config, const struct pooled_driver *driver,
                struct adapter **out);
void pooled_close(struct adapter *a);
int pooled_test(struct call *c, struct adapter *a, struct test_report *out);
void pooled_health(struct adapter *a, struct circuit_state *out);
int pooled_introspect(struct call *c, struct adapter *a, struct snapshot **out);

/* Runs `use` with a session. When it fails ERR_DATASOURCE_UNAVAILABLE, had a session that idled, and *delivered (NULL =
 * never) is not set, the idle ones are closed and a new one gets one try. */
int pooled_use(struct call *c, struct adapter *a, int (*use)(struct call *c, void *session, void *ctx), void *ctx,
               const bool *delivered);

#endif
