#include "base/hash.h"

/* The generic interface of OpenSSL 3 looks the algorithm up for every digest, which costs more than the hash of a row
 * or a statement does. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

struct hash {
    SHA256_CTX ctx;
};

struct hash *hash_begin(struct call *c)
{
    struct hash *h = call_alloc(c, sizeof *h);
    SHA256_Init(&h->ctx);
    return h;
}

void hash_add(struct hash *h, const void *bytes, size_t n)
{
    SHA256_Update(&h->ctx, bytes, n);
}

char *hash_end(struct call *c, struct hash *h)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char md[HASH_BYTES];
    SHA256_Final(md, &h->ctx);
    char *out = call_alloc(c, 2 * sizeof md + 1);
    for (size_t i = 0; i < sizeof md; i++) {
        out[2 * i] = hex[md[i] >> 4];
        out[2 * i + 1] = hex[md[i] & 15];
    }
    return out;
}

void hash_take(struct hash *h, unsigned char out[HASH_BYTES])
{
    SHA256_Final(out, &h->ctx);
    SHA256_Init(&h->ctx);
}

char *hash_hex(struct call *c, const void *bytes, size_t n)
{
    struct hash h;
    SHA256_Init(&h.ctx);
    SHA256_Update(&h.ctx, bytes, n);
    return hash_end(c, &h);
}
