/* answer: what an ask gives back, at every door. The REST body is the whole; the MCP tool shows the members of its own
 * type over the same struct (answer_tool_type). Everything lives in the call. */
#ifndef QUERENT_ANSWER_H
#define QUERENT_ANSWER_H

#include "json.h"

struct query;

#define PREVIEW_ROWS 20

struct answer_note { /* an error or a warning */
    const char *code, *node, *message;
};
extern const struct type answer_note_type;

struct answer_text {
    const char *summary, *content;
};
extern const struct type answer_text_type;

struct answer_option {
    const char *id, *label;
};
extern const struct type answer_option_type;

struct clarification {
    const char *question;
    struct list options; /* struct answer_option */
};
extern const struct type clarification_type;

struct answer_column {
    const char *name, *type, *db_type, *encoding; /* encoding: number | mixed | text */
    bool nullable, approximate;
    struct list sources; /* const char *: "table.column" */
};
extern const struct type answer_column_type;

struct answer_query {
    const char *id, *datasource_id, *sql;
    struct list columns;      /* const char *: names */
    struct list column_types; /* struct answer_column; REST only */
    struct raw rows;          /* array of arrays, the first PREVIEW_ROWS; null when nothing ran */
    int64_t total_rows;       /* rows delivered, never more than the ceiling */
    bool truncated;
    const char *result_id;
};
extern const struct type answer_query_type, answer_query_tool_type;

struct receipt {
    const char *schema_fingerprint, *policy_version, *semantics_version;
    const char *plan_hash, *sql_hash, *row_hash, *engine_version;
    int64_t at_us;
};
extern const struct type receipt_type;

/* A plan that an answer ran or offers: what a tile or a choice runs again. */
struct answer_plan {
    const char *datasource_id;
    const struct query *plan;
    const char *reading;     /* the plan in words */
    const char *fingerprint; /* of the schema it was made for */
};

struct answer {
    int status; /* enum run_status */
    struct answer_text *answer;
    struct list sub_queries; /* struct answer_query */
    bool truncated;
    const char *source;   /* verified | generated */
    struct list warnings; /* struct answer_note */
    struct list errors;   /* struct answer_note */
    const char *trace_id, *conversation_id;
    struct clarification *clarification;
    double confidence;
    struct list explanation; /* const char *: how the question was read, in plain words */
    struct raw chart;        /* a chart spec, see charts/; REST only */
    struct receipt *receipt;
    /* Not encoded: for conversations and dashboards. */
    struct list plans; /* struct answer_plan, beside clarification.options, or one for the answer */
};
extern const struct type answer_type, answer_tool_type;

enum run_status { RUN_SUCCESS, RUN_PLAN_ONLY, RUN_NEEDS_CLARIFICATION, RUN_NEEDS_APPROVAL, RUN_STOPPED, RUN_ERROR };
extern const char *const run_status_names[]; /* success plan_only needs_clarification … NULL */

#endif
