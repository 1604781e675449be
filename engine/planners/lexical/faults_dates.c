/* Faults of time: a date that is not the one that was told, or has nothing to do with what is dated. */
#include "planners/lexical/faults.h"
#include "planners/lexical/fill.h"

/* A date by its own name, not by that of its table. */
static bool is_date_said(const struct lex_column *col)
{
    const struct mention *m = col->mention_count ? &col->mentions[0] : NULL;
    if (col->class != CLASS_DATE || !m || m->kind > MENTION_PART) return false;
    return m->end - m->first > 1 || !col->words[0].of_table;
}

/* Beside the likelier date of its table, or one that was said: shipped in May. */
static bool wrong_date(const struct linked *l, int column)
{
    if (is_date_said(&l->columns[column])) return false;
    const struct lex_table *t = &l->tables[l->columns[column].table];
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++)
        if (is_date_said(&l->columns[i])) return true;
    return second_date(l, (size_t)column) < 0;
}

/* Births that nobody spoke of. */
static bool assumes_life(const struct linked *l, int column)
{
    const struct lex_column *col = &l->columns[column];
    return col->class == CLASS_DATE && column_is_life(col) && !is_date_said(col) && !life_told(l);
}

/* What is held to a time is what is cut by another unit of it: orders of 2025 for each month of their own date. */
static bool other_date(const struct linked *l, const struct core *core, int base)
{
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        if (w->op != COND_RANGE || w->left.column < 0 || w->left.column == base) continue;
        if (!is_date_said(&l->columns[w->left.column]) && !is_date_said(&l->columns[base])) return true;
    }
    return false;
}

static bool has_date(const struct linked *l, size_t table)
{
    const struct lex_table *t = &l->tables[table];
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++)
        if (l->columns[i].class == CLASS_DATE && !column_is_life(&l->columns[i])) return true;
    return false;
}

/* A sum is dated where it stands: payments of May by when they were paid. */
static bool far_date(const struct linked *l, const struct core *core, int column)
{
    if (is_date_said(&l->columns[column])) return false;
    for (int i = 0; i < core->item_count; i++) {
        const struct term *t = &core->items[i];
        const size_t counted = (size_t)core_counted(core);
        if (t->agg == AGG_COUNT && t->column == TERM_STAR && counted != l->columns[column].table &&
            has_date(l, counted))
            return true; /* the orders of each customer in May are not those of the customers of May */
        if (t->agg < AGG_SUM || t->column < 0) continue;
        const size_t own = l->columns[t->column].table, other = l->columns[column].table;
        const struct lex_table *named = &l->tables[other];
        const bool said = named->mention_count && named->mentions[0].kind <= MENTION_PART;
        if (own != other && has_date(l, own) && !said) return true;
        if (own == other || has_date(l, own) || said) continue;
        bool beside = false, nearer = false; /* the key of the summed rows leads to what dates them */
        for (int k = 0; k + 1 < core->table_count; k++)
            beside |= core->edges[k]->owner == (int)own && core->edges[k]->other == (int)other;
        for (size_t n = 0; n < l->table_count; n++) nearer |= n != other && has_date(l, n) && table_refers(l, own, n);
        if (!beside && nearer) return true;
    }
    return false;
}

/* Times are told of the date that is likeliest in its table, and of one unit. */
int faults_of_dates(const struct intent *a, const struct core *core)
{
    int n = 0, cuts = 0;
    for (int i = 0; i < core->item_count + core->order_count; i++) {
        bool item = i < core->item_count;
        int column = item ? core->items[i].column : core->order[i - core->item_count].term.column;
        if (column < 0 || a->l->columns[column].class != CLASS_DATE || is_date_said(&a->l->columns[column])) continue;
        n += wrong_date(a->l, column);
        bool apart = !item && core->item_count && core->items[0].column >= 0;
        if (apart && (a->old || a->young))
            n += a->l->columns[core->items[0].column].table != a->l->columns[column].table;
    }
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        if (w->op == COND_RANGE) n += wrong_date(a->l, w->left.column);
        if (w->sub) n += faults_of_dates(a, w->sub);
    }
    for (int i = 0; i < core->group_count; i++) {
        if (core->group[i] < (int)a->l->real_columns) continue;
        const int base = (int)a->l->columns[core->group[i]].base;
        n += wrong_date(a->l, base);
        cuts++;
    }
    return n + (cuts > 1);
}

int faults_far_dates(const struct linked *l, const struct core *core)
{
    int n = 0;
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        if (w->op == COND_RANGE) n += assumes_life(l, w->left.column) + far_date(l, core, w->left.column);
        if (w->sub) n += faults_far_dates(l, w->sub);
    }
    for (int i = 0; i < core->group_count; i++) {
        if (core->group[i] < (int)l->real_columns) continue;
        const int base = (int)l->columns[core->group[i]].base;
        n += assumes_life(l, base) + far_date(l, core, base) + other_date(l, core, base);
    }
    return n;
}

/* The newest is so by a date, or by what is called a year or an age. */
static bool tells_time(const struct linked *l, const struct term *t)
{
    static const char times[] = " age year date time month day birth born birthday dob since created ";
    if (t->column < 0) return false;
    const struct lex_column *col = &l->columns[t->column];
    for (size_t k = 0; k < col->word_count; k++)
        if (word_listed(times, col->words[k].fold)) return true;
    return col->class == CLASS_DATE;
}

static bool holds_age(const struct linked *l, const struct cond *w)
{
    const bool compares = w->op == COND_GT || w->op == COND_GE || w->op == COND_LT || w->op == COND_LE;
    const size_t p = w->span >= 0 ? l->spans[w->span].first : 0;
    if (!compares || w->sub || p < 2 || (w->left.agg == AGG_NONE && tells_time(l, &w->left))) return false;
    return word_in_list(&l->words, p - 1, " than ") && word_in_list(&l->words, p - 2, " older younger ");
}

/* Older than 60 is said of an age, or of when something began: no price, no key and no number of rows is old. */
int faults_ages(const struct linked *l, const struct core *core)
{
    int n = core->has_having && holds_age(l, &core->having);
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        n += w->sub ? faults_ages(l, w->sub) : holds_age(l, w);
    }
    return n;
}

bool faults_untimed(const struct intent *a, const struct core *core)
{
    bool dates = false, told = false;
    for (size_t i = 0; i < a->l->real_columns; i++) dates |= a->l->columns[i].class == CLASS_DATE;
    for (int i = 0; i < core->item_count; i++)
        told |= core->items[i].agg >= AGG_MIN && tells_time(a->l, &core->items[i]);
    for (int i = 0; i < core->order_count; i++) told |= tells_time(a->l, &core->order[i].term);
    for (int i = 0; i < core->where_count; i++) told |= tells_time(a->l, &core->where[i].left);
    return a->dated && dates && !told;
}
