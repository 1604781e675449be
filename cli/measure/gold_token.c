#include "cli/measure/gold_token.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static size_t quoted_end(const char *s)
{
    char close = *s == '[' ? ']' : *s;
    size_t i = 1;
    while (s[i] && s[i] != close) i++;
    return i + (s[i] != 0);
}

static const char *skip_blank(const char *p)
{
    for (;;) {
        while (isspace((unsigned char)*p)) p++;
        if (p[0] == '-' && p[1] == '-') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else {
            return p;
        }
    }
}

struct gold_token gold_token_next(const char **at, int *depth)
{
    const char *p = skip_blank(*at);
    struct gold_token t = { .at = p, .depth = *depth };
    if (isalpha((unsigned char)*p) || *p == '_' || (unsigned char)*p >= 0x80) {
        while (isalnum((unsigned char)p[t.n]) || p[t.n] == '_' || p[t.n] == '$' || (unsigned char)p[t.n] >= 0x80) t.n++;
        t.word = true;
    } else if (*p && strchr("'\"`[", *p)) {
        t.n = quoted_end(p);
    } else if (*p) {
        t.n = 1;
        if (*p == '(') ++*depth;
        if (*p == ')') t.depth = --*depth;
    }
    *at = p + t.n;
    return t;
}

bool gold_token_is(const struct gold_token *t, const char *word)
{
    return t->n == strlen(word) && strncasecmp(t->at, word, t->n) == 0;
}

bool gold_token_is_set(const struct gold_token *t)
{
    return gold_token_is(t, "union") || gold_token_is(t, "intersect") || gold_token_is(t, "except");
}
