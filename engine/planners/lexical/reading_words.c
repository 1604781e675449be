/* A reading in plain words: "the number of orders for each city of customers, sorted by city". A table is named once,
 * by the columns that stand first; a column of a second table, or one whose name is not the only one, names its own;
 * tables that no column names are said to be joined. So two readings that differ in any part differ in words. */
#include "planners/lexical/turn.h"

#include <string.h>

static void add_core(struct buf *b, const struct linked *l, const struct core *core, uint32_t *named);

static void add_pattern(struct buf *b, const char *pattern, bool not )
{
    size_t n = strlen(pattern);
    bool open = n && pattern[0] == '%', close = n > 1 && pattern[n - 1] == '%';
    if (open == close)
        buf_str(b, not ? " does not contain " : " contains ");
    else if (open)
        buf_str(b, not ? " does not end with " : " ends with ");
    else
        buf_str(b, not ? " does not begin with " : " begins with ");
    buf_add(b, pattern + open, n - open - close);
}

static bool is_simple(const struct core *core)
{
    return core->item_count == 1 && !core->where_count && !core->group_count && !core->has_having &&
           !core->order_count && core->table_count == 1;
}

static void add_cond(const struct wording *w, const struct cond *cond)
{
    static const char *const ops[] = { " is ",          " is not ",    " is below ", " is at most ",  " is above ",
                                       " is at least ", NULL,          NULL,         " is between ",  NULL,
                                       " is missing",   " is present", " is among ", " is not among " };
    say_placed(w, &cond->left);
    if (cond->op == COND_RANGE) {
        range_words(w->out, cond->value, cond->value2);
    } else if (cond->op == COND_LIKE || cond->op == COND_NOT_LIKE) {
        add_pattern(w->out, cond->value, cond->op == COND_NOT_LIKE);
    } else {
        buf_str(w->out, ops[cond->op]);
        if (cond->sub) {
            bool simple = is_simple(cond->sub);
            if (!simple) buf_char(w->out, '(');
            add_core(w->out, w->linked, cond->sub, NULL);
            if (!simple) buf_char(w->out, ')');
        } else if (cond->value) {
            buf_str(w->out, cond->value);
            if (cond->value2) buf_format(w->out, " and %s", cond->value2);
        }
    }
}

/* A date cut to months is still told as a time. */
static enum value_class class_of(const struct wording *w, const struct term *t)
{
    if (t->column == TERM_STAR) return CLASS_NUMBER;
    const struct lex_column *col = &w->linked->columns[t->column];
    return col->grain >= 0 ? CLASS_DATE : col->class;
}

/* "the 3 with the highest price"; "with the most orders" for a count of rows. */
static void add_extreme(const struct wording *w, const struct order_term *o)
{
    const struct term *t = &o->term;
    if (t->agg == AGG_COUNT && t->column == TERM_STAR) {
        buf_str(w->out, o->desc ? "the most " : "the fewest ");
        say_rows_of(w->out, w->linked, core_counted(w->core));
        return;
    }
    enum value_class class = class_of(w, t);
    if (t->agg == AGG_NONE && class == CLASS_DATE)
        buf_str(w->out, o->desc ? "the latest " : "the earliest ");
    else if (t->agg == AGG_NONE && class == CLASS_TEXT)
        buf_str(w->out, o->desc ? "the alphabetically last " : "the alphabetically first ");
    else
        buf_str(w->out, o->desc ? "the highest " : "the lowest ");
    struct buf term;
    buf_init(&term, w->out->call, 4096);
    struct wording inner = { &term, w->linked, w->core, w->named };
    say_placed(&inner, t);
    buf_str(w->out, strncmp(term.data, "the ", 4) ? term.data : term.data + 4);
}

static void add_sorted(const struct wording *w, const struct order_term *o)
{
    const struct term *t = &o->term;
    enum value_class class = class_of(w, t);
    say_placed(w, t);
    if (class == CLASS_DATE && t->agg != AGG_COUNT)
        buf_str(w->out, o->desc ? ", latest first" : ", earliest first");
    else if (class == CLASS_TEXT && t->agg != AGG_COUNT)
        buf_str(w->out, o->desc ? " from Z to A" : " from A to Z");
    else
        buf_str(w->out, o->desc ? ", highest first" : ", lowest first");
}

static void add_order(const struct wording *w)
{
    const struct core *core = w->core;
    if (core->limit && !core->order_count) buf_format(w->out, ", only %d of them", core->limit);
    if (core->limit && core->order_count) {
        if (core->limit == 1)
            buf_str(w->out, ", only the one with ");
        else
            buf_format(w->out, ", only the %d with ", core->limit);
    }
    for (int i = 0; i < core->order_count; i++) {
        if (core->limit) {
            if (i) buf_str(w->out, " and then ");
            add_extreme(w, &core->order[i]);
        } else {
            buf_str(w->out, i ? ", then by " : ", sorted by ");
            add_sorted(w, &core->order[i]);
        }
    }
}

