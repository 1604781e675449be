#include "planners/lexical/turn.h"

#include "planners/lexical/fill.h"
#include "planners/lexical/intent.h"

#include <string.h>

static const struct turn_kind *const kinds[] = { &turn_share, &turn_mean, &turn_best };

/* Words that say the same in a name; the others of a name do not tell what it is about. */
static const char percents[] = " percent percentage pct perc percentages ";
static const char plain_words[] = " count number amount value rate total in of the pct percent percentage avg average ";

static bool same_word(const struct name_word *w, const struct word *x)
{
    if (w->hash == x->hash || (w->expanded[0] && !strcmp(w->expanded[0], x->stem))) return true;
    return word_listed(percents, w->fold) && (word_listed(percents, x->fold) || !strcmp(x->fold, "%"));
}

/* The number of cards is no card number: before "of" a name ends with the words in front of it. */
static bool ends_name(const struct linked *l, const struct lex_column *col, size_t at, size_t p)
{
    if (at + 1 < col->word_count || !word_in_list(&l->words, p + 1, " of ")) return true;
    if (at == 0) return !col->words[0].id;
    for (size_t k = 1; k <= at; k++)
        if (k > p || !same_word(&col->words[at - k], &l->words.items[p - k])) return false;
    return true;
}

enum turn_name turn_names(const struct linked *l, size_t p)
{
    const struct word *x = &l->words.items[p];
    enum turn_name found = NAME_NONE;
    for (size_t i = 0; i < l->table_count; i++)
        for (size_t k = 0; k < l->tables[i].word_count; k++)
            if (l->tables[i].words[k].hash == x->hash && l->tables[i].word_count == 1) return NAME_SAID;
    for (size_t i = 0; i < l->real_columns; i++) {
        const struct lex_column *col = &l->columns[i];
        const struct lex_table *t = &l->tables[col->table];
        bool in = false, all = true;
        for (size_t k = 0; k < col->word_count; k++) {
            const struct name_word *w = &col->words[k];
            const bool is = same_word(w, x);
            in |= is && ends_name(l, col, k, p);
            all &= is || w->of_table || w->id || word_listed(plain_words, w->fold) || name_word_said(l, w);
        }
        const bool said = t->mention_count && t->mentions[0].kind <= MENTION_PART;
        if (in && all && said) return NAME_SAID;
        if (in && (all || said)) found = NAME_NEAR;
    }
    return found;
}

size_t turn_noun(const struct linked *l, size_t p)
{
    const struct words *q = &l->words;
    size_t end = p + 4;
    for (; p < q->count && p < end && !(q->items[p].flags & (WORD_STOP | WORD_MARK)); p++) {
        if (l->weights[p] < WEIGHT_LEAST || !l->roles[p] || l->roles[p] == 'v' || l->roles[p] == 'n') continue;
        while (p + 1 < q->count && l->roles[p + 1] == 't') p++;
        return p;
    }
    return NOWHERE;
}

/* The best of the mentions that a byte of the question is in. */
static enum mention_kind kind_at(const struct linked *l, const struct mention *list, size_t count, size_t at,
                                 float sense)
{
    enum mention_kind best = MENTION_NONE;
    for (size_t i = 0; i < count; i++)
        for (size_t p = list[i].first; p < list[i].end; p++)
            if (l->words.items[p].begin == at && list[i].kind < best &&
                (list[i].kind != MENTION_SYNONYM || list[i].score >= sense))
                best = list[i].kind;
    return best;
}

bool turn_says_table(const struct linked *l, int table, size_t at, float sense)
{
    const struct lex_table *t = &l->tables[table];
    const enum mention_kind own = kind_at(l, t->mentions, t->mention_count, at, sense);
    for (size_t i = 0; i < l->table_count; i++)
        if (kind_at(l, l->tables[i].mentions, l->tables[i].mention_count, at, sense) < own) return false;
    return own != MENTION_NONE;
}

bool turn_says_column(const struct linked *l, int column, size_t at)
{
    return column >= 0 &&
           kind_at(l, l->columns[column].mentions, l->columns[column].mention_count, at, SENSE_SAME) != MENTION_NONE;
}

