/* Any bytes as what a caller carries: a cursor, or an API key. None is believed. */
#include "base/cursor.h"
#include "identity/key_token.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char key[SECRET_KEY_BYTES] = { 7 };
    const struct cursor_scope scope = { .key = key, .op = "conversation_list", .owner = "u1" };
    struct call c;
    struct key_token token;
    const char *position;
    call_begin(&c);
    const char *text = call_strndup(&c, (const char *)data, strnlen((const char *)data, size));
    if (!cursor_read(&c, &scope, text, &position)) abort();
    call_forgive(&c);
    if (key_token_read(&c, text, &token)) {
        const struct api_key stored = { .id = token.id, .secret_hash = "0" };
        if (key_token_fits(&token, &stored)) abort();
    }
    call_end(&c);
    return 0;
}
