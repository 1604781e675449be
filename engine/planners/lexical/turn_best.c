/* The best of each group: the 3 most expensive products in each category. The plain question names the best of all; the
 * turn ranks within each group instead. Those that tie are all shown. Which group a row is in has to follow from keys.
 */
#include "planners/lexical/fill.h"
#include "planners/lexical/intent.h"
#include "planners/lexical/turn.h"

#include <string.h>

static const char each_words[] = " each every per ";

static bool is_table(const struct linked *l, size_t p)
{
    return p < l->words.count && l->weights[p] >= WEIGHT_LEAST && (l->roles[p] == 't' || l->roles[p] == 'b');
}

static bool is_end(const struct linked *l, size_t p)
{
    return word_cues(&l->words, p) & (CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST)) && l->roles[p] != 'v' &&
           turn_names(l, p) != NAME_SAID;
}

static bool covers(const struct mention *list, size_t count, size_t p, enum mention_kind most, size_t *end)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].first == p && list[i].kind <= most) {
            *end = list[i].end;
            return true;
        }
    return false;
}

/* What stands behind each: a table, a column, a unit of time. *end is the word behind it. */
static bool find_groups(const struct linked *l, size_t p, struct turn *out, size_t *end)
{
    enum mention_kind best = MENTION_NONE;
    out->grain = grain_at(&l->words, p, end);
    if (out->grain >= 0) return true;
    for (size_t i = 0; i < l->table_count; i++) {
        const struct lex_table *t = &l->tables[i];
        size_t to;
        if (!covers(t->mentions, t->mention_count, p, MENTION_PART, &to) || t->mentions[0].kind >= best) continue;
        best = t->mentions[0].kind;
        out->each = t->table;
        *end = to;
    }
    for (size_t i = 0; i < l->real_columns; i++) {
        const struct lex_column *col = &l->columns[i];
        size_t to;
        if (out->each || out->column_count == EACH_MAX) break;
        if (!covers(col->mentions, col->mention_count, p, MENTION_NO_TABLE, &to)) continue;
        out->columns[out->column_count++] = col->column;
        *end = to;
    }
    return out->each || out->column_count;
}

/* Of what there is a best one: the employee with the highest salary, the most expensive products. */
static size_t thing_at(const struct linked *l, size_t s)
{
    const struct words *q = &l->words;
    size_t p = s;
    for (size_t i = 0; i + 1 < s && word_in_list(q, s, " most fewest least "); i++) /* which customer placed the most */
        if (word_in_list(q, i, " which what ") && is_table(l, i + 1)) return i + 1;
    while (p > 0 && s - p < 2 && word_in_list(q, p - 1, " the a ")) p--;
    if (p > 0 && word_in_list(q, p - 1, " with having has had ")) {
        p--;
        if (p > 0 && word_in_list(q, p - 1, " that who which ")) p--;
        return p > 0 && is_table(l, p - 1) ? p - 1 : NOWHERE;
    }
    for (p = s + 1; p < q->count && p < s + 4; p++) {
        const size_t n = strlen(q->items[p].fold);
        if (n > 2 && !strcmp(q->items[p].fold + n - 2, "ed") && is_table(l, p + 1))
            continue; /* the most ordered product */
        if (is_table(l, p))
            return intent_names(l, p + 1) && l->roles[p + 1] == 'c' ? NOWHERE : p; /* station latitude */
        if (q->items[p].flags & (WORD_STOP | WORD_MARK) || l->roles[p] == 'v') break;
        if (l->roles[p] == 'c' && l->weights[p] >= WEIGHT_SURE && !is_end(l, p)) break;
    }
    return NOWHERE;
}

