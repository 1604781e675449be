/* Large schemas: only the tables that the question may speak of are linked. A table is kept for words of its name and
 * of its columns and for values found in it, rare ones counting more; for what the tables that a key leads to say
 * beside it; and for tying kept tables together. How many are kept follows from how much likelier the best ones are.
 * Costs by the words of the question and the tables that have them. */
#include "planners/lexical/link.h"

#include "domain/name_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST     16    /* tables kept for what is said of them */
#define MOST      80    /* at most */
#define SHARE     0.28f /* of the best one's score: less is not kept beyond the least */
#define ALL       NARROWED_MAX
#define LIKELIEST 12  /* whose neighbours are kept */
#define COLUMNS   900 /* of the kept ones, but for the likeliest few */
#define FEW       6
#define MANY      2000 /* tables; a word that more have finds none, it only speaks for those found */
#define HITS_MAX  64
#define IN_COLUMN 0.9f /* a word of a column's name, beside one of the table's own */
#define BESIDE    0.5f /* what the neighbours say and the table does not */

struct vote {
    size_t table;
    float score;
};

/* How well a table explains a word of the question. */
struct met {
    uint32_t table, word;
    float value;
};

struct narrowing {
    struct call *call;
    const struct view *view;
    const struct name_index *index;
    const struct words *q;
    float *score, *best; /* beside tables; best: of the word at hand */
    float *named;        /* how much of its own name was said */
    uint32_t *number;    /* of a table among those touched, from 1 */
    uint32_t *touched;
    size_t touched_count;
    struct list met;    /* struct met, word by word */
    struct list now;    /* uint32_t: tables that the word at hand met */
    struct list values; /* struct met: found in the data */
};

static size_t common_letters(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

/* How well a word of a name meets a word of the question, 0 to 1. */
static float alike(const struct word *x, const struct indexed_word *w)
{
    if (strcmp(x->fold, w->fold) == 0 || strcmp(x->stem, w->stem) == 0) return 1;
    size_t n = strlen(x->fold), m = strlen(w->fold), common = common_letters(x->fold, w->fold);
    if (link_abbreviates(w->fold, x->stem)) return 0.95f;
    if (common == m && m >= 3) return 0.7f; /* stu, student */
    if (common >= 4 && common == n) return 0.7f;
    if (common >= 5 && common + 4 >= n && common + 4 >= m) return 0.6f;
    if (one_edit(x->fold, w->fold)) return 0.6f;
    return common >= 4 ? 0.3f : 0;
}

static float rarity(const struct narrowing *k, size_t tables)
{
    return logf(1.0f + (float)k->index->table_count / (float)tables);
}

static void meet(struct narrowing *k, uint32_t table, float value)
{
    if (k->best[table] <= 0) *(uint32_t *)list_push(k->call, &k->now, sizeof table) = table;
    if (value > k->best[table]) k->best[table] = value;
}

static void touch(struct narrowing *k, size_t table)
{
    if (k->number[table]) return;
    k->touched[k->touched_count++] = (uint32_t)table;
    k->number[table] = (uint32_t)k->touched_count;
}

static void word_done(struct narrowing *k, size_t word)
{
    for (size_t i = 0; i < k->now.count; i++) {
        uint32_t t = LIST_AT(&k->now, uint32_t, i);
        touch(k, t);
        *(struct met *)list_push(k->call, &k->met, sizeof(struct met)) = (struct met){ t, (uint32_t)word, k->best[t] };
        k->score[t] += k->best[t];
        k->best[t] = 0;
    }
    k->now.count = 0;
}

static void meet_place(struct narrowing *k, uint32_t place, float value, float quality)
{
    bool named = place & 1;
    meet(k, place / 2, value * (named ? 1.0f : IN_COLUMN));
    if (named) k->named[place / 2] += quality;
}

/* Of a word that very many tables have: those that other words found. */
static void meet_found(struct narrowing *k, const struct indexed_word *w, float value, float quality)
{
    const uint32_t *places = k->index->places + w->first;
    for (size_t i = 0; i < k->touched_count; i++) {
        uint32_t t = k->touched[i], low = 0, high = w->count;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (places[middle] / 2 < t)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < w->count && places[low] / 2 == t; low++) meet_place(k, places[low], value, quality);
    }
}

