/* link: what the words of a question may mean in a schema. Tables and columns of the view are flattened into numbered
 * items; each gets its mentions. Spans (values found in the data, quotes, numbers, time expressions) get the columns
 * they may belong to. Cost grows with question times schema, never with the data. */
#ifndef QUERENT_LEXICAL_LINK_H
#define QUERENT_LEXICAL_LINK_H

#include "base/words.h"
#include "plan/plan.h"
#include "schema/value_index.h"

#define WORD_NAMELESS (WORD_MARK | WORD_DRAWN) /* flags of what is never part of a name or literal */

#define NAME_WORDS_MAX   8
#define MENTIONS_MAX     3
#define SPANS_MAX        24
#define SPAN_COLUMNS_MAX 24

enum mention_kind {                   /* best first */
                    MENTION_EXACT,    /* all words, in order, side by side */
                    MENTION_NO_TABLE, /* the same without the words of its table */
                    MENTION_WINDOW,   /* all words near each other */
                    MENTION_NO_ID,    /* the same without id, code, number */
                    MENTION_HEAD,     /* some words, with the last one */
                    MENTION_PART,     /* some words */
                    MENTION_WEAK,     /* abbreviation, prefix or typo only */
                    MENTION_SYNONYM,
                    MENTION_NONE
};

struct mention {
    enum mention_kind kind;
    size_t first, end; /* words of the question */
    float score;       /* share of the name's information that was found, times the quality of each match */
};

/* Broad classes of a column's values. */
enum value_class { CLASS_NUMBER, CLASS_TEXT, CLASS_DATE, CLASS_FLAG };

struct name_word {
    const char *fold, *stem;
    uint32_t hash;
    const char *expanded[2]; /* stems of an abbreviation: fname -> first name */
    float weight;            /* information: rare words say more */
    bool id;                 /* id, code, number, key: often dropped in speech */
    bool of_table;           /* also a word of its table's name */
};

struct lex_table {
    const struct table *table;
    struct name_word words[NAME_WORDS_MAX];
    size_t word_count;
    struct mention mentions[MENTIONS_MAX];
    size_t mention_count;
    size_t first_column, column_count;
    bool bridge; /* little more than two keys */
};

struct lex_column {
    size_t table;
    const struct column *column;
    struct name_word words[NAME_WORDS_MAX];
    size_t word_count;
    struct mention mentions[MENTIONS_MAX];
    size_t mention_count;
    enum value_class class;
    bool key, foreign, name_like, id_like;
    size_t same_name; /* columns of this name in the view */
    bool traded;      /* holds what a word of trade asks for */
    bool asked;       /* of a grain: per month, monthly; not just a word that may mean it */
    int grain;        /* -1, or enum unit or GRAIN_WEEKDAY: not a column but a column cut to this unit */
    size_t base;      /* of a grain: the column it cuts */
    uint32_t head;    /* hash of its last word */
};

/* CODE: a word whose value is stored as a code (female, F). FLAG: the name of a yes-or-no column, which says that it
 * holds, or with a word of denial that it does not. */
enum span_kind { SPAN_VALUE, SPAN_QUOTE, SPAN_CAPITAL, SPAN_NUMBER, SPAN_TIME, SPAN_CODE, SPAN_FLAG };

/* A time expression: half-open range of ISO dates, either end may be open (NULL). */
struct time_range {
    const char *from, *to;
};

#define GRAIN_WEEKDAY (UNIT_SECOND + 1)

#define COLUMN_HAVING  ((size_t)-2) /* a number compared with count(*) of a group */
#define COLUMN_LIMIT   ((size_t)-3) /* how many rows are wanted */
#define COLUMN_NOTHING ((size_t)-1)

struct span_column {
    size_t column; /* item, or COLUMN_… */
    const char *value;
    enum value_match match;
    float score; /* log-odds, filled by the binding model */
};

struct span {
    enum span_kind kind;
    size_t first, end;
    const char *text; /* as written, or the digits of a number */
    struct time_range range;
    struct span_column columns[SPAN_COLUMNS_MAX];
    size_t column_count;
    float nothing;  /* score of being no literal at all */
    bool part;      /* the letter s, starting with Sa: no whole value */
    uint32_t named; /* the best kinds of names on its words: 16 * of a table + of a column */
};

/* Of linked.weights, in hundredths: the word may name something here; it does for sure. */
#define WEIGHT_LEAST 40
#define WEIGHT_SURE  60
/* Of linked.doubts: the word has to be explained. */
#define DOUBT_SURE 0.55f

