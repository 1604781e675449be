#include "base/words.h"

#include <ctype.h>
#include <libstemmer.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

struct stemmer {
    struct sb_stemmer *english;
};

struct stemmer *stemmer_open(struct call *c)
{
    struct stemmer *s = call_alloc(c, sizeof *s);
    s->english = sb_stemmer_new("english", "UTF_8");
    return s;
}

void stemmer_close(struct stemmer *s)
{
    if (s->english) sb_stemmer_delete(s->english);
    s->english = NULL;
}

const char *stem_word(struct call *c, struct stemmer *s, const char *folded)
{
    size_t n = strlen(folded);
    if (!s->english || n < 3 || n > 60) return folded;
    const sb_symbol *out = sb_stemmer_stem(s->english, (const sb_symbol *)folded, (int)n);
    if (!out) return folded;
    return call_strndup(c, (const char *)out, (size_t)sb_stemmer_length(s->english));
}

uint32_t hash_text(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    h ^= h >> 15;
    return h * 2246822519u;
}

uint32_t hash_pair(uint32_t a, uint32_t b)
{
    uint32_t h = a * 2654435761u ^ (b + 0x9e3779b9u + (a << 6) + (a >> 2));
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    return h ^ (h >> 16);
}

static bool is_ascii(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] >= 0x80) return false;
    return true;
}

const char *fold_text(struct call *c, const char *s, size_t n)
{
    if (!is_ascii(s, n)) {
        const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD |
                                          UTF8PROC_STRIPMARK | UTF8PROC_IGNORE;
        size_t room = n * 4 + 8;
        utf8proc_int32_t *points = call_array(c, room + 1, sizeof *points);
        utf8proc_ssize_t count = utf8proc_decompose((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)n, points,
                                                    (utf8proc_ssize_t)room, options);
        if (count >= 0 && (size_t)count <= room) {
            utf8proc_ssize_t bytes = utf8proc_reencode(points, count, options);
            if (bytes >= 0) return (const char *)points;
        }
    }
    char *copy = call_strndup(c, s, n);
    for (char *p = copy; *p; p++) *p = (char)tolower((unsigned char)*p);
    return copy;
}

/* Function words. They tell shapes of questions, and never name a thing of the schema by themselves. */
static const char *const stop_words[] = {
    "a",     "about", "all",   "also",  "an",    "and",   "any",  "are",  "as",      "at",     "be",    "been",
    "both",  "but",   "by",    "can",   "could", "did",   "do",   "does", "each",    "either", "every", "find",
    "for",   "from",  "give",  "had",   "has",   "have",  "he",   "her",  "his",     "how",    "i",     "if",
    "in",    "into",  "is",    "it",    "its",   "list",  "many", "me",   "much",    "must",   "my",    "no",
    "nor",   "not",   "of",    "on",    "or",    "other", "our",  "out",  "return",  "s",      "she",   "should",
    "show",  "so",    "some",  "such",  "tell",  "than",  "that", "the",  "their",   "them",   "then",  "there",
    "these", "they",  "this",  "those", "to",    "up",    "us",   "was",  "we",      "were",   "what",  "when",
    "where", "which", "while", "who",   "whom",  "whose", "will", "with", "without", "would",  "you",   "your"
};

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool word_is_stop(const char *folded)
{
    return bsearch(&folded, stop_words, sizeof stop_words / sizeof *stop_words, sizeof *stop_words, compare_text) !=
           NULL;
}

static const struct {
    const char *word, *digits;
} number_words[] = { { "once", "1" },      { "one", "1" },         { "single", "1" },       { "twice", "2" },
                     { "two", "2" },       { "thrice", "3" },      { "three", "3" },        { "four", "4" },
                     { "five", "5" },      { "six", "6" },         { "seven", "7" },        { "eight", "8" },
                     { "nine", "9" },      { "ten", "10" },        { "eleven", "11" },      { "twelve", "12" },
                     { "twenty", "20" },   { "thirty", "30" },     { "forty", "40" },       { "fifty", "50" },
                     { "hundred", "100" }, { "thousand", "1000" }, { "million", "1000000" } };

/* Bytes of the character at s. A byte that is no UTF-8 is a character of its own. */
static size_t character(const char *s, utf8proc_int32_t *point)
{
    *point = (unsigned char)*s;
    if ((unsigned char)*s < 0x80) return 1;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)strnlen(s, 4), point);
    if (n > 0) return (size_t)n;
    *point = -1;
    return 1;
}