/* The words of names that the question's words may say; those that many tables have, or the others. */
static void read_names(struct narrowing *k, bool many)
{
    size_t value = 0;
    for (size_t p = 0; p < k->q->count; p++) {
        const struct word *x = &k->q->items[p];
        size_t first = 0, end = 0;
        if (!(x->flags & (WORD_STOP | WORD_NAMELESS | WORD_DATE)) && x->fold[0])
            end = name_index_range(k->index, x->fold, 1, &first);
        for (size_t i = first; i < end; i++) {
            const struct indexed_word *w = &k->index->words[i];
            float quality = (w->tables > MANY) == many ? alike(x, w) : 0;
            if (quality <= 0) continue;
            if (many && k->touched_count)
                meet_found(k, w, quality * rarity(k, w->tables), quality);
            else
                for (uint32_t n = w->first; n < w->first + w->count; n++)
                    meet_place(k, k->index->places[n], quality * rarity(k, w->tables), quality);
        }
        for (; !many && value < k->values.count && LIST_AT(&k->values, struct met, value).word == p; value++)
            meet(k, LIST_AT(&k->values, struct met, value).table, LIST_AT(&k->values, struct met, value).value);
        word_done(k, p);
    }
}

static int compare_met(const void *a, const void *b)
{
    const struct met *x = a, *y = b;
    if (x->word != y->word) return x->word < y->word ? -1 : 1;
    return x->table < y->table ? -1 : x->table > y->table;
}

/* Each word of a value that a table holds speaks for the table. */
static void find_values(struct narrowing *k, const struct value_index *values)
{
    const struct value_scope *scope = value_scope_open(k->call, values, k->view);
    const struct words *q = k->q;
    struct value_hit hits[HITS_MAX];
    for (size_t n = 6; n > 0; n--)
        for (size_t p = 0; p + n <= q->count; p++) {
            if ((q->items[p].flags | q->items[p + n - 1].flags) & (WORD_STOP | WORD_NAMELESS)) continue;
            const char *phrase =
                call_strndup(k->call, q->text + q->items[p].begin, q->items[p + n - 1].end - q->items[p].begin);
            size_t count = value_scope_find(scope, k->call, &q->items[p], n, phrase, hits, HITS_MAX), good = 0;
            for (size_t i = 0; i < count; i++)
                if (hits[i].match <= MATCH_FOLDED) hits[good++] = hits[i];
            for (size_t i = 0; i < good; i++)
                for (size_t w = p; w < p + n; w++)
                    *(struct met *)list_push(k->call, &k->values, sizeof(struct met)) =
                        (struct met){ (uint32_t)hits[i].table_index, (uint32_t)w, rarity(k, good) };
        }
    if (k->values.count) qsort(k->values.items, k->values.count, sizeof(struct met), compare_met);
}

/* A name said as a whole is more than as many words here and there. */
static void weigh_names(struct narrowing *k)
{
    for (size_t i = 0; i < k->touched_count; i++) {
        uint32_t t = k->touched[i];
        float whole = k->named[t] / (float)k->index->name_lengths[t];
        k->score[t] *= 1.0f + 0.5f * (whole < 1 ? whole : 1);
    }
}

/* What was met in each touched table: first[n] up to first[n + 1] for table number n + 1. */
static const uint32_t *by_table(struct narrowing *k, struct met *sorted)
{
    uint32_t *first = call_array(k->call, k->touched_count + 2, sizeof *first);
    uint32_t *at = call_array(k->call, k->touched_count + 2, sizeof *at);
    for (size_t i = 0; i < k->met.count; i++) first[k->number[LIST_AT(&k->met, struct met, i).table]]++;
    for (size_t n = 0; n < k->touched_count; n++) first[n + 1] += first[n];
    memcpy(at, first, (k->touched_count + 1) * sizeof *at);
    for (size_t i = 0; i < k->met.count; i++) {
        const struct met *m = &LIST_AT(&k->met, struct met, i);
        sorted[at[k->number[m->table] - 1]++] = *m;
    }
    return first;
}

