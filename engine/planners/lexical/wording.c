/* Names and terms in plain words. A table is named once, by the columns that stand first; a column of a second table,
 * or one whose name is not the only one, names its own. */
#include "planners/lexical/wording.h"

#include <ctype.h>
#include <string.h>

/* Keys lead from the many to the one: the table that no key of the tree leads to has a row for each row of the join. */
int core_rows_of(const struct core *core)
{
    int found = -1;
    for (int i = 0; i < core->table_count; i++) {
        bool referred = false;
        for (int k = 0; k + 1 < core->table_count; k++) referred |= core->edges[k]->other == core->tables[i];
        if (referred) continue;
        if (found >= 0) return -1;
        found = core->tables[i];
    }
    return found;
}

int core_counted(const struct core *core)
{
    const int rows = core_rows_of(core);
    return rows >= 0 ? rows : core->tables[0];
}

void say_name(struct buf *b, const char *name)
{
    size_t from = b->len;
    name_spoken(b, name);
    for (size_t i = from; i < b->len; i++) b->data[i] = (char)tolower((unsigned char)b->data[i]);
}

void say_table(struct buf *b, const struct linked *l, int table)
{
    say_name(b, l->tables[table].table->name);
}

void say_rows_of(struct buf *b, const struct linked *l, int table)
{
    const char *name = l->tables[table].table->name;
    size_t n = strlen(name);
    say_table(b, l, table);
    if (!n || tolower((unsigned char)name[n - 1]) != 's') buf_str(b, " records");
}

uint32_t wording_place(const struct core *core, int table)
{
    for (int i = 0; i < core->table_count; i++)
        if (core->tables[i] == table) return UINT32_C(1) << i;
    return 0;
}

int wording_table(const struct wording *w, const struct term *t)
{
    bool rows = t->column == TERM_STAR && t->agg != AGG_NONE;
    if (rows) return core_counted(w->core);
    return t->column == TERM_STAR ? w->core->tables[0] : (int)w->linked->columns[t->column].table;
}

static void say_column(const struct wording *w, int item)
{
    const struct lex_column *col = &w->linked->columns[item];
    if (col->grain >= 0) buf_format(w->out, "%s of ", grain_name(col->grain));
    say_name(w->out, col->column->name);
}

void say_term(const struct wording *w, const struct term *t)
{
    if (t->column == TERM_STAR) {
        buf_str(w->out, t->agg == AGG_NONE ? "all columns" : "the number of ");
        if (t->agg != AGG_NONE) say_rows_of(w->out, w->linked, core_counted(w->core));
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
    say_column(w, t->column);
}

void say_placed(const struct wording *w, const struct term *t)
{
    say_term(w, t);
    if (t->column == TERM_STAR) return;
    const struct lex_column *col = &w->linked->columns[t->column];
    int table = (int)col->table;
    bool plain = w->named & wording_place(w->core, table);
    if (plain && (w->core->table_count == 1 || (col->same_name <= 1 && !col->name_like && !col->id_like))) return;
    buf_str(w->out, " of ");
    say_table(w->out, w->linked, table);
}

const char *term_words(struct call *c, const struct linked *l, const struct core *core, const struct term *t)
{
    struct buf b;
    buf_init(&b, c, 4096);
    struct wording w = { &b, l, core, 0 };
    if (t->agg == AGG_NONE && t->column != TERM_STAR) buf_str(&b, "the ");
    say_placed(&w, t);
    if (t->agg == AGG_NONE && t->column == TERM_STAR) {
        buf_str(&b, " of ");
        say_table(&b, l, core->tables[0]);
    }
    return b.data;
}

void say_singular(struct buf *b, const char *name)
{
    static const char *const es[] = { "sses", "ches", "shes", "xes" };
    struct buf one;
    buf_init(&one, b->call, 4096);
    say_name(&one, name);
    size_t n = one.len, cut = 0;
    const char *s = one.data;
    if (n > 3 && !strcmp(s + n - 3, "ies")) {
        buf_add(b, s, n - 3);
        buf_char(b, 'y');
        return;
    }
    for (size_t i = 0; i < sizeof es / sizeof *es; i++)
        if (n > strlen(es[i]) && !strcmp(s + n - strlen(es[i]), es[i])) cut = 2;
    if (!cut && n > 3 && s[n - 1] == 's' && !strchr("sui", s[n - 2])) cut = 1;
    buf_add(b, s, n - cut);
}
