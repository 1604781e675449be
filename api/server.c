#include "api/server.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX       1024
#define WATCH_MS          250
#define HEARTBEAT_US      ((int64_t)5000000)
#define SLOW_READER_US    ((int64_t)30000000) /* for each SLOW_READER_BYTES */
#define SLOW_READER_BYTES (256 * 1024)
#define LINGER_MS         500
#define LINGER_BYTES      (4 * 1024 * 1024)
#define HEAD_BYTES        (32 * 1024)
#define SMALL_BODY        (64 * 1024)
#define PIECE_BYTES       (64 * 1024) /* of a stream */
#define CHUNK_HEAD        16          /* room for "10000\r\n" */

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

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

const char *request_header(const struct request *r, const char *name)
{
    return r->exchange->info ? mg_get_header(r->exchange->conn, name) : NULL;
}

size_t request_header_count(const struct request *r, const char *name)
{
    const struct mg_request_info *info = r->exchange->info;
    size_t n = 0;
    for (int i = 0; i < info->num_headers; i++) n += !strcasecmp(info->http_headers[i].name, name);
    return n;
}

bool request_has_header_prefix(const struct request *r, const char *prefix)
{
    const struct mg_request_info *info = r->exchange->info;
    for (int i = 0; i < info->num_headers; i++)
        if (!strncasecmp(info->http_headers[i].name, prefix, strlen(prefix))) return true;
    return false;
}

bool request_http10(const struct request *r)
{
    const char *version = r->exchange->info ? r->exchange->info->http_version : NULL;
    return version && !strcmp(version, "1.0");
}

static bool loopback_text(const char *address)
{
    if (!strncasecmp(address, "::ffff:", 7)) address += 7;
    return !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

/* "" for what is no Internet address. */
static void address_text(const struct sockaddr_storage *a, char text[INET6_ADDRSTRLEN])
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)a;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
    text[0] = '\0';
    if (a->ss_family == AF_INET) inet_ntop(AF_INET, &four->sin_addr, text, INET6_ADDRSTRLEN);
    if (a->ss_family == AF_INET6) inet_ntop(AF_INET6, &six->sin6_addr, text, INET6_ADDRSTRLEN);
}

const char *request_local_address(const struct request *r)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    char text[INET6_ADDRSTRLEN] = "";
    if (!getsockname(r->exchange->fd, (struct sockaddr *)&a, &n)) address_text(&a, text);
    return call_strdup(r->call, strncasecmp(text, "::ffff:", 7) ? text : text + 7);
}

bool request_loopback(const struct request *r)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    char text[INET6_ADDRSTRLEN];
    if (!loopback_text(r->peer) || getsockname(r->exchange->fd, (struct sockaddr *)&a, &n)) return false;
    if (a.ss_family == AF_INET) return ntohl(((const struct sockaddr_in *)&a)->sin_addr.s_addr) >> 24 == 127;
    address_text(&a, text);
    return loopback_text(text);
}

bool request_has_body(const struct request *r)
{
    const char *encoding = request_header(r, "Transfer-Encoding");
    return r->exchange->info->content_length > 0 || (encoding && strcasecmp(encoding, "identity"));
}

static int too_large(struct request *r)
{
    r->exchange->body_failed = true;
    return call_fail(r->call, ERR_PAYLOAD_TOO_LARGE, "The request body is larger than %lld bytes.",
                     (long long)r->server->options.max_body_bytes);
}

