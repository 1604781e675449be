#include "mcp/tools/tool.h"

extern const struct op op_ask, op_list_datasources, op_describe_table, op_run_query, op_validate_sql, op_get_schema;
extern const struct type ask_tool_in_type, answer_tool_type, datasources_tool_in_type, datasources_tool_type,
    run_query_tool_type, run_query_meta_type;

const struct tool tools[] = {
    { &op_ask, "Ask a question",
      "Answers a question about the connected databases in plain language. Returns a sentence, the rows (first 20) and "
      "the SQL that was run. When status is needs_clarification, call again with conversation_id and choice, without "
      "question.",
      &ask_tool_in_type, &answer_tool_type, NULL, TOOL_STATUS },
    { &op_list_datasources, "List datasources",
      "Lists the databases this caller can ask about, with id, type, description and status.",
      &datasources_tool_in_type, &datasources_tool_type, NULL, TOOL_READ_ONLY | TOOL_IDEMPOTENT },
    { &op_describe_table, "Describe a table",
      "Describes one table: columns with types and keys, foreign keys, row count. An unknown table answers not_found "
      "with the tables there are.",
      NULL, NULL, NULL, TOOL_READ_ONLY | TOOL_IDEMPOTENT },
    { &op_get_schema, "Get the schema for a question",
      "Lists the tables and columns a question is about. Read it before writing SQL.", NULL, NULL, NULL,
      TOOL_READ_ONLY | TOOL_IDEMPOTENT },
    { &op_run_query, "Run a read-only SQL query",
      "Runs one SELECT statement in the datasource's SQL dialect, with plain table names. Rows are capped; truncated "
      "says so. A refused statement answers with what to change.",
      NULL, &run_query_tool_type, &run_query_meta_type, TOOL_READ_ONLY | TOOL_IDEMPOTENT },
    { &op_validate_sql, "Check a SQL query",
      "Says whether run_query would take a statement, with the errors to mend. Nothing runs.", NULL, NULL, NULL,
      TOOL_READ_ONLY | TOOL_IDEMPOTENT },
    { 0 },
};
