/* Stage one: the linear models over the linked question. */
#include "planners/lexical/assemble.h"

#include <math.h>
#include <string.h>

static void log_softmax(float *v, size_t n)
{
    float top = v[0];
    for (size_t i = 1; i < n; i++)
        if (v[i] > top) top = v[i];
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += exp((double)(v[i] - top));
    float norm = top + (float)log(sum);
    for (size_t i = 0; i < n; i++) v[i] -= norm;
}

static bool said_before(const struct words *q, size_t at, const char *const *cues, size_t count)
{
    for (size_t back = 1; back <= 3 && back <= at; back++) {
        const char *w = q->items[at - back].fold;
        for (size_t i = 0; i < count; i++)
            if (strcmp(w, cues[i]) == 0) return true;
        if (strcmp(w, "the") != 0 && strcmp(w, "year") != 0) return false;
    }
    return false;
}

static const char lives[] = " born birth births birthday birthdays birthdate birthdates dob "
                            "died dead death deaths deceased ";

bool column_is_life(const struct lex_column *col)
{
    for (size_t i = 0; i < col->word_count; i++)
        if (word_listed(lives, col->words[i].fold)) return true;
    return false;
}

bool life_told(const struct linked *l)
{
    static const char ages[] = " old age aged older younger oldest youngest eldest elder young ";
    for (size_t p = 0; p < l->words.count; p++)
        if (word_in_list(&l->words, p, lives) || word_in_list(&l->words, p, ages)) return true;
    return false;
}

/* Of several date columns: one that is named, whose table is named, that carries its table's name or comes first. */
float date_prior(const struct linked *l, size_t column)
{
    const struct lex_column *col = &l->columns[column];
    const struct lex_table *t = &l->tables[col->table];
    float v = t->mention_count && t->mentions[0].kind <= MENTION_PART ? 1.5f : 0;
    const struct lex_column *named = col->grain >= 0 ? &l->columns[col->base] : col;
    if (named->mention_count && named->mentions[0].kind <= MENTION_HEAD) v += col->grain < 0;
    if (named->mention_count && named->mentions[0].kind == MENTION_SYNONYM &&
        word_in_list(&l->words, named->mentions[0].first, " new join joined joining joins signed "))
        v += 1;                                                        /* joined: registered on */
    for (size_t i = 0; i < named->word_count && l->trade_columns; i++) /* money that came in */
        if (word_listed(" paid payment ", named->words[i].fold)) {
            v += 0.8f;
            break;
        }
    if (column_is_life(col)) v += life_told(l) ? 1.5f : -1.5f;
    for (size_t i = 0; i < col->word_count; i++)
        if (col->words[i].of_table) {
            v += 0.7f;
            break;
        }
    size_t base = col->grain >= 0 ? col->base : column;
    bool first = true, number = false; /* a number of its table is asked for */
    for (size_t i = t->first_column; i < base; i++) first &= l->columns[i].class != CLASS_DATE;
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++) {
        const struct lex_column *x = &l->columns[i];
        number |= x->class == CLASS_NUMBER && !x->key && !x->foreign && x->mention_count &&
                  x->mentions[0].kind <= MENTION_NO_TABLE;
    }
    if (number) v += 0.8f;
    return v + (first ? 0.6f : 0);
}

bool span_is_time(const struct linked *l, const struct span *s)
{
    static const char *const cues[] = { "in",    "during",  "since", "from", "until",   "till", "before",
                                        "after", "between", "of",    "for",  "through", "on" };
    if (!s->range.from && !s->range.to) return false;
    if (s->kind != SPAN_TIME && !said_before(&l->words, s->first, cues, sizeof cues / sizeof *cues)) return false;
    bool dated = false;
    for (size_t k = 0; k < s->column_count; k++) {
        if (s->columns[k].column >= l->column_count) continue;
        const struct lex_column *col = &l->columns[s->columns[k].column];
        bool year = col->word_count && strcmp(col->words[col->word_count - 1].fold, "year") == 0;
        bool beside =
            col->mention_count && col->mentions[0].kind <= MENTION_NO_TABLE && col->mentions[0].end == s->first;
        if (year || (col->class != CLASS_DATE && beside)) return false;
        dated |= col->class == CLASS_DATE;
    }
    return dated;
}

/* Training questions hardly speak of time; what a time expression says is grammar: in 2025 holds a date column to a
 * year. */
static void time_prior(const struct linked *l, const struct span *s, float *v)
{
    if (!span_is_time(l, s)) return;
    for (size_t k = 0; k < s->column_count; k++)
        if (s->columns[k].column < l->column_count && l->columns[s->columns[k].column].class == CLASS_DATE)
            v[k] += 4.0f + date_prior(l, s->columns[k].column);
}

/* bin the date into month interval: where the bin is said that the unit at `at` is of, or `at` itself. */
static size_t bin_before(const struct words *q, size_t at)
{
    for (size_t p = at; p > 0 && p + 10 > at; p--)
        if (q->items[p - 1].flags & WORD_DRAWN && strncmp(q->items[p - 1].fold, "bin", 3) == 0) return p - 1;
    return at;
}

