/* DuckDB files, opened read-only in worker processes (duckdb_worker.c). */
#include "adapters/duckdb_session.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_LIBRARY "libduckdb.so"

enum { POLL_MS = 50, WORKER_FD = 3 };

const char *duckdb_library(void)
{
    const char *named = getenv("DUCKDB_LIBRARY");
    return named && *named ? named : DEFAULT_LIBRARY;
}

void duckdb_session_close(void *handle)
{
    struct duckdb_session *s = handle;
    close(s->fd);
    kill(s->pid, SIGKILL);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR) continue;
    free(s);
}

/* The running binary serves its own workers: `querent worker`. Tests, which are other binaries, name it. */
static bool spawn(struct duckdb_session *s)
{
    int ends[2];
    const char *binary = getenv("WORKER_BINARY");
    char *const argv[] = { (char *)"querent", (char *)"worker", (char *)"duckdb", NULL }, *const env[] = { NULL };
    posix_spawn_file_actions_t files;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], WORKER_FD);
    int failed = posix_spawn(&s->pid, binary && *binary ? binary : "/proc/self/exe", &files, NULL, argv, env);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    s->fd = ends[0];
    if (failed) close(ends[0]);
    return !failed;
}

static enum duckdb_received read_exactly(struct call *c, struct duckdb_session *s, void *to, size_t n, int64_t until_us)
{
    for (char *p = to; n;) {
        ssize_t got = recv(s->fd, p, n, MSG_DONTWAIT);
        if (got > 0) {
            p += got;
            n -= (size_t)got;
            continue;
        }
        if (!got || (errno != EAGAIN && errno != EINTR)) return READ_GONE;
        struct pollfd wait = { .fd = s->fd, .events = POLLIN };
        poll(&wait, 1, POLL_MS);
        if (clock_mono_us() > until_us || atomic_load(&c->cancelled)) return READ_LATE;
    }
    return READ_OK;
}

enum duckdb_received duckdb_receive(struct call *c, struct duckdb_session *s, struct arena *a, int64_t until_us,
                                    struct duckdb_message *out)
{
    uint32_t length;
    enum duckdb_received got = read_exactly(c, s, &length, sizeof length, until_us);
    if (got) return got;
    if (!length || length > DUCKDB_FRAME_MAX) return READ_GONE;
    char *bytes = arena_alloc(a, (size_t)length + 1);
    got = read_exactly(c, s, bytes, length, until_us);
    *out = (struct duckdb_message){ .kind = bytes[0], .payload = bytes + 1, .n = length - 1u };
    return got;
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
    struct duckdb_message f;
    struct duckdb_session *s = calloc(1, sizeof *s);
    if (!s) abort();
    if (!spawn(s)) {
        free(s);
        *why =
            (struct failure){ STAGE_CONNECT, "A worker could not be started.", "Check the machine's process limits." };
        return NULL;
    }
    const char *const parts[] = { duckdb_library(), with->path, call_format(c, "%lldMB", (long long)with->memory_mb),
                                  call_format(c, "%lld", (long long)with->threads) };
    buf_init(&b, c, 64 * 1024);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) buf_add(&b, parts[i], strlen(parts[i]) + 1);
    enum duckdb_received got = duckdb_send(s->fd, FRAME_OPEN, b.data, b.len)
                                   ? duckdb_receive(c, s, &c->arena, clock_mono_us() + DUCKDB_OPEN_MS * 1000, &f)
                                   : READ_GONE;
    if (got == READ_OK && f.kind == FRAME_DONE) {
        memcpy(s->version, f.payload, f.n < sizeof s->version ? f.n : sizeof s->version - 1);
        return s;
    }
    *why = open_failure(c, with->path, got == READ_OK ? f.payload : "the worker ended");
    duckdb_session_close(s);
    return NULL;
}
