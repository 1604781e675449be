/* The question against the view: names, values, numbers, times; then one tag a word for the feature readers. */
#include "planners/lexical/link.h"
#include "charts/drawn.h"

#include <string.h>

static const struct {
    const char *word;
    int unit;
} grain_words[] = { { "year", UNIT_YEAR },         { "years", UNIT_YEAR },       { "yearly", UNIT_YEAR },
                    { "annual", UNIT_YEAR },       { "annually", UNIT_YEAR },    { "quarter", UNIT_QUARTER },
                    { "quarterly", UNIT_QUARTER }, { "month", UNIT_MONTH },      { "months", UNIT_MONTH },
                    { "monthly", UNIT_MONTH },     { "week", UNIT_WEEK },        { "weekly", UNIT_WEEK },
                    { "day", UNIT_DAY },           { "days", UNIT_DAY },         { "daily", UNIT_DAY },
                    { "weekday", GRAIN_WEEKDAY },  { "weekdays", GRAIN_WEEKDAY } };

const char *grain_name(int grain)
{
    return grain == GRAIN_WEEKDAY ? "weekday" : unit_names[grain];
}

static bool in_time_span(const struct linked *l, size_t p)
{
    for (size_t i = 0; i < l->span_count; i++)
        if (l->spans[i].kind == SPAN_TIME && l->spans[i].first <= p && p < l->spans[i].end) return true;
    return false;
}

/* The unit is asked for: each month, monthly, which month; not just a word that may mean it. */
static bool asks_unit(const struct words *q, size_t p)
{
    static const char *const before[] = { "each", "every", "per", "by", "which", "what" };
    size_t n = strlen(q->items[p].fold);
    bool asked = n > 2 && !strcmp(q->items[p].fold + n - 2, "ly");
    for (size_t i = 0; p > 0 && i < sizeof before / sizeof *before; i++)
        asked |= !strcmp(q->items[p - 1].fold, before[i]);
    return asked;
}

static bool is(const struct words *q, size_t p, const char *word)
{
    return p < q->count && strcmp(q->items[p].fold, word) == 0;
}

/* day of the week is a weekday. */
int grain_at(const struct words *q, size_t p, size_t *end)
{
    *end = p + 1;
    if ((is(q, p, "day") || is(q, p, "days")) && is(q, p + 1, "of")) {
        size_t week = is(q, p + 2, "the") || is(q, p + 2, "a") ? p + 3 : p + 2;
        if (is(q, week, "week")) {
            *end = week + 1;
            return GRAIN_WEEKDAY;
        }
    }
    for (size_t i = 0; i < sizeof grain_words / sizeof *grain_words; i++)
        if (is(q, p, grain_words[i].word)) return grain_words[i].unit;
    return -1;
}

static bool has_grain(const struct linked *l, size_t base, int unit)
{
    for (size_t i = l->real_columns; i < l->column_count; i++)
        if (l->columns[i].base == base && l->columns[i].grain == unit) return true;
    return false;
}

/* per month, by year, which month: a date column cut to the unit competes like any other column. */
void link_grains(struct linked *l)
{
    const struct words *q = &l->words;
    for (size_t p = 0, end; p < q->count; p = end) {
        int unit = grain_at(q, p, &end);
        if (unit < 0 || in_time_span(l, p)) continue;
        if (end < q->count && q->items[end].flags & WORD_NUMBER) continue; /* the year 2025 */
        for (size_t k = 0; k < l->real_columns; k++) {
            const struct lex_column *base = &l->columns[k];
            if (base->class != CLASS_DATE || l->column_count >= l->real_columns * 2 || has_grain(l, k, unit)) continue;
            struct lex_column *cut = &l->columns[l->column_count++];
            *cut = *base;
            cut->grain = unit;
            cut->base = k;
            cut->asked = asks_unit(q, p);
            cut->class = CLASS_TEXT;
            cut->key = cut->foreign = false;
            cut->mention_count = 1;
            cut->mentions[0] = (struct mention){ .kind = MENTION_EXACT, .first = p, .end = end, .score = 1 };
        }
    }
}

static void cover(struct linked *l, size_t first, size_t end, uint8_t role, float score)
{
    for (size_t p = first; p < end; p++) {
        uint8_t s = (uint8_t)(score * 100);
        if (s > l->weights[p]) {
            l->weights[p] = s;
            l->roles[p] = role;
        } else if (s == l->weights[p] && l->roles[p] != role) {
            l->roles[p] = 'b';
        }
    }
}

static float strength(const struct mention *m)
{
    static const float by_kind[] = { 1.0f, 0.95f, 0.85f, 0.9f, 0.6f, 0.45f, 0.3f, 0.45f, 0 };
    return by_kind[m->kind] * (0.7f + 0.3f * m->score);
}

static uint32_t best_kind(const struct mention *list, size_t count, const struct span *s, uint32_t best)
{
    for (size_t k = 0; k < count; k++)
        if (list[k].first < s->end && s->first < list[k].end && (uint32_t)list[k].kind < best) best = list[k].kind;
    return best;
}

