/* hello: the yardstick of tests/bench/http.sh: a bare CivetWeb with the server's settings that reads the body and
 * answers a constant in one write. usage: hello PORT */
#include <civetweb.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int answer(struct mg_connection *conn)
{
    static const char text[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n"
                               "{\"status\":\"alive\"}";
    char body[4096];
    while (mg_read(conn, body, sizeof body) > 0) {
    }
    mg_write(conn, text, sizeof text - 1);
    return 200;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    const char *settings[] = { "listening_ports",
                               argv[1],
                               "num_threads",
                               "256",
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
                               "connection_queue",
                               "1024",
                               "listen_backlog",
                               "1024",
                               NULL };
    struct mg_callbacks callbacks = { .begin_request = answer };
    mg_init_library(0);
    if (!mg_start(&callbacks, NULL, settings)) return 1;
    for (;;) pause();
}
