/* turn_create: one more question in a conversation, answered and stored. */
#include "conversations/conversation.h"
#include "ops/op.h"

struct turn_in {
    const char *id, *text, *choice, *planner;
    bool execute;
};
static const struct field turn_in_fields[] = {
    FIELD(struct turn_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the conversation."),
    FIELD(struct turn_in, text, K_STR, .min = 1, .max = QUESTION_BYTES,
          .doc = "The question; either this or `choice`."),
    FIELD(struct turn_in, choice, K_STR, .min = 1, .max = 400, .doc = "Id of an option of the pending question back."),
    FIELD(struct turn_in, execute, K_BOOL, .def = "true", .doc = "false: plan and show the SQL, run nothing."),
    FIELD(struct turn_in, planner, K_STR, .max = 64, .def = "auto", .doc = "auto, or the name of a planner."),
    { 0 },
};
static const struct type turn_in_type = TYPE(struct turn_in, "TurnCreate", turn_in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct turn_in *in = vin;
    struct answer answer = { 0 };
    struct turn_request request = {
        .text = in->text, .choice = in->choice, .planner = in->planner, .execute = in->execute
    };
    return conversation_turn(c, c->world, e->store, in->id, &request, vout, &answer);
}

extern const struct op op_turn_create;
const struct op op_turn_create = { .name = "turn_create",
                                   .doc = "Asks the next question of a conversation, or answers its question back.",
                                   .level = LEVEL_VIEWER,
                                   .flags = OP_WRITES | OP_STREAMS | OP_DATA,
                                   .in = &turn_in_type,
                                   .out = &turn_type,
                                   .run = run };