int request_body(struct request *r, const char **text, size_t *n)
{
    struct exchange *x = r->exchange;
    struct call *c = r->call;
    int64_t most = r->server->options.max_body_bytes, length = x->info->content_length;
    *text = "";
    *n = 0;
    if (!request_has_body(r)) {
        x->body_read = true;
        return OK;
    }
    if (length > most) return too_large(r);
    const char *expect = request_header(r, "Expect");
    if (expect && !strcasecmp(expect, "100-continue")) mg_write(x->conn, "HTTP/1.1 100 Continue\r\n\r\n", 25);
    size_t room = length > 0 && length < SMALL_BODY ? (size_t)length + 1 : SMALL_BODY, got = 0;
    char *body = call_alloc(c, room);
    for (;;) {
        if (got + 1 == room) {
            body = arena_grow(&c->arena, body, room, room * 2);
            room *= 2;
        }
        int read = mg_read(x->conn, body + got, room - 1 - got);
        if (read < 0) break;
        got += (size_t)read;
        if ((int64_t)got > most) return too_large(r);
        if (read == 0 || (length >= 0 && (int64_t)got == length)) {
            x->body_read = length < 0 || (int64_t)got == length;
            break;
        }
    }
    x->body_failed = !x->body_read;
    if (x->body_failed && now_us() >= x->body_deadline_us)
        return call_fail(c, ERR_REQUEST_TIMEOUT, "The request body did not arrive within %lld ms.",
                         (long long)r->server->options.body_timeout_ms);
    if (x->body_failed) return call_fail(c, ERR_INVALID_REQUEST, "The request body is cut short or badly chunked.");
    body[got] = '\0';
    *text = body;
    *n = got;
    return OK;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static const char *status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        { 200, "OK" },
        { 201, "Created" },
        { 202, "Accepted" },
        { 204, "No Content" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 408, "Request Timeout" },
        { 409, "Conflict" },
        { 412, "Precondition Failed" },
        { 413, "Content Too Large" },
        { 415, "Unsupported Media Type" },
        { 422, "Unprocessable Content" },
        { 429, "Too Many Requests" },
        { 499, "Client Closed Request" },
        { 500, "Internal Server Error" },
        { 502, "Bad Gateway" },
        { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].status == status) return texts[i].text;
    return "";
}

static void put_digits(char *to, int count, int64_t v)
{
    for (; count--; v /= 10) to[count] = (char)('0' + v % 10);
}

/* By hand: the library's calendar takes a lock that all workers would share. */
static void add_date(struct buf *b)
{
    static const char days[] = "ThuFriSatSunMonTueWed", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t now = (int64_t)time(NULL), day = now / 86400, second = now % 86400;
    /* Days since 0000-03-01: a year that begins in March has its leap day last. */
    int64_t z = day + 719468, era = z / 146097, of_era = z % 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), march = (5 * of_year + 2) / 153;
    int64_t month = march < 10 ? march + 3 : march - 9;
    char text[] = "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n";
    memcpy(text + 6, days + day % 7 * 3, 3);
    put_digits(text + 11, 2, of_year - (153 * march + 2) / 5 + 1);
    memcpy(text + 14, months + (month - 1) * 3, 3);
    put_digits(text + 18, 4, year + era * 400 + (month <= 2));
    put_digits(text + 23, 2, second / 3600);
    put_digits(text + 26, 2, second / 60 % 60);
    put_digits(text + 29, 2, second % 60);
    buf_add(b, text, sizeof text - 1);
}

/* Threads are connections: when few are left, nobody may keep one without a request. */
static bool crowded(const struct server *s)
{
    return atomic_load_explicit(&s->connections, memory_order_relaxed) > (int)(s->options.threads * 3 / 4);
}

/* A short body that nobody wanted is read and dropped by the library; a long or open one ends the connection. */
static bool body_is_in_the_way(const struct request *r)
{
    const struct exchange *x = r->exchange;
    if (!x->info || x->body_read || !request_has_body(r)) return false;
    return x->body_failed || x->info->content_length < 0 || x->info->content_length > SMALL_BODY;
}

