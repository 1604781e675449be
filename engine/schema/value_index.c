/* One blob: columns, values, and a table of keys. A key is the hash of a value's folded words, its stemmed words, one
 * of its words, or the first letters of one; it leads to a run of values. Hits are verified against the words
 * themselves. */
#include "schema/value_index.h"

#include "buf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOB_MAGIC      0x31495651u /* "QVI1" */
#define VALUE_BYTES_MAX 80
#define MAPPED_LEAST    ((size_t)256 * 1024) /* a smaller blob is not worth a file */
#define RUN_MAX         64                   /* values kept for one word or beginning */
#define PREFIX_BYTES    4
#define VALUE_WORDS_MAX 16

enum key_kind { KEY_FOLDED = 1, KEY_STEMMED, KEY_WORD, KEY_PREFIX };

struct blob_column {
    uint32_t schema, table, column; /* offsets into the text, schema 0 = none */
};
struct blob_value {
    uint32_t column, text;
};
struct blob_key {
    uint32_t hash, first, count; /* count 0 = empty */
};
struct blob {
    uint32_t magic, bytes;
    uint32_t column_count, value_count, key_slots, run_count, text_bytes;
    uint32_t columns, values, keys, runs, text; /* offsets from the beginning */
};

struct value_index {
    size_t n;
    const struct blob *blob;
    bool *open;  /* beside columns: may be matched whatever the row filter; NULL = none */
    bool mapped; /* the blob is a file's, not malloc'ed */
};

static const void *part(const struct value_index *v, uint32_t offset)
{
    return (const unsigned char *)v->blob + offset;
}

struct value_builder {
    struct call *call;
    size_t max_bytes;
    struct call scratch; /* words of the value at hand */
    struct stemmer *stemmer;
    struct list columns, values, entries;
    struct buf text;
    const char *last_schema, *last_table, *last_column;
};

struct entry { /* one value under one key, while building */
    uint32_t hash, value;
    uint32_t weight; /* words of the value: short values first */
};

static uint32_t key_hash(enum key_kind kind, uint32_t h)
{
    h = hash_pair((uint32_t)kind, h);
    return h ? h : 1;
}

static uint32_t add_words(uint32_t h, const char *s)
{
    return hash_pair(h, hash_text(s));
}

struct value_builder *value_builder_new(struct call *c, size_t max_bytes)
{
    struct value_builder *b = call_alloc(c, sizeof *b);
    b->call = c;
    b->max_bytes = max_bytes;
    b->stemmer = stemmer_open(c);
    call_begin(&b->scratch);
    buf_init(&b->text, c, 1u << 30);
    buf_char(&b->text, 0);
    return b;
}