/* What the neighbours of a table explain of the question beyond what it explains itself. cover: room for the words. */
static float beside(const struct narrowing *k, uint32_t table, const uint32_t *first, const struct met *met,
                    float *cover)
{
    const struct name_index *x = k->index;
    float added = 0;
    size_t own = k->number[table] - 1;
    for (uint32_t m = first[own]; m < first[own + 1]; m++)
        if (met[m].value > cover[met[m].word]) cover[met[m].word] = met[m].value;
    for (uint32_t n = x->neighbour_first[table]; n < x->neighbour_first[table + 1]; n++) {
        size_t number = k->number[x->neighbours[n]];
        for (uint32_t m = number ? first[number - 1] : 0; number && m < first[number]; m++) {
            float more = met[m].value - cover[met[m].word];
            if (more <= 0) continue;
            added += more;
            cover[met[m].word] = met[m].value;
        }
    }
    memset(cover, 0, k->q->count * sizeof *cover);
    return added;
}

/* Earlier tables first among equals; count never passes MOST. */
static size_t keep_vote(struct vote *votes, size_t count, const struct vote *v)
{
    size_t at = count;
    while (at > 0 &&
           (votes[at - 1].score < v->score || (votes[at - 1].score == v->score && votes[at - 1].table > v->table)))
        at--;
    if (at == MOST) return count;
    if (count == MOST) count--;
    memmove(&votes[at + 1], &votes[at], (count - at) * sizeof *votes);
    votes[at] = *v;
    return count + 1;
}

/* The best MOST tables. What a key leads to is likelier, and so is what leads there: also tables of which nothing was
 * said. */
static struct vote *votes_of(struct narrowing *k, size_t *count)
{
    const struct name_index *x = k->index;
    size_t said = k->touched_count;
    for (size_t i = 0; i < said; i++)
        for (uint32_t n = x->neighbour_first[k->touched[i]]; n < x->neighbour_first[k->touched[i] + 1]; n++)
            touch(k, x->neighbours[n]);
    struct met *met = call_array(k->call, k->met.count + 1, sizeof *met);
    const uint32_t *first = by_table(k, met);
    struct vote *votes = call_array(k->call, MOST + 1, sizeof *votes);
    float *cover = call_array(k->call, k->q->count + 1, sizeof *cover);
    for (size_t i = 0; i < k->touched_count; i++) {
        uint32_t t = k->touched[i];
        k->score[t] += BESIDE * beside(k, t, first, met, cover);
        *count = keep_vote(votes, *count, &(struct vote){ t, k->score[t] });
    }
    return votes;
}

/* Beyond the likeliest, tables of keys to and from them: those that tie two kept ones together, since the question says
 * nothing of them, and the neighbours of the likeliest. */
struct keeping {
    struct narrowing *k;
    bool *kept;            /* beside tables */
    uint32_t tables[ALL];  /* in the order in which they were kept */
    size_t count, columns; /* columns: of all of them */
};

static void keep(struct keeping *o, size_t table)
{
    size_t wide = o->k->view->tables[table].column_count;
    if (o->kept[table] || o->count == ALL || (o->count >= FEW && o->columns + wide > COLUMNS)) return;
    o->kept[table] = true;
    o->tables[o->count++] = (uint32_t)table;
    o->columns += wide;
}

static int compare_votes(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    if (x->score > y->score || x->score < y->score) return x->score > y->score ? -1 : 1;
    return x->table < y->table ? -1 : x->table > y->table;
}

