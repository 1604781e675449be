/* datasource: a connected database as configuration describes it, and its running state's public face. */
#ifndef QUERENT_DATASOURCE_H
#define QUERENT_DATASOURCE_H

#include "json.h"

enum evidence { EVIDENCE_OFF, EVIDENCE_VALUES, EVIDENCE_EXECUTE, EVIDENCE_AUTO };
extern const char *const evidence_names[]; /* off values execute auto NULL */
enum index_values { INDEX_ALL, INDEX_NONE, INDEX_LISTED };
extern const char *const index_values_names[]; /* all none listed NULL */

/* Options every engine shares. */
struct datasource_options {
    int64_t row_limit;            /* ceiling of rows, default 10000 */
    int64_t max_bytes;            /* ceiling of a result, default 10 MiB */
    int64_t statement_timeout_ms; /* default 30000 */
    int64_t pool_size;            /* connections, default 4 x cores */
    int evidence;                 /* enum evidence */
    int index_values;             /* enum index_values */
    struct list index_columns;    /* "table.column" when listed */
    struct list pii;              /* "table.column": never indexed or sampled */
    struct list public_values;    /* "table.column": indexed values may be matched whatever the row filter */
    bool share_rows_with_model;
};
extern const struct type datasource_options_type;

struct datasource_config {
    const char *id; /* slug */
    const char *description;
    const char *type;              /* row of adapters/table.c */
    const struct json *connection; /* decoded by the adapter's own connection type; may hold references */
    const struct json *resolved;   /* the same with their values, NULL = connection itself; only while it is opened */
    const char *unresolved;        /* why their values are not to be had, NULL = they are */
    struct datasource_options options;
    bool required; /* the server does not start without it */
    bool managed;  /* defined by a file: read-only over REST */
};

#endif
