#include "planners/lexical/dominance.h"
#include "planners/lexical/fill.h"
#include "planners/lexical/normalise.h"

#include <stdlib.h>
#include <string.h>

#define SEEN_SLOTS 2048 /* a power of two, more than twice the readings of all shapes */

float role(const struct work *w, size_t column, enum column_role r)
{
    return w->s->column[column * COLUMN_ROLES + r];
}

float table_role(const struct work *w, int table, enum table_role r)
{
    return w->s->table[(size_t)table * TABLE_ROLES + r];
}

struct partial *nth(struct beam *b, int i)
{
    return &b->items[b->order[i]];
}

bool would_keep(const struct beam *b, float score)
{
    return b->count < BEAM || b->scores[BEAM - 1] < score;
}

/* Keeps the beam sorted, best first; earlier ones win ties. */
struct partial *offer(struct beam *b, const struct partial *base, float score)
{
    if (!would_keep(b, score)) return NULL;
    int slot = b->count == BEAM ? b->order[BEAM - 1] : b->count++, at = b->count - 1;
    for (; at > 0 && b->scores[at - 1] < score; at--) {
        b->order[at] = b->order[at - 1];
        b->scores[at] = b->scores[at - 1];
    }
    b->order[at] = slot;
    b->scores[at] = score;
    b->items[slot] = *base;
    b->items[slot].score = score;
    return &b->items[slot];
}

/* What was next is now. */
void turn(struct work *w)
{
    struct beam *now = w->a;
    w->a = w->b;
    w->b = now;
    w->b->count = 0;
}

const float *operators(struct work *w, size_t span, size_t column)
{
    size_t kind = column < w->l->column_count ? (size_t)w->l->columns[column].class : OP_KINDS - 1;
    float *v = w->ops[span][kind];
    if (!w->ops_known[span][kind]) score_operator(w->weights, w->context, span, column, v);
    w->ops_known[span][kind] = true;
    return v;
}

bool refers(const struct linked *l, const struct lex_column *from, size_t table)
{
    const struct table *t = l->tables[from->table].table;
    for (size_t i = 0; i < t->foreign_key_count; i++)
        if (t->foreign_keys[i].column_count == 1 && strcmp(t->foreign_keys[i].columns[0], from->column->name) == 0 &&
            strcasecmp(t->foreign_keys[i].table, l->tables[table].table->name) == 0)
            return true;
    return false;
}

bool table_refers(const struct linked *l, size_t from, size_t to)
{
    const struct table *t = l->tables[from].table;
    for (size_t i = 0; i < t->foreign_key_count; i++)
        if (strcasecmp(t->foreign_keys[i].table, l->tables[to].table->name) == 0) return true;
    return false;
}

/* Beside aggregates, a plain column is grouped by or follows from what is. */
static bool grouped_well(const struct linked *l, const struct core *core)
{
    for (int i = 0; i < core->item_count + core->order_count; i++) {
        const struct term *t = i < core->item_count ? &core->items[i] : &core->order[i - core->item_count].term;
        if (!core->group_count || t->agg != AGG_NONE || t->column < 0) continue;
        const struct lex_column *col = &l->columns[t->column];
        bool ok = false;
        for (int k = 0; k < core->group_count; k++) {
            const struct lex_column *g = &l->columns[core->group[k]];
            ok |= core->group[k] == t->column || (g->table == col->table && (g->key || g->column->unique)) ||
                  refers(l, g, col->table);
        }
        if (!ok) return false;
    }
    return true;
}

/* Put together with itself, or held against itself: it says nothing that one half does not. */
static bool halves_differ(const struct reading *r)
{
    struct reading left = { .left = r->left }, right = { .left = r->right };
    return reading_key(&left) != reading_key(&right);
}

static bool sound(const struct work *w, const struct spec *spec, const struct reading *r)
{
    if (!r->left.table_count || (r->set && !r->right.table_count)) return false;
    if (spec->left.limit == 'n' && !r->left.limit) return false;
    if (!grouped_well(w->l, &r->left) || (r->set && !halves_differ(r))) return false;
    for (int i = 0; i < r->left.where_count; i++)
        for (int k = 0; k < i; k++) {
            const struct cond *a = &r->left.where[i], *b = &r->left.where[k];
            if (a->left.column == b->left.column && a->op == b->op && a->value && b->value &&
                !strcmp(a->value, b->value))
                return false;
        }
    return true;
}

