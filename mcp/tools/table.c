#include "mcp/tools/tool.h"

extern const struct op op_ask, op_list_datasources, op_describe_table;
extern const struct type ask_tool_in_type, answer_tool_type, datasources_tool_type;

const struct tool tools[] = {
    { &op_ask, "Ask a question",
      "Answers a question about the connected databases in plain language. Returns a sentence, the rows (first 20) and "
      "the "
      "SQL that was run. When status is needs_clarification, call again with conversation_id and choice.",
      &ask_tool_in_type, &answer_tool_type, TOOL_STATUS },
    { &op_list_datasources, "List datasources",
      "Lists the databases this caller can ask about, with id, type, description and status.", NULL,
      &datasources_tool_type, TOOL_READ_ONLY | TOOL_IDEMPOTENT },
    { &op_describe_table, "Describe a table",
      "Describes one table: columns with types and keys, foreign keys, row count. An unknown table answers not_found "
      "with "
      "the tables there are.",
      NULL, NULL, TOOL_READ_ONLY | TOOL_IDEMPOTENT },
    { 0 },
};
