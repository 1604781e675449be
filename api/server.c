#include "api/exchange.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SMALL_BODY    (64 * 1024)
#define KEEP_ALIVE_MS "2000"
#define LAST_WORDS_US 2500000 /* a little longer than a connection is kept without a request */

int64_t server_now_us(void)
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
    if (x->body_failed && server_now_us() >= x->body_deadline_us)
        return call_fail(c, ERR_REQUEST_TIMEOUT, "The request body did not arrive within %lld ms.",
                         (long long)r->server->options.body_timeout_ms);
    if (x->body_failed) return call_fail(c, ERR_INVALID_REQUEST, "The request body is cut short or badly chunked.");
    body[got] = '\0';
    *text = body;
    *n = got;
    return OK;
}

bool exchange_body_in_the_way(const struct request *r)
{
    const struct exchange *x = r->exchange;
    if (!x->info || x->body_read || !request_has_body(r)) return false;
    return x->body_failed || x->info->content_length < 0 || x->info->content_length > SMALL_BODY;
}

bool exchange_send(struct exchange *x, const char *bytes, size_t n)
{
    return mg_write(x->conn, bytes, n) == (int)n;
}

void exchange_ends(struct exchange *x)
{
    mg_disable_connection_keep_alive(x->conn);
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
    x.body_deadline_us = server_now_us() + s->options.body_timeout_ms * 1000;
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
    if (s->options.threads > SERVER_THREADS_MAX) s->options.threads = SERVER_THREADS_MAX;
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
                                     KEEP_ALIVE_MS,
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
    if (pthread_create(&s->watcher, NULL, server_watch, s)) abort();
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
    int64_t end = server_now_us() + ms * 1000;
    while (atomic_load(&s->in_flight) && server_now_us() < end)
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    return !atomic_load(&s->in_flight);
}

/* Those that were accepted get an answer, if they ask for one soon: 503, and the connection's end. */
static void last_words(struct server *s)
{
    int64_t end = server_now_us() + LAST_WORDS_US;
    for (int quiet = 0; quiet < 4 && server_now_us() < end;) {
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
        quiet = atomic_load(&s->connections) ? 0 : quiet + 1;
    }
}

void server_stop(struct server *s, int64_t grace_ms)
{
    server_drain(s);
    if (!idle_within(s, grace_ms)) {
        server_cancel_all(s);
        idle_within(s, 5000);
    }
    mg_stop_listening(s->mg);
    last_words(s);
    mg_stop(s->mg);
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->watcher, NULL);
    server_free(s);
}
