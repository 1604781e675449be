/* Questions in note form, made into what training questions say: payments by method, salary per store, max price. The
 * words' places in the question stay what they were. */
#include "planners/lexical/cues.h"
#include "planners/lexical/edit.h"
#include "planners/lexical/link.h"

#include <string.h>

static bool in_words(const struct name_word *words, size_t count, uint32_t hash, bool last)
{
    for (size_t i = last && count ? count - 1 : 0; i < count; i++)
        if (words[i].hash == hash) return true;
    return false;
}

static bool names_table(const struct linked *l, const struct word *x, bool last)
{
    for (size_t i = 0; i < l->table_count; i++)
        if (in_words(l->tables[i].words, l->tables[i].word_count, x->hash, last)) return true;
    return false;
}

static bool is_name(const struct linked *l, const struct word *x)
{
    if (x->flags & (WORD_MARK | WORD_QUOTED | WORD_NUMBER)) return false;
    for (size_t i = 0; i < l->column_count; i++)
        if (in_words(l->columns[i].words, l->columns[i].word_count, x->hash, false)) return true;
    return names_table(l, x, false);
}

/* Short forms and slips of the words that say what to do. */
static void spell_out(struct linked *l, const struct edit *e)
{
    static const struct {
        const char *said, *meant;
    } shorts[] = { { "max", "maximum" }, { "min", "minimum" }, { "avg", "average" } };
    static const char *const cues[] = { "average", "total",   "number",    "highest", "lowest",
                                        "maximum", "minimum", "different", "largest", "smallest" };
    for (size_t p = 0; p < l->words.count; p++) {
        const struct word *x = &l->words.items[p];
        bool name = x->flags & WORD_CAPITAL && !(x->flags & WORD_FIRST);
        if (name || x->flags & (WORD_STOP | WORD_MARK | WORD_QUOTED | WORD_NUMBER) || is_name(l, x)) continue;
        const char *meant = NULL;
        for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++)
            if (!strcmp(x->fold, shorts[i].said)) meant = shorts[i].meant;
        for (size_t i = 0; i < sizeof cues / sizeof *cues && strlen(x->fold) > 4; i++)
            if (one_edit(x->fold, cues[i])) meant = cues[i];
        if (meant) edit_say(e, p, meant);
    }
}

/* The highest price: an end of a column is worked out, it sorts nothing. */
static bool works_out(const struct linked *l, size_t p)
{
    if (p + 1 >= l->words.count || names_table(l, &l->words.items[p + 1], false)) return false;
    return is_name(l, &l->words.items[p + 1]);
}

static uint32_t cues_of(const struct linked *l, size_t p)
{
    const uint32_t ends = 1u << CUE_MOST | 1u << CUE_LEAST;
    uint32_t bits = word_cues(&l->words, p);
    return bits & ends && works_out(l, p) ? (bits & ~ends) | 1u << CUE_AVERAGE : bits;
}

/* "by" groups before a bare name, where nothing is sorted and no deed is told: ordered by, paid by card. */
static bool groups(const struct linked *l, size_t p, uint32_t said)
{
    const struct words *q = &l->words;
    if (p == 0 || p + 1 >= q->count) return false;
    if (word_in_list(q, p, " per "))
        return is_name(l, &q->items[p + 1]) || word_in_list(q, p + 1, " year quarter month week day ");
    const uint32_t sorts = 1u << CUE_ORDER | 1u << CUE_MOST | 1u << CUE_LEAST | 1u << CUE_DESCENDING;
    const uint32_t computes = 1u << CUE_SUM | 1u << CUE_AVERAGE | 1u << CUE_COUNT;
    uint32_t before_it = 0;
    for (size_t i = 0; i < p; i++) before_it |= cues_of(l, i);
    if (said & computes) said = before_it; /* the number by country, in descending order */
    if (!word_in_list(q, p, " by ") || said & sorts || !is_name(l, &q->items[p + 1])) return false;
    const struct word *before = &q->items[p - 1], *behind = p + 2 < q->count ? &q->items[p + 2] : NULL;
    bool one = behind && (behind->flags & (WORD_QUOTED | WORD_CAPITAL | WORD_NUMBER) ||
                          word_in_list(q, p + 2, " with who whose from of named called ' \" "));
    return !word_tells_deed(q, p - 1, is_name(l, before)) && !one;
}

/* Nothing but a few words that end in the name of a table stand before the p-th: they are counted. */
static bool counts(const struct linked *l, size_t p, uint32_t said)
{
    const uint32_t others = 1u << CUE_SUM | 1u << CUE_AVERAGE | 1u << CUE_COUNT | 1u << CUE_MOST | 1u << CUE_LEAST |
                            1u << CUE_DISTINCT | 1u << CUE_MORE | 1u << CUE_LESS;
    if (said & others || p == 0 || p > 4 || !names_table(l, &l->words.items[p - 1], true)) return false;
    for (size_t i = 0; i < p; i++)
        if (l->words.items[i].flags & (WORD_STOP | WORD_MARK | WORD_NUMBER)) return false;
    return true;
}

/* ", highest first": a way to sort. */
static void spell_order(struct linked *l, const struct edit *e)
{
    const struct words *q = &l->words;
    for (size_t p = 1; p + 1 < q->count; p++) {
        if (!word_in_list(q, p + 1, " first ") || (p + 2 < q->count && !(q->items[p + 2].flags & WORD_MARK))) continue;
        bool down = word_in_list(q, p, " highest largest biggest greatest most latest newest "),
             up = word_in_list(q, p, " lowest smallest ");
        if (!down && !up) continue;
        edit_say(e, p, down ? "descending" : "ascending");
        edit_say(e, p + 1, "order");
        edit_insert(e, p, "in");
    }
}

void link_terse(struct linked *l, struct stemmer *st)
{
    uint32_t said = 0;
    const struct edit here = { l->call, st, &l->words }, *e = &here;
    spell_out(l, e);
    spell_order(l, e);
    for (size_t p = 0; p < l->words.count; p++) said |= cues_of(l, p);
    for (size_t p = 0; p < l->words.count; p++) {
        if (!groups(l, p, said)) continue;
        bool counted = counts(l, p, said);
        edit_say(e, p, "each");
        if (edit_insert(e, p, "for")) p++;
        if (counted && edit_insert(e, 0, "of") && edit_insert(e, 0, "number")) return;
    }
}
