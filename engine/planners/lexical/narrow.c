/* Large schemas: only the tables that the question may speak of are linked. A table is kept for words of its name and
 * of its columns, rare words counting more, for values found in it, for keys that lead to a likely table, and for tying
 * kept tables together. Costs by the words of the question and the tables that have them. */
#include "planners/lexical/link.h"

#include "domain/name_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEPT      44
#define TIED      20  /* more that keys tie to them */
#define LIKELIEST 12  /* whose neighbours are kept */
#define COLUMNS   900 /* of the kept ones, but for the likeliest few */
#define FEW       6
#define HITS_MAX  16
#define NEIGHBOUR 0.3f /* of a neighbour's score */

struct vote {
    size_t table;
    float score;
};

struct narrowing {
    struct call *call;
    const struct view *view;
    const struct name_index *index;
    const struct words *q;
    float *score, *best;     /* beside tables; best: of the word at hand */
    float *named;            /* how much of its own name was said */
    uint32_t *met, *touched; /* met: number of the last word that found the table, from 1 */
    size_t touched_count;
};

static size_t common_letters(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

/* One letter more, less or other; the first letters agree. */
static bool one_apart(const char *a, size_t n, const char *b, size_t m, size_t common)
{
    if (n < m) {
        const char *swap = a;
        size_t k = n;
        a = b, b = swap, n = m, m = k;
    }
    if (n - m > 1 || m < 5 || !common) return false;
    if (n != m) return strcmp(a + common + 1, b + common) == 0;
    if (strcmp(a + common + 1, b + common + 1) == 0) return true;
    return a[common] == b[common + 1] && a[common + 1] == b[common] && strcmp(a + common + 2, b + common + 2) == 0;
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
    if (one_apart(x->fold, n, w->fold, m, common)) return 0.6f;
    return common >= 4 ? 0.3f : 0;
}

static void meet(struct narrowing *k, uint32_t number, const struct indexed_word *w, float quality)
{
    float rare = logf(1.0f + (float)k->index->table_count / (float)w->tables);
    for (uint32_t i = w->first; i < w->first + w->count; i++) {
        uint32_t t = k->index->places[i] / 2;
        bool named = k->index->places[i] & 1;
        float v = quality * rare * (named ? 1.0f : 0.6f);
        if (k->met[t] != number) {
            if (!k->met[t]) k->touched[k->touched_count++] = t;
            k->score[t] += k->met[t] ? k->best[t] : 0;
            k->met[t] = number;
            k->best[t] = 0;
        }
        if (v > k->best[t]) k->best[t] = v;
        if (named) k->named[t] += quality;
    }
}

static void read_names(struct narrowing *k)
{
    for (size_t p = 0; p < k->q->count; p++) {
        const struct word *x = &k->q->items[p];
        size_t first;
        if (x->flags & (WORD_STOP | WORD_MARK | WORD_DATE) || !x->fold[0]) continue;
        size_t end = name_index_range(k->index, x->fold, 1, &first);
        for (size_t i = first; i < end; i++) {
            float quality = alike(x, &k->index->words[i]);
            if (quality > 0) meet(k, (uint32_t)p + 1, &k->index->words[i], quality);
        }
    }
    for (size_t i = 0; i < k->touched_count; i++) k->score[k->touched[i]] += k->best[k->touched[i]];
}

static void touch(struct narrowing *k, size_t table)
{
    if (k->met[table]) return;
    k->met[table] = UINT32_MAX;
    k->touched[k->touched_count++] = (uint32_t)table;
}

static void read_values(struct narrowing *k, const struct value_index *values)
{
    const struct value_scope *scope = value_scope_open(k->call, values, k->view);
    const struct words *q = k->q;
    struct value_hit hits[HITS_MAX];
    for (size_t n = 6; n > 0; n--)
        for (size_t p = 0; p + n <= q->count; p++) {
            if ((q->items[p].flags | q->items[p + n - 1].flags) & (WORD_STOP | WORD_MARK)) continue;
            const char *phrase =
                call_strndup(k->call, q->text + q->items[p].begin, q->items[p + n - 1].end - q->items[p].begin);
            size_t count = value_scope_find(scope, k->call, &q->items[p], n, phrase, hits, HITS_MAX);
            for (size_t i = 0; i < count; i++) {
                if (hits[i].match > MATCH_FOLDED) continue;
                touch(k, hits[i].table_index);
                k->score[hits[i].table_index] += (float)n * 2.0f / (float)count;
            }
        }
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

static int compare_votes(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->table < y->table ? -1 : x->table > y->table;
}

/* What a key leads to is likelier, and so is what leads there: also tables of which nothing was said. */
static struct vote *votes_of(struct narrowing *k, size_t *count)
{
    const struct name_index *x = k->index;
    size_t said = k->touched_count;
    for (size_t i = 0; i < said; i++)
        for (uint32_t n = x->neighbour_first[k->touched[i]]; n < x->neighbour_first[k->touched[i] + 1]; n++)
            touch(k, x->neighbours[n]);
    struct vote *votes = call_array(k->call, k->touched_count + 1, sizeof *votes);
    for (size_t i = 0; i < k->touched_count; i++) {
        uint32_t t = k->touched[i];
        float near = 0;
        for (uint32_t n = x->neighbour_first[t]; n < x->neighbour_first[t + 1]; n++)
            if (k->score[x->neighbours[n]] > near) near = k->score[x->neighbours[n]];
        votes[i] = (struct vote){ t, k->score[t] + NEIGHBOUR * near };
    }
    *count = k->touched_count;
    qsort(votes, *count, sizeof *votes, compare_votes);
    return votes;
}

/* Beyond the likeliest, tables of keys to and from them: those that tie two kept ones together come first, since the
 * question says nothing of them, then the neighbours of the likeliest. */
struct keeping {
    struct narrowing *k;
    bool *kept;
    size_t tables, columns;
};

static bool keep(struct keeping *o, size_t table)
{
    size_t wide = o->k->view->tables[table].column_count;
    if (o->kept[table] || (o->tables >= FEW && o->columns + wide > COLUMNS)) return false;
    o->kept[table] = true;
    o->tables++;
    o->columns += wide;
    return true;
}

static void keep_bridges(struct keeping *o, size_t *left)
{
    const struct name_index *x = o->k->index;
    struct call *c = o->k->call;
    uint8_t *ends = call_array(c, x->table_count + 1, 1);
    struct list tying = { 0 };
    for (size_t t = 0; t < x->table_count; t++) {
        if (!o->kept[t]) continue;
        for (uint32_t n = x->neighbour_first[t]; n < x->neighbour_first[t + 1]; n++)
            if (!o->kept[x->neighbours[n]] && ends[x->neighbours[n]] < 2 && ++ends[x->neighbours[n]] == 2)
                *(uint32_t *)list_push(c, &tying, sizeof(uint32_t)) = x->neighbours[n];
    }
    for (size_t i = 0; i < tying.count && *left; i++) *left -= keep(o, LIST_AT(&tying, uint32_t, i));
}

static void keep_neighbours(struct keeping *o, const struct vote *votes, size_t count, size_t *left)
{
    const struct name_index *x = o->k->index;
    for (size_t i = 0; i < count && i < LIKELIEST; i++) {
        size_t t = votes[i].table;
        for (uint32_t n = x->neighbour_first[t]; n < x->neighbour_first[t + 1] && *left; n++)
            *left -= keep(o, x->neighbours[n]);
    }
}

static void keep_all(struct narrowing *k, bool *kept)
{
    struct keeping o = { .k = k, .kept = kept };
    size_t count, left = TIED;
    const struct vote *votes = votes_of(k, &count);
    for (size_t i = 0; i < count && o.tables < KEPT; i++) keep(&o, votes[i].table);
    for (size_t t = 0; t < k->view->table_count && o.tables < KEPT && !count; t++) keep(&o, t); /* nothing was said */
    keep_bridges(&o, &left);
    keep_neighbours(&o, votes, count, &left);
}

static const struct view *view_of(struct call *c, const struct view *view, const bool *kept)
{
    struct view *out = call_alloc(c, sizeof *out);
    size_t n = 0;
    for (size_t t = 0; t < view->table_count; t++) n += kept[t];
    *out = *view;
    out->tables = call_array(c, n + 1, sizeof *out->tables);
    out->access = view->access ? call_array(c, n + 1, sizeof *out->access) : NULL;
    out->table_count = 0;
    out->words = NULL;
    for (size_t t = 0; t < view->table_count; t++) {
        if (!kept[t]) continue;
        if (view->access) out->access[out->table_count] = view->access[t];
        out->tables[out->table_count++] = view->tables[t];
    }
    table_names_build(&out->names, call_alloc(c, table_names_bytes(n)), out->tables, n);
    return out;
}

const struct view *link_narrow(struct call *c, const struct view *view, const struct value_index *values,
                               const struct words *q)
{
    size_t n = view->table_count;
    if (!name_index_wanted(view->tables, n)) return view;
    struct narrowing k = { .call = c, .view = view, .index = view->words, .q = q };
    if (!k.index) k.index = name_index_build(c, view->tables, n, &view->names);
    k.score = call_array(c, n + 1, sizeof *k.score);
    k.best = call_array(c, n + 1, sizeof *k.best);
    k.named = call_array(c, n + 1, sizeof *k.named);
    k.met = call_array(c, n + 1, sizeof *k.met);
    k.touched = call_array(c, n + 1, sizeof *k.touched);
    bool *kept = call_array(c, n + 1, sizeof *kept);
    read_names(&k);
    weigh_names(&k);
    if (values) read_values(&k, values);
    keep_all(&k, kept);
    return view_of(c, view, kept);
}
