/* Literals that the question says in other words than the data: female for F, Louisiana for LA, and the name of a
 * yes-or-no column for its yes. Which columns hold codes is read from their most frequent values. */
#include "planners/lexical/cues.h"
#include "planners/lexical/link.h"

#include <ctype.h>
#include <string.h>

#define CODE_LENGTH   3
#define LETTERS_MAX   5 /* a column of single letters has no more different ones */
#define CODE_HITS     16
#define DENIAL_BEFORE 4 /* words between a denial and what it denies */

/* Length of the codes a column holds, 0 when it holds none: all frequent values are as many capital letters. */
static size_t code_length(const struct column *col)
{
    if (!col->sample_count) return 0;
    size_t n = strlen(col->samples[0]);
    if (n < 1 || n > CODE_LENGTH) return 0;
    for (size_t i = 0; i < col->sample_count; i++) {
        if (strlen(col->samples[i]) != n) return 0;
        for (size_t k = 0; k < n; k++)
            if (!isupper((unsigned char)col->samples[i][k])) return 0;
    }
    if (n == 1 && (col->distinct_count > LETTERS_MAX || col->sample_count < 2)) return 0;
    return n;
}

static bool holds_letter(const struct column *col, char letter)
{
    for (size_t i = 0; i < col->sample_count; i++)
        if (col->samples[i][0] == letter) return true;
    return false;
}

/* May the word be said for the letter? Where F and M are stored, only words for women and men are: girls is F, and
 * members is no M. Elsewhere the letter is the one that the word begins with. */
static bool says_letter(const struct column *col, const char *word, char letter)
{
    static const char women[] = " female females woman women girl girls lady ladies ",
                      men[] = " male males man men boy boys gentleman gentlemen ";
    bool sexes = holds_letter(col, 'F') && holds_letter(col, 'M');
    const char *list = letter == 'F' ? women : letter == 'M' ? men : NULL;
    if (!sexes || !list) return tolower((unsigned char)letter) == word[0];
    return word_listed(list, word);
}

/* female, F; large, L. */
static void letter_spans(struct linked *l)
{
    for (size_t p = 0; p < l->words.count; p++) {
        const struct word *x = &l->words.items[p];
        if (x->flags & (WORD_STOP | WORD_NAMELESS | WORD_NUMBER | WORD_QUOTED) || strlen(x->fold) < 3) continue;
        if (word_in_span(l, p) || word_in_name(l, p) || word_cues(&l->words, p)) continue;
        struct span *s = NULL;
        for (size_t i = 0; i < l->real_columns; i++) {
            const struct column *col = l->columns[i].column;
            if (l->columns[i].class != CLASS_TEXT || code_length(col) != 1) continue;
            for (size_t k = 0; k < col->sample_count; k++) {
                if (!says_letter(col, x->fold, col->samples[k][0])) continue;
                if (!s && !(s = span_add(l, SPAN_CODE, p, p + 1, x->text))) return;
                span_column_add(s, i, col->samples[k], MATCH_TRIGRAM);
            }
        }
    }
}

static const struct {
    const char *name, *code;
} states[] = {
    { "alabama", "AL" },        { "alaska", "AK" },       { "arizona", "AZ" },      { "arkansas", "AR" },
    { "california", "CA" },     { "colorado", "CO" },     { "connecticut", "CT" },  { "delaware", "DE" },
    { "florida", "FL" },        { "georgia", "GA" },      { "hawaii", "HI" },       { "idaho", "ID" },
    { "illinois", "IL" },       { "indiana", "IN" },      { "iowa", "IA" },         { "kansas", "KS" },
    { "kentucky", "KY" },       { "louisiana", "LA" },    { "maine", "ME" },        { "maryland", "MD" },
    { "massachusetts", "MA" },  { "michigan", "MI" },     { "minnesota", "MN" },    { "mississippi", "MS" },
    { "missouri", "MO" },       { "montana", "MT" },      { "nebraska", "NE" },     { "nevada", "NV" },
    { "new hampshire", "NH" },  { "new jersey", "NJ" },   { "new mexico", "NM" },   { "new york", "NY" },
    { "north carolina", "NC" }, { "north dakota", "ND" }, { "ohio", "OH" },         { "oklahoma", "OK" },
    { "oregon", "OR" },         { "pennsylvania", "PA" }, { "rhode island", "RI" }, { "south carolina", "SC" },
    { "south dakota", "SD" },   { "tennessee", "TN" },    { "texas", "TX" },        { "utah", "UT" },
    { "vermont", "VT" },        { "virginia", "VA" },     { "washington", "WA" },   { "west virginia", "WV" },
    { "wisconsin", "WI" },      { "wyoming", "WY" }
};