static bool find(const struct linked *l, const struct edit *e, struct turn *out)
{
    const struct words *q = &l->words;
    size_t each = NOWHERE, thing = NOWHERE, end = 0;
    for (size_t p = 0; p < q->count; p++) {
        if (!word_in_list(q, p, each_words)) continue;
        if (each != NOWHERE) return false;
        each = p;
    }
    if (each == NOWHERE || word_in_list(q, 0, " how ")) return false; /* how old: the age, not who has it */
    for (size_t p = 0; p < q->count && thing == NOWHERE; p++) {
        if (!is_end(l, p)) continue;
        thing = thing_at(l, p);
        out->dated = word_in_list(q, p, " latest newest oldest eldest earliest youngest first last ") ||
                     word_in_list(q, p + 1, " recent ");
    }
    if (thing == NOWHERE || !find_groups(l, each + 1, out, &end) || (thing > each && thing < end)) return false;
    for (size_t i = 0; i < l->table_count && out->each; i++)
        if (l->tables[i].table == out->each && turn_says_table(l, (int)i, q->items[thing].begin, 0)) return false;
    size_t first = each;
    if (first > 0 && word_in_list(q, first - 1, " in of for from at by within on ")) first--;
    out->said = turn_text(l, first, end);
    out->head = q->items[thing].begin;
    if (end < q->count && q->items[end].flags & WORD_MARK && (!first || !strcmp(q->items[end].fold, ","))) end++;
    edit_cut(e, first, end);
    for (size_t p = 0; p + 1 < e->words->count; p++)
        if (word_in_list(e->words, p, " most ") && word_in_list(e->words, p + 1, " recent "))
            return edit_replace(e, p, p + 2, "latest");
    return true;
}

static int thing_table(const struct turning *t)
{
    int found = -1;
    for (size_t i = 0; i < t->l->table_count; i++)
        if (turn_says_table(t->l, (int)i, t->turn->head, 0)) {
            if (found >= 0) return -1;
            found = (int)i;
        }
    return found;
}

/* Does the core group by the thing, and order by a count or a total? */
static bool counts_thing(const struct linked *l, const struct core *core, int thing)
{
    const struct term *by = &core->order[0].term;
    if (by->agg != AGG_COUNT && by->agg != AGG_SUM) return false;
    for (int i = 0; i < core->group_count; i++) {
        const struct lex_column *col = &l->columns[core->group[i]];
        int label[2], n = label_items(l, thing, label);
        bool named = false;
        for (int k = 0; k < n; k++) named |= label[k] == core->group[i];
        if (col->grain >= 0 || (table_told(l, core->group[i]) != thing && !named)) return false;
    }
    return core->group_count > 0;
}

static int date_of(const struct linked *l, int table)
{
    const struct lex_table *t = &l->tables[table];
    int best = -1;
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++)
        if (l->columns[i].class == CLASS_DATE && (best < 0 || date_prior(l, i) > date_prior(l, (size_t)best)))
            best = (int)i;
    return best;
}

/* The date that units are of: of the rows themselves, or of the one thing that they hang from. */
static int reach_date(const struct turning *t, struct core *core, int thing)
{
    const struct graph *g = &t->question->graph;
    int found = date_of(t->l, core->tables[0]);
    for (size_t i = 0; i < g->edge_count && found < 0; i++) {
        const struct edge *k = &g->edges[i];
        if (k->owner != core->tables[0] || k->other == thing || date_of(t->l, k->other) < 0) continue;
        if (!core_reach(g, core, core->tables[0], k->other)) return -1;
        found = date_of(t->l, k->other);
    }
    return found;
}

/* The column that tells the groups apart, and what leads to it; -1 when that is not clear. */
static int reach_groups(const struct turning *t, struct core *core, int from, int thing)
{
    const struct linked *l = t->l;
    const struct graph *g = &t->question->graph;
    int found = -1;
    if (t->turn->grain >= 0) return reach_date(t, core, thing);
    for (size_t i = 0; i < l->table_count && t->turn->each; i++)
        if (l->tables[i].table == t->turn->each)
            return (int)i != from && core_reach(g, core, from, (int)i) ? key_item(l, (int)i) : -1;
    for (size_t k = 0; k < t->turn->column_count; k++)
        for (size_t i = 0; i < l->real_columns; i++)
            if (l->columns[i].column == t->turn->columns[k] && (int)l->columns[i].table == from) return (int)i;
    for (size_t k = 0; k < t->turn->column_count; k++)
        for (size_t i = 0; i < l->real_columns; i++) {
            struct core with = *core;
            if (l->columns[i].column != t->turn->columns[k] || !core_reach(g, &with, from, (int)l->columns[i].table))
                continue;
            if (found >= 0) return -1;
            found = (int)i;
        }
    if (found >= 0) core_reach(g, core, from, (int)l->columns[found].table);
    return found;
}

static void show(struct core *core, enum agg agg, int column)
{
    const struct term t = { agg, false, column };
    for (int i = 0; i < core->item_count; i++)
        if (term_equal(&core->items[i], &t)) return;
    if (core->item_count < TERMS_MAX) core->items[core->item_count++] = t;
}

