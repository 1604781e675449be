#include "planners/lexical/edit.h"

#include <string.h>

void edit_say(const struct edit *e, size_t p, const char *word)
{
    struct word *x = &e->words->items[p];
    x->fold = word;
    x->stem = stem_word(e->call, e->stemmer, word);
    x->hash = hash_text(x->stem);
    x->flags = (x->flags & WORD_FIRST) | (word_is_stop(word) ? WORD_STOP : 0u);
}

bool edit_insert(const struct edit *e, size_t p, const char *word)
{
    struct words *q = e->words;
    if (q->count == WORDS_MAX) return false;
    memmove(&q->items[p + 1], &q->items[p], (q->count - p) * sizeof *q->items);
    if (p == q->count) q->items[p] = p ? q->items[p - 1] : (struct word){ .text = "" };
    q->count++;
    q->items[p].number = NULL;
    edit_say(e, p, word);
    for (size_t i = 0; i < q->quote_count; i++) {
        q->quotes[i].first += q->quotes[i].first >= p;
        q->quotes[i].end += q->quotes[i].end > p;
    }
    return true;
}

void edit_cut(const struct edit *e, size_t first, size_t end)
{
    struct words *q = e->words;
    if (end > q->count) end = q->count;
    if (first >= end) return;
    size_t n = end - first;
    memmove(&q->items[first], &q->items[end], (q->count - end) * sizeof *q->items);
    q->count -= n;
    size_t kept = 0;
    for (size_t i = 0; i < q->quote_count; i++) {
        struct quote quote = q->quotes[i];
        if (quote.first < end && first < quote.end) continue;
        if (quote.first >= end) quote.first -= n, quote.end -= n;
        q->quotes[kept++] = quote;
    }
    q->quote_count = kept;
}

bool edit_replace(const struct edit *e, size_t first, size_t end, const char *text)
{
    size_t p = first;
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, " ");
        const char *word = call_strndup(e->call, s, n);
        if (p < end) {
            e->words->items[p].number = NULL;
            edit_say(e, p, word);
        } else if (!edit_insert(e, p, word)) {
            return false;
        }
        p++;
        s += n + (s[n] == ' ');
    }
    if (p < end) edit_cut(e, p, end);
    return true;
}
