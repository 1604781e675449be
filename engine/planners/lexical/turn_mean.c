/* An average of counts or totals: the average number of orders per customer. The plain question counts for each; the
 * turn averages that. Whether things without any count as 0 is part of the meaning: unless the question says so, there
 * is a reading of each, and where both give the same nothing is in doubt. */
#include "planners/lexical/fill.h"
#include "planners/lexical/intent.h"
#include "planners/lexical/turn.h"

#include <string.h>

static const char each_words[] = " each every per ";
/* Averages of these are hardly ever meant as numbers of them. */
static const char money[] = " payments sales fees costs expenses revenues donations invoices salaries prices wages ";

static bool is_table(const struct linked *l, size_t p)
{
    return p < l->words.count && (l->roles[p] == 't' || l->roles[p] == 'b') && l->weights[p] >= WEIGHT_SURE;
}

static size_t count_each(const struct words *q)
{
    size_t n = 0;
    for (size_t p = 0; p < q->count; p++) n += word_in_list(q, p, each_words);
    return n;
}

/* On average, how many items are in an order: each one. Do customers have: each customer. */
static bool say_each(const struct linked *l, const struct edit *e)
{
    for (size_t p = 1; p < l->words.count; p++) {
        const bool one = word_in_list(&l->words, p, " a an one "),
                   many = word_in_list(&l->words, p, " do ") && is_table(l, p + 1);
        if (!is_table(l, p + 1) || (!one && !many)) continue;
        return edit_replace(e, p, p + 1, one ? "each" : "does each");
    }
    return false;
}

static size_t average_at(const struct linked *l)
{
    size_t found = NOWHERE;
    for (size_t p = 0; p < l->words.count; p++) {
        if (!word_in_list(&l->words, p, " average mean averaged ") || l->words.items[p].flags & WORD_QUOTED) continue;
        if (found != NOWHERE || turn_names(l, p) == NAME_SAID) return NOWHERE;
        found = p;
    }
    return found;
}

/* , including those without any: cut, and told. */
static void find_none(const struct edit *e, struct turn *out)
{
    struct words *q = e->words;
    for (size_t p = 1; p + 1 < q->count; p++) {
        const bool in = word_in_list(q, p, " including counting "), ex = word_in_list(q, p, " excluding ignoring ");
        bool none = false;
        size_t end = p + 1;
        for (; end < q->count && !(q->items[end].flags & WORD_MARK); end++)
            none |= word_in_list(q, end, " without no none zero ");
        if ((!in && !ex) || !none) continue;
        out->with_none = in;
        out->with_some = ex;
        edit_cut(e, q->items[p - 1].flags & WORD_MARK ? p - 1 : p, end);
        return;
    }
}

/* Each customer with orders: the others do not count. */
static void find_some(const struct linked *l, const struct edit *e, struct turn *out)
{
    struct words *q = e->words;
    for (size_t p = 0; p + 3 < q->count; p++) {
        if (!word_in_list(q, p, each_words)) continue;
        size_t with = p + 1;
        while (with < q->count && with < p + 4 && !word_in_list(q, with, " with having ")) with++;
        if (!word_in_list(q, with, " with having ")) continue;
        size_t end = with + 1;
        while (word_in_list(q, end, " at least one any some a an ") || (end < q->count && q->items[end].number)) end++;
        bool same = false;
        for (size_t i = 0; i < p && end < q->count; i++) same |= q->items[i].hash == q->items[end].hash;
        for (size_t i = 0; i < l->words.count && same; i++)
            if (l->words.items[i].begin == q->items[end].begin) same = is_table(l, i);
        if (!same || (end + 1 < q->count && !(q->items[end + 1].flags & WORD_MARK))) continue;
        out->with_some = true;
        edit_cut(e, with, end + 1);
        return;
    }
}

