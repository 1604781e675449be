#include "codes.h"

static const struct code_row rows[] = {
    { "OK", 200, false, "" },
#define X(name, status, retryable, text) { #name, status, retryable, text },
    ERR_CODES(X)
#undef X
};

const struct code_row *code_row(enum err_code code)
{
    return &rows[(unsigned)code < ERR_COUNT ? (unsigned)code : (unsigned)ERR_INTERNAL_ERROR];
}
