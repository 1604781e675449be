/* A reading in plain words: "the number of orders for each city of customers, sorted by city". A table is named once,
 * by the columns that stand first; a column of a second table, or one whose name is not the only one, names its own;
 * tables that no column names are said to be joined. So two readings that differ in any part differ in words. */
#include "planners/lexical/reading.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct wording {
    struct buf *out;
    const struct linked *linked;
    const struct core *core;
    uint32_t named; /* places in core->tables whose name the items say */
};

static void add_core(struct buf *b, const struct linked *l, const struct core *core, uint32_t *named);

static void add_name(struct buf *b, const char *name)
{
    for (const char *p = name; *p; p++) {
        bool seam = p > name && isupper((unsigned char)*p) && islower((unsigned char)p[-1]);
        if (seam) buf_char(b, ' ');
        buf_char(b, *p == '_' ? ' ' : (char)tolower((unsigned char)*p));
    }
}

static void add_table(struct buf *b, const struct linked *l, int table)
{
    add_name(b, l->tables[table].table->name);
}

/* "orders" for a name in the plural, "student records" for any other, in whatever language it is. */
static void add_rows_of(struct buf *b, const struct linked *l, int table)
{
    const char *name = l->tables[table].table->name;
    size_t n = strlen(name);
    add_table(b, l, table);
    if (!n || tolower((unsigned char)name[n - 1]) != 's') buf_str(b, " records");
}

static uint32_t place_of(const struct core *core, int table)
{
    for (int i = 0; i < core->table_count; i++)
        if (core->tables[i] == table) return UINT32_C(1) << i;
    return 0;
}

static int table_of(const struct wording *w, const struct term *t)
{
    return t->column == TERM_STAR ? w->core->tables[0] : (int)w->linked->columns[t->column].table;
}

static void add_column(const struct wording *w, int item)
{
    const struct lex_column *col = &w->linked->columns[item];
    if (col->grain >= 0) buf_format(w->out, "%s of ", unit_names[col->grain]);
    add_name(w->out, col->column->name);
}

static void add_term(const struct wording *w, const struct term *t)
{
    if (t->column == TERM_STAR) {
        buf_str(w->out, t->agg == AGG_NONE ? "all columns" : "the number of ");
        if (t->agg != AGG_NONE) add_rows_of(w->out, w->linked, w->core->tables[0]);
        return;
    }
    bool time = w->linked->columns[t->column].class == CLASS_DATE;
    bool text = w->linked->columns[t->column].class == CLASS_TEXT;
    switch (t->agg) {
    case AGG_NONE:
        break;
    case AGG_COUNT:
        buf_str(w->out, t->distinct ? "the number of different values of " : "the number of values of ");
        break;
    case AGG_SUM:
        buf_str(w->out, "the total ");
        break;
    case AGG_AVG:
        buf_str(w->out, "the average ");
        break;
    case AGG_MIN:
        buf_str(w->out, time ? "the earliest " : text ? "the alphabetically first " : "the lowest ");
        break;
    case AGG_MAX:
        buf_str(w->out, time ? "the latest " : text ? "the alphabetically last " : "the highest ");
        break;
    }
    if (t->distinct && t->agg != AGG_COUNT) buf_str(w->out, "different ");
    add_column(w, t->column);
}

/* A term after the items: it names its table unless they did, and it is the only one of its name. */
static void add_placed(const struct wording *w, const struct term *t)
{
    add_term(w, t);
    if (t->column == TERM_STAR) return;
    const struct lex_column *col = &w->linked->columns[t->column];
    int table = (int)col->table;
    bool plain = w->named & place_of(w->core, table);
    if (plain && (w->core->table_count == 1 || (col->same_name <= 1 && !col->name_like && !col->id_like))) return;
    buf_str(w->out, " of ");
    add_table(w->out, w->linked, table);
}

struct day {
    int year, month, day;
};

