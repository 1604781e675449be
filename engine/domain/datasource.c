#include "domain/datasource.h"

const char *const evidence_names[] = { "off", "values", "execute", "auto", NULL };
const char *const index_values_names[] = { "all", "none", "listed", NULL };

static const struct field fields[] = {
    FIELD(struct datasource_options, row_limit, K_INT, .min = 1, .max = 1000000, .def = "10000",
          .doc = "Most rows one query returns."),
    FIELD(struct datasource_options, max_bytes, K_INT, .min = 1024, .max = 1073741824, .def = "10485760",
          .doc = "Most bytes one result holds."),
    FIELD(struct datasource_options, statement_timeout_ms, K_INT, .min = 1, .max = 3600000, .def = "30000",
          .doc = "Milliseconds after which a statement is stopped."),
    FIELD(struct datasource_options, pool_size, K_INT, .min = 0, .max = 1000, .def = "0",
          .doc = "Connections kept open at most; 0 is four for each processor."),
    FIELD(struct datasource_options, evidence, K_ENUM, .of = evidence_names, .def = "auto",
          .doc = "How far a planner may look at data to choose between readings."),
    FIELD(struct datasource_options, index_values, K_ENUM, .of = index_values_names, .def = "all",
          .doc = "Which columns' distinct values are indexed."),
    FIELD(struct datasource_options, index_columns, K_STRINGS,
          .doc = "The columns (table.column) when index_values is listed."),
    FIELD(struct datasource_options, pii, K_STRINGS,
          .doc = "Columns (table.column) with personal data: never indexed or sampled."),
    FIELD(struct datasource_options, public_values, K_STRINGS,
          .doc = "Columns (table.column) whose indexed values may be matched whatever the row filter."),
    FIELD(struct datasource_options, share_rows_with_model, K_BOOL, .def = "false",
          .doc = "Rows may be sent to the language model."),
    { 0 },
};
const struct type datasource_options_type = TYPE(struct datasource_options, "DatasourceOptions", fields);
