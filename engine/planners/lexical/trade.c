/* Words of trade, which schemas hardly use and every analyst does: revenue, turnover, sold best, how much did each
 * customer spend. They ask for a sum, of money or of pieces; which columns hold it their names tell. The question is
 * put as one for the total of such a column, and all columns that may be meant are said by that word; where they are
 * several nobody but the user knows which. */
#include "planners/lexical/edit.h"
#include "planners/lexical/link.h"

#include <string.h>

enum { MONEY = 1, PIECES = 2, PAY = 4 };

static const char revenues[] =
    " revenue revenues turnover sales income incomes earnings proceeds takings receipts money "
    "spending spendings expenditure expenditures ";
static const char pieces[] = " units pieces copies ";
static const char spends[] = " spend spends spent pay pays earn earned earns make makes made bring brought generate "
                             "generated bill billed ";
static const char sells[] = " sell sells selling sold seller sellers ";

/* What columns that hold it are called by their last word, those that say most first. */
static const char *const moneys[] = { " revenue revenues turnover sales income earnings proceeds takings receipts ",
                                      " amount total subtotal paid payment ",
                                      " fee fees fare fares charge charges premium premiums " };
static const char *const counts[] = { " quantity qty units pieces copies " };
/* Of one piece or of one month, of what comes in to go again, or of what was never paid: no part of a sum of sales,
 * some of it not even for want of a better one. */
#define RATHER_NOT " unit per max min maximum minimum average avg rate tax vat discount refund due outstanding "
static const char rather[] = RATHER_NOT, strange[] = RATHER_NOT "monthly weekly daily hourly yearly annual shipping ";
static const char pays[] = " salary salaries wage wages pay payroll ", payrolls[] = " payroll payrolls wages ";
static const char *const paid[] = { " salary wage wages pay " };
static const char people[] = " people persons headcount ";

struct trade {
    struct linked *l;
    struct edit edit;
    const char *word; /* what the sum is called in the question from now on */
};

static void drop(const struct trade *t, size_t p)
{
    edit_cut(&t->edit, p, p + 1);
}

static bool is(const struct trade *t, size_t p, const char *list)
{
    return word_in_list(&t->l->words, p, list);
}

static bool names(const struct mention *list, size_t count, size_t p)
{
    for (size_t k = 0; k < count; k++)
        if (list[k].kind <= MENTION_HEAD && list[k].first <= p && p < list[k].end) return true;
    return false;
}

/* Nothing else explains the word: no name, no value. The unit of a unit price is none of its names. */
static bool is_free(const struct trade *t, size_t p, const char *list)
{
    const struct linked *l = t->l;
    if (!is(t, p, list) || l->words.items[p].flags & (WORD_QUOTED | WORD_DRAWN) || word_in_span(l, p)) return false;
    for (size_t i = 0; i < l->table_count; i++)
        if (names(l->tables[i].mentions, l->tables[i].mention_count, p)) return false;
    for (size_t i = 0; i < l->real_columns; i++)
        if (names(l->columns[i].mentions, l->columns[i].mention_count, p)) return false;
    return true;
}

static bool holds(const struct lex_column *col, const char *names, const char * not )
{
    if (col->class != CLASS_NUMBER || col->key || col->foreign || col->id_like || !col->word_count) return false;
    if (!word_listed(names, col->words[col->word_count - 1].fold)) return false;
    for (size_t i = 0; i < col->word_count; i++)
        if (word_listed(not, col->words[i].fold)) return false;
    return true;
}

/* Marks the columns of the first list that any column is named by. */
static size_t mark(struct trade *t, const char *const *lists, size_t count, const char * not )
{
    size_t found = 0;
    for (size_t k = 0; k < count && !found; k++)
        for (size_t i = 0; i < t->l->real_columns; i++) {
            struct lex_column *col = &t->l->columns[i];
            if (!holds(col, lists[k], not )) continue;
            col->traded = true;
            found++;
            const char *head = col->words[col->word_count - 1].fold;
            if (!t->word) t->word = word_listed(" total subtotal ", head) ? "amount" : head;
        }
    return found;
}

