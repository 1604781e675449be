/* Literals: values found in the data, quoted text, unknown capitalised names, numbers; and the columns each may belong
 * to. */
#include "planners/lexical/cues.h"
#include "planners/lexical/lexicon.h"
#include "planners/lexical/link.h"

#include <ctype.h>
#include <string.h>

#define PHRASE_WORDS_MAX 8
#define HITS_MAX         24

static const char *phrase_of(struct linked *l, size_t first, size_t end)
{
    const struct words *q = &l->words;
    return call_strndup(l->call, q->text + q->items[first].begin, q->items[end - 1].end - q->items[first].begin);
}

static bool overlaps(const struct span *s, size_t first, size_t end)
{
    return s->first < end && first < s->end;
}

struct span *span_add(struct linked *l, enum span_kind kind, size_t first, size_t end, const char *text)
{
    if (l->span_count == SPANS_MAX) return NULL;
    struct span *s = &l->spans[l->span_count++];
    *s = (struct span){ .kind = kind, .first = first, .end = end, .text = text };
    return s;
}

void span_column_add(struct span *s, size_t column, const char *value, enum value_match match)
{
    for (size_t i = 0; i < s->column_count; i++)
        if (s->columns[i].column == column) return;
    if (s->column_count == SPAN_COLUMNS_MAX) return;
    s->columns[s->column_count++] = (struct span_column){ .column = column, .value = value, .match = match };
}

/* May the words [first, end) be one value? Edges are never marks, single function words or single lower-case letters.
 */
static bool may_be_value(const struct words *q, size_t first, size_t end)
{
    const struct word *a = &q->items[first], *z = &q->items[end - 1];
    if ((a->flags | z->flags) & WORD_NAMELESS) return false;
    if (end - first == 1) {
        if (a->flags & WORD_QUOTED) return true;
        bool code = a->flags & WORD_CAPITAL && !(a->flags & WORD_FIRST); /* grade A, division AS */
        if (a->flags & WORD_STOP && !code) return false;
        if (strlen(a->fold) == 1 && !(a->flags & (WORD_CAPITAL | WORD_NUMBER))) return false;
        return true;
    }
    bool edge_stop =
        (a->flags & WORD_STOP && !(a->flags & WORD_CAPITAL)) || (z->flags & WORD_STOP && !(z->flags & WORD_CAPITAL));
    return !edge_stop || (a->flags & WORD_QUOTED);
}

static bool inside_accepted(const struct linked *l, size_t first, size_t end)
{
    for (size_t i = 0; i < l->span_count; i++) {
        const struct span *s = &l->spans[i];
        bool name = s->kind == SPAN_TIME && s->end - s->first == 1 && !(l->words.items[first].flags & WORD_NUMBER);
        if (!name && s->first <= first && end <= s->end) return true; /* April may be a month or somebody */
    }
    return false;
}

/* Only part of a stored value was said: believed when the words are capitalised or quoted. */
static bool partial_ok(const struct words *q, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (q->items[i].flags & WORD_QUOTED) return true;
        if (q->items[i].flags & WORD_CAPITAL && !(q->items[i].flags & WORD_FIRST)) return true;
    }
    return false;
}

/* run, per: a plain word in small letters is no code RUN or PER; and destination is not the town of Destin, though they
 * have one stem. */
static bool is_only_a_word(const struct linked *l, const struct lexicon *x, size_t p, const char *value)
{
    const struct word *w = &l->words.items[p];
    size_t n = strlen(value), m = strlen(w->text), capitals = 0;
    if (w->flags & (WORD_CAPITAL | WORD_QUOTED | WORD_NUMBER)) return false;
    for (size_t i = 0; i < n; i++) capitals += isupper((unsigned char)value[i]) != 0;
    bool code = n <= 4 && capitals == n, name = capitals && m > n + 2;
    return (code || name) && (w->flags & WORD_STOP || word_cues(&l->words, p) || lexicon_find(x, w->hash) < x->count);
}