static bool find(const struct linked *l, const struct edit *e, struct turn *out)
{
    const struct words *q = &l->words;
    const size_t p = average_at(l);
    if (p == NOWHERE || count_each(q) > 1) return false;
    const bool on = p > 0 && word_in_list(q, p - 1, " on ");
    const bool number =
        word_in_list(q, p + 1, " number count ") && word_in_list(q, p + 2, " of ") && turn_names(l, p + 1) != NAME_SAID;
    const bool total = word_in_list(q, p + 1, " total ") && turn_names(l, p + 1) != NAME_SAID;
    size_t things = NOWHERE;
    const size_t n = p + 1 < q->count ? strlen(q->items[p + 1].fold) : 0;
    const bool plural = n > 1 && q->items[p + 1].fold[n - 1] == 's';
    if (!on && !number && !total && plural && is_table(l, p + 1) && word_in_list(q, p + 2, " for ") &&
        word_in_list(q, p + 3, each_words))
        things = p + 1;
    bool many = false;
    for (size_t i = 0; i + 1 < q->count && on; i++)
        many |= word_in_list(q, i, " how number ") && word_in_list(q, i + 1, " many of ");
    const bool noted = on && !many && is_table(l, 0);
    if (!number && !total && things == NOWHERE && !many && !noted) return false;
    if (things != NOWHERE && word_in_list(q, things, money)) return false;
    size_t noun = things;
    for (size_t i = 0; i < q->count && noun == NOWHERE; i++) {
        bool before = on ? word_in_list(q, i, " many of ") || noted : i > p && word_in_list(q, i, " of total ");
        if (before) noun = turn_noun(l, noted ? i : i + 1);
    }
    if (noun == NOWHERE || (!total && turn_amount(l, noun))) return false; /* the average number of points: no count */
    out->counts = !total;
    out->head = q->items[noun].begin;
    out->said = turn_text(l, on ? p - 1 : p, p + 1);
    const size_t letters = strlen(q->items[noun].fold);
    out->sums = total && letters && q->items[noun].fold[letters - 1] != 's';
    if (!count_each(q) && !say_each(l, e)) return false;
    /* say_each may have put a word in before the average */
    size_t at = p + (e->words->count > q->count && e->words->items[p].begin != q->items[p].begin);
    if (on) {
        edit_cut(e, at - 1, at + 1);
        if (at - 1 < e->words->count && e->words->items[at - 1].flags & WORD_MARK) edit_cut(e, at - 1, at);
        if (noted && !edit_replace(e, 0, 0, "number of")) return false;
    } else if (!edit_replace(e, at, at + 1, things != NOWHERE ? "number of" : "")) {
        return false;
    }
    find_none(e, out);
    find_some(l, e, out);
    return true;
}

/* Are all groups the same thing, by its key, a key to it, or its name? -1 when there is none. */
static int entity_of(const struct linked *l, const struct core *core)
{
    int entity = -1;
    for (int i = 0; i < core->group_count; i++) {
        const struct lex_column *col = &l->columns[core->group[i]];
        int told = col->grain >= 0 ? -1 : table_told(l, core->group[i]);
        if (told < 0 && (col->name_like || name_part(col)) && key_item(l, (int)col->table) >= 0) told = (int)col->table;
        if (told < 0 || (i && told != entity)) return -1;
        entity = told;
    }
    return entity;
}

static bool reads(const struct linked *l, const struct core *core, int table)
{
    for (int i = 0; i < core->where_count; i++)
        if (core->where[i].left.column >= 0 && (int)l->columns[core->where[i].left.column].table == table) return true;
    return false;
}

/* The last edge when it leads to the entity by one column, and the edge is all that is read of it: the key that refers
 * to it tells it as well. */
static void drop_entity(const struct linked *l, struct core *core, int entity)
{
    int at = -1, ties = 0;
    for (int i = 0; i + 1 < core->table_count; i++) {
        if (core->edges[i]->owner == entity) return;
        if (core->edges[i]->other == entity) at = i, ties++;
    }
    if (ties != 1 || core->edges[at]->key->column_count != 1 || reads(l, core, entity)) return;
    core->group[0] = column_item(l, core->edges[at]->owner, core->edges[at]->key->columns[0]);
    core->table_count--;
    for (int i = at; i + 1 < core->table_count; i++) core->edges[i] = core->edges[i + 1];
    for (int i = at + 1; i < core->table_count; i++) core->tables[i] = core->tables[i + 1];
}

