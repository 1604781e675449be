/* How many different customers of orders there are is how many customers are among those of orders: so a share of all
 * customers can be told. */
#include "planners/lexical/fill.h"
#include "planners/lexical/turn.h"

bool core_existence(const struct turning *t, const struct core *core, struct core *out)
{
    const struct term *count = &core->items[0];
    if (core->item_count != 1 || count->agg != AGG_COUNT || !count->distinct || count->column < 0) return false;
    const int thing = table_told(t->l, count->column), key = thing < 0 ? -1 : key_item(t->l, thing);
    if (key < 0 || core->group_count || core->any || t->turn->head == NOWHERE) return false;
    if (!turn_says_table(t->l, thing, t->turn->head, SENSE_SAME)) return false;
    struct core *sub = call_alloc(t->call, sizeof *sub);
    *out = (struct core){ .items = { { AGG_COUNT, false, TERM_STAR } }, .item_count = 1, .tables = { thing } };
    out->table_count = 1;
    *sub = (struct core){ .items = { { AGG_NONE, false, count->column } }, .item_count = 1 };
    const struct edge *tie = NULL;
    bool said = false;
    for (int i = 0; i < core->table_count; i++) {
        if (core->tables[i] == thing) continue;
        said |= t->l->tables[core->tables[i]].mention_count > 0;
        sub->tables[sub->table_count++] = core->tables[i];
    }
    if (!said) return false;
    for (int i = 0, n = 0; i + 1 < core->table_count; i++) {
        const struct edge *e = core->edges[i];
        if (e->owner != thing && e->other != thing)
            sub->edges[n++] = e;
        else if (tie)
            return false;
        else
            tie = e;
    }
    if (!sub->table_count || (tie && (tie->owner == thing || tie->key->column_count != 1))) return false;
    if (tie) sub->items[0].column = column_item(t->l, tie->owner, tie->key->columns[0]);
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        bool own = w->left.column < 0 || (int)t->l->columns[w->left.column].table == thing;
        if (own)
            out->where[out->where_count++] = *w;
        else
            sub->where[sub->where_count++] = *w;
    }
    if (out->where_count == CONDS_MAX) return false;
    out->where[out->where_count++] =
        (struct cond){ .op = COND_IN, .left = { AGG_NONE, false, key }, .span = -1, .span2 = -1, .sub = sub };
    return true;
}