static void value_spans(struct linked *l, const struct value_scope *scope)
{
    struct lexicon lexicon;
    lexicon_open(&lexicon);
    const struct words *q = &l->words;
    struct value_hit hits[HITS_MAX];
    for (int pass = 0; pass < 2; pass++)
        for (size_t n = PHRASE_WORDS_MAX; n > 0; n--)
            for (size_t p = 0; p + n <= q->count; p++) {
                if (!may_be_value(q, p, p + n) || inside_accepted(l, p, p + n)) continue;
                if (pass && !partial_ok(q, p, p + n)) continue;
                const char *phrase = phrase_of(l, p, p + n);
                size_t count = value_scope_find(scope, l->call, &q->items[p], n, phrase, hits, HITS_MAX);
                struct span *s = NULL;
                for (size_t i = 0; i < count; i++) {
                    if ((hits[i].match >= MATCH_PARTIAL) != (pass == 1)) continue;
                    if (n == 1 && is_only_a_word(l, &lexicon, p, hits[i].value)) continue;
                    size_t column = l->tables[hits[i].table_index].first_column + hits[i].column_index;
                    if (!s && !(s = span_add(l, SPAN_VALUE, p, p + n, phrase))) return;
                    span_column_add(s, column, hits[i].value, hits[i].match);
                }
            }
}

/* Text columns that the question speaks of may hold a text that the index does not know. */
static void add_text_columns(struct linked *l, struct span *s)
{
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < l->real_columns; i++) {
            const struct lex_column *col = &l->columns[i];
            if (col->class != CLASS_TEXT) continue;
            bool named = col->mention_count && col->mentions[0].kind <= MENTION_HEAD;
            bool near = l->tables[col->table].mention_count > 0;
            if (pass == 0 ? named : pass == 1 ? near && col->name_like : near)
                span_column_add(s, i, s->text, MATCH_TRIGRAM);
        }
}

/* A quotation whose parts are values of different columns of one table, "Ada" and "Byron": the parts stay. */
static bool quote_in_parts(const struct linked *l, const struct quote *u)
{
    for (size_t i = 0; i < l->span_count; i++)
        for (size_t k = 0; k < l->span_count; k++) {
            const struct span *a = &l->spans[i], *b = &l->spans[k];
            if (a->first != u->first || a->end != b->first || b->end != u->end) continue;
            for (size_t x = 0; x < a->column_count; x++)
                for (size_t y = 0; y < b->column_count; y++)
                    if (a->columns[x].column != b->columns[y].column && a->columns[x].match <= MATCH_FOLDED &&
                        b->columns[y].match <= MATCH_FOLDED && a->columns[x].column < l->column_count &&
                        b->columns[y].column < l->column_count &&
                        l->columns[a->columns[x].column].table == l->columns[b->columns[y].column].table)
                        return true;
        }
    return false;
}

static void quote_spans(struct linked *l)
{
    for (size_t i = 0; i < l->words.quote_count; i++) {
        const struct quote *u = &l->words.quotes[i];
        if (u->end <= u->first || u->end - u->first > 12) continue;
        struct span *found = NULL;
        size_t end = u->end; /* "Graphics." is Graphics */
        while (end > u->first + 1 && l->words.items[end - 1].flags & WORD_MARK) end--;
        for (size_t k = 0; k < l->span_count; k++)
            if (l->spans[k].first <= u->first && end <= l->spans[k].end) found = &l->spans[k];
        if (!found) {
            size_t kept = 0; /* parts of the quotation give way to the whole */
            bool parts = quote_in_parts(l, u);
            for (size_t k = 0; k < l->span_count; k++)
                if (parts || !overlaps(&l->spans[k], u->first, u->end)) l->spans[kept++] = l->spans[k];
            l->span_count = kept;
            found = span_add(l, SPAN_QUOTE, u->first, u->end, u->text);
        }
        if (found && found->column_count < 6) {
            found->text = u->text;
            add_text_columns(l, found);
        }
    }
}

