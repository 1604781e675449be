/* Connections that break: in the middle of the rows, while they idle, and a server that restarts. A small relay stands
 * between the adapter and the server and cuts where it is told. */
#include "adapters/adapter.h"
#include "base/clock.h"
#include "engines.h"
#include "handmade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LINKS = 16, ROWS = 20000 };

struct relay {
    int listening;
    int port;
    char target[100];
    atomic_long cut_after; /* bytes from the server; 0 = never */
    atomic_bool hang_up, stop;
};

static void *serve(void *ctx)
{
    struct relay *r = ctx;
    struct pollfd fds[1 + 2 * LINKS] = { { .fd = r->listening, .events = POLLIN } };
    long passed[LINKS] = { 0 };
    for (size_t i = 1; i < 1 + 2 * LINKS; i++) fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
    while (!atomic_load(&r->stop)) {
        poll(fds, 1 + 2 * LINKS, 20);
        if (fds[0].revents & POLLIN) {
            struct sockaddr_un address = { .sun_family = AF_UNIX };
            size_t at = 0;
            memcpy(address.sun_path, r->target, strlen(r->target));
            int peer = accept(r->listening, NULL, NULL), server = socket(AF_UNIX, SOCK_STREAM, 0);
            while (at < LINKS && fds[1 + 2 * at].fd >= 0) at++;
            if (at == LINKS || connect(server, (const struct sockaddr *)&address, sizeof address)) {
                close(peer);
                close(server);
            } else {
                fds[1 + 2 * at].fd = peer;
                fds[2 + 2 * at].fd = server;
                passed[at] = 0;
            }
        }
        bool all = atomic_exchange(&r->hang_up, false);
        for (size_t i = 0; i < LINKS; i++) {
            struct pollfd *pair = &fds[1 + 2 * i];
            bool end = pair->fd >= 0 && all;
            for (int side = 0; side < 2 && pair->fd >= 0 && !end; side++) {
                char bytes[16384];
                if (!(pair[side].revents & (POLLIN | POLLHUP | POLLERR))) continue;
                ssize_t n = read(pair[side].fd, bytes, sizeof bytes);
                long most = atomic_load(&r->cut_after);
                if (side && n > 0) passed[i] += n;
                end = n <= 0 || (most && passed[i] > most) || write(pair[!side].fd, bytes, (size_t)n) != n;
            }
            if (!end) continue;
            close(pair[0].fd);
            close(pair[1].fd);
            pair[0].fd = pair[1].fd = -1;
        }
    }
    for (size_t i = 1; i < 1 + 2 * LINKS; i++)
        if (fds[i].fd >= 0) close(fds[i].fd);
    return NULL;
}

static void relay_open(struct relay *r, pthread_t *thread, const char *target)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof address;
    *r = (struct relay){ .listening = socket(AF_INET, SOCK_STREAM, 0) };
    snprintf(r->target, sizeof r->target, "%s", target);
    assert_int_equal(bind(r->listening, (const struct sockaddr *)&address, n), 0);
    assert_int_equal(listen(r->listening, 16), 0);
    assert_int_equal(getsockname(r->listening, (struct sockaddr *)&address, &n), 0);
    r->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(thread, NULL, serve, r), 0);
}

static const struct run_limits wide = { .rows = 100000, .bytes = 1 << 28, .cell_bytes = 1 << 20, .time_ms = 10000 };

static int run(struct call *c, struct adapter *a, const char *type, const char *sql, int64_t *rows)
{
    struct text_sink t;
    struct run_stats stats;
    call_forgive(c);
    text_sink_init(&t, c);
    int rc = adapter_execute(c, a, handmade(c, type, sql, "big.id big.note", "integer text"), &wide, &t.sink, &stats);
    *rows = t.rows;
    return rc;
}

static void broken(const char *type, const char *socket_name, const char *database)
{
    const struct test_engine *e = test_engine_find(type);
    struct call c;
    struct relay r;
    struct list sql = { 0 };
    struct buf b;
    pthread_t thread;
    int64_t rows;
    if (!e->start()) skip();
    call_begin(&c);
    *(const char **)list_push(&c, &sql, sizeof(const char *)) =
        "CREATE TABLE big (id integer PRIMARY KEY, note varchar(300))";
    for (int i = 0; i < ROWS; i++) {
        if (i % 1000 == 0) buf_init(&b, &c, (size_t)1 << 20);
        buf_format(&b, "%s(%d, '%0200d')", i % 1000 ? ", " : "INSERT INTO big VALUES ", i, i);
        if (i % 1000 == 999) *(const char **)list_push(&c, &sql, sizeof(const char *)) = b.data;
    }
    e->load(&sql);
    relay_open(&r, &thread, call_format(&c, "%s/%s", e->folder(), socket_name));
    struct datasource_config config = { .id = "shop", .type = type };
    struct adapter *a = NULL;
    const char *connection = call_format(
        &c, "{\"host\":\"127.0.0.1\",\"port\":%d,\"user\":\"reader\",\"database\":\"%s\",\"tls\":\"disable\"}", r.port,
        database);
    assert_int_equal(json_parse(&c, connection, strlen(connection), &config.connection), OK);
    assert_int_equal(adapter_open(&c, &config, &a), OK);

    assert_int_equal(run(&c, a, type, "SELECT id, note FROM big", &rows), OK);
    assert_int_equal(rows, ROWS);
    /* Cut within the rows: told, and not tried again once rows were delivered. */
    atomic_store(&r.hang_up, true);
    usleep(100000);
    atomic_store(&r.cut_after, 500000);
    assert_int_equal(run(&c, a, type, "SELECT id, note FROM big", &rows), ERR_DATASOURCE_UNAVAILABLE);
    assert_true(rows > 0 && rows < ROWS);
    assert_string_equal(c.err.message, "The connection to the database broke.");
    atomic_store(&r.cut_after, 0);
    assert_int_equal(run(&c, a, type, "SELECT id, note FROM big", &rows), OK);
    assert_int_equal(rows, ROWS);
    /* Cut while it idles: the next statement gets a new connection and its caller never knows. */
    atomic_store(&r.hang_up, true);
    usleep(100000);
    assert_int_equal(run(&c, a, type, "SELECT id, note FROM big WHERE id < 5", &rows), OK);
    assert_int_equal(rows, 5);
    /* Nobody there. */
    atomic_store(&r.stop, true);
    pthread_join(thread, NULL);
    close(r.listening);
    assert_int_equal(run(&c, a, type, "SELECT id, note FROM big", &rows), ERR_DATASOURCE_UNAVAILABLE);
    assert_null(strstr(c.err.message, "127.0.0.1"));
    adapter_close(a);
    call_end(&c);
    e->stop();
}

static void broken_postgres(void **state)
{
    (void)state;
    broken("postgres", ".s.PGSQL.5432", "postgres");
}

static void broken_mysql(void **state)
{
    (void)state;
    broken("mysql", "socket", "shop");
}

static void broken_mssql(void **state)
{
    (void)state;
    broken("mssql", "tds", "shop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_postgres),
        cmocka_unit_test(broken_mysql),
        cmocka_unit_test(broken_mssql),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
