#include "domain/answer.h"

const char *const run_status_names[] = { "success", "plan_only", "needs_clarification", "needs_approval", "stopped",
                                         "error",   NULL };

static const struct field answer_note_fields[] = {
    FIELD(struct answer_note, code, K_STR, .flags = F_REQUIRED, .doc = "Stable code in capitals."),
    FIELD(struct answer_note, node, K_STR, .flags = F_NULL, .doc = "Step that reported it."),
    FIELD(struct answer_note, message, K_STR, .flags = F_REQUIRED, .doc = "Text that may be shown."),
    { 0 },
};
const struct type answer_note_type = TYPE(struct answer_note, "AnswerNote", answer_note_fields);

static const struct field answer_text_fields[] = {
    FIELD(struct answer_text, summary, K_STR, .flags = F_REQUIRED, .doc = "One sentence that states the answer."),
    FIELD(struct answer_text, content, K_STR, .flags = F_REQUIRED,
          .doc = "The sentence and its first rows, as Markdown."),
    { 0 },
};
const struct type answer_text_type = TYPE(struct answer_text, "AnswerText", answer_text_fields);

static const struct field answer_option_fields[] = {
    FIELD(struct answer_option, id, K_STR, .flags = F_REQUIRED, .doc = "Send this as `choice`."),
    FIELD(struct answer_option, label, K_STR, .flags = F_REQUIRED, .doc = "The reading in words."),
    { 0 },
};
const struct type answer_option_type = TYPE(struct answer_option, "AnswerOption", answer_option_fields);

static const struct field clarification_fields[] = {
    FIELD(struct clarification, question, K_STR, .flags = F_REQUIRED, .doc = "What to choose between."),
    FIELD(struct clarification, options, K_LIST, .flags = F_REQUIRED, .of = &answer_option_type),
    { 0 },
};
const struct type clarification_type = TYPE(struct clarification, "Clarification", clarification_fields);

static const struct field answer_column_fields[] = {
    FIELD(struct answer_column, name, K_STR, .flags = F_REQUIRED),
    FIELD(struct answer_column, type, K_STR, .flags = F_REQUIRED,
          .doc = "Type of the plan: integer, decimal, text, date …"),
    FIELD(struct answer_column, db_type, K_STR, .flags = F_NULL, .doc = "Type as the database reports it."),
    FIELD(struct answer_column, encoding, K_STR, .flags = F_REQUIRED,
          .doc =
              "number: JSON numbers; text: strings; mixed: integers within 2^53-1 as numbers, the rest as exact text."),
    FIELD(struct answer_column, nullable, K_BOOL, .flags = F_REQUIRED),
    FIELD(struct answer_column, approximate, K_BOOL, .doc = "The engine keeps this decimal as a binary float."),
    FIELD(struct answer_column, sources, K_STRINGS, .flags = F_REQUIRED,
          .doc = "Base columns it comes from, as table.column."),
    { 0 },
};
const struct type answer_column_type = TYPE(struct answer_column, "AnswerColumn", answer_column_fields);

#define ROWS_SCHEMA "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"array\"}"

#define QUERY_HEAD                                                                                                     \
    FIELD(struct answer_query, id, K_STR, .flags = F_REQUIRED),                                                        \
        FIELD(struct answer_query, datasource_id, K_STR, .flags = F_REQUIRED),                                         \
        FIELD(struct answer_query, sql, K_STR, .flags = F_REQUIRED,                                                    \
              .doc = "The SQL that ran, in the engine's dialect."),                                                    \
        FIELD(struct answer_query, columns, K_STRINGS, .flags = F_REQUIRED)
#define QUERY_TAIL                                                                                                     \
    FIELD(struct answer_query, rows, K_RAW, .flags = F_NULL, .of = ROWS_SCHEMA,                                        \
          .doc = "The first 20 rows. Integers within 2^53-1 are numbers; other exact numbers are text."),              \
        FIELD(struct answer_query, total_rows, K_INT, .flags = F_REQUIRED),                                            \
        FIELD(struct answer_query, truncated, K_BOOL, .flags = F_REQUIRED,                                             \
              .doc = "Rows were cut, at 20 here or at the row ceiling.")