/* Bytes of the letter, digit or accent at s, 0 when there stands something else: blank, dash, currency, bullet. */
static size_t letter(const char *s)
{
    utf8proc_int32_t point;
    size_t n = character(s, &point);
    if (point >= 0 && point < 0x80) return isalnum((int)point) ? 1 : 0;
    if (point < 0) return n;
    utf8proc_category_t k = utf8proc_category(point);
    return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_NO ? n : 0;
}

/* Does a letter end right before s + i? */
static bool letter_before(const char *s, size_t i)
{
    if (!i) return false;
    size_t at = i - 1;
    while (at > 0 && i - at < 4 && ((unsigned char)s[at] & 0xc0) == 0x80) at--;
    return letter(s + at) == i - at;
}

static bool all_digits(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i])) return false;
    return n > 0;
}

/* Length of a number at s: 12, 1,250, 3.5, -4 (a minus only after a blank), or 0. */
static size_t number_length(const char *s, bool sign)
{
    size_t i = sign && s[0] == '-' ? 1 : 0;
    if (!isdigit((unsigned char)s[i])) return 0;
    while (isdigit((unsigned char)s[i]) ||
           (s[i] == ',' && all_digits(s + i + 1, 3) && !isdigit((unsigned char)s[i + 4])))
        i++;
    if (s[i] == '.' && isdigit((unsigned char)s[i + 1])) {
        i++;
        while (isdigit((unsigned char)s[i])) i++;
    }
    return letter(s + i) || s[i] == '_' ? 0 : i;
}

static bool is_iso_date(const char *s)
{
    static const char shape[] = "dddd-dd-dd";
    for (size_t i = 0; i < 10; i++)
        if (shape[i] == 'd' ? !isdigit((unsigned char)s[i]) : s[i] != '-') return false;
    return !isdigit((unsigned char)s[10]) && s[10] != '-';
}

