/* lexicon: words that mean the same, a kind of the same, or stand in the same company, from WordNet's senses and from
 * word vectors. Read in place from one blob that train/ makes; consulted only for words that no name of the schema
 * explains by itself. */
#ifndef QUERENT_LEXICAL_LEXICON_H
#define QUERENT_LEXICAL_LEXICON_H

#include "call.h"

#define LEXICON_MAGIC 0x4c585732u /* "2WXL" */

/* Words by the hash of their stem, ascending. Of word i: senses[offsets[i] .. offsets[i + 1]), the first own[i] of them
 * its own, the rest those that its own are kinds of; fellows[from[i] .. from[i + 1]), numbers of words, the first
 * close[i] of them close ones. */
struct lexicon {
    uint32_t count;
    const uint32_t *hashes, *offsets, *from;
    const uint16_t *senses, *fellows;
    const uint8_t *own, *close;
};

enum likeness { LIKE_NOTHING, LIKE_FELLOW, LIKE_KIND, LIKE_CLOSE, LIKE_SAME };

/* The lexicon the binary carries; empty when it carries none. */
void lexicon_open(struct lexicon *out);
/* Where a word stands, or `count`. */
uint32_t lexicon_find(const struct lexicon *x, uint32_t hash);
enum likeness lexicon_like(const struct lexicon *x, uint32_t a, uint32_t b);

#endif
