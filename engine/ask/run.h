/* run: one question on its way through the steps. Each step is a file and a function that returns OK or a code; a step
 * that has decided the outcome sets `done`. */
#ifndef QUERENT_ASK_RUN_H
#define QUERENT_ASK_RUN_H

#include "ask/ask.h"
#include "results/results.h"

/* A datasource that may answer, as the caller sees it. */
struct ask_source {
    const struct datasource *datasource;
    const struct view *view;
    int64_t score; /* how much of the question its names and values explain */
};

#define SOURCES_MAX 3 /* that planners are asked about */

struct run {
    struct call *call;
    const struct world *world;
    struct db *store;
    const struct ask_request *request;
    struct answer *out;
    bool done;

    struct list sources; /* struct ask_source, best first */
    bool hides;          /* the policy keeps something here from the caller */

    const struct ask_source *source;
    struct proposal proposal;
    struct query *plan;
    const char *reading; /* the plan in words */
    const char *doubt;   /* of the reading: a value that is not known, as a sentence */
    struct guarded *guarded;

    struct recorder rows; /* open from execute to the end of the run */
    bool recording;
    struct run_stats stats;
    struct receipt *receipt;
    const char *result_id;
};

int ask_admit(struct run *r);
int ask_route(struct run *r);
int ask_plan(struct run *r);
int ask_check(struct run *r);
int ask_execute(struct run *r);
int ask_answer(struct run *r);
int ask_chart(struct run *r);
int ask_record(struct run *r);

/* probe.c: what planners get to look at data with. */
int ask_probe(struct call *c, const struct planner_env *env, struct query *plan, int64_t step_budget,
              struct probe_result *out);

/* outcome.c: the call's error becomes the answer's, in words that may be shown; the true reason goes to the audit note.
 */
void ask_failed(struct run *r, const char *node);
/* The question cannot be answered from the view; p says why, NULL = nothing more is known. Returns the code. */
int ask_cannot(struct run *r, const struct proposal *p);
/* What is missing; else why the text is no question; else, all of its words being known, the nearest reading. */
const char *ask_missing(struct call *c, const struct proposal *p);
struct answer_note *ask_note(struct run *r, struct list *notes, const char *code, const char *node,
                             const char *message);

/* sentence.c: the answer in words. */
struct answer_text *ask_sentence(struct call *c, const char *reading, const struct recorder *rows,
                                 const struct run_stats *stats);

#endif