static void write_head(struct request *r, const struct reply *p, struct buf *b)
{
    struct exchange *x = r->exchange;
    const char *wish = request_header(r, "Connection");
    bool asked_close = wish && !strcasecmp(wish, "close");
    if (p->close || body_is_in_the_way(r) || atomic_load(&r->server->draining) || crowded(r->server)) x->closes = true;
    if (x->closes) mg_disable_connection_keep_alive(x->conn);
    buf_str(b, "HTTP/1.1 ");
    buf_int(b, p->status);
    buf_char(b, ' ');
    buf_str(b, status_text(p->status));
    buf_str(b, "\r\n");
    add_date(b);
    if (p->content_type) {
        buf_str(b, "Content-Type: ");
        buf_str(b, p->content_type);
        buf_str(b, "\r\n");
    }
    if (r->headers) buf_add(b, r->headers->data, r->headers->len);
    if (x->closes || asked_close)
        buf_str(b, "Connection: close\r\n");
    else if (request_http10(r))
        buf_str(b, "Connection: keep-alive\r\n");
    r->status = p->status;
}

/* The rest of a body that nobody read is taken off the wire for a moment: closing on unread data resets the connection,
 * and the client would lose the reply that says why. */
static void linger(int fd)
{
    char sink[16 * 1024];
    int64_t end = now_us() + LINGER_MS * 1000, left;
    size_t taken = 0;
    shutdown(fd, SHUT_WR);
    while (taken < LINGER_BYTES && (left = end - now_us()) > 0) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, (int)(left / 1000) + 1) <= 0) return;
        ssize_t n = recv(fd, sink, sizeof sink, MSG_DONTWAIT);
        if (n <= 0) return;
        taken += (size_t)n;
    }
}

void request_reply(struct request *r, const struct reply *p)
{
    struct exchange *x = r->exchange;
    bool bodyless = p->status == 204 || p->status == 304;
    bool head_only = r->method && !strcmp(r->method, "HEAD");
    struct buf b;
    buf_init(&b, r->call, HEAD_BYTES + p->n);
    write_head(r, p, &b);
    if (!bodyless) {
        buf_str(&b, "Content-Length: ");
        buf_int(&b, (int64_t)p->n);
        buf_str(&b, "\r\n");
    }
    buf_str(&b, "\r\n");
    if (!bodyless && !head_only) buf_add(&b, p->body, p->n);
    mg_write(x->conn, b.data, b.len);
    r->body_bytes_sent = bodyless || head_only ? 0 : (int64_t)p->n;
    if (x->closes && (!x->info || body_is_in_the_way(r))) linger(x->fd);
}

/* Caller holds x->lock. The watcher ends a write that takes too long by shutting the socket down. */
static int write_counted(struct exchange *x, const char *bytes, size_t n)
{
    int64_t since = now_us();
    atomic_store(&x->write_since_us, since);
    bool sent = mg_write(x->conn, bytes, n) == (int)n;
    int64_t end = now_us();
    atomic_store(&x->write_since_us, 0);
    atomic_store(&x->last_write_us, end);
    x->window_bytes += (int64_t)n;
    if (x->window_bytes >= SLOW_READER_BYTES) {
        x->window_bytes = 0;
        atomic_store(&x->blocked_us, 0);
    } else {
        atomic_fetch_add(&x->blocked_us, end - since);
    }
    return sent ? OK : ERR_CANCELLED;
}

