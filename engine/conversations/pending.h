/* pending: the question back that a conversation waits on, with the plan behind each option. A choice runs that plan
 * and nothing else, as the caller, through the same checks. */
#ifndef QUERENT_PENDING_H
#define QUERENT_PENDING_H

#include "conversations/conversation.h"

struct pending_option {
    const char *id, *label;
    const struct json *plan;
};

struct pending {
    const char *question; /* that was asked */
    const char *ask;      /* the question back */
    const char *datasource_id, *fingerprint;
    struct list options; /* struct pending_option */
};

/* The caller's own; else ERR_NOT_FOUND. */
int conversation_load(struct call *c, struct db *store, const char *id, struct stored_conversation *out);

/* What an answer that asks back leaves to be stored; no text when it does not ask. */
int pending_write(struct call *c, const char *question, const struct answer *a, struct raw *out);
/* *out NULL when nothing waits. */
int pending_read(struct call *c, const struct stored_conversation *v, struct pending **out);
int pending_show(struct call *c, const struct stored_conversation *v, struct clarification **out);
/* By id, else by label, without case; NULL when there is none. */
const struct pending_option *pending_find(const struct pending *p, const char *choice);

#endif
