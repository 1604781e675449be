/* lexicon: words that mean the same or a kind of the same, from WordNet. Read in place from one blob that train/ makes;
 * consulted only for words that no name of the schema explains by itself. */
#ifndef QUERENT_LEXICAL_LEXICON_H
#define QUERENT_LEXICAL_LEXICON_H

#include "call.h"

#define LEXICON_MAGIC 0x4c585731u /* "1WXL" */

/* Words by the hash of their stem, ascending; of word i the senses[offsets[i] .. offsets[i + 1]), the first own[i] of
 * them its own, the rest those that its own are kinds of. */
struct lexicon {
    uint32_t count;
    const uint32_t *hashes, *offsets;
    const uint16_t *senses;
    const uint8_t *own;
};

enum likeness { LIKE_NOTHING, LIKE_KIND, LIKE_SAME };

/* The lexicon the binary carries; empty when it carries none. */
void lexicon_open(struct lexicon *out);
/* Where a word stands, or `count`. */
uint32_t lexicon_find(const struct lexicon *x, uint32_t hash);
enum likeness lexicon_like(const struct lexicon *x, uint32_t a, uint32_t b);

#endif
