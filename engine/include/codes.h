/* codes: every stable code a client may see. One row: name, HTTP status, retryable, public text.
 * The public text stands in for the message when the message may not leave (see reply rules in ARCHITECTURE.md). */
#ifndef QUERENT_CODES_H
#define QUERENT_CODES_H

#include <stdbool.h>

#define ERR_CODES(X)                                                                                                   \
    X(INVALID_REQUEST, 400, false, "The request is not well formed.")                                                  \
    X(MALFORMED_JSON, 400, false, "The body is not valid JSON.")                                                       \
    X(CURSOR_INVALID, 400, false, "The cursor is invalid or has expired.")                                             \
    X(UNAUTHENTICATED, 401, false, "A valid credential is required.")                                                  \
    X(FORBIDDEN, 403, false, "This operation is not open to the caller.")                                              \
    X(HOST_NOT_ALLOWED, 403, false, "The Host header names a host that is not served here.")                           \
    X(ORIGIN_NOT_ALLOWED, 403, false, "The Origin is not on the list of allowed origins.")                             \
    X(NOT_FOUND, 404, false, "There is no such object.")                                                               \
    X(DATASOURCE_NOT_FOUND, 404, false, "There is no such datasource.")                                                \
    X(METHOD_NOT_ALLOWED, 405, false, "The method is not allowed here.")                                               \
    X(REQUEST_TIMEOUT, 408, true, "The request body did not arrive in time.")                                          \
    X(CONFLICT, 409, false, "The object is in a state that does not allow this.")                                      \
    X(CONVERSATION_BUSY, 409, true, "A turn of this conversation is already running.")                                 \
    X(MANAGED_BY_FILE, 409, false, "This object is defined by the configuration file and is read-only here.")          \
    X(PAYLOAD_TOO_LARGE, 413, false, "The request body is too large.")                                                 \
    X(UNSUPPORTED_MEDIA_TYPE, 415, false, "Send application/json.")                                                    \
    X(VALIDATION_ERROR, 422, false, "A value is not acceptable.")                                                      \
    X(NOT_INDEXED, 422, false, "The datasource has not been indexed yet.")                                             \
    X(TILE_NOT_PINNABLE, 422, false, "This turn cannot be pinned as a tile.")                                          \
    X(SECRET_VALUE_IN_CONFIG, 422, false, "A secret stands in the configuration as a literal value.")                  \
    X(CLARIFICATION_INVALID, 422, false, "This is not one of the options.")                                            \
    X(CLARIFICATION_STALE, 409, false, "The question back is out of date; ask again.")                                 \
    X(NOTHING_PENDING, 422, false, "Nothing in this conversation is waiting for a choice.")                            \
    X(RATE_LIMITED, 429, true, "Too many requests.")                                                                   \
    X(BUSY, 503, true, "All connections are in use; try again.")                                                       \
    X(UNAVAILABLE, 503, true, "The service is not available now.")                                                     \
    X(DATASOURCE_UNAVAILABLE, 503, true, "The datasource cannot be reached now.")                                      \
    X(INTERNAL_ERROR, 500, false, "Something went wrong inside; the trace id finds it.")                               \
    X(CANCELLED, 499, true, "The request was cancelled.")                                                              \
    X(PIPELINE_TIMEOUT, 504, true, "The question took too long and was stopped.")                                      \
    X(POLICY_CHANGED, 409, true, "The policy changed while this was running.")                                         \
    X(SCHEMA_CHANGED, 409, true, "The structure of the database changed; it is read anew. Ask again.")                 \
    X(LIMIT_EXCEEDED, 422, false, "A ceiling was reached.")                                                            \
    X(SECURITY_VIOLATION, 403, false, "You do not have permission to see the data this question requires.")            \
    X(QUESTION_NOT_ANSWERABLE, 422, false, "The data here cannot answer this question.")                               \
    X(INVALID_PLAN_STRUCTURE, 422, true, "The plan is not well formed.")                                               \
    X(PLAN_NOT_SUPPORTED, 422, false, "The plan says something that this edition does not do yet.")                    \
    X(NUMBER_AS_TEXT, 422, true, "Write a number with a fraction as a string of digits.")                              \
    X(UNSUPPORTED_FUNCTION, 422, true, "The function is not available.")                                               \
    X(TABLE_NOT_FOUND, 422, true, "There is no such table.")                                                           \
    X(COLUMN_NOT_FOUND, 422, true, "There is no such column.")                                                         \
    X(AMBIGUOUS_NAME, 422, true, "The name is ambiguous.")                                                             \
    X(STAR_NEEDS_COLUMNS, 422, true, "Name the columns; * is not available for this table.")                           \
    X(TYPE_MISMATCH, 422, true, "The types do not fit.")                                                               \
    X(INVALID_DATE_FORMAT, 422, true, "The text is not a date.")                                                       \
    X(INVALID_NUMERIC_VALUE, 422, true, "The text is not a number.")                                                   \
    X(WRONG_ARITY, 422, true, "The number of arguments or columns does not fit.")                                      \
    X(MISSING_GROUP_BY, 422, true, "A column is neither grouped nor aggregated.")                                      \
    X(UNGROUPED_COLUMN, 422, false, "A column is neither grouped nor aggregated; any of its values is shown.")         \
    X(AGGREGATE_NOT_ALLOWED, 422, true, "An aggregate is not allowed here.")                                           \
    X(WINDOW_NOT_ALLOWED, 422, true, "A window function is not allowed here.")                                         \
    X(FAN_OUT, 422, true, "A measure is counted more than once by a join.")                                            \
    X(DISCONNECTED_JOIN, 422, true, "Two tables are joined without a condition.")                                      \
    X(UNKNOWN_RELATIONSHIP, 422, true, "The join is not along a known relationship.")                                  \
    X(PLAN_TOO_LARGE, 422, false, "The plan is too large.")                                                            \
    X(SQL_PARSE_ERROR, 422, true, "The SQL could not be parsed.")                                                      \
    X(SQL_NOT_ALLOWED, 422, false, "Only SELECT queries are allowed.")                                                 \
    X(GUARD_DISAGREEMENT, 403, false, "The statement was refused.")                                                    \
    X(EXECUTION_FAILED, 422, false, "The database could not run the query.")                                           \
    X(EXECUTION_TIMEOUT, 504, true, "The query took too long and was stopped.")                                        \
    X(COST_LIMIT_REACHED, 422, false, "The query would cost too much.")                                                \
    X(NEEDS_APPROVAL, 422, false, "A person must approve this first.")                                                 \
    X(HOOK_DENIED, 403, false, "A hook denied the run.")                                                               \
    X(PROVIDER_FAILED, 502, true, "The language model could not be reached.")                                          \
    X(LLM_LIMIT_REACHED, 422, false, "The budget for model calls is used up.")                                         \
    X(CONFIG_INVALID, 422, false, "The configuration is not valid.")                                                   \
    X(STORE_FAILED, 503, true, "The store could not be written or read.")

enum err_code {
    OK = 0,
#define X(name, status, retryable, text) ERR_##name,
    ERR_CODES(X)
#undef X
        ERR_COUNT
};

struct code_row {
    const char *name;
    int status;
    bool retryable;
    const char *text;
};

/* The row of a code; code 0 answers a row named "OK". Never NULL. */
const struct code_row *code_row(enum err_code code);

#endif
