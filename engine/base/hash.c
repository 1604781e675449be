#include "base/hash.h"

#include <openssl/evp.h>
#include <stdlib.h>

struct hash {
    EVP_MD_CTX *ctx;
};

struct hash *hash_begin(struct call *c)
{
    struct hash *h = call_alloc(c, sizeof *h);
    h->ctx = EVP_MD_CTX_new();
    if (!h->ctx || EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL) != 1) abort();
    return h;
}

void hash_add(struct hash *h, const void *bytes, size_t n)
{
    if (EVP_DigestUpdate(h->ctx, bytes, n) != 1) abort();
}

char *hash_end(struct call *c, struct hash *h)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char md[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (EVP_DigestFinal_ex(h->ctx, md, &n) != 1) abort();
    EVP_MD_CTX_free(h->ctx);
    h->ctx = NULL;
    char *out = call_alloc(c, 2 * (size_t)n + 1);
    for (unsigned i = 0; i < n; i++) {
        out[2 * i] = hex[md[i] >> 4];
        out[2 * i + 1] = hex[md[i] & 15];
    }
    return out;
}

void hash_take(struct hash *h, unsigned char out[HASH_BYTES])
{
    if (EVP_DigestFinal_ex(h->ctx, out, NULL) != 1 || EVP_DigestInit_ex(h->ctx, NULL, NULL) != 1) abort();
}

char *hash_hex(struct call *c, const void *bytes, size_t n)
{
    struct hash *h = hash_begin(c);
    hash_add(h, bytes, n);
    return hash_end(c, h);
}
