/* ask: question -> answer. ask.c is the sequence: admit, route, retrieve, plan, check, access, render, opinion, cost,
 * execute, combine, answer, chart, record. */
#ifndef QUERENT_ASK_H
#define QUERENT_ASK_H

#include "domain/world.h"
#include "planners/planner.h"

struct db;

struct ask_request {
    const char *question;
    const char *datasource_id; /* NULL = route */
    bool execute;              /* false = plan_only */
    const char *planner;       /* auto | lexical | model; NULL = auto */
    struct query *plan;        /* set = run this plan (a tile, a chosen option) and skip planning */
    const char *conversation_id;
};

/* Types of an answer are in domain/answer.h: what REST, MCP and the command line show. */
struct answer;
int ask_question(struct call *c, const struct world *w, struct db *store, const struct ask_request *r, struct answer *out);

#endif
