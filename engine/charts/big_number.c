/* One row with one measure: the number itself. A category beside it becomes the title. */
#include "charts/chart_rule.h"

static bool draws(const struct chart_shape *s)
{
    return s->rows == 1 && !s->truncated && s->measure_count == 1 && s->in->column_count <= 2 &&
           s->time_count + s->category_count <= 1;
}

static void fill(struct call *c, const struct chart_shape *s, struct chart_spec *out)
{
    struct buf b;
    size_t measure = s->measures[0];
    out->value = chart_encode_column(c, s, measure);
    if (s->in->column_count == 2) {
        buf_init(&b, c, 4096);
        chart_write_cell(&b, chart_cell(s, 0, 1 - measure));
        out->title = b.data;
    }
    buf_init(&b, c, 4096);
    if (s->in->column_count == 2) buf_format(&b, "%s, ", out->title);
    buf_format(&b, "%s: ", out->value->title);
    chart_write_cell(&b, chart_cell(s, 0, measure));
    buf_char(&b, '.');
    out->takeaway = b.data;
}

extern const struct chart_rule chart_big_number;
const struct chart_rule chart_big_number = {
    .kind = "big_number", .reason = "one row and one number", .draws = draws, .fill = fill, .mark = "text"
};
