/* From a question to ranked readings: the one road of the planner and of the trainer. */
#include "planners/lexical/rank.h"
#include "planners/lexical/turn.h"

static void understand(struct call *c, const struct weights *w, struct question *q)
{
    link_explained(&q->linked, w);
    graph_build(c, &q->linked, &q->graph);
    context_read(c, &q->linked, &q->graph, &q->context);
}

void question_read(struct call *c, const struct view *view, const struct value_index *values, const char *text,
                   int64_t now_us, const struct weights *w, struct question *out)
{
    *out = (struct question){ 0 };
    link_question(c, view, values, text, now_us, &out->linked);
    understand(c, w, out);
    out->turn = turn_find(&out->linked);
    if (!out->turn) return;
    out->turned = call_alloc(c, sizeof *out->turned);
    link_again(&out->linked, &out->turn->words, values, now_us, &out->turned->linked);
    understand(c, w, out->turned);
}

static size_t read_all(struct call *c, const struct weights *w, struct question *q, struct candidates *out)
{
    const struct context *x = &q->context;
    struct scores *scores = call_alloc(c, sizeof *scores);
    struct reading *readings = call_array(c, READINGS_MAX, sizeof *readings);
    score_question(c, w, x, &q->linked, scores);
    size_t n = assemble(c, w, x, scores, readings);
    *out = (struct candidates){ .context = x, .scores = scores, .weights = w, .readings = readings, .count = n };
    return n;
}

/* The readings of the plain question, turned; none when no form allows it, and then the question is read as it stands.
 */
static bool read_turned(struct call *c, const struct weights *w, struct question *q, struct candidates *out)
{
    if (!q->turned) return false;
    size_t n = read_all(c, w, q->turned, out);
    out->count = turn_readings(c, q->turn, q->turned, out->readings, n, &out->readings);
    return out->count > 0;
}

void candidates_open(struct call *c, const struct weights *w, struct question *q, struct candidates *out)
{
    if (!read_turned(c, w, q, out)) read_all(c, w, q, out);
    size_t n = out->count;
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