static void name_spans(struct linked *l)
{
    for (size_t n = 0; n < l->span_count; n++) {
        struct span *s = &l->spans[n];
        uint32_t table = MENTION_NONE, column = MENTION_NONE;
        for (size_t i = 0; i < l->table_count; i++)
            table = best_kind(l->tables[i].mentions, l->tables[i].mention_count, s, table);
        for (size_t i = 0; i < l->real_columns; i++)
            column = best_kind(l->columns[i].mentions, l->columns[i].mention_count, s, column);
        s->named = table * 16 + column;
    }
}

bool name_word_said(const struct linked *l, const struct name_word *w)
{
    for (size_t p = 0; p < l->words.count; p++)
        if (l->words.items[p].hash == w->hash || (w->expanded[0] && !strcmp(l->words.items[p].stem, w->expanded[0])))
            return true;
    return false;
}

void link_tags(struct linked *l)
{
    struct call *c = l->call;
    const struct words *q = &l->words;
    name_spans(l);
    l->tags = call_array(c, q->count + 1, sizeof *l->tags);
    l->roles = call_array(c, q->count + 1, sizeof *l->roles);
    l->weights = call_array(c, q->count + 1, sizeof *l->weights);
    for (size_t i = 0; i < l->span_count; i++) {
        const struct span *s = &l->spans[i];
        float score = s->kind == SPAN_QUOTE || s->kind == SPAN_TIME ? 1.2f : s->kind == SPAN_NUMBER ? 1.1f : 0.8f;
        if (s->kind == SPAN_CODE) score = s->end - s->first > 1 || s->columns[0].match < MATCH_TRIGRAM ? 0.9f : 0.3f;
        if (s->kind == SPAN_FLAG) score = 0.3f;
        if (s->kind == SPAN_VALUE)
            score = s->end - s->first > 1 ? 1.15f : s->columns[0].match <= MATCH_FOLDED ? 0.9f : 0.5f;
        for (size_t p = s->first; s->kind == SPAN_VALUE && p < s->end; p++)
            if (q->items[p].flags & WORD_CAPITAL && !(q->items[p].flags & WORD_FIRST)) score += 0.2f;
        if (score > 1.2f) score = 1.2f;
        cover(l, s->first, s->end, s->kind == SPAN_NUMBER ? 'n' : 'v', score);
    }
    for (size_t i = 0; i < l->table_count; i++)
        for (size_t k = 0; k < l->tables[i].mention_count; k++) {
            const struct mention *m = &l->tables[i].mentions[k];
            cover(l, m->first, m->end, 't', strength(m));
        }
    for (size_t i = 0; i < l->column_count; i++)
        for (size_t k = 0; k < l->columns[i].mention_count; k++) {
            const struct mention *m = &l->columns[i].mentions[k];
            cover(l, m->first, m->end, 'c', strength(m));
        }
    l->unexplained = call_array(c, q->count + 1, sizeof *l->unexplained);
    l->doubts = call_array(c, q->count + 1, sizeof *l->doubts);
    for (size_t p = 0; p < q->count; p++) {
        const struct word *x = &q->items[p];
        if (l->weights[p] < WEIGHT_LEAST) l->roles[p] = 0;
        if (x->flags & WORD_STOP && l->roles[p] != 'v') l->roles[p] = 0;
        l->tags[p] = x->flags & WORD_DRAWN ? 0x1100u + (uint32_t)drawn_as(q, p)
                     : l->roles[p]         ? 0x1000u + l->roles[p]
                                           : x->hash;
        if (x->flags & (WORD_STOP | WORD_NAMELESS)) continue;
        l->content_count++;
        if (!l->weights[p]) l->unexplained[l->unexplained_count++] = x->text;
    }
}

static void link_words(struct linked *l, struct stemmer *st, const struct value_index *values, int64_t now_us)
{
    link_schema(l->call, st, l->view, l);
    link_terse(l, st);
    link_mentions(l);
    link_spans(l, values, now_us);
    if (link_trade(l, st)) {
        l->span_count = 0;
        link_mentions(l);
        link_spans(l, values, now_us);
        link_traded(l);
    }
    stemmer_close(st);
    link_synonyms(l);
    link_grains(l);
    link_tags(l);
}

void link_question(struct call *c, const struct view *view, const struct value_index *values, const char *question,
                   int64_t now_us, struct linked *l)
{
    *l = (struct linked){ .call = c, .view = view };
    struct stemmer *st = stemmer_open(c);
    words_read(c, st, question, &l->words);
    drawn_words(&l->words);
    l->view = link_narrow(c, view, values, &l->words);
    link_words(l, st, values, now_us);
}

void link_again(const struct linked *from, const struct words *words, const struct value_index *values, int64_t now_us,
                struct linked *l)
{
    *l = (struct linked){ .call = from->call, .view = from->view, .words = *words };
    link_words(l, stemmer_open(l->call), values, now_us);
}
