/* reading: one way to understand a question, small enough to make by the hundred: a core query (select, where, group,
 * having, order, limit over a tree of keys), perhaps combined with a second one. Columns are items of `struct linked`.
 * reading_plan() turns it into a typed plan; nothing else leaves this room. All memory is the call's. */
#ifndef QUERENT_LEXICAL_READING_H
#define QUERENT_LEXICAL_READING_H

#include "buf.h"
#include "planners/lexical/link.h"

#define TERMS_MAX  6
#define CONDS_MAX  4
#define TABLES_MAX 6
#define SKETCH_MAX 96

enum agg { AGG_NONE, AGG_COUNT, AGG_SUM, AGG_AVG, AGG_MIN, AGG_MAX };

struct term {
    enum agg agg;
    bool distinct;
    int column; /* item, or TERM_STAR */
};
#define TERM_STAR (-1)

enum cond_op {
    COND_EQ,
    COND_NE,
    COND_LT,
    COND_LE,
    COND_GT,
    COND_GE,
    COND_LIKE,
    COND_NOT_LIKE,
    COND_BETWEEN,
    COND_RANGE,
    COND_NULL,
    COND_NOT_NULL,
    COND_IN,
    COND_NOT_IN /* sub */
};

struct core;
struct cond {
    enum cond_op op;
    struct term left;
    int span, span2;            /* where the literal stands in the question; -1 = nowhere */
    const char *value, *value2; /* RANGE: bounds, either may be NULL */
    struct core *sub;           /* IN, NOT_IN, or a comparison with a single aggregate */
};

struct order_term {
    struct term term;
    bool desc;
};

struct edge {
    int owner, other; /* tables: the owner has the foreign key */
    const struct foreign_key *key;
    int said; /* words of the key's own that the question has: home of home_team_id */
};

struct core {
    bool distinct;
    struct term items[TERMS_MAX];
    int item_count;
    struct cond where[CONDS_MAX];
    int where_count;
    bool any; /* conditions are joined by or */
    int group[2];
    int group_count;
    struct cond having;
    bool has_having;
    struct order_term order[2];
    int order_count;
    int limit; /* 0 = none */
    int limit_span;
    int tables[TABLES_MAX];
    int table_count;
    const struct edge *edges[TABLES_MAX]; /* table_count - 1, each ties a new table to earlier ones */
};

/* The shape by itself; the shape with all that fills it. */
enum part { PART_SKETCH, PART_FILLED, PART_COUNT };

enum set_kind { SET_NONE, SET_AND, SET_MINUS, SET_EITHER };

struct reading {
    struct core left, right;
    enum set_kind set;
    uint16_t factors[4];     /* outputs of the sketch model: select, where, tail, set */
    bool composed;           /* of factors that were never seen together */
    float joint, prior;      /* log-probability of the four together, and before any question */
    float score;             /* stage 1: sum of log-odds */
    float grammar;           /* what rules of grammar add to the ranking: times, grains, what is absent */
    bool ignores;            /* leaves undone what the question asks for in so many words: per, average, not */
    int leaves;              /* a word that has to mean something and is left; -1 = none */
    uint16_t faults;         /* bits of enum fault: what it adds though nobody asked for it, or leaves undone */
    uint64_t family;         /* equal for readings that mean the same and only show it otherwise */
    float parts[PART_COUNT]; /* of the score, for the ranker */
    const struct turned *turned; /* turn.h: what is made of it, NULL = nothing */
    bool unturned; /* a turn is asked for that its form does not allow: it is a rival, and never told */
};

/* The key graph of the view. */
struct graph {
    struct edge *edges;
    size_t edge_count;
    size_t *first; /* edges by table: list[first[t]..first[t+1]) */
    int *list;
};
void graph_build(struct call *c, const struct linked *l, struct graph *out);

struct tree {
    int tables[TABLES_MAX];
    const struct edge *edges[TABLES_MAX];
    int table_count;
};
/* Smallest trees of keys that hold all `tables`; alternatives (parallel keys, equal paths) follow. 0 when there is
 * none. */
size_t graph_trees(struct call *c, const struct linked *l, const struct graph *g, const int *tables, int count,
                   struct tree *out, size_t max);

/* The typed plan, unchecked; and the reading as a phrase: "the number of orders for each channel". */
struct query *reading_plan(struct call *c, const struct linked *l, const struct reading *r);
const char *reading_words(struct call *c, const struct linked *l, const struct reading *r);
/* A term with its table: "the total amount of payments". */
const char *term_words(struct call *c, const struct linked *l, const struct core *core, const struct term *t);
/* Is the column one of the items, as it is? */
bool core_shows(const struct core *core, int column);
bool term_equal(const struct term *a, const struct term *b);
/* The table whose rows are those of the core's join: the one that others only refer from. */
int core_counted(const struct core *core);
/* The table whose rows are in the join once each, when there is one for sure; -1: two tables refer to the others. */
int core_rows_of(const struct core *core);
/* A half-open range as people say it: in 2025, in March 2025, on 2025-03-01, from 2025-03-01 to 2025-03-09. */
void range_words(struct buf *b, const char *from, const char *to);
/* Shape of a reading without its slots: "select/where/tail/set". */
void reading_sketch(const struct reading *r, char out[SKETCH_MAX]);
/* The four factors of a sketch text. */
void sketch_split(const char *sketch, char select[SKETCH_MAX], char where[SKETCH_MAX], char tail[SKETCH_MAX],
                  char set[SKETCH_MAX]);
/* Equal readings have equal keys. */
uint64_t reading_key(const struct reading *r);

#endif
