/* CSV as RFC 4180: a header line, CRLF, quotes doubled. NULL is an empty field, an empty text is "". Numbers keep the
 * database's digits, binary values are base64. With formulas=escape a text that a spreadsheet would run (it begins with
 * = + - @ tab or CR) gets an apostrophe in front. */
#include "base/secret.h"
#include "results/formats/format.h"

#include <string.h>

#define EACH_BYTE(b) (0x0101010101010101u * (b))

/* Bytes before the first that needs quotes. Eight a step: a byte below 14, a quote or a comma raises its high bit
 * (others may do so falsely, which the last loop sorts out). */
static size_t plain_length(const char *s, size_t n)
{
    size_t i = 0;
    for (uint64_t x; i + 8 <= n; i += 8) {
        memcpy(&x, s + i, 8);
        uint64_t quote = x ^ EACH_BYTE('"'), comma = x ^ EACH_BYTE(',');
        if (((x - EACH_BYTE(14)) | (quote - EACH_BYTE(1)) | (comma - EACH_BYTE(1))) & ~x & EACH_BYTE(0x80)) break;
    }
    while (i < n && s[i] != '"' && s[i] != ',' && s[i] != '\r' && s[i] != '\n') i++;
    return i;
}

static void field(struct buf *b, const char *s, size_t n, bool escape)
{
    bool formula = escape && n && memchr("=+-@\t\r", s[0], 6);
    if (n && plain_length(s, n) == n && !formula) {
        buf_add(b, s, n);
        return;
    }
    buf_char(b, '"');
    if (formula) buf_char(b, '\'');
    for (size_t from = 0; from < n;) {
        const char *quote = memchr(s + from, '"', n - from);
        size_t run = quote ? (size_t)(quote - s) + 1 - from : n - from;
        buf_add(b, s + from, run);
        if (quote) buf_char(b, '"');
        from += run;
    }
    buf_char(b, '"');
}

static void begin(struct buf *b, const struct export_state *s)
{
    for (size_t i = 0; i < s->columns->count; i++) {
        const char *name = LIST_AT(s->columns, struct answer_column, i).name;
        if (i) buf_char(b, ',');
        field(b, name, strlen(name), s->formulas == FORMULAS_ESCAPE);
    }
    buf_add(b, "\r\n", 2);
}

static void row(struct buf *b, const struct export_state *s, const struct cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct cell *cell = &cells[i];
        if (i) buf_char(b, ',');
        switch (cell->kind) {
        case CELL_NULL:
            break;
        case CELL_TEXT:
            field(b, cell->text, cell->n, s->formulas == FORMULAS_ESCAPE);
            break;
        case CELL_BINARY:
            base64_add(b, cell->text, cell->n);
            break;
        default:
            buf_add(b, cell->text, cell->n);
        }
    }
    buf_add(b, "\r\n", 2);
}

static void end(struct buf *b, const struct export_state *s, const struct export_end *e)
{
    (void)b;
    (void)s;
    (void)e;
}

extern const struct export_format export_csv;
const struct export_format export_csv = { "csv", "text/csv; charset=utf-8; header=present", begin, row, end };
