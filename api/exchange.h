/* exchange: the server's own part of a request, and the server; internal to its files. server.c is the home of
 * CivetWeb, server_write.c writes replies and streams, server_watch.c looks after requests in flight. */
#ifndef QUERENT_API_EXCHANGE_H
#define QUERENT_API_EXCHANGE_H

#include "api/server.h"

#define SERVER_THREADS_MAX 1024
#define SLOW_READER_US     ((int64_t)30000000) /* for each SLOW_READER_BYTES */
#define SLOW_READER_BYTES  (256 * 1024)

struct mg_connection;
struct mg_context;
struct mg_request_info;

/* What the server knows of a request besides its public part. Lives on the worker's stack. The lock covers the
 * connection while the watcher may write a heartbeat; the fields below `prev` belong to the server's list and its lock.
 */
struct exchange {
    struct mg_connection *conn;
    const struct mg_request_info *info;
    int fd;
    bool body_read, body_failed, closes, chunked, events;
    int64_t body_deadline_us;
    pthread_mutex_t lock;
    char *pending; /* of a stream: bytes that wait for a full piece, behind room for a chunk's size line */
    size_t pending_bytes;
    _Atomic int64_t last_write_us;  /* start of the silence that a heartbeat ends */
    _Atomic int64_t write_since_us; /* a write is running since then, 0 = none */
    _Atomic int64_t blocked_us;     /* time spent writing the current window */
    int64_t window_bytes;
    struct request *request;
    struct exchange *prev, *next;
    bool watched, held, gone;
};

struct server {
    struct mg_context *mg;
    struct server_options options;
    int port;
    atomic_bool draining;
    atomic_int in_flight, streams, connections;
    pthread_t watcher;
    pthread_mutex_t lock; /* the list of watched exchanges and `stopping` */
    pthread_cond_t changed;
    struct exchange watched; /* ring */
    bool stopping;
};

int64_t server_now_us(void);

/* All of it to the client; false when it is gone. */
bool exchange_send(struct exchange *x, const char *bytes, size_t n);
/* The connection ends with this reply. */
void exchange_ends(struct exchange *x);
/* An unread body is too long, or open-ended, to be read and dropped: it ends the connection. */
bool exchange_body_in_the_way(const struct request *r);
/* Caller holds x->lock. The watcher ends a write that takes too long by shutting the socket down. */
int exchange_write(struct exchange *x, const char *bytes, size_t n);

/* The watcher's thread, until `stopping`. */
void *server_watch(void *server);
/* Cancels every call that is watched. */
void server_cancel_all(struct server *s);

#endif
