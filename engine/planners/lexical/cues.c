#include "planners/lexical/cues.h"

#include "charts/drawn.h"

#include <string.h>

static const struct {
    enum cue cue;
    const char *words;
} rows[] = {
    { CUE_MOST,
      " highest most maximum max largest biggest greatest latest newest oldest longest tallest heaviest best richest "
      "costliest priciest expensive last top fastest strongest widest deepest farthest furthest busiest " },
    { CUE_LEAST,
      " lowest least minimum min smallest fewest earliest youngest shortest lightest worst poorest cheapest first "
      "slowest weakest narrowest nearest closest minimal bottom cheap " },
    { CUE_SUM, " total sum combined altogether overall " },
    { CUE_AVERAGE, " average mean avg averaged " },
    { CUE_COUNT, " count counts " },
    { CUE_DISTINCT, " different distinct unique various " },
    { CUE_EACH, " each every per respective individual yearly monthly daily weekly annually quarterly respectively " },
    { CUE_NOT, " not no without never neither nor except excluding none nobody lack lacking exclude besides " },
    { CUE_ORDER, " sort sorted order ordered ordering alphabetical alphabetically alphabetic lexicographical "
                 "lexicographic ascending "
                 "descending rank ranked asc desc " },
    { CUE_DESCENDING, " descending decreasing desc reverse reversed reversely decreased descend " },
    { CUE_ASCENDING, " ascending increasing asc ascend " },
    { CUE_MORE, " more above over exceeding exceeds greater larger higher older after later longer bigger taller "
                "exceed beyond " },
    { CUE_LESS, " less below under fewer smaller lower younger before earlier shorter lighter cheaper " },
    { CUE_BOTH, " both " },
    { CUE_EITHER, " either or " },
    { CUE_BETWEEN, " between " },
};

static bool is(const struct words *q, size_t p, const char *word)
{
    return p < q->count && strcmp(q->items[p].fold, word) == 0;
}

/* first name, first and last names: a part of a name and no end of an order. */
static bool of_name(const struct words *q, size_t p)
{
    if (!is(q, p, "first") && !is(q, p, "last")) return false;
    for (size_t i = p + 1; i < p + 5; i++) {
        if (is(q, i, "name") || is(q, i, "names")) return true;
        if (!is(q, i, "and") && !is(q, i, "or") && !is(q, i, ",") && !is(q, i, "middle") && !is(q, i, "last") &&
            !is(q, i, "first"))
            return false;
    }
    return false;
}

/* from high to low, low to high: either end says the way. */
static uint32_t way_cues(const struct words *q, size_t p)
{
    static const char *const ends[][2] = { { "low", "high" }, { "high", "low" } };
    for (size_t i = 0; i < 2; i++) {
        bool first = is(q, p, ends[i][0]) && is(q, p + 1, "to") && is(q, p + 2, ends[i][1]);
        bool last = p > 1 && is(q, p, ends[i][1]) && is(q, p - 1, "to") && is(q, p - 2, ends[i][0]);
        if (first || last) return 1u << CUE_ORDER | 1u << (i ? CUE_DESCENDING : CUE_ASCENDING);
    }
    return 0;
}

static uint32_t drawn_cues(const struct words *q, size_t p)
{
    switch (drawn_as(q, p)) {
    case DRAWN_CHART:
        return 1u << CUE_CHART;
    case DRAWN_X:
        return 1u << CUE_CHART | (drawn_sorts(q, p) ? 1u << CUE_BY_X : 0);
    case DRAWN_Y:
        return 1u << CUE_CHART | (drawn_sorts(q, p) ? 1u << CUE_BY_Y : 0);
    case DRAWN_HEIGHT:
        return 1u << CUE_BY_Y;
    case DRAWN_BARS:
        return 1u << CUE_BY_BARS;
    case DRAWN_SERIES:
        return 1u << CUE_CHART | 1u << CUE_SERIES;
    default:
        return 0;
    }
}

uint32_t word_cues(const struct words *q, size_t p)
{
    uint32_t bits = 0;
    const char *w = q->items[p].fold;
    size_t n = strlen(w);
    if (q->items[p].flags & WORD_DRAWN) return drawn_cues(q, p);
    if (n > 20 || q->items[p].flags & (WORD_MARK | WORD_QUOTED)) return 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (word_listed(rows[i].words, w)) bits |= 1u << rows[i].cue;
    bool many = is(q, p, "many") && p > 0 && is(q, p - 1, "how");
    bool number = (is(q, p, "number") || is(q, p, "amount")) && is(q, p + 1, "of");
    if (many || number) bits |= 1u << CUE_COUNT;
    bool group = is(q, p, "group") || is(q, p, "grouped") || is(q, p, "grouping");
    if (group && is(q, p + 1, "by")) bits |= 1u << CUE_EACH;
    if (is(q, p, "by") && drawn_way_near(q, p)) bits |= 1u << CUE_ORDER; /* show by name in ascending order */
    if (is(q, p, "no") && is(q, p + 1, "-")) bits &= ~(1u << CUE_NOT);   /* no-show, no-frills: a name */
    bits |= way_cues(q, p);
    if (bits & 1u << CUE_ORDER && is(q, p, "order") && !is(q, p + 1, "by") && !is(q, p + 1, "of") &&
        !(p > 0 && is(q, p - 1, "in")) &&
        !(p > 0 && (is(q, p - 1, "ascending") || is(q, p - 1, "descending") || is(q, p - 1, "alphabetical"))))
        bits &= ~(1u << CUE_ORDER); /* an order that somebody placed */
    bool than = is(q, p + 1, "than") || is(q, p + 2, "than");
    if ((is(q, p, "most") || is(q, p, "least")) && p > 0 && is(q, p - 1, "at"))
        bits &= ~(1u << CUE_MOST | 1u << CUE_LEAST);
    if (bits & (1u << CUE_MOST) && than) bits &= ~(1u << CUE_MOST);
    if (of_name(q, p)) bits &= ~(1u << CUE_MOST | 1u << CUE_LEAST);
    if (is(q, p, "expensive") && p > 0 && is(q, p - 1, "least")) bits &= ~(1u << CUE_MOST);
    return bits;
}

bool word_is_light(const char *fold)
{
    static const char *const light[] = { "actually", "already",  "altogether", "available", "called",   "currently",
                                         "done",     "entered",  "ever",       "exactly",   "existing", "found",
                                         "given",    "just",     "known",      "listed",    "made",     "named",
                                         "only",     "overall",  "paid",       "placed",    "please",   "really",
                                         "record",   "recorded", "stored",     "still",     "there",    "yet" };
    for (size_t i = 0; i < sizeof light / sizeof *light; i++)
        if (!strcmp(fold, light[i])) return true;
    return false;
}

bool word_tells_deed(const struct words *q, size_t p, bool named)
{
    const struct word *x = &q->items[p];
    size_t n = strlen(x->fold);
    bool participle = n > 3 && (!strcmp(x->fold + n - 2, "ed") || !strcmp(x->fold + n - 2, "en"));
    return x->flags & WORD_STOP || (participle && !named) ||
           word_in_list(q, p, " bought built done drawn held known led made paid run sent shown sold sung taught won ");
}
