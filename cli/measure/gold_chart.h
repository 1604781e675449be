/* gold_chart: the data behind a chart of a data set, as gold texts. A line says SELECT x, y … as the set's authors
 * wrote it, the kind of chart, and how x is binned; what a drawing adds by itself (groups, bins, a colour) is written
 * out. */
#ifndef QUERENT_CLI_GOLD_CHART_H
#define QUERENT_CLI_GOLD_CHART_H

#include "json.h"

#define CHART_GOLDS_MAX 4

/* Is this line of a data set a chart? */
bool gold_is_chart(const struct json *line);
/* The texts that draw the chart, the one that says all of it first; answers how many, 0 when the chart is no query. */
size_t gold_charts(struct call *c, const struct json *line, const char *out[CHART_GOLDS_MAX]);

#endif