static const struct field answer_query_fields[] = {
    QUERY_HEAD,
    FIELD(struct answer_query, column_types, K_LIST, .flags = F_REQUIRED, .of = &answer_column_type),
    QUERY_TAIL,
    FIELD(struct answer_query, result_id, K_STR, .flags = F_NULL, .doc = "Pages and exports the stored rows."),
    { 0 },
};
const struct type answer_query_type = TYPE(struct answer_query, "AnswerQuery", answer_query_fields);

static const struct field answer_query_tool_fields[] = { QUERY_HEAD, QUERY_TAIL, { 0 } };
const struct type answer_query_tool_type = TYPE(struct answer_query, "AnswerToolQuery", answer_query_tool_fields);

static const struct field receipt_fields[] = {
    FIELD(struct receipt, schema_fingerprint, K_STR, .flags = F_REQUIRED),
    FIELD(struct receipt, policy_version, K_STR, .flags = F_REQUIRED),
    FIELD(struct receipt, semantics_version, K_STR, .flags = F_NULL),
    FIELD(struct receipt, plan_hash, K_STR, .flags = F_REQUIRED,
          .doc = "SHA-256 of the bound plan before access rules."),
    FIELD(struct receipt, sql_hash, K_STR, .flags = F_REQUIRED, .doc = "SHA-256 of the SQL that ran."),
    FIELD(struct receipt, row_hash, K_STR, .flags = F_NULL, .doc = "Of the rows as a multiset."),
    FIELD(struct receipt, engine_version, K_STR, .flags = F_REQUIRED),
    { .name = "at", .kind = K_TIME, .offset = offsetof(struct receipt, at_us), .flags = F_REQUIRED },
    { 0 },
};
const struct type receipt_type = TYPE(struct receipt, "Receipt", receipt_fields);

#define ANSWER_STATUS                                                                                                  \
    FIELD(struct answer, status, K_ENUM, .flags = F_REQUIRED, .of = run_status_names),                                 \
        FIELD(struct answer, answer, K_OBJECT, .flags = F_NULL, .of = &answer_text_type)
#define ANSWER_TAIL                                                                                                    \
    FIELD(struct answer, truncated, K_BOOL, .flags = F_REQUIRED),                                                      \
        FIELD(struct answer, source, K_STR, .flags = F_NULL, .doc = "verified or generated."),                         \
        FIELD(struct answer, warnings, K_LIST, .flags = F_REQUIRED, .of = &answer_note_type),                          \
        FIELD(struct answer, errors, K_LIST, .of = &answer_note_type),                                                 \
        FIELD(struct answer, trace_id, K_STR, .flags = F_REQUIRED), FIELD(struct answer, conversation_id, K_STR),      \
        FIELD(struct answer, clarification, K_OBJECT, .of = &clarification_type)

static const struct field answer_fields[] = {
    ANSWER_STATUS,
    FIELD(struct answer, sub_queries, K_LIST, .flags = F_REQUIRED, .of = &answer_query_type),
    ANSWER_TAIL,
    FIELD(struct answer, confidence, K_NUMBER,
          .doc = "Calibrated probability that the question was read right, 0 to 1."),
    FIELD(struct answer, explanation, K_STRINGS, .doc = "How the question was read."),
    FIELD(struct answer, chart, K_RAW, .of = "{\"type\":\"object\"", .doc = "A ChartSpec."),
    FIELD(struct answer, receipt, K_OBJECT, .of = &receipt_type),
    { 0 },
};
const struct type answer_type = TYPE(struct answer, "Answer", answer_fields);

static const struct field answer_tool_fields[] = {
    ANSWER_STATUS,
    FIELD(struct answer, sub_queries, K_LIST, .flags = F_REQUIRED, .of = &answer_query_tool_type),
    ANSWER_TAIL,
    { 0 },
};
const struct type answer_tool_type = TYPE(struct answer, "AnswerTool", answer_tool_fields);