static bool is_named(const struct linked *l, const struct lex_column *col)
{
    const enum mention_kind most = col->key || col->foreign ? MENTION_NO_TABLE : MENTION_PART;
    return col->mention_count && col->mentions[0].kind <= most && !only_table_said(l, col);
}

/* Is ordered by what the word for the end cannot ask for? Times are told by words of time and are those that are
 * likeliest meant; keys are no measure; the most is not the fewest. */
static bool ends_wrongly(const struct turning *t, const struct order_term *o, int thing)
{
    const uint32_t both = CUE_BIT(CUE_MOST) | CUE_BIT(CUE_LEAST), said = t->question->context.said & both;
    const struct term *by = &o->term;
    const struct lex_column *col = by->column >= 0 ? &t->l->columns[by->column] : NULL;
    const bool date = col && by->agg != AGG_COUNT && col->class == CLASS_DATE;
    if (!date && said && said != both && o->desc != (said == CUE_BIT(CUE_MOST))) return true;
    if (!col || by->agg == AGG_COUNT || is_named(t->l, col)) return false;
    if (col->key || col->foreign || col->class == CLASS_TEXT) return true;
    return date && !(t->turn->dated && date_of(t->l, thing) == by->column);
}

/* The columns that the question names are shown; where it names none, what the thing is called, and what it is the best
 * by. */
static void show_thing(const struct linked *l, const struct core *plain, int thing, struct core *core)
{
    int label[2], n = label_items(l, thing, label);
    bool named = false;
    for (int i = 0; i < plain->item_count; i++) {
        const struct lex_column *col = plain->items[i].column >= 0 ? &l->columns[plain->items[i].column] : NULL;
        if (!col || plain->items[i].agg != AGG_NONE || !is_named(l, col)) continue;
        if (plain->items[i].column == plain->order[0].term.column) continue;
        named = true;
        show(core, AGG_NONE, plain->items[i].column);
    }
    for (int i = 0; i < n && !named; i++) show(core, AGG_NONE, label[i]);
    show(core, plain->order[0].term.agg, plain->order[0].term.column);
}

/* The highest salary, where an employee is asked for: the one who has it. */
static struct core with_order(const struct core *core)
{
    struct core out = *core;
    const struct term *t = &core->items[0];
    if (core->item_count != 1 || t->agg < AGG_MIN || core->group_count || core->order_count) return out;
    out.item_count = 0;
    out.order[0] = (struct order_term){ { AGG_NONE, false, t->column }, t->agg == AGG_MAX };
    out.order_count = out.limit = 1;
    return out;
}

static size_t apply(const struct turning *t, const struct reading *r, struct turned out[VARIANTS_MAX])
{
    const struct linked *l = t->l;
    const struct core ordered = with_order(&r->left), *plain = &ordered;
    struct core core;
    const int thing = thing_table(t);
    if (thing < 0 || r->set || plain->has_having || plain->order_count != 1 || plain->limit < 1) return 0;
    if (ends_wrongly(t, &plain->order[0], thing)) return IMPOSSIBLE;
    if (!core_hang(plain, &core)) return 0;
    const bool grouped = plain->group_count > 0;
    if (grouped && core.tables[0] == thing) return 0;
    if (grouped ? !counts_thing(l, plain, thing) : core.tables[0] != thing || plain->order[0].term.agg != AGG_NONE)
        return 0;
    if (!grouped && plain->order[0].term.column < 0) return 0;
    for (int i = 0; i < plain->item_count; i++)
        if (plain->items[i].agg != AGG_NONE && !term_equal(&plain->items[i], &plain->order[0].term)) return 0;
    if (grouped && !core_reach(&t->question->graph, &core, core.tables[0], thing)) return 0;
    struct turned x = { .turn = t->turn, .entity = -1, .grain = t->turn->grain };
    x.each = reach_groups(t, &core, grouped && t->turn->grain < 0 ? thing : core.tables[0], thing);
    if (x.each < 0) return 0;
    struct core *told = call_alloc(t->call, sizeof *told);
    core.item_count = 0;
    core.distinct = false;
    show_thing(l, plain, thing, &core);
    *told = core;
    core.item_count = 0;
    int label[2], n = 1;
    if (t->turn->each)
        n = label_items(l, (int)l->columns[x.each].table, label);
    else
        label[0] = x.each;
    for (int i = 0; i < n; i++) show(&core, AGG_NONE, label[i]);
    x.label_count = core.item_count;
    for (int i = 0; i < told->item_count; i++) show(&core, told->items[i].agg, told->items[i].column);
    if (grouped) {
        const int key = key_item(l, thing);
        if (key < 0) return 0;
        core.group[0] = key;
        core.group_count = 1;
    }
    x.core = core;
    x.told = told;
    out[0] = x;
    return 1;
}