static void fill(struct work *w, const struct spec *spec)
{
    assign_spans(w, spec);
    if (!w->a->count) return;
    int pick = fill_where(w, &spec->left, false, 0);
    fill_select(w, spec);
    fill_tail(w, &spec->left);
    fill_from(w, false);
    if (spec->set) fill_right(w, spec, pick);
}

size_t keep_best(struct reading *out, size_t count, const struct reading *r)
{
    size_t at = count;
    if (count == READINGS_MAX && out[count - 1].score >= r->score) return count;
    if (count < READINGS_MAX)
        count++;
    else
        at = READINGS_MAX - 1;
    while (at > 0 && out[at - 1].score < r->score) {
        out[at] = out[at - 1];
        at--;
    }
    out[at] = *r;
    return count;
}

/* without a phone, no email, whose phone is missing: a column that has to be absent. COLUMN_NOTHING when none is. */
static size_t absent_column(const struct linked *l)
{
    static const char *const before[] = { "no", "without", "missing", "lacking", "lack", "lacks" };
    static const char *const after[] = { "missing", "unknown", "empty", "null", "blank" };
    const struct words *q = &l->words;
    size_t best = COLUMN_NOTHING;
    for (size_t i = 0; i < l->real_columns; i++) {
        const struct lex_column *col = &l->columns[i];
        const enum mention_kind least = col->class == CLASS_DATE ? MENTION_PART : MENTION_HEAD; /* paid, of paid on */
        if (!col->column->nullable || col->key || !col->mention_count || col->mentions[0].kind > least) continue;
        const struct mention *m = &col->mentions[0];
        bool cue = false;
        for (size_t back = 1; back <= 2 && back <= m->first; back++)
            for (size_t k = 0; k < sizeof before / sizeof *before; k++)
                cue |= strcmp(q->items[m->first - back].fold, before[k]) == 0;
        cue |= m->first > 0 && col->class == CLASS_DATE && word_in_list(q, m->first - 1, " not never ");
        for (size_t p = m->first; p < m->end; p++) /* categories that have no parent: category's parent */
            for (size_t k = 0; k < sizeof before / sizeof *before; k++) cue |= strcmp(q->items[p].fold, before[k]) == 0;
        for (size_t p = m->end; p < q->count && p < m->end + 3; p++)
            for (size_t k = 0; k < sizeof after / sizeof *after; k++) cue |= strcmp(q->items[p].fold, after[k]) == 0;
        bool better = best == COLUMN_NOTHING ||
                      l->tables[col->table].mention_count > l->tables[l->columns[best].table].mention_count;
        if (cue && better) best = i;
    }
    return best;
}

/* Data sets hardly ask for what is absent; grammar does: the best readings once more, with the condition added. */
static size_t add_absent(struct work *w, struct reading *out, size_t count)
{
    size_t column = absent_column(w->l), made = 0;
    if (column == COLUMN_NOTHING) return count;
    struct reading *fresh = call_array(w->call, READINGS_MAX, sizeof *fresh);
    for (size_t i = 0; i < count && made < 12; i++) {
        struct reading *r = &fresh[made];
        *r = out[i];
        struct core *core = &r->left;
        bool fits = !r->set && !core->any && core->where_count < CONDS_MAX, in = false, used = false;
        for (int k = 0; k < core->table_count; k++) in |= core->tables[k] == (int)w->l->columns[column].table;
        for (int k = 0; k < core->item_count; k++) used |= core->items[k].column == (int)column;
        for (int k = 0; k < core->where_count; k++)
            used |= core->where[k].sub != NULL || core->where[k].left.column == (int)column;
        if (!fits || !in || used) continue;
        core->where[core->where_count++] =
            (struct cond){ .op = COND_NULL, .left = { .column = (int)column }, .span = -1, .span2 = -1 };
        r->score += 6;
        made++;
    }
    for (size_t i = 0; i < made; i++) count = keep_best(out, count, &fresh[i]);
    return count;
}

