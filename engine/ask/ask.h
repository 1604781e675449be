/* ask: question -> answer. ask.c is the sequence: admit, route, plan, check, execute, answer, chart, record. A failure
 * on the way is an answer with status error and a message that may be shown; the functions here return a code only when
 * there can be no answer at all. Each blocks as long as the database does, up to the call's deadline. */
#ifndef QUERENT_ASK_H
#define QUERENT_ASK_H

#include "domain/answer.h"
#include "domain/world.h"
#include "planners/planner.h"

struct db;

#define QUESTION_BYTES 4000

struct ask_request {
    const char *question;
    const char *datasource_id; /* NULL = route */
    bool execute;              /* false = plan_only */
    const char *planner;       /* auto | a name of planners/table.c; NULL = auto */
    struct query *plan;        /* set = run this plan (a tile, a chosen option) on datasource_id and skip planning */
    const char *reading;       /* of that plan, in words */
    const char *chart;         /* kind of chart; NULL = auto */
    const char *conversation_id;
};

/* ERR_VALIDATION_ERROR for a question or planner that is none; else OK and the outcome in `out`. */
int ask_question(struct call *c, const struct world *w, struct db *store, const struct ask_request *r,
                 struct answer *out);

#endif
