/* Where the question says the name of a table or column, and how well. */
#include "planners/lexical/link.h"

#include <string.h>

/* How one word of a name meets one word of the question. */
static bool is_prefix(const char *shorter, const char *longer, size_t least)
{
    size_t n = strlen(shorter);
    return n >= least && n < strlen(longer) && strncmp(shorter, longer, n) == 0;
}

/* One edit (replace, insert, delete, swap of neighbours) apart; first letters must agree. */
static bool one_edit(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), i = 0;
    if (n < m) {
        const char *t = a;
        size_t k = n;
        a = b, b = t, n = m, m = k;
    }
    if (n - m > 1 || m < 5 || a[0] != b[0]) return false;
    while (i < m && a[i] == b[i]) i++;
    if (n != m) return strcmp(a + i + 1, b + i) == 0;
    if (i == n) return false;
    if (strcmp(a + i + 1, b + i + 1) == 0) return true;
    return i + 1 < n && a[i] == b[i + 1] && a[i + 1] == b[i] && strcmp(a + i + 2, b + i + 2) == 0;
}

/* Quality of name word w at question word p; *used = words of the question it takes. */
static float match_word(const struct words *q, const struct name_word *w, size_t p, size_t *used)
{
    const struct word *x = &q->items[p];
    *used = 1;
    if (x->flags & (WORD_MARK | WORD_DATE)) return 0;
    if (x->hash == w->hash && strcmp(x->stem, w->stem) == 0) return 1.0f;
    if (strcmp(x->fold, w->fold) == 0) return 1.0f;
    const struct word *y = p + 1 < q->count ? x + 1 : NULL;
    if (w->expanded[0]) {
        if (!w->expanded[1] && strcmp(x->stem, w->expanded[0]) == 0) return 0.95f;
        if (w->expanded[1] && y && strcmp(x->stem, w->expanded[0]) == 0 && strcmp(y->stem, w->expanded[1]) == 0) {
            *used = 2;
            return 0.95f;
        }
    }
    if ((x->flags & (WORD_STOP | WORD_NUMBER)) || word_is_stop(w->fold)) return 0;
    size_t n = strlen(x->fold), m = strlen(w->fold);
    if (y && m > n + 1 && strncmp(w->fold, x->fold, n) == 0) { /* firstname, homerun */
        if (strcmp(w->fold + n, y->fold) == 0 || strcmp(w->fold + n, y->stem) == 0) {
            *used = 2;
            return 0.95f;
        }
    }
    if (is_prefix(w->fold, x->fold, 3)) return m >= 5 ? 0.75f : 0.6f; /* stu, student */
    if (is_prefix(x->stem, w->stem, 4)) return 0.55f;
    size_t common = 0;
    while (x->stem[common] && x->stem[common] == w->stem[common]) common++;
    if (common >= 5 && common + 3 >= strlen(x->stem) && common + 3 >= strlen(w->stem))
        return 0.6f; /* nation, national */
    if (one_edit(x->fold, w->fold)) return 0.6f;
    return 0;
}

struct
try {
    const struct name_word *words;
    size_t word_count;
    bool column;
};

