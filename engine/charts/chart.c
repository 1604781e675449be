#include "charts/chart_rule.h"

#include "base/words.h"
#include "charts/number.h"

#include <string.h>

const char *const chart_column_kind_names[] = { "number", "text", "temporal", "boolean", "other", NULL };
const char *const chart_kind_names[] = { "auto", "line", "bar", "big_number", "table", NULL };

static const struct field chart_encoding_fields[] = {
    FIELD(struct chart_encoding, field, K_STR, .flags = F_REQUIRED, .doc = "A column of the result."),
    FIELD(struct chart_encoding, kind, K_ENUM, .flags = F_REQUIRED, .of = chart_column_kind_names),
    FIELD(struct chart_encoding, title, K_STR, .flags = F_REQUIRED),
    { 0 },
};
const struct type chart_encoding_type = TYPE(struct chart_encoding, "ChartEncoding", chart_encoding_fields);

static const struct field chart_data_fields[] = {
    FIELD(struct chart_data, trace_id, K_STR, .flags = F_NULL),
    FIELD(struct chart_data, result_id, K_STR, .flags = F_NULL),
    FIELD(struct chart_data, columns, K_STRINGS, .flags = F_REQUIRED),
    FIELD(struct chart_data, rows, K_RAW, .flags = F_REQUIRED,
          .of = "{\"type\":\"array\",\"items\":{\"type\":\"array\"}"),
    FIELD(struct chart_data, truncated, K_BOOL, .flags = F_REQUIRED, .doc = "The result has more rows than are drawn."),
    { 0 },
};
const struct type chart_data_type = TYPE(struct chart_data, "ChartData", chart_data_fields);

static const struct field chart_spec_fields[] = {
    FIELD(struct chart_spec, kind, K_STR, .flags = F_REQUIRED, .doc = "line, bar, big_number or table."),
    FIELD(struct chart_spec, title, K_STR, .flags = F_REQUIRED),
    FIELD(struct chart_spec, x, K_OBJECT, .flags = F_NULL, .of = &chart_encoding_type),
    FIELD(struct chart_spec, y, K_LIST, .flags = F_REQUIRED, .of = &chart_encoding_type),
    FIELD(struct chart_spec, series, K_OBJECT, .flags = F_NULL, .of = &chart_encoding_type),
    FIELD(struct chart_spec, value, K_OBJECT, .flags = F_NULL, .of = &chart_encoding_type),
    FIELD(struct chart_spec, data, K_OBJECT, .flags = F_REQUIRED, .of = &chart_data_type),
    FIELD(struct chart_spec, takeaway, K_STR, .flags = F_NULL, .doc = "One sentence from a template."),
    FIELD(struct chart_spec, reason, K_STR, .flags = F_REQUIRED, .doc = "Why this kind."),
    FIELD(struct chart_spec, vega_lite, K_RAW, .flags = F_NULL, .of = "{\"type\":[\"object\",\"null\"]",
          .doc = "Vega-Lite v5 with the rows inline; null for a table."),
    { 0 },
};
const struct type chart_spec_type = TYPE(struct chart_spec, "ChartSpec", chart_spec_fields);

const struct cell *chart_cell(const struct chart_shape *s, size_t row, size_t column)
{
    return &s->in->rows[row][column];
}

void chart_write_cell(struct buf *b, const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_NULL:
        buf_str(b, "no value");
        break;
    case CELL_NUMBER:
    case CELL_DOUBLE:
        number_write(b, cell->text, cell->n);
        break;
    case CELL_BINARY:
        buf_str(b, "binary data");
        break;
    default:
        buf_add(b, cell->text, cell->n);
    }
}

/* "total_amount" and "totalAmount" -> "Total amount" */
static const char *humanise(struct call *c, const char *name)
{
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    name_spoken(&b, name);
    if (b.len && b.data[0] >= 'a' && b.data[0] <= 'z') b.data[0] = (char)(b.data[0] - 'a' + 'A');
    return b.len ? b.data : "";
}

static void encode_into(struct call *c, const struct chart_shape *s, size_t column, struct chart_encoding *e)
{
    const struct chart_column *col = &s->in->columns[column];
    *e = (struct chart_encoding){ .field = col->name, .kind = (int)col->kind, .title = humanise(c, col->name) };
}

struct chart_encoding *chart_encode_column(struct call *c, const struct chart_shape *s, size_t column)
{
    struct chart_encoding *e = call_alloc(c, sizeof *e);
    encode_into(c, s, column, e);
    return e;
}

