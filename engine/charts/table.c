#include "charts/chart_rule.h"

extern const struct chart_rule chart_big_number, chart_line, chart_bar, chart_plain;

const struct chart_rule *const chart_rules[] = { &chart_big_number, &chart_line, &chart_bar, &chart_plain, NULL };
