/* intent: what a question asks for, beside the names in it; and which of its words a reading uses. For the judging of
 * readings (normalise.c, faults.c, dominance.c) and for what is told of them. */
#ifndef QUERENT_LEXICAL_INTENT_H
#define QUERENT_LEXICAL_INTENT_H

#include "planners/lexical/features.h"

#define CUE_BIT(cue) (UINT32_C(1) << (cue))

struct intent {
    const struct context *x;
    const struct linked *l;
    uint32_t said;  /* cues */
    uint32_t plain; /* cues outside of names: those that have to be done */
    bool open;      /* some word may mean what no cue says */
    bool much;      /* how much */
    bool which;     /* which, what, when */
    bool empty;     /* names nothing */
    bool joined;    /* and, also, as well */
    bool person;    /* who, whose */
    bool who;       /* begins with who: somebody is to be shown */
    bool grouped;   /* per, for each, by, in each: something is to be done for each of a kind */
    size_t group_at;
    bool old, young; /* oldest, first; newest, latest: which end of a time is meant */
    bool dated;      /* by a word that says nothing but a time: the newest */
    bool aged;       /* said as an age: the oldest, with the earliest date, is no lowest */
    bool most;       /* some superlative may mean a count */
    int denials;     /* words that deny */
};

void intent_read(const struct context *x, struct intent *a);
/* Surely part of a name of the view. */
bool intent_names(const struct linked *l, size_t p);
/* The words that name the column are those that name its table: reviews for the date they were reviewed on. */
bool only_table_said(const struct linked *l, const struct lex_column *col);
/* Denials that a core does; inside: also those within its sub-queries, where one within a denied set is none. */
int core_denials(const struct linked *l, const struct core *core, bool inside);
/* 1 = the first part of a person's name, 2 = the last, 0 = neither. */
int name_part(const struct lex_column *col);

/* amiss.c: does the reading answer another question, though it uses the words of this one? */
bool reading_amiss(const struct intent *a, const struct reading *r);
/* Conditions on keys that nobody means: not among all there are, above a number that is said of something else. */
bool core_void(const struct linked *l, const struct core *core);
/* A word that is no name here and says nothing of its own where it stands: the amount paid, but not paid orders. */
bool word_is_idle(const struct linked *l, size_t p);
/* A word for arithmetic that no reading does: the difference, the percentage. */
bool word_reckons(const char *fold);

struct covered {
    uint8_t words[WORDS_MAX];
};
/* Adds the words that mentions, a column or a core use. */
void cover(struct covered *v, const struct mention *list, size_t count);
void cover_column(const struct linked *l, int column, struct covered *v);
void cover_core(const struct linked *l, const struct core *core, struct covered *v);

#endif