static bool day_of(const char *text, struct day *d)
{
    if (!text || strlen(text) != 10 || text[4] != '-' || text[7] != '-') return false;
    for (int i = 0; i < 10; i++)
        if (i != 4 && i != 7 && !isdigit((unsigned char)text[i])) return false;
    *d = (struct day){ (int)strtol(text, NULL, 10), (int)strtol(text + 5, NULL, 10), (int)strtol(text + 8, NULL, 10) };
    return d->month >= 1 && d->month <= 12 && d->day >= 1 && d->day <= 31;
}

static struct day day_before(struct day d)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    if (--d.day) return d;
    if (!--d.month) {
        d.month = 12;
        d.year--;
    }
    bool leap = (d.year % 4 == 0 && d.year % 100) || d.year % 400 == 0;
    d.day = days[d.month - 1] + (leap && d.month == 2);
    return d;
}

/* A half-open range as people say it: in 2025, in March 2025, on 2025-03-01, from 2025-03-01 to 2025-03-09. */
static void add_range(struct buf *b, const char *from, const char *to)
{
    static const char *const months[] = { "January", "February", "March",     "April",   "May",      "June",
                                          "July",    "August",   "September", "October", "November", "December" };
    struct day first = { 0 }, end = { 0 };
    bool whole = day_of(from, &first);
    whole &= day_of(to, &end);
    struct day last = day_before(end);
    if (!from || !to) {
        if (from) buf_format(b, " is %s or later", from);
        if (to) buf_format(b, " is before %s", to);
    } else if (!whole) {
        buf_format(b, " is from %s to before %s", from, to);
    } else if (first.day == 1 && end.day == 1 && first.month == 1 && end.month == 1 && end.year == first.year + 1) {
        buf_format(b, " is in %d", first.year);
    } else if (first.day == 1 && end.day == 1 && last.month == first.month && last.year == first.year) {
        buf_format(b, " is in %s %d", months[first.month - 1], first.year);
    } else if (last.day == first.day && last.month == first.month && last.year == first.year) {
        buf_format(b, " is on %s", from);
    } else {
        buf_format(b, " is from %s to %04d-%02d-%02d", from, last.year, last.month, last.day);
    }
}

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
    add_placed(w, &cond->left);
    if (cond->op == COND_RANGE) {
        add_range(w->out, cond->value, cond->value2);
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

/* "the 3 with the highest price"; "with the most orders" for a count of rows. */
static void add_extreme(const struct wording *w, const struct order_term *o)
{
    const struct term *t = &o->term;
    if (t->agg == AGG_COUNT && t->column == TERM_STAR) {
        buf_str(w->out, o->desc ? "the most " : "the fewest ");
        add_rows_of(w->out, w->linked, w->core->tables[0]);
        return;
    }
    enum value_class class = t->column == TERM_STAR ? CLASS_NUMBER : w->linked->columns[t->column].class;
    if (t->agg == AGG_NONE && class == CLASS_DATE)
        buf_str(w->out, o->desc ? "the latest " : "the earliest ");
    else if (t->agg == AGG_NONE && class == CLASS_TEXT)
        buf_str(w->out, o->desc ? "the alphabetically last " : "the alphabetically first ");
    else
        buf_str(w->out, o->desc ? "the highest " : "the lowest ");
    struct buf term;
    buf_init(&term, w->out->call, 4096);
    struct wording inner = { &term, w->linked, w->core, w->named };
    add_placed(&inner, t);
    buf_str(w->out, strncmp(term.data, "the ", 4) ? term.data : term.data + 4);
}

static void add_sorted(const struct wording *w, const struct order_term *o)
{
    const struct term *t = &o->term;
    enum value_class class = t->column == TERM_STAR ? CLASS_NUMBER : w->linked->columns[t->column].class;
    add_placed(w, t);
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

static bool shows(const struct core *core, int column)
{
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].agg == AGG_NONE && core->items[i].column == column) return true;
    return false;
}

/* Groups are shown and nothing else is: they are the items. */
static bool only_groups(const struct core *core)
{
    for (int i = 0; i < core->item_count; i++)
        if (!is_group(core, &core->items[i])) return false;
    for (int i = 0; i < core->group_count; i++)
        if (!shows(core, core->group[i])) return false;
    return core->group_count > 0;
}

