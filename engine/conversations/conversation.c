#include "conversations/pending.h"

#include "base/clock.h"
#include "base/id.h"
#include "policy/policy.h"
#include "schema/registry.h"

#include <string.h>

static const struct field turn_error_fields[] = {
    FIELD(struct turn_error, code, K_STR, .flags = F_REQUIRED),
    FIELD(struct turn_error, message, K_STR, .flags = F_REQUIRED),
    { 0 },
};
static const struct type turn_error_type = TYPE(struct turn_error, "TurnError", turn_error_fields);

static const struct field turn_fields[] = {
    FIELD(struct turn, index, K_INT, .flags = F_REQUIRED, .doc = "Place in the conversation, from 1."),
    FIELD(struct turn, at, K_TIME, .flags = F_REQUIRED),
    FIELD(struct turn, kind, K_STR, .flags = F_REQUIRED, .doc = "question, choice, tool or retry."),
    FIELD(struct turn, text, K_STR, .flags = F_REQUIRED, .doc = "What was typed, or the chosen option's label."),
    FIELD(struct turn, question, K_STR, .flags = F_NULL, .doc = "What ran."),
    FIELD(struct turn, rewritten, K_BOOL, .flags = F_REQUIRED),
    FIELD(struct turn, refers_to, K_RAW, .flags = F_REQUIRED,
          .of = "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}", .doc = "Turns that a follow-up drew on."),
    FIELD(struct turn, status, K_STR, .flags = F_REQUIRED,
          .doc = "answered, needs_clarification, needs_approval, stopped, error or tool."),
    FIELD(struct turn, trace_id, K_STR, .flags = F_NULL),
    FIELD(struct turn, result, K_RAW, .flags = F_NULL, .of = "{\"type\":[\"object\",\"null\"]",
          .doc = "An Answer; its rows only in the reply to the turn itself."),
    FIELD(struct turn, tool, K_RAW, .flags = F_NULL, .of = "{\"type\":[\"object\",\"null\"]"),
    FIELD(struct turn, error, K_OBJECT, .flags = F_NULL, .of = &turn_error_type),
    { 0 },
};
const struct type turn_type = TYPE(struct turn, "Turn", turn_fields);

static const struct field conversation_fields[] = {
    FIELD(struct conversation, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct conversation, tenant_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct conversation, user_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct conversation, title, K_STR, .flags = F_REQUIRED, .doc = "The first question, cut at 80 bytes."),
    FIELD(struct conversation, datasource_id, K_STR, .flags = F_NULL, .doc = "Set: every turn asks this datasource."),
    FIELD(struct conversation, created_at, K_TIME, .flags = F_REQUIRED),
    FIELD(struct conversation, updated_at, K_TIME, .flags = F_REQUIRED),
    FIELD(struct conversation, turns, K_LIST, .flags = F_REQUIRED, .of = &turn_type),
    FIELD(struct conversation, pending, K_OBJECT, .flags = F_NULL, .of = &clarification_type,
          .doc = "The question back that the last turn ended with."),
    { 0 },
};
const struct type conversation_type = TYPE(struct conversation, "Conversation", conversation_fields);

static const struct field conversation_info_fields[] = {
    FIELD(struct conversation_info, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct conversation_info, title, K_STR, .flags = F_REQUIRED),
    FIELD(struct conversation_info, updated_at, K_TIME, .flags = F_REQUIRED),
    FIELD(struct conversation_info, turns, K_INT, .flags = F_REQUIRED),
    { 0 },
};
const struct type conversation_info_type = TYPE(struct conversation_info, "ConversationInfo", conversation_info_fields);

static int missing(struct call *c)
{
    return call_fail(c, ERR_NOT_FOUND, "There is no such conversation.");
}

int conversation_load(struct call *c, struct db *store, const char *id, struct stored_conversation *out)
{
    bool found = false;
    if (!id_valid(id, "cv")) return missing(c);
    int rc = conversations_get(store, c, &c->who, id, out, &found);
    return rc ? rc : found ? OK : missing(c);
}

