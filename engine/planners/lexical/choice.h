/* choice: the closed question that is asked back when several readings may be meant. */
#ifndef QUERENT_LEXICAL_CHOICE_H
#define QUERENT_LEXICAL_CHOICE_H

#include "planners/lexical/reading.h"

/* Names the point in which the offered readings differ, when it is one and the same for all; NULL when it is more. */
const char *choice_question(struct call *c, const struct linked *l, const struct reading *readings, const int *offered,
                            size_t count);

#endif
