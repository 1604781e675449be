/* Large schemas: only the tables that the question may speak of are linked. A table is kept for words of its name and
 * of its columns, rare words counting more, for values found in it, and for tying kept tables together. */
#include "planners/lexical/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEPT         40
#define TABLES_EASY  64
#define COLUMNS_EASY 700
#define HITS_MAX     16
#define PROBE_WORDS  64

struct vote {
    size_t table;
    float score;
};

struct narrowing {
    struct call *call;
    const struct view *view;
    const struct words *q;
    uint32_t tables_with[PROBE_WORDS]; /* for each word of the question */
    uint64_t *seen;                    /* words seen in each table: one bit each; name in low, columns in high */
    uint64_t *named;
};

/* Does this part of a name begin like the word? Three letters for short words, four else: stems differ only at the end.
 */
static bool alike(const char *part, size_t n, const struct word *x)
{
    size_t m = strlen(x->stem), least = m < 4 ? m : m < 6 ? 4 : m - 1;
    if (n < least || least < 2) return n == m && strncasecmp(part, x->fold, n) == 0;
    if (strncasecmp(part, x->stem, least) != 0) return false;
    return n <= m + 4;
}

static uint64_t words_in(const struct narrowing *k, const char *name)
{
    uint64_t bits = 0;
    for (size_t i = 0; name[i];) {
        size_t end = i + 1;
        while (name[end] && name[end] != '_' && name[end] != ' ' &&
               !(name[end] >= 'A' && name[end] <= 'Z' && name[end - 1] >= 'a'))
            end++;
        for (size_t w = 0; w < k->q->count && w < PROBE_WORDS; w++) {
            const struct word *x = &k->q->items[w];
            if (!(x->flags & (WORD_STOP | WORD_MARK | WORD_NUMBER)) && alike(name + i, end - i, x))
                bits |= (uint64_t)1 << w;
        }
        i = end;
        while (name[i] == '_' || name[i] == ' ') i++;
    }
    return bits;
}

static void read_names(struct narrowing *k)
{
    for (size_t t = 0; t < k->view->table_count; t++) {
        const struct table *table = &k->view->tables[t];
        k->named[t] = words_in(k, table->name);
        k->seen[t] = k->named[t];
        for (size_t i = 0; i < table->column_count; i++) k->seen[t] |= words_in(k, table->columns[i].name);
        for (size_t w = 0; w < PROBE_WORDS; w++) k->tables_with[w] += (uint32_t)(k->seen[t] >> w & 1);
    }
}

static void read_values(const struct narrowing *k, const struct value_index *values, struct vote *votes)
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
            for (size_t i = 0; i < count; i++)
                if (hits[i].match <= MATCH_FOLDED) votes[hits[i].table_index].score += (float)n * 2.0f / (float)count;
        }
}

static int compare_votes(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->table < y->table ? -1 : 1;
}

static size_t index_of(const struct view *v, const char *name)
{
    for (size_t i = 0; i < v->table_count; i++)
        if (strcmp(v->tables[i].name, name) == 0) return i;
    return SIZE_MAX;
}

/* A table whose keys lead to two kept ones ties them together. */
static void keep_bridges(const struct view *v, bool *kept)
{
    bool *before = kept;
    for (size_t t = 0; t < v->table_count; t++) {
        size_t ends = 0;
        for (size_t k = 0; k < v->tables[t].foreign_key_count && !kept[t]; k++) {
            size_t other = index_of(v, v->tables[t].foreign_keys[k].table);
            ends += other != SIZE_MAX && before[other];
        }
        if (ends >= 2) kept[t] = true;
    }
}

const struct view *link_narrow(struct call *c, const struct view *view, const struct value_index *values,
                               const struct words *q)
{
    size_t columns = 0;
    for (size_t t = 0; t < view->table_count; t++) columns += view->tables[t].column_count;
    if (view->table_count <= TABLES_EASY && columns <= COLUMNS_EASY) return view;
    struct narrowing k = { .call = c, .view = view, .q = q };
    k.seen = call_array(c, view->table_count, sizeof *k.seen);
    k.named = call_array(c, view->table_count, sizeof *k.named);
    struct vote *votes = call_array(c, view->table_count, sizeof *votes);
    read_names(&k);
    for (size_t t = 0; t < view->table_count; t++) {
        votes[t].table = t;
        for (size_t w = 0; w < PROBE_WORDS; w++) {
            if (!(k.seen[t] >> w & 1)) continue;
            float rare = logf(1.0f + (float)view->table_count / (float)k.tables_with[w]);
            votes[t].score += rare * (k.named[t] >> w & 1 ? 1.0f : 0.5f);
        }
    }
    if (values) read_values(&k, values, votes);
    qsort(votes, view->table_count, sizeof *votes, compare_votes);
    bool *kept = call_array(c, view->table_count, sizeof *kept);
    size_t most = view->table_count < KEPT ? view->table_count : KEPT;
    for (size_t i = 0; i < most; i++) kept[votes[i].table] = true;
    keep_bridges(view, kept);
    struct view *out = call_alloc(c, sizeof *out);
    *out = *view;
    out->tables = call_array(c, view->table_count, sizeof *out->tables);
    out->access = view->access ? call_array(c, view->table_count, sizeof *out->access) : NULL;
    out->table_count = 0;
    for (size_t t = 0; t < view->table_count; t++) {
        if (!kept[t]) continue;
        if (view->access) out->access[out->table_count] = view->access[t];
        out->tables[out->table_count++] = view->tables[t];
    }
    return out;
}