struct linked {
    struct call *call;
    const struct view *view;
    struct words words;
    struct lex_table *tables;
    size_t table_count;
    struct lex_column *columns;
    size_t column_count, real_columns; /* grains stand behind the real ones */
    struct span spans[SPANS_MAX];
    size_t span_count;
    uint32_t *tags;           /* beside words: placeholder hash of the strongest mention, or the stem's */
    uint8_t *roles;           /* beside words: 'c' column 't' table 'b' both 'v' value 'n' number or 0 */
    uint8_t *weights;         /* beside words: does any mention or span cover it */
    const char **unexplained; /* content words that nothing in the view explains */
    size_t unexplained_count, content_count;
    size_t trade_columns,
        trade_at;            /* that many columns may be meant by a word of trade, which stands there; 0 = none */
    bool trade_weak;         /* they hold it only for want of better ones */
    float *doubts;           /* beside words: of content words, what their being unexplained would cost */
    float doubt, doubt_most; /* of those that are unexplained: all together, and the greatest */
};

/* Everything at once. values may be NULL. */
void link_question(struct call *c, const struct view *view, const struct value_index *values, const char *question,
                   int64_t now_us, struct linked *out);

/* The same view, read again for words that were made of the question's. */
void link_again(const struct linked *from, const struct words *words, const struct value_index *values, int64_t now_us,
                struct linked *out);

#define NARROWED_MAX 90 /* tables of that part at most */
/* The view, or of a large one the part that the question may speak of. */
const struct view *link_narrow(struct call *c, const struct view *view, const struct value_index *values,
                               const struct words *q);
/* How near the column is to what a word of dimension (expensive, heaviest) asks for: 0 is nearest; -1 = it is not. */
int dimension_rank(const char *said, const struct lex_column *col);
/* One edit (replace, insert, delete, swap of neighbours) apart; first letters must agree, short words never do. */
bool one_edit(const char *a, const char *b);
/* Do schema authors write the one for the other (qty, quantity)? longer is a stem. */
bool link_abbreviates(const char *shorter, const char *longer);
void link_schema(struct call *c, struct stemmer *st, const struct view *view, struct linked *l);
/* Note form as sentences: payments by method, the number of payments for each method. Before the mentions. */
void link_terse(struct linked *l, struct stemmer *st);
/* Puts what words of trade ask for as a total of a column, where neither names nor values explain them; true when it
 * did: names and values are to be found again, and link_traded() says what else may be meant. */
bool link_trade(struct linked *l, struct stemmer *st);
void link_traded(struct linked *l);
void link_grains(struct linked *l);                         /* adds cut date columns when the question names a unit */
const char *grain_name(int grain);                          /* month, weekday */
int grain_at(const struct words *q, size_t p, size_t *end); /* the unit at p, -1 = none; *end: the word behind it */
void link_mentions(struct linked *l);                       /* schema words in the question */
void link_synonyms(struct linked *l); /* words that nothing explains, as said for the words of names */
void link_spans(struct linked *l, const struct value_index *values, int64_t now_us);
void link_tags(struct linked *l);
/* Births and deaths are told by their words: customers of 2025 were not born then. */
bool column_is_life(const struct lex_column *col);
bool life_told(const struct linked *l);
/* How likely a date column (or a grain) is the one that is meant, as log-odds: named, its table's own, the first. */
float date_prior(const struct linked *l, size_t column);
/* The span is a time for sure: after in, since, between; or more than a bare year. */
bool span_is_time(const struct linked *l, const struct span *s);
size_t time_spans(struct linked *l, int64_t now_us);                 /* dates.c */
void code_spans(struct linked *l, const struct value_scope *values); /* codes.c; values may be NULL */
/* spans.c: NULL when there is no room for another; a column stands in a span once. */
struct span *span_add(struct linked *l, enum span_kind kind, size_t first, size_t end, const char *text);
void span_column_add(struct span *s, size_t column, const char *value, enum value_match match);
bool name_word_said(const struct linked *l, const struct name_word *w); /* anywhere, or what it abbreviates */
bool word_in_span(const struct linked *l, size_t at);                   /* is this word part of a literal */
/* Does the word name a unit of time, as in per month? It is done, whatever else it might be taken for. */
bool word_is_unit(const struct linked *l, size_t at);
bool word_in_name(const struct linked *l, size_t at); /* is it part of the name of a table or column */

#endif
