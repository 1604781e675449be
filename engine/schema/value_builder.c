/* Values into a blob, column by column. */
#include "buf.h"
#include "schema/value_blob.h"

#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES_MAX 80
#define VALUE_WORDS_MAX 16
#define RUN_MAX         64 /* values kept for one word or beginning */

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
        folded = words_hash(folded, x->fold);
        stemmed = words_hash(stemmed, x->stem);
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
