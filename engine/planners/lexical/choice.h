/* choice: the closed question that is asked back when several readings may be meant, and which readings it offers. */
#ifndef QUERENT_LEXICAL_CHOICE_H
#define QUERENT_LEXICAL_CHOICE_H

#include "planners/lexical/reading.h"

/* Names the point in which two readings differ, when it is only one; NULL when it is more. */
const char *choice_question(struct call *c, const struct linked *l, const struct reading *a, const struct reading *b);

#endif
