/* fill: how a sketch is filled slot by slot. A beam of partial readings is extended by the options of one slot after
 * another; each file below knows some of the slots. Private to the assembly. */
#ifndef QUERENT_LEXICAL_FILL_H
#define QUERENT_LEXICAL_FILL_H

#include "planners/lexical/assemble.h"

#define BEAM        32
#define PER_SKETCH  18
#define ASSIGNMENTS 8
#define TOP_MAX     12

/* A sketch taken apart. */
struct cond_spec {
    char code; /* v b z q i n */
    char op;   /* q: = ! < l > g */
    char agg;  /* q */
    int inner; /* i n q: conditions of the sub-query */
};
struct core_spec {
    struct cond_spec where[CONDS_MAX];
    int where_count;
    bool any;
    int group_count;
    char having;
    char order[2], way[2];
    int order_count;
    char limit; /* 0 1 n */
};
struct spec {
    bool distinct;
    char items[TERMS_MAX];
    int item_count;
    struct core_spec left, right;
    char set; /* 0 I E U */
};

/* A shape to fill: four factors, seen together in training or put together from the likeliest. */
struct shape {
    uint16_t factors[4];
    bool composed;
    float joint, prior, score;
};

/* One place of a literal in a reading. */
struct pick {
    int span;
    int column; /* index into the span's columns */
};

struct partial {
    struct reading r;
    float score;
    float ahead;                          /* part of the score: what the tables needed so far will say in FROM */
    struct pick picks[CONDS_MAX * 2 + 2]; /* literals of conditions in question order */
    int pick_count;
    int having_span, limit_span;
};

struct beam { /* order[i]: where the i-th best stands, scores[i]: its score */
    struct partial items[BEAM];
    int order[BEAM];
    float scores[BEAM];
    int count;
};

/* What was worked out once for a question: operators of a span beside a class of columns, trees of a set of tables,
 * columns for a role. */
#define OP_KINDS   (CLASS_FLAG + 2) /* classes of columns, and a group's number */
#define TREES_KEPT 4
struct forest {
    int tables[TABLES_MAX + 4], count;
    struct tree trees[TREES_KEPT];
    float scores[TREES_KEPT];
    int found;
};
struct top { /* the likeliest columns for a role, best first */
    int columns[TOP_MAX], count;
    bool known;
};
struct pairs {                                  /* beside the columns to select: bits of those before it */
    unsigned rivals[TOP_MAX], fellows[TOP_MAX]; /* that are said by the same words; of the same table */
    bool known;
};

struct work {
    struct call *call;
    const struct weights *weights;
    const struct context *context;
    const struct linked *l;
    const struct graph *graph;
    const struct scores *s;
    struct beam *a, *b;                 /* now and next */
    float (*ops)[OP_KINDS][OP_CLASSES]; /* beside spans */
    bool (*ops_known)[OP_KINDS];
    struct list forests;
    struct top tops[COLUMN_ROLES][2]; /* all, and numbers only */
    struct pairs pairs;
};

float role(const struct work *w, size_t column, enum column_role r);
float table_role(const struct work *w, int table, enum table_role r);

/* The i-th best of a beam; 0 is the best. */
struct partial *nth(struct beam *b, int i);

/* Puts a copy of base with this score into the beam where it belongs; NULL when the beam is full of better ones. */
struct partial *offer(struct beam *b, const struct partial *base, float score);
bool would_keep(const struct beam *b, float score);

/* assemble.c: below 0 for a date column beside a likelier one of the same table: it is hardly meant. */
float second_date(const struct linked *l, size_t column);

/* What was next is now, and next is empty. */
void turn(struct work *w);

/* Does the column, as a key by itself, refer to the table? */
bool refers(const struct linked *l, const struct lex_column *from, size_t table);
/* Has a table a key, of however many columns, to the other? */
bool table_refers(const struct linked *l, size_t from, size_t to);

/* Into the list, best first by score; how many there are now. */
size_t keep_best(struct reading *out, size_t count, const struct reading *r);
/* traded.c: readings of a word of trade once more for each other column that it may mean. */
size_t add_traded(struct work *w, struct reading *out, size_t count);

/* family.c: equal for readings of one family. */
uint64_t family_of(const struct linked *l, const struct reading *r, bool ordered);

/* spec.c: a sketch taken apart; how many literals its conditions need. */
int literals(const struct core_spec *c);
void read_spec(const struct weights *w, const struct shape *shape, struct spec *out);
/* shapes.c: the shapes to try, likeliest first; at most SHAPES_MAX. */
#define SHAPES_MAX (SKETCHES_TRIED + SKETCHES_COMPOSED)
int top_shapes(const struct weights *w, const struct scores *s, struct shape *out);
void assign_spans(struct work *w, const struct spec *spec);

/* conditions.c: literals to conditions. Conditions of one core, in the order of the sketch; literals are taken in
 * question order; answers the next literal. */
int fill_where(struct work *w, const struct core_spec *spec, bool right, int pick);
struct core *own_sub(struct work *w, struct cond *cond);
int column_item(const struct linked *l, int table, const char *name);
enum cond_op op_of(enum op_class c);

/* slots.c: columns of select, group and order, by their roles' log-odds. */
struct term agg_term(char code, int column);

/* The best columns for a role, best first; max is at most TOP_MAX. */
int top_columns(struct work *w, enum column_role r, bool numeric, int *out, int max);
bool needs_number(char agg);
void fill_select(struct work *w, const struct spec *spec);
void having_options(struct work *w, const struct partial *p, char code, bool right);
void fill_tail(struct work *w, const struct core_spec *spec);

/* tables.c: what a column adds to the score by the table it needs: nothing when the core reads it anyway. */
float table_ahead(const struct work *w, const struct core *core, int column);
/* which tables, hung together along which keys; and second cores. */
int needed_tables(const struct linked *l, const struct core *core, int *tables);
void set_tree(struct core *core, const struct tree *t);
void fill_from(struct work *w, bool right);
bool close_subs(struct work *w, struct core *core);
void fill_right(struct work *w, const struct spec *spec, int pick);
const float *operators(struct work *w, size_t span, size_t column); /* log-probabilities of the classes */

#endif