int request_stream_begin(struct request *r, const struct reply *head, bool events)
{
    struct exchange *x = r->exchange;
    struct server *s = r->server;
    if (atomic_fetch_add(&s->streams, 1) >= (int)s->options.streams_max) {
        atomic_fetch_sub(&s->streams, 1);
        return call_fail(r->call, ERR_BUSY, "All %lld streams are in use; try again.",
                         (long long)s->options.streams_max);
    }
    struct buf b;
    buf_init(&b, r->call, HEAD_BYTES);
    x->chunked = !request_http10(r);
    if (!x->chunked) x->closes = true;
    write_head(r, head, &b);
    buf_str(&b, x->chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
    pthread_mutex_lock(&x->lock);
    x->pending = call_alloc(r->call, CHUNK_HEAD + PIECE_BYTES + 2);
    x->events = events;
    int rc = write_counted(x, b.data, b.len);
    pthread_mutex_unlock(&x->lock);
    return rc;
}

/* Caller holds x->lock. Size line, bytes and line end go out in one write. */
static int flush_piece(struct exchange *x)
{
    size_t n = x->pending_bytes;
    char *start = x->pending + CHUNK_HEAD;
    x->pending_bytes = 0;
    if (!n) return OK;
    if (!x->chunked) return write_counted(x, start, n);
    char size[CHUNK_HEAD + 1];
    size_t digits = (size_t)snprintf(size, sizeof size, "%zx\r\n", n);
    memcpy(start + n, "\r\n", 2);
    start -= digits;
    memcpy(start, size, digits);
    return write_counted(x, start, digits + n + 2);
}

int request_stream_write(struct request *r, const char *bytes, size_t n)
{
    struct exchange *x = r->exchange;
    int rc = OK;
    pthread_mutex_lock(&x->lock);
    for (size_t at = 0; at < n && !rc;) {
        size_t room = PIECE_BYTES - x->pending_bytes, piece = n - at < room ? n - at : room;
        memcpy(x->pending + CHUNK_HEAD + x->pending_bytes, bytes + at, piece);
        x->pending_bytes += piece;
        at += piece;
        if (x->pending_bytes == PIECE_BYTES || (x->events && at == n)) rc = flush_piece(x);
    }
    pthread_mutex_unlock(&x->lock);
    if (rc)
        call_cancel(r->call);
    else
        r->body_bytes_sent += (int64_t)n;
    return rc;
}

void request_stream_end(struct request *r, bool complete, const char *trailers)
{
    struct exchange *x = r->exchange;
    pthread_mutex_lock(&x->lock);
    if (complete && !flush_piece(x) && x->chunked) {
        const char *end = call_format(r->call, "0\r\n%s\r\n", trailers ? trailers : "");
        write_counted(x, end, strlen(end));
    }
    if (!complete) {
        mg_disable_connection_keep_alive(x->conn);
        shutdown(x->fd, SHUT_RDWR);
    }
    x->events = false;
    pthread_mutex_unlock(&x->lock);
    atomic_fetch_sub(&r->server->streams, 1);
}

/* ---- watching --------------------------------------------------------------------------------------------------- */

void request_watch(struct request *r)
{
    struct server *s = r->server;
    struct exchange *x = r->exchange;
    pthread_mutex_lock(&s->lock);
    x->next = &s->watched;
    x->prev = s->watched.prev;
    x->prev->next = x;
    x->next->prev = x;
    x->watched = true;
    pthread_mutex_unlock(&s->lock);
}

void request_unwatch(struct request *r)
{
    struct server *s = r->server;
    struct exchange *x = r->exchange;
    pthread_mutex_lock(&s->lock);
    while (x->held) pthread_cond_wait(&s->changed, &s->lock);
    x->prev->next = x->next;
    x->next->prev = x->prev;
    x->watched = false;
    pthread_mutex_unlock(&s->lock);
}

/* Never blocks: a comment line of a few bytes goes out only when the socket has room. */
static void heartbeat(struct exchange *x, int64_t now)
{
    static const char beat[] = "d\r\n: heartbeat\n\n\r\n", plain[] = ": heartbeat\n\n";
    if (now - atomic_load(&x->last_write_us) < HEARTBEAT_US || pthread_mutex_trylock(&x->lock)) return;
    struct pollfd room = { .fd = x->fd, .events = POLLOUT };
    if (x->events && poll(&room, 1, 0) == 1 && room.revents & POLLOUT)
        write_counted(x, x->chunked ? beat : plain, x->chunked ? sizeof beat - 1 : sizeof plain - 1);
    pthread_mutex_unlock(&x->lock);
}

static bool reads_too_slowly(struct exchange *x, int64_t now)
{
    int64_t since = atomic_load(&x->write_since_us);
    return since && now - since + atomic_load(&x->blocked_us) > SLOW_READER_US;
}

/* A cancel may take its time (it can talk to a database), so it runs without the list's lock; `held` keeps the
 * exchange. */
static void cancel_held(struct server *s, struct exchange *x)
{
    x->held = x->gone = true;
    pthread_mutex_unlock(&s->lock);
    call_cancel(x->request->call);
    pthread_mutex_lock(&s->lock);
    x->held = false;
    pthread_cond_broadcast(&s->changed);
}

/* Caller holds the lock; it is given up while a call is cancelled, so the walk starts again after each: true then. */
static bool look_around(struct server *s)
{
    struct pollfd fds[THREADS_MAX];
    struct exchange *at[THREADS_MAX];
    nfds_t n = 0;
    int64_t now = now_us();
    for (struct exchange *x = s->watched.next; x != &s->watched && n < THREADS_MAX; x = x->next) {
        if (x->gone) continue;
        heartbeat(x, now);
        if (reads_too_slowly(x, now)) shutdown(x->fd, SHUT_RDWR);
        at[n] = x;
        fds[n++] = (struct pollfd){ .fd = x->fd, .events = POLLRDHUP };
    }
    if (!n || poll(fds, n, 0) <= 0) return false;
    for (nfds_t i = 0; i < n; i++)
        if (fds[i].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) {
            cancel_held(s, at[i]);
            return true;
        }
    return false;
}

static void *watch(void *arg)
{
    struct server *s = arg;
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        t.tv_nsec += WATCH_MS * 1000000L;
        if (t.tv_nsec >= 1000000000L) {
            t.tv_nsec -= 1000000000L;
            t.tv_sec++;
        }
        while (!s->stopping && pthread_cond_timedwait(&s->changed, &s->lock, &t) != ETIMEDOUT) {
        }
        while (look_around(s)) {
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- CivetWeb's callbacks --------------------------------------------------------------------------------------- */

static void exchange_init(struct exchange *x, struct mg_connection *conn, struct request *r)
{
    memset(x, 0, sizeof *x);
    x->conn = conn;
    x->fd = mg_get_socket(conn);
    x->request = r;
    pthread_mutex_init(&x->lock, NULL);
}

static int on_request(struct mg_connection *conn)
{
    const struct mg_request_info *info = mg_get_request_info(conn);
    struct server *s = info->user_data;
    struct call c;
    struct exchange x;
    call_begin(&c);
    struct request r = { .call = &c,
                         .method = info->request_method,
                         .path = info->local_uri_raw,
                         .query = info->query_string,
                         .peer =
                             strncasecmp(info->remote_addr, "::ffff:", 7) ? info->remote_addr : info->remote_addr + 7,
                         .server = s,
                         .exchange = &x };
    exchange_init(&x, conn, &r);
    x.info = info;
    x.body_deadline_us = now_us() + s->options.body_timeout_ms * 1000;
    mg_set_read_deadline(conn, (int)s->options.body_timeout_ms);
    atomic_fetch_add(&s->in_flight, 1);
    s->options.handle(s->options.ctx, &r);
    atomic_fetch_sub(&s->in_flight, 1);
    pthread_mutex_destroy(&x.lock);
    call_end(&c);
    return r.status ? r.status : 500;
}

static int on_error(struct mg_connection *conn, int status, const char *why)
{
    struct server *s = mg_get_user_data(mg_get_context(conn));
    struct call c;
    struct exchange x;
    call_begin(&c);
    struct request r = { .call = &c, .server = s, .exchange = &x };
    exchange_init(&x, conn, &r);
    s->options.refuse(s->options.ctx, &r, status, why);
    pthread_mutex_destroy(&x.lock);
    call_end(&c);
    return 0;
}

static int on_connection(const struct mg_connection *conn, void **data)
{
    struct server *s = mg_get_user_data(mg_get_context(conn));
    (void)data;
    atomic_fetch_add_explicit(&s->connections, 1, memory_order_relaxed);
    return 0;
}

static void on_closed(const struct mg_connection *conn)
{
    struct server *s = mg_get_user_data(mg_get_context(conn));
    atomic_fetch_sub_explicit(&s->connections, 1, memory_order_relaxed);
}

static int on_message(const struct mg_connection *conn, const char *message)
{
    struct server *s = mg_get_user_data(mg_get_context(conn));
    if (s) log_event(&s->options.log, LOG_WARN, "http.library", "message", message, NULL);
    return 1;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void server_init(struct server *s, const struct server_options *o)
{
    pthread_condattr_t monotonic;
    s->options = *o;
    if (s->options.threads < 2) s->options.threads = 2;
    if (s->options.threads > THREADS_MAX) s->options.threads = THREADS_MAX;
    if (s->options.streams_max >= s->options.threads) s->options.streams_max = s->options.threads - 1;
    s->watched.next = s->watched.prev = &s->watched;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void server_free(struct server *s)
{
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s);
    mg_exit_library();
}

int server_start(struct call *c, const struct server_options *o, struct server **out)
{
    struct server *s = calloc(1, sizeof *s);
    if (!s) abort();
    server_init(s, o);
    mg_init_library(0);
    const char *threads = call_format(c, "%lld", (long long)s->options.threads);
    const char *const settings[] = { "listening_ports",
                                     o->listen,
                                     "num_threads",
                                     threads,
                                     "tcp_nodelay",
                                     "1",
                                     "decode_url",
                                     "no",
                                     "enable_keep_alive",
                                     "yes",
                                     "keep_alive_timeout_ms",
                                     "2000",
                                     "request_timeout_ms",
                                     "10000",
                                     "max_request_size",
                                     "16384",
                                     "connection_queue",
                                     "1024",
                                     "listen_backlog",
                                     "1024",
                                     "access_control_allow_origin",
                                     "",
                                     "access_control_allow_methods",
                                     "",
                                     NULL };
    struct mg_callbacks callbacks = { .begin_request = on_request,
                                      .http_error = on_error,
                                      .init_connection = on_connection,
                                      .connection_closed = on_closed,
                                      .log_message = on_message };
    char why[256] = "";
    struct mg_error_data error = { .text = why, .text_buffer_size = sizeof why };
    struct mg_init_data init = { .callbacks = &callbacks,
                                 .user_data = s,
                                 .configuration_options = (const char **)(uintptr_t)settings };
    s->mg = mg_start2(&init, &error);
    if (!s->mg) {
        server_free(s);
        call_hint(c, "Is the port in use? Choose another with --listen HOST:PORT.");
        return call_fail(c, ERR_UNAVAILABLE, "The server cannot listen on %s: %s", o->listen, why);
    }
    struct mg_server_port ports[4];
    if (mg_get_server_ports(s->mg, 4, ports) > 0) s->port = ports[0].port;
    if (pthread_create(&s->watcher, NULL, watch, s)) abort();
    *out = s;
    return OK;
}

int server_port(const struct server *s)
{
    return s->port;
}
void server_drain(struct server *s)
{
    atomic_store(&s->draining, true);
}
bool server_draining(const struct server *s)
{
    return atomic_load(&s->draining);
}

static bool idle_within(struct server *s, int64_t ms)
{
    int64_t end = now_us() + ms * 1000;
    while (atomic_load(&s->in_flight) && now_us() < end) nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    return !atomic_load(&s->in_flight);
}

static void cancel_all(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    for (struct exchange *x = s->watched.next; x != &s->watched;) {
        if (x->gone) {
            x = x->next;
            continue;
        }
        cancel_held(s, x);
        x = s->watched.next;
    }
    pthread_mutex_unlock(&s->lock);
}

void server_stop(struct server *s, int64_t grace_ms)
{
    server_drain(s);
    if (!idle_within(s, grace_ms)) {
        cancel_all(s);
        idle_within(s, 5000);
    }
    mg_stop(s->mg);
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->watcher, NULL);
    server_free(s);
}
