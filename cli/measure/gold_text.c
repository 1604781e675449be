/* What the text of a gold query says about itself: does it order its result, and how hard does the Spider benchmark
 * call it. The text is only cut into words and brackets; nothing here needs it to be right. */
#include "cli/measure/gold.h"
#include "cli/measure/gold_token.h"
#include "cli/measure/hardness.h"

const char *const hardness_names[HARDNESSES] = { "easy", "medium", "hard", "extra" };

bool gold_is_ordered(const char *sql)
{
    int depth = 0;
    bool ordered = false;
    struct gold_token before = { 0 };
    for (struct gold_token t; (t = gold_token_next(&sql, &depth)).n;) {
        if (t.depth == 0 && gold_token_is(&t, "by") && gold_token_is(&before, "order")) ordered = true;
        if (t.depth == 0 && gold_token_is_set(&t)) ordered = false;
        before = t;
    }
    return ordered;
}

enum clause { IN_SELECT, IN_FROM, IN_WHERE, IN_GROUP, IN_HAVING, IN_ORDER, IN_LIMIT };

/* The counts of the benchmark's own script, of the outermost query up to its first set operation. */
struct counts {
    enum clause clause;
    bool started, has_where, has_group, has_order, has_limit;
    int joins, ors, likes, nested, sets, aggregates, items, wheres, groups;
    bool between; /* its AND is no connective */
    int sub;      /* depth of the sub-query we are in, 0 = none */
};

static bool enter_clause(struct counts *k, const struct gold_token *t)
{
    static const struct {
        const char *word;
        enum clause clause;
    } words[] = { { "select", IN_SELECT }, { "from", IN_FROM },   { "where", IN_WHERE }, { "group", IN_GROUP },
                  { "having", IN_HAVING }, { "order", IN_ORDER }, { "limit", IN_LIMIT } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!gold_token_is(t, words[i].word)) continue;
        k->clause = words[i].clause;
        k->has_where |= k->clause == IN_WHERE;
        k->has_group |= k->clause == IN_GROUP;
        k->has_order |= k->clause == IN_ORDER;
        k->has_limit |= k->clause == IN_LIMIT;
        return true;
    }
    return false;
}

static bool is_aggregate(const struct gold_token *t)
{
    return gold_token_is(t, "count") || gold_token_is(t, "sum") || gold_token_is(t, "avg") || gold_token_is(t, "min") ||
           gold_token_is(t, "max");
}

static void count_comma(struct counts *k)
{
    k->items += k->clause == IN_SELECT;
    k->joins += k->clause == IN_FROM;
    k->groups += k->clause == IN_GROUP;
}

static void count_word(struct counts *k, const struct gold_token *t)
{
    bool condition = k->clause == IN_WHERE || k->clause == IN_HAVING || k->clause == IN_FROM;
    bool listed = k->clause == IN_SELECT || k->clause == IN_ORDER || k->clause == IN_GROUP;
    if (gold_token_is(t, "join")) k->joins++;
    if (listed && is_aggregate(t)) k->aggregates++;
    if (!condition) return;
    if (gold_token_is(t, "like")) k->likes++;
    if (gold_token_is(t, "between")) k->between = true;
    /* The script takes a negation, and a connective in HAVING, for an aggregate. */
    if (gold_token_is(t, "not") && k->clause != IN_FROM) k->aggregates++;
    bool connective = gold_token_is(t, "or") || (gold_token_is(t, "and") && !k->between);
    if (gold_token_is(t, "and")) k->between = false;
    if (!connective) return;
    k->ors += gold_token_is(t, "or");
    k->wheres += k->clause == IN_WHERE;
    k->aggregates += k->clause == IN_HAVING;
}

static enum hardness judge(const struct counts *k)
{
    int first = k->has_where + k->has_group + k->has_order + k->has_limit + k->joins + k->ors + k->likes;
    int nested = k->nested + k->sets;
    int others = (k->aggregates > 1) + (k->items > 0) + (k->wheres > 0) + (k->groups > 0);
    if (first <= 1 && others == 0 && nested == 0) return HARDNESS_EASY;
    if (nested == 0 && ((others <= 2 && first <= 1) || (first <= 2 && others < 2))) return HARDNESS_MEDIUM;
    if ((others > 2 && first <= 2 && nested == 0) || (first > 2 && first <= 3 && others <= 2 && nested == 0) ||
        (first <= 1 && others == 0 && nested <= 1))
        return HARDNESS_HARD;
    return HARDNESS_EXTRA;
}

enum hardness hardness_of(const char *sql)
{
    struct counts k = { 0 };
    int depth = 0;
    for (struct gold_token t; (t = gold_token_next(&sql, &depth)).n;) {
        if (k.sub && t.depth >= k.sub) continue;
        k.sub = 0;
        if (gold_token_is(&t, "select") && t.depth > 0 && k.started) { /* bracket, then SELECT: a query inside */
            k.sub = t.depth;
            k.nested += k.clause == IN_WHERE || k.clause == IN_HAVING; /* one in FROM is a source like any other */
            continue;
        }
        if (!k.started && !gold_token_is(&t, "select")) continue;
        k.started = true;
        if (t.depth == 0 && gold_token_is_set(&t)) {
            k.sets = 1;
            break;
        }
        if (t.depth == 0 && t.word && enter_clause(&k, &t)) continue;
        if (t.depth == 0 && *t.at == ',') count_comma(&k);
        if (t.word) count_word(&k, &t);
    }
    return judge(&k);
}