static bool named_within(const struct lex_column *col, size_t first, size_t end)
{
    for (size_t i = 0; i < col->mention_count; i++)
        if (first <= col->mentions[i].first && col->mentions[i].end <= end && col->mentions[i].kind <= MENTION_PART)
            return true;
    return false;
}

/* per month, by year, monthly: the cut date column is what is grouped by and shown. */
static void grain_prior(struct linked *l, float *column)
{
    static const char *const strong[] = { "per", "by", "each", "every" }, *const asked[] = { "which", "what" };
    bool bins = false; /* of what is binned no other unit is asked for */
    for (size_t i = l->real_columns; i < l->column_count; i++)
        bins |= bin_before(&l->words, l->columns[i].mentions[0].first) < l->columns[i].mentions[0].first;
    for (size_t i = l->real_columns; i < l->column_count; i++) {
        struct lex_column *col = &l->columns[i];
        size_t at = col->mentions[0].first, bin = bin_before(&l->words, at);
        const char *word = l->words.items[at].fold;
        size_t n = strlen(word);
        bool adverb = n > 2 && word[n - 1] == 'y' && word[n - 2] == 'l';
        col->asked = bins ? bin < at : adverb || said_before(&l->words, at, strong, 4);
        float v = col->asked ? 4.0f : !bins && said_before(&l->words, at, asked, 2) ? 2.5f : -3.0f;
        v += date_prior(l, i) - 1.5f;
        if (col->asked && bins && named_within(&l->columns[col->base], bin, at)) {
            v += 2;
            column[col->base * COLUMN_ROLES + ROLE_SELECT] -= 4;
            column[col->base * COLUMN_ROLES + ROLE_GROUP] -= 4;
        }
        column[i * COLUMN_ROLES + ROLE_GROUP] += v;
        column[i * COLUMN_ROLES + ROLE_SELECT] += v;
        column[i * COLUMN_ROLES + ROLE_AGG] -= 3;
    }
}

void link_explained(struct linked *l, const struct weights *w)
{
    size_t kept = 0;
    l->doubt = l->doubt_most = 0;
    for (size_t p = 0, at = 0; p < l->words.count; p++) {
        const struct word *x = &l->words.items[p];
        if (!(x->flags & (WORD_STOP | WORD_NAMELESS))) l->doubts[p] = word_doubt(w, x);
        if (at >= l->unexplained_count || x->text != l->unexplained[at]) continue;
        at++;
        if (l->doubts[p] < DOUBT_LEAST) continue;
        l->unexplained[kept++] = x->text;
        l->doubt += l->doubts[p];
        if (l->doubts[p] > l->doubt_most) l->doubt_most = l->doubts[p];
    }
    l->unexplained_count = kept;
}

static void score_span(const struct weights *w, const struct context *x, struct linked *l, size_t index,
                       struct features *f)
{
    struct span *s = &l->spans[index];
    float v[SPAN_COLUMNS_MAX + 1];
    for (size_t k = 0; k < s->column_count; k++) {
        features_span(x, index, &s->columns[k], f);
        model_sums(&w->models[MODEL_SPAN], f, &v[k]);
    }
    struct span_column nothing = { .column = COLUMN_NOTHING };
    features_span(x, index, &nothing, f);
    model_sums(&w->models[MODEL_SPAN], f, &v[s->column_count]);
    time_prior(l, s, v);
    log_softmax(v, s->column_count + 1);
    for (size_t k = 0; k < s->column_count; k++) s->columns[k].score = v[k];
    s->nothing = v[s->column_count];
}

void score_operator(const struct weights *w, const struct context *x, size_t span, size_t column, float out[OP_CLASSES])
{
    struct features f;
    features_operator(x, span, column, &f);
    model_sums(&w->models[MODEL_OPERATOR], &f, out);
    log_softmax(out, OP_CLASSES);
}

void score_question(struct call *c, const struct weights *w, const struct context *x, struct linked *l,
                    struct scores *out)
{
    struct features f;
    const struct model *sketch = &w->models[MODEL_SKETCH];
    out->sketch = call_array(c, sketch->outputs, sizeof *out->sketch);
    features_question(x, &f);
    model_sums(sketch, &f, out->sketch);
    for (int i = 0; i < 5; i++)
        log_softmax(out->sketch + w->factor_first[i], w->factor_first[i + 1] - w->factor_first[i]);
    out->column = call_array(c, l->column_count * COLUMN_ROLES + 1, sizeof *out->column);
    for (size_t i = 0; i < l->column_count; i++) {
        features_column(x, i, &f);
        model_sums(&w->models[MODEL_COLUMN], &f, out->column + i * COLUMN_ROLES);
    }
    grain_prior(l, out->column);
    out->table = call_array(c, l->table_count * TABLE_ROLES + 1, sizeof *out->table);
    for (size_t i = 0; i < l->table_count; i++) {
        features_table(x, i, &f);
        model_sums(&w->models[MODEL_TABLE], &f, out->table + i * TABLE_ROLES);
    }
    for (size_t i = 0; i < l->span_count; i++) score_span(w, x, l, i, &f);
}
