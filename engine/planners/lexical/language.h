/* language: questions are read in English; one in another language is told from its function words, before it can be
 * taken for an English one that shares some names with it. */
#ifndef QUERENT_LEXICAL_LANGUAGE_H
#define QUERENT_LEXICAL_LANGUAGE_H

#include "planners/lexical/link.h"

/* The language's English name when the question is in another one, "another language" when only its letters tell;
 * NULL = it may be English. */
const char *language_foreign(const struct linked *l);

#endif