static bool find_columns(struct trade *t, unsigned kinds)
{
    size_t n = 0;
    if (kinds & PIECES) n += mark(t, counts, sizeof counts / sizeof *counts, strange);
    if (kinds & MONEY) n += mark(t, moneys, sizeof moneys / sizeof *moneys, strange);
    if (kinds & PAY) n += mark(t, paid, sizeof paid / sizeof *paid, strange);
    t->l->trade_weak = kinds & MONEY && !n; /* for want of better: never sure */
    if (t->l->trade_weak) n = mark(t, moneys, sizeof moneys / sizeof *moneys, rather);
    t->l->trade_columns = n;
    return n > 0;
}

static void say(struct trade *t, size_t p, const char *word)
{
    edit_say(&t->edit, p, word);
}

/* "total" before the sum at p. */
static void say_total(struct trade *t, size_t p)
{
    t->l->trade_at = p + (size_t)edit_insert(&t->edit, p, "total");
}

static void say_sum(struct trade *t, size_t p)
{
    if (edit_insert(&t->edit, p, t->word)) say_total(t, p);
}

static void say_end(struct trade *t, size_t p)
{
    if (is(t, p, " most best top biggest largest greatest more ")) say(t, p, "highest");
    if (is(t, p, " least worst fewest smallest ")) say(t, p, "lowest");
}

/* order value, stock value: of what a table holds, or of nothing that stands behind. */
static bool is_worth(const struct trade *t, size_t p)
{
    if (!is_free(t, p, " value values ") || p == 0 || is(t, p + 1, " of ")) return false;
    bool table = is(t, p - 1, " stock total inventory basket cart ");
    for (size_t i = 0; i < t->l->table_count; i++) {
        const struct lex_table *x = &t->l->tables[i];
        table |= x->mention_count && x->mentions[0].kind <= MENTION_HEAD && x->mentions[0].end == p;
    }
    return table;
}

/* Deeds around the noun at p say nothing beside it: did we make, sold. Where the noun stands then. */
static size_t say_deeds(struct trade *t, size_t p)
{
    for (size_t i = t->l->words.count; i-- > 0;) { /* from the end: what was found of the words before stays true */
        const bool sold = i != p && is_free(t, i, sells);
        if (!sold && (i == p || !is_free(t, i, spends))) continue;
        if (!sold || (i > 0 && is(t, i - 1, " we they i you "))) {
            say(t, i, "have");
        } else {
            drop(t, i);
            p -= i < p;
        }
    }
    return p;
}

/* revenue, total sales, units sold */
static bool read_noun(struct trade *t, size_t p)
{
    const unsigned kind = is_free(t, p, revenues) || is_worth(t, p) ? MONEY
                          : is_free(t, p, pieces)                   ? PIECES
                          : is_free(t, p, payrolls)                 ? PAY
                                                                    : 0;
    if (!kind || (p > 1 && is(t, p - 1, " of ") && is(t, p - 2, " amount sum "))) return false; /* amount of money */
    if (!find_columns(t, kind)) return false;
    p = say_deeds(t, p);
    const bool computed = p > 0 && (is(t, p - 1, " total sum average mean overall combined ") ||
                                    (p > 1 && is(t, p - 2, " total average mean overall ")));
    if (p > 1 && is(t, p - 1, " many ") && is(t, p - 2, " how ")) {
        say(t, p - 2, "what");
        say(t, p - 1, "is");
    }
    if (p > 0) say_end(t, p - 1);
    say(t, p, t->word);
    t->l->trade_at = p;
    if (!computed) say_total(t, p);
    return true;
}

/* Somebody else earns what a column holds. */
static bool is_work_paid(const struct linked *l)
{
    for (size_t i = 0; i < l->real_columns; i++)
        for (size_t k = 0; k < l->columns[i].word_count; k++)
            if (word_listed(pays, l->columns[i].words[k].fold)) return true;
    return false;
}

/* spend on shipping fees: a number that has a name of its own, from p on. The word behind the name; 0 = there is none.
 */