/* The short form of capitalised words [first, end): a state's code, or their initials. NULL when there is none. */
static const char *short_form(struct linked *l, size_t first, size_t end)
{
    const struct words *q = &l->words;
    struct buf b;
    buf_init(&b, l->call, 256);
    for (size_t p = first; p < end; p++) {
        if (p > first) buf_char(&b, ' ');
        buf_str(&b, q->items[p].fold);
    }
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(b.data, states[i].name) == 0) return states[i].code;
    if (end - first < 2 || end - first > CODE_LENGTH) return NULL;
    char initials[CODE_LENGTH + 1] = { 0 };
    for (size_t p = first; p < end; p++) initials[p - first] = (char)toupper((unsigned char)q->items[p].fold[0]);
    return call_strdup(l->call, initials);
}

static const char *state_of(const char *code)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(code, states[i].code) == 0) return states[i].name;
    return NULL;
}

/* Louisiana, LA and the other way round. */
static void short_spans(struct linked *l, const struct value_scope *values)
{
    const struct words *q = &l->words;
    struct value_hit hits[CODE_HITS];
    struct stemmer *st = stemmer_open(l->call);
    for (size_t p = 0, end; p < q->count; p = end) {
        end = p;
        while (end < q->count && q->items[end].flags & WORD_CAPITAL &&
               !(q->items[end].flags & (WORD_STOP | WORD_DRAWN)) && !word_in_span(l, end) && !word_in_name(l, end))
            end++;
        if (end == p) {
            end++;
            continue;
        }
        const char *text =
            call_strndup(l->call, q->text + q->items[p].begin, q->items[end - 1].end - q->items[p].begin);
        const char *name = end == p + 1 ? state_of(text) : NULL, *code = name ? NULL : short_form(l, p, end);
        if (!name && !code) continue;
        struct words w = { 0 };
        words_read(l->call, st, name ? name : code, &w);
        size_t n = value_scope_find(values, l->call, w.items, w.count, name ? name : code, hits, CODE_HITS);
        struct span *s = NULL;
        for (size_t i = 0; i < n; i++) {
            size_t column = l->tables[hits[i].table_index].first_column + hits[i].column_index;
            size_t length = code_length(l->columns[column].column);
            if (hits[i].match > MATCH_FOLDED || (code && length != strlen(code))) continue;
            if (!s && !(s = span_add(l, SPAN_CODE, p, end, text))) break;
            span_column_add(s, column, hits[i].value, MATCH_STEMMED);
        }
    }
    stemmer_close(st);
}

/* What a column of two values says for yes and no; false when it is not such a column. */
static bool flag_values(const struct lex_column *col, const char **yes, const char **no)
{
    static const char *const pairs[][2] = {
        { "t", "f" }, { "y", "n" }, { "yes", "no" }, { "true", "false" }, { "1", "0" }
    };
    const struct column *x = col->column;
    *yes = *no = NULL;
    if (col->class == CLASS_FLAG) {
        *yes = "true";
        *no = "false";
        return true;
    }
    if (col->class == CLASS_NUMBER) {
        bool bits = x->min && x->max && strcmp(x->min, "0") == 0 && strcmp(x->max, "1") == 0;
        if (!bits || x->type.kind != TYPE_INTEGER || col->key || col->foreign) return false;
        *yes = "1";
        *no = "0";
        return true;
    }
    if (col->class != CLASS_TEXT || x->sample_count < 1 || x->sample_count > 2 || x->distinct_count > 2) return false;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        *yes = *no = NULL;
        size_t known = 0;
        for (size_t k = 0; k < x->sample_count; k++) {
            if (strcasecmp(x->samples[k], pairs[i][0]) == 0) *yes = x->samples[k], known++;
            if (strcasecmp(x->samples[k], pairs[i][1]) == 0) *no = x->samples[k], known++;
        }
        if (known == x->sample_count) return true;
    }
    return false;
}

static bool denied(const struct words *q, size_t at)
{
    for (size_t back = 1; back <= DENIAL_BEFORE && back <= at; back++)
        if (word_cues(q, at - back) >> CUE_NOT & 1) return true;
    return false;
}

/* One span for all flags that are named by the same words. */
static void flag_spans(struct linked *l)
{
    for (size_t i = 0; i < l->real_columns; i++) {
        const struct lex_column *col = &l->columns[i];
        const char *yes, *no;
        if (!col->mention_count || col->mentions[0].kind > MENTION_PART || !flag_values(col, &yes, &no)) continue;
        const struct mention *m = &col->mentions[0];
        if (word_in_span(l, m->first)) continue;
        const char *value = denied(&l->words, m->first) ? no : yes;
        struct span *s = NULL;
        for (size_t k = 0; k < l->span_count; k++)
            if (l->spans[k].kind == SPAN_FLAG && l->spans[k].first == m->first && l->spans[k].end == m->end)
                s = &l->spans[k];
        if (value && (s || (s = span_add(l, SPAN_FLAG, m->first, m->end, value))))
            span_column_add(s, i, value, MATCH_TRIGRAM);
    }
}

void code_spans(struct linked *l, const struct value_scope *values)
{
    letter_spans(l);
    if (values) short_spans(l, values);
    flag_spans(l);
}
