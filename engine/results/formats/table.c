#include "results/formats/format.h"

extern const struct export_format export_csv, export_json, export_ndjson;

const struct export_format *const export_formats[] = { &export_csv, &export_json, &export_ndjson, NULL };
const char *const export_format_names[] = { "csv", "json", "ndjson", NULL };
const char *const formulas_names[] = { "keep", "escape", NULL };