static size_t spent_on(struct trade *t, size_t p)
{
    size_t end = 0;
    for (size_t i = 0; i < t->l->real_columns; i++) {
        struct lex_column *col = &t->l->columns[i];
        if (col->class != CLASS_NUMBER || col->key || col->foreign || !names(col->mentions, col->mention_count, p))
            continue;
        col->traded = true;
        t->l->trade_columns++;
        for (size_t k = 0; k < col->mention_count; k++)
            if (col->mentions[k].first <= p && p < col->mentions[k].end && col->mentions[k].end > end)
                end = col->mentions[k].end;
    }
    if (end) t->word = t->l->words.items[end - 1].fold;
    return end;
}

/* how much did each customer spend; what did we earn; which customer spent the most */
static bool read_spending(struct trade *t, size_t p)
{
    if (!is_free(t, p, spends)) return false;
    if (is(t, p, " earn earned earns ") && !(p > 0 && is(t, p - 1, " we i ")) && is_work_paid(t->l)) return false;
    size_t end = is(t, p + 1, " the ") ? p + 2 : p + 1, much = 0;
    for (size_t i = 1; i < p; i++)
        if (is(t, i, " much ") && is(t, i - 1, " how ")) much = i + 1;
    const bool last = end + 1 >= t->l->words.count || t->l->words.items[end + 1].flags & (WORD_STOP | WORD_MARK);
    if (is(t, end, " most least ") && is(t, p, " spend spends spent pay pays ") && last) {
        if (!find_columns(t, MONEY)) return false;
        say(t, p, "has");
        say_end(t, end);
        say_sum(t, end + 1);
        return true;
    }
    if (is(t, p, " spend spends spent ") && is(t, p + 1, " more less over under above below at ") &&
        find_columns(t, MONEY)) { /* spent more than 1000 */
        say(t, p, "have");
        say_sum(t, p + 1);
        return true;
    }
    if (!much && is(t, 0, " what ") && is(t, 1, " did do does ") && p <= 3) much = 1;
    const size_t behind = much && is(t, p + 1, " on ") ? spent_on(t, p + 2) : 0;
    if (behind) {
        say(t, p, "have");
        for (size_t i = behind; i-- > p + 1;) drop(t, i);
        say_sum(t, much);
        return true;
    }
    if (!much || !find_columns(t, MONEY)) return false;
    say(t, p, "have");
    say_sum(t, much);
    return true;
}

/* best selling products, the product that sold best, most sold */
static bool read_selling(struct trade *t, size_t p)
{
    static const char ends[] = " best top most highest worst least lowest ";
    if (!is_free(t, p, sells)) return false;
    size_t end = is(t, p + 1, " the ") ? p + 2 : p + 1;
    const size_t none = t->l->words.count;
    size_t of = p > 0 && is(t, p - 1, ends) ? p - 1 : is(t, end, ends) ? end : none;
    if (of == none || !find_columns(t, MONEY | PIECES)) return false;
    const char *way = is(t, of, " worst least lowest ") ? "lowest" : "highest";
    if (of > p) { /* sold best */
        say(t, p, "has");
        say(t, of, way);
        say_sum(t, of + 1);
        return true;
    }
    drop(t, of); /* best selling products: the selling is gone, and behind the name stands what is meant */
    drop(t, of);
    size_t at = of;
    while (at < t->l->words.count && word_in_name(t->l, at + 2)) at++;
    if (at == of && at < t->l->words.count) at++;
    if (of == 0 && edit_insert(&t->edit, 0, "which")) at++;
    if (edit_insert(&t->edit, at, "has") && edit_insert(&t->edit, at + 1, "the") && edit_insert(&t->edit, at + 2, way))
        say_sum(t, at + 3);
    return true;
}

/* never sold, not sold: nothing stands in the table that holds the pieces. */
static bool read_unsold(struct trade *t, size_t p)
{
    size_t first = p, table = t->l->table_count;
    if (!is_free(t, p, sells)) return false;
    while (first > 0 && p - first < 3 && is(t, first - 1, " been yet ever ")) first--;
    if (first == 0 || !is(t, first - 1, " never not ")) return false;
    first--;
    if (first > 0 && is(t, first - 1, " were was are is have has did do ")) first--;
    for (size_t i = 0; i < t->l->real_columns && table == t->l->table_count; i++)
        if (holds(&t->l->columns[i], counts[0], strange)) table = t->l->columns[i].table;
    if (table == t->l->table_count) return false;
    struct buf b;
    buf_init(&b, t->l->call, 4096);
    buf_str(&b, "have no");
    for (size_t k = 0; k < t->l->tables[table].word_count; k++)
        buf_format(&b, " %s", t->l->tables[table].words[k].fold);
    edit_replace(&t->edit, first, p + 1, b.data);
    return true;
}

