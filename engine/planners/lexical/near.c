/* What stands near what: the name behind sorted by, each, the highest, the average, how many; the table that a column
 * is said of. Read once a question; then each reading is held to it. */
#include "planners/lexical/dense.h"

#include <string.h>

#define REACH 4 /* words behind a cue in which its name begins */

static bool names_at(const struct mention *list, size_t count, size_t p, enum mention_kind *kind)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].first <= p && p < list[i].end) {
            *kind = list[i].kind;
            return true;
        }
    return false;
}

/* The best kinds of names that begin at each word. */
struct begins {
    enum mention_kind column[WORDS_MAX], table[WORDS_MAX];
};

static void begin(enum mention_kind *best, const struct mention *list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (list[k].kind < best[list[k].first]) best[list[k].first] = list[k].kind;
}

static void begins_read(const struct linked *l, struct begins *out)
{
    for (size_t p = 0; p < WORDS_MAX; p++) out->column[p] = out->table[p] = MENTION_NONE;
    for (size_t i = 0; i < l->column_count; i++)
        begin(out->column, l->columns[i].mentions, l->columns[i].mention_count);
    for (size_t i = 0; i < l->table_count; i++) begin(out->table, l->tables[i].mentions, l->tables[i].mention_count);
}

static bool good(enum mention_kind k)
{
    return k <= MENTION_PART || k == MENTION_SYNONYM;
}

/* The first name behind word p. */
static bool name_behind(const struct linked *l, const struct begins *b, size_t p, struct target *out)
{
    for (size_t q = p; q < l->words.count && q <= p + REACH; q++) {
        if (q > p && l->words.items[q].flags & WORD_MARK) return false;
        out->column = b->column[q];
        out->table = b->table[q];
        out->at = q;
        if (good(out->column) || good(out->table)) return true;
    }
    return false;
}

/* The table that a mention is said of: name of the singer, singer's name. */
static bool table_beside(const struct linked *l, const struct begins *b, const struct mention *m, struct target *out)
{
    static const char *const links[] = {
        "of", "for", "the", "all", "each", "every", "a", "an", "any", "those", "these"
    };
    size_t p = m->end, skipped = 0;
    for (; p < l->words.count && skipped < 3; p++, skipped++) {
        bool link = false;
        for (size_t i = 0; i < sizeof links / sizeof *links; i++) link |= !strcmp(l->words.items[p].fold, links[i]);
        if (!link) break;
    }
    if (p < l->words.count && skipped) {
        out->column = b->column[p];
        out->table = b->table[p];
        out->at = p;
        if (out->table <= MENTION_PART) return true;
    }
    for (size_t i = 0; i < l->table_count; i++)
        for (size_t k = 0; k < l->tables[i].mention_count; k++) {
            const struct mention *t = &l->tables[i].mentions[k];
            if (t->end != m->first || t->kind > MENTION_PART) continue;
            *out = (struct target){ .at = t->first, .column = MENTION_NONE, .table = t->kind };
            return true;
        }
    return false;
}

/* sorted by the average price: what is taken of the name at the end. */
static enum agg sorted_aggregate(const struct context *x, size_t p, size_t end)
{
    for (; p < end; p++) {
        uint32_t cues = x->cues[p];
        if (cues >> CUE_COUNT & 1) return AGG_COUNT;
        if (cues >> CUE_AVERAGE & 1) return AGG_AVG;
        if (cues >> CUE_SUM & 1) return AGG_SUM;
    }
    return AGG_NONE;
}

/* The name before word p, of which only words of a way stand between: show price in descending order. */
static bool name_before(const struct linked *l, size_t p, struct target *out)
{
    static const char *const between[] = { "in", "from", "the", "to", "low", "high", "order" };
    for (size_t back = 0; p > 0 && back < 5; back++, p--) {
        const struct word *x = &l->words.items[p - 1];
        bool skip = false;
        for (size_t i = 0; i < sizeof between / sizeof *between; i++) skip |= !strcmp(x->fold, between[i]);
        if (skip) continue;
        out->column = out->table = MENTION_NONE;
        out->at = p - 1;
        for (size_t i = 0; i < l->column_count; i++)
            for (size_t k = 0; k < l->columns[i].mention_count; k++) {
                const struct mention *m = &l->columns[i].mentions[k];
                if (m->end == p && m->kind < out->column) out->column = m->kind;
            }
        return good(out->column);
    }
    return false;
}

