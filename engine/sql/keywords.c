#include "sql/keywords.h"

#include <string.h>

#define LONGEST 24

static const struct {
    const char *text;
    uint8_t n;
    uint8_t flags;
} rows[KW_COUNT] = { { "", 0, 0 },
#define X(name, text, flags) { text, sizeof(text) - 1, flags },
                     KEYWORDS(X)
#undef X
};

uint16_t keyword_find(const char *word, size_t n)
{
    char lower[LONGEST];
    if (n < 2 || n >= LONGEST) return KW_NONE;
    for (size_t i = 0; i < n; i++) {
        char ch = word[i];
        if (ch >= 'A' && ch <= 'Z') ch = (char)(ch | 0x20);
        lower[i] = ch;
    }
    size_t low = 1, high = KW_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2, held = rows[middle].n;
        int order = memcmp(lower, rows[middle].text, n < held ? n : held);
        if (order == 0 && n == held) return (uint16_t)middle;
        if (order < 0 || (order == 0 && n < held))
            high = middle;
        else
            low = middle + 1;
    }
    return KW_NONE;
}

bool keyword_reserved(uint16_t keyword)
{
    return keyword < KW_COUNT && (rows[keyword].flags & WORD_RESERVED);
}
bool keyword_ends_alias(uint16_t keyword)
{
    return keyword < KW_COUNT && rows[keyword].flags != 0;
}
