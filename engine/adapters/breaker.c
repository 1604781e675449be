#include "adapters/breaker.h"

#include "base/clock.h"
#include "base/secret.h"

#include <stdio.h>
#include <string.h>

const char *const circuit_names[] = { "closed", "open", "half_open", NULL };

enum { FAILURES = 3, PAUSE_US = 500000, PAUSE_MOST_US = 15000000 };

void breaker_init(struct breaker *b)
{
    *b = (struct breaker){ 0 };
    pthread_mutex_init(&b->lock, NULL);
}

void breaker_end(struct breaker *b)
{
    pthread_mutex_destroy(&b->lock);
}

bool breaker_admit(struct breaker *b)
{
    pthread_mutex_lock(&b->lock);
    bool closed = b->failures < FAILURES;
    bool yes = closed || (!b->trying && clock_mono_us() >= b->until_us);
    if (yes && !closed) b->trying = true;
    if (!yes) b->refused++;
    pthread_mutex_unlock(&b->lock);
    return yes;
}

void breaker_well(struct breaker *b)
{
    pthread_mutex_lock(&b->lock);
    b->failures = b->pause_us = 0;
    b->trying = false;
    pthread_mutex_unlock(&b->lock);
}

/* Up to a quarter longer, so that many servers do not come back at one moment. */
static int64_t with_jitter(int64_t us)
{
    uint32_t random;
    random_bytes(&random, sizeof random);
    return us + (int64_t)(random % (uint32_t)(us / 4 + 1));
}

void breaker_failed(struct breaker *b, const char *why)
{
    pthread_mutex_lock(&b->lock);
    snprintf(b->why, sizeof b->why, "%s", why);
    b->trying = false;
    if (++b->failures >= FAILURES) {
        /* Those who set out before it opened come back with the same news: it lengthens nothing. */
        bool news = clock_mono_us() >= b->until_us;
        if (b->failures == FAILURES) b->opened++;
        if (news) b->pause_us = b->pause_us ? b->pause_us * 2 : PAUSE_US;
        if (b->pause_us > PAUSE_MOST_US) b->pause_us = PAUSE_MOST_US;
        if (news) b->until_us = clock_mono_us() + with_jitter(b->pause_us);
    }
    pthread_mutex_unlock(&b->lock);
}

void breaker_dropped(struct breaker *b)
{
    pthread_mutex_lock(&b->lock);
    b->trying = false;
    pthread_mutex_unlock(&b->lock);
}

struct circuit_state breaker_state(struct breaker *b)
{
    pthread_mutex_lock(&b->lock);
    int64_t left = b->until_us - clock_mono_us();
    bool open = b->failures >= FAILURES;
    struct circuit_state s = { .circuit = !open      ? CIRCUIT_CLOSED
                                          : left > 0 ? CIRCUIT_OPEN
                                                     : CIRCUIT_HALF_OPEN,
                               .failures = b->failures,
                               .opened = b->opened,
                               .refused = b->refused,
                               .retry_after_ms = open && left > 0 ? (left + 999) / 1000 : 0 };
    memcpy(s.why, b->why, sizeof s.why);
    pthread_mutex_unlock(&b->lock);
    return s;
}
