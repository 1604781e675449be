/* assemble: scores of a linked question -> readings. The best sketches are filled slot by slot with a beam; every
 * result is a whole reading whose tables hang together along keys. Deterministic: fixed beams, ties by order. */
#ifndef QUERENT_LEXICAL_ASSEMBLE_H
#define QUERENT_LEXICAL_ASSEMBLE_H

#include "planners/lexical/weights.h"

#define READINGS_MAX      96
#define SKETCHES_TRIED    32
#define SKETCHES_COMPOSED 8

/* What is known of a question before any reading of it is made. */
struct question {
    struct linked linked;
    struct graph graph;
    struct context context;
    const struct turn *turn; /* turn.h: what is asked for around a plain question, NULL = nothing */
    struct question *turned; /* that plain question, when there is a turn */
};
/* candidates.c; values may be NULL. */
void question_read(struct call *c, const struct view *view, const struct value_index *values, const char *text,
                   int64_t now_us, const struct weights *w, struct question *out);

struct scores {
    float *sketch; /* log-probability of each output of the sketch model within its factor */
    float *column; /* COLUMN_ROLES beside columns: log-odds */
    float *table;  /* TABLE_ROLES beside tables: log-odds */
};

/* Also fills the span columns' scores: log-probabilities over the span's columns and nothing. */
void score_question(struct call *c, const struct weights *w, const struct context *x, struct linked *l,
                    struct scores *out);
void score_operator(const struct weights *w, const struct context *x, size_t span, size_t column,
                    float out[OP_CLASSES]);

/* Weighs the words that nothing explains; those that need no explanation leave the unexplained ones. */
void link_explained(struct linked *l, const struct weights *w);

/* Best first by score; at most READINGS_MAX, no two equal. */
size_t assemble(struct call *c, const struct weights *w, const struct context *x, const struct scores *s,
                struct reading *out);

#endif
