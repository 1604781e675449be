#include "domain/result.h"

#include "base/secret.h"
#include "json.h"

#include <string.h>

/* An integer of at most 2^53-1: a reader who keeps numbers as doubles keeps it exact. */
static bool bare_integer(const char *s, size_t n)
{
    static const char most[] = "9007199254740991";
    if (n && *s == '-') {
        s++;
        n--;
    }
    if (!n || n > sizeof most - 1) return false;
    for (size_t i = 0; i < n; i++)
        if (s[i] < '0' || s[i] > '9') return false;
    return n < sizeof most - 1 || memcmp(s, most, n) <= 0;
}

bool cell_is_number(const struct cell *cell)
{
    return cell->kind == CELL_NUMBER || cell->kind == CELL_DOUBLE;
}

void cell_encode(struct buf *b, const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_NULL:
        buf_str(b, "null");
        break;
    case CELL_BOOLEAN:
        buf_add(b, cell->text, cell->n);
        break;
    case CELL_NUMBER:
        if (bare_integer(cell->text, cell->n))
            buf_add(b, cell->text, cell->n);
        else
            json_add_text(b, cell->text, cell->n);
        break;
    case CELL_DOUBLE: /* NaN and the infinities are no JSON numbers; all others end in a digit */
        if (cell->n && cell->text[cell->n - 1] <= '9')
            buf_add(b, cell->text, cell->n);
        else
            json_add_text(b, cell->text, cell->n);
        break;
    case CELL_TEXT:
        json_add_text(b, cell->text, cell->n);
        break;
    case CELL_BINARY:
        buf_str(b, "{\"base64\":\"");
        base64_add(b, cell->text, cell->n);
        buf_str(b, "\"}");
        break;
    }
}
