/* serve: REST and MCP until a signal ends it. SIGTERM and SIGINT drain and stop, a second one ends at once; SIGHUP
 * reads the configuration again. */
#include "cli/verbs/verb.h"

#include "api/gate.h"
#include "mcp/mcp.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define GRACE_MS 30000

static int serve(struct cli *cli, int argc, char **argv);

const struct verb verb_serve = {
    .name = "serve",
    .usage = "[--listen HOST:PORT]",
    .doc = "Serve REST and MCP; without a configuration: the demo shop on 127.0.0.1:8765.",
    .run = serve,
};

static void reload(struct engine *e)
{
    struct call c;
    call_begin(&c);
    const struct log *log = engine_log(e);
    if (!engine_reload(e, &c))
        log_event(log, LOG_INFO, "config.reloaded", NULL);
    else
        log_event(log, LOG_ERROR, "config.rejected", "message", c.err.message, "field", c.err.field, NULL);
    call_end(&c);
}

/* The host part of the address, for people: where a browser would go. */
static const char *address_of(struct call *c, const char *listen, int port)
{
    const char *colon = strrchr(listen, ':');
    const char *host = colon ? call_strndup(c, listen, (size_t)(colon - listen)) : "";
    if (!*host || !strcmp(host, "0.0.0.0") || !strcmp(host, "[::]")) host = "127.0.0.1";
    return call_format(c, "http://%s:%d", host, port);
}

static int wait_for_signals(struct engine *e, const sigset_t *signals)
{
    for (;;) {
        int signal = 0;
        if (sigwait(signals, &signal)) continue;
        if (signal != SIGHUP) return signal;
        reload(e);
    }
}

static int serve_until_signal(struct call *c, struct engine *e, const sigset_t *signals)
{
    struct door_config door;
    struct gate gate = { .engine = e, .mcp = mcp_open(c, e) };
    struct server *server;
    int rc = engine_door_config(e, c, &door);
    if (rc) return cli_fail(c);
    struct server_options o = { .listen = door.listen,
                                .threads = door.threads,
                                .streams_max = door.streams_max,
                                .max_body_bytes = door.max_body_bytes,
                                .body_timeout_ms = door.body_timeout_ms,
                                .log = *engine_log(e),
                                .handle = gate_handle,
                                .refuse = gate_refuse,
                                .ctx = &gate };
    rc = server_start(c, &o, &server);
    if (rc) return cli_fail(c);
    const char *url = address_of(c, door.listen, server_port(server));
    printf("querent %s serves at %s\n", querent_version, url);
    fflush(stdout);
    log_event(engine_log(e), LOG_INFO, "server.started", "url", url, "auth", door.auth, NULL);
    rc = engine_resume(e, c);
    if (rc) log_event(engine_log(e), LOG_ERROR, "jobs.not_resumed", "message", c->err.message, NULL);
    call_forgive(c);
    int number = wait_for_signals(e, signals);
    log_event(engine_log(e), LOG_INFO, "server.draining", "signal", number == SIGTERM ? "SIGTERM" : "SIGINT", NULL);
    signal(SIGHUP, SIG_IGN);
    pthread_sigmask(SIG_UNBLOCK, signals, NULL);
    server_stop(server, GRACE_MS);
    log_event(engine_log(e), LOG_INFO, "server.stopped", NULL);
    return 0;
}

static int serve(struct cli *cli, int argc, char **argv)
{
    const char *listen = NULL;
    const struct option options[] = {
        { "--listen", OPTION_TEXT, &listen, "HOST:PORT", "where to listen; port 0 takes a free one" },
        { 0 },
    };
    struct list words;
    struct engine *e;
    int code;
    if (!cli_options(cli, &verb_serve, options, argc, argv, 0, 0, &words, &code)) return code;
    if (listen) cli_override(cli, "server.listen", listen);
    cli->log.least = LOG_INFO;

    /* Threads inherit the mask: signals arrive only where this thread waits for them. */
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);

    if (!cli_engine(cli, true, &e)) return 1;
    struct call c;
    call_begin(&c);
    code = serve_until_signal(&c, e, &signals);
    call_end(&c);
    engine_close(e);
    return code;
}