/* The entity as the end of the tree again; false when no single key leads to it. */
static bool add_entity(const struct turning *t, struct core *core, int entity)
{
    const struct graph *g = &t->question->graph;
    const struct lex_column *col = &t->l->columns[core->group[0]];
    const struct edge *found = NULL;
    if (wording_place(core, entity)) return true;
    for (size_t i = 0; i < g->edge_count; i++)
        if (g->edges[i].owner == (int)col->table && g->edges[i].other == entity && g->edges[i].key->column_count == 1 &&
            !strcasecmp(g->edges[i].key->columns[0], col->column->name))
            found = &g->edges[i];
    if (!found || core->table_count == TABLES_MAX) return false;
    core->edges[core->table_count - 1] = found;
    core->tables[core->table_count++] = entity;
    return true;
}

static bool has_sub(const struct core *core)
{
    for (int i = 0; i < core->where_count; i++)
        if (core->where[i].sub) return true;
    return false;
}

/* Films per actor: a row of what is counted is a pair of one of each, and says no more than that they belong together.
 */
static bool counts_pairs(const struct turning *t, const struct core *core, int entity)
{
    const struct linked *l = t->l;
    const struct graph *g = &t->question->graph;
    const struct lex_table *root = &l->tables[core->tables[0]];
    bool other = false, own = false;
    size_t keys = 0;
    for (size_t i = root->first_column; i < root->first_column + root->column_count; i++)
        if (l->columns[i].key) keys += l->columns[i].foreign ? 1 : 2;
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct edge *e = &g->edges[i];
        if (e->owner != core->tables[0] || e->key->column_count != 1) continue;
        const int column = column_item(l, e->owner, e->key->columns[0]);
        if (column < 0 || !l->columns[column].key) continue;
        own |= e->other == entity;
        other |= e->other != entity && turn_says_table(l, e->other, t->turn->head, SENSE_SAME);
    }
    const struct term *count = &core->items[0];
    return keys == 2 && own && other && count->agg == AGG_COUNT && !count->distinct && !core_void(l, core);
}

static size_t apply(const struct turning *t, const struct reading *r, struct turned out[VARIANTS_MAX])
{
    struct core core;
    const int measure = core_measure(&r->left);
    if (r->set || r->left.distinct || r->left.has_having || r->left.limit || measure < 0 || !r->left.group_count)
        return 0;
    if (!core_hang(&r->left, &core)) return 0;
    const bool said = turn_measures(t, &core, &core.items[measure]);
    if (t->turn->sums && core.items[measure].agg != AGG_SUM) return 0;
    if (t->turn->counts && core.items[measure].agg != AGG_COUNT) return 0;
    core.items[0] = core.items[measure];
    core.item_count = 1;
    core.order_count = 0;
    const int entity = entity_of(t->l, &core);
    if (entity < 0 && (core.group_count > 1 || !t->l->columns[core.group[0]].mention_count)) return 0;
    if (entity == core.tables[0]) return 0; /* one of each */
    if (!said && !counts_pairs(t, &core, entity)) return 0;
    struct turned some = { .turn = t->turn, .entity = entity, .each = -1, .grain = -1 };
    if (entity >= 0) {
        const int key = wording_place(&core, entity) ? key_item(t->l, entity) : -1;
        core.group[0] = key >= 0 ? key : core.group[0];
        core.group_count = 1;
        drop_entity(t->l, &core, entity);
    }
    some.core = core;
    size_t n = 0;
    if (!t->turn->with_none) out[n++] = some;
    struct turned all = some;
    all.with_none = true;
    const bool can = entity >= 0 && !core.any && !has_sub(&core) && add_entity(t, &all.core, entity);
    if (can && !t->turn->with_some) out[n++] = all;
    return n;
}

static const char *mean_alias(const struct emit *e, const struct term *t)
{
    return t->agg == AGG_COUNT ? "avg_count"
                               : call_format(e->call, "avg_sum_%s", e->linked->columns[t->column].column->name);
}

/* Only those that have some: a key that is missing tells nothing. */
static struct query *plan_some(const struct emit *e, const struct turned *t)
{
    struct call *c = e->call;
    struct query *in = query_select(c);
    const struct lex_column *group = &e->linked->columns[t->core.group[0]];
    emit_from(e, in, &t->core, 0);
    query_item(c, in, emit_term(e, &t->core.items[0]), "value");
    in->body->select.where = emit_conds(e, t->core.where, t->core.where_count, t->core.any);
    if (t->entity >= 0 && group->column->nullable && !group->key)
        query_where(c, in, expr_negated(c, expr_is_null(c, emit_column(e, t->core.group[0]))));
    query_group(c, in, emit_column(e, t->core.group[0]));
    return in;
}

