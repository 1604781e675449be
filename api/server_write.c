#include "api/exchange.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#define LINGER_MS    500
#define LINGER_BYTES (4 * 1024 * 1024)
#define HEAD_BYTES   (32 * 1024)
#define PIECE_BYTES  (64 * 1024) /* of a stream */
#define CHUNK_HEAD   16          /* room for "10000\r\n" */

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

static void write_head(struct request *r, const struct reply *p, struct buf *b)
{
    struct exchange *x = r->exchange;
    const char *wish = request_header(r, "Connection");
    bool asked_close = wish && !strcasecmp(wish, "close");
    if (p->close || exchange_body_in_the_way(r) || atomic_load(&r->server->draining) || crowded(r->server))
        x->closes = true;
    if (x->closes) exchange_ends(x);
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
    int64_t end = server_now_us() + LINGER_MS * 1000, left;
    size_t taken = 0;
    shutdown(fd, SHUT_WR);
    while (taken < LINGER_BYTES && (left = end - server_now_us()) > 0) {
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
    exchange_send(x, b.data, b.len);
    r->body_bytes_sent = bodyless || head_only ? 0 : (int64_t)p->n;
    if (x->closes && (!x->info || exchange_body_in_the_way(r))) linger(x->fd);
}

int exchange_write(struct exchange *x, const char *bytes, size_t n)
{
    int64_t since = server_now_us();
    atomic_store(&x->write_since_us, since);
    bool sent = exchange_send(x, bytes, n);
    int64_t end = server_now_us();
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
    int rc = exchange_write(x, b.data, b.len);
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
    if (!x->chunked) return exchange_write(x, start, n);
    char size[CHUNK_HEAD + 1];
    size_t digits = (size_t)snprintf(size, sizeof size, "%zx\r\n", n);
    memcpy(start + n, "\r\n", 2);
    start -= digits;
    memcpy(start, size, digits);
    return exchange_write(x, start, digits + n + 2);
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
        exchange_write(x, end, strlen(end));
    }
    if (!complete) {
        exchange_ends(x);
        shutdown(x->fd, SHUT_RDWR);
    }
    x->events = false;
    pthread_mutex_unlock(&x->lock);
    atomic_fetch_sub(&r->server->streams, 1);
}
