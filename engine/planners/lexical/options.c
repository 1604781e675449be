#include "planners/lexical/options.h"

#include "planners/lexical/dense.h"
#include "planners/lexical/faults.h"

/* What is asked for in so many words and not done, or done and not asked for. */
#define FAULTS_TOLD                                                                                                    \
    (1u << FAULT_MISSED | 1u << FAULT_UNGROUPED | 1u << FAULT_TWICE | 1u << FAULT_FAR | 1u << FAULT_ADDED |            \
     1u << FAULT_SORTED | 1u << FAULT_DENIED | 1u << FAULT_LOST)

static const struct reading *reading_of(const struct offer *o, size_t i)
{
    return &o->k->readings[o->offered[i]];
}

/* Numbers for each of a kind, without the kind: nobody can tell them apart. */
static bool is_unlabelled(const struct core *core)
{
    bool numbers = core->group_count > 0 && !core->limit;
    for (int n = 0; n < core->item_count; n++) numbers &= core->items[n].agg != AGG_NONE;
    return numbers;
}

static void move_up(const struct offer *o, size_t from, size_t to)
{
    const struct candidate moved = o->list[from];
    const int offered = o->offered[from];
    for (size_t i = from; i > to; i--) o->list[i] = o->list[i - 1], o->offered[i] = o->offered[i - 1];
    o->list[to] = moved;
    o->offered[to] = offered;
}

/* Which of the columns that a word of trade may mean. */
static unsigned place_of(const struct linked *l, int column)
{
    unsigned n = 0;
    for (int i = 0; i < column; i++) n += l->columns[i].traded;
    return n < 63 ? n : 63;
}

/* The columns that a word of trade may mean, of those that the reading sums, as bits; 0 = none. */
static uint64_t traded_by(const struct offer *o, size_t i)
{
    const struct linked *l = o->k->context->linked;
    const struct core *core = &reading_of(o, i)->left;
    uint64_t bits = 0;
    for (int n = 0; n < core->item_count + core->order_count; n++) {
        const struct term *t = n < core->item_count ? &core->items[n] : &core->order[n - core->item_count].term;
        if (t->agg != AGG_NONE && t->column >= 0 && l->columns[t->column].traded)
            bits |= UINT64_C(1) << place_of(l, t->column);
    }
    return bits;
}

/* Of the i-th's family the one that shows names, not ids that nobody asked for. */
static size_t named_fellow(const struct offer *o, size_t i, size_t count)
{
    size_t best = i;
    for (size_t n = i + 1; n < count; n++)
        if (reading_of(o, n)->family == reading_of(o, i)->family &&
            o->k->dense[o->offered[n]][D_ID_UNSAID] < o->k->dense[o->offered[best]][D_ID_UNSAID])
            best = n;
    return best;
}

static size_t families_first(const struct offer *o, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool old = false;
        for (size_t n = 0; n < kept; n++) old |= reading_of(o, n)->family == reading_of(o, i)->family;
        if (!old) move_up(o, named_fellow(o, i, count), kept++);
    }
    return kept > 1 ? kept : count;
}

size_t options_order(const struct offer *o)
{
    const bool trade = o->k->context->linked->trade_columns > 1;
    uint64_t seen = 0;
    size_t good = 0, each = 0, best = 0;
    for (size_t i = 0; i < o->count; i++)
        if (!(reading_of(o, i)->faults & FAULTS_TOLD) && !is_unlabelled(&reading_of(o, i)->left)) move_up(o, i, good++);
    for (size_t i = 0; i < good; i++)
        if (!(reading_of(o, i)->faults & 1u << FAULT_DATE)) move_up(o, i, best++);
    for (size_t i = 0; i < good && trade; i++) {
        const uint64_t column = traded_by(o, i);
        if (column & ~seen) move_up(o, i, each++);
        seen |= column;
    }
    return each > 1 ? each : families_first(o, good ? good : o->count);
}
