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

/* One group of three bytes or fewer; *n is how many characters it has. */
static void encode_group(const char *alphabet, const unsigned char *in, size_t left, char out[4], size_t *n)
{
    uint32_t v = (uint32_t)in[0] << 16 | (left > 1 ? (uint32_t)in[1] << 8 : 0) | (left > 2 ? in[2] : 0);
    for (int i = 0; i < 4; i++) out[i] = alphabet[(v >> (18 - 6 * i)) & 63];
    *n = left > 2 ? 4 : left + 1;
}

char *base64url(struct call *c, const void *bytes, size_t n)
{
    const unsigned char *in = bytes;
    char *out = call_alloc(c, (n + 2) / 3 * 4 + 1), *p = out, group[4];
    for (size_t i = 0, used; i < n; i += 3, p += used) {
        encode_group(url_alphabet, in + i, n - i, group, &used);
        memcpy(p, group, used);
    }
    return out;
}

void base64_add(struct buf *b, const void *bytes, size_t n)
{
    const unsigned char *in = bytes;
    for (size_t i = 0, used; i < n; i += 3) {
        char group[4];
        encode_group(std_alphabet, in + i, n - i, group, &used);
        for (size_t k = used; k < 4; k++) group[k] = '=';
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
