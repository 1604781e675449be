/* secret: randomness, constant-time comparison, HMAC, authenticated encryption, base64url. */
#ifndef QUERENT_SECRET_H
#define QUERENT_SECRET_H

#include "buf.h"

#define SECRET_KEY_BYTES 32

void random_bytes(void *out, size_t n); /* aborts when the system has none */
bool secret_equal(const void *a, const void *b, size_t n);
void hmac_sha256(const unsigned char key[SECRET_KEY_BYTES], const void *bytes, size_t n, unsigned char out[32]);
char *base64url(struct call *c, const void *bytes, size_t n);
/* NULL when the text is not base64url. */
unsigned char *base64url_decode(struct call *c, const char *text, size_t *n);
/* With padding, into a buffer; no other memory is taken. */
void base64_add(struct buf *b, const void *bytes, size_t n);
/* AES-256-GCM; the text carries nonce and tag. `bound` is authenticated with it (the row's identity). */
char *secret_seal(struct call *c, const unsigned char key[SECRET_KEY_BYTES], const char *bound, const char *plain);
/* NULL when the text was changed, the key is another one, or `bound` differs. */
char *secret_open(struct call *c, const unsigned char key[SECRET_KEY_BYTES], const char *bound, const char *sealed);

#endif