/* The column that names what an id stands for: of its own table when it is the key, else of the table it refers to. */
static int name_of_id(const struct linked *l, int column)
{
    const struct lex_column *col = &l->columns[column];
    if (!col->id_like || !(col->key || col->foreign)) return -1;
    for (size_t p = 0; p < l->words.count; p++)
        if (l->words.items[p].hash == col->words[col->word_count - 1].hash) return -1; /* the id was asked for */
    for (size_t t = 0; t < l->table_count; t++) {
        if (!refers(l, col, t) && !(col->key && !col->foreign && t == col->table)) continue;
        const struct lex_table *table = &l->tables[t];
        for (size_t i = table->first_column; i < table->first_column + table->column_count; i++)
            if (l->columns[i].name_like) return (int)i;
    }
    return -1;
}

/* Readings that show an id nobody asked for, once more with the name of what it stands for. */
static size_t add_names(struct work *w, struct reading *out, size_t count)
{
    struct reading *fresh = call_array(w->call, READINGS_MAX, sizeof *fresh);
    uint64_t keys[READINGS_MAX], fresh_keys[READINGS_MAX];
    size_t made = 0, known = 0;
    for (size_t i = 0; i < count && made < 12; i++) {
        if (out[i].set) continue;
        struct reading *r = &fresh[made];
        *r = out[i];
        struct core *core = &r->left;
        bool changed = false;
        for (int k = 0; k < core->item_count; k++) {
            int name = core->items[k].agg == AGG_NONE && core->items[k].column >= 0
                           ? name_of_id(w->l, core->items[k].column)
                           : -1;
            for (int j = 0; j < core->item_count && name >= 0; j++)
                if (core->items[j].column == name && core->items[j].agg == AGG_NONE) name = -1; /* shown already */
            if (name >= 0 && !core->distinct) core->items[k].column = name, changed = true;
        }
        int tables[TABLES_MAX + 4], n = needed_tables(w->l, core, tables);
        for (int k = 0; k < core->table_count; k++) {
            bool in = false;
            for (int j = 0; j < n; j++) in |= tables[j] == core->tables[k];
            if (!in && n < TABLES_MAX) tables[n++] = core->tables[k];
        }
        struct tree tree;
        if (!changed || n > TABLES_MAX || !graph_trees(w->call, w->l, w->graph, tables, n, &tree, 1)) continue;
        set_tree(core, &tree);
        uint64_t key = reading_key(r);
        bool twice = !grouped_well(w->l, core);
        for (; known < count; known++) keys[known] = reading_key(&out[known]);
        for (size_t k = 0; k < known && !twice; k++) twice = keys[k] == key;
        for (size_t k = 0; k < made && !twice; k++) twice = fresh_keys[k] == key;
        if (twice) continue;
        fresh_keys[made] = key;
        r->score -= 0.2f;
        made++;
    }
    for (size_t i = 0; i < made; i++) count = keep_best(out, count, &fresh[i]);
    return count;
}

float second_date(const struct linked *l, size_t column)
{
    const struct lex_table *t = &l->tables[l->columns[column].table];
    size_t base = l->columns[column].grain >= 0 ? l->columns[column].base : column;
    float best = date_prior(l, base);
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++)
        if (l->columns[i].class == CLASS_DATE && date_prior(l, i) > best + 0.3f) return -1.5f;
    return 0;
}

static void used_times(const struct linked *l, const struct core *core, bool *spans, bool *grain, float *value)
{
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        if (w->op == COND_RANGE && w->span >= 0) {
            spans[w->span] = true;
            *value += second_date(l, (size_t)w->left.column);
        }
        if (w->op == COND_NULL) *value += 2.5f;
        if (w->sub && w->sub->where_count && w->sub->where[0].op == COND_RANGE)
            *value -= 2; /* a time far from what it dates */
        if (w->sub) used_times(l, w->sub, spans, grain, value);
    }
    for (int i = 0; i < core->group_count; i++)
        if (core->group[i] >= (int)l->real_columns) {
            *grain = true;
            *value += second_date(l, (size_t)core->group[i]);
            if (!l->columns[core->group[i]].asked) *value -= 1;
        }
}

/* What training questions hardly show and grammar knows: a time that was said holds, a grain that was asked for groups.
 */
