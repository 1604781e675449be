/* A measure over time, alone, beside others, or split by one category. */
#include "charts/chart_rule.h"
#include "charts/number.h"

#include <string.h>

static bool draws(const struct chart_shape *s)
{
    if (s->time_count != 1 || s->rows < 2 || s->truncated || !s->measure_count) return false;
    if (s->in->column_count != 1 + s->category_count + s->measure_count) return false;
    if (!s->category_count) return s->measure_count <= CHART_SERIES_MAX;
    return s->category_count == 1 && s->measure_count == 1 && s->series_count <= CHART_SERIES_MAX;
}

static int compare_text(const struct cell *a, const struct cell *b)
{
    int d = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);
    return d ? d : a->n < b->n ? -1 : a->n > b->n;
}

/* From the first point in time to the last, and the peak. Only for one line with a value at both ends. */
static void takeaway(struct call *c, const struct chart_shape *s, struct chart_spec *out)
{
    size_t time = s->times[0], measure = s->measures[0], first = SIZE_MAX, last = SIZE_MAX, peak = SIZE_MAX;
    struct number top = { 0 }, v, from, to, change;
    for (size_t i = 0; i < s->rows; i++) {
        const struct cell *when = chart_cell(s, i, time), *value = chart_cell(s, i, measure);
        if (when->kind == CELL_NULL) continue;
        if (first == SIZE_MAX || compare_text(when, chart_cell(s, first, time)) < 0) first = i;
        if (last == SIZE_MAX || compare_text(when, chart_cell(s, last, time)) > 0) last = i;
        if (!cell_is_number(value) || !number_parse(value->text, value->n, &v)) continue;
        if (peak == SIZE_MAX || number_compare(v, top) > 0) peak = i, top = v;
    }
    if (peak == SIZE_MAX || first == last) return;
    const struct cell *a = chart_cell(s, first, measure), *b = chart_cell(s, last, measure);
    if (!cell_is_number(a) || !cell_is_number(b)) return;
    struct buf text;
    buf_init(&text, c, 4096);
    buf_format(&text, "%s went from ", LIST_AT(&out->y, struct chart_encoding, 0).title);
    chart_write_cell(&text, a);
    buf_str(&text, " in ");
    chart_write_cell(&text, chart_cell(s, first, time));
    buf_str(&text, " to ");
    chart_write_cell(&text, b);
    buf_str(&text, " in ");
    chart_write_cell(&text, chart_cell(s, last, time));
    int64_t permille;
    if (number_parse(a->text, a->n, &from) && number_parse(b->text, b->n, &to) && number_subtract(to, from, &change) &&
        number_permille(change, from, &permille)) {
        int64_t size = permille < 0 ? -permille : permille;
        buf_format(&text, " (%c%lld.%lld%%)", permille < 0 ? '-' : '+', (long long)(size / 10), (long long)(size % 10));
    }
    buf_str(&text, "; the peak was ");
    chart_write_cell(&text, chart_cell(s, peak, measure));
    buf_str(&text, " in ");
    chart_write_cell(&text, chart_cell(s, peak, time));
    buf_char(&text, '.');
    out->takeaway = text.data;
}

static void fill(struct call *c, const struct chart_shape *s, struct chart_spec *out)
{
    out->x = chart_encode_column(c, s, s->times[0]);
    for (size_t i = 0; i < s->measure_count; i++) chart_add_y(c, s, out, s->measures[i]);
    if (s->category_count) {
        out->series = chart_encode_column(c, s, s->categories[0]);
        out->reason = "one date column, one number and one short category";
    } else {
        takeaway(c, s, out);
    }
}

extern const struct chart_rule chart_line;
const struct chart_rule chart_line = {
    .kind = "line", .reason = "one date column and one number", .draws = draws, .fill = fill, .mark = "line"
};