bool word_in_span(const struct linked *l, size_t at)
{
    for (size_t i = 0; i < l->span_count; i++)
        if (overlaps(&l->spans[i], at, at + 1)) return true;
    return false;
}

bool word_is_unit(const struct linked *l, size_t at)
{
    for (size_t i = l->real_columns; i < l->column_count; i++)
        for (size_t k = 0; k < l->columns[i].mention_count; k++)
            if (at >= l->columns[i].mentions[k].first && at < l->columns[i].mentions[k].end) return true;
    return false;
}

bool word_in_name(const struct linked *l, size_t at)
{
    for (size_t i = 0; i < l->table_count; i++)
        for (size_t k = 0; k < l->tables[i].mention_count; k++) {
            const struct mention *m = &l->tables[i].mentions[k];
            if (m->kind <= MENTION_PART && m->first <= at && at < m->end) return true;
        }
    for (size_t i = 0; i < l->real_columns; i++)
        for (size_t k = 0; k < l->columns[i].mention_count; k++) {
            const struct mention *m = &l->columns[i].mentions[k];
            if (m->kind <= MENTION_PART && m->first <= at && at < m->end) return true;
        }
    return false;
}

static void capital_spans(struct linked *l)
{
    const struct words *q = &l->words;
    for (size_t p = 0; p < q->count;) {
        size_t end = p;
        while (end < q->count && q->items[end].flags & WORD_CAPITAL &&
               !(q->items[end].flags & (WORD_FIRST | WORD_STOP | WORD_DRAWN)) && !word_in_span(l, end) &&
               !word_in_name(l, end))
            end++;
        if (end > p) {
            struct span *s = span_add(l, SPAN_CAPITAL, p, end, phrase_of(l, p, end));
            if (!s) return;
            add_text_columns(l, s);
        }
        p = end > p ? end : p + 1;
    }
}

/* the letter s, starting with Sa, the word love: a part of a text, whatever else the word may be. */
static bool says_part(const struct words *q, size_t p)
{
    static const char *const parts[] = { "letter", "letters", "character", "word", "substring", "string", "prefix" };
    static const char *const edges[] = { "start",  "starts",    "starting", "started", "begin",
                                         "begins", "beginning", "end",      "ends",    "ending" };
    if (p < 2) return false;
    const char *a = q->items[p - 1].fold, *b = q->items[p - 2].fold;
    bool single = q->items[p].end - q->items[p].begin == 1, is = strcmp(a, "is") == 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(is ? b : a, parts[i]) == 0) return single || !(q->items[p].flags & WORD_STOP);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (strcmp(b, edges[i]) == 0 && (!strcmp(a, "with") || (single && !strcmp(a, "in"))))
            return single || !(q->items[p].flags & WORD_STOP);
    return false;
}

static void part_spans(struct linked *l)
{
    const struct words *q = &l->words;
    for (size_t p = 0; p < q->count; p++) {
        if (q->items[p].flags & WORD_MARK || !says_part(q, p)) continue;
        struct span *s = NULL;
        for (size_t i = 0; i < l->span_count; i++)
            if (overlaps(&l->spans[i], p, p + 1)) s = &l->spans[i];
        if (s) s->part = true;
        if (q->items[p].flags & WORD_QUOTED || (s && s->end - s->first > 1)) continue;
        if (!s && !(s = span_add(l, SPAN_QUOTE, p, p + 1, phrase_of(l, p, p + 1)))) return;
        s->part = true;
        add_text_columns(l, s);
    }
}

static bool year_like(const char *digits)
{
    return strlen(digits) == 4 &&
           (strncmp(digits, "19", 2) == 0 || strncmp(digits, "20", 2) == 0 || strncmp(digits, "18", 2) == 0);
}

static bool has_word(const struct lex_column *col, const char *word)
{
    for (size_t i = 0; i < col->word_count; i++)
        if (strcmp(col->words[i].fold, word) == 0) return true;
    return false;
}

