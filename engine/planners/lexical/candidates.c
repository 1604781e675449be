/* From a question to ranked readings: the one road of the planner and of the trainer. */
#include "planners/lexical/rank.h"

void question_read(struct call *c, const struct view *view, const struct value_index *values, const char *text,
                   int64_t now_us, const struct weights *w, struct question *out)
{
    link_question(c, view, values, text, now_us, &out->linked);
    link_explained(&out->linked, w);
    graph_build(c, &out->linked, &out->graph);
    context_read(c, &out->linked, &out->graph, &out->context);
}

void candidates_open(struct call *c, const struct weights *w, struct question *q, struct candidates *out)
{
    const struct context *x = &q->context;
    struct scores *scores = call_alloc(c, sizeof *scores);
    struct reading *readings = call_array(c, READINGS_MAX, sizeof *readings);
    score_question(c, w, x, &q->linked, scores);
    size_t n = assemble(c, w, x, scores, readings);
    *out = (struct candidates){ .context = x, .scores = scores, .weights = w, .readings = readings, .count = n };
    out->evidence = call_array(c, n + 1, sizeof *out->evidence);
    out->dense = call_array(c, n + 1, sizeof *out->dense);
    rank_dense(out);
}

void candidates_rank(struct call *c, struct candidates *k)
{
    struct features *f = call_alloc(c, sizeof *f);
    k->sparse = call_array(c, k->count + 1, sizeof *k->sparse);
    for (size_t i = 0; i < k->count; i++) {
        rank_sparse(k, i, f);
        model_sums(&k->weights->models[MODEL_RANKER], f, &k->sparse[i]);
    }
    rank_order(c, k, false);
}
