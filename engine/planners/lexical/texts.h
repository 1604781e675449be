/* texts: what is no question about data, told before anything is planned. */
#ifndef QUERENT_LEXICAL_TEXTS_H
#define QUERENT_LEXICAL_TEXTS_H

#include "planners/lexical/link.h"

/* Why the text cannot be a question, as a sentence; NULL = it may be one. */
const char *text_no_question(struct call *c, const struct linked *l);

#endif
