/* weights: the learned numbers, read in place from one immutable blob: sparse linear models (feature hash -> a row of
 * small integers by output), the list of sketches, the ranker, the calibration. Written by train/, checked when opened.
 */
#ifndef QUERENT_LEXICAL_WEIGHTS_H
#define QUERENT_LEXICAL_WEIGHTS_H

#include "planners/lexical/features.h"

#define WEIGHTS_MAGIC   0x4c585131u /* "1QXL" */
#define WEIGHTS_VERSION 6

enum model_id {
    MODEL_SKETCH,
    MODEL_COLUMN,
    MODEL_TABLE,
    MODEL_SPAN,
    MODEL_OPERATOR,
    MODEL_RANKER,
    MODEL_DOUBT,
    MODEL_FIT,
    MODELS
};

/* A feature's row: entries[offsets[slot] .. offsets[slot + 1]). The slots are an open-addressed table of any size,
 * never full; hash 0 is empty. */
struct model {
    uint32_t outputs, size;
    float scale;
    const float *bias;
    const uint32_t *slots, *offsets;
    const uint8_t *step; /* beside value: from the output before it in the row, the first from 0 */
    const int8_t *value;
};

#define DENSE_MAX 192
/* How a question was ranked: by values or executed, and whether it asks for a chart. Each is as sure of itself as
 * experience with its like says. */
enum way { WAY_VALUES, WAY_EXECUTED, WAY_VALUES_DRAWN, WAY_EXECUTED_DRAWN, WAYS };
struct curve { /* piecewise linear, x ascending */
    uint32_t count;
    float x[24], y[24];
};

struct weights {
    struct model models[MODELS];
    /* Sketch outputs: the four factors' classes one after another, then the joint sketches. */
    uint32_t factor_first[6]; /* select, where, tail, set, joint, end */
    const char *const *names; /* beside outputs */
    const uint16_t *joint;    /* of each joint sketch: its four factors, as outputs */
    const float *joint_prior;
    uint32_t dense_count;
    const float *dense[2], *mean, *spread; /* ranker: with and without execution evidence */
    const float *drawn[2];                 /* what is added to them where a chart is asked for */
    struct curve confidence[WAYS];
    uint32_t sure_count, fit_count;
    const float *sure[WAYS]; /* logistic: is the best reading right; bias last; confidence maps what it says */
    /* Does anything fit: on numbers beside MODEL_FIT, which has the bias. */
    const float *fit, *fit_mean, *fit_spread;
    /* Thresholds: confidence to answer, fit to ask back, fit to answer. */
    float answer_at[WAYS], fit_at, trust_at;
};

/* Reads a blob that outlives the struct; the name list is the call's. ERR_INTERNAL_ERROR when it is not one. The
 * header's checksum is for tests and the trainer: summing megabytes at each question would cost more than planning. */
uint32_t weights_checksum(const void *blob, size_t n); /* of all bytes behind the header */
#define WEIGHTS_HEADER_BYTES 16
int weights_open(struct call *c, const void *blob, size_t n, struct weights *out);
/* The first slot to look for a hash. */
uint32_t weights_slot(uint32_t hash, uint32_t size);
/* out[i] = bias[i] + scale * sum of the features' entries for output i. */
void model_sums(const struct model *m, const struct features *f, float *out);
/* How much a word that nothing explains speaks against an answer: 0 for what questions everywhere use beside names and
 * values (highest, per, show), towards 1 for what names explain wherever it is said (salary, where there is none). */
float word_doubt(const struct weights *w, const struct word *x);
#define DOUBT_LEAST 0.13f /* below it nothing has to explain the word */
float curve_at(const struct curve *v, float x);

#endif