/* A column of bare years: open_year, and year in a key of several columns. */
static bool holds_years(const struct lex_column *col)
{
    return col->class != CLASS_DATE && col->class != CLASS_FLAG && has_word(col, "year");
}

static bool takes_number(const struct span *s, const struct lex_column *col, bool year)
{
    if (col->class == CLASS_NUMBER || (col->class == CLASS_DATE && (s->range.from || s->range.to))) return true;
    if (col->class != CLASS_TEXT) return false;
    const char *last = col->word_count ? col->words[col->word_count - 1].fold : "";
    return (year && (strcmp(last, "year") == 0 || strcmp(last, "date") == 0)) ||
           (col->mention_count && col->mentions[0].kind <= MENTION_WINDOW);
}

/* The room for columns is small: years for a year, what is named whole, in part, the rest of the tables spoken of. */
static void add_number_columns(struct linked *l, struct span *s)
{
    bool fraction = strchr(s->text, '.') != NULL, year = year_like(s->text);
    if (!fraction && !year) {
        span_column_add(s, COLUMN_HAVING, s->text, MATCH_EXACT);
        span_column_add(s, COLUMN_LIMIT, s->text, MATCH_EXACT);
    }
    for (int pass = 0; pass < 7; pass++)
        for (size_t i = 0; i < l->real_columns; i++) {
            const struct lex_column *col = &l->columns[i];
            if (!takes_number(s, col, year)) continue;
            bool named = col->mention_count && col->mentions[0].kind <= MENTION_WINDOW;
            bool half = col->mention_count > 0, tie = col->key || col->foreign;
            bool near = l->tables[col->table].mention_count > 0;
            bool take = pass == 0   ? named && (near || !tie)
                        : pass == 1 ? year && holds_years(col)
                        : pass == 2 ? half && !tie
                        : pass == 3 ? near && !tie
                        : pass == 4 ? half
                        : pass == 5 ? !tie && l->real_columns < 60
                                    : near; /* room 111, flight number 99: the key itself */
            if (take) span_column_add(s, i, s->text, MATCH_EXACT);
        }
}

/* between 2009 and 2011: a range of dates, and two numbers for columns of bare years. */
static bool year_in_range(struct linked *l, size_t p)
{
    const struct word *x = &l->words.items[p];
    struct span *s = NULL;
    if (!year_like(x->number)) return true;
    for (size_t i = 0; i < l->real_columns; i++) {
        if (!holds_years(&l->columns[i])) continue;
        if (!s && !(s = span_add(l, SPAN_NUMBER, p, p + 1, x->number))) return false;
        span_column_add(s, i, s->text, MATCH_EXACT);
    }
    return true;
}

static void number_spans(struct linked *l)
{
    const struct words *q = &l->words;
    for (size_t p = 0; p < q->count; p++) {
        const struct word *x = &q->items[p];
        if (!(x->flags & WORD_NUMBER)) continue;
        struct span *found = NULL;
        bool time = false;
        for (size_t i = 0; i < l->span_count; i++) {
            if (!overlaps(&l->spans[i], p, p + 1)) continue;
            found = &l->spans[i];
            time |= found->kind == SPAN_TIME && found->end - found->first > 1;
        }
        if (time && !year_in_range(l, p)) return;
        if (time || (found && found->end - found->first > 1)) continue;
        if (!found && !(found = span_add(l, SPAN_NUMBER, p, p + 1, x->number))) return;
        if (found->kind == SPAN_TIME || found->kind == SPAN_VALUE) found->kind = SPAN_NUMBER;
        found->text = x->number;
        add_number_columns(l, found);
    }
}

void link_spans(struct linked *l, const struct value_index *values, int64_t now_us)
{
    l->span_count = 0;
    time_spans(l, now_us);
    const struct value_scope *scope = values ? value_scope_open(l->call, values, l->view) : NULL;
    if (scope) value_spans(l, scope);
    quote_spans(l);
    number_spans(l);
    part_spans(l);
    code_spans(l, scope);
    capital_spans(l);
}
