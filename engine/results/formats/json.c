/* One JSON object: columns, rows as arrays, and after them when it ran, how many rows, and whether they are the
 * answer's. */
#include "results/formats/format.h"

static void begin(struct buf *b, const struct export_state *s)
{
    buf_str(b, "{\"columns\":[");
    for (size_t i = 0; i < s->columns->count; i++) {
        if (i) buf_char(b, ',');
        json_encode(b, &answer_column_type, &LIST_AT(s->columns, struct answer_column, i));
    }
    buf_str(b, "],\"rows\":[");
}

static void row(struct buf *b, const struct export_state *s, const struct cell *cells, size_t count)
{
    buf_str(b, s->row_count ? ",\n[" : "\n[");
    for (size_t i = 0; i < count; i++) {
        if (i) buf_char(b, ',');
        cell_encode(b, &cells[i]);
    }
    buf_char(b, ']');
}

static void end(struct buf *b, const struct export_state *s, const struct export_end *e)
{
    (void)s;
    buf_str(b, "\n],\"end\":");
    json_encode(b, &export_end_type, e);
    buf_str(b, "}\n");
}

extern const struct export_format export_json;
const struct export_format export_json = { "json", "application/json", begin, row, end };