void near_read(const struct context *x, struct near *out)
{
    const struct linked *l = x->linked;
    *out = (struct near){ .linked = l, .beside = call_array(l->call, l->column_count + 1, sizeof *out->beside) };
    struct begins b;
    begins_read(l, &b);
    for (size_t p = 0; p < l->words.count; p++)
        for (uint32_t cue = 0; cue < CUES && x->cues[p]; cue++) {
            struct target t = { .cue = (enum cue)cue };
            if (!(x->cues[p] >> cue & 1) || out->count == NEAR_MAX) continue;
            bool itself = cue == CUE_MOST || cue == CUE_LEAST;         /* the oldest says age itself */
            bool drawn = cue == CUE_ORDER && x->said >> CUE_CHART & 1; /* sorted in more ways than others */
            bool way = drawn && x->cues[p] & (1u << CUE_ASCENDING | 1u << CUE_DESCENDING);
            bool behind = name_behind(l, &b, itself ? p : p + 1, &t);
            if (!behind && !(way && name_before(l, p, &t))) continue;
            if (drawn) t.sorts = sorted_aggregate(x, behind ? p + 1 : t.at > 4 ? t.at - 4 : 0, t.at);
            out->targets[out->count++] = t;
        }
    for (size_t i = 0; i < l->column_count; i++) {
        struct target t = { 0 };
        if (l->columns[i].mention_count && table_beside(l, &b, &l->columns[i].mentions[0], &t)) {
            out->beside[i] = t;
            out->beside[i].known = true;
        }
    }
}

static bool is_column(const struct near *n, const struct target *t, int column)
{
    enum mention_kind k;
    if (column < 0) return false;
    const struct lex_column *col = &n->linked->columns[column];
    return names_at(col->mentions, col->mention_count, t->at, &k) && k <= t->column;
}

static bool is_table(const struct near *n, const struct target *t, size_t table)
{
    enum mention_kind k;
    const struct lex_table *x = &n->linked->tables[table];
    return names_at(x->mentions, x->mention_count, t->at, &k) && k <= t->table;
}

static bool from_has(const struct near *n, const struct target *t, const struct core *core)
{
    for (int i = 0; i < core->table_count; i++)
        if (is_table(n, t, (size_t)core->tables[i])) return true;
    return false;
}

static float verdict(bool yes)
{
    return yes ? 1.0f : -1.0f;
}

static void near_group(const struct near *n, const struct target *t, const struct core *core, float *d)
{
    if (!core->group_count) return;
    bool hit = false;
    for (int i = 0; i < core->group_count; i++) {
        const struct lex_column *col = &n->linked->columns[core->group[i]];
        hit |= is_column(n, t, core->group[i]) || is_table(n, t, col->table);
        const struct table *owner = n->linked->tables[col->table].table;
        for (size_t k = 0; k < owner->foreign_key_count && col->foreign; k++)
            for (size_t r = 0; r < n->linked->table_count; r++)
                hit |= !strcmp(owner->foreign_keys[k].columns[0], col->column->name) &&
                       !strcasecmp(owner->foreign_keys[k].table, n->linked->tables[r].table->name) && is_table(n, t, r);
    }
    d[D_NEAR_GROUP] += verdict(hit);
}

static void near_order(const struct near *n, const struct target *t, const struct core *core, float *d)
{
    if (!core->order_count || !(good(t->column) || t->sorts)) return;
    bool hit = false;
    for (int i = 0; i < core->order_count; i++) {
        const struct term *o = &core->order[i].term;
        hit |= t->sorts ? o->agg == t->sorts && (o->agg == AGG_COUNT || is_column(n, t, o->column))
                        : is_column(n, t, o->column);
    }
    d[D_NEAR_ORDER] += verdict(hit);
}

/* The highest price: what is ordered by, taken the most of, or compared with the most of. */
static void near_top(const struct near *n, const struct target *t, const struct core *core, float *d)
{
    bool any = false, hit = false, counts = false;
    if (core->order_count && core->limit) {
        any = true;
        hit |= is_column(n, t, core->order[0].term.column);
        counts |= core->order[0].term.agg == AGG_COUNT;
    }
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].agg >= AGG_MIN) any = true, hit |= is_column(n, t, core->items[i].column);
    for (int i = 0; i < core->where_count; i++)
        if (core->where[i].sub && core->where[i].sub->item_count && core->where[i].sub->items[0].agg >= AGG_MIN)
            any = true, hit |= is_column(n, t, core->where[i].left.column);
    if (!any) return;
    if (good(t->column) && t->column <= t->table) d[D_NEAR_TOP] += verdict(hit);
    if (good(t->table) && t->table < t->column && counts) d[D_NEAR_COUNT] += verdict(from_has(n, t, core));
}