/* Everything after the items. */
static void add_rest(const struct wording *w)
{
    const struct core *core = w->core;
    uint32_t said = w->named;
    if (!only_groups(core)) {
        for (int i = 0; i < core->group_count; i++) {
            struct term t = { AGG_NONE, false, core->group[i] };
            buf_str(w->out, i ? " and " : " for each ");
            add_placed(w, &t);
            if (!shows(core, core->group[i])) buf_str(w->out, " (not shown)");
            said |= place_of(core, table_of(w, &t));
        }
    }
    for (int i = 0; i < core->where_count; i++) said |= place_of(core, table_of(w, &core->where[i].left));
    if (core->has_having) said |= place_of(core, table_of(w, &core->having.left));
    for (int i = 0; i < core->order_count; i++) said |= place_of(core, table_of(w, &core->order[i].term));
    int joined = 0;
    for (int i = 0; i < core->table_count; i++) {
        if (said & (UINT32_C(1) << i)) continue;
        buf_str(w->out, joined++ ? ", " : ", joined with ");
        add_table(w->out, w->linked, core->tables[i]);
    }
    for (int i = 0; i < core->where_count; i++) {
        buf_str(w->out, i == 0 ? " where " : core->any ? " or " : " and ");
        add_cond(w, &core->where[i]);
    }
    if (core->has_having) {
        buf_str(w->out, ", only where ");
        add_cond(w, &core->having);
    }
    add_order(w);
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
    for (int i = 0; i < count; i++) {
        const struct term *t = told[i], *next = i + 1 < count ? told[i + 1] : NULL;
        if (i) buf_str(w->out, next ? ", " : " and ");
        if (t->agg == AGG_NONE && !core->distinct && t->column != TERM_STAR) buf_str(w->out, "the ");
        add_term(w, t);
        int table = table_of(w, t);
        w->named |= place_of(core, table);
        bool counted = t->column == TERM_STAR && t->agg != AGG_NONE;
        bool run = next && table_of(w, next) == table && (next->column != TERM_STAR || next->agg == AGG_NONE);
        if (counted || run) continue;
        buf_str(w->out, " of ");
        add_table(w->out, w->linked, table);
    }
}

static void add_core(struct buf *b, const struct linked *l, const struct core *core, uint32_t *named)
{
    struct wording w = { b, l, core, 0 };
    add_items(&w);
    add_rest(&w);
    if (named) *named = w.named;
}

static bool same_items(const struct core *a, const struct core *b)
{
    if (a->item_count != b->item_count || a->distinct != b->distinct) return false;
    for (int i = 0; i < a->item_count; i++) {
        const struct term *x = &a->items[i], *y = &b->items[i];
        if (x->agg != y->agg || x->distinct != y->distinct || x->column != y->column) return false;
    }
    return a->tables[0] == b->tables[0];
}

const char *reading_words(struct call *c, const struct linked *l, const struct reading *r)
{
    static const char *const sets[] = { "", "; only what is also among ", "; without ", "; together with " };
    static const char *const same[] = { "", "; only those that are also among those", "; without those",
                                        "; together with those" };
    struct buf b;
    buf_init(&b, c, 4096);
    uint32_t named;
    add_core(&b, l, &r->left, &named);
    if (!r->set) return b.data;
    /* When both sides show the same, the second is told by what is different about it. */
    struct buf rest;
    buf_init(&rest, c, 4096);
    struct wording w = { &rest, l, &r->right, named & 1 };
    for (int i = 0; i < r->right.item_count; i++) w.named |= place_of(&r->right, table_of(&w, &r->right.items[i]));
    add_rest(&w);
    if (same_items(&r->left, &r->right) && rest.len) {
        buf_str(&b, same[r->set]);
        buf_str(&b, rest.data + (rest.data[0] == ','));
    } else {
        buf_str(&b, sets[r->set]);
        add_core(&b, l, &r->right, NULL);
    }
    return b.data;
}
