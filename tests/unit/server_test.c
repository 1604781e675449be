#include "api/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The door of these tests: says the length of the body it got; /stream streams, /endless until nobody reads; /wait
 * waits to be cancelled. */
static atomic_int cancelled, ended;

static void on_cancel(void *ctx)
{
    atomic_fetch_add((atomic_int *)ctx, 1);
}

static void handle(void *ctx, struct request *r)
{
    (void)ctx;
    const char *body;
    size_t n;
    if (!strcmp(r->path, "/stream")) {
        assert_int_equal(request_stream_begin(r, &(struct reply){ .status = 200, .content_type = "text/plain" }, false),
                         OK);
        request_stream_write(r, "one ", 4);
        request_stream_write(r, "two", 3);
        request_stream_end(r, true, "X: y\r\n");
        return;
    }
    if (!strcmp(r->path, "/endless")) {
        static const char line[64] = "x";
        request_watch(r);
        int rc = request_stream_begin(r, &(struct reply){ .status = 200, .content_type = "text/plain" }, false);
        while (!rc) rc = request_stream_write(r, line, sizeof line);
        request_stream_end(r, false, NULL);
        request_unwatch(r);
        assert_true(atomic_load(&r->call->cancelled));
        atomic_fetch_add(&ended, 1);
        return;
    }
    if (!strcmp(r->path, "/wait")) {
        request_watch(r);
        call_on_cancel(r->call, on_cancel, &cancelled);
        while (!atomic_load(&r->call->cancelled)) usleep(1000);
        request_unwatch(r);
    }
    int rc = request_body(r, &body, &n);
    const char *text = rc ? "failed" : call_format(r->call, "%zu %s %s", n, r->path, r->query ? r->query : "-");
    request_reply(
        r, &(struct reply){ .status = code_row((enum err_code)rc)->status ? code_row((enum err_code)rc)->status : 200,
                            .content_type = "text/plain",
                            .body = text,
                            .n = strlen(text) });
}

static void refuse(void *ctx, struct request *r, int status, const char *why)
{
    (void)ctx;
    request_reply(r,
                  &(struct reply){
                      .status = status, .content_type = "text/plain", .body = why, .n = strlen(why), .close = true });
}

struct state {
    struct call call;
    struct server *server;
};

static int setup(void **state)
{
    static struct state s;
    call_begin(&s.call);
    struct server_options o = { .listen = "127.0.0.1:0",
                                .threads = 8,
                                .streams_max = 4,
                                .max_body_bytes = 1000,
                                .body_timeout_ms = 5000,
                                .log = { .fd = 2, .least = LOG_OFF },
                                .handle = handle,
                                .refuse = refuse };
    assert_int_equal(server_start(&s.call, &o, &s.server), OK);
    assert_true(server_port(s.server) > 0);
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    struct state *s = *state;
    server_stop(s->server, 1000);
    call_end(&s->call);
    return 0;
}

static int dial(const struct state *s)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)server_port(s->server)) };
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

/* Sends the text, reads until the server closes or `most` bytes came. */
static void exchange(const struct state *s, const char *text, char *reply, size_t most)
{
    int fd = dial(s);
    size_t got = 0;
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
    for (ssize_t n; got < most - 1 && (n = recv(fd, reply + got, most - 1 - got, 0)) > 0;) got += (size_t)n;
    reply[got] = '\0';
    close(fd);
}

#define CLOSE "Host: x\r\nConnection: close\r\n"