static bool is_group(const struct core *core, const struct term *t)
{
    for (int i = 0; i < core->group_count; i++)
        if (t->agg == AGG_NONE && t->column == core->group[i]) return true;
    return false;
}

/* Groups are shown and nothing else is: they are the items. */
static bool only_groups(const struct core *core)
{
    for (int i = 0; i < core->item_count; i++)
        if (!is_group(core, &core->items[i])) return false;
    for (int i = 0; i < core->group_count; i++)
        if (!core_shows(core, core->group[i])) return false;
    return core->group_count > 0;
}

/* A key that is among those of another table, or not: orders with items, customers without orders. */
static bool is_existence(const struct wording *w, const struct cond *cond)
{
    const struct core *sub = cond->sub;
    if (w->core->any || (cond->op != COND_IN && cond->op != COND_NOT_IN) || !is_simple(sub)) return false;
    if (cond->left.column < 0 || sub->items[0].column < 0 || sub->items[0].agg != AGG_NONE) return false;
    const struct lex_column *own = &w->linked->columns[cond->left.column];
    const struct lex_column *other = &w->linked->columns[sub->items[0].column];
    return own->key && !own->foreign && other->foreign && (int)own->table == w->core->tables[0] &&
           w->core->table_count == 1;
}

static void add_existence(const struct wording *w, const struct cond *cond)
{
    if (!is_existence(w, cond)) return;
    buf_str(w->out, cond->op == COND_IN ? " with " : " without ");
    say_rows_of(w->out, w->linked, cond->sub->tables[0]);
    const struct lex_column *other = &w->linked->columns[cond->sub->items[0].column];
    if (strcasecmp(other->column->name, w->linked->columns[cond->left.column].column->name)) {
        buf_str(w->out, " by ");
        say_name(w->out, other->column->name);
    }
}

/* The table whose rows a key in the group tells apart, when columns of that table are shown instead of the key; -1 when
 * there is none. */
static int grouped_table(const struct wording *w, int column)
{
    const struct lex_column *col = &w->linked->columns[column];
    if (core_shows(w->core, column) || !(col->key || col->foreign) || w->core->group_count > 1) return -1;
    for (int i = 0; i < w->core->item_count; i++) {
        const struct term *t = &w->core->items[i];
        if (t->agg != AGG_NONE || t->column < 0) continue;
        int table = (int)w->linked->columns[t->column].table;
        if (table == (int)col->table && !col->foreign) return table;
        for (int k = 0; k + 1 < w->core->table_count; k++) {
            const struct edge *e = w->core->edges[k];
            if (e->owner == (int)col->table && e->other == table && e->key->column_count == 1 &&
                !strcasecmp(e->key->columns[0], col->column->name))
                return table;
        }
    }
    return -1;
}

static bool computes(const struct core *core)
{
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].agg != AGG_NONE) return true;
    return !core->has_having && !core->order_count;
}

/* Everything after the items. */
static void add_rest(const struct wording *w)
{
    const struct core *core = w->core;
    uint32_t said = w->named;
    if (!only_groups(core)) {
        for (int i = 0; i < core->group_count; i++) {
            struct term t = { AGG_NONE, false, core->group[i] };
            int table = grouped_table(w, core->group[i]);
            if (table >= 0 && !computes(core)) { /* a row for each, and nothing else said of it */
                said |= wording_place(core, table) | wording_place(core, wording_table(w, &t));
                continue;
            }
            buf_str(w->out, i ? " and " : " for each ");
            if (table >= 0) {
                say_singular(w->out, w->linked->tables[table].table->name);
                said |= wording_place(core, table) | wording_place(core, wording_table(w, &t));
                continue;
            }
            say_placed(w, &t);
            if (!core_shows(core, core->group[i])) buf_str(w->out, " (not shown)");
            said |= wording_place(core, wording_table(w, &t));
        }
    }
    for (int i = 0; i < core->where_count; i++) said |= wording_place(core, wording_table(w, &core->where[i].left));
    if (core->has_having) said |= wording_place(core, wording_table(w, &core->having.left));
    for (int i = 0; i < core->order_count; i++) said |= wording_place(core, wording_table(w, &core->order[i].term));
    int joined = 0;
    for (int i = 0; i < core->table_count; i++) {
        if (said & (UINT32_C(1) << i)) continue;
        buf_str(w->out, joined++ ? ", " : ", joined with ");
        say_table(w->out, w->linked, core->tables[i]);
    }
    for (int i = 0; i < core->where_count; i++) add_existence(w, &core->where[i]);
    int told = 0;
    for (int i = 0; i < core->where_count; i++) {
        if (is_existence(w, &core->where[i])) continue;
        buf_str(w->out, told++ == 0 ? " where " : core->any ? " or " : " and ");
        add_cond(w, &core->where[i]);
    }
    if (core->has_having) {
        buf_str(w->out, ", only where ");
        add_cond(w, &core->having);
    }
    add_order(w);
}

