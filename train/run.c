/* Runs the planner's readings of every question and compares them with the gold's rows. What a text gave on a database
 * is kept in a cache file: repeated training runs execute only what is new. */
#include "guard/guard.h"
#include "planners/lexical/fill.h"
#include "train/train.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVIDENCE_ROWS 200
#define MAX_STEPS     300 /* thousands */

struct entry {
    uint64_t key, hash; /* hash: of the rows that a probe would read */
    struct signature all;
    int32_t rows, duplicates;
    uint8_t ok, empty, known;
};

struct cache {
    struct call *call;
    struct entry *slots;
    size_t mask, count;
    pthread_mutex_t lock;
};

static void cache_room(struct cache *k)
{
    if (k->slots && k->count * 2 < k->mask) return;
    size_t old = k->slots ? k->mask + 1 : 0, size = old ? old * 2 : 1u << 20;
    struct entry *before = k->slots;
    k->slots = call_array(k->call, size, sizeof *k->slots);
    k->mask = size - 1;
    for (size_t i = 0; i < old; i++) {
        if (!before[i].known) continue;
        size_t at = before[i].key & k->mask;
        while (k->slots[at].known) at = (at + 1) & k->mask;
        k->slots[at] = before[i];
    }
}

struct cache *cache_open(struct call *c, const char *path)
{
    struct cache *k = call_alloc(c, sizeof *k);
    k->call = c;
    pthread_mutex_init(&k->lock, NULL);
    cache_room(k);
    FILE *f = path ? fopen(path, "rb") : NULL;
    struct entry e;
    while (f && fread(&e, sizeof e, 1, f) == 1) {
        cache_room(k);
        size_t at = e.key & k->mask;
        while (k->slots[at].known) at = (at + 1) & k->mask;
        k->slots[at] = e;
        k->count++;
    }
    if (f) fclose(f);
    return k;
}

void cache_save(struct cache *k, const char *path)
{
    FILE *f = path ? fopen(path, "wb") : NULL;
    for (size_t i = 0; f && i <= k->mask; i++)
        if (k->slots[i].known) fwrite(&k->slots[i], sizeof k->slots[i], 1, f);
    if (f) fclose(f);
}

static bool cache_get(struct cache *k, uint64_t key, struct entry *out)
{
    pthread_mutex_lock(&k->lock);
    size_t at = key & k->mask;
    while (k->slots[at].known && k->slots[at].key != key) at = (at + 1) & k->mask;
    *out = k->slots[at];
    pthread_mutex_unlock(&k->lock);
    return out->known;
}

static void cache_put(struct cache *k, const struct entry *e)
{
    pthread_mutex_lock(&k->lock);
    cache_room(k);
    size_t at = e->key & k->mask;
    while (k->slots[at].known) at = (at + 1) & k->mask;
    k->slots[at] = *e;
    k->count++;
    pthread_mutex_unlock(&k->lock);
}

static uint64_t hash64(uint64_t h, const char *s)
{
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h ^ (h >> 29);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 33);
}

/* Rows and columns as sums, so that neither the order of columns nor, in `rows`, that of rows matters. */
struct signature signature_of(struct call *c, const struct gold_rows *r)
{
    struct signature s = { .columns = (uint32_t)r->columns, .count = (uint32_t)r->rows, .known = true };
    uint64_t *columns = call_array(c, r->columns + 1, sizeof *columns);
    for (size_t i = 0; i < r->rows; i++) {
        uint64_t row = 0;
        for (size_t k = 0; k < r->columns; k++) {
            uint64_t v = mix(9, r->cells[i * r->columns + k]);
            row += v;
            columns[k] += v;
        }
        s.rows += mix(11, row);
        s.sequence = mix(s.sequence, row);
    }
    for (size_t k = 0; k < r->columns; k++) s.values += mix(13, columns[k]);
    return s;
}

static bool right(const struct example *e, const struct signature *s)
{
    for (size_t i = 0; s->known && i < e->gold_count; i++) {
        const struct signature *g = &e->golds[i];
        if (s->columns == g->columns && s->count == g->count && s->rows == g->rows && s->values == g->values &&
            (!e->ordered || s->sequence == g->sequence))
            return true;
    }
    return false;
}

static void judge(struct call *c, const struct gold_rows *got, struct entry *out)
{
    size_t n = got->rows < EVIDENCE_ROWS ? got->rows : EVIDENCE_ROWS;
    uint64_t *rows = call_array(c, n + 1, sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        uint64_t h = 1;
        for (size_t k = 0; k < got->columns; k++) h = mix(h, got->cells[i * got->columns + k]);
        rows[i] = h;
    }
    qsort(rows, n, sizeof *rows, compare_u64);
    out->hash = 14695981039346656037u + got->columns;
    for (size_t i = 0; i < n; i++) {
        out->hash = mix(out->hash, rows[i]);
        if (i && rows[i] == rows[i - 1]) out->duplicates++;
    }
    out->rows = (int32_t)n;
    out->ok = 1;
    out->empty = n && got->nulls == got->rows * got->columns;
    out->all = signature_of(c, got);
}

/* The text that the engine would run, or NULL when the guard refuses the plan. */
static const char *reading_sql(struct call *c, const struct database *d, const struct linked *l,
                               const struct reading *r)
{
    struct guarded *g;
    if (!guard_prepare(c, d->source, d->view, reading_plan(c, l, r), ORIGIN_PLANNER, 0, &g)) {
        /* The ceiling of rows is beyond every gold; without it equal plans have equal texts whatever the ceiling is. */
        const char *ceiling = " LIMIT 10001";
        size_t n = g->statement->n, m = strlen(ceiling);
        bool capped = n > m && strcmp(g->statement->sql + n - m, ceiling) == 0;
        return call_strndup(c, g->statement->sql, capped ? n - m : n);
    }
    call_forgive(c);
    return NULL;
}

