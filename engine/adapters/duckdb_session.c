/* DuckDB files, opened read-only in worker processes (duckdb_worker.c). */
#include "adapters/duckdb_session.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_LIBRARY "libduckdb.so"

const char *duckdb_library(void)
{
    const char *named = getenv("DUCKDB_LIBRARY");
    return named && *named ? named : DEFAULT_LIBRARY;
}

void duckdb_session_close(void *handle)
{
    struct duckdb_session *s = handle;
    worker_end(&s->worker);
    free(s);
}

enum worker_got duckdb_receive(struct call *c, struct duckdb_session *s, struct arena *a, int64_t until_us,
                               struct frame *out)
{
    struct frame f;
    enum worker_got got = worker_next(c, &s->worker, until_us, &f);
    if (got) return got;
    char *payload = arena_alloc(a, f.n + 1);
    memcpy(payload, f.payload, f.n);
    *out = (struct frame){ .kind = f.kind, .payload = payload, .n = f.n };
    return WORKER_OK;
}

static struct failure open_failure(struct call *c, const char *path, const char *why)
{
    struct stat st;
    call_detail(c, "%s", why);
    if (!strcmp(why, "library"))
        return (struct failure){ STAGE_CONNECT, "DuckDB's library could not be loaded.",
                                 "Install libduckdb.so, or name it in DUCKDB_LIBRARY." };
    if (stat(path, &st)) return (struct failure){ STAGE_RESOLVE, "There is no such file.", "Check the path." };
    if (!S_ISREG(st.st_mode)) return (struct failure){ STAGE_RESOLVE, "The path is not a file.", "Check the path." };
    if (access(path, R_OK))
        return (struct failure){ STAGE_CONNECT, "The file may not be read.", "Let the service's user read the file." };
    if (strstr(why, "lock"))
        return (struct failure){ STAGE_OPEN, "Another process has the file open for writing.",
                                 "Close it there, or use a copy." };
    return (struct failure){ STAGE_OPEN, "The file is not a DuckDB database that this library reads.",
                             "Check the file, and that the library is as new as what wrote it." };
}

void *duckdb_session_open(struct call *c, struct pooled *p, struct failure *why)
{
    const struct duckdb_connection *with = p->with;
    struct buf b;
    struct frame f;
    struct duckdb_session *s = calloc(1, sizeof *s);
    if (!s) abort();
    if (!worker_start(&s->worker, "duckdb")) {
        free(s);
        *why =
            (struct failure){ STAGE_CONNECT, "A worker could not be started.", "Check the machine's process limits." };
        return NULL;
    }
    const char *const parts[] = { duckdb_library(), with->path, call_format(c, "%lldMB", (long long)with->memory_mb),
                                  call_format(c, "%lld", (long long)with->threads) };
    buf_init(&b, c, 64 * 1024);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) buf_add(&b, parts[i], strlen(parts[i]) + 1);
    enum worker_got got = worker_send(s->worker.fd, FRAME_OPEN, b.data, b.len)
                              ? duckdb_receive(c, s, &c->arena, clock_mono_us() + DUCKDB_OPEN_MS * 1000, &f)
                              : WORKER_GONE;
    if (got == WORKER_OK && f.kind == FRAME_DONE) {
        memcpy(s->version, f.payload, f.n < sizeof s->version ? f.n : sizeof s->version - 1);
        return s;
    }
    *why = open_failure(c, with->path, got == WORKER_OK ? f.payload : "the worker ended");
    duckdb_session_close(s);
    return NULL;
}
