#include "base/secret.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define NONCE 12
#define TAG   16

void random_bytes(void *out, size_t n)
{
    unsigned char *p = out;
    while (n) {
        ssize_t got = getrandom(p, n, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) abort();
        p += got;
        n -= (size_t)got;
    }
}

bool secret_equal(const void *a, const void *b, size_t n) { return CRYPTO_memcmp(a, b, n) == 0; }

void hmac_sha256(const unsigned char key[SECRET_KEY_BYTES], const void *bytes, size_t n, unsigned char out[32])
{
    unsigned len = 0;
    if (!HMAC(EVP_sha256(), key, SECRET_KEY_BYTES, bytes, n, out, &len)) abort();
}

static const char url_alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char std_alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *encode64(struct call *c, const char *alphabet, bool pad, const unsigned char *in, size_t n)
{
    char *out = call_alloc(c, (n + 2) / 3 * 4 + 1), *p = out;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t v = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
        *p++ = alphabet[v >> 18];
        *p++ = alphabet[(v >> 12) & 63];
        if (left > 1) *p++ = alphabet[(v >> 6) & 63];
        else if (pad) *p++ = '=';
        if (left > 2) *p++ = alphabet[v & 63];
        else if (pad) *p++ = '=';
    }
    return out;
}

char *base64url(struct call *c, const void *bytes, size_t n) { return encode64(c, url_alphabet, false, bytes, n); }

char *base64_std(struct call *c, const void *bytes, size_t n) { return encode64(c, std_alphabet, true, bytes, n); }

void base64_add(struct buf *b, const void *bytes, size_t n)
{
    const unsigned char *in = bytes;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)in[i] << 16;
        if (n - i > 1) v |= (uint32_t)in[i + 1] << 8;
        if (n - i > 2) v |= in[i + 2];
        char group[4] = { std_alphabet[v >> 18], std_alphabet[(v >> 12) & 63],
                          n - i > 1 ? std_alphabet[(v >> 6) & 63] : '=', n - i > 2 ? std_alphabet[v & 63] : '=' };
        buf_add(b, group, 4);
    }
}

unsigned char *base64url_decode(struct call *c, const char *text, size_t *n)
{
    size_t len = strlen(text), done = 0;
    if (len % 4 == 1) return NULL;
    unsigned char *out = call_alloc(c, len / 4 * 3 + 3);
    uint32_t v = 0;
    int bits = 0;
    for (size_t i = 0; i < len; i++) {
        const char *at = memchr(url_alphabet, text[i], 64);
        if (!at) return NULL;
        v = v << 6 | (uint32_t)(at - url_alphabet);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[done++] = (unsigned char)(v >> bits);
            v &= (1u << bits) - 1;
        }
    }
    if (v) return NULL;
    *n = done;
    return out;
}

char *secret_seal(struct call *c, const unsigned char key[SECRET_KEY_BYTES], const char *bound, const char *plain)
{
    size_t n = strlen(plain);
    unsigned char *box = call_alloc(c, NONCE + n + TAG);
    int len = 0;
    random_bytes(box, NONCE);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    if (!ctx || EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key, box) != 1 ||
        EVP_EncryptUpdate(ctx, NULL, &len, (const unsigned char *)bound, (int)strlen(bound)) != 1 ||
        EVP_EncryptUpdate(ctx, box + NONCE, &len, (const unsigned char *)plain, (int)n) != 1 ||
        EVP_EncryptFinal_ex(ctx, box + NONCE + len, &len) != 1 ||
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, TAG, box + NONCE + n) != 1)
        abort();
    EVP_CIPHER_CTX_free(ctx);
    return base64url(c, box, NONCE + n + TAG);
}

char *secret_open(struct call *c, const unsigned char key[SECRET_KEY_BYTES], const char *bound, const char *sealed)
{
    size_t n = 0;
    unsigned char *box = base64url_decode(c, sealed, &n);
    if (!box || n < NONCE + TAG) return NULL;
    n -= NONCE + TAG;
    char *plain = call_alloc(c, n + 1);
    int len = 0;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    bool ok = ctx && EVP_DecryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key, box) == 1 &&
              EVP_DecryptUpdate(ctx, NULL, &len, (const unsigned char *)bound, (int)strlen(bound)) == 1 &&
              EVP_DecryptUpdate(ctx, (unsigned char *)plain, &len, box + NONCE, (int)n) == 1 &&
              EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_TAG, TAG, box + NONCE + n) == 1 &&
              EVP_DecryptFinal_ex(ctx, (unsigned char *)plain + len, &len) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return ok ? plain : NULL;
}
