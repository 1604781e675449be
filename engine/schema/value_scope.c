/* Looking up the words of a question through one caller's eyes. Hits are verified against the words themselves. */
#include "schema/value_blob.h"

#include <string.h>

/* Where a column of the index is in the view; looked up when it is first hit, so that a scope costs by its hits. */
struct place {
    uint32_t column; /* of the index, from 1; 0 = empty */
    bool open;
    size_t table, in_table;
};

struct places {
    struct call *call;
    struct place *items;
    size_t count, size; /* a power of two */
};

struct value_scope {
    const struct value_index *index;
    const struct view *view;
    struct places *places;
};

/* A mask would be compared in the value's stead, so what is masked is never matched. */
static bool may_match(const struct value_scope *s, uint32_t at, size_t table, const char *column)
{
    const struct table_access *a = s->view->access ? &s->view->access[table] : NULL;
    if (!a) return true;
    if (a->filter && !(s->index->open && s->index->open[at])) return false;
    for (size_t i = 0; i < a->mask_count; i++)
        if (strcmp(a->masks[i].column, column) == 0) return false;
    return true;
}

static void locate(const struct value_scope *s, uint32_t at, struct place *out)
{
    const struct blob_column *col = (const struct blob_column *)blob_part(s->index, s->index->blob->columns) + at;
    const char *text = blob_part(s->index, s->index->blob->text);
    size_t matches;
    const struct table *t = schema_find(s->view->tables, s->view->table_count, &s->view->names,
                                        col->schema ? text + col->schema : NULL, text + col->table, &matches);
    *out = (struct place){ .column = at + 1 };
    if (!t || strcmp(t->name, text + col->table) != 0) return;
    out->table = (size_t)(t - s->view->tables);
    for (size_t k = 0; k < t->column_count; k++)
        if (strcmp(t->columns[k].name, text + col->column) == 0) {
            out->in_table = k;
            out->open = may_match(s, at, out->table, t->columns[k].name);
        }
}

static void make_room(struct places *p)
{
    struct place *before = p->items;
    size_t size = p->size;
    p->size = size ? size * 2 : 64;
    p->items = call_array(p->call, p->size, sizeof *p->items);
    for (size_t i = 0; i < size; i++) {
        if (!before[i].column) continue;
        size_t at = hash_pair(7, before[i].column) & (p->size - 1);
        while (p->items[at].column) at = (at + 1) & (p->size - 1);
        p->items[at] = before[i];
    }
}

static const struct place *place_of(const struct value_scope *s, uint32_t column)
{
    struct places *p = s->places;
    if (p->count * 2 >= p->size) make_room(p);
    size_t at = hash_pair(7, column + 1) & (p->size - 1);
    while (p->items[at].column && p->items[at].column != column + 1) at = (at + 1) & (p->size - 1);
    if (!p->items[at].column) {
        locate(s, column, &p->items[at]);
        p->count++;
    }
    return &p->items[at];
}

struct value_scope *value_scope_open(struct call *c, const struct value_index *v, const struct view *view)
{
    struct value_scope *s = call_alloc(c, sizeof *s);
    *s = (struct value_scope){ .index = v, .view = view, .places = call_alloc(c, sizeof *s->places) };
    s->places->call = c;
    return s;
}

struct finder {
    const struct value_scope *scope;
    struct value_hit *hits;
    size_t count, max;
};

static const char *value_text(const struct value_scope *s, uint32_t value)
{
    const struct blob_value *v = (const struct blob_value *)blob_part(s->index, s->index->blob->values) + value;
    return (const char *)blob_part(s->index, s->index->blob->text) + v->text;
}

/* One hit a column: the first, and so the best, stays. */
static void add_hit(struct finder *f, uint32_t value, enum value_match match, float score)
{
    const struct value_scope *s = f->scope;
    const struct blob_value *v = (const struct blob_value *)blob_part(s->index, s->index->blob->values) + value;
    const struct place *place = place_of(s, v->column);
    if (!place->open) return;
    size_t table = place->table, column = place->in_table;
    for (size_t i = 0; i < f->count; i++)
        if (f->hits[i].table_index == table && f->hits[i].column_index == column) return;
    if (f->count == f->max) return;
    const struct table *t = &s->view->tables[table];
    f->hits[f->count++] =
        (struct value_hit){ t->schema, t->name, t->columns[column].name, value_text(s, value), match, score,
                            table,     column };
}

