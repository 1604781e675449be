/* sentence: the answer stated by a template. Numbers stand as the database wrote them; names of columns and the words
 * of the reading are all that is added. */
#include "ask/run.h"
#include "base/words.h"

#include <string.h>

#define LISTED_ROWS 10
#define SHOWN_BYTES 200

/* Cut at a character's start. */
static size_t shown_bytes(const struct cell *cell)
{
    size_t n = cell->n;
    if (n <= SHOWN_BYTES) return n;
    for (n = SHOWN_BYTES; n && ((unsigned char)cell->text[n] & 0xC0) == 0x80;) n--;
    return n;
}

static void write_value(struct buf *b, const struct cell *cell)
{
    if (cell->kind == CELL_NULL) {
        buf_str(b, "no value");
    } else if (cell->kind == CELL_BINARY) {
        buf_str(b, "binary data");
    } else {
        size_t n = shown_bytes(cell);
        buf_add(b, cell->text, n);
        if (n < cell->n) buf_str(b, "…");
    }
}

/* The reading as the beginning of a sentence, without its final mark. */
static void begin(struct buf *b, const char *reading)
{
    size_t n = strlen(reading);
    while (n && strchr("?.!:; \n", reading[n - 1])) n--;
    if (n && reading[0] >= 'a' && reading[0] <= 'z') {
        buf_char(b, (char)(reading[0] - 'a' + 'A'));
        reading++;
        n--;
    }
    buf_add(b, reading, n);
}

static void named_values(struct buf *b, const struct recorder *r, const struct cell *cells)
{
    for (size_t i = 0; i < r->column_count; i++) {
        if (i) buf_str(b, ", ");
        if (r->column_count > 1) {
            name_spoken(b, r->columns[i].name);
            buf_char(b, ' ');
        }
        write_value(b, &cells[i]);
    }
}

static bool is_number(const struct cell *cell)
{
    return cell->kind == CELL_NUMBER || cell->kind == CELL_DOUBLE;
}

/* a, b and c; with two columns "Berlin 12, Paris 10 and Rome 9", with two numbers "1 (23), 2 (167) and 3 (416)". */
static void list_rows(struct buf *b, const struct recorder *r)
{
    for (size_t i = 0; i < r->rows.count; i++) {
        const struct cell *cells = LIST_AT(&r->rows, struct cell *, i);
        if (i) buf_str(b, i + 1 == r->rows.count ? " and " : ", ");
        bool numbers = r->column_count == 2 && is_number(&cells[0]) && is_number(&cells[1]);
        for (size_t k = 0; k < r->column_count; k++) {
            if (k) buf_str(b, numbers ? " (" : " ");
            write_value(b, &cells[k]);
        }
        if (numbers) buf_char(b, ')');
    }
}

static void summary(struct buf *b, const char *reading, const struct recorder *r, const struct run_stats *stats)
{
    const struct cell *first = r->rows.count ? LIST_AT(&r->rows, struct cell *, 0) : NULL;
    bool whole = !stats->truncated && (int64_t)r->rows.count == stats->rows;
    if (!stats->rows) {
        buf_str(b, "Nothing was found: ");
        buf_add(b, reading, strcspn(reading, "?\n"));
        buf_char(b, '.');
        return;
    }
    begin(b, reading);
    if (whole && stats->rows == 1 && r->column_count == 1) {
        bool short_name = !strncmp(reading, "the ", 4) && !strpbrk(reading, ",;") && !strstr(reading, " where ");
        buf_str(b, short_name && first[0].kind != CELL_NULL ? " is " : ": ");
        write_value(b, &first[0]);
    } else if (whole && stats->rows == 1) {
        buf_str(b, ": ");
        named_values(b, r, first);
    } else if (whole && stats->rows <= LISTED_ROWS && r->column_count <= 2) {
        buf_str(b, ": ");
        list_rows(b, r);
    } else {
        buf_format(b, ": %s%lld rows", stats->truncated ? "more than " : "", (long long)stats->rows);
        if (first) {
            buf_str(b, "; the first is ");
            named_values(b, r, first);
        }
    }
    if (b->data[b->len - 1] != '.') buf_char(b, '.');
}

static void table_cell(struct buf *b, const char *s, size_t n)
{
    buf_str(b, "| ");
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '|') buf_char(b, '\\');
        buf_char(b, s[i] == '\n' || s[i] == '\r' ? ' ' : s[i]);
    }
    buf_char(b, ' ');
}

static void markdown(struct buf *b, const struct recorder *r)
{
    for (size_t i = 0; i < r->column_count; i++) table_cell(b, r->columns[i].name, strlen(r->columns[i].name));
    buf_str(b, "|\n");
    for (size_t i = 0; i < r->column_count; i++) buf_str(b, "| --- ");
    buf_str(b, "|\n");
    for (size_t i = 0; i < r->rows.count && i < PREVIEW_ROWS; i++) {
        const struct cell *cells = LIST_AT(&r->rows, struct cell *, i);
        for (size_t k = 0; k < r->column_count; k++) {
            struct buf value;
            buf_init(&value, b->call, 4096);
            if (cells[k].kind != CELL_NULL) write_value(&value, &cells[k]);
            table_cell(b, value.data, value.len);
        }
        buf_str(b, "|\n");
    }
}

struct answer_text *ask_sentence(struct call *c, const char *reading, const struct recorder *rows,
                                 const struct run_stats *stats)
{
    struct answer_text *text = call_alloc(c, sizeof *text);
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    summary(&b, reading, rows, stats);
    text->summary = b.data;
    if (stats->rows > 0 && (stats->rows > 1 || rows->column_count > 1)) {
        struct buf content;
        buf_init(&content, c, SIZE_MAX / 2);
        buf_format(&content, "%s\n\n", text->summary);
        markdown(&content, rows);
        text->content = content.data;
    } else {
        text->content = text->summary;
    }
    return text;
}
