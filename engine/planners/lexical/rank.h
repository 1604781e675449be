/* rank: which of the readings is meant. Dense numbers of a reading beside its rivals, sparse features of how it uses
 * the words, and what a probe found; a linear softmax over the question's readings. Equal results are one cluster. */
#ifndef QUERENT_LEXICAL_RANK_H
#define QUERENT_LEXICAL_RANK_H

#include "planners/lexical/assemble.h"
#include "planners/planner.h"

#define RANK_PROBED 12     /* readings that are run, in the order of the ranker without evidence */
#define RANK_FAILED 20.0f  /* log-odds that a reading loses which the database refused */
#define RANK_LEAST  0.005f /* and of those only the first and the ones at least this likely */

/* What running a reading showed. */
struct trial {
    bool tried, ok;
    int64_t rows; /* at most 200 were read */
    int64_t duplicates;
    bool empty_cells;
    uint64_t hash; /* equal results have equal hashes */
};

/* Learned numbers beside the sparse model; the trainer fills it, pack writes it. */
struct ranker {
    uint32_t dense_count;
    float drawn[2][DENSE_MAX];                                     /* on top of dense where a chart is asked for */
    float dense[2][DENSE_MAX], mean[DENSE_MAX], spread[DENSE_MAX]; /* [1]: with execution evidence */
    struct curve confidence[WAYS];
    uint32_t sure_count, fit_count;
    float sure[WAYS][DENSE_MAX], fit[DENSE_MAX], fit_mean[DENSE_MAX], fit_spread[DENSE_MAX];
    float answer_at[WAYS], fit_at, trust_at;
};

struct candidates {
    const struct context *context;
    const struct scores *scores;
    const struct weights *weights;
    struct reading *readings;
    size_t count;
    struct trial *evidence;    /* beside readings; all untried without execution */
    float (*dense)[DENSE_MAX]; /* beside readings */
    float *sparse;             /* sums of the sparse model */
    float *total;              /* score of the ranker */
    float *probability;        /* of the reading's cluster */
    int *cluster;              /* number of the first reading with the same result */
    int *order;                /* readings, best first; one of a cluster comes before its fellows */
};

/* candidates.c: every reading of a question with its numbers, nothing tried; then in order, without evidence. */
void candidates_open(struct call *c, const struct weights *w, struct question *q, struct candidates *out);
void candidates_rank(struct call *c, struct candidates *k);

enum way rank_way(const struct candidates *k, bool executed);
uint32_t rank_dense_count(void);
uint32_t rank_dense_plain(void); /* those that need no evidence come first */
/* Numbers that need no evidence, then those that do (rank_evidence, after the probes). */
void rank_dense(struct candidates *k);
void rank_evidence(struct candidates *k);
void rank_sparse(const struct candidates *k, size_t reading, struct features *f);
/* Scores, clusters, probabilities, order. executed chooses the weights. */
void rank_order(struct call *c, struct candidates *k, bool executed);
/* Is the n-th reading of the order one to be run, when so many before it were? False for all behind it too. */
bool rank_probed(const struct candidates *k, size_t n, size_t run);
/* Probability of all readings of the best one's family. */
float rank_family(const struct candidates *k);
/* The reading leaves something of the question: however likely, it is no answer. */
bool rank_held(const struct reading *r);
/* The best reading gives no rows, as others do that mean something else: equal results prove nothing then. */
bool rank_unproved(const struct candidates *k);
/* Sure of what is meant, where only the way to show it is open: by the probability of the best reading's family and the
 * confidence in the best reading. A chart is its showing: there it is never open. */
bool rank_meant(enum way way, float family, float confidence);
/* Where the best reading stands, and what that allows: below one threshold of fit nothing is said, below a second one
 * nothing is answered, however sure; and what is held is never answered. */
struct standing {
    enum way way;
    float fit, confidence, family;
    bool held;
};
enum verdict rank_verdict(const struct weights *w, const struct standing *s);
/* Numbers that tell whether the best reading is right. */
uint32_t rank_sure(const struct candidates *k, float out[DENSE_MAX]);
/* Weights times numbers plus the last weight, through the logistic function; 0.5 without weights. */
float rank_logistic(const float *weights, uint32_t count, const float *numbers, uint32_t n);

/* fit.c: does anything here fit the question at all? Of the best reading: its numbers, and how it explains each word.
 */
#define FIT_FAR 5.0f /* spreads from the mean; beyond, a number says no more */
struct fit {
    float numbers[DENSE_MAX];
    uint32_t count; /* 0 = there is no reading */
    struct features features;
};
void fit_read(const struct candidates *k, struct fit *out);
float fit_standard(float number, float mean, float spread);
/* Probability that the question was meant for this schema. */
float fit_of(const struct weights *w, const struct fit *x);

#endif
