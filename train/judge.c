/* Outcomes of ranked readings; calibration; thresholds. */
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void rank_again(struct call *c, const struct weights *w, const struct run_result *r, bool executed,
                       struct candidates *k)
{
    struct features *f = call_alloc(c, sizeof *f);
    k->weights = w;
    k->count = r->count;
    k->dense = r->dense;
    k->evidence = executed ? r->evidence : call_array(c, r->count + 1, sizeof *k->evidence);
    k->sparse = call_array(c, r->count + 1, sizeof *k->sparse);
    for (size_t i = 0; i < r->count; i++) {
        f->count = r->sparse[i][0];
        memcpy(f->items, r->sparse[i] + 1, f->count * 4);
        model_sums(&w->models[MODEL_RANKER], f, &k->sparse[i]);
    }
    k->readings = r->readings;
    struct linked *l = call_alloc(c, sizeof *l);
    struct context *x = call_alloc(c, sizeof *x);
    l->unexplained_count = r->unexplained;
    l->doubt = r->doubt;
    l->doubt_most = r->doubt_most;
    x->linked = l;
    k->context = x;
    rank_order(c, k, executed);
}

void probe_choice(struct call *c, const struct weights *w, struct run_result *r)
{
    struct arena_mark mark = arena_mark(&c->arena);
    struct candidates k = { 0 };
    rank_again(c, w, r, false, &k);
    memset(r->evidence, 0, r->count * sizeof *r->evidence);
    for (size_t n = 0; rank_probed(&k, n); n++) r->evidence[k.order[n]] = r->all[k.order[n]];
    k.evidence = r->evidence;
    rank_evidence(&k);
    arena_reset(&c->arena, mark);
}

void outcome_of(struct call *c, const struct weights *w, const struct run_result *r, bool executed, struct outcome *out)
{
    struct arena_mark mark = arena_mark(&c->arena);
    struct candidates k = { 0 };
    rank_again(c, w, r, executed, &k);
    *out = (struct outcome){ .counted = true, .none = r->count == 0 };
    int seen[3], n = 0;
    for (size_t i = 0; i < r->count && n < 3; i++) {
        int at = k.order[i];
        bool old = false;
        for (int s = 0; s < n; s++) old |= seen[s] == k.cluster[at];
        if (old) continue;
        seen[n++] = k.cluster[at];
        if (n == 1) {
            out->right = r->right[at];
            out->best = at;
            out->held = rank_held(&r->readings[at]);
            out->probability = k.probability[at];
        }
        out->top3 |= r->right[at];
    }
    out->sure_count = rank_sure(&k, out->sure);
    out->family = rank_family(&k);
    arena_reset(&c->arena, mark);
}

void stranger_fit(struct corpus *k, const struct weights *w, const struct example *e, const struct database *other,
                  struct outcome *out)
{
    struct call *c = k->call;
    struct arena_mark mark = arena_mark(&c->arena);
    struct linked l;
    struct graph g;
    struct context x;
    struct scores s;
    *out = (struct outcome){ .counted = true };
    link_question(c, other->view, other->values, e->question, k->now_us, &l);
    link_explained(&l, w);
    graph_build(c, &l, &g);
    context_read(c, &l, &g, &x);
    score_question(c, w, &x, &l, &s);
    struct reading *readings = call_array(c, READINGS_MAX, sizeof *readings);
    size_t n = assemble(c, w, &x, &s, readings);
    struct candidates r = { .context = &x, .scores = &s, .weights = w, .readings = readings, .count = n };
    r.dense = call_array(c, n + 1, sizeof *r.dense);
    r.evidence = call_array(c, n + 1, sizeof *r.evidence);
    r.sparse = call_array(c, n + 1, sizeof *r.sparse);
    rank_dense(&r);
    struct features *f = call_alloc(c, sizeof *f);
    for (size_t i = 0; i < n; i++) {
        rank_sparse(&r, i, f);
        model_sums(&w->models[MODEL_RANKER], f, &r.sparse[i]);
    }
    rank_order(c, &r, false);
    out->none = n == 0;
    out->fit_count = rank_fit(&r, out->fit);
    arena_reset(&c->arena, mark);
}

