/* Makes the planner's lexicon from WordNet's files: single words, their first senses of a noun, verb or adjective, and
 * what these are kinds of. */
#include "planners/lexical/lexicon.h"
#include "train/train.h"

#include <ctype.h>
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

static void add_bytes(struct buf *b, const void *bytes, size_t n)
{
    buf_add(b, bytes, n);
}

static int write_blob(const struct net *n, const char *path)
{
    struct buf head, offsets, senses, own;
    struct buf *all[] = { &head, &offsets, &senses, &own };
    for (int i = 0; i < 4; i++) buf_init(all[i], n->call, 16u << 20);
    uint32_t words = 0, total = 0, numbers[SENSES_WORD], a, b;
    struct buf hashes;
    buf_init(&hashes, n->call, 16u << 20);
    for (size_t i = 0; i < n->lemma_count; i++) {
        const struct lemma *x = &n->lemmas[i];
        numbers_of(n, x->own, x->own_count, numbers, &a);
        if (!a) continue;
        add_bytes(&hashes, &x->hash, 4);
        add_bytes(&offsets, &total, 4);
        for (uint32_t k = 0; k < a; k++) add_bytes(&senses, &(uint16_t){ (uint16_t)numbers[k] }, 2);
        numbers_of(n, x->up, x->up_count, numbers, &b);
        for (uint32_t k = 0; k < b; k++) add_bytes(&senses, &(uint16_t){ (uint16_t)numbers[k] }, 2);
        buf_char(&own, (char)a);
        total += a + b;
        words++;
    }
    add_bytes(&offsets, &total, 4);
    uint32_t magic[] = { LEXICON_MAGIC, words, total };
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(magic, sizeof magic, 1, f) == 1 && fwrite(hashes.data, hashes.len, 1, f) == 1 &&
              fwrite(offsets.data, offsets.len, 1, f) == 1 && fwrite(senses.data, senses.len, 1, f) == 1 &&
              fwrite(own.data, own.len, 1, f) == 1;
    if (!f || fclose(f) || !ok) {
        fprintf(stderr, "%s cannot be written.\n", path);
        return 1;
    }
    printf("%s: %u words, %u senses\n", path, words, total);
    return 0;
}

int lexicon_make(struct call *c, const char *folder, const char *path)
{
    static const char *const parts[] = { "noun", "verb", "adj" };
    struct net n = { .call = c };
    n.senses = call_array(c, 200000, sizeof *n.senses);
    n.lemmas = call_array(c, 250000, sizeof *n.lemmas);
    struct stemmer *st = stemmer_open(c);
    for (int i = 0; i < 3; i++) read_senses(&n, folder, parts[i]);
    qsort(n.senses, n.count, sizeof *n.senses, compare_sense);
    for (int i = 0; i < 3; i++) read_lemmas(&n, st, folder, parts[i]);
    stemmer_close(st);
    if (!n.count || !n.lemma_count) {
        fprintf(stderr, "There is no WordNet in %s.\n", folder);
        return 1;
    }
    join_lemmas(&n);
    number_senses(&n);
    return write_blob(&n, path);
}