static void show(const struct stored_conversation *from, struct conversation *to)
{
    *to = (struct conversation){ .id = from->id,
                                 .tenant_id = from->tenant_id,
                                 .user_id = from->owner,
                                 .title = from->title,
                                 .datasource_id = from->datasource_id,
                                 .created_at = from->created_at,
                                 .updated_at = from->updated_at };
}

static int reachable(struct call *c, const struct world *w, const char *id)
{
    const struct datasource *ds = registry_get(w->registry, c, id);
    if (!ds || !policy_reaches(w->policies, &c->who, ds->snapshot))
        return call_fail_at(c, ERR_DATASOURCE_NOT_FOUND, "/datasource_id", "No datasource '%s'.", id);
    return OK;
}

int conversation_create(struct call *c, const struct world *w, struct db *store, const char *title,
                        const char *datasource_id, struct conversation *out)
{
    int64_t now = clock_utc_us();
    const struct stored_conversation v = { .id = id_new(c, "cv"),
                                           .tenant_id = c->who.tenant,
                                           .owner = c->who.user,
                                           .title = title ? title : "",
                                           .datasource_id = datasource_id,
                                           .created_at = now,
                                           .updated_at = now };
    int rc = datasource_id ? reachable(c, w, datasource_id) : OK;
    if (!rc) rc = conversations_purge(store, c, now - CONVERSATION_DAYS * 24LL * 3600 * 1000000);
    if (!rc) rc = conversations_insert(store, c, &v);
    if (!rc) show(&v, out);
    return rc;
}

static int show_turn(struct call *c, const struct stored_turn *from, struct turn *to)
{
    *to = (struct turn){ .index = from->number,
                         .at = from->at,
                         .kind = from->kind,
                         .text = from->text,
                         .question = from->question,
                         .rewritten = from->rewritten,
                         .refers_to = TURN_REFERS_TO_NONE,
                         .status = from->status,
                         .trace_id = from->trace_id,
                         .result = from->result };
    if (!from->error.text) return OK;
    const struct json *tree;
    to->error = call_alloc(c, sizeof *to->error);
    int rc = json_parse(c, from->error.text, from->error.n, &tree);
    return rc ? rc : json_decode(c, &turn_error_type, tree, to->error);
}

int conversation_get(struct call *c, struct db *store, const char *id, struct conversation *out)
{
    struct stored_conversation v = { 0 };
    struct list turns = { 0 };
    int rc = conversation_load(c, store, id, &v);
    if (!rc) rc = conversations_turns(store, c, id, &turns);
    if (rc) return rc;
    show(&v, out);
    for (size_t i = 0; !rc && i < turns.count; i++)
        rc = show_turn(c, &LIST_AT(&turns, struct stored_turn, i), list_push(c, &out->turns, sizeof(struct turn)));
    return rc ? rc : pending_show(c, &v, &out->pending);
}

int conversation_delete(struct call *c, struct db *store, const char *id)
{
    bool found = false;
    if (!id_valid(id, "cv")) return missing(c);
    int rc = conversations_delete(store, c, &c->who, id, &found);
    return rc ? rc : found ? OK : missing(c);
}

int conversation_list(struct call *c, struct db *store, int64_t before_us, const char *before_id, int64_t limit,
                      struct list *out)
{
    struct list rows = { 0 };
    int rc = conversations_list(store, c, &c->who, before_us, before_id, limit, &rows);
    for (size_t i = 0; !rc && i < rows.count; i++) {
        const struct stored_conversation *v = &LIST_AT(&rows, struct stored_conversation, i);
        struct conversation_info *info = list_push(c, out, sizeof *info);
        *info = (struct conversation_info){ v->id, v->title, v->updated_at, v->turn_count };
    }
    return rc;
}