static void requests(void **state)
{
    static const struct {
        const char *send;
        int status;
        const char *says; /* a part of the reply */
    } cases[] = {
        { "GET /a?b=c HTTP/1.1\r\n" CLOSE "\r\n", 200, "0 /a b=c" },
        { "GET /%2e%2e/%2F HTTP/1.1\r\n" CLOSE "\r\n", 200, "0 /%2e%2e/%2F -" },
        { "HEAD /a HTTP/1.1\r\n" CLOSE "\r\n", 200, "Content-Length: 6\r\n\r\n" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Content-Length: 5\r\n\r\nhello", 200, "5 /a" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n2\r\nab\r\n0\r\n\r\n", 200,
          "7 /a" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi", 200, "100 Continue" },
        { "GET /stream HTTP/1.1\r\n" CLOSE "\r\n", 200, "7\r\none two\r\n0\r\nX: y\r\n\r\n" },
        { "GET /stream HTTP/1.0\r\n\r\n", 200, "\r\n\r\none two" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Content-Length: 1001\r\n\r\n", 413, "failed" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400, "failed" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 400, "failed" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400,
          "ambiguous" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400, "ambiguous" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Content-Length: 3x\r\n\r\nabc", 400, "ambiguous" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Content-Length: -1\r\n\r\n", 400, "ambiguous" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Content-Length: 99999999999999999999\r\n\r\n", 400, "ambiguous" },
        { "POST /a HTTP/1.1\r\n" CLOSE "Content-Length : 3\r\n\r\nabc", 400, "Bad request" },
        { "GET /a HTTP/1.1\r\nHost: x\r\nA: b\r\n c: d\r\n\r\n", 400, "Bad request" },
        { "OPTIONS * HTTP/1.1\r\n" CLOSE "\r\n", 400, "" },
        { "GET http://elsewhere/a HTTP/1.1\r\n" CLOSE "\r\n", 400, "" },
        { "TRACE /a HTTP/1.1\r\n" CLOSE "\r\n", 400, "" },
        { "GET /\x80 HTTP/1.1\r\n" CLOSE "\r\n", 400, "" },
        { "nonsense\r\n\r\n", 400, "" },
    };
    char reply[4096], status[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        exchange(*state, cases[i].send, reply, sizeof reply);
        snprintf(status, sizeof status, " %d ", cases[i].status);
        if (!strstr(reply, status) || !strstr(reply, cases[i].says)) fail_msg("%s\n-> %s", cases[i].send, reply);
    }
}

/* The largest number of headers that the library keeps, and one more. */
static void header_count(void **state)
{
    char text[8192], reply[4096];
    for (int extra = 0; extra < 2; extra++) {
        size_t n = (size_t)snprintf(text, sizeof text, "GET /a HTTP/1.1\r\n" CLOSE);
        for (int i = 0; i < 62 + extra; i++) n += (size_t)snprintf(text + n, sizeof text - n, "X-%d: y\r\n", i);
        snprintf(text + n, sizeof text - n, "\r\n");
        exchange(*state, text, reply, sizeof reply);
        assert_non_null(strstr(reply, extra ? " 400 " : " 200 "));
    }
}

/* A second request behind an unread body on the same connection is never taken from the body's bytes. */
static void keeps_the_connection(void **state)
{
    char reply[4096];
    exchange(*state,
             "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: x\r\n\r\n"
             "GET /c HTTP/1.1\r\n" CLOSE "\r\n",
             reply, sizeof reply);
    assert_non_null(strstr(reply, "3 /a"));
    assert_non_null(strstr(reply, "0 /b"));
    assert_non_null(strstr(reply, "0 /c"));
}

static void gone_client_cancels(void **state)
{
    int fd = dial(*state), before = atomic_load(&cancelled);
    const char *text = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n";
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
    usleep(50000);
    close(fd);
    for (int i = 0; i < 5000 && atomic_load(&cancelled) == before; i++) usleep(1000);
    assert_int_equal(atomic_load(&cancelled), before + 1);
}

/* One that hangs up in the middle, and one that does not read and hangs up later. */
static void gone_reader_ends_the_stream(void **state)
{
    const char *text = "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n";
    for (int reads = 1; reads >= 0; reads--) {
        int fd = dial(*state), before = atomic_load(&ended);
        char some[4096];
        assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
        if (reads)
            assert_true(recv(fd, some, sizeof some, 0) > 0);
        else
            usleep(100000);
        close(fd);
        for (int i = 0; i < 5000 && atomic_load(&ended) == before; i++) usleep(1000);
        assert_int_equal(atomic_load(&ended), before + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(requests, setup, teardown),
        cmocka_unit_test_setup_teardown(header_count, setup, teardown),
        cmocka_unit_test_setup_teardown(keeps_the_connection, setup, teardown),
        cmocka_unit_test_setup_teardown(gone_client_cancels, setup, teardown),
        cmocka_unit_test_setup_teardown(gone_reader_ends_the_stream, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