void chart_add_y(struct call *c, const struct chart_shape *s, struct chart_spec *out, size_t column)
{
    encode_into(c, s, column, list_push(c, &out->y, sizeof(struct chart_encoding)));
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return a->kind == b->kind && a->n == b->n && (a->kind == CELL_NULL || !memcmp(a->text, b->text, a->n));
}

/* Distinct values of a column among the drawn rows; stops above `limit`. */
static size_t distinct_values(const struct chart_shape *s, size_t column, size_t limit)
{
    size_t found[CHART_PERIODS_MAX + 1], count = 0;
    for (size_t i = 0; i < s->rows && count <= limit; i++) {
        size_t k = 0;
        while (k < count && !same_cell(chart_cell(s, found[k], column), chart_cell(s, i, column))) k++;
        if (k == count) found[count++] = i;
    }
    return count;
}

/* A chart refers to columns by name; with equal names only a table can be drawn. */
static bool names_repeat(const struct chart_input *in)
{
    for (size_t i = 0; i < in->column_count; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(in->columns[i].name, in->columns[k].name)) return true;
    return false;
}

static void shape_of(const struct chart_input *in, struct chart_shape *s)
{
    const size_t most = sizeof s->times / sizeof *s->times;
    *s = (struct chart_shape){ .in = in, .rows = in->row_count, .truncated = in->truncated };
    if (s->rows > CHART_POINTS_MAX) {
        s->rows = CHART_POINTS_MAX;
        s->truncated = true;
    }
    for (size_t i = 0; i < in->column_count; i++) {
        const struct chart_column *col = &in->columns[i];
        if (col->measure && s->measure_count < most)
            s->measures[s->measure_count++] = i;
        else if (col->kind == CHART_TEMPORAL && s->time_count < most)
            s->times[s->time_count++] = i;
        else if (col->kind != CHART_OTHER && s->category_count < most)
            s->categories[s->category_count++] = i;
    }
    if (names_repeat(in)) s->time_count = s->category_count = s->measure_count = 0;
    bool few = s->rows <= CHART_CATEGORIES_MAX;
    bool periods = s->time_count && s->rows <= CHART_PERIODS_MAX;
    s->time_unique = periods && distinct_values(s, s->times[0], s->rows) == s->rows;
    if (!s->category_count) return;
    s->series_count = distinct_values(s, s->categories[0], CHART_SERIES_MAX);
    s->category_unique = few && distinct_values(s, s->categories[0], s->rows) == s->rows;
}

static struct raw rows_of(struct call *c, const struct chart_shape *s)
{
    struct buf b;
    buf_init(&b, c, SIZE_MAX);
    buf_char(&b, '[');
    for (size_t i = 0; i < s->rows; i++) {
        buf_str(&b, i ? ",[" : "[");
        for (size_t k = 0; k < s->in->column_count; k++) {
            if (k) buf_char(&b, ',');
            cell_encode(&b, chart_cell(s, i, k));
        }
        buf_char(&b, ']');
    }
    buf_char(&b, ']');
    return (struct raw){ b.data, b.len };
}

static const struct chart_rule *choose(const struct chart_shape *s, const char *kind)
{
    bool any = !kind || !strcmp(kind, "auto");
    for (size_t i = 0; chart_rules[i]; i++)
        if ((any || !strcmp(kind, chart_rules[i]->kind)) && chart_rules[i]->draws(s)) return chart_rules[i];
    return NULL;
}

int chart_make(struct call *c, const struct chart_input *in, const char *kind, struct chart_spec *out)
{
    struct chart_shape s;
    shape_of(in, &s);
    const struct chart_rule *rule = choose(&s, kind);
    if (!rule) {
        struct buf b;
        buf_init(&b, c, 4096);
        for (size_t i = 0; chart_rules[i]; i++)
            if (chart_rules[i]->draws(&s)) buf_format(&b, "%s%s", b.len ? ", " : "", chart_rules[i]->kind);
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/kind", "These rows cannot be drawn as '%s'; use one of %s.",
                            kind, b.data);
    }
    *out = (struct chart_spec){ .kind = rule->kind, .title = in->title ? in->title : "", .reason = rule->reason };
    rule->fill(c, &s, out);
    out->data = call_alloc(c, sizeof *out->data);
    out->data->trace_id = in->trace_id;
    out->data->result_id = in->result_id;
    out->data->truncated = s.truncated;
    out->data->rows = rows_of(c, &s);
    for (size_t i = 0; i < in->column_count; i++)
        *(const char **)list_push(c, &out->data->columns, sizeof(const char *)) = in->columns[i].name;
    if (rule->mark) chart_vega(c, &s, rule, out);
    return OK;
}
