/* Each fault of a reading is counted by a function of its own. */
#include "planners/lexical/faults.h"

#include "planners/lexical/dense.h"
#include "planners/lexical/fill.h"

#include <string.h>

/* Yes and no are counted as different values only where that is said. */
static bool counts_flags(const struct intent *a, const struct term *t)
{
    return t->agg == AGG_COUNT && t->distinct && t->column >= 0 && a->l->columns[t->column].class == CLASS_FLAG &&
           !(a->said & CUE_BIT(CUE_DISTINCT));
}

/* Aggregates of the items that nothing asks for. A count is asked for by more than its own words, but not beside
 * another aggregate. */
static int added(const struct intent *a, const struct core *core)
{
    static const uint32_t licence[] = {
        [AGG_SUM] = CUE_BIT(CUE_SUM) | CUE_BIT(CUE_COUNT),
        [AGG_AVG] = CUE_BIT(CUE_AVERAGE),
        [AGG_MIN] = CUE_BIT(CUE_LEAST) | CUE_BIT(CUE_LESS) | CUE_BIT(CUE_BETWEEN),
        [AGG_MAX] = CUE_BIT(CUE_MOST) | CUE_BIT(CUE_MORE) | CUE_BIT(CUE_BETWEEN),
    };
    const uint32_t counts = CUE_BIT(CUE_COUNT) | CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST) | CUE_BIT(CUE_MORE) |
                            CUE_BIT(CUE_LESS) | CUE_BIT(CUE_EACH);
    int n = 0, others = 0;
    for (int i = 0; i < core->item_count; i++) others += core->items[i].agg > AGG_COUNT;
    for (int i = 0; i < core->item_count; i++) {
        const struct term *t = &core->items[i];
        uint32_t asks = t->agg != AGG_COUNT ? licence[t->agg] : others ? CUE_BIT(CUE_COUNT) : counts;
        n += t->agg != AGG_NONE && (!(a->said & asks) || counts_flags(a, t));
    }
    return n;
}

static int twice(const struct core *core)
{
    int n = 0;
    for (int i = 0; i < core->item_count; i++)
        for (int k = 0; k < i; k++)
            n += core->items[i].agg == core->items[k].agg && core->items[i].column == core->items[k].column;
    return n;
}

/* Rows of a table joined, and none of them: no row is so. */
static int contradicts(const struct core *core)
{
    int n = 0;
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        if (w->op != COND_NOT_IN || !w->sub || w->sub->where_count || core->table_count < 2) continue;
        for (int k = 0; k < core->table_count; k++)
            n += w->sub->table_count == 1 && w->sub->tables[0] == core->tables[k];
    }
    return n;
}

static bool by_count(const struct core *core)
{
    return core->order_count && core->order[0].term.agg == AGG_COUNT;
}

static int sorted(const struct intent *a, const struct core *core)
{
    const uint32_t ends = CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST),
                   sorts = CUE_BIT(CUE_ORDER) | CUE_BIT(CUE_DESCENDING) | ends;
    if (!core->order_count) return 0;
    if (by_count(core) && a->said & ends && !a->most && !(a->said & CUE_BIT(CUE_COUNT))) return 1;
    /* the most is the upper end of what is counted or summed */
    const enum agg agg = core->order[0].term.agg;
    const uint32_t end = a->plain & ends;
    if (core->limit && (agg == AGG_COUNT || agg == AGG_SUM) &&
        (end == CUE_BIT(CUE_MOST) || end == CUE_BIT(CUE_LEAST)) && core->order[0].desc != (end == CUE_BIT(CUE_MOST)))
        return 1;
    bool compared = a->said & (CUE_BIT(CUE_MORE) | CUE_BIT(CUE_LESS)) && !core->limit && by_count(core);
    return compared || !(a->said & (core->limit ? ends | CUE_BIT(CUE_ORDER) | CUE_BIT(CUE_DESCENDING) : sorts));
}

static bool same_sides(const struct reading *r)
{
    struct reading a = { .left = r->left }, b = { .left = r->right };
    return reading_key(&a) == reading_key(&b);
}

static int sides(const struct intent *a, const struct reading *r)
{
    static const uint32_t licence[] = { 0, CUE_BIT(CUE_BOTH), CUE_BIT(CUE_NOT),
                                        CUE_BIT(CUE_EITHER) | CUE_BIT(CUE_BOTH) };
    if (!r->set) return 0;
    if (same_sides(r)) return 2;
    if (a->open || a->said & licence[r->set]) return 0;
    return r->set == SET_MINUS || !a->joined;
}

