#include "base/id.h"

#include "base/clock.h"
#include "base/secret.h"

#include <string.h>

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

enum { RANDOM_BYTES = 10 }; /* of an id */

/* A call makes a few ids: their random bytes are drawn in one go, each used once. */
static void draw(struct call *c, unsigned char out[RANDOM_BYTES])
{
    if (c->random_left < RANDOM_BYTES) {
        random_bytes(c->random, sizeof c->random);
        c->random_left = sizeof c->random;
    }
    c->random_left -= RANDOM_BYTES;
    memcpy(out, c->random + c->random_left, RANDOM_BYTES);
}

char *id_new(struct call *c, const char *prefix)
{
    unsigned char bits[16];
    uint64_t ms = (uint64_t)clock_utc_us() / 1000;
    for (int i = 0; i < 6; i++) bits[i] = (unsigned char)(ms >> (40 - 8 * i));
    draw(c, bits + 6);
    size_t n = strlen(prefix);
    char *id = call_alloc(c, n + 28), *p = id + n + 1;
    memcpy(id, prefix, n);
    id[n] = '_';
    /* 26 characters hold 130 bits: the two leading ones are zero. */
    unsigned held = 0, count = 2;
    for (int i = 0, next = 0; i < 26; i++) {
        if (count < 5) {
            held = held << 8 | bits[next++];
            count += 8;
        }
        count -= 5;
        p[i] = alphabet[held >> count & 31];
    }
    return id;
}

bool id_valid(const char *id, const char *prefix)
{
    size_t n = strlen(prefix);
    if (strncmp(id, prefix, n) || id[n] != '_' || strlen(id) != n + 27) return false;
    return strspn(id + n + 1, alphabet) == 26;
}

bool slug_valid(const char *slug)
{
    size_t n = strlen(slug);
    if (!n || n > 63 || slug[0] < 'a' || slug[0] > 'z') return false;
    return strspn(slug, "abcdefghijklmnopqrstuvwxyz0123456789_-") == n;
}
