#include "api/exchange.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#define WATCH_MS     250
#define HEARTBEAT_US ((int64_t)5000000)

void request_watch(struct request *r)
{
    struct server *s = r->server;
    struct exchange *x = r->exchange;
    pthread_mutex_lock(&s->lock);
    x->next = &s->watched;
    x->prev = s->watched.prev;
    x->prev->next = x;
    x->next->prev = x;
    x->watched = true;
    pthread_mutex_unlock(&s->lock);
}

void request_unwatch(struct request *r)
{
    struct server *s = r->server;
    struct exchange *x = r->exchange;
    pthread_mutex_lock(&s->lock);
    while (x->held) pthread_cond_wait(&s->changed, &s->lock);
    x->prev->next = x->next;
    x->next->prev = x->prev;
    x->watched = false;
    pthread_mutex_unlock(&s->lock);
}

/* Never blocks: a comment line of a few bytes goes out only when the socket has room. */
static void heartbeat(struct exchange *x, int64_t now)
{
    static const char beat[] = "d\r\n: heartbeat\n\n\r\n", plain[] = ": heartbeat\n\n";
    if (now - atomic_load(&x->last_write_us) < HEARTBEAT_US || pthread_mutex_trylock(&x->lock)) return;
    struct pollfd room = { .fd = x->fd, .events = POLLOUT };
    if (x->events && poll(&room, 1, 0) == 1 && room.revents & POLLOUT)
        exchange_write(x, x->chunked ? beat : plain, x->chunked ? sizeof beat - 1 : sizeof plain - 1);
    pthread_mutex_unlock(&x->lock);
}

static bool reads_too_slowly(struct exchange *x, int64_t now)
{
    int64_t since = atomic_load(&x->write_since_us);
    return since && now - since + atomic_load(&x->blocked_us) > SLOW_READER_US;
}

/* A cancel may take its time (it can talk to a database), so it runs without the list's lock; `held` keeps the
 * exchange. */
static void cancel_held(struct server *s, struct exchange *x)
{
    x->held = x->gone = true;
    pthread_mutex_unlock(&s->lock);
    call_cancel(x->request->call);
    pthread_mutex_lock(&s->lock);
    x->held = false;
    pthread_cond_broadcast(&s->changed);
}

/* Caller holds the lock; it is given up while a call is cancelled, so the walk starts again after each: true then. */
static bool look_around(struct server *s)
{
    struct pollfd fds[SERVER_THREADS_MAX];
    struct exchange *at[SERVER_THREADS_MAX];
    nfds_t n = 0;
    int64_t now = server_now_us();
    for (struct exchange *x = s->watched.next; x != &s->watched && n < SERVER_THREADS_MAX; x = x->next) {
        if (x->gone) continue;
        heartbeat(x, now);
        if (reads_too_slowly(x, now)) shutdown(x->fd, SHUT_RDWR);
        at[n] = x;
        fds[n++] = (struct pollfd){ .fd = x->fd, .events = POLLRDHUP };
    }
    if (!n || poll(fds, n, 0) <= 0) return false;
    for (nfds_t i = 0; i < n; i++)
        if (fds[i].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) {
            cancel_held(s, at[i]);
            return true;
        }
    return false;
}

void *server_watch(void *arg)
{
    struct server *s = arg;
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        t.tv_nsec += WATCH_MS * 1000000L;
        if (t.tv_nsec >= 1000000000L) {
            t.tv_nsec -= 1000000000L;
            t.tv_sec++;
        }
        while (!s->stopping && pthread_cond_timedwait(&s->changed, &s->lock, &t) != ETIMEDOUT) {
        }
        while (look_around(s)) {
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void server_cancel_all(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    for (struct exchange *x = s->watched.next; x != &s->watched;) {
        if (x->gone) {
            x = x->next;
            continue;
        }
        cancel_held(s, x);
        x = s->watched.next;
    }
    pthread_mutex_unlock(&s->lock);
}