/* Of the kind that stands behind per or each. */
static bool groups_rightly(const struct intent *a, const struct core *core)
{
    const struct linked *l = a->l;
    struct covered v = { 0 };
    for (int i = 0; i < core->group_count; i++) {
        const struct lex_column *col = &l->columns[core->group[i]];
        cover_column(l, core->group[i], &v);
        const struct table *t = l->tables[col->table].table;
        if (col->key || col->name_like || name_part(col))
            cover(&v, l->tables[col->table].mentions, l->tables[col->table].mention_count);
        for (size_t k = 0; k < t->foreign_key_count && col->foreign; k++)
            for (size_t n = 0; n < l->table_count; n++)
                if (!strcmp(t->foreign_keys[k].columns[0], col->column->name) &&
                    !strcasecmp(t->foreign_keys[k].table, l->tables[n].table->name))
                    cover(&v, l->tables[n].mentions, l->tables[n].mention_count);
    }
    for (size_t p = a->group_at; p < l->words.count && p < a->group_at + 4; p++)
        if (intent_names(l, p)) return v.words[p];
    return true;
}

static int ungrouped(const struct intent *a, const struct reading *r)
{
    if (!a->grouped) return 0;
    return !r->left.group_count || !groups_rightly(a, &r->left);
}

/* How much: a number is shown. */
static bool shows_number(const struct intent *a, const struct core *core)
{
    for (int i = 0; i < core->item_count; i++) {
        const struct term *t = &core->items[i];
        if (t->agg >= AGG_SUM ||
            (t->agg == AGG_NONE && t->column >= 0 && a->l->columns[t->column].class == CLASS_NUMBER))
            return true;
    }
    return false;
}

static bool shows_somebody(const struct intent *a, const struct core *core)
{
    for (int i = 0; i < core->item_count; i++) {
        const struct term *t = &core->items[i];
        if (t->agg != AGG_NONE) continue;
        const struct lex_column *col = t->column >= 0 ? &a->l->columns[t->column] : NULL;
        if (!col || col->key || col->foreign || col->class == CLASS_TEXT) return true;
    }
    return false;
}

/* Monthly payments are more than the months that have some. */
static int only_periods(const struct intent *a, const struct core *core)
{
    bool periods = core->group_count > 0 && !core->has_having && !core->order_count && !a->which;
    for (int i = 0; i < core->item_count; i++)
        periods &= core->items[i].agg == AGG_NONE && core->items[i].column >= (int)a->l->real_columns;
    return periods;
}

static bool names_thing(const struct lex_column *col)
{
    return col->name_like || col->key || col->foreign || col->id_like || name_part(col);
}

/* The table is named only by words of a literal of another table's: the store of the job store manager. */
static bool inside_literal(const struct intent *a, const struct core *core, int table)
{
    const struct lex_table *t = &a->l->tables[table];
    bool inside = false;
    for (size_t k = 0; k < t->mention_count; k++) {
        bool in = false;
        for (int i = 0; i < core->where_count; i++) {
            const struct cond *w = &core->where[i];
            if (w->span < 0 || w->left.column < 0 || (int)a->l->columns[w->left.column].table == table) continue;
            const struct span *s = &a->l->spans[w->span];
            in |= s->kind == SPAN_VALUE && s->first <= t->mentions[k].first && t->mentions[k].end <= s->end;
        }
        if (!in) return false;
        inside = true;
    }
    return inside;
}

/* The cheapest product is a product, not its price: the end is said of a thing, and only the end names the column. */
static bool end_for_thing(const struct intent *a, const struct core *core, const struct term *t)
{
    const struct lex_column *col = t->column >= 0 ? &a->l->columns[t->column] : NULL;
    if (!col || !col->mention_count || col->mentions[0].kind != MENTION_SYNONYM || core->item_count > 1) return false;
    if (!(a->x->cues[col->mentions[0].first] & (CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST)))) return false;
    bool end = t->agg >= AGG_MIN || (core->order_count && core->order[0].term.column == t->column);
    return end && a->x->table_strength[col->table] >= 2;
}

