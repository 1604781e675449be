#include "identity/key_token.h"

#include "base/hash.h"
#include "base/secret.h"

#include <string.h>

#define PREFIX       "qk_"
#define SECRET_BYTES 32
#define SECRET_CHARS 43 /* base64url of them */
#define HASH_CHARS   64

static const char id_alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

void key_token_make(struct call *c, struct key_token *out)
{
    unsigned char bits[API_KEY_ID_BYTES], secret[SECRET_BYTES];
    char id[API_KEY_ID_BYTES + 1] = { 0 };
    random_bytes(bits, sizeof bits);
    random_bytes(secret, sizeof secret);
    for (size_t i = 0; i < API_KEY_ID_BYTES; i++) id[i] = id_alphabet[bits[i] % 32];
    const char *text = base64url(c, secret, sizeof secret);
    *out = (struct key_token){ .id = call_strdup(c, id),
                               .token = call_format(c, PREFIX "%s_%s", id, text),
                               .secret_hash = hash_hex(c, text, strlen(text)) };
}

bool key_token_read(struct call *c, const char *text, struct key_token *out)
{
    size_t prefix = strlen(PREFIX), all = prefix + API_KEY_ID_BYTES + 1 + SECRET_CHARS;
    if (strnlen(text, all + 1) != all || strncmp(text, PREFIX, prefix)) return false;
    const char *id = text + prefix, *secret = id + API_KEY_ID_BYTES + 1;
    if (strspn(id, id_alphabet) != API_KEY_ID_BYTES || secret[-1] != '_') return false;
    *out = (struct key_token){ .id = call_strndup(c, id, API_KEY_ID_BYTES),
                               .secret_hash = hash_hex(c, secret, SECRET_CHARS) };
    return true;
}

bool key_token_fits(const struct key_token *t, const struct api_key *key)
{
    return key->secret_hash && strlen(key->secret_hash) == HASH_CHARS &&
           secret_equal(t->secret_hash, key->secret_hash, HASH_CHARS);
}