static const uint32_t *run_of(const struct value_index *v, uint32_t hash, uint32_t *count)
{
    const struct blob_key *keys = blob_part(v, v->blob->keys);
    const uint32_t *runs = blob_part(v, v->blob->runs);
    uint32_t mask = v->blob->key_slots - 1, at = hash & mask;
    while (keys[at].count && keys[at].hash != hash) at = (at + 1) & mask;
    *count = keys[at].count;
    return runs + keys[at].first;
}

/* The words of `words` stand side by side in the value. */
static bool holds(struct call *c, const char *value, const struct word *words, size_t count)
{
    const char *folded = fold_text(c, value, strlen(value));
    const char *at = folded;
    for (size_t i = 0; i < count; i++) {
        if (words[i].flags & WORD_MARK) continue;
        at = strstr(at, words[i].fold);
        if (!at) return false;
        at += strlen(words[i].fold);
    }
    return true;
}

static void find_partial(struct finder *f, struct call *c, const struct word *words, size_t count)
{
    const struct value_index *v = f->scope->index;
    uint32_t n, best = UINT32_MAX;
    const uint32_t *run = NULL;
    for (size_t i = 0; i < count; i++) { /* the rarest word leads */
        if (words[i].flags & (WORD_MARK | WORD_STOP)) continue;
        const uint32_t *r = run_of(v, key_hash(KEY_WORD, hash_text(words[i].fold)), &n);
        if (n < best) run = r, best = n;
    }
    for (uint32_t i = 0; run && i < best; i++)
        if (holds(c, value_text(f->scope, run[i]), words, count)) add_hit(f, run[i], MATCH_PARTIAL, 0.6f);
}

/* Japanese, Japan; French, France: the same beginning and little after it. */
static void find_prefix(struct finder *f, struct call *c, const struct word *word)
{
    size_t n = strlen(word->fold);
    if (n < PREFIX_BYTES + 1 || word->flags & (WORD_NUMBER | WORD_DATE)) return;
    uint32_t count;
    const uint32_t *run =
        run_of(f->scope->index, key_hash(KEY_PREFIX, hash_text(call_strndup(c, word->fold, PREFIX_BYTES))), &count);
    for (uint32_t i = 0; i < count; i++) {
        const char *value = value_text(f->scope, run[i]);
        const char *folded = fold_text(c, value, strlen(value));
        size_t m = strlen(folded), k = 0;
        while (k < n && k < m && word->fold[k] == folded[k]) k++;
        if (k >= PREFIX_BYTES && n - k <= 4 && m - k <= 2) add_hit(f, run[i], MATCH_TRIGRAM, 0.4f);
    }
}

size_t value_scope_find(const struct value_scope *s, struct call *c, const struct word *words, size_t count,
                        const char *phrase, struct value_hit *hits, size_t max)
{
    struct finder f = { s, hits, 0, max };
    uint32_t folded = 1, stemmed = 1, n, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (words[i].flags & WORD_MARK) continue;
        folded = words_hash(folded, words[i].fold);
        stemmed = words_hash(stemmed, words[i].stem);
        kept++;
    }
    if (!kept) return 0;
    const uint32_t *run = run_of(s->index, key_hash(KEY_FOLDED, folded), &n);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(value_text(s, run[i]), phrase) == 0) add_hit(&f, run[i], MATCH_EXACT, 1);
    for (uint32_t i = 0; i < n; i++) add_hit(&f, run[i], MATCH_FOLDED, 0.95f);
    run = run_of(s->index, key_hash(KEY_STEMMED, stemmed), &n);
    for (uint32_t i = 0; i < n; i++) add_hit(&f, run[i], MATCH_STEMMED, 0.8f);
    find_partial(&f, c, words, count);
    if (kept == 1) find_prefix(&f, c, &words[0]);
    return f.count;
}

size_t value_index_find(const struct value_index *v, struct call *c, const struct view *view, const char *phrase,
                        struct value_hit *hits, size_t max)
{
    struct stemmer *st = stemmer_open(c);
    struct words w = { 0 };
    words_read(c, st, phrase, &w);
    stemmer_close(st);
    return value_scope_find(value_scope_open(c, v, view), c, w.items, w.count, phrase, hits, max);
}
