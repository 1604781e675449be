/* words: text as words: folded, stemmed, with numbers, quotes and capitals marked. Nothing blocks; all memory is the
 * call's. The same code reads schema names, so a name and a question meet in the same form. */
#ifndef QUERENT_WORDS_H
#define QUERENT_WORDS_H

#include "buf.h"
#include "call.h"

enum {
    WORD_NUMBER = 1,      /* digits, or a number word with `number` set */
    WORD_NUMBER_WORD = 2, /* two, once */
    WORD_CAPITAL = 4,     /* begins with a capital letter */
    WORD_QUOTED = 8,      /* stands inside quotes */
    WORD_STOP = 16,       /* a function word: never a mention by itself */
    WORD_MARK = 32,       /* punctuation */
    WORD_DATE = 64,       /* 2025-03-01 */
    WORD_FIRST = 128,     /* first word of the question or of a sentence */
    WORD_DRAWN = 256      /* says how a result is to be drawn, never what of: bar chart, x axis */
};

struct word {
    const char *text; /* as written */
    const char *fold; /* NFKC, case folded, without marks */
    const char *stem;
    uint32_t hash;     /* of stem */
    size_t begin, end; /* bytes of the question */
    unsigned flags;
    const char *number; /* digits of a number, else NULL */
};

struct quote {
    size_t first, end; /* words */
    const char *text;  /* between the marks, as written */
};

#define WORDS_MAX  120
#define QUOTES_MAX 12

struct words {
    const char *text;
    struct word *items;
    size_t count;
    struct quote quotes[QUOTES_MAX];
    size_t quote_count;
    bool truncated; /* more than WORDS_MAX words */
};

struct stemmer;
struct stemmer *stemmer_open(struct call *c); /* one a call, one thread */
void stemmer_close(struct stemmer *s);
const char *stem_word(struct call *c, struct stemmer *s, const char *folded);

/* Case folded, compatibility-normalised, without accents. Invalid UTF-8 comes back lower-cased ASCII. */
const char *fold_text(struct call *c, const char *s, size_t n);
void words_read(struct call *c, struct stemmer *s, const char *text, struct words *out);
/* An identifier (customerID, first_name, fname2) as at most `max` words; s NULL = unstemmed. */
size_t name_words(struct call *c, struct stemmer *s, const char *name, struct word *out, size_t max);
/* "total_amount" and "totalAmount" are spoken "total amount". */
void name_spoken(struct buf *b, const char *name);
bool word_is_stop(const char *folded);
/* Is it a word of the list, whose words stand between blanks, also at both ends? */
bool word_listed(const char *list, const char *fold);
bool word_in_list(const struct words *q, size_t p, const char *list); /* the p-th; false beyond the end */

uint32_t hash_text(const char *s);
uint32_t hash_pair(uint32_t a, uint32_t b);

#endif
