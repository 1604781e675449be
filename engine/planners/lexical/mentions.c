/* Where the question says the name of a table or column, and how well. */
#include "planners/lexical/cues.h"
#include "planners/lexical/lexicon.h"
#include "planners/lexical/link.h"

#include <string.h>

/* How one word of a name meets one word of the question. */
static bool is_prefix(const char *shorter, const char *longer, size_t least)
{
    size_t n = strlen(shorter);
    return n >= least && n < strlen(longer) && strncmp(shorter, longer, n) == 0;
}

bool one_edit(const char *a, const char *b)
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

/* Words that ask for a dimension or say an end of it, and what columns that hold it are called. */
static const struct {
    const char *words, *names;
} dimensions[] = {
    { " young younger youngest old older oldest elder eldest ", " age birth birthday birthdate dob born " },
    { " tall taller tallest ", " height " },
    { " short shorter shortest ", " height length duration distance time " },
    { " heavy heavier heaviest light lighter lightest ", " weight mass " },
    { " fast faster fastest slow slower slowest ", " speed velocity time horsepower " },
    { " long longer longest ", " length duration distance time hours minutes seconds " },
    { " cheap cheaper cheapest expensive costly costliest priciest affordable cost costs ",
      " price cost fee rate amount charge " },
    { " large larger largest big bigger biggest small smaller smallest ",
      " size area capacity population enrollment acreage surface " },
    { " rich richer richest wealthy wealthiest poor poorest ", " worth wealth assets income gdp revenue " },
    { " new join joined joining joins signed ",
      " registered registration joined created since started start hired hire enrolled enrollment enrolment admission "
      "admitted opened launched added signed founded member " },
    { " recent recently latest newest earliest early late when ", " date time year day month datetime timestamp " },
    { " where located live lives living based ", " location address city place country state venue hometown region " },
    { " populous populated crowded ", " population inhabitants residents " },
    { " far farther farthest close closer closest near nearest ", " distance " },
    { " deep deeper deepest ", " depth " },
    { " wide wider widest narrow narrowest ", " width " },
    { " high higher highest low lower lowest ", " altitude elevation height " },
    { " male males female females man men woman women ", " gender sex " },
    { " earn earns earning earned earner paid ", " salary income wage earnings pay " },
    { " who whose ", " name " },
    { " forename forenames given ", " first fname firstname " },
    { " surname surnames family ", " last lname lastname " },
    { " full ", " first last fname lname firstname lastname forename surname " },
};

/* Words that nothing explains may be said for others: what a second look goes by. */
struct synonyms {
    struct lexicon lexicon;
    uint32_t asked[WORDS_MAX]; /* beside words: bits of dimensions */
    uint32_t at[WORDS_MAX];    /* beside words: where they stand in the lexicon, or its count when they are explained */
};

/* Quality of name word w at question word p; *used = words of the question it takes. */
static float match_word(const struct words *q, const struct name_word *w, size_t p, size_t *used)
{
    const struct word *x = &q->items[p];
    *used = 1;
    if (x->flags & (WORD_NAMELESS | WORD_DATE)) return 0;
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
    const struct synonyms *synonyms; /* NULL at the first look */
};

static uint32_t dimensions_of(const char *word)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++)
        if (word_listed(dimensions[i].words, word)) bits |= 1u << i;
    return bits;
}

int dimension_rank(const char *said, const struct lex_column *col)
{
    int best = -1;
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++)
        for (size_t k = 0; k < col->word_count && word_listed(dimensions[i].words, said); k++) {
            const char *word = col->words[k].fold;
            const char *at = strstr(dimensions[i].names, word);
            if (word_listed(dimensions[i].names, word) && (best < 0 || at - dimensions[i].names < best))
                best = (int)(at - dimensions[i].names);
        }
    return best;
}

#define DIMENSION 0.5f /* quality */

static float match_synonym(const struct synonyms *s, const struct name_word *w, size_t p)
{
    static const float quality[] = { 0, 0.4f, 0.5f, 0.65f, 0.8f };
    const struct lexicon *x = &s->lexicon;
    if (w->id || word_is_stop(w->fold)) return 0;
    for (size_t i = 0; s->asked[p] >> i; i++)
        if (s->asked[p] >> i & 1 && word_listed(dimensions[i].names, w->fold)) return DIMENSION;
    if (s->at[p] == x->count) return 0;
    float best = quality[lexicon_like(x, s->at[p], lexicon_find(x, w->hash))];
    if (best <= 0 && w->expanded[0] && !w->expanded[1])
        best = quality[lexicon_like(x, s->at[p], lexicon_find(x, hash_text(w->expanded[0])))];
    return best;
}

static bool may_be_meant_at(const struct synonyms *s, size_t p)
{
    return s && (s->asked[p] || s->at[p] != s->lexicon.count);
}

