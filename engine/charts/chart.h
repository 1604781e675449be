/* chart: rows -> a chart specification, chosen by rules, and the same as Vega-Lite v5 with exact digits. The rules are
 * an open set (chart_rule.h). Nothing here blocks; everything lives in the call. */
#ifndef QUERENT_CHART_H
#define QUERENT_CHART_H

#include "domain/result.h"
#include "json.h"

#define CHART_POINTS_MAX     1000
#define CHART_CATEGORIES_MAX 20
#define CHART_PERIODS_MAX    60 /* bars of points in time */
#define CHART_SERIES_MAX     5

enum chart_column_kind { CHART_NUMBER, CHART_TEXT, CHART_TEMPORAL, CHART_BOOLEAN, CHART_OTHER };
extern const char *const chart_column_kind_names[];
extern const char *const chart_kind_names[]; /* auto line bar big_number table NULL */

/* What the plan knows of a result column. */
struct chart_column {
    const char *name;
    enum chart_column_kind kind;
    bool measure;  /* worth drawing as a height; a number that is a key or a label is not */
    bool additive; /* a count or a sum: shares of the total make sense */
};

struct chart_input {
    const char *title; /* the question that ran */
    const char *trace_id, *result_id;
    const struct chart_column *columns;
    size_t column_count;
    const struct cell *const *rows;
    size_t row_count;
    bool truncated; /* the result has more rows than these */
};

struct chart_encoding {
    const char *field;
    int kind; /* enum chart_column_kind */
    const char *title;
};

struct chart_data {
    const char *trace_id, *result_id;
    struct list columns; /* const char * */
    struct raw rows;
    bool truncated;
};

struct chart_spec {
    const char *kind; /* line bar big_number table */
    const char *title;
    struct chart_encoding *x, *series, *value;
    struct list y; /* struct chart_encoding */
    struct chart_data *data;
    const char *takeaway, *reason;
    struct raw vega_lite; /* absent for a table */
};
extern const struct type chart_encoding_type, chart_data_type, chart_spec_type;

/* kind: NULL or "auto" chooses; another name forces it when the data can draw it, else ERR_VALIDATION_ERROR names the
 * kinds that can. */
int chart_make(struct call *c, const struct chart_input *in, const char *kind, struct chart_spec *out);

#endif
