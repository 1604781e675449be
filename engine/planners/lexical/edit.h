/* edit: words put in the place of others before anything is linked: notes made into sentences, the plain question that
 * a turn leaves. What stays keeps its place in the question as it was written. */
#ifndef QUERENT_LEXICAL_EDIT_H
#define QUERENT_LEXICAL_EDIT_H

#include "base/words.h"

struct edit {
    struct call *call;
    struct stemmer *stemmer; /* open */
    struct words *words;     /* items has room for WORDS_MAX */
};

/* The p-th word is this one, in its place. */
void edit_say(const struct edit *e, size_t p, const char *word);
/* A further word before the p-th, in its place of the question; false when there is no room. */
bool edit_insert(const struct edit *e, size_t p, const char *word);
/* Those of the words [first, end) that there are. */
void edit_cut(const struct edit *e, size_t first, size_t end);
/* The words [first, end) become those of the text, which are split at blanks; none when it is empty. */
bool edit_replace(const struct edit *e, size_t first, size_t end, const char *text);

#endif
