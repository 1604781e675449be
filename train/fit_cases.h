/* fit_cases: questions put to their own database, to another one, and to their own without a column that they need.
 * Private to the learning of fit. */
#ifndef QUERENT_TRAIN_FIT_CASES_H
#define QUERENT_TRAIN_FIT_CASES_H

#include "train/train.h"

struct fit_case {
    enum { FIT_OWN, FIT_STRANGE, FIT_REMOVED, FIT_KINDS } kind;
    const struct example *example;
    const struct database *database;
    bool right;   /* the question is answered rightly */
    bool counted; /* measured, not only learned from */
    bool twin;    /* of a removed column: another is called so */
    struct fit *read;
    /* of the best reading by values: */
    float *sure;
    uint32_t sure_count;
    float family;
    bool held;
    double fit; /* log-odds, out of fold */
};

struct fit_cases {
    struct list list;
    struct call *call;
    double trust_at; /* log-odds */
};

/* The cases of every measured example; outcomes stand beside the examples. */
void fit_cases_make(struct corpus *k, const struct outcome *outcomes, struct fit_cases *out);
/* What the planner makes of each with the weights of its example's fold. */
void fit_cases_read(const struct corpus *k, const struct weights *by_fold, struct fit_case *cases, size_t count);

#endif