/* A column that the gold needs, that the question names and that ties no tables, -1 when there is none. */
static int column_to_remove(const struct example *e)
{
    const struct core *core = &e->label.left;
    int found[16], n = 0;
    for (int i = 0; i < core->item_count; i++) found[n++] = core->items[i].column;
    for (int i = 0; i < core->where_count; i++) found[n++] = core->where[i].sub ? -1 : core->where[i].left.column;
    for (int i = 0; i < core->order_count; i++) found[n++] = core->order[i].term.column;
    for (int i = 0; i < n; i++) {
        int column = found[(i + (int)(hash_text(e->question) % (uint32_t)n)) % n];
        if (column < 0 || column >= (int)e->linked.real_columns) continue;
        const struct lex_column *col = &e->linked.columns[column];
        bool named = col->mention_count && col->mentions[0].kind <= MENTION_HEAD;
        if (named && !col->key && !col->foreign) return column;
    }
    return -1;
}

bool database_without(struct call *c, const struct example *e, const struct database *own, struct database *out)
{
    int column = e->labelled ? column_to_remove(e) : -1;
    if (column < 0) return false;
    const struct lex_column *col = &e->linked.columns[column];
    struct view *view = call_alloc(c, sizeof *view);
    *view = *own->view;
    view->tables = call_array(c, view->table_count, sizeof *view->tables);
    memcpy(view->tables, own->view->tables, view->table_count * sizeof *view->tables);
    for (size_t t = 0; t < view->table_count; t++) {
        struct table *table = &view->tables[t];
        if (strcmp(table->name, e->linked.tables[col->table].table->name) != 0) continue;
        struct column *columns = call_array(c, table->column_count + 1, sizeof *columns);
        size_t kept = 0;
        for (size_t i = 0; i < table->column_count; i++)
            if (strcmp(table->columns[i].name, col->column->name) != 0) columns[kept++] = table->columns[i];
        table->columns = columns;
        table->column_count = kept;
        if (!kept) return false;
    }
    *out = *own;
    out->view = view;
    return true;
}

static int by_probability(const void *a, const void *b)
{
    const struct outcome *x = *(const struct outcome *const *)a, *y = *(const struct outcome *const *)b;
    return x->probability < y->probability ? -1 : x->probability > y->probability;
}

static const struct outcome **sorted(struct call *c, const struct outcome *o, size_t count, size_t *n)
{
    const struct outcome **list = call_array(c, count + 1, sizeof *list);
    *n = 0;
    for (size_t i = 0; i < count; i++)
        if (o[i].counted) list[(*n)++] = &o[i];
    qsort(list, *n, sizeof *list, by_probability);
    return list;
}

void calibrate(struct call *c, const struct outcome *outcomes, size_t count, struct curve *v)
{
    size_t n;
    const struct outcome **list = sorted(c, outcomes, count, &n);
    *v = (struct curve){ 0 };
    const size_t bins = 20;
    double value[20], weight[20], x[20];
    size_t used = 0;
    for (size_t b = 0; b < bins; b++) {
        size_t from = n * b / bins, to = n * (b + 1) / bins, right = 0;
        double sum = 0;
        if (from == to) continue;
        for (size_t i = from; i < to; i++) {
            right += list[i]->right;
            sum += (double)list[i]->probability;
        }
        x[used] = sum / (double)(to - from);
        value[used] = (double)right / (double)(to - from);
        weight[used++] = (double)(to - from);
        while (used > 1 && value[used - 2] > value[used - 1]) { /* pool what falls */
            double w = weight[used - 2] + weight[used - 1];
            value[used - 2] = (value[used - 2] * weight[used - 2] + value[used - 1] * weight[used - 1]) / w;
            x[used - 2] = (x[used - 2] * weight[used - 2] + x[used - 1] * weight[used - 1]) / w;
            weight[used - 2] = w;
            used--;
        }
    }
    for (size_t i = 0; i < used; i++) {
        v->x[v->count] = (float)x[i];
        v->y[v->count++] = (float)value[i];
    }
}