static uint32_t add_text(struct value_builder *b, const char *s)
{
    uint32_t at = (uint32_t)b->text.len;
    buf_add(&b->text, s, strlen(s) + 1);
    return at;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void add_entry(struct value_builder *b, enum key_kind kind, uint32_t h, uint32_t value, uint32_t weight)
{
    *(struct entry *)list_push(b->call, &b->entries, sizeof(struct entry)) =
        (struct entry){ key_hash(kind, h), value, weight };
}

static void add_keys(struct value_builder *b, const char *text, uint32_t value)
{
    struct words w = { 0 };
    struct arena_mark mark = arena_mark(&b->scratch.arena);
    words_read(&b->scratch, b->stemmer, text, &w);
    uint32_t folded = 1, stemmed = 1, count = 0;
    for (size_t i = 0; i < w.count && count < VALUE_WORDS_MAX; i++)
        if (!(w.items[i].flags & WORD_MARK)) count++;
    for (size_t i = 0, k = 0; i < w.count && k < count; i++) {
        const struct word *x = &w.items[i];
        if (x->flags & WORD_MARK) continue;
        k++;
        folded = add_words(folded, x->fold);
        stemmed = add_words(stemmed, x->stem);
        if (count > 1 && !(x->flags & WORD_STOP)) add_entry(b, KEY_WORD, hash_text(x->fold), value, count);
        size_t n = strlen(x->fold);
        if (k == 1 && n >= PREFIX_BYTES && !(x->flags & (WORD_NUMBER | WORD_DATE)))
            add_entry(b, KEY_PREFIX, hash_text(call_strndup(&b->scratch, x->fold, PREFIX_BYTES)), value, count);
    }
    arena_reset(&b->scratch.arena, mark);
    if (!count) return;
    add_entry(b, KEY_FOLDED, folded, value, count);
    add_entry(b, KEY_STEMMED, stemmed, value, count);
}

static size_t slots_for(size_t keys)
{
    size_t slots = 64;
    while (slots < keys * 2) slots *= 2;
    return slots;
}

/* Of a blob with one more value of n bytes; never less than it will take. */
static size_t bytes_with(const struct value_builder *b, size_t n, size_t names)
{
    size_t entries = b->entries.count + VALUE_WORDS_MAX + 3; /* each a key of its own at worst */
    return sizeof(struct blob) + 5 * 8 + (b->columns.count + 1) * sizeof(struct blob_column) +
           (b->values.count + 1) * sizeof(struct blob_value) + slots_for(entries) * sizeof(struct blob_key) +
           entries * sizeof(uint32_t) + b->text.len + names + n + 1;
}

static void begin_column(struct value_builder *b, const char *schema, const char *table, const char *column)
{
    struct blob_column *col = list_push(b->call, &b->columns, sizeof *col);
    col->schema = schema ? add_text(b, schema) : 0;
    col->table = add_text(b, table);
    col->column = add_text(b, column);
    b->last_schema = call_strdup(b->call, schema);
    b->last_table = call_strdup(b->call, table);
    b->last_column = call_strdup(b->call, column);
}

bool value_builder_add(struct value_builder *b, const char *schema, const char *table, const char *column,
                       const char *value)
{
    size_t n = strlen(value);
    if (!n || n > VALUE_BYTES_MAX) return false;
    bool begins = !b->columns.count || !same(schema, b->last_schema) || !same(table, b->last_table) ||
                  !same(column, b->last_column);
    size_t names = begins ? (schema ? strlen(schema) : 0) + strlen(table) + strlen(column) + 3 : 0;
    if (b->max_bytes && bytes_with(b, n, names) > b->max_bytes) return false;
    if (begins) begin_column(b, schema, table, column);
    struct blob_value *v = list_push(b->call, &b->values, sizeof *v);
    v->column = (uint32_t)b->columns.count - 1;
    v->text = add_text(b, value);
    add_keys(b, value, (uint32_t)b->values.count - 1);
    return true;
}

static int compare_entries(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* Sorts and thins the entries: one of a kind, and at most RUN_MAX under a key. */
static size_t settle(struct entry *e, size_t n, size_t *keys)
{
    if (n) qsort(e, n, sizeof *e, compare_entries);
    size_t kept = 0, run = 0;
    *keys = 0;
    for (size_t i = 0; i < n; i++) {
        bool fresh = !kept || e[kept - 1].hash != e[i].hash;
        if (fresh)
            run = 0, ++*keys;
        else if (e[kept - 1].value == e[i].value || run >= RUN_MAX)
            continue;
        e[kept++] = e[i];
        run++;
    }
    return kept;
}

static uint32_t place(uint32_t *at, size_t bytes)
{
    uint32_t here = *at;
    *at += (uint32_t)((bytes + 7) & ~(size_t)7);
    return here;
}

struct value_index *value_builder_end(struct value_builder *b)
{
    stemmer_close(b->stemmer);
    call_end(&b->scratch);
    size_t keys, runs = settle(b->entries.items, b->entries.count, &keys), slots = slots_for(keys);
    const struct entry *e = b->entries.items;
    uint32_t at = 0;
    struct blob head = { .magic = BLOB_MAGIC,
                         .column_count = (uint32_t)b->columns.count,
                         .value_count = (uint32_t)b->values.count,
                         .key_slots = (uint32_t)slots,
                         .run_count = (uint32_t)runs,
                         .text_bytes = (uint32_t)b->text.len };
    place(&at, sizeof head);
    head.columns = place(&at, b->columns.count * sizeof(struct blob_column));
    head.values = place(&at, b->values.count * sizeof(struct blob_value));
    head.keys = place(&at, slots * sizeof(struct blob_key));
    head.runs = place(&at, runs * sizeof(uint32_t));
    head.text = place(&at, b->text.len);
    head.bytes = at;
    unsigned char *bytes = calloc(1, at);
    struct value_index *v = malloc(sizeof *v);
    if (!bytes || !v) abort();
    memcpy(bytes, &head, sizeof head);
    if (b->columns.count) memcpy(bytes + head.columns, b->columns.items, b->columns.count * sizeof(struct blob_column));
    if (b->values.count) memcpy(bytes + head.values, b->values.items, b->values.count * sizeof(struct blob_value));
    memcpy(bytes + head.text, b->text.data, b->text.len);
    struct blob_key *table = (struct blob_key *)(void *)(bytes + head.keys);
    uint32_t *list = (uint32_t *)(void *)(bytes + head.runs);
    for (size_t i = 0; i < runs;) {
        size_t slot = e[i].hash & (slots - 1), end = i;
        while (table[slot].count) slot = (slot + 1) & (slots - 1);
        for (; end < runs && e[end].hash == e[i].hash; end++) list[end] = e[end].value;
        table[slot] = (struct blob_key){ e[i].hash, (uint32_t)i, (uint32_t)(end - i) };
        i = end;
    }
    *v = (struct value_index){ .n = at, .blob = (const struct blob *)(const void *)bytes };
    return v;
}

void value_index_free(struct value_index *v)
{
    if (!v) return;
    if (v->mapped)
        munmap((void *)(uintptr_t)v->blob, v->n);
    else
        free((void *)(uintptr_t)v->blob);
    free(v->open);
    free(v);
}

void value_index_each(const struct value_index *v, void *ctx,
                      void (*fn)(void *ctx, const char *schema, const char *table, const char *column,
                                 const char *value))
{
    const struct blob_column *columns = part(v, v->blob->columns);
    const struct blob_value *values = part(v, v->blob->values);
    const char *text = part(v, v->blob->text);
    for (uint32_t i = 0; i < v->blob->value_count; i++) {
        const struct blob_column *col = &columns[values[i].column];
        fn(ctx, col->schema ? text + col->schema : NULL, text + col->table, text + col->column, text + values[i].text);
    }
}

const void *value_index_blob(const struct value_index *v, size_t *n)
{
    *n = v->n;
    return v->blob;
}

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(fd, bytes, n);
        if (done <= 0) return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

void value_index_to_file(struct value_index *v, struct call *c, const char *folder)
{
    if (v->mapped || v->n < MAPPED_LEAST) return;
    char *path = call_format(c, "%s/values-XXXXXX", folder);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) return;
    unlink(path); /* nobody else finds it, so nobody can cut it short; it goes with the mapping */
    void *at = MAP_FAILED;
    if (write_all(fd, (const char *)v->blob, v->n)) at = mmap(NULL, v->n, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED) return;
    free((void *)(uintptr_t)v->blob);
    v->blob = at;
    v->mapped = true;
}

static bool fits(uint32_t at, uint64_t count, size_t each, size_t n)
{
    return at % 8 == 0 && at <= n && count * each <= n - at;
}

/* Every offset and index inside the blob leads inside the blob. */
static bool blob_sound(const unsigned char *bytes, size_t n)
{
    struct blob h;
    if (n < sizeof h) return false;
    memcpy(&h, bytes, sizeof h);
    if (h.magic != BLOB_MAGIC || h.bytes != n || !h.key_slots || (h.key_slots & (h.key_slots - 1))) return false;
    if (!fits(h.columns, h.column_count, sizeof(struct blob_column), n) ||
        !fits(h.values, h.value_count, sizeof(struct blob_value), n) ||
        !fits(h.keys, h.key_slots, sizeof(struct blob_key), n) || !fits(h.runs, h.run_count, 4, n) ||
        !fits(h.text, h.text_bytes, 1, n) || !h.text_bytes || bytes[h.text + h.text_bytes - 1] != 0)
        return false;
    const struct blob_column *columns = (const void *)(bytes + h.columns);
    for (uint32_t i = 0; i < h.column_count; i++)
        if (columns[i].schema >= h.text_bytes || columns[i].table >= h.text_bytes || columns[i].column >= h.text_bytes)
            return false;
    const struct blob_value *values = (const void *)(bytes + h.values);
    for (uint32_t i = 0; i < h.value_count; i++)
        if (values[i].column >= h.column_count || values[i].text >= h.text_bytes) return false;
    const struct blob_key *keys = (const void *)(bytes + h.keys);
    uint32_t empty = 0;
    for (uint32_t i = 0; i < h.key_slots; i++) {
        empty += keys[i].count == 0;
        if (keys[i].first > h.run_count || keys[i].count > h.run_count - keys[i].first) return false;
    }
    const uint32_t *runs = (const void *)(bytes + h.runs);
    for (uint32_t i = 0; i < h.run_count; i++)
        if (runs[i] >= h.value_count) return false;
    return empty > 0;
}

struct value_index *value_index_map(const void *blob, size_t n)
{
    unsigned char *copy = malloc(n ? n : 1);
    struct value_index *v = malloc(sizeof *v);
    if (!copy || !v) abort();
    memcpy(copy, blob, n);
    if (!blob_sound(copy, n)) {
        free(copy);
        free(v);
        return NULL;
    }
    *v = (struct value_index){ .n = n, .blob = (const struct blob *)(const void *)copy };
    return v;
}

static bool named_by(const char *listed, const char *schema, const char *table, const char *column)
{
    size_t n = schema ? strlen(schema) : 0;
    if (n && !strncasecmp(listed, schema, n) && listed[n] == '.') listed += n + 1;
    n = strlen(table);
    return !strncasecmp(listed, table, n) && listed[n] == '.' && !strcasecmp(listed + n + 1, column);
}

void value_index_open_columns(struct value_index *v, const struct list *listed)
{
    const struct blob_column *columns = part(v, v->blob->columns);
    const char *text = part(v, v->blob->text);
    free(v->open);
    v->open = NULL;
    if (!listed->count) return;
    v->open = calloc(v->blob->column_count + 1u, sizeof *v->open);
    if (!v->open) abort();
    for (uint32_t i = 0; i < v->blob->column_count; i++)
        for (size_t k = 0; k < listed->count && !v->open[i]; k++)
            v->open[i] = named_by(LIST_AT(listed, const char *, k), columns[i].schema ? text + columns[i].schema : NULL,
                                  text + columns[i].table, text + columns[i].column);
}

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
    const struct blob_column *col = (const struct blob_column *)part(s->index, s->index->blob->columns) + at;
    const char *text = part(s->index, s->index->blob->text);
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

/* One hit a column: the first, and so the best, stays. */
static void add_hit(struct finder *f, uint32_t value, enum value_match match, float score)
{
    const struct value_scope *s = f->scope;
    const struct blob_value *v = (const struct blob_value *)part(s->index, s->index->blob->values) + value;
    const struct place *place = place_of(s, v->column);
    if (!place->open) return;
    size_t table = place->table, column = place->in_table;
    const char *text = (const char *)part(s->index, s->index->blob->text) + v->text;
    for (size_t i = 0; i < f->count; i++)
        if (f->hits[i].table_index == table && f->hits[i].column_index == column) return;
    if (f->count == f->max) return;
    const struct table *t = &s->view->tables[table];
    f->hits[f->count++] =
        (struct value_hit){ t->schema, t->name, t->columns[column].name, text, match, score, table, column };
}

static const uint32_t *run_of(const struct value_index *v, uint32_t hash, uint32_t *count)
{
    const struct blob_key *keys = part(v, v->blob->keys);
    const uint32_t *runs = part(v, v->blob->runs);
    uint32_t mask = v->blob->key_slots - 1, at = hash & mask;
    while (keys[at].count && keys[at].hash != hash) at = (at + 1) & mask;
    *count = keys[at].count;
    return runs + keys[at].first;
}

static const char *value_text(const struct value_scope *s, uint32_t value)
{
    const struct blob_value *v = (const struct blob_value *)part(s->index, s->index->blob->values) + value;
    return (const char *)part(s->index, s->index->blob->text) + v->text;
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
        folded = add_words(folded, words[i].fold);
        stemmed = add_words(stemmed, words[i].stem);
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