static float grammar_of(const struct linked *l, const struct reading *r, bool absent)
{
    bool spans[SPANS_MAX] = { false }, grain = false, asked = false;
    float value = absent ? -2.5f : 0;
    used_times(l, &r->left, spans, &grain, &value);
    if (r->set) used_times(l, &r->right, spans, &grain, &value);
    for (size_t i = l->real_columns; i < l->column_count; i++) asked |= l->columns[i].asked;
    if (asked) value += grain ? 2.5f : -2.5f;
    for (size_t i = 0; i < l->span_count; i++)
        if (span_is_time(l, &l->spans[i])) value += spans[i] ? 2.0f : -2.0f;
    return value;
}

/* Readings while there are many: only their numbers move. */
struct ranking {
    struct reading items[READINGS_MAX];
    int order[READINGS_MAX]; /* best first; earlier ones win ties */
    size_t count;
    uint64_t seen[SEEN_SLOTS]; /* keys of all that came, 0 = empty */
};

static bool seen_before(struct ranking *k, uint64_t key)
{
    if (!key) key = 1;
    size_t at = key & (SEEN_SLOTS - 1);
    for (; k->seen[at]; at = (at + 1) & (SEEN_SLOTS - 1))
        if (k->seen[at] == key) return true;
    k->seen[at] = key;
    return false;
}

static void ranking_keep(struct ranking *k, const struct reading *r)
{
    bool full = k->count == READINGS_MAX;
    if (full && k->items[k->order[READINGS_MAX - 1]].score >= r->score) return;
    int slot = full ? k->order[READINGS_MAX - 1] : (int)k->count++;
    size_t at = k->count - 1;
    for (; at > 0 && k->items[k->order[at - 1]].score < r->score; at--) k->order[at] = k->order[at - 1];
    k->order[at] = slot;
    k->items[slot] = *r;
}

static void take_readings(struct work *w, const struct shape *shape, const struct spec *spec, struct ranking *to)
{
    for (int k = 0; k < w->a->count && k < PER_SKETCH; k++) {
        struct reading *r = &nth(w->a, k)->r;
        if (!close_subs(w, &r->left) || !sound(w, spec, r)) continue;
        memcpy(r->factors, shape->factors, sizeof r->factors);
        r->composed = shape->composed;
        r->joint = shape->joint;
        r->prior = shape->prior;
        r->score = nth(w->a, k)->score + 1.5f * shape->score;
        r->parts[PART_SKETCH] = shape->score;
        r->parts[PART_FILLED] = nth(w->a, k)->score;
        if (!seen_before(to, reading_key(r))) ranking_keep(to, r);
    }
}

size_t assemble(struct call *c, const struct weights *weights, const struct context *x, const struct scores *s,
                struct reading *out)
{
    struct work *w = call_alloc(c, sizeof *w);
    w->call = c;
    w->weights = weights;
    w->context = x;
    w->l = x->linked;
    w->graph = x->graph;
    w->s = s;
    w->ops = call_array(c, SPANS_MAX, sizeof *w->ops);
    w->ops_known = call_array(c, SPANS_MAX, sizeof *w->ops_known);
    w->a = call_alloc(c, sizeof *w->a);
    w->b = call_alloc(c, sizeof *w->b);
    struct shape shapes[SHAPES_MAX];
    int n = top_shapes(weights, s, shapes);
    struct ranking *best = call_alloc(c, sizeof *best);
    for (int i = 0; i < n; i++) {
        struct spec spec;
        read_spec(weights, &shapes[i], &spec);
        w->b->count = 0;
        fill(w, &spec);
        take_readings(w, &shapes[i], &spec, best);
    }
    size_t count = best->count;
    for (size_t i = 0; i < count; i++) out[i] = best->items[best->order[i]];
    count = add_names(w, out, count);
    count = add_absent(w, out, count);
    count = add_traded(w, out, count);
    count = readings_normalise(x, out, count);
    bool absent = absent_column(w->l) != COLUMN_NOTHING;
    const bool ordered =
        x->said & (1u << CUE_ORDER | 1u << CUE_MOST | 1u << CUE_LEAST | 1u << CUE_DESCENDING | 1u << CUE_ASCENDING);
    for (size_t i = 0; i < count; i++) {
        out[i].grammar += grammar_of(w->l, &out[i], absent);
        out[i].family = family_of(w->l, &out[i], ordered);
    }
    readings_dominate(c, x, out, count);
    return count;
}
