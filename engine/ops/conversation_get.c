/* conversation_get: a conversation with all its turns. */
#include "conversations/conversation.h"
#include "ops/op.h"

struct get_in {
    const char *id;
};
static const struct field get_in_fields[] = {
    FIELD(struct get_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 64, .doc = "Id of the conversation."),
    { 0 },
};
static const struct type get_in_type = TYPE(struct get_in, "ConversationId", get_in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct get_in *in = vin;
    return conversation_get(c, e->store, in->id, vout);
}

extern const struct op op_conversation_get;
const struct op op_conversation_get = { .name = "conversation_get",
                                        .doc = "A conversation of the caller with its turns.",
                                        .level = LEVEL_VIEWER,
                                        .flags = 0,
                                        .in = &get_in_type,
                                        .out = &conversation_type,
                                        .run = run };