bool turn_amount(const struct linked *l, size_t p)
{
    bool amount = false;
    if (p >= l->words.count || l->weights[p] < WEIGHT_SURE) return false;
    for (size_t i = 0; i < l->table_count; i++)
        if (turn_says_table(l, (int)i, l->words.items[p].begin, SENSE_SAME)) return false;
    for (size_t i = 0; i < l->real_columns; i++) {
        const struct lex_column *col = &l->columns[i];
        amount |= col->class == CLASS_NUMBER && !col->key && !col->foreign && col->mention_count &&
                  col->mentions[0].kind <= MENTION_PART && turn_says_column(l, (int)i, l->words.items[p].begin);
    }
    return amount;
}

static bool has(const struct core *core, int table)
{
    for (int i = 0; i < core->table_count; i++)
        if (core->tables[i] == table) return true;
    return false;
}

bool core_hang(const struct core *core, struct core *out)
{
    *out = *core;
    out->tables[0] = core_counted(core);
    out->table_count = 1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i + 1 < core->table_count; i++) {
            const struct edge *e = core->edges[i];
            if (!has(out, e->owner) || has(out, e->other)) continue;
            out->edges[out->table_count - 1] = e;
            out->tables[out->table_count++] = e->other;
            more = true;
        }
    }
    return out->table_count == core->table_count;
}

int key_item(const struct linked *l, int table)
{
    const struct lex_table *t = &l->tables[table];
    int found = -1;
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++) {
        if (!l->columns[i].key) continue;
        if (found >= 0) return -1;
        found = (int)i;
    }
    return found;
}

int label_items(const struct linked *l, int table, int out[2])
{
    const struct lex_table *t = &l->tables[table];
    int part[3] = { -1, -1, -1 };
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++) {
        if (l->columns[i].name_like && part[0] < 0) part[0] = (int)i;
        const int n = name_part(&l->columns[i]);
        if (n && part[n] < 0) part[n] = (int)i;
    }
    if (part[1] >= 0 && part[2] >= 0) {
        out[0] = part[1];
        out[1] = part[2];
        return 2;
    }
    int n = 0;
    if (part[0] >= 0) out[n++] = part[0];
    for (size_t i = t->first_column; i < t->first_column + t->column_count && n < 2 && part[0] < 0; i++)
        if (l->columns[i].key) out[n++] = (int)i;
    return n;
}

#define STEPS_MAX 3

/* Ways of so many keys from a table to another; the first is written down. */
static int ways(const struct graph *g, int from, int to, int steps, const struct edge **way)
{
    int n = 0;
    if (!steps) return from == to;
    for (size_t i = 0; i < g->edge_count && n < 2; i++) {
        const struct edge *e = &g->edges[i];
        const struct edge *rest[STEPS_MAX];
        if (e->owner != from || e->other == from) continue;
        int further = ways(g, e->other, to, steps - 1, rest);
        if (further && !n) {
            way[0] = e;
            for (int k = 1; k < steps; k++) way[k] = rest[k - 1];
        }
        n += further;
    }
    return n;
}

bool core_reach(const struct graph *g, struct core *core, int from, int table)
{
    const struct edge *way[STEPS_MAX];
    if (has(core, table)) return true;
    for (int steps = 1; steps <= STEPS_MAX; steps++) {
        const int n = ways(g, from, table, steps, way);
        if (n > 1) return false;
        for (int i = 0; n && i < steps; i++) {
            if (has(core, way[i]->other)) continue;
            if (core->table_count == TABLES_MAX) return false;
            core->edges[core->table_count - 1] = way[i];
            core->tables[core->table_count++] = way[i]->other;
        }
        if (n) return true;
    }
    return false;
}

const char *turn_text(const struct linked *l, size_t first, size_t end)
{
    size_t from = l->words.items[first].begin;
    return call_strndup(l->call, l->words.text + from, l->words.items[end - 1].end - from);
}

int core_measure(const struct core *core)
{
    int at = -1;
    for (int i = 0; i < core->item_count; i++) {
        if (core->items[i].agg == AGG_NONE) continue;
        if (at >= 0 || core->items[i].agg > AGG_SUM || core->items[i].distinct) return -1;
        at = i;
    }
    return at;
}