/* The tree turned round: from the entity to what is counted, which may be missing. Conditions on the entity choose
 * entities, all others what counts. */
static struct query *plan_all(const struct emit *e, const struct turned *t)
{
    struct call *c = e->call;
    const struct linked *l = e->linked;
    const struct term *measure = &t->core.items[0];
    struct core round = t->core;
    const int path = t->core.table_count - 1, at = t->entity;
    round.tables[0] = t->entity;
    round.table_count = 1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < path; i++) {
            const struct edge *k = t->core.edges[i];
            const bool owner = wording_place(&round, k->owner) != 0, other = wording_place(&round, k->other) != 0;
            if (owner == other) continue;
            round.edges[round.table_count - 1] = k;
            round.tables[round.table_count++] = owner ? k->other : k->owner;
            more = true;
        }
    }
    struct query *in = query_select(c);
    emit_from(e, in, &round, ~UINT32_C(1));
    struct expr *counted = NULL, *call = emit_term(e, measure);
    for (int i = 0; i < path; i++) { /* a row of what is counted stands there when the key that leads on does */
        const struct edge *k = t->core.edges[i];
        if (k->owner == t->core.tables[0]) counted = expr_column(c, emit_alias(e, k->owner), k->key->columns[0]);
    }
    struct expr *only =
        measure->agg == AGG_COUNT && measure->column == TERM_STAR ? expr_negated(c, expr_is_null(c, counted)) : NULL;
    for (int i = 0; i < t->core.where_count; i++) {
        const struct cond *w = &t->core.where[i];
        if (w->left.column >= 0 && (int)l->columns[w->left.column].table == at)
            query_where(c, in, emit_cond(e, w));
        else
            only = expr_and(c, only, emit_cond(e, w));
    }
    call->call.filter = only;
    struct expr *zero[] = { call, expr_integer(c, 0) };
    query_item(c, in, measure->agg == AGG_SUM ? expr_call(c, "coalesce", 2, zero) : call, "value");
    query_group(c, in, emit_column(e, key_item(l, at)));
    return in;
}

static struct query *plan(const struct emit *e, const struct turned *t)
{
    struct call *c = e->call;
    struct query *q = query_select(c);
    query_from_query(c, q, t->with_none ? plan_all(e, t) : plan_some(e, t), "counted");
    query_item(c, q, expr_call1(c, "avg", expr_column(c, "counted", "value")), mean_alias(e, &t->core.items[0]));
    return q;
}

static void say(struct buf *b, const struct linked *l, const struct turned *t)
{
    struct core core = t->core;
    core.group_count = 0;
    buf_str(b, "the average of ");
    say_turned(b, l, &core);
    buf_str(b, ", for each ");
    say_group(b, l, &t->core, t->core.group[0]);
    const int grain = l->columns[t->core.group[0]].grain;
    if (t->entity < 0) {
        if (grain >= 0) buf_format(b, ", counting only %ss with ", grain_name(grain));
        if (grain >= 0) say_rows_of(b, l, t->core.tables[0]);
        return;
    }
    buf_str(b, t->with_none ? ", where " : ", counting only ");
    say_table(b, l, t->entity);
    if (t->with_none) {
        buf_str(b, " without any count as 0");
    } else {
        buf_str(b, " with ");
        say_rows_of(b, l, t->core.tables[0]);
    }
}

static const char *ask(struct call *c, const struct linked *l, const struct turned *a, const struct turned *b)
{
    struct buf text;
    if (a->entity < 0 || a->entity != b->entity || a->with_none == b->with_none) return NULL;
    if (!term_equal(&a->core.items[0], &b->core.items[0]) || a->core.where_count != b->core.where_count) return NULL;
    buf_init(&text, c, 4096);
    buf_str(&text, "Should ");
    say_table(&text, l, a->entity);
    buf_str(&text, " without any count as 0, or not at all?");
    return text.data;
}

const struct turn_kind turn_mean = { "an average of what is counted for each", find, apply, plan, say, ask };