static const char *label_alias(const struct emit *e, const struct turned *t, int i)
{
    const struct lex_column *col = &e->linked->columns[t->core.items[i].column];
    if (t->grain >= 0) return grain_name(t->grain);
    if (t->label_count > 1 || !col->name_like) return col->column->name;
    struct buf b;
    buf_init(&b, e->call, 4096);
    say_singular(&b, e->linked->tables[col->table].table->name);
    for (size_t k = 0; k < b.len; k++)
        if (b.data[k] == ' ') b.data[k] = '_';
    return b.data;
}

static bool has_alias(const struct query *q, const char *alias)
{
    for (size_t i = 0; i < q->body->select.item_count; i++)
        if (!strcasecmp(q->body->select.items[i].alias, alias)) return true;
    return false;
}

static const char *free_alias(const struct emit *e, const struct query *q, const char *alias)
{
    const char *is = alias;
    for (int n = 2; has_alias(q, is); n++) is = call_format(e->call, "%s_%d", alias, n);
    return is;
}

static struct query *plan(const struct emit *e, const struct turned *t)
{
    struct call *c = e->call;
    const struct core *core = &t->core;
    const struct term *by = &core->order[0].term;
    struct query *in = query_select(c), *q = query_select(c);
    emit_from(e, in, core, 0);
    in->body->select.where = emit_conds(e, core->where, core->where_count, core->any);
    if (by->agg == AGG_NONE && e->linked->columns[by->column].column->nullable)
        query_where(c, in, expr_negated(c, expr_is_null(c, emit_term(e, by))));
    struct expr *each = emit_cut(e, t->each, t->grain);
    for (int i = 0; i < core->item_count; i++) {
        const struct term *item = &core->items[i];
        const bool label = i < t->label_count;
        struct expr *x = label && t->grain >= 0 ? expr_copy(c, each) : emit_term(e, item);
        if (core->group_count && item->agg == AGG_NONE) query_group(c, in, expr_copy(c, x));
        query_item(c, in, x, free_alias(e, in, label ? label_alias(e, t, i) : emit_name(e, item)));
    }
    if (core->group_count) {
        query_group(c, in, emit_column(e, core->group[0]));
        if (t->turn->each) query_group(c, in, expr_copy(c, each)); /* else it is the label, and grouped by already */
    }
    struct expr *place = expr_call(c, "rank", 0, NULL);
    place->call.over = call_alloc(c, sizeof *place->call.over);
    exprs_push(c, &place->call.over->partition_by, each);
    orders_push(c, &place->call.over->order_by, emit_term(e, by), core->order[0].desc ? DIR_DESC : DIR_ASC);
    const char *rank = free_alias(e, in, "place");
    query_item(c, in, place, rank);
    query_from_query(c, q, in, "ranked");
    for (size_t i = 0; i + 1 < in->body->select.item_count; i++) {
        const char *alias = in->body->select.items[i].alias;
        query_item(c, q, expr_column(c, "ranked", alias), alias);
    }
    query_where(c, q, expr_binary(c, OP_LE, expr_column(c, "ranked", rank), expr_integer(c, core->limit)));
    for (int i = 0; i < t->label_count; i++) query_order(c, q, expr_output(c, q->body->select.items[i].alias), DIR_ASC);
    query_order(c, q, expr_column(c, "ranked", rank), DIR_ASC);
    return q;
}

static void say(struct buf *b, const struct linked *l, const struct turned *t)
{
    struct core told = *t->told;
    const struct term each = { AGG_NONE, false, t->each };
    told.group_count = t->core.group_count;
    say_turned(b, l, &told);
    buf_str(b, ", for each ");
    if (t->grain >= 0) buf_format(b, "%s of ", grain_name(t->grain));
    if (t->turn->each)
        say_singular(b, l->tables[l->columns[t->each].table].table->name);
    else
        say_placed(&(struct wording){ b, l, &t->core, 1 }, &each);
    buf_str(b, " (all that tie)");
}

const struct turn_kind turn_best = { "the best of each group", find, apply, plan, say, NULL };
