/* What a word of trade may mean are several columns, of several tables: a reading that sums one of them is there for
 * the others too, with the dates that stand beside those. */
#include "planners/lexical/fill.h"

#define COPIED 6 /* readings that are made anew */

static int summed_column(const struct linked *l, const struct core *core)
{
    for (int i = 0; i < core->item_count + core->order_count; i++) {
        const struct term *t = i < core->item_count ? &core->items[i] : &core->order[i - core->item_count].term;
        if (t->column >= 0 && l->columns[t->column].traded) return t->column;
    }
    return -1;
}

/* The likeliest date of the table, or else of those that its keys lead to; -1 = none. */
static int date_beside(const struct linked *l, size_t table)
{
    int best = -1;
    bool own = false;
    for (size_t i = 0; i < l->real_columns; i++) {
        const struct lex_column *col = &l->columns[i];
        if (col->class != CLASS_DATE || column_is_life(col)) continue;
        const bool here = col->table == table;
        if (!here && (own || !table_refers(l, table, col->table))) continue;
        if (best < 0 || (here && !own) || date_prior(l, i) > date_prior(l, (size_t)best)) best = (int)i;
        own |= here;
    }
    return best;
}

static int grain_of(const struct linked *l, int base, int grain)
{
    for (size_t i = l->real_columns; i < l->column_count; i++)
        if ((int)l->columns[i].base == base && l->columns[i].grain == grain) return (int)i;
    return -1;
}

/* The column in place of the other; of dates and their units, what stands beside it. False: there is none. */
static bool put(const struct linked *l, int *column, int from, int to, int date)
{
    if (*column < 0) return true;
    const struct lex_column *col = &l->columns[*column];
    if (*column == from)
        *column = to;
    else if (col->grain >= 0)
        *column = date < 0 ? -1 : grain_of(l, date, col->grain);
    else if (col->class == CLASS_DATE && !col->mention_count)
        *column = date;
    return *column >= 0;
}

static bool put_everywhere(const struct linked *l, struct core *core, int from, int to)
{
    const int date = date_beside(l, l->columns[to].table);
    bool ok = true;
    for (int i = 0; i < core->item_count; i++) ok = ok && put(l, &core->items[i].column, from, to, date);
    for (int i = 0; i < core->where_count; i++) ok = ok && put(l, &core->where[i].left.column, from, to, date);
    for (int i = 0; i < core->group_count; i++) ok = ok && put(l, &core->group[i], from, to, date);
    for (int i = 0; i < core->order_count; i++) ok = ok && put(l, &core->order[i].term.column, from, to, date);
    if (core->has_having) ok = ok && put(l, &core->having.left.column, from, to, date);
    return ok;
}

static bool is_simple(const struct reading *r)
{
    if (r->set) return false;
    for (int i = 0; i < r->left.where_count; i++)
        if (r->left.where[i].sub) return false;
    return true;
}

size_t add_traded(struct work *w, struct reading *out, size_t count)
{
    const struct linked *l = w->l;
    uint64_t keys[READINGS_MAX];
    struct reading *fresh = call_array(w->call, READINGS_MAX, sizeof *fresh);
    size_t made = 0, copied = 0;
    if (l->trade_columns < 2) return count;
    for (size_t i = 0; i < count; i++) keys[i] = reading_key(&out[i]);
    for (size_t i = 0; i < count && copied < COPIED; i++) {
        const int from = is_simple(&out[i]) ? summed_column(l, &out[i].left) : -1;
        copied += from >= 0;
        for (size_t to = 0; from >= 0 && to < l->real_columns && made < READINGS_MAX; to++) {
            if (!l->columns[to].traded || (int)to == from) continue;
            struct reading *r = &fresh[made];
            *r = out[i];
            struct core *core = &r->left;
            struct tree tree;
            if (!put_everywhere(l, core, from, (int)to)) continue;
            int tables[TABLES_MAX + 4], n = needed_tables(l, core, tables);
            if (n > TABLES_MAX || !graph_trees(w->call, l, w->graph, tables, n, &tree, 1)) continue;
            set_tree(core, &tree);
            bool twice = core_rows_of(core) != (int)l->columns[to].table;
            const uint64_t key = reading_key(r);
            for (size_t k = 0; k < count && !twice; k++) twice = keys[k] == key;
            for (size_t k = 0; k < made && !twice; k++) twice = reading_key(&fresh[k]) == key;
            made += !twice;
        }
    }
    for (size_t i = 0; i < made; i++) count = keep_best(out, count, &fresh[i]);
    return count;
}
