/* Vega-Lite v5 with the rows inline. Measures are JSON number literals with the digits the database sent; NaN and
 * infinities are null. No colour scheme, font or size is set: the page that draws it decides. */
#include "charts/chart_rule.h"

#include <string.h>

/* In a field reference, dots and brackets mean nesting unless escaped. */
static void field_reference(struct buf *b, const char *name)
{
    struct buf escaped;
    buf_init(&escaped, b->call, SIZE_MAX);
    for (const char *p = name; *p; p++) {
        if (strchr(".[]\\'\"", *p)) buf_char(&escaped, '\\');
        buf_char(&escaped, *p);
    }
    json_add_text(b, escaped.data, escaped.len);
}

static void value(struct buf *b, const struct cell *cell, bool number)
{
    bool digits = cell_is_number(cell) && cell->n && cell->text[cell->n - 1] <= '9'; /* not NaN, not an infinity */
    if (cell->kind == CELL_NULL || cell->kind == CELL_BINARY || (cell_is_number(cell) && !digits))
        buf_str(b, "null");
    else if (cell->kind == CELL_BOOLEAN || (digits && number))
        buf_add(b, cell->text, cell->n);
    else
        json_add_text(b, cell->text, cell->n);
}

static void values(struct buf *b, const struct chart_shape *s)
{
    buf_str(b, "\"data\":{\"values\":[");
    for (size_t i = 0; i < s->rows; i++) {
        buf_str(b, i ? ",{" : "{");
        for (size_t k = 0; k < s->in->column_count; k++) {
            if (k) buf_char(b, ',');
            json_add_string(b, s->in->columns[k].name);
            buf_char(b, ':');
            value(b, chart_cell(s, i, k), s->in->columns[k].measure);
        }
        buf_char(b, '}');
    }
    buf_str(b, "]}");
}

static void channel(struct buf *b, const char *name, const struct chart_encoding *e, const char *type)
{
    if (b->data[b->len - 1] != '{') buf_char(b, ',');
    buf_format(b, "\"%s\":{\"field\":", name);
    field_reference(b, e->field);
    buf_format(b, ",\"type\":\"%s\",\"title\":", type);
    json_add_string(b, e->title);
    buf_char(b, '}');
}

static void fold(struct buf *b, const struct chart_spec *out)
{
    buf_str(b, ",\"transform\":[{\"fold\":[");
    for (size_t i = 0; i < out->y.count; i++) {
        if (i) buf_char(b, ',');
        field_reference(b, LIST_AT(&out->y, struct chart_encoding, i).field);
    }
    buf_str(b, "]}]");
}

void chart_vega(struct call *c, const struct chart_shape *s, const struct chart_rule *rule, struct chart_spec *out)
{
    struct buf b;
    buf_init(&b, c, SIZE_MAX);
    buf_str(&b, "{\"$schema\":\"https://vega.github.io/schema/vega-lite/v5.json\",\"title\":");
    json_add_string(&b, out->title);
    buf_char(&b, ',');
    values(&b, s);
    bool several = out->y.count > 1;
    if (several) fold(&b, out);
    buf_format(&b, ",\"mark\":\"%s\",\"encoding\":{", rule->mark);
    if (out->x) channel(&b, "x", out->x, out->x->kind == CHART_TEMPORAL ? "temporal" : "nominal");
    if (out->value) channel(&b, "text", out->value, "quantitative");
    if (several) {
        buf_str(&b, ",\"y\":{\"field\":\"value\",\"type\":\"quantitative\"},\"color\":{\"field\":\"key\",\"type\":"
                    "\"nominal\"}");
        if (!strcmp(rule->mark, "bar")) buf_str(&b, ",\"xOffset\":{\"field\":\"key\",\"type\":\"nominal\"}");
    } else if (out->y.count) {
        channel(&b, "y", &LIST_AT(&out->y, struct chart_encoding, 0), "quantitative");
    }
    if (out->series) channel(&b, "color", out->series, "nominal");
    buf_str(&b, "}}");
    out->vega_lite = (struct raw){ b.data, b.len };
}
