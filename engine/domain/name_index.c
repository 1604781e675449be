#include "domain/name_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLES_EASY  64
#define COLUMNS_EASY 700
#define NAME_WORDS   8
#define TEXT_WORDS   16 /* of a description */
#define WORD_BYTES   64 /* a longer one is no word */
#define MANY_TABLES  2000

bool name_index_wanted(const struct table *tables, size_t count)
{
    size_t columns = 0;
    for (size_t i = 0; i < count; i++) columns += tables[i].column_count;
    return count > TABLES_EASY || columns > COLUMNS_EASY;
}

/* Words are numbered as they are first seen; then by fold. */
struct builder {
    struct call *work, *keep;
    struct call scratch; /* a name's words */
    struct stemmer *stemmer;
    uint32_t *slots; /* number + 1, 0 = empty */
    size_t mask;
    struct list words; /* struct indexed_word */
    struct list last;  /* uint32_t beside words: the last place + 1 */
    struct list pairs; /* struct pair */
};

struct pair {
    uint32_t word, place;
};

static void grow(struct builder *b)
{
    size_t size = b->slots ? (b->mask + 1) * 2 : 1024;
    b->slots = call_array(b->work, size, sizeof *b->slots);
    b->mask = size - 1;
    for (size_t i = 0; i < b->words.count; i++) {
        size_t at = hash_text(LIST_AT(&b->words, struct indexed_word, i).fold) & b->mask;
        while (b->slots[at]) at = (at + 1) & b->mask;
        b->slots[at] = (uint32_t)i + 1;
    }
}

static uint32_t word_number(struct builder *b, const char *fold)
{
    if (b->words.count * 2 >= b->mask) grow(b);
    size_t at = hash_text(fold) & b->mask;
    for (; b->slots[at]; at = (at + 1) & b->mask)
        if (!strcmp(LIST_AT(&b->words, struct indexed_word, b->slots[at] - 1).fold, fold)) return b->slots[at] - 1;
    struct indexed_word *w = list_push(b->work, &b->words, sizeof *w);
    w->fold = call_strdup(b->keep, fold);
    w->stem = call_strdup(b->keep, stem_word(b->work, b->stemmer, fold));
    list_push(b->work, &b->last, sizeof(uint32_t));
    b->slots[at] = (uint32_t)b->words.count;
    return b->slots[at] - 1;
}

/* A word counts once for a table's name and once for the names of its columns and all descriptions. */
static size_t add_words(struct builder *b, const char *text, size_t most, uint32_t place)
{
    struct word parts[TEXT_WORDS];
    struct arena_mark mark = arena_mark(&b->scratch.arena);
    size_t n = name_words(&b->scratch, NULL, text, parts, most);
    for (size_t i = 0; i < n; i++) {
        if (strlen(parts[i].fold) > WORD_BYTES || (most == TEXT_WORDS && parts[i].flags & WORD_STOP)) continue;
        uint32_t word = word_number(b, parts[i].fold);
        uint32_t *last = &LIST_AT(&b->last, uint32_t, word);
        if (*last == place + 1) continue;
        *last = place + 1;
        *(struct pair *)list_push(b->work, &b->pairs, sizeof(struct pair)) = (struct pair){ word, place };
        LIST_AT(&b->words, struct indexed_word, word).count++;
    }
    arena_reset(&b->scratch.arena, mark);
    return n;
}

static void read_names(struct builder *b, const struct table *tables, size_t count, struct name_index *out)
{
    out->name_lengths = call_array(b->keep, count + 1, 1);
    for (size_t t = 0; t < count; t++) {
        const uint32_t place = (uint32_t)t * 2;
        size_t n = add_words(b, tables[t].name, NAME_WORDS, place + 1);
        out->name_lengths[t] = (uint8_t)(n ? n : 1);
        if (tables[t].description) add_words(b, tables[t].description, TEXT_WORDS, place);
        for (size_t k = 0; k < tables[t].column_count; k++) {
            const struct column *column = &tables[t].columns[k];
            add_words(b, column->name, NAME_WORDS, place);
            if (column->description) add_words(b, column->description, TEXT_WORDS, place);
        }
    }
}

static int by_fold(const void *a, const void *b)
{
    return strcmp(((const struct indexed_word *)a)->fold, ((const struct indexed_word *)b)->fold);
}

/* Places stand behind each other, word by word, in the order in which they were seen. */
static void place_words(struct builder *b, struct name_index *out)
{
    out->word_count = b->words.count;
    out->places = call_array(b->keep, b->pairs.count + 1, sizeof *out->places);
    uint32_t *at = call_array(b->work, b->words.count + 1, sizeof *at), first = 0;
    for (size_t i = 0; i < b->words.count; i++) {
        struct indexed_word *w = &LIST_AT(&b->words, struct indexed_word, i);
        w->first = at[i] = first;
        first += w->count;
    }
    for (size_t i = 0; i < b->pairs.count; i++) {
        const struct pair *p = &LIST_AT(&b->pairs, struct pair, i);
        struct indexed_word *w = &LIST_AT(&b->words, struct indexed_word, p->word);
        uint32_t here = at[p->word]++;
        out->places[here] = p->place;
        w->tables += here == w->first || out->places[here - 1] / 2 != p->place / 2;
    }
    out->words = call_array(b->keep, b->words.count + 1, sizeof *out->words);
    if (b->words.count) memcpy(out->words, b->words.items, b->words.count * sizeof *out->words);
    qsort(out->words, out->word_count, sizeof *out->words, by_fold);
}

