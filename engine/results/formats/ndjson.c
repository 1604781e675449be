/* One JSON object a line, a member a column; a column whose name came before gets _2, _3 … */
#include "results/formats/format.h"

static void begin(struct buf *b, const struct export_state *s)
{
    (void)b;
    (void)s;
}

static void row(struct buf *b, const struct export_state *s, const struct cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_char(b, i ? ',' : '{');
        buf_str(b, s->keys[i]);
        cell_encode(b, &cells[i]);
    }
    buf_add(b, "}\n", 2);
}

static void end(struct buf *b, const struct export_state *s, const struct export_end *e)
{
    (void)b;
    (void)s;
    (void)e;
}

extern const struct export_format export_ndjson;
const struct export_format export_ndjson = { "ndjson", "application/x-ndjson", begin, row, end };