int table_told(const struct linked *l, int column)
{
    const struct lex_column *col = &l->columns[column];
    for (size_t i = 0; i < l->table_count && col->foreign; i++)
        if (refers(l, col, i)) return (int)i;
    return key_item(l, (int)col->table) == column ? (int)col->table : -1;
}

bool turn_measures(const struct turning *t, const struct core *core, const struct term *measure)
{
    const size_t head = t->turn->head;
    const struct lex_column *col = measure->column >= 0 ? &t->l->columns[measure->column] : NULL;
    if (col && (int)col->table != core->tables[0]) return false;
    if (measure->agg == AGG_SUM && col && (col->key || col->foreign || col->id_like)) return false;
    if (core_void(t->l, core)) return false;
    if (head == NOWHERE) return true;
    if (turn_says_table(t->l, core->tables[0], head, SENSE_SAME)) return true;
    return measure->agg == AGG_SUM && turn_says_column(t->l, measure->column, head);
}

void say_turned(struct buf *b, const struct linked *l, const struct core *core)
{
    struct core said = *core;
    uint32_t read = 1;
    for (int i = 0; i < core->item_count; i++)
        if (core->items[i].column >= 0) read |= wording_place(core, (int)l->columns[core->items[i].column].table);
    for (int i = 0; i < core->where_count; i++)
        if (core->where[i].left.column >= 0)
            read |= wording_place(core, (int)l->columns[core->where[i].left.column].table);
    said.table_count = 1;
    for (int i = 1; i < core->table_count; i++) {
        if (!(read >> i & 1)) continue;
        said.edges[said.table_count - 1] = core->edges[i - 1];
        said.tables[said.table_count++] = core->tables[i];
    }
    say_core(b, l, &said);
}

uint64_t turned_key(const struct turned *t)
{
    struct reading r = { .left = t->core };
    for (int i = 0; i < t->part_count; i++) r.right.where[i] = t->part[i];
    r.right.where_count = t->part_count;
    r.right.any = t->any;
    r.right.limit = t->with_none + 2 * (t->grain + 1);
    r.right.group[0] = t->entity;
    r.right.group[1] = t->each;
    r.right.group_count = 2;
    r.set = SET_AND;
    return reading_key(&r);
}

const struct turn *turn_find(const struct linked *l)
{
    struct call *c = l->call;
    struct turn *t = NULL;
    struct stemmer *st = stemmer_open(c);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !t; i++) {
        struct turn found = { .kind = kinds[i], .words = l->words, .head = NOWHERE, .verb = NOWHERE, .grain = -1 };
        found.words.items = call_array(c, WORDS_MAX, sizeof *found.words.items);
        memcpy(found.words.items, l->words.items, l->words.count * sizeof *found.words.items);
        const struct edit e = { c, st, &found.words };
        if (!kinds[i]->find(l, &e, &found)) continue;
        t = call_alloc(c, sizeof *t);
        *t = found;
    }
    stemmer_close(st);
    return t;
}

size_t turn_readings(struct call *c, const struct turn *turn, struct question *plain, const struct reading *readings,
                     size_t count, struct reading **out)
{
    const struct turning t = { c, turn, plain, &plain->linked };
    struct reading *list = call_array(c, READINGS_MAX, sizeof *list);
    size_t n = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        struct turned *made = call_array(c, VARIANTS_MAX, sizeof *made);
        size_t variants = turn->kind->apply(&t, &readings[i], made);
        if (variants == IMPOSSIBLE || (!variants && readings[i].ignores)) continue;
        for (size_t k = 0; (k < variants || k == 0) && n < READINGS_MAX; k++) {
            list[n] = readings[i];
            list[n].turned = variants ? &made[k] : NULL;
            list[n].unturned = !variants;
            if (variants) {
                list[n].family = turned_key(&made[k]);
                made[k].plain = i;
            }
            any |= variants > 0;
            n++;
        }
    }
    *out = list;
    return any ? n : 0;
}