static void shown(const struct intent *a, const struct core *core, int *f)
{
    for (int i = 0; i < core->item_count; i++) {
        const struct term *t = &core->items[i];
        const struct lex_column *col = t->column >= 0 ? &a->l->columns[t->column] : NULL;
        f[FAULT_COLUMN] += end_for_thing(a, core, t);
        if (!col || (col->mention_count && !only_table_said(a->l, col)) || t->column >= (int)a->l->real_columns)
            continue;
        bool ordered = core->order_count && core->order[0].term.column == t->column;
        f[FAULT_COLUMN] += t->agg == AGG_NONE && !names_thing(col) && !ordered;
        f[FAULT_STRANGE] += !a->person && a->x->table_strength[col->table] < 2 && !ordered;
    }
    for (int i = 0; i < core->item_count; i++)
        f[FAULT_STRANGE] +=
            core->items[i].column >= 0 && inside_literal(a, core, (int)a->l->columns[core->items[i].column].table);
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        const struct lex_column *col = w->left.column >= 0 && w->span >= 0 ? &a->l->columns[w->left.column] : NULL;
        bool free = col && (w->op == COND_RANGE || a->l->spans[w->span].kind == SPAN_NUMBER);
        f[FAULT_STRANGE] += free && !col->mention_count && a->x->table_strength[col->table] < 2;
    }
}

static bool needed(const struct linked *l, const struct core *core, int place)
{
    int table = core->tables[place], ties = 0;
    for (int i = 0; i + 1 < core->table_count; i++)
        ties += core->edges[i]->owner == table || core->edges[i]->other == table;
    bool used = ties > 1;
    for (int i = 0; i < core->item_count; i++)
        used |= core->items[i].column >= 0 ? (int)l->columns[core->items[i].column].table == table : place == 0;
    for (int i = 0; i < core->where_count; i++)
        used |= core->where[i].left.column >= 0 && (int)l->columns[core->where[i].left.column].table == table;
    for (int i = 0; i < core->order_count; i++)
        used |= core->order[i].term.column >= 0 && (int)l->columns[core->order[i].term.column].table == table;
    return used;
}

/* Words name this table and are not better said of another one that is read. */
static bool said_apart(const struct intent *a, const struct core *core, int place)
{
    const struct lex_table *t = &a->l->tables[core->tables[place]];
    for (size_t k = 0; k < t->mention_count; k++) {
        bool better = false;
        for (int i = 0; i < core->table_count; i++) {
            const struct lex_table *o = &a->l->tables[core->tables[i]];
            for (size_t n = 0; n < o->mention_count && i != place; n++)
                better |= o->mentions[n].first <= t->mentions[k].first && o->mentions[n].end >= t->mentions[k].end &&
                          o->mentions[n].kind < t->mentions[k].kind;
        }
        if (!better) return true;
    }
    return false;
}

static int needless_tables(const struct intent *a, const struct core *core)
{
    int n = 0;
    for (int i = 0; i < core->table_count && core->table_count > 1; i++)
        n += !said_apart(a, core, i) && !needed(a->l, core, i);
    return n;
}

/* Words of a name that is read are no literal beside it: the shipped of the shipped date. */
static int twice_read(const struct intent *a, const struct core *core)
{
    int n = 0;
    for (int i = 0; i < core->where_count; i++) {
        const bool literal = core->where[i].span >= 0 && core->where[i].left.column >= 0;
        const struct span *s = literal ? &a->l->spans[core->where[i].span] : NULL;
        for (int k = 0; s && s->kind == SPAN_VALUE && k < core->table_count; k++) {
            const struct lex_table *t = &a->l->tables[core->tables[k]];
            const struct mention *m = t->mention_count ? &t->mentions[0] : NULL;
            bool own = (int)a->l->columns[core->where[i].left.column].table == core->tables[k];
            n += !own && m && m->kind == MENTION_EXACT && m->first == s->first && m->end == s->end;
        }
        for (int k = 0; s && s->kind == SPAN_VALUE && k < core->where_count + core->item_count; k++) {
            int column = k < core->where_count ? core->where[k].left.column : core->items[k - core->where_count].column;
            if (column < 0 || k == i || column == core->where[i].left.column) continue;
            const struct mention *m = a->l->columns[column].mention_count ? &a->l->columns[column].mentions[0] : NULL;
            n += m && m->kind <= MENTION_NO_TABLE && m->first <= s->first && s->end <= m->end &&
                 m->end - m->first > s->end - s->first;
        }
    }
    return n;
}

