/* conversation: questions in order, each a turn that is stored with its answer (without rows). Only the owner, tenant
 * and user, can see one; to anybody else it does not exist. One turn at a time: the second is CONVERSATION_BUSY. */
#ifndef QUERENT_CONVERSATION_H
#define QUERENT_CONVERSATION_H

#include "ask/ask.h"
#include "store/conversations.h"

#define TITLE_BYTES       80
#define TURNS_MAX         50
#define CONVERSATION_DAYS 30

struct turn_error {
    const char *code, *message;
};

struct turn {
    int64_t index; /* 1-based */
    int64_t at;
    const char *kind; /* question choice tool retry */
    const char *text, *question;
    bool rewritten;
    struct raw refers_to; /* array of turn indexes; a turn stands for itself until follow-ups are rewritten */
    const char *status;   /* answered needs_clarification needs_approval stopped error tool */
    const char *trace_id;
    struct raw result; /* the answer; its rows only in the reply to the turn itself */
    struct raw tool;
    struct turn_error *error; /* of a turn without a result */
};

#define TURN_REFERS_TO_NONE                                                                                            \
    {                                                                                                                  \
        "[]", 2                                                                                                        \
    }

struct conversation {
    const char *id, *tenant_id, *user_id, *title, *datasource_id;
    int64_t created_at, updated_at;
    struct list turns; /* struct turn */
    struct clarification *pending;
};

struct conversation_info {
    const char *id, *title;
    int64_t updated_at, turns;
};
extern const struct type turn_type, conversation_type, conversation_info_type;

/* Exactly one of text and choice. */
struct turn_request {
    const char *text, *choice, *planner;
    bool execute;
};

/* datasource_id set: every turn asks it. ERR_DATASOURCE_NOT_FOUND when it is out of reach. */
int conversation_create(struct call *c, const struct world *w, struct db *store, const char *title,
                        const char *datasource_id, struct conversation *out);
/* ERR_NOT_FOUND for an unknown or foreign id. */
int conversation_get(struct call *c, struct db *store, const char *id, struct conversation *out);
int conversation_delete(struct call *c, struct db *store, const char *id);
/* Latest first: list of struct conversation_info. */
int conversation_list(struct call *c, struct db *store, int64_t before_us, const char *before_id, int64_t limit,
                      struct list *out);
/* Runs and stores one turn. `answer` is what the run gave back (status error without sub_queries when it could not
 * run); blocks like ask_question. */
int conversation_turn(struct call *c, const struct world *w, struct db *store, const char *id,
                      const struct turn_request *request, struct turn *out, struct answer *answer);

#endif
