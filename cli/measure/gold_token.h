/* gold_token: the text of a gold query cut into words, quotes and marks, each with the brackets around it. Comments and
 * blanks fall away. Nothing here needs the text to be right. */
#ifndef QUERENT_CLI_GOLD_TOKEN_H
#define QUERENT_CLI_GOLD_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

struct gold_token {
    const char *at;
    size_t n;  /* 0 = the end */
    int depth; /* brackets around it */
    bool word;
};

/* The next token from *at on, which moves behind it; *depth is 0 at first. */
struct gold_token gold_token_next(const char **at, int *depth);
bool gold_token_is(const struct gold_token *t, const char *word); /* without case */
bool gold_token_is_set(const struct gold_token *t);               /* UNION, INTERSECT, EXCEPT */

#endif
