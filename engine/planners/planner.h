/* planner: a question -> typed plans. One file (or folder) a planner, one row in table.c; ask/ tries them in order. A
 * planner sees only the caller's view; it reaches data only through `probe`. */
#ifndef QUERENT_PLANNER_H
#define QUERENT_PLANNER_H

#include "guard/guard.h"
#include "schema/value_index.h"

struct probe_result {
    bool ok;
    int64_t rows; /* at most 200 were read */
    int64_t steps;
    const char *hash;    /* of the rows read, as a multiset; equal results have equal hashes */
    bool empty_cells;    /* every cell was NULL */
    int64_t duplicates;  /* rows equal to an earlier one */
};

struct planner_env {
    const struct datasource *datasource;
    const struct view *view;
    enum evidence evidence; /* resolved: never AUTO */
    /* Runs a plan through guard with the caller's full policy, at most step_budget engine steps. */
    int (*probe)(struct call *c, const struct planner_env *env, struct query *plan, int64_t step_budget,
                 struct probe_result *out);
    void *ctx;
};

enum verdict { VERDICT_ANSWER, VERDICT_CLARIFY, VERDICT_CANNOT };

struct candidate {
    struct query *plan;
    double confidence;      /* calibrated probability that this reading is right */
    const char *reading;    /* the plan in words: "the number of orders, for each city" */
    struct list reasons;    /* const char *: how words were read */
    const char *doubt;      /* a sentence: a value that was said is not known where it is looked for; NULL = none */
};

struct proposal {
    enum verdict verdict;
    struct list candidates; /* struct candidate, best first, at most 10; also filled for clarify and cannot */
    double fit;             /* absolute: does anything here fit the question at all, 0..1 */
    const char *question;   /* clarify: the closed question; options are the first candidates */
    size_t option_count;
    struct list missing;    /* cannot: const char *, words that nothing in the view explains */
    const char *nearest;    /* cannot: what the view has that comes nearest, in words; NULL = nothing does */
    const char *why;        /* cannot: a sentence about the question alone, when no word is to blame */
};

struct planner {
    const char *name; /* lexical model verified */
    int (*plan)(struct call *c, const struct planner_env *env, const char *question, struct proposal *out);
};

extern const struct planner *const planners[]; /* NULL-terminated, in the order ask tries them */

#endif
