/* Makes the planner's lexicon: from WordNet's files single words, their first senses of a noun, verb or adjective, and
 * what these are kinds of; from word vectors the closest fellows of frequent words. */
#include "planners/lexical/lexicon.h"
#include "train/train.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENSES_OWN   4 /* of one part of speech; the rarer ones mislead */
#define SENSES_KINDS 2 /* senses whose hypernyms are taken */
#define SENSES_WORD  24

struct sense { /* one synset */
    char part;
    long offset;
    long kind; /* offset of its first hypernym, -1 = none */
    uint32_t words;
    uint32_t number; /* in the blob; 0 = not kept */
};

struct lemma {
    uint32_t hash;
    long own[SENSES_WORD], up[SENSES_WORD]; /* indexes of senses */
    int own_count, up_count;
    long number; /* in the blob, -1 = left out */
};

struct net {
    struct call *call;
    struct sense *senses;
    size_t count;
    struct lemma *lemmas;
    size_t lemma_count;
};

static int compare_sense(const void *a, const void *b)
{
    const struct sense *x = a, *y = b;
    if (x->part != y->part) return x->part - y->part;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static long find_sense(const struct net *n, char part, long offset)
{
    struct sense key = { .part = part, .offset = offset };
    const struct sense *s = bsearch(&key, n->senses, n->count, sizeof key, compare_sense);
    return s ? (long)(s - n->senses) : -1;
}

static void read_senses(struct net *n, const char *folder, const char *part)
{
    FILE *f = fopen(call_format(n->call, "%s/data.%s", folder, part), "rb");
    char *line = NULL;
    size_t room = 0;
    while (f && getline(&line, &room, f) > 0) {
        if (!isdigit((unsigned char)line[0])) continue;
        struct sense *s = &n->senses[n->count++];
        *s = (struct sense){ .part = part[0], .offset = strtol(line, NULL, 10), .kind = -1 };
        const char *at = strstr(line, " @ ");
        if (at) s->kind = strtol(at + 3, NULL, 10);
    }
    free(line);
    if (f) fclose(f);
}

static bool is_plain(const char *word)
{
    size_t i = 0;
    for (; word[i]; i++)
        if (word[i] < 'a' || word[i] > 'z') return false;
    return i >= 3 && i <= 20;
}

/* The next field of a line of words; cuts the line in place. NULL at its end. */
static char *next_field(char **line)
{
    char *at = *line + strspn(*line, " \n"), *end = at + strcspn(at, " \n");
    if (at == end) return NULL;
    *line = *end ? end + 1 : end;
    *end = 0;
    return at;
}

static void add(long *list, int *count, long sense)
{
    for (int i = 0; i < *count; i++)
        if (list[i] == sense) return;
    if (sense >= 0 && *count < SENSES_WORD) list[(*count)++] = sense;
}

static void read_lemmas(struct net *n, struct stemmer *st, const char *folder, const char *part)
{
    FILE *f = fopen(call_format(n->call, "%s/index.%s", folder, part), "rb");
    char *line = NULL;
    size_t room = 0;
    while (f && getline(&line, &room, f) > 0) {
        char *rest = line, *word = next_field(&rest);
        if (!word || !is_plain(word)) continue;
        struct lemma *x = &n->lemmas[n->lemma_count++];
        *x = (struct lemma){ .hash = hash_text(stem_word(n->call, st, call_strdup(n->call, word))) };
        const char *field = NULL;
        long pointers = 0;
        for (int at = 1; (field = next_field(&rest)); at++) {
            if (at == 3) pointers = strtol(field, NULL, 10);
            int sense = at - (int)pointers - 6;
            if (at < 4 || sense < 0 || sense >= SENSES_OWN) continue;
            long index = find_sense(n, part[0], strtol(field, NULL, 10));
            add(x->own, &x->own_count, index);
            if (index >= 0 && sense < SENSES_KINDS && n->senses[index].kind >= 0)
                add(x->up, &x->up_count, find_sense(n, part[0], n->senses[index].kind));
        }
    }
    free(line);
    if (f) fclose(f);
}

static int compare_lemma(const void *a, const void *b)
{
    const struct lemma *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Words of one stem are one word. */
static void join_lemmas(struct net *n)
{
    size_t kept = 0;
    qsort(n->lemmas, n->lemma_count, sizeof *n->lemmas, compare_lemma);
    for (size_t i = 0; i < n->lemma_count; i++) {
        if (!kept || n->lemmas[kept - 1].hash != n->lemmas[i].hash) {
            n->lemmas[kept++] = n->lemmas[i];
            continue;
        }
        struct lemma *to = &n->lemmas[kept - 1];
        for (int k = 0; k < n->lemmas[i].own_count; k++) add(to->own, &to->own_count, n->lemmas[i].own[k]);
        for (int k = 0; k < n->lemmas[i].up_count; k++) add(to->up, &to->up_count, n->lemmas[i].up[k]);
    }
    n->lemma_count = kept;
}

/* A sense that only one word has says nothing. */
static void number_senses(struct net *n)
{
    for (size_t i = 0; i < n->lemma_count; i++) {
        for (int k = 0; k < n->lemmas[i].own_count; k++) n->senses[n->lemmas[i].own[k]].words += 0x10001u;
        for (int k = 0; k < n->lemmas[i].up_count; k++) n->senses[n->lemmas[i].up[k]].words++;
    }
    uint32_t number = 0;
    for (size_t i = 0; i < n->count; i++) {
        uint32_t own = n->senses[i].words >> 16, all = n->senses[i].words & 0xffffu;
        /* what everything is a kind of is no likeness */
        if (own && all > 1 && all - own <= 40 && number < 65535) n->senses[i].number = ++number;
    }
}

static const uint32_t *numbers_of(const struct net *n, const long *list, int count, uint32_t *out, uint32_t *used)
{
    *used = 0;
    for (int k = 0; k < count; k++)
        if (n->senses[list[k]].number) out[(*used)++] = n->senses[list[k]].number;
    return out;
}

/* ---- fellows: words that stand in the same company, by their vectors ---- */

#define VECTOR_WORDS 18000 /* most frequent ones first */
#define VECTOR_SIZE  100
#define FELLOWS_MAX  12
#define FELLOW_AT    0.5f
#define CLOSE_AT     0.6f

struct vectors {
    uint32_t *hashes; /* of the stems */
    float (*v)[VECTOR_SIZE];
    size_t count;
};

static int next_byte(FILE *f, int until)
{
    int c = 0;
    do c = getc(f);
    while (c != EOF && c != until);
    return c;
}

static bool read_vector(FILE *f, float *v)
{
    char number[32];
    double square = 0;
    for (size_t i = 0; i < VECTOR_SIZE; i++) {
        size_t n = 0;
        int c = getc(f);
        for (; c != EOF && c != ',' && c != ']' && n + 1 < sizeof number; c = getc(f)) number[n++] = (char)c;
        number[n] = 0;
        v[i] = strtof(number, NULL);
        square += (double)v[i] * (double)v[i];
        if (c == ']' && i + 1 < VECTOR_SIZE) return false;
        if (i + 1 == VECTOR_SIZE && c != ']' && next_byte(f, ']') == EOF)
            return false; /* a length and a number follow */
    }
    for (size_t i = 0; i < VECTOR_SIZE && square > 0; i++) v[i] = (float)((double)v[i] / sqrt(square));
    return true;
}

/* The file of the package: {..., "words": [...], "vectors": {"the": [...], ...}}. */
static void read_vectors(struct net *n, struct stemmer *st, const char *path, struct vectors *out)
{
    static const char start[] = "\"vectors\":{";
    FILE *f = fopen(path, "rb");
    out->hashes = call_array(n->call, VECTOR_WORDS, sizeof *out->hashes);
    out->v = call_array(n->call, VECTOR_WORDS, sizeof *out->v);
    size_t matched = 0;
    for (int c; f && start[matched] && (c = getc(f)) != EOF;) matched = c == start[matched] ? matched + 1 : c == '"';
    for (size_t seen = 0; f && seen < VECTOR_WORDS && next_byte(f, '"') != EOF; seen++) {
        char word[64];
        size_t at = 0;
        for (int c; (c = getc(f)) != EOF && c != '"';)
            if (at + 1 < sizeof word) word[at++] = (char)c;
        word[at] = 0;
        if (next_byte(f, '[') == EOF || !read_vector(f, out->v[out->count])) break;
        if (!is_plain(word) || word_is_stop(word)) continue;
        out->hashes[out->count++] = hash_text(stem_word(n->call, st, call_strdup(n->call, word)));
    }
    if (f) fclose(f);
}

struct fellow {
    uint32_t a, b; /* hashes of stems */
    float likeness;
};

static int compare_fellow(const void *a, const void *b)
{
    const struct fellow *x = a, *y = b;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->likeness < y->likeness || x->likeness > y->likeness) return x->likeness > y->likeness ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* The closest words of each. */
static void find_fellows(struct net *n, const struct vectors *v, struct list *out)
{
    for (size_t i = 0; i < v->count; i++) {
        struct fellow best[FELLOWS_MAX];
        int count = 0;
        for (size_t k = 0; k < v->count; k++) {
            float sums[4] = { 0 };
            for (size_t d = 0; d < VECTOR_SIZE; d++) sums[d & 3] += v->v[i][d] * v->v[k][d];
            float dot = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            if (dot < FELLOW_AT || v->hashes[i] == v->hashes[k]) continue;
            if (count == FELLOWS_MAX && best[count - 1].likeness >= dot) continue;
            int at = count < FELLOWS_MAX ? count++ : FELLOWS_MAX - 1;
            for (; at > 0 && best[at - 1].likeness < dot; at--) best[at] = best[at - 1];
            best[at] = (struct fellow){ v->hashes[i], v->hashes[k], dot };
        }
        for (int k = 0; k < count; k++) *(struct fellow *)list_push(n->call, out, sizeof *best) = best[k];
    }
    qsort(out->items, out->count, sizeof(struct fellow), compare_fellow);
}

/* Words that only have vectors are words too. */
static void add_vector_words(struct net *n, const struct vectors *v)
{
    for (size_t i = 0; i < v->count; i++) n->lemmas[n->lemma_count++] = (struct lemma){ .hash = v->hashes[i] };
    join_lemmas(n);
}

static void add_bytes(struct buf *b, const void *bytes, size_t n)
{
    buf_add(b, bytes, n);
}

/* Words that say nothing are left out; numbers[i] of the others is their place in the blob. */
static uint32_t number_words(struct net *n, const struct list *fellows)
{
    uint32_t words = 0;
    size_t at = 0;
    for (size_t i = 0; i < n->lemma_count; i++) {
        struct lemma *x = &n->lemmas[i];
        bool says = false;
        for (int k = 0; k < x->own_count; k++) says |= n->senses[x->own[k]].number != 0;
        while (at < fellows->count && LIST_AT(fellows, struct fellow, at).a < x->hash) at++;
        says |= at < fellows->count && LIST_AT(fellows, struct fellow, at).a == x->hash;
        x->number = says && words < 65535 ? (long)words++ : -1;
    }
    return words;
}

static long word_number(const struct net *n, uint32_t hash)
{
    struct lemma key = { .hash = hash };
    const struct lemma *x = bsearch(&key, n->lemmas, n->lemma_count, sizeof key, compare_lemma);
    return x ? x->number : -1;
}

enum part_of_blob { HASHES, OFFSETS, FROM, SENSES, FELLOWS, OWN, CLOSE, PARTS };

static uint32_t put_fellows(const struct net *n, const struct list *fellows, size_t *at, uint32_t hash,
                            struct buf *parts)
{
    uint32_t count = 0, close = 0;
    uint16_t seen[FELLOWS_MAX * 2];
    while (*at < fellows->count && LIST_AT(fellows, struct fellow, *at).a < hash) ++*at;
    for (; *at < fellows->count && LIST_AT(fellows, struct fellow, *at).a == hash; ++*at) {
        const struct fellow *f = &LIST_AT(fellows, struct fellow, *at);
        long b = word_number(n, f->b);
        bool twice = b < 0 || count == FELLOWS_MAX * 2;
        for (uint32_t k = 0; k < count && !twice; k++) twice = seen[k] == b;
        if (twice) continue;
        seen[count++] = (uint16_t)b;
        close += f->likeness >= CLOSE_AT;
        add_bytes(&parts[FELLOWS], &(uint16_t){ (uint16_t)b }, 2);
    }
    buf_char(&parts[CLOSE], (char)close);
    return count;
}

static int write_blob(struct net *n, const struct list *fellows, const char *path)
{
    struct buf parts[PARTS];
    for (int i = 0; i < PARTS; i++) buf_init(&parts[i], n->call, 16u << 20);
    uint32_t words = number_words(n, fellows), senses = 0, all = 0, numbers[SENSES_WORD], a, b;
    size_t at = 0;
    for (size_t i = 0; i < n->lemma_count; i++) {
        const struct lemma *x = &n->lemmas[i];
        if (x->number < 0) continue;
        add_bytes(&parts[HASHES], &x->hash, 4);
        add_bytes(&parts[OFFSETS], &senses, 4);
        add_bytes(&parts[FROM], &all, 4);
        numbers_of(n, x->own, x->own_count, numbers, &a);
        for (uint32_t k = 0; k < a; k++) add_bytes(&parts[SENSES], &(uint16_t){ (uint16_t)numbers[k] }, 2);
        numbers_of(n, x->up, x->up_count, numbers, &b);
        for (uint32_t k = 0; k < b; k++) add_bytes(&parts[SENSES], &(uint16_t){ (uint16_t)numbers[k] }, 2);
        buf_char(&parts[OWN], (char)a);
        senses += a + b;
        all += put_fellows(n, fellows, &at, x->hash, parts);
    }
    add_bytes(&parts[OFFSETS], &senses, 4);
    add_bytes(&parts[FROM], &all, 4);
    uint32_t head[] = { LEXICON_MAGIC, words, senses, all };
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(head, sizeof head, 1, f) == 1;
    for (int i = 0; i < PARTS && ok; i++) ok = !parts[i].len || fwrite(parts[i].data, parts[i].len, 1, f) == 1;
    if (!f || fclose(f) || !ok) {
        fprintf(stderr, "%s cannot be written.\n", path);
        return 1;
    }
    printf("%s: %u words, %u senses, %u fellows\n", path, words, senses, all);
    return 0;
}

int lexicon_make(struct call *c, const char *folder, const char *vectors, const char *path)
{
    static const char *const parts[] = { "noun", "verb", "adj" };
    struct net n = { .call = c };
    n.senses = call_array(c, 200000, sizeof *n.senses);
    n.lemmas = call_array(c, 250000, sizeof *n.lemmas);
    struct vectors v = { 0 };
    struct list fellows = { 0 };
    struct stemmer *st = stemmer_open(c);
    for (int i = 0; i < 3; i++) read_senses(&n, folder, parts[i]);
    qsort(n.senses, n.count, sizeof *n.senses, compare_sense);
    for (int i = 0; i < 3; i++) read_lemmas(&n, st, folder, parts[i]);
    if (vectors) read_vectors(&n, st, vectors, &v);
    stemmer_close(st);
    if (!n.count || !n.lemma_count) {
        fprintf(stderr, "There is no WordNet in %s.\n", folder);
        return 1;
    }
    join_lemmas(&n);
    number_senses(&n);
    add_vector_words(&n, &v);
    find_fellows(&n, &v, &fellows);
    return write_blob(&n, &fellows, path);
}