static void keep_best(struct keeping *o, struct list *votes)
{
    if (votes->count) qsort(votes->items, votes->count, sizeof(struct vote), compare_votes);
    for (size_t i = 0; i < votes->count; i++) keep(o, LIST_AT(votes, struct vote, i).table);
}

static void add_vote(struct narrowing *k, struct list *votes, size_t table)
{
    *(struct vote *)list_push(k->call, votes, sizeof(struct vote)) = (struct vote){ table, k->score[table] };
}

static void keep_bridges(struct keeping *o)
{
    const struct name_index *x = o->k->index;
    uint8_t *ends = call_array(o->k->call, x->table_count + 1, 1);
    struct list tying = { 0 };
    for (size_t i = 0; i < o->count; i++)
        for (uint32_t n = x->neighbour_first[o->tables[i]]; n < x->neighbour_first[o->tables[i] + 1]; n++) {
            uint32_t t = x->neighbours[n];
            if (!o->kept[t] && ends[t] < 2 && ++ends[t] == 2) add_vote(o->k, &tying, t);
        }
    keep_best(o, &tying);
}

static void keep_neighbours(struct keeping *o, size_t table)
{
    const struct name_index *x = o->k->index;
    struct list near = { 0 };
    for (uint32_t n = x->neighbour_first[table]; n < x->neighbour_first[table + 1]; n++)
        if (!o->kept[x->neighbours[n]]) add_vote(o->k, &near, x->neighbours[n]);
    keep_best(o, &near);
}

static void keep_all(struct keeping *o)
{
    size_t count = 0;
    const struct vote *votes = votes_of(o->k, &count);
    for (size_t i = 0; i < count && (i < LEAST || votes[i].score >= SHARE * votes[0].score); i++)
        keep(o, votes[i].table);
    for (size_t t = 0; t < o->k->view->table_count && o->count < LEAST && !count; t++)
        keep(o, t); /* nothing was said */
    keep_bridges(o);
    for (size_t i = 0; i < count && i < LIKELIEST; i++) keep_neighbours(o, votes[i].table);
    keep_bridges(o);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The kept tables in the order of the view. */
static const struct view *view_of(struct keeping *o)
{
    struct call *c = o->k->call;
    const struct view *view = o->k->view;
    struct view *out = call_alloc(c, sizeof *out);
    *out = *view;
    out->tables = call_array(c, o->count + 1, sizeof *out->tables);
    out->access = view->access ? call_array(c, o->count + 1, sizeof *out->access) : NULL;
    out->table_count = o->count;
    out->words = NULL;
    qsort(o->tables, o->count, sizeof *o->tables, by_number);
    for (size_t i = 0; i < o->count; i++) {
        if (view->access) out->access[i] = view->access[o->tables[i]];
        out->tables[i] = view->tables[o->tables[i]];
    }
    table_names_build(&out->names, call_alloc(c, table_names_bytes(o->count)), out->tables, o->count);
    return out;
}

const struct view *link_narrow(struct call *c, const struct view *view, const struct value_index *values,
                               const struct words *q)
{
    size_t n = view->table_count;
    if (!view->words && !name_index_wanted(view->tables, n)) return view;
    struct narrowing k = { .call = c, .view = view, .index = view->words, .q = q };
    if (!k.index) k.index = name_index_build(c, view->tables, n, &view->names);
    k.score = call_array(c, n + 1, sizeof *k.score);
    k.best = call_array(c, n + 1, sizeof *k.best);
    k.named = call_array(c, n + 1, sizeof *k.named);
    k.number = call_array(c, n + 1, sizeof *k.number);
    k.touched = call_array(c, n + 1, sizeof *k.touched);
    if (values) find_values(&k, values);
    read_names(&k, false);
    read_names(&k, true);
    weigh_names(&k);
    struct keeping *o = call_alloc(c, sizeof *o);
    o->k = &k;
    o->kept = call_array(c, n + 1, sizeof *o->kept);
    keep_all(o);
    return view_of(o);
}