/* As the planner decides: what leaves something is not answered; what is meant for sure is, whatever the threshold. */
static float decided(const struct outcome *o, const struct curve *v)
{
    if (o->held) return 0;
    return rank_meant(o->family, curve_at(v, o->probability)) ? 1 : o->probability;
}

float threshold_for(struct call *c, const struct outcome *outcomes, size_t count, const struct curve *v,
                    double precision, double *coverage)
{
    struct outcome *all = call_array(c, count + 1, sizeof *all);
    size_t n, right = 0, best = 0;
    for (size_t i = 0; i < count; i++) {
        all[i] = outcomes[i];
        all[i].probability = decided(&outcomes[i], v);
    }
    const struct outcome **list = sorted(c, all, count, &n);
    for (size_t i = 0; i < n; i++) {
        right += list[n - 1 - i]->right;
        if (i > 50 && (double)right >= precision * (double)(i + 1)) best = i + 1;
    }
    *coverage = n ? (double)best / (double)n : 0;
    return best ? curve_at(v, list[n - best]->probability) : 1.1f;
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Rows of numbers, wanted 0 or 1, weight of each row -> weights and bias for the numbers as they are. */
static void learn_logistic(const float *const *rows, const bool *wanted, const double *weight, size_t n, uint32_t d,
                           float *out)
{
    double mean[DENSE_MAX] = { 0 }, spread[DENSE_MAX] = { 0 }, w[DENSE_MAX + 1] = { 0 }, all = 0;
    for (size_t i = 0; i < n; i++) {
        all += weight[i];
        for (uint32_t k = 0; k < d; k++) {
            mean[k] += (double)rows[i][k] / (double)n;
            spread[k] += (double)rows[i][k] * (double)rows[i][k] / (double)n;
        }
    }
    for (uint32_t k = 0; k < d; k++) spread[k] = sqrt(fmax(spread[k] - mean[k] * mean[k], 1e-6));
    for (int epoch = 0; epoch < 400; epoch++) {
        double grad[DENSE_MAX + 1] = { 0 };
        for (size_t i = 0; i < n; i++) {
            double z = w[d];
            for (uint32_t k = 0; k < d; k++) z += w[k] * ((double)rows[i][k] - mean[k]) / spread[k];
            double e = (1.0 / (1.0 + exp(-z)) - (wanted[i] ? 1.0 : 0.0)) * weight[i] / all;
            for (uint32_t k = 0; k < d; k++) grad[k] += e * ((double)rows[i][k] - mean[k]) / spread[k];
            grad[d] += e;
        }
        for (uint32_t k = 0; k <= d; k++) w[k] -= 1.0 * grad[k] + 2e-4 * w[k];
    }
    double bias = w[d];
    for (uint32_t k = 0; k < d; k++) {
        out[k] = (float)(w[k] / spread[k]);
        bias -= w[k] * mean[k] / spread[k];
    }
    out[d] = (float)bias;
}

void learn_sure(struct corpus *k, struct outcome *outcomes, int executed, struct ranker *out)
{
    struct call *c = k->call;
    const float **rows = call_array(c, k->count + 1, sizeof *rows);
    bool *wanted = call_array(c, k->count + 1, sizeof *wanted);
    double *weight = call_array(c, k->count + 1, sizeof *weight);
    uint32_t d = 0;
    float w[DENSE_MAX + 1];
    for (int fold = 0; fold <= FOLDS; fold++) { /* out of fold for the figures; at last from all, for the product */
        size_t n = 0;
        for (size_t i = 0; i < k->count; i++) {
            if (!outcomes[i].counted || k->examples[i].fold == fold) continue;
            d = outcomes[i].sure_count;
            rows[n] = outcomes[i].sure;
            wanted[n] = outcomes[i].right;
            weight[n++] = 1;
        }
        learn_logistic(rows, wanted, weight, n, d, w);
        for (size_t i = 0; i < k->count; i++)
            if (outcomes[i].counted && k->examples[i].fold == fold)
                outcomes[i].probability = rank_logistic(w, d + 1, outcomes[i].sure, d);
    }
    out->sure_count = d + 1;
    memcpy(out->sure[executed], w, (d + 1) * sizeof *w);
}

static double fit_of(const float *w, const struct fit_case *x)
{
    const struct outcome *o = &x->outcome;
    return o->none ? 0 : (double)rank_logistic(w, o->fit_count + 1, o->fit, o->fit_count);
}

static void learn_fit_without(struct call *c, const struct fit_case *cases, size_t count, int fold, float *out)
{
    static const double weights[] = { [FIT_OWN] = 1, [FIT_STRANGE] = 1, [FIT_REMOVED] = 1 };
    const float **rows = call_array(c, count + 1, sizeof *rows);
    bool *wanted = call_array(c, count + 1, sizeof *wanted);
    double *weight = call_array(c, count + 1, sizeof *weight);
    size_t n = 0;
    uint32_t d = 0;
    for (size_t i = 0; i < count; i++) {
        const struct fit_case *x = &cases[i];
        if (x->fold == fold || x->outcome.none) continue;
        d = x->outcome.fit_count;
        rows[n] = x->outcome.fit;
        wanted[n] = x->kind == FIT_OWN;
        weight[n++] = x->kind == FIT_OWN && !x->outcome.right ? 0.3 : weights[x->kind];
    }
    learn_logistic(rows, wanted, weight, n, d, out);
}

/* The fit above which all but `loss` of the rightly answered questions are. */
static double fit_at(struct call *c, const double *fit, const struct fit_case *cases, size_t count, double loss)
{
    double *right = call_array(c, count + 1, sizeof *right);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (cases[i].kind == FIT_OWN && cases[i].outcome.right) right[n++] = fit[i];
    qsort(right, n, sizeof *right, compare_double);
    return n ? right[(size_t)(loss * (double)n)] : 0;
}

void learn_fit(struct call *c, const struct fit_case *cases, size_t count, double loss, struct ranker *out)
{
    static const double losses[] = { 0.01, 0.025, 0.04, 0.05, 0.1 };
    double *fit = call_array(c, count + 1, sizeof *fit);
    float w[DENSE_MAX + 1];
    for (int fold = 0; fold < FOLDS; fold++) {
        learn_fit_without(c, cases, count, fold, w);
        for (size_t i = 0; i < count; i++)
            if (cases[i].fold == fold) fit[i] = fit_of(w, &cases[i]);
    }
    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++) {
        double at = fit_at(c, fit, cases, count, losses[k]);
        size_t below[3] = { 0 }, all[3] = { 0 };
        for (size_t i = 0; i < count; i++) {
            all[cases[i].kind]++;
            below[cases[i].kind] += fit[i] < at;
        }
        printf("refused at %.1f %% of right answers: wrong databases %.1f, removed columns %.1f\n", losses[k] * 100,
               100.0 * (double)below[FIT_STRANGE] / (double)(all[FIT_STRANGE] ? all[FIT_STRANGE] : 1),
               100.0 * (double)below[FIT_REMOVED] / (double)(all[FIT_REMOVED] ? all[FIT_REMOVED] : 1));
    }
    learn_fit_without(c, cases, count, -1, out->fit);
    for (size_t i = 0; i < count; i++) {
        if (!cases[i].outcome.none) out->fit_count = cases[i].outcome.fit_count + 1;
        fit[i] = fit_of(out->fit, &cases[i]);
    }
    out->fit_at = (float)fit_at(c, fit, cases, count, loss);
}
