/* ask: a question in plain language, answered from the data the caller may read. */
#include "conversations/conversation.h"
#include "ops/op.h"

struct ask_in {
    const char *question, *datasource_id, *conversation_id, *choice, *planner;
    bool execute, open_conversation;
};

static const struct field ask_in_fields[] = {
    FIELD(struct ask_in, question, K_STR, .min = 1, .max = QUESTION_BYTES,
          .doc = "The question in plain language. Left out when `choice` is sent."),
    FIELD(struct ask_in, datasource_id, K_STR, .max = 64,
          .doc = "Ask this datasource; left out, the fitting one is found."),
    FIELD(struct ask_in, conversation_id, K_STR, .max = 64, .doc = "Makes it the next turn of this conversation."),
    FIELD(struct ask_in, choice, K_STR, .max = 400,
          .doc = "Id of an option of the last clarification; needs conversation_id."),
    FIELD(struct ask_in, execute, K_BOOL, .def = "true", .doc = "false: plan and show the SQL, run nothing."),
    FIELD(struct ask_in, planner, K_STR, .max = 64, .def = "auto", .doc = "auto, or the name of a planner."),
    FIELD(struct ask_in, open_conversation, K_BOOL, .def = "false",
          .doc = "Without conversation_id: begin a conversation with this question."),
    { 0 },
};
static const struct type ask_in_type = TYPE(struct ask_in, "AskRequest", ask_in_fields);

/* What the tool of this name takes: a client there has no other way to begin a conversation. */
static const struct field ask_tool_in_fields[] = {
    FIELD(struct ask_in, question, K_STR, .min = 1, .max = QUESTION_BYTES,
          .doc = "The question in plain language. Left out when `choice` is sent."),
    FIELD(struct ask_in, datasource_id, K_STR, .max = 64,
          .doc = "Ask this datasource; left out, the fitting one is found."),
    FIELD(struct ask_in, conversation_id, K_STR, .max = 64, .doc = "Makes it the next turn of this conversation."),
    FIELD(struct ask_in, choice, K_STR, .max = 400,
          .doc = "Id of an option of the last clarification; needs conversation_id."),
    FIELD(struct ask_in, execute, K_BOOL, .flags = F_HIDDEN, .def = "true"),
    FIELD(struct ask_in, planner, K_STR, .flags = F_HIDDEN, .def = "auto"),
    FIELD(struct ask_in, open_conversation, K_BOOL, .flags = F_HIDDEN, .def = "true"),
    { 0 },
};
extern const struct type ask_tool_in_type;
const struct type ask_tool_in_type = TYPE(struct ask_in, "AskToolRequest", ask_tool_in_fields);

static int as_turn(struct engine *e, struct call *c, const struct ask_in *in, const char *id, struct answer *out)
{
    struct turn turn = { 0 };
    struct turn_request request = {
        .text = in->question, .choice = in->choice, .planner = in->planner, .execute = in->execute
    };
    int rc = conversation_turn(c, c->world, e->store, id, &request, &turn, out);
    if (rc || !turn.error) return rc;
    out->status = RUN_ERROR;
    out->trace_id = c->trace_id;
    out->conversation_id = id;
    struct answer_note *note = list_push(c, &out->errors, sizeof *note);
    *note = (struct answer_note){ .code = turn.error->code, .node = "choice", .message = turn.error->message };
    return OK;
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct ask_in *in = vin;
    struct answer *out = vout;
    if (in->choice && !in->conversation_id)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/choice", "'choice' needs 'conversation_id'.");
    if (in->conversation_id) {
        if (!in->question == !in->choice)
            return call_fail_at(c, ERR_VALIDATION_ERROR, "/choice", "Send either 'question' or 'choice'.");
        if (in->datasource_id)
            return call_fail_at(c, ERR_VALIDATION_ERROR, "/datasource_id",
                                "A conversation keeps its own datasource; leave 'datasource_id' out.");
        return as_turn(e, c, in, in->conversation_id, out);
    }
    if (!in->question) return call_fail_at(c, ERR_VALIDATION_ERROR, "/question", "'question' is required.");
    if (in->open_conversation) {
        struct conversation v = { 0 };
        int rc = conversation_create(c, c->world, e->store, NULL, in->datasource_id, &v);
        if (!rc) return as_turn(e, c, in, v.id, out);
        if (rc != ERR_DATASOURCE_NOT_FOUND) return rc;
        call_forgive(c); /* the run itself says so, as a result */
    }
    struct ask_request request = {
        .question = in->question, .datasource_id = in->datasource_id, .execute = in->execute, .planner = in->planner
    };
    return ask_question(c, c->world, e->store, &request, out);
}

extern const struct op op_ask;
const struct op op_ask = {
    .name = "ask",
    .doc = "Answers a question in plain language with rows, a sentence, a chart and the SQL that ran.",
    .level = LEVEL_VIEWER,
    .flags = OP_WRITES | OP_STREAMS | OP_DATA,
    .in = &ask_in_type,
    .out = &answer_type,
    .run = run
};