/* quantity sold: the deed says nothing beside the number that it did. */
static bool read_deed(struct trade *t, size_t p)
{
    bool number = false;
    if (!is_free(t, p, sells) || !p) return false;
    for (size_t i = 0; i < t->l->real_columns; i++) {
        const struct lex_column *col = &t->l->columns[i];
        number |=
            col->class == CLASS_NUMBER && !col->key && !col->foreign && names(col->mentions, col->mention_count, p - 1);
    }
    if (number) drop(t, p);
    return number;
}

/* The only table of people: whose rows have parts of a name, or were born; -1 when there is not one. */
static int table_of_people(const struct linked *l)
{
    int found = -1;
    for (size_t i = 0; i < l->real_columns; i++) {
        const struct lex_column *col = &l->columns[i];
        const bool person = column_is_life(col) ||
                            (col->word_count == 2 && word_listed(" first last ", col->words[0].fold) && col->name_like);
        if (!person || found == (int)col->table) continue;
        if (found >= 0) return -1;
        found = (int)col->table;
    }
    return found;
}

/* how many people, headcount per department */
static bool read_people(struct trade *t, size_t p)
{
    const bool asked = p == 0 || is(t, p, " headcount ") || is(t, p - 1, " many number ") ||
                       (p > 1 && is(t, p - 1, " of ") && is(t, p - 2, " number "));
    const int table = asked && is_free(t, p, people) ? table_of_people(t->l) : -1;
    if (table < 0 || !t->l->tables[table].word_count) return false;
    const struct lex_table *x = &t->l->tables[table];
    const bool headcount = is(t, p, " headcount ");
    for (size_t k = 0; k < x->word_count; k++) {
        if (k == 0)
            say(t, p, x->words[k].fold);
        else if (!edit_insert(&t->edit, p + k, x->words[k].fold))
            return true;
    }
    if (headcount && edit_insert(&t->edit, p, "of")) edit_insert(&t->edit, p, "number");
    return true;
}

/* unpaid, unexcused: not what a column is called. */
static bool read_negated(struct trade *t, size_t p)
{
    struct linked *l = t->l;
    const char *fold = l->words.items[p].fold;
    if (strncmp(fold, "un", 2) != 0 || strlen(fold) < 6 || word_in_span(l, p) || word_in_name(l, p)) return false;
    for (size_t i = 0; i < l->real_columns; i++)
        for (size_t k = 0; k < l->columns[i].word_count; k++) {
            if (strcmp(l->columns[i].words[k].fold, fold + 2) != 0) continue;
            say(t, p, l->columns[i].words[k].fold);
            edit_insert(&t->edit, p, "not");
            return true;
        }
    return false;
}

bool link_trade(struct linked *l, struct stemmer *st)
{
    struct trade t = { .l = l, .edit = { l->call, st, &l->words } };
    for (size_t p = 0; p < l->words.count; p++)
        if (read_noun(&t, p) || read_spending(&t, p) || read_selling(&t, p) || read_unsold(&t, p) || read_deed(&t, p))
            return true;
    for (size_t p = 0; p < l->words.count; p++)
        if (read_people(&t, p) || read_negated(&t, p)) return true;
    return false;
}

void link_traded(struct linked *l)
{
    for (size_t i = 0; i < l->real_columns; i++) {
        struct lex_column *col = &l->columns[i];
        if (!col->traded) continue;
        bool said = false;
        for (size_t k = 0; k < col->mention_count; k++)
            said |= col->mentions[k].first <= l->trade_at && l->trade_at < col->mentions[k].end;
        if (said) continue;
        col->mentions[0] = (struct mention){ MENTION_EXACT, l->trade_at, l->trade_at + 1, 1 };
        if (!col->mention_count) col->mention_count = 1;
    }
}
