/* faults: what a reading adds though nobody asked for it, and what it leaves undone. To add a fault: a row here, and in
 * faults_of() what counts it. Private to the judging of readings. */
#ifndef QUERENT_LEXICAL_FAULTS_H
#define QUERENT_LEXICAL_FAULTS_H

#include "planners/lexical/intent.h"

enum fault {
    FAULT_TWICE,  /* the same shown or read twice */
    FAULT_ADDED,  /* an aggregate that nothing asks for */
    FAULT_SORTED, /* an order or a limit that nothing asks for */
    FAULT_SET,    /* two sides where one was asked for, or two that are the same */
    FAULT_DENIED, /* a denial that nobody spoke */
    FAULT_MISSED, /* average, total, how many, not: said and not done */
    FAULT_UNGROUPED,
    FAULT_COLUMN,  /* a column that nobody named and that names nothing */
    FAULT_STRANGE, /* the same of a table that nobody named */
    FAULT_TABLE,   /* a table that nobody named and nothing needs */
    FAULT_WEAKER,  /* what a word asks for less than another column does: the cost for expensive */
    FAULT_DATE,    /* a date beside the likelier one */
    FAULT_FAR,     /* a date that has nothing to do with what is dated */
    FAULT_LOST,    /* values, numbers and yes-or-no that are left */
    FAULTS
};

/* Counts of each fault; f is FAULTS long and zero. */
void faults_of(const struct intent *a, const struct reading *r, int *f);

/* faults_dates.c: times told of a date that is not the likeliest in its table, or of several units. */
int faults_of_dates(const struct intent *a, const struct core *core);
/* Births that nobody spoke of, dates far from the sum that is dated. */
int faults_far_dates(const struct linked *l, const struct core *core);
/* Ages told of what has none. */
int faults_ages(const struct linked *l, const struct core *core);
/* The newest, by what tells no time. */
bool faults_untimed(const struct intent *a, const struct core *core);

#endif