/* Reads the name in the window that starts at p. */
static struct mention read_window(const struct words *q, const struct try *t, size_t p)
{
    bool found[NAME_WORDS_MAX] = { false };
    struct mention m = { .kind = MENTION_NONE, .first = p, .end = p };
    float got = 0, total = 0, quality = 1.0f;
    size_t hits = 0, skipped = 0, order_breaks = 0, last = 0;
    for (size_t i = 0; i < t->word_count; i++) total += t->words[i].weight;
    for (size_t i = p; i < q->count && skipped <= 2 && hits < t->word_count;) {
        size_t best = NAME_WORDS_MAX, used = 1;
        float best_quality = 0;
        for (size_t k = 0; k < t->word_count; k++) {
            size_t takes = 1;
            float f = found[k] ? 0 : match_word(q, &t->words[k], i, &takes);
            if (f > best_quality) best = k, best_quality = f, used = takes;
        }
        if (best == NAME_WORDS_MAX) {
            if (i == p || (q->items[i].flags & WORD_MARK && q->items[i].fold[0] != '-')) break;
            skipped++;
            i++;
            continue;
        }
        found[best] = true;
        if (hits && best < last) order_breaks++;
        last = best;
        hits++;
        got += t->words[best].weight * best_quality;
        if (best_quality < quality) quality = best_quality;
        i += used;
        m.end = i;
    }
    if (!hits) return m;
    size_t inner = 0;
    for (size_t i = m.first; i < m.end; i++) inner++;
    bool side_by_side = inner <= hits + (quality == 0.95f ? hits : 0) && !order_breaks;
    bool missing_table = true, missing_id = true;
    for (size_t k = 0; k < t->word_count; k++) {
        if (found[k]) continue;
        if (!t->words[k].of_table) missing_table = false;
        if (!t->words[k].id) missing_id = false;
    }
    m.score = got / total;
    bool head = found[t->word_count - 1];
    if (quality < 0.9f && got / total < 0.8f)
        m.kind = head && hits > 1 ? MENTION_PART : MENTION_WEAK;
    else if (hits == t->word_count)
        m.kind = side_by_side ? MENTION_EXACT : MENTION_WINDOW;
    else if (missing_table && t->column)
        m.kind = MENTION_NO_TABLE;
    else if (missing_id)
        m.kind = MENTION_NO_ID;
    else
        m.kind = head ? MENTION_HEAD : MENTION_PART;
    if (quality < 0.9f && m.kind <= MENTION_WINDOW && hits == 1) m.kind = MENTION_WEAK;
    return m;
}

static bool better(const struct mention *a, const struct mention *b)
{
    if (a->kind != b->kind) return a->kind < b->kind;
    if (a->score > b->score + 1e-6f || a->score < b->score - 1e-6f) return a->score > b->score;
    return a->end - a->first < b->end - b->first;
}

static void keep(struct mention *list, size_t *count, const struct mention *m)
{
    for (size_t i = 0; i < *count; i++) {
        if (m->end <= list[i].first || m->first >= list[i].end) continue;
        if (better(m, &list[i])) list[i] = *m;
        return;
    }
    size_t at = *count;
    if (at == MENTIONS_MAX) {
        if (!better(m, &list[at - 1])) return;
        at--;
    } else {
        ++*count;
    }
    list[at] = *m;
    while (at > 0 && better(&list[at], &list[at - 1])) {
        struct mention swap = list[at];
        list[at] = list[at - 1];
        list[at - 1] = swap;
        at--;
    }
}

static void find_mentions(const struct words *q, const struct try *t, struct mention *list, size_t *count)
{
    *count = 0;
    if (!t->word_count) return;
    for (size_t p = 0; p < q->count; p++) {
        const struct word *x = &q->items[p];
        if (x->flags & WORD_MARK) continue;
        if (x->flags & WORD_STOP) {
            bool named = false;
            for (size_t k = 0; k < t->word_count; k++) named |= strcmp(t->words[k].fold, x->fold) == 0;
            if (!named) continue;
        }
        struct mention m = read_window(q, t, p);
        if (m.kind == MENTION_NONE) continue;
        bool only_stop = true;
        for (size_t i = m.first; i < m.end; i++) only_stop &= (q->items[i].flags & WORD_STOP) != 0;
        if (only_stop && t->word_count > 1) continue;
        if (m.score < 0.2f) continue;
        keep(list, count, &m);
    }
}

void link_mentions(struct linked *l)
{
    for (size_t i = 0; i < l->table_count; i++) {
        struct lex_table *t = &l->tables[i];
        struct try one = { t->words, t->word_count, false };
        find_mentions(&l->words, &one, t->mentions, &t->mention_count);
    }
    for (size_t i = 0; i < l->column_count; i++) {
        struct lex_column *col = &l->columns[i];
        struct try one = { col->words, col->word_count, true };
        if (col->grain < 0) find_mentions(&l->words, &one, col->mentions, &col->mention_count);
    }
}
