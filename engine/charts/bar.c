/* A short list of categories with one to three measures; when bars are asked for, of points in time too. */
#include "charts/chart_rule.h"
#include "charts/number.h"

#define MEASURES_MAX 3

static bool draws(const struct chart_shape *s)
{
    size_t most = s->time_count ? CHART_PERIODS_MAX : CHART_CATEGORIES_MAX;
    return s->category_count + s->time_count == 1 && s->measure_count >= 1 && s->measure_count <= MEASURES_MAX &&
           s->in->column_count == 1 + s->measure_count && s->rows >= 2 && s->rows <= most && !s->truncated &&
           (s->category_unique || s->time_unique);
}

/* Rows with the highest and the lowest value, and the sum when it fits and nothing is negative. */
static bool extremes(const struct chart_shape *s, size_t column, size_t *high, size_t *low, struct number *sum,
                     bool *summed)
{
    struct number top, bottom;
    size_t seen = 0;
    *sum = (struct number){ 0 };
    *summed = true;
    for (size_t i = 0; i < s->rows; i++) {
        const struct cell *cell = chart_cell(s, i, column);
        struct number v;
        if (!cell_is_number(cell) || !number_parse(cell->text, cell->n, &v)) continue;
        if (!seen || number_compare(v, top) > 0) top = v, *high = i;
        if (!seen || number_compare(v, bottom) < 0) bottom = v, *low = i;
        if (v.units < 0 || !number_add(sum, v)) *summed = false;
        seen++;
    }
    return seen >= 2;
}

static void fill(struct call *c, const struct chart_shape *s, struct chart_spec *out)
{
    size_t category = s->time_count ? s->times[0] : s->categories[0], measure = s->measures[0], high = 0, low = 0;
    struct number sum, top;
    bool summed;
    int64_t permille = 0;
    if (s->time_count) out->reason = "one date column in a short list and up to three numbers";
    out->x = chart_encode_column(c, s, category);
    for (size_t i = 0; i < s->measure_count; i++) chart_add_y(c, s, out, s->measures[i]);
    if (!extremes(s, measure, &high, &low, &sum, &summed)) return;
    const char *title = LIST_AT(&out->y, struct chart_encoding, 0).title;
    const struct cell *highest = chart_cell(s, high, measure);
    struct buf b;
    buf_init(&b, c, 4096);
    chart_write_cell(&b, chart_cell(s, high, category));
    buf_format(&b, " has the highest value of %s, ", title);
    chart_write_cell(&b, highest);
    if (s->in->columns[measure].additive && summed && number_parse(highest->text, highest->n, &top) &&
        number_permille(top, sum, &permille)) {
        buf_format(&b, " (%lld.%lld%% of the total).", (long long)(permille / 10), (long long)(permille % 10));
    } else {
        buf_str(&b, "; ");
        chart_write_cell(&b, chart_cell(s, low, category));
        buf_str(&b, " has the lowest, ");
        chart_write_cell(&b, chart_cell(s, low, measure));
        buf_char(&b, '.');
    }
    out->takeaway = b.data;
}

extern const struct chart_rule chart_bar;
const struct chart_rule chart_bar = { .kind = "bar",
                                      .reason = "one category in a short list and up to three numbers",
                                      .draws = draws,
                                      .fill = fill,
                                      .mark = "bar" };