static void tie(struct builder *b, struct name_index *out, const struct table *tables, size_t count,
                const struct table_names *names)
{
    struct list ties = { 0 };
    uint32_t *first = out->neighbour_first = call_array(b->keep, count + 2, sizeof *first);
    for (size_t t = 0; t < count; t++)
        for (size_t k = 0; k < tables[t].foreign_key_count; k++) {
            const struct foreign_key *key = &tables[t].foreign_keys[k];
            size_t matches;
            const struct table *to = schema_find(tables, count, names, key->schema, key->table, &matches);
            if (!to || to == &tables[t]) continue;
            size_t other = (size_t)(to - tables);
            *(struct pair *)list_push(b->work, &ties, sizeof(struct pair)) =
                (struct pair){ (uint32_t)t, (uint32_t)other };
            first[t + 1]++;
            first[other + 1]++;
        }
    for (size_t t = 0; t < count; t++) first[t + 1] += first[t];
    uint32_t *at = call_array(b->work, count + 1, sizeof *at);
    memcpy(at, first, count * sizeof *at);
    out->neighbours = call_array(b->keep, ties.count * 2 + 1, sizeof *out->neighbours);
    for (size_t i = 0; i < ties.count; i++) {
        const struct pair *p = &LIST_AT(&ties, struct pair, i);
        out->neighbours[at[p->word]++] = p->place;
        out->neighbours[at[p->place]++] = p->word;
    }
}

const struct name_index *name_index_build(struct call *keep, const struct table *tables, size_t count,
                                          const struct table_names *names)
{
    struct call work;
    struct name_index *out = call_alloc(keep, sizeof *out);
    call_begin(&work);
    struct builder b = { .work = &work, .keep = keep, .stemmer = stemmer_open(&work) };
    out->table_count = count;
    call_begin(&b.scratch);
    grow(&b);
    read_names(&b, tables, count, out);
    place_words(&b, out);
    tie(&b, out, tables, count, names);
    call_end(&b.scratch);
    stemmer_close(b.stemmer);
    call_end(&work);
    return out;
}

size_t name_index_range(const struct name_index *x, const char *begin, size_t n, size_t *first)
{
    size_t low = 0, high = x->word_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strncmp(x->words[middle].fold, begin, n) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (low < x->word_count && strncmp(x->words[low].fold, begin, n) == 0) low++;
    return low;
}

struct found {
    struct call *call;
    const struct name_index *index;
    float *scores; /* beside tables */
    uint32_t *tables;
    size_t count;
};

static void find_place(struct found *f, uint32_t place, float value)
{
    float *score = &f->scores[place / 2];
    if (*score <= 0) f->tables[f->count++] = place / 2;
    *score += place & 1 ? 3 * value : value;
}

static void find_word(struct found *f, const struct word *w, bool many)
{
    const struct name_index *x = f->index;
    size_t first, end = name_index_range(x, w->fold, 1, &first);
    for (size_t i = first; i < end; i++) {
        const struct indexed_word *known = &x->words[i];
        if ((known->tables > MANY_TABLES) != many || strcmp(known->stem, w->stem) != 0) continue;
        float value = logf(1.0f + (float)x->table_count / (float)known->tables);
        for (uint32_t k = known->first; k < known->first + known->count; k++) find_place(f, x->places[k], value);
    }
}

size_t name_index_tables(const struct name_index *x, struct call *c, const struct words *q, uint32_t *out, size_t max)
{
    struct found f = { .call = c, .index = x };
    size_t kept = 0;
    f.scores = call_array(c, x->table_count + 1, sizeof *f.scores);
    f.tables = call_array(c, x->table_count + 1, sizeof *f.tables);
    for (int many = 0; many < 2 && (!many || !f.count); many++)
        for (size_t p = 0; p < q->count; p++)
            if (!(q->items[p].flags & (WORD_STOP | WORD_MARK)) && q->items[p].fold[0])
                find_word(&f, &q->items[p], many);
    for (size_t i = 0; i < f.count; i++) {
        uint32_t t = f.tables[i];
        size_t at = kept;
        while (at > 0 &&
               (f.scores[out[at - 1]] < f.scores[t] || (f.scores[out[at - 1]] <= f.scores[t] && out[at - 1] > t)))
            at--;
        if (at == max) continue;
        if (kept < max) kept++;
        memmove(&out[at + 1], &out[at], (kept - 1 - at) * sizeof *out);
        out[at] = t;
    }
    return kept;
}