static bool is_weaker(const struct intent *a, int column)
{
    const struct lex_column *col = column >= 0 ? &a->l->columns[column] : NULL;
    if (!col || !col->mention_count || col->mentions[0].kind != MENTION_SYNONYM) return false;
    const char *said = a->l->words.items[col->mentions[0].first].fold;
    const struct lex_table *t = &a->l->tables[col->table];
    int own = dimension_rank(said, col);
    for (size_t i = t->first_column; i < t->first_column + t->column_count && own >= 0; i++) {
        int rank = dimension_rank(said, &a->l->columns[i]);
        if (rank >= 0 && rank < own) return true;
    }
    return false;
}

static int weaker(const struct intent *a, const struct core *core)
{
    int n = 0;
    for (int i = 0; i < core->item_count; i++) n += is_weaker(a, core->items[i].column);
    for (int i = 0; i < core->where_count; i++) n += is_weaker(a, core->where[i].left.column);
    for (int i = 0; i < core->order_count; i++) n += is_weaker(a, core->order[i].term.column);
    return n;
}

/* A word of trade asks for a sum: of a column that holds it, and of nothing else. */
static int unsummed(const struct intent *a, const struct core *core)
{
    const struct linked *l = a->l;
    bool summed = false;
    for (int i = 0; i < core->item_count + core->order_count; i++) {
        const struct term *t = i < core->item_count ? &core->items[i] : &core->order[i - core->item_count].term;
        summed |= t->column >= 0 && l->columns[t->column].traded && (t->agg == AGG_SUM || t->agg == AGG_AVG) &&
                  core_rows_of(core) == (int)l->columns[t->column].table;
    }
    if (core->has_having && core->having.left.column >= 0) summed |= l->columns[core->having.left.column].traded;
    return l->trade_columns && !summed;
}

void faults_of(const struct intent *a, const struct reading *r, int *f)
{
    const struct linked *l = a->l;
    const uint32_t must = CUE_BIT(CUE_SUM) | CUE_BIT(CUE_AVERAGE) | CUE_BIT(CUE_COUNT) | CUE_BIT(CUE_NOT);
    uint32_t done = reading_deeds(l, r);
    if (done & CUE_BIT(CUE_COUNT)) done |= CUE_BIT(CUE_SUM); /* total number */
    if (done & CUE_BIT(CUE_SUM)) done |= CUE_BIT(CUE_COUNT);
    for (int i = 0; i < r->left.where_count; i++) /* the value of a yes-or-no column holds the denial */
        if (r->left.where[i].span >= 0 && l->spans[r->left.where[i].span].kind == SPAN_FLAG)
            done |= a->plain & CUE_BIT(CUE_NOT);
    f[FAULT_TWICE] = twice(&r->left) + twice_read(a, &r->left) + contradicts(&r->left);
    f[FAULT_SET] = sides(a, r);
    if (!a->open) {
        f[FAULT_ADDED] = added(a, &r->left);
        f[FAULT_SORTED] = sorted(a, &r->left);
        int denied = core_denials(l, &r->left, true) + (r->set == SET_MINUS);
        f[FAULT_DENIED] = denied > a->denials ? denied - a->denials : 0;
    }
    if (a->plain & (CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST)))
        f[FAULT_MISSED] += !(done & (CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST)));
    for (uint32_t cue = 0; cue < CUES; cue++) f[FAULT_MISSED] += (int)((a->plain & must & ~done) >> cue & 1);
    f[FAULT_MISSED] += unsummed(a, &r->left) + faults_untimed(a, &r->left);
    f[FAULT_MISSED] += a->much && !shows_number(a, &r->left);
    f[FAULT_MISSED] += a->who && !shows_somebody(a, &r->left);
    f[FAULT_UNGROUPED] = ungrouped(a, r) + only_periods(a, &r->left);
    if (!a->open) shown(a, &r->left, f);
    f[FAULT_TABLE] = needless_tables(a, &r->left);
    f[FAULT_DATE] = faults_of_dates(a, &r->left);
    f[FAULT_FAR] = faults_far_dates(l, &r->left) + faults_ages(l, &r->left);
    f[FAULT_WEAKER] = weaker(a, &r->left);
    struct covered v = { 0 };
    cover_core(l, &r->left, &v);
    if (r->set) cover_core(l, &r->right, &v);
    for (size_t p = 0; p < l->words.count; p++)
        f[FAULT_LOST] += !v.words[p] && (l->roles[p] == 'v' || l->roles[p] == 'n') && l->weights[p] >= WEIGHT_SURE;
    for (size_t i = 0; i < l->span_count; i++)
        f[FAULT_LOST] += l->spans[i].kind == SPAN_FLAG && !v.words[l->spans[i].first];
}
