/* A reading in plain words: "the number of orders for each city, most first". */
#include "planners/lexical/reading.h"

#include <ctype.h>
#include <string.h>

static void add_name(struct buf *b, const char *name)
{
    for (const char *p = name; *p; p++) {
        bool seam = p > name && isupper((unsigned char)*p) && islower((unsigned char)p[-1]);
        if (seam) buf_char(b, ' ');
        buf_char(b, *p == '_' ? ' ' : (char)tolower((unsigned char)*p));
    }
}

static void add_column(struct buf *b, const struct linked *l, int item)
{
    const struct lex_column *col = &l->columns[item];
    if (col->grain >= 0) buf_format(b, "%s of ", unit_names[col->grain]);
    add_name(b, col->column->name);
    if (col->same_name > 1 || col->name_like || col->id_like) {
        buf_str(b, " of ");
        add_name(b, l->tables[col->table].table->name);
    }
}

static void add_term(struct buf *b, const struct linked *l, const struct core *core, const struct term *t)
{
    static const char *const before[] = {
        "", "the number of ", "the total ", "the average ", "the lowest ", "the highest "
    };
    if (t->column == TERM_STAR) {
        if (t->agg == AGG_NONE)
            buf_str(b, "every column of ");
        else
            buf_str(b, "the number of rows of ");
        add_name(b, l->tables[core->tables[0]].table->name);
        return;
    }
    buf_str(b, before[t->agg]);
    if (t->distinct) buf_str(b, "different ");
    add_column(b, l, t->column);
}

static void add_core(struct buf *b, const struct linked *l, const struct core *core);

static void add_cond(struct buf *b, const struct linked *l, const struct core *core, const struct cond *w)
{
    static const char *const ops[] = { " is ",         " is not ",      " is below ",  " is at most ",
                                       " is above ",   " is at least ", " contains ",  " does not contain ",
                                       " is between ", " is ",          " is missing", " is present",
                                       " is among ",   " is not among " };
    add_term(b, l, core, &w->left);
    if (w->op == COND_RANGE) {
        if (w->value) buf_format(b, " is from %s on", w->value);
        if (w->value2) buf_format(b, "%s is before %s", w->value ? " and" : "", w->value2);
        return;
    }
    buf_str(b, ops[w->op]);
    if (w->sub) {
        buf_char(b, '(');
        add_core(b, l, w->sub);
        buf_char(b, ')');
    } else if (w->value) {
        for (const char *p = w->value; *p; p++)
            if (*p != '%' || (w->op != COND_LIKE && w->op != COND_NOT_LIKE)) buf_char(b, *p);
        if (w->value2) buf_format(b, " and %s", w->value2);
    }
}

static void add_order(struct buf *b, const struct linked *l, const struct core *core)
{
    for (int i = 0; i < core->order_count; i++) {
        buf_str(b, i ? ", then by " : core->limit ? ", the first by " : ", sorted by ");
        add_term(b, l, core, &core->order[i].term);
        buf_str(b, core->order[i].desc ? " from high to low" : " from low to high");
    }
    if (core->limit > 1) buf_format(b, ", %d rows", core->limit);
    if (core->limit == 1) buf_str(b, ", one row");
}

static void add_core(struct buf *b, const struct linked *l, const struct core *core)
{
    if (core->distinct) buf_str(b, "different values of ");
    for (int i = 0; i < core->item_count; i++) {
        if (i) buf_str(b, i + 1 == core->item_count ? " and " : ", ");
        add_term(b, l, core, &core->items[i]);
    }
    for (int i = 0; i < core->group_count; i++) {
        buf_str(b, i ? " and " : ", for each ");
        add_column(b, l, core->group[i]);
    }
    for (int i = 1; i < core->table_count; i++) {
        buf_str(b, i == 1 ? ", with " : ", ");
        add_name(b, l->tables[core->tables[i]].table->name);
    }
    for (int i = 0; i < core->where_count; i++) {
        buf_str(b, i == 0 ? ", where " : core->any ? " or " : " and ");
        add_cond(b, l, core, &core->where[i]);
    }
    if (core->has_having) {
        buf_str(b, ", keeping groups where ");
        add_cond(b, l, core, &core->having);
    }
    add_order(b, l, core);
}

const char *reading_words(struct call *c, const struct linked *l, const struct reading *r)
{
    struct buf b;
    buf_init(&b, c, 4096);
    add_core(&b, l, &r->left);
    static const char *const joins[] = { "", "; only what is also in: ", "; without: ", "; together with: " };
    if (r->set) {
        buf_str(&b, joins[r->set]);
        add_core(&b, l, &r->right);
    }
    return b.data;
}
