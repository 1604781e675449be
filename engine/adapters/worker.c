#include "adapters/worker.h"

#include "base/clock.h"
#include "base/sanitizer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 50, WORKER_FD = 3 };
#define READ_BYTES ((size_t)64 * 1024)
#define HEAD_BYTES sizeof(uint32_t)

/* Tests, which are other binaries, name the one that serves workers. */
bool worker_start(struct worker *w, const char *kind)
{
    int ends[2];
    const char *binary = getenv("WORKER_BINARY");
    char *const argv[] = { (char *)"querent", (char *)"worker", (char *)(uintptr_t)kind, NULL }, *const env[] = {
        NULL
    };
    posix_spawn_file_actions_t files;
    *w = (struct worker){ .fd = -1 };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], WORKER_FD);
    int failed = posix_spawn(&w->pid, binary && *binary ? binary : "/proc/self/exe", &files, NULL, argv, env);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    if (failed) close(ends[0]);
    if (failed) return false;
    w->fd = ends[0];
    return true;
}

void worker_end(struct worker *w)
{
    close(w->fd);
    kill(w->pid, SIGKILL);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) continue;
    free(w->bytes);
}

/* Room for `need` bytes from w->from on. */
static void make_room(struct worker *w, size_t need)
{
    if (w->from && w->room - w->from < need) {
        memmove(w->bytes, w->bytes + w->from, w->to - w->from);
        w->to -= w->from;
        w->from = 0;
    }
    if (w->room >= need && w->room > w->to) return;
    size_t room = w->room ? w->room : READ_BYTES;
    while (room < need || room <= w->to) room *= 2;
    w->bytes = realloc(w->bytes, room);
    if (!w->bytes) abort();
    w->room = room;
}

static enum worker_got fill(struct call *c, struct worker *w, size_t need, int64_t until_us)
{
    while (w->to - w->from < need) {
        make_room(w, need);
        ssize_t got = recv(w->fd, w->bytes + w->to, w->room - w->to, MSG_DONTWAIT);
        if (got > 0) {
            w->to += (size_t)got;
            continue;
        }
        if (!got || (errno != EAGAIN && errno != EINTR)) return WORKER_GONE;
        int64_t now = clock_mono_us();
        if (now >= until_us || atomic_load(&c->cancelled)) return WORKER_LATE;
        int64_t left_ms = (until_us - now) / 1000 + 1;
        struct pollfd wait = { .fd = w->fd, .events = POLLIN };
        poll(&wait, 1, left_ms < POLL_MS ? (int)left_ms : POLL_MS);
    }
    return WORKER_OK;
}

enum worker_got worker_next(struct call *c, struct worker *w, int64_t until_us, struct frame *out)
{
    uint32_t length;
    enum worker_got got = fill(c, w, HEAD_BYTES, until_us);
    if (got) return got;
    memcpy(&length, w->bytes + w->from, sizeof length);
    if (!length || length > WORKER_FRAME_MAX) return WORKER_GONE;
    got = fill(c, w, HEAD_BYTES + length, until_us);
    if (got) return got;
    const char *at = w->bytes + w->from + HEAD_BYTES;
    *out = (struct frame){ .kind = *at, .payload = at + 1, .n = length - 1 };
    w->from += HEAD_BYTES + length;
    if (w->from == w->to) w->from = w->to = 0;
    return WORKER_OK;
}

bool worker_read(int fd, void *to, size_t n)
{
    for (char *p = to; n;) {
        ssize_t got = read(fd, p, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

bool worker_write(int fd, const void *from, size_t n)
{
    for (const char *p = from; n;) {
        ssize_t done = send(fd, p, n, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}

bool worker_send(int fd, char kind, const void *payload, size_t n)
{
    uint32_t length = (uint32_t)n + 1;
    char head[HEAD_BYTES + 1];
    memcpy(head, &length, sizeof length);
    head[HEAD_BYTES] = kind;
    return worker_write(fd, head, sizeof head) && worker_write(fd, payload, n);
}

void worker_limit(size_t memory_bytes)
{
    const struct rlimit memory = { memory_bytes, memory_bytes }, none = { 0, 0 };
    if (!SANITIZE_ADDRESS && !SANITIZE_THREAD) setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_FSIZE, &none);
    setrlimit(RLIMIT_CORE, &none);
}
