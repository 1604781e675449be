/* Readings that mean the same and only show it otherwise. */
#include "planners/lexical/fill.h"
#include "planners/lexical/intent.h"

#include <string.h>

/* The thing that an id or a name stands for, as a number beyond all columns; other columns are themselves. */
static int thing_of(const struct linked *l, int column)
{
    const struct lex_column *col = column >= 0 ? &l->columns[column] : NULL;
    if (!col || column >= (int)l->real_columns) return column;
    for (size_t t = 0; col->foreign && t < l->table_count; t++)
        if (refers(l, col, t)) return (int)(l->column_count + t);
    if (col->name_like || name_part(col) || (col->key && col->id_like)) return (int)(l->column_count + col->table);
    return column;
}

static bool has_thing(const struct linked *l, const struct core *core, int table)
{
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].column == (int)l->column_count + table) return true;
    for (int i = 0; i < core->group_count; i++)
        if (core->group[i] == (int)l->column_count + table) return true;
    return false;
}

/* What a set without another, or a key that is not among others, denies: the tables beside those that are read, and
 * their conditions. 0 = nothing of the kind. */
static uint64_t denied_by(const struct core *core, const struct core *denied)
{
    struct reading x = { 0 };
    if (denied->group_count || denied->has_having || denied->limit) return 0;
    for (int i = 0; i < denied->table_count; i++) {
        bool own = false;
        for (int k = 0; k < core->table_count; k++) own |= denied->tables[i] == core->tables[k];
        int at = x.left.table_count;
        if (own || at == TABLES_MAX) continue;
        for (; at > 0 && x.left.tables[at - 1] > denied->tables[i]; at--) x.left.tables[at] = x.left.tables[at - 1];
        x.left.tables[at] = denied->tables[i];
        x.left.table_count++;
    }
    x.left.where_count = denied->where_count;
    memcpy(x.left.where, denied->where, sizeof x.left.where);
    return x.left.table_count ? reading_key(&x) | 1u : 0;
}

/* Customers without those with orders are the customers whose key is not among those of orders. */
static uint64_t take_denial(const struct linked *l, struct reading *x)
{
    struct core *core = &x->left;
    uint64_t key = 0;
    if (x->set == SET_MINUS) {
        key = denied_by(core, &x->right);
        if (!key) return 0;
        x->set = SET_NONE;
        x->right = (struct core){ 0 };
        return key;
    }
    for (int i = 0; i < core->where_count && !x->set && !core->any; i++) {
        const struct cond *w = &core->where[i];
        if (w->op != COND_NOT_IN || !w->sub || w->left.column < 0 || !l->columns[w->left.column].key) continue;
        key = denied_by(core, w->sub);
        if (!key) return 0;
        core->where_count--;
        memmove(&core->where[i], &core->where[i + 1], (size_t)(core->where_count - i) * sizeof core->where[0]);
        return key;
    }
    return 0;
}

/* Id or name of the same thing, DISTINCT or not, the number that decides the order shown or not, an order that nobody
 * asked for: one family. */
uint64_t family_of(const struct linked *l, const struct reading *r, bool ordered)
{
    struct reading x = *r;
    struct core *core = &x.left;
    int kept = 0;
    const uint64_t denied = take_denial(l, &x);
    if (!ordered && !core->limit) core->order_count = 0;
    core->distinct = false;
    for (int i = 0; i < core->item_count; i++) {
        struct term t = core->items[i];
        bool decides = core->order_count && t.agg != AGG_NONE && core->order[0].term.agg == t.agg &&
                       core->order[0].term.column == t.column;
        if (t.agg == AGG_NONE)
            t.column = t.column == TERM_STAR ? (int)l->column_count + core->tables[0] : thing_of(l, t.column);
        bool twice = decides && core->item_count > 1;
        for (int k = 0; k < kept; k++) twice |= core->items[k].agg == t.agg && core->items[k].column == t.column;
        if (!twice) core->items[kept++] = t;
    }
    core->item_count = kept;
    for (int i = 0; i < core->group_count; i++) core->group[i] = thing_of(l, core->group[i]);
    kept = 0;
    for (int i = 0; i < core->table_count; i++)
        if (!has_thing(l, core, core->tables[i])) core->tables[kept++] = core->tables[i];
    core->table_count = kept;
    memset(core->edges, 0, sizeof core->edges);
    return reading_key(&x) ^ denied;
}
