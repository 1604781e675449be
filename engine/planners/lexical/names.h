/* names: a name of a table or column as words: split where its author wrote words together (stuid), each word with its
 * stem and with what it abbreviates. Private to the reading of a view (schema.c). */
#ifndef QUERENT_LEXICAL_NAMES_H
#define QUERENT_LEXICAL_NAMES_H

#include "planners/lexical/link.h"

/* Words that were read before in names of the same view: names share most of theirs. */
struct vocabulary {
    struct call *call;
    struct stemmer *stemmer;
    struct list words; /* struct name_word */
    uint32_t *slots;   /* number + 1, 0 = empty; a power of two, never half full */
    size_t size;
};

/* At most NAME_WORDS_MAX words into out, without weights. key: the column is one, so that aid is a and id. */
size_t name_read(struct vocabulary *v, const char *name, bool key, struct name_word *out);

#endif
