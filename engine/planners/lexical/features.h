/* features: hashed, binary, sparse descriptions of a linked question for the linear models. The trainer and the planner
 * read the same functions, so what was learned is what is used. */
#ifndef QUERENT_LEXICAL_FEATURES_H
#define QUERENT_LEXICAL_FEATURES_H

#include "planners/lexical/cues.h"
#include "planners/lexical/reading.h"

#define FEATURES_MAX 1200

struct features {
    uint32_t items[FEATURES_MAX];
    size_t count;
};

/* Outputs of the column model: is the column selected, aggregated, an order key, grouped by, compared with a sub-query.
 */
enum column_role { ROLE_SELECT, ROLE_AGG, ROLE_ORDER, ROLE_GROUP, ROLE_COMPARE, COLUMN_ROLES };
/* Outputs of the table model: is it in FROM, and in the negated part (NOT IN, EXCEPT). */
enum table_role { ROLE_FROM, ROLE_NEGATED, TABLE_ROLES };
/* Outputs of the operator model. */
enum op_class {
    CLASS_EQ,
    CLASS_NE,
    CLASS_LT,
    CLASS_LE,
    CLASS_GT,
    CLASS_GE,
    CLASS_LIKE,
    CLASS_NOT_LIKE,
    CLASS_BETWEEN,
    CLASS_START,
    CLASS_END,
    OP_CLASSES
};

/* What several readers need, computed once a question. */
struct context {
    const struct linked *linked;
    const struct graph *graph;
    uint32_t *cues;          /* beside words: bits of enum cue */
    uint32_t said;           /* all of them */
    uint32_t opening[2];     /* first word, first two words */
    unsigned tables_named;   /* tables with a good mention */
    uint8_t *order;          /* beside columns: rank of its mention among the mentions of columns, 0 = none */
    uint8_t *rivals;         /* beside columns: others with a mention as good over the same words */
    uint8_t *table_strength; /* beside tables: 0 none, 1 weak, 2 part, 3 full */
};

void context_read(struct call *c, const struct linked *l, const struct graph *g, struct context *out);
/* Each empties f and fills it with what one model reads; the hashes are part of what weights were learned for. */
void features_question(const struct context *x, struct features *f);
void features_column(const struct context *x, size_t column, struct features *f);
void features_table(const struct context *x, size_t table, struct features *f);
/* column may be COLUMN_NOTHING (the span is no literal), COLUMN_HAVING or COLUMN_LIMIT. */
void features_span(const struct context *x, size_t span, const struct span_column *sc, struct features *f);
void features_operator(const struct context *x, size_t span, size_t column, struct features *f);

#endif
