/* train: learns the lexical planner's weights from questions with gold SQL. Not part of the product: it links the
 * planner's own readers, so what is learned is what is used. One call holds everything; nothing is freed before the
 * end. */
#ifndef QUERENT_TRAIN_H
#define QUERENT_TRAIN_H

#include "cli/measure/gold.h"
#include "cli/measure/gold_chart.h"
#include "planners/lexical/rank.h"
#include "sql/sql.h"

#define FOLDS 5

struct database {
    const char *name;
    const struct datasource *source;
    const struct view *view;
    const struct value_index *values;
    struct gold_db *gold[2]; /* one a thread */
    int fold;
    size_t questions;
};

/* A result as a few numbers: equal results have equal signatures. */
struct signature {
    uint64_t rows, values, sequence;
    uint32_t columns, count;
    bool known;
};
struct signature signature_of(struct call *c, const struct gold_rows *r);

struct example {
    const char *id, *question, *sql;
    int database, fold;
    bool synonyms;   /* the reworded variant: stage one learns from it, nothing is measured on it */
    bool unmeasured; /* of the reworded: readings are made for a third only */
    bool chart;      /* asks for a chart: learned from, and measured apart */
    bool binned;     /* a chart of dates in bins */
    bool runs;       /* the gold runs */
    bool ordered;
    struct signature golds[CHART_GOLDS_MAX]; /* any of them is right */
    size_t gold_count;
    struct linked linked;
    struct graph graph;
    struct context context;
    bool labelled;
    struct reading label;
    char sketch[SKETCH_MAX];
};

struct corpus {
    struct call *call;
    struct database *databases;
    size_t database_count;
    struct example *examples;
    size_t count;
    int64_t now_us;
};

struct options {
    const char *data, *weights_out, *cache, *dump, *charts;
    const char *field; /* member of a line that holds the question that is measured */
    size_t limit;
    int least_databases; /* a feature must be seen in so many */
    bool synonyms, no_charts;
    bool no_values; /* ablation: as if nothing were known of the data */
};

/* Writes the planner's lexicon from the files of WordNet in `folder` and a file of word vectors, or NULL. */
int lexicon_make(struct call *c, const char *folder, const char *vectors, const char *path);

int database_load(struct call *c, const char *folder, const char *name, struct database *out);
int corpus_load(struct call *c, const struct options *o, struct corpus *out);

/* Gold plan -> reading. False when the grammar of readings cannot say it. */
bool label_read(struct call *c, const struct linked *l, const struct graph *g, const struct query *q,
                struct reading *out);
void label_example(struct corpus *k, struct example *e);

/* A learned linear model before it is packed. */
struct learned {
    uint32_t *hashes; /* of its features */
    size_t features;
    uint32_t outputs;
    float *weights; /* features x outputs */
    float *bias;
};

/* What a sample teaches: which outputs are right. */
enum loss { LOSS_SOFTMAX, LOSS_BINARY, LOSS_LIST };
struct sample {
    const uint32_t *features;
    uint32_t count;
    int database;
    int example;
    int32_t labels[5]; /* SOFTMAX: right output of each factor, -1 = not known; BINARY: bit mask in [0] */
    uint32_t list;     /* LIST: samples of one list share this */
    bool right;        /* LIST */
};
struct learn_options {
    enum loss loss;
    uint32_t outputs;
    const uint32_t *factors; /* SOFTMAX: first output of each factor, count + 1 numbers */
    uint32_t factor_count;
    int epochs, least_databases;
    float rate, l2;
};
void learn(struct call *c, const struct learn_options *o, const struct sample *samples, size_t count,
           struct learned *out);

/* The next of a fixed sequence, 24 bits: what is learned is the same every time. */
uint32_t random_next(uint32_t *state);

struct sketches { /* inventory of factors and joint sketches */
    const char **names;
    uint32_t first[6];
    uint16_t *joint;
    float *prior;
};
void sketches_collect(struct corpus *k, int without_fold, struct sketches *out);

