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

/* Id or name of the same thing, DISTINCT or not, the number that decides the order shown or not: one family. */
uint64_t family_of(const struct linked *l, const struct reading *r)
{
    struct reading x = *r;
    struct core *core = &x.left;
    int kept = 0;
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
    return reading_key(&x);
}
