#include "planners/lexical/explain.h"

#include "planners/lexical/turn.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_SENSE 0.75f /* of a synonym's score: below, the words do not mean the same */

struct explaining {
    const struct linked *l;
    bool values_known;
    struct candidate *out;
};

static void reason(const struct explaining *e, const char *text)
{
    for (size_t i = 0; i < e->out->reasons.count; i++)
        if (!strcmp(LIST_AT(&e->out->reasons, const char *, i), text)) return;
    *(const char **)list_push(e->l->call, &e->out->reasons, sizeof(const char *)) = text;
}

static const char *said(const struct linked *l, size_t first, size_t end)
{
    const struct words *q = &l->words;
    size_t from = q->items[first].begin, to = q->items[end - 1].end;
    return call_strndup(l->call, q->text + from, to > from ? to - from : 0);
}

static const char *table_of(const struct linked *l, const struct lex_column *col)
{
    return l->tables[col->table].table->name;
}

/* What was said as a name or in quotes, and the index does not have it: the column is a guess, and so is that any row
 * has it. */
static bool is_unknown(const struct span *s, size_t column)
{
    if (s->kind != SPAN_QUOTE && s->kind != SPAN_CAPITAL) return false;
    for (size_t i = 0; i < s->column_count; i++)
        if (s->columns[i].column == column) return s->columns[i].match == MATCH_TRIGRAM;
    return false;
}

/* Bounds that lie the wrong way round: an answer of none is no wonder. */
static bool ends_first(const struct linked *l, const struct cond *w)
{
    if (w->op == COND_RANGE) return w->value && w->value2 && strcmp(w->value, w->value2) >= 0;
    if (w->op != COND_BETWEEN || w->span < 0 || w->span2 < 0) return false;
    const struct span *from = &l->spans[w->span], *to = &l->spans[w->span2];
    return from->kind == SPAN_NUMBER && to->kind == SPAN_NUMBER && strtod(from->text, NULL) > strtod(to->text, NULL);
}

static void explain_core(const struct explaining *e, const struct core *core);

static void explain_cond(const struct explaining *e, const struct cond *w)
{
    const struct linked *l = e->l;
    if (w->sub) explain_core(e, w->sub);
    if (w->left.column < 0) return;
    const struct lex_column *col = &l->columns[w->left.column];
    const char *table = table_of(l, col), *column = col->column->name;
    if (w->op == COND_NULL) reason(e, call_format(l->call, "%s.%s has to be missing", table, column));
    if (w->span < 0) return;
    const struct span *s = &l->spans[w->span];
    const char *words = said(l, s->first, s->end);
    if (w->op == COND_RANGE)
        reason(e, call_format(l->call, "'%s' is read as a time of %s.%s", words, table, column));
    else if (s->kind == SPAN_NUMBER)
        reason(e, call_format(l->call, "'%s' is compared with %s.%s", words, table, column));
    else
        reason(e, call_format(l->call, "'%s' is read as a value of %s.%s", words, table, column));
    if (!e->out->doubt && ends_first(l, w))
        e->out->doubt = call_format(l->call, "What is asked of %s.%s ends before it begins.", table, column);
    if (!e->out->doubt && e->values_known && is_unknown(s, (size_t)w->left.column))
        e->out->doubt = call_format(l->call, "No '%s' is known among the values of %s.%s.", words, table, column);
}

/* Names that were said are read; what is only like them, or means the same, is taken for them. */
static void explain_column(const struct explaining *e, int column)
{
    if (column < 0) return;
    const struct linked *l = e->l;
    const struct lex_column *col = &l->columns[column];
    const struct mention *m = col->mention_count ? &col->mentions[0] : NULL;
    const char *table = table_of(l, col), *name = col->column->name;
    /* a name is shown of its own: a word that only means something near has not asked for it */
    if (m && m->kind == MENTION_SYNONYM && m->score < NEAR_SENSE && col->name_like) m = NULL;
    const char *words = m ? said(l, m->first, m->end) : "";
    if (!words[0])
        reason(e, call_format(l->call, "%s.%s is assumed: the question does not name it", table, name));
    else
        reason(e, call_format(l->call, "'%s' is %s %s.%s", words, m->kind <= MENTION_PART ? "read as" : "taken for",
                              table, name));
}

static bool names_column(const struct linked *l, int column, size_t word)
{
    const struct mention *m = column >= 0 && l->columns[column].mention_count ? &l->columns[column].mentions[0] : NULL;
    return m && m->kind <= MENTION_PART && word >= m->first && word < m->end;
}

/* Does the word name a column that the core shows, groups by or compares? Then it is said of that, not of the table. */
static bool is_column_word(const struct linked *l, const struct core *core, size_t word)
{
    bool names = false;
    for (int i = 0; i < core->item_count; i++) names |= names_column(l, core->items[i].column, word);
    for (int i = 0; i < core->group_count; i++) names |= names_column(l, core->group[i], word);
    for (int i = 0; i < core->where_count; i++) names |= names_column(l, core->where[i].left.column, word);
    return names;
}

static void explain_table(const struct explaining *e, const struct core *core)
{
    const struct lex_table *t = &e->l->tables[core->tables[0]];
    const struct mention *m = t->mention_count ? &t->mentions[0] : NULL;
    if (m && is_column_word(e->l, core, m->first)) return;
    const char *words = m && m->kind > MENTION_PART ? said(e->l, m->first, m->end) : "";
    if (!words[0]) return;
    reason(e, call_format(e->l->call, "'%s' is taken for %s", words, t->table->name));
    if (!e->out->doubt) e->out->doubt = call_format(e->l->call, "'%s' is taken for %s.", words, t->table->name);
}

static void explain_term(const struct explaining *e, const struct core *core, const struct term *t)
{
    if (t->column == TERM_STAR && t->agg == AGG_COUNT)
        reason(e, call_format(e->l->call, "rows of %s are counted", e->l->tables[core_counted(core)].table->name));
    explain_column(e, t->column);
}

static void explain_core(const struct explaining *e, const struct core *core)
{
    const struct linked *l = e->l;
    for (int i = 0; i < core->item_count; i++) explain_term(e, core, &core->items[i]);
    for (int i = 0; i < core->where_count; i++) explain_cond(e, &core->where[i]);
    for (int i = 0; i < core->group_count; i++) explain_column(e, core->group[i]);
    if (core->has_having) explain_term(e, core, &core->having.left);
    for (int i = 0; i < core->order_count; i++) explain_term(e, core, &core->order[i].term);
    if (core->table_count == 1) explain_table(e, core);
    for (int i = 1; i < core->table_count; i++) {
        const struct edge *k = core->edges[i - 1];
        const char *owner = l->tables[k->owner].table->name;
        reason(e, call_format(l->call, "%s and %s meet along %s.%s", owner, l->tables[k->other].table->name, owner,
                              k->key->columns[0]));
    }
}

void reading_explain(const struct linked *l, const struct reading *r, bool values_known, struct candidate *out)
{
    struct explaining e = { l, values_known, out };
    if (r->turned) {
        const struct turn *t = r->turned->turn;
        reason(&e, call_format(l->call, "'%s' asks for %s", t->said, t->kind->name));
    }
    explain_core(&e, &r->left);
    if (r->set) explain_core(&e, &r->right);
}