struct worker {
    struct corpus *k;
    const struct weights *by_fold;
    struct cache *cache;
    struct run_result *out;
    size_t from, step;
    struct call keep, work;
};

static void run_reading(struct worker *w, const struct example *e, const char *sql, struct entry *out)
{
    struct database *d = &w->k->databases[e->database];
    *out = (struct entry){ .known = 1 };
    if (!sql) return;
    uint64_t key = hash64(hash64(1469598103934665603u, d->name), sql);
    if (cache_get(w->cache, key, out)) return;
    *out = (struct entry){ .key = key, .known = 1 };
    struct arena_mark mark = arena_mark(&w->work.arena);
    struct gold_rows got;
    if (gold_run(d->gold[w->from], &w->work, sql, 200001, MAX_STEPS, &got) == OK)
        judge(&w->work, &got, out);
    else
        call_forgive(&w->work);
    arena_reset(&w->work.arena, mark);
    cache_put(w->cache, out);
}

static bool core_unplaced(const struct core *core)
{
    for (int i = 0; i < core->where_count; i++) {
        const struct cond *w = &core->where[i];
        if ((w->value && w->span < 0) || (w->value2 && w->span2 < 0) || (w->sub && core_unplaced(w->sub))) return true;
    }
    return (core->has_having && core->having.span < 0) || (core->limit > 1 && core->limit_span < 0);
}

/* What the search for the gold's reading had to go by; for error analysis. */
static void look_at_gold(const struct weights *w, const struct scores *s, const struct example *e, struct run_result *r)
{
    struct shape shapes[SHAPES_MAX];
    int n = top_shapes(w, s, shapes);
    for (int i = 0; i < n && r->shape < 0; i++) {
        char text[4][SKETCH_MAX];
        sketch_split(e->sketch, text[0], text[1], text[2], text[3]);
        bool same = true;
        for (int f = 0; f < 4; f++) same &= strcmp(w->names[shapes[i].factors[f]], text[f]) == 0;
        if (same) r->shape = i;
    }
    r->unplaced = core_unplaced(&e->label.left) || (e->label.set && core_unplaced(&e->label.right));
}

/* Room for what is kept of the readings, and their numbers. */
static void keep_candidates(struct call *keep, const struct candidates *k, struct run_result *r)
{
    size_t n = k->count;
    r->count = n;
    r->dense = call_array(keep, n + 1, sizeof *r->dense);
    r->evidence = call_array(keep, n + 1, sizeof *r->evidence);
    r->right = call_array(keep, n + 1, sizeof *r->right);
    r->all = call_array(keep, n + 1, sizeof *r->all);
    r->readings = call_array(keep, n + 1, sizeof *r->readings);
    r->sql = call_array(keep, n + 1, sizeof *r->sql);
    r->sparse = call_array(keep, n + 1, sizeof *r->sparse);
    memcpy(r->dense, k->dense, n * sizeof *r->dense);
    memcpy(r->readings, k->readings, n * sizeof *r->readings);
}

static void run_candidates(struct worker *w, const struct example *e, const struct candidates *k, struct run_result *r)
{
    struct call *c = &w->work;
    struct features *f = call_alloc(c, sizeof *f);
    const struct database *d = &w->k->databases[e->database];
    for (size_t i = 0; i < k->count; i++) {
        const char *sql = reading_sql(c, d, k->context->linked, &k->readings[i]);
        struct entry t;
        run_reading(w, e, sql, &t);
        r->right[i] = t.ok && right(e, &t.all);
        r->sql[i] = call_strdup(&w->keep, sql);
        r->all[i] = (struct trial){ .tried = true,
                                    .ok = t.ok,
                                    .rows = t.rows,
                                    .duplicates = t.duplicates,
                                    .empty_cells = t.empty,
                                    .hash = t.hash };
        rank_sparse(k, i, f);
        r->sparse[i] = call_array(&w->keep, f->count + 1, 4);
        r->sparse[i][0] = (uint32_t)f->count;
        memcpy(r->sparse[i] + 1, f->items, f->count * 4);
    }
}

static void run_example(struct worker *w, size_t index)
{
    const struct example *e = &w->k->examples[index];
    struct run_result *r = &w->out[index];
    struct call *c = &w->work;
    struct arena_mark mark = arena_mark(&c->arena);
    struct question q;
    struct candidates k;
    const struct weights *weights = &w->by_fold[e->fold];
    const struct database *d = &w->k->databases[e->database];
    question_read(c, d->view, d->values, e->question, w->k->now_us, weights, &q);
    candidates_open(c, weights, &q, &k);
    *r = (struct run_result){ .unexplained = q.linked.unexplained_count,
                              .doubt = q.linked.doubt,
                              .doubt_most = q.linked.doubt_most,
                              .shape = -1,
                              .drawn = q.context.said >> CUE_CHART & 1 };
    if (e->labelled) look_at_gold(weights, k.scores, e, r);
    keep_candidates(&w->keep, &k, r);
    run_candidates(w, e, &k, r);
    arena_reset(&c->arena, mark);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    for (size_t i = w->from; i < w->k->count; i += w->step)
        if (w->k->examples[i].runs) run_example(w, i);
    return NULL;
}

void candidates_run(struct corpus *k, const struct weights *by_fold, struct cache *cache, struct run_result *out)
{
    struct worker *workers = call_array(k->call, 2, sizeof *workers);
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        workers[i] = (struct worker){ .k = k, .by_fold = by_fold, .cache = cache, .out = out, .from = i, .step = 2 };
        call_begin(&workers[i].keep);
        call_begin(&workers[i].work);
        workers[i].work.who = k->call->who;
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (size_t i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
