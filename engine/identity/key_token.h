/* key_token: the text of an API key, qk_<id>_<secret>. Only a hash of the secret is kept; with 256 random bits a plain
 * SHA-256 is enough. */
#ifndef QUERENT_KEY_TOKEN_H
#define QUERENT_KEY_TOKEN_H

#include "domain/api_key.h"

struct key_token {
    const char *id;          /* API_KEY_ID_BYTES characters */
    const char *token;       /* the whole, to be shown once; NULL when it was read */
    const char *secret_hash; /* of the secret part */
};

void key_token_make(struct call *c, struct key_token *out);
/* False when the text does not have the form of a key. */
bool key_token_read(struct call *c, const char *text, struct key_token *out);
/* Constant time in the secret. */
bool key_token_fits(const struct key_token *t, const struct api_key *key);

#endif