struct stage_one {
    struct sketches sketches;
    struct learned models[MODELS];
};
/* Learns every model of stage one from the examples outside the fold (-1: from all). */
void stage_one_learn(struct corpus *k, const struct options *o, int without_fold, struct stage_one *out);
/* What the planner makes of a question with given weights, and how each reading does on the database. */
struct run_result {
    size_t count;
    float (*dense)[DENSE_MAX];
    struct trial *all, *evidence; /* of every reading; of those that would be probed */
    struct reading *readings;
    bool *right;
    const char **sql;
    uint32_t **sparse; /* count first, then the features */
    size_t unexplained;
    float doubt, doubt_most;
    int shape;     /* rank of the gold's shape among those tried, -1 = not tried */
    bool unplaced; /* a literal of the gold stands nowhere in the question */
    bool drawn;    /* a chart is asked for */
};
struct cache;
struct cache *cache_open(struct call *c, const char *path);
void cache_save(struct cache *k, const char *path);
/* Runs every example with the weights of its fold on two threads; results beside the examples. */
void candidates_run(struct corpus *k, const struct weights *by_fold, struct cache *cache, struct run_result *out);

/* How the ranked readings of a question do. */
struct outcome {
    bool counted, right, top3, none; /* none: no reading at all */
    bool trusted;                    /* fits well enough to be answered */
    bool drawn;                      /* not counted, but a chart in so many words */
    int best;                        /* reading that was chosen */
    bool held;                       /* it leaves something of the question: it is never answered */
    float probability, family;
    uint32_t sure_count;
    float sure[DENSE_MAX];
};
bool outcome_of_way(const struct outcome *o, enum way way);
/* Is the best reading right? Learns it, and replaces each outcome's probability by the out-of-fold estimate; of the
 * outcomes of one way. */
void learn_sure(struct corpus *k, struct outcome *outcomes, enum way way, struct ranker *out);
void outcome_of(struct call *c, const struct weights *w, const struct run_result *r, bool executed,
                struct outcome *out);
/* Isotonic map from the probability of the chosen result to how often it is right. */
void calibrate(struct call *c, const struct outcome *outcomes, size_t count, enum way way, struct curve *out);
/* Least confidence at which the trusted answers are right as often as wanted. */
float threshold_for(struct call *c, const struct outcome *outcomes, size_t count, enum way way, const struct curve *v,
                    double precision, double *coverage);
/* Learns whether anything fits from questions put to their own database, to others and to their own without a column
 * that they need; prints what is refused out of fold. fit_at keeps all but `loss` of the right answers; `trusted` of
 * the outcomes says which questions fit well enough to be answered without asking back. */
struct fit_cases;
struct fit_cases *settle_fit(struct corpus *k, const struct weights *by_fold, struct outcome *const outcomes[2],
                             double loss, struct ranker *out, struct learned *sparse);
/* Prints how often the product would answer the cases without asking back. */
void report_answered(const struct fit_cases *cases, const struct ranker *r);
#define FIT_PRUNED 0.01f /* lesser weights of the model of fit do not ship */

/* Learns dense and sparse weights from the examples outside the fold; first without evidence, then, once the probed
 * readings are chosen by those, with it. The sparse weights are learned once. */
struct learner;
struct learner *ranker_learn_plain(struct corpus *k, const struct run_result *runs, int without_fold,
                                   struct ranker *out, struct learned *sparse);
void ranker_learn_executed(struct corpus *k, const struct run_result *runs, int without_fold,
                           const struct learner *plain, struct ranker *out);
/* Prints how much of what golds read is kept when the questions are put to all databases as one schema. */
void recall_report(const struct corpus *k, bool verbose);
/* Leaves the evidence of the readings that the planner would probe with these weights. */
void probe_choice(struct call *c, const struct weights *w, struct run_result *r);

/* The blob that the planner reads. ranker may be NULL while there is none. */
const void *weights_pack(struct call *c, const struct stage_one *s, const struct ranker *r, float threshold, size_t *n);

#endif
