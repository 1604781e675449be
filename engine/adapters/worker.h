/* worker: a driver's library in a process of its own, so that whatever the library does stays there: its global state,
 * its crashes, its memory. The running binary serves its own workers (`querent worker KIND`). Frames in both
 * directions: four bytes of length (of what follows), one byte of kind, the payload; both ends run on one machine. A
 * struct worker belongs to one session. */
#ifndef QUERENT_WORKER_H
#define QUERENT_WORKER_H

#include "call.h"

#include <sys/types.h>

#define WORKER_FRAME_MAX ((size_t)64 * 1024 * 1024)

/* ---- the parent's side ---- */

struct worker {
    pid_t pid;
    int fd;
    char *bytes; /* read and not yet taken: bytes[from..to) */
    size_t room, from, to;
};

struct frame {
    char kind;
    const char *payload; /* lives until the next frame is read */
    size_t n;
};

bool worker_start(struct worker *w, const char *kind);
void worker_end(struct worker *w); /* the process too */

enum worker_got { WORKER_OK, WORKER_GONE, WORKER_LATE };
/* The next frame. WORKER_LATE: until_us (monotonic) is over or the call was cancelled; reading can go on. */
enum worker_got worker_next(struct call *c, struct worker *w, int64_t until_us, struct frame *out);

/* ---- both ---- */

/* A whole frame; false when the other end is gone. */
bool worker_send(int fd, char kind, const void *payload, size_t n);

/* ---- the worker's side ---- */

bool worker_read(int fd, void *to, size_t n);
bool worker_write(int fd, const void *from, size_t n);
/* Ceilings on the worker's memory, files and cores. */
void worker_limit(size_t memory_bytes);

#endif
