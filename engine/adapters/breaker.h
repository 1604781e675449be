/* breaker: keeps callers from a database that cannot be reached. After some connections in a row that could not be made
 * it is open: who comes is refused at once. When its pause is over it lets one caller try; that one closes it, or opens
 * it for a longer pause. Any thread may call any function; none blocks. */
#ifndef QUERENT_BREAKER_H
#define QUERENT_BREAKER_H

#include "call.h"

enum circuit { CIRCUIT_CLOSED, CIRCUIT_OPEN, CIRCUIT_HALF_OPEN };
extern const char *const circuit_names[]; /* closed open half_open NULL */

enum { BREAKER_WHY = 200 };

struct breaker {
    pthread_mutex_t lock;
    int64_t failures; /* in a row */
    int64_t until_us; /* monotonic: the end of the pause */
    int64_t pause_us;
    bool trying;             /* one caller tries */
    int64_t opened, refused; /* since the start */
    char why[BREAKER_WHY];   /* the last one failed */
};

struct circuit_state {
    int circuit; /* enum circuit */
    int64_t failures, opened, refused, retry_after_ms;
    char why[BREAKER_WHY];
};

void breaker_init(struct breaker *b);
void breaker_end(struct breaker *b);
/* May a connection be made now? Whoever was told yes says how it went. */
bool breaker_admit(struct breaker *b);
void breaker_well(struct breaker *b);
void breaker_failed(struct breaker *b, const char *why); /* why: safe to show */
void breaker_dropped(struct breaker *b);                 /* it was given up: nothing is known */
struct circuit_state breaker_state(struct breaker *b);

#endif