static void near_aggregate(const struct near *n, const struct target *t, enum agg agg, const struct core *core,
                           float *d)
{
    if (!good(t->column)) return;
    bool any = false, hit = false;
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].agg == agg) any = true, hit |= is_column(n, t, core->items[i].column);
    if (any) d[D_NEAR_AGG] += verdict(hit);
}

/* How many singers: they are in FROM, and no key to them repeats their rows. */
static void near_count(const struct near *n, const struct target *t, const struct core *core, float *d)
{
    bool stars = false, columns = false;
    for (int i = 0; i < core->item_count; i++) {
        stars |= core->items[i].agg == AGG_COUNT && core->items[i].column == TERM_STAR;
        columns |= core->items[i].agg == AGG_COUNT && is_column(n, t, core->items[i].column);
    }
    stars |= core->has_having && core->having.left.column == TERM_STAR;
    stars |= core->order_count && core->order[0].term.column == TERM_STAR && core->order[0].term.agg;
    if (good(t->column) && t->column < t->table) d[D_NEAR_COUNTED] += columns ? 1.0f : stars ? -1.0f : 0;
    if (!stars || !good(t->table)) return;
    d[D_NEAR_COUNT] += verdict(from_has(n, t, core));
    for (int i = 0; i + 1 < core->table_count; i++)
        d[D_NEAR_FAN] +=
            is_table(n, t, (size_t)core->edges[i]->other) && !is_table(n, t, (size_t)core->edges[i]->owner);
}

static void near_tables(const struct near *n, int column, enum dense yes, enum dense no, float *d)
{
    if (column < 0 || !n->beside[column].known) return;
    d[is_table(n, &n->beside[column], n->linked->columns[column].table) ? yes : no] += 1;
}

/* Another column is said as well by the same words and stands in a table that is read anyway, while this one's table is
 * read for it alone. */
static bool far_fetched(const struct near *n, const struct core *core, int column)
{
    const struct linked *l = n->linked;
    const struct lex_column *col = &l->columns[column];
    if (!col->mention_count || core->table_count < 2) return false;
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].column >= 0 && core->items[i].column != column &&
            l->columns[core->items[i].column].table == col->table)
            return false;
    for (int i = 0; i < core->where_count; i++)
        if (core->where[i].left.column >= 0 && l->columns[core->where[i].left.column].table == col->table) return false;
    const struct mention *m = &col->mentions[0];
    for (int i = 0; i < core->table_count; i++) {
        const struct lex_table *t = &l->tables[core->tables[i]];
        if ((size_t)core->tables[i] == col->table) continue;
        for (size_t k = t->first_column; k < t->first_column + t->column_count; k++) {
            const struct lex_column *rival = &l->columns[k];
            if (rival->mention_count && rival->mentions[0].first < m->end && m->first < rival->mentions[0].end &&
                rival->mentions[0].kind <= m->kind)
                return true;
        }
    }
    return false;
}

void near_numbers(const struct near *n, const struct reading *r, float *d)
{
    const struct core *core = &r->left;
    for (size_t i = 0; i < n->count; i++) {
        const struct target *t = &n->targets[i];
        switch (t->cue) {
        case CUE_EACH:
            near_group(n, t, core, d);
            break;
        case CUE_ORDER:
            near_order(n, t, core, d);
            break;
        case CUE_MOST:
        case CUE_LEAST:
            near_top(n, t, core, d);
            break;
        case CUE_AVERAGE:
        case CUE_SUM:
            near_aggregate(n, t, t->cue == CUE_SUM ? AGG_SUM : AGG_AVG, core, d);
            break;
        case CUE_COUNT:
            near_count(n, t, core, d);
            break;
        default:
            break;
        }
    }
    for (int i = 0; i < core->item_count; i++) {
        near_tables(n, core->items[i].column, D_ITEM_BESIDE, D_ITEM_APART, d);
        if (core->items[i].column >= 0) d[D_FAR_FETCHED] += far_fetched(n, core, core->items[i].column);
    }
    for (int i = 0; i < core->where_count; i++)
        near_tables(n, core->where[i].left.column, D_REST_BESIDE, D_REST_APART, d);
    for (int i = 0; i < core->group_count; i++) near_tables(n, core->group[i], D_REST_BESIDE, D_REST_APART, d);
    for (int i = 0; i < core->order_count; i++)
        near_tables(n, core->order[i].term.column, D_REST_BESIDE, D_REST_APART, d);
}
