#include "planners/lexical/normalise.h"

#include "planners/lexical/intent.h"

#include <string.h>

#define AGED 3.0f /* log-odds that a reading gains whose date ends as the age that was said */

static bool is_part_of_name(const struct lex_column *col, const char *list)
{
    for (size_t i = 0; i < col->word_count; i++)
        if (word_listed(list, col->words[i].fold)) return true;
    return false;
}

int name_part(const struct lex_column *col)
{
    if (col->class != CLASS_TEXT) return 0;
    if (is_part_of_name(col, " first given forename firstname fname ")) return 1;
    return is_part_of_name(col, " last family surname lastname lname ") ? 2 : 0;
}

/* surname, firstname: in one word. */
static bool part_said(const struct linked *l)
{
    for (size_t p = 0; p < l->words.count; p++)
        if (word_in_list(&l->words, p,
                         " firstname firstnames forename forenames fname lastname lastnames surname surnames lname "))
            return true;
    return false;
}

/* The other part of the name that this column is a part of; -1 when it is none, or has been asked for by its own name.
 */
static int other_part(const struct linked *l, int column)
{
    if (column < 0 || column >= (int)l->real_columns) return -1;
    const struct lex_column *col = &l->columns[column];
    const struct lex_table *t = &l->tables[col->table];
    int part = name_part(col), found = -1;
    if (!part) return -1;
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++) {
        const struct lex_column *x = &l->columns[i];
        int p = name_part(x);
        if (p && x->mention_count && x->mentions[0].kind <= MENTION_WINDOW) return -1;
        if (p && part_said(l)) return -1;
        if (!p || (int)i == column) continue;
        if (p == part || found >= 0) return -1; /* two of a kind: whose they are is not known */
        found = (int)i;
    }
    return found;
}

static int key_of(const struct linked *l, size_t table)
{
    int found = -1;
    const struct lex_table *t = &l->tables[table];
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++) {
        if (!l->columns[i].key) continue;
        if (found >= 0) return -1;
        found = (int)i;
    }
    return found;
}

/* Groups of people are told apart by their key. */
static bool regroup(const struct linked *l, struct core *core, int column)
{
    for (int i = 0; i < core->group_count; i++) {
        if (core->group[i] != column) continue;
        int key = key_of(l, l->columns[column].table);
        if (key < 0) return false;
        core->group[i] = key;
    }
    return true;
}

static void whole_core(const struct linked *l, struct core *core)
{
    for (int i = 0; i < core->item_count; i++) {
        struct term *t = &core->items[i];
        int other = t->agg == AGG_NONE ? other_part(l, t->column) : -1;
        if (other < 0 || core->item_count == TERMS_MAX || core_shows(core, other) || !regroup(l, core, t->column))
            continue;
        bool last = name_part(&l->columns[t->column]) == 2;
        memmove(t + 1, t, (size_t)(core->item_count - i) * sizeof *t);
        core->item_count++;
        core->items[last ? i : i + 1].column = other;
    }
}

/* The oldest has the earliest date, the newest the latest. True when something is ordered so. */
static bool right_end(const struct intent *a, struct core *core)
{
    bool ends = false;
    if (a->old == a->young) return false;
    for (int i = 0; i < core->order_count; i++) {
        int column = core->order[i].term.column;
        if (column < 0 || a->l->columns[column].class != CLASS_DATE || core->order[i].term.agg != AGG_NONE) continue;
        if (core->limit) core->order[i].desc = a->young, ends = true;
    }
    for (int i = 0; i < core->item_count; i++) {
        struct term *t = &core->items[i];
        if (t->column < 0 || a->l->columns[t->column].class != CLASS_DATE || t->agg < AGG_MIN) continue;
        t->agg = a->young ? AGG_MAX : AGG_MIN;
        ends = true;
    }
    for (int i = 0; i < core->where_count; i++)
        if (core->where[i].sub) ends |= right_end(a, core->where[i].sub);
    return ends;
}

static bool is_person(const struct linked *l, const struct lex_table *t)
{
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++)
        if (name_part(&l->columns[i])) return true;
    return false;
}

/* The newest employee is the one with the latest date of employees, not of what hangs on them. How old people are
 * no date of their doings tells. */
static void own_date(const struct intent *a, struct core *core)
{
    const struct linked *l = a->l;
    if (!core->limit || core->order_count != 1 || a->old == a->young || !a->dated || core->items[0].column < 0) return;
    struct term *t = &core->order[0].term;
    if (t->agg != AGG_NONE || t->column < 0 || (l->columns[t->column].mention_count && !l->columns[t->column].key))
        return;
    const struct lex_table *table = &l->tables[l->columns[core->items[0].column].table];
    int best = -1;
    for (size_t i = table->first_column; i < table->first_column + table->column_count; i++)
        if (l->columns[i].class == CLASS_DATE && (best < 0 || date_prior(l, i) > date_prior(l, (size_t)best)))
            best = (int)i;
    if (best < 0 || (a->aged && is_person(l, table))) return;
    t->column = best;
    core->order[0].desc = a->young;
}

/* The customers with the highest revenue: by the sum of each, not by one of its parts. */
static void sum_of_each(const struct linked *l, struct core *core)
{
    struct term *t = core->order_count == 1 ? &core->order[0].term : NULL;
    if (!t || !core->limit || core->group_count || t->agg != AGG_NONE || t->column < 0) return;
    if (!l->columns[t->column].traded || core->items[0].column < 0) return;
    const size_t table = l->columns[core->items[0].column].table;
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].agg != AGG_NONE || core->items[i].column < 0 ||
            l->columns[core->items[i].column].table != table)
            return;
    const int key = key_of(l, table);
    if (key < 0 || l->columns[t->column].table == table) return;
    t->agg = AGG_SUM;
    core->group[core->group_count++] = key;
}

size_t readings_normalise(const struct context *x, struct reading *readings, size_t count)
{
    struct intent a;
    intent_read(x, &a);
    uint64_t keys[READINGS_MAX]; /* of those kept */
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct reading r = readings[i];
        whole_core(a.l, &r.left);
        sum_of_each(a.l, &r.left);
        if (r.set) whole_core(a.l, &r.right);
        own_date(&a, &r.left);
        if (right_end(&a, &r.left) && a.aged) r.grammar += AGED;
        uint64_t key = reading_key(&r);
        bool twice = false;
        for (size_t k = 0; k < kept && !twice; k++) twice = keys[k] == key;
        if (twice) continue;
        keys[kept] = key;
        readings[kept++] = r;
    }
    return kept;
}
