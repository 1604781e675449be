/* chart_rule: one kind of chart, a file each and a row in table.c, tried in that order. */
#ifndef QUERENT_CHART_RULE_H
#define QUERENT_CHART_RULE_H

#include "charts/chart.h"

/* The result's columns by their part, as indexes. */
struct chart_shape {
    const struct chart_input *in;
    size_t rows; /* that are drawn */
    bool truncated;
    size_t times[8], categories[8], measures[8];
    size_t time_count, category_count, measure_count;
    size_t series_count;  /* distinct values of the first category, at most CHART_SERIES_MAX + 1 */
    bool category_unique; /* each row has another first category */
    bool time_unique;     /* each row has another first time */
};

struct chart_rule {
    const char *kind;
    const char *reason; /* why this kind: "one date column and one number" */
    bool (*draws)(const struct chart_shape *s);
    void (*fill)(struct call *c, const struct chart_shape *s, struct chart_spec *out);
    const char *mark; /* Vega-Lite mark, NULL = none */
};

extern const struct chart_rule *const chart_rules[]; /* NULL-terminated; the last one draws everything */

/* For the rules. */
struct chart_encoding *chart_encode_column(struct call *c, const struct chart_shape *s, size_t column);
void chart_add_y(struct call *c, const struct chart_shape *s, struct chart_spec *out, size_t column);
const struct cell *chart_cell(const struct chart_shape *s, size_t row, size_t column);
void chart_write_cell(struct buf *b, const struct cell *cell); /* for a sentence: numbers grouped */
/* vega.c */
void chart_vega(struct call *c, const struct chart_shape *s, const struct chart_rule *rule, struct chart_spec *out);

#endif