/* Told together, with their table once behind them. */
static bool same_run(const struct wording *w, const struct term *a, const struct term *b)
{
    bool counts = (a->column == TERM_STAR && a->agg != AGG_NONE) || (b->column == TERM_STAR && b->agg != AGG_NONE);
    return !counts && wording_table(w, a) == wording_table(w, b);
}

/* The items, "of" their table said once for each run of items of one table. A group that is shown beside something else
 * is told by "for each". */
static void add_items(struct wording *w)
{
    const struct core *core = w->core;
    const struct term *told[TERMS_MAX];
    int count = 0;
    bool all = only_groups(core);
    for (int i = 0; i < core->item_count; i++)
        if (all || !is_group(core, &core->items[i])) told[count++] = &core->items[i];
    if (core->distinct) buf_str(w->out, "the different values of ");
    for (int i = 0, first = 0, long_run = 0; i < count; i++) {
        const struct term *t = told[i];
        bool last = i + 1 == count || !same_run(w, t, told[i + 1]);
        if (i > first) buf_str(w->out, last ? " and " : ", ");
        if (i && i == first) buf_str(w->out, long_run ? ", and " : i + 1 == count ? " and " : ", ");
        if (t->agg == AGG_NONE && !core->distinct && t->column != TERM_STAR) buf_str(w->out, "the ");
        say_term(w, t);
        int table = wording_table(w, t);
        w->named |= wording_place(core, table);
        if (!last) continue;
        bool counted = t->column == TERM_STAR && t->agg != AGG_NONE;
        if (!counted) {
            buf_str(w->out, " of ");
            say_table(w->out, w->linked, table);
        }
        long_run = i > first;
        first = i + 1;
    }
}

/* The one item is what the one row is chosen by: the highest salary. */
static bool is_extreme(const struct core *core)
{
    return core->item_count == 1 && core->limit == 1 && core->order_count == 1 && !core->group_count &&
           !core->distinct && core->items[0].agg == AGG_NONE && core->items[0].column >= 0 &&
           core->order[0].term.agg == AGG_NONE && core->order[0].term.column == core->items[0].column;
}

static void add_core(struct buf *b, const struct linked *l, const struct core *core, uint32_t *named)
{
    struct wording w = { b, l, core, 0 };
    struct core shorter;
    if (is_extreme(core)) {
        shorter = *core;
        shorter.items[0].agg = core->order[0].desc ? AGG_MAX : AGG_MIN;
        shorter.order_count = shorter.limit = 0;
        w.core = &shorter;
    }
    add_items(&w);
    add_rest(&w);
    if (named) *named = w.named;
}

void say_core(struct buf *b, const struct linked *l, const struct core *core)
{
    add_core(b, l, core, NULL);
}

void say_group(struct buf *b, const struct linked *l, const struct core *core, int column)
{
    const int table = core_shows(core, column) ? -1 : table_told(l, column);
    const struct wording w = { b, l, core, 1 };
    const struct term t = { AGG_NONE, false, column };
    if (table >= 0)
        say_singular(b, l->tables[table].table->name);
    else
        say_placed(&w, &t);
}

void say_order(struct buf *b, const struct linked *l, const struct core *core)
{
    const struct wording w = { b, l, core, 1 };
    add_order(&w);
}

static bool same_items(const struct core *a, const struct core *b)
{
    if (a->item_count != b->item_count || a->distinct != b->distinct) return false;
    for (int i = 0; i < a->item_count; i++)
        if (!term_equal(&a->items[i], &b->items[i])) return false;
    return a->tables[0] == b->tables[0];
}

const char *reading_words(struct call *c, const struct linked *l, const struct reading *r)
{
    static const char *const sets[] = { "", "; only what is also among ", "; without ", "; together with " };
    static const char *const same[] = { "", "; only those that are also among those", "; without those",
                                        "; together with those" };
    struct buf b;
    buf_init(&b, c, 4096);
    if (r->turned) {
        r->turned->turn->kind->say(&b, l, r->turned);
        return b.data;
    }
    uint32_t named;
    add_core(&b, l, &r->left, &named);
    if (!r->set) return b.data;
    /* When both sides show the same, the second is told by what is different about it. */
    struct buf rest;
    buf_init(&rest, c, 4096);
    struct wording w = { &rest, l, &r->right, named & 1 };
    for (int i = 0; i < r->right.item_count; i++)
        w.named |= wording_place(&r->right, wording_table(&w, &r->right.items[i]));
    add_rest(&w);
    if (same_items(&r->left, &r->right) && rest.len) {
        static const char joined[] = ", joined with ";
        bool only = !strncmp(rest.data, joined, sizeof joined - 1) && !strstr(rest.data, " where ");
        buf_str(&b, same[r->set]);
        buf_str(&b, only ? " with " : "");
        buf_str(&b, rest.data + (only ? sizeof joined - 1 : rest.data[0] == ','));
    } else {
        buf_str(&b, sets[r->set]);
        add_core(&b, l, &r->right, NULL);
    }
    return b.data;
}