static const char *strip_commas(struct call *c, const char *s, size_t n)
{
    char *out = call_alloc(c, n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (s[i] != ',') out[k++] = s[i];
    return out;
}

static struct word *add_word(struct call *c, struct stemmer *st, struct words *w, size_t begin, size_t end,
                             unsigned flags)
{
    if (w->count == WORDS_MAX) {
        w->truncated = true;
        return NULL;
    }
    struct word *x = &w->items[w->count++];
    x->begin = begin;
    x->end = end;
    x->text = call_strndup(c, w->text + begin, end - begin);
    x->fold = fold_text(c, x->text, end - begin);
    x->flags = flags;
    if (flags & WORD_NUMBER) x->number = strip_commas(c, x->text, end - begin);
    if (isupper((unsigned char)x->text[0])) x->flags |= WORD_CAPITAL;
    if (!(flags & (WORD_MARK | WORD_NUMBER | WORD_DATE))) {
        for (size_t i = 0; i < sizeof number_words / sizeof *number_words; i++)
            if (strcmp(x->fold, number_words[i].word) == 0) {
                x->number = number_words[i].digits;
                x->flags |= WORD_NUMBER | WORD_NUMBER_WORD;
            }
        if (word_is_stop(x->fold)) x->flags |= WORD_STOP;
    }
    x->stem = flags & (WORD_MARK | WORD_NUMBER | WORD_DATE) ? x->fold : stem_word(c, st, x->fold);
    x->hash = hash_text(x->stem);
    return x;
}

/* Byte length of an opening or closing quotation mark at s, 0 when there is none. A bare ' or " is either. */
static size_t quote_mark(const char *s)
{
    static const char *const marks[] = { "\"",     "'",      "`",      "\u201c", "\u201d",
                                         "\u2018", "\u2019", "\u201e", "\u00ab", "\u00bb" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(s, marks[i], strlen(marks[i])) == 0) return strlen(marks[i]);
    return 0;
}

/* End of the quotation that opens at `at` (a mark of `mark` bytes), or 0. An apostrophe inside a word closes nothing.
 */
static size_t quote_end(const char *s, size_t at, size_t mark)
{
    bool two = s[at] == '\'' && s[at + 1] == '\''; /* ''text'' */
    for (size_t i = at + mark + (two ? 1 : 0); s[i] && i < at + 120; i++) {
        size_t m = quote_mark(s + i);
        if (!m) continue;
        bool inside = letter_before(s, i) && letter(s + i + m);
        if (!inside && i > at + mark) return i;
    }
    return 0;
}

static bool opens_quote(const char *s, size_t i)
{
    return !letter_before(s, i);
}

void words_read(struct call *c, struct stemmer *st, const char *text, struct words *w)
{
    w->text = text;
    w->items = call_array(c, WORDS_MAX, sizeof *w->items);
    size_t closing = 0;
    bool first = true, marked = false; /* a quotation mark that is no quotation stands right before */
    for (size_t i = 0; text[i] && !w->truncated;) {
        size_t mark = quote_mark(text + i), n;
        if (closing && i >= closing) {
            w->quotes[w->quote_count++].end = w->count;
            i += mark;
            while (quote_mark(text + i) == 1 && text[i] == '\'') i++;
            closing = 0;
            continue;
        }
        unsigned quoted = closing ? WORD_QUOTED : 0;
        if (!closing && mark && opens_quote(text, i) && w->quote_count < QUOTES_MAX &&
            (closing = quote_end(text, i, mark))) {
            size_t from = i + mark;
            while (text[from] == '\'') from++;
            w->quotes[w->quote_count].first = w->count;
            w->quotes[w->quote_count].text = call_strndup(c, text + from, closing > from ? closing - from : 0);
            i = from > closing ? closing : from;
            continue;
        }
        struct word *x = NULL;
        bool apostrophe = marked;
        marked = false;
        if (is_iso_date(text + i)) {
            x = add_word(c, st, w, i, i + 10, WORD_DATE | quoted);
            i += 10;
        } else if ((n = number_length(text + i, i == 0 || text[i - 1] == ' '))) {
            x = add_word(c, st, w, i, i + n, WORD_NUMBER | quoted);
            i += n;
        } else if (letter(text + i)) {
            n = i;
            while (letter(text + n)) n += letter(text + n);
            bool possessive = n == i + 1 && (text[i] == 's' || text[i] == 'S') && apostrophe;
            if (!possessive) x = add_word(c, st, w, i, n, quoted);
            i = n;
        } else {
            if (strchr(",;:?!.()<>=%$&/*+", text[i])) {
                add_word(c, st, w, i, i + 1, WORD_MARK | quoted);
                if (strchr(".?!", text[i])) first = true;
            }
            utf8proc_int32_t point;
            marked = mark > 0;
            i += mark ? mark : character(text + i, &point);
        }
        if (x && first) {
            x->flags |= WORD_FIRST;
            first = false;
        }
    }
    if (closing && w->quote_count < QUOTES_MAX) w->quotes[w->quote_count++].end = w->count;
}

static size_t part_end(const char *s, size_t i)
{
    size_t j = i + letter(s + i);
    if (isdigit((unsigned char)s[i])) {
        while (isdigit((unsigned char)s[j])) j++;
        return j;
    }
    if (isupper((unsigned char)s[i]) && isupper((unsigned char)s[j])) { /* HTTPCode -> HTTP Code, URLs as they are */
        while (isupper((unsigned char)s[j])) j++;
        if (islower((unsigned char)s[j]) && j - i > 1 && !(s[j] == 's' && !isalpha((unsigned char)s[j + 1])))
            j--;
        else
            while (islower((unsigned char)s[j])) j++;
        return j;
    }
    while (letter(s + j) && !isupper((unsigned char)s[j]) && !isdigit((unsigned char)s[j])) j += letter(s + j);
    return j;
}

size_t name_words(struct call *c, struct stemmer *st, const char *name, struct word *out, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; name[i] && count < max;) {
        utf8proc_int32_t point;
        if (!letter(name + i)) {
            i += character(name + i, &point);
            continue;
        }
        size_t end = part_end(name, i);
        struct word *x = &out[count++];
        *x = (struct word){ .begin = i, .end = end };
        x->text = call_strndup(c, name + i, end - i);
        x->fold = fold_text(c, x->text, end - i);
        x->stem = st ? stem_word(c, st, x->fold) : x->fold;
        x->hash = hash_text(x->stem);
        if (word_is_stop(x->fold)) x->flags |= WORD_STOP;
        i = end;
    }
    return count;
}

bool word_listed(const char *list, const char *fold)
{
    size_t n = strlen(fold);
    for (const char *at = list; n && (at = strstr(at, fold)); at++)
        if (at > list && at[-1] == ' ' && at[n] == ' ') return true;
    return false;
}

bool word_in_list(const struct words *q, size_t p, const char *list)
{
    return p < q->count && word_listed(list, q->items[p].fold);
}

void name_spoken(struct buf *b, const char *name)
{
    for (const char *p = name; *p; p++) {
        bool seam = p > name && isupper((unsigned char)*p) && islower((unsigned char)p[-1]);
        if (seam) buf_char(b, ' ');
        buf_char(b, *p == '_' ? ' ' : seam ? (char)tolower((unsigned char)*p) : *p);
    }
}
