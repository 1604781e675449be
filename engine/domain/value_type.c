#include "domain/value_type.h"

const char *const type_kind_names[] = { "unknown", "null", "boolean",   "integer",     "decimal", "double",   "text",
                                        "date",    "time", "timestamp", "timestamptz", "binary",  "interval", 0 };