/* Reads the name in the window that starts at p. */
static struct mention read_window(const struct words *q, const struct try *t, size_t p)
{
    bool found[NAME_WORDS_MAX] = { false };
    struct mention m = { .kind = MENTION_NONE, .first = p, .end = p };
    float got = 0, total = 0, quality = 1.0f;
    size_t hits = 0, skipped = 0, order_breaks = 0, last = 0;
    bool synonym = false;
    for (size_t i = 0; i < t->word_count; i++) total += t->words[i].weight;
    for (size_t i = p; i < q->count && skipped <= 2 && hits < t->word_count;) {
        size_t best = NAME_WORDS_MAX, used = 1;
        float best_quality = 0;
        bool meant = may_be_meant_at(t->synonyms, i);
        for (size_t k = 0; k < t->word_count; k++) {
            size_t takes = 1;
            float f = found[k] ? 0
                      : meant  ? match_synonym(t->synonyms, &t->words[k], i)
                               : match_word(q, &t->words[k], i, &takes);
            if (f > best_quality) best = k, best_quality = f, used = takes;
        }
        if (best == NAME_WORDS_MAX) {
            if (i == p || (q->items[i].flags & WORD_MARK && q->items[i].fold[0] != '-')) break;
            skipped++;
            i++;
            continue;
        }
        synonym |= meant;
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
    if (synonym) m.kind = head || missing_id || m.score >= 0.25f ? MENTION_SYNONYM : MENTION_NONE;
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

static bool meant_within(const struct synonyms *s, const struct words *q, size_t p)
{
    for (size_t i = p; i < q->count && i < p + 4; i++)
        if (may_be_meant_at(s, i)) return true;
    return false;
}

static void find_mentions(const struct words *q, const struct try *t, struct mention *list, size_t *count)
{
    if (!t->synonyms) *count = 0;
    if (!t->word_count) return;
    for (size_t p = 0; p < q->count; p++) {
        const struct word *x = &q->items[p];
        if (x->flags & WORD_NAMELESS) continue;
        if (t->synonyms && !meant_within(t->synonyms, q, p)) continue;
        if (x->flags & WORD_STOP && !may_be_meant_at(t->synonyms, p)) {
            bool named = false;
            for (size_t k = 0; k < t->word_count; k++) named |= strcmp(t->words[k].fold, x->fold) == 0;
            if (!named) continue;
        }
        struct mention m = read_window(q, t, p);
        if (m.kind == MENTION_NONE || (t->synonyms && m.kind != MENTION_SYNONYM)) continue;
        bool only_stop = true;
        for (size_t i = m.first; i < m.end; i++) only_stop &= (q->items[i].flags & WORD_STOP) != 0;
        if (only_stop && !t->synonyms && t->word_count > 1) continue;
        if (m.score < 0.2f) continue;
        keep(list, count, &m);
    }
}

void link_mentions(struct linked *l)
{
    for (size_t i = 0; i < l->table_count; i++) {
        struct lex_table *t = &l->tables[i];
        struct try one = { t->words, t->word_count, false, NULL };
        find_mentions(&l->words, &one, t->mentions, &t->mention_count);
    }
    for (size_t i = 0; i < l->column_count; i++) {
        struct lex_column *col = &l->columns[i];
        struct try one = { col->words, col->word_count, true, NULL };
        if (col->grain < 0) find_mentions(&l->words, &one, col->mentions, &col->mention_count);
    }
}

/* A word that may be said for another: a content word that no name and no literal explains. */
static bool may_be_meant(const struct linked *l, size_t p)
{
    const struct word *x = &l->words.items[p];
    if (x->flags & (WORD_STOP | WORD_NAMELESS | WORD_NUMBER | WORD_QUOTED | WORD_DATE)) return false;
    if (x->flags & WORD_CAPITAL && !(x->flags & WORD_FIRST)) return false;
    return !word_cues(&l->words, p) && !word_in_span(l, p) && !word_in_name(l, p);
}

void link_synonyms(struct linked *l)
{
    struct synonyms *s = call_alloc(l->call, sizeof *s);
    lexicon_open(&s->lexicon);
    bool any = false;
    for (size_t p = 0; p < l->words.count; p++) {
        s->at[p] = may_be_meant(l, p) ? lexicon_find(&s->lexicon, l->words.items[p].hash) : s->lexicon.count;
        bool free = !(l->words.items[p].flags & WORD_QUOTED) && !word_in_span(l, p) && !word_in_name(l, p);
        s->asked[p] = free ? dimensions_of(l->words.items[p].fold) : 0;
        any |= may_be_meant_at(s, p);
    }
    if (!any) return;
    for (size_t i = 0; i < l->table_count; i++) {
        struct lex_table *t = &l->tables[i];
        struct try one = { t->words, t->word_count, false, s };
        find_mentions(&l->words, &one, t->mentions, &t->mention_count);
    }
    for (size_t i = 0; i < l->real_columns; i++) {
        struct lex_column *col = &l->columns[i];
        struct try one = { col->words, col->word_count, true, s };
        find_mentions(&l->words, &one, col->mentions, &col->mention_count);
    }
}
