/* server: HTTP/1.1 over CivetWeb; the only file that knows it. A worker thread walks one request from head to reply and
 * blocks as long as the operation does; one watcher thread writes heartbeats and notices clients that are gone. A
 * request and all memory of its call live while `handle` runs. */
#ifndef QUERENT_API_SERVER_H
#define QUERENT_API_SERVER_H

#include "buf.h"
#include "log.h"

struct server;
struct exchange; /* the server's own part of a request */

struct request {
    struct call *call;
    const char *method;
    const char *path;  /* as sent, not decoded */
    const char *query; /* as sent, NULL without one */
    const char *peer;  /* address without port */
    struct server *server;
    struct exchange *exchange;
    struct buf *headers; /* lines that the reply will carry, NULL = none; see reply_header */
    int status;          /* of the reply, 0 before it */
    int64_t body_bytes_sent;
};

struct server_options {
    const char *listen;  /* "127.0.0.1:8765", "[::1]:8765", "8765"; port 0 = a free one */
    int64_t threads;     /* one a connection, 2 to 1024; they start as connections come */
    int64_t streams_max; /* kept below threads */
    int64_t max_body_bytes, body_timeout_ms;
    struct log log;
    void (*handle)(void *ctx, struct request *r); /* must reply exactly once */
    /* The server refuses what is not HTTP before there is a request; the door writes the body. `r` has only its call.
     */
    void (*refuse)(void *ctx, struct request *r, int status, const char *why);
    void *ctx;
};

/* ERR_UNAVAILABLE when the address cannot be bound. */
int server_start(struct call *c, const struct server_options *o, struct server **out);
int server_port(const struct server *s);
/* From now on the door refuses new work; what is in flight goes on. */
void server_drain(struct server *s);
bool server_draining(const struct server *s);
/* Drains, waits up to grace_ms for requests in flight, cancels those left; then accepts nobody any more, answers those who
 * were accepted and ask within the time a connection is kept, stops and frees. */
void server_stop(struct server *s, int64_t grace_ms);

/* Value of a header, NULL when it was not sent; names in any case. */
const char *request_header(const struct request *r, const char *name);
size_t request_header_count(const struct request *r, const char *name);
/* True when the name of a sent header begins with `prefix`. */
bool request_has_header_prefix(const struct request *r, const char *prefix);
/* Peer and listener are both loopback addresses. */
bool request_loopback(const struct request *r);
/* Address of the socket's own side, in the call. */
const char *request_local_address(const struct request *r);
bool request_http10(const struct request *r);

/* The whole body, read under the ceiling and the deadline; in the call, NUL-terminated. ERR_PAYLOAD_TOO_LARGE,
 * ERR_REQUEST_TIMEOUT, ERR_INVALID_REQUEST. A body that was not read whole closes the connection after the reply. */
int request_body(struct request *r, const char **text, size_t *n);
bool request_has_body(const struct request *r);

struct reply {
    int status;
    const char *content_type; /* NULL = no body */
    const char *body;
    size_t n;
    bool close; /* the connection ends with this reply */
};
/* Head and body in one write. */
void request_reply(struct request *r, const struct reply *p);

/* A streamed reply: begin, any number of writes, end. begin answers ERR_BUSY when all streams are taken, write
 * ERR_CANCELLED when the client is gone or reads too slowly. An end that is not `complete` cuts the connection, so that
 * the client sees a broken body and not a short one. events: the watcher writes a comment line every five seconds. */
int request_stream_begin(struct request *r, const struct reply *head, bool events);
int request_stream_write(struct request *r, const char *bytes, size_t n);
void request_stream_end(struct request *r, bool complete, const char *trailers);

/* Between the two, a client that goes away cancels the call. */
void request_watch(struct request *r);
void request_unwatch(struct request *r);

#endif
