/* conversation_create: a place for questions that follow each other. */
#include "conversations/conversation.h"
#include "ops/op.h"

struct create_in {
    const char *title, *datasource_id;
};
static const struct field create_in_fields[] = {
    FIELD(struct create_in, title, K_STR, .min = 1, .max = 200,
          .doc = "Left out, the first question becomes the title."),
    FIELD(struct create_in, datasource_id, K_STR, .max = 64, .doc = "Every turn asks this datasource."),
    { 0 },
};
static const struct type create_in_type = TYPE(struct create_in, "ConversationCreate", create_in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct create_in *in = vin;
    struct conversation *out = vout;
    int rc = conversation_create(c, c->world, e->store, in->title, in->datasource_id, out);
    c->audit.object_id = out->id;
    return rc;
}

extern const struct op op_conversation_create;
const struct op op_conversation_create = { .name = "conversation_create",
                                           .doc = "Begins a conversation of the caller.",
                                           .level = LEVEL_VIEWER,
                                           .flags = OP_WRITES,
                                           .in = &create_in_type,
                                           .out = &conversation_type,
                                           .run = run };
