/* The offline planner: link the question to the view, score, assemble readings, look at what the best ones give, rank,
 * and decide: answer, ask back one closed question, or say what is missing. Steps are counted, never timed, so the same
 * question over the same data gives the same answer. */
#include "planners/planner.h"

#include "base/clock.h"
#include "base/embed.h"
#include "planners/lexical/rank.h"
#include "sql/dialects/dialect.h"

#include <math.h>
#include <string.h>

#define QUESTION_BYTES_MAX 2000
#define PROBE_STEPS        80000 /* of the engine, for one reading */
#define PROBE_STEPS_ALL    200000
#define GRAMMAR_HOLDS      2.0f
#define OPTIONS_MAX        3
#define CANDIDATES_MAX     10

struct planning {
    struct call *call;
    const struct planner_env *env;
    struct proposal *out;
    struct linked linked;
    struct graph graph;
    struct context context;
    struct weights weights;
    struct scores scores;
    struct candidates k;
    struct query **plans; /* beside readings, made when needed */
};

static void missing(struct planning *p, const char *word)
{
    *(const char **)list_push(p->call, &p->out->missing, sizeof(const char *)) = word;
}

/* A statement pasted in place of a question is not one. */
static bool looks_like_sql(const struct words *q)
{
    static const char *const verbs[] = { "select", "insert", "update",   "delete", "drop",   "alter",  "create",
                                         "with",   "pragma", "truncate", "grant",  "attach", "explain" };
    static const char *const partners[] = { "from", "into", "set", "table", "where", "database", "join", "values" };
    if (q->count < 2) return false;
    bool verb = false, partner = false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) verb |= strcmp(q->items[0].fold, verbs[i]) == 0;
    for (size_t k = 1; k < q->count; k++)
        for (size_t i = 0; i < sizeof partners / sizeof *partners; i++)
            partner |= strcmp(q->items[k].fold, partners[i]) == 0;
    bool marks = strchr(q->text, '*') || strchr(q->text, ';') || strchr(q->text, '=');
    return verb && partner && (marks || q->items[0].text[1] == 'E');
}

/* A wish to change something: there is nothing to answer, and what it names must not be shown in its stead. */
static bool wants_change(const struct words *q)
{
    static const char *const verbs[] = { "delete", "drop",   "insert", "update", "remove", "truncate", "alter", "erase",
                                         "purge",  "rename", "grant",  "revoke", "modify", "destroy",  "wipe" };
    size_t first = 0;
    while (first < q->count &&
           (q->items[first].flags & (WORD_MARK | WORD_STOP) || !strcmp(q->items[first].fold, "please")))
        first++;
    for (size_t i = 0; first < q->count && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(q->items[first].fold, verbs[i]) == 0) return true;
    return false;
}

/* Why the text cannot be a question, as a sentence; NULL = it may be one. */
static const char *no_question(const struct linked *l)
{
    if (l->words.truncated) return "The question is too long to be read as one.";
    if (looks_like_sql(&l->words)) return "This is a statement in SQL, not a question.";
    if (wants_change(&l->words)) return "Data can be asked about here, never changed.";
    return l->content_count ? NULL : "The question names nothing to look for.";
}

static int read_question(struct planning *p, const char *question)
{
    const struct value_index *values =
        p->env->evidence == EVIDENCE_OFF || !p->env->datasource ? NULL : p->env->datasource->values;
    link_question(p->call, p->env->view, values, question, clock_utc_us(), &p->linked);
    graph_build(p->call, &p->linked, &p->graph);
    context_read(p->call, &p->linked, &p->graph, &p->context);
    const struct embedded *file = embedded_find("engine/planners/lexical/weights.bin");
    if (!file) return call_fail(p->call, ERR_INTERNAL_ERROR, "The planner's weights are missing.");
    return weights_open(p->call, file->begin, (size_t)(file->end - file->begin), &p->weights);
}

static void make_candidates(struct planning *p)
{
    struct call *c = p->call;
    score_question(c, &p->weights, &p->context, &p->linked, &p->scores);
    struct reading *readings = call_array(c, READINGS_MAX, sizeof *readings);
    size_t n = assemble(c, &p->weights, &p->context, &p->scores, readings);
    p->plans = call_array(c, n + 1, sizeof *p->plans);
    p->k = (struct candidates){
        .context = &p->context, .scores = &p->scores, .weights = &p->weights, .readings = readings, .count = n
    };
    p->k.evidence = call_array(c, n + 1, sizeof *p->k.evidence);
    p->k.dense = call_array(c, n + 1, sizeof *p->k.dense);
    p->k.sparse = call_array(c, n + 1, sizeof *p->k.sparse);
    rank_dense(&p->k);
    struct features *f = call_alloc(c, sizeof *f);
    for (size_t i = 0; i < n; i++) {
        rank_sparse(&p->k, i, f);
        model_sums(&p->weights.models[MODEL_RANKER], f, &p->k.sparse[i]);
    }
    rank_order(c, &p->k, false);
}

static struct query *plan_of(struct planning *p, int i)
{
    if (!p->plans[i]) p->plans[i] = reading_plan(p->call, &p->linked, &p->k.readings[i]);
    return p->plans[i];
}

static uint64_t hash_of(const char *hex)
{
    uint64_t h = 14695981039346656037u;
    for (; hex && *hex; hex++) h = (h ^ (unsigned char)*hex) * 1099511628211u;
    return h;
}

/* A plan that the check refuses is none. */
static int check_candidate(struct planning *p, int i, bool *good)
{
    struct check_result found = { 0 };
    const struct dialect *dialect = p->env->view->snapshot ? dialect_find(p->env->view->snapshot->dialect) : NULL;
    if (!dialect) return call_fail(p->call, ERR_NOT_INDEXED, "%s", code_row(ERR_NOT_INDEXED)->text);
    int rc = plan_check(p->call, p->env->view, &dialect->support, ORIGIN_PLANNER, plan_of(p, i), &found);
    *good = !rc;
    if (!rc || rc == ERR_CANCELLED || rc == ERR_PIPELINE_TIMEOUT) return rc;
    call_forgive(p->call);
    p->k.evidence[i] = (struct trial){ .tried = true, .ok = false };
    return OK;
}

/* Those that no probe has shown to run, until as many are good as can be offered. */
static int check_candidates(struct planning *p, bool executed)
{
    size_t good = 0;
    for (size_t n = 0; n < p->k.count && n < 3 * RANK_PROBED && good < CANDIDATES_MAX; n++) {
        int i = p->k.order[n];
        bool ok = p->k.evidence[i].ok;
        int rc = p->k.evidence[i].tried ? OK : check_candidate(p, i, &ok);
        if (rc) return rc;
        good += ok;
    }
    rank_order(p->call, &p->k, executed);
    return OK;
}

/* Runs the most likely readings and ranks again with what came back. */
static int probe_candidates(struct planning *p)
{
    int64_t left = PROBE_STEPS_ALL;
    for (size_t n = 0; rank_probed(&p->k, n) && left > 0; n++) {
        int i = p->k.order[n];
        struct probe_result r = { 0 };
        int64_t budget = left < PROBE_STEPS ? left : PROBE_STEPS;
        int rc = p->env->probe(p->call, p->env, plan_of(p, i), budget, &r);
        if (rc) return rc;
        left -= r.steps;
        if (!r.ok && r.steps >= budget) continue; /* too much to look at: it says nothing against the reading */
        p->k.evidence[i] = (struct trial){ .tried = true,
                                           .ok = r.ok,
                                           .rows = r.rows,
                                           .duplicates = r.duplicates,
                                           .empty_cells = r.empty_cells,
                                           .hash = hash_of(r.hash) };
    }
    rank_evidence(&p->k);
    rank_order(p->call, &p->k, true);
    return check_candidates(p, true);
}

static void reason(struct planning *p, struct candidate *out, const char *text)
{
    *(const char **)list_push(p->call, &out->reasons, sizeof(const char *)) = text;
}

static const char *said(const struct planning *p, size_t first, size_t end)
{
    const struct words *q = &p->linked.words;
    return call_strndup(p->call, q->text + q->items[first].begin, q->items[end - 1].end - q->items[first].begin);
}

static void explain_core(struct planning *p, struct candidate *out, const struct core *core);

/* What was said as a name or in quotes, and the index does not have it: the column is a guess, and so is that any row
 * has it. */
static bool is_unknown(const struct span *s, size_t column)
{
    if (s->kind != SPAN_QUOTE && s->kind != SPAN_CAPITAL) return false;
    for (size_t i = 0; i < s->column_count; i++)
        if (s->columns[i].column == column) return s->columns[i].match == MATCH_TRIGRAM;
    return false;
}

static void explain_cond(struct planning *p, struct candidate *out, const struct cond *w)
{
    if (w->sub) explain_core(p, out, w->sub);
    if (w->span < 0 || w->left.column < 0) return;
    const struct span *s = &p->linked.spans[w->span];
    const struct lex_column *col = &p->linked.columns[w->left.column];
    const char *table = p->linked.tables[col->table].table->name;
    if (w->op == COND_RANGE)
        reason(p, out,
               call_format(p->call, "'%s' is read as a time of %s.%s", said(p, s->first, s->end), table,
                           col->column->name));
    else if (s->kind == SPAN_NUMBER)
        reason(
            p, out,
            call_format(p->call, "'%s' is compared with %s.%s", said(p, s->first, s->end), table, col->column->name));
    else
        reason(p, out,
               call_format(p->call, "'%s' is read as a value of %s.%s", said(p, s->first, s->end), table,
                           col->column->name));
    if (!out->doubt && p->env->datasource && p->env->datasource->values && is_unknown(s, (size_t)w->left.column))
        out->doubt = call_format(p->call, "No '%s' is known among the values of %s.%s.", said(p, s->first, s->end),
                                 table, col->column->name);
}

static void explain_column(struct planning *p, struct candidate *out, int column)
{
    if (column < 0) return;
    const struct lex_column *col = &p->linked.columns[column];
    const char *table = p->linked.tables[col->table].table->name;
    if (col->mention_count && col->mentions[0].kind <= MENTION_PART)
        reason(p, out,
               call_format(p->call, "'%s' is read as %s.%s", said(p, col->mentions[0].first, col->mentions[0].end),
                           table, col->column->name));
    else
        reason(p, out,
               call_format(p->call, "%s.%s is assumed: the question does not name it", table, col->column->name));
}

static void explain_core(struct planning *p, struct candidate *out, const struct core *core)
{
    for (int i = 0; i < core->item_count; i++) explain_column(p, out, core->items[i].column);
    for (int i = 0; i < core->where_count; i++) explain_cond(p, out, &core->where[i]);
    for (int i = 1; i < core->table_count; i++) {
        const struct edge *e = core->edges[i - 1];
        reason(p, out,
               call_format(p->call, "%s and %s meet along %s.%s", p->linked.tables[e->owner].table->name,
                           p->linked.tables[e->other].table->name, p->linked.tables[e->owner].table->name,
                           e->key->columns[0]));
    }
}

/* The best reading of each different result, best first. */
static void fill_candidates(struct planning *p, bool executed)
{
    int seen[CANDIDATES_MAX];
    size_t count = 0;
    float v[DENSE_MAX], first = 0;
    uint32_t numbers = rank_sure(&p->k, v);
    float sure = curve_at(&p->weights.confidence[executed],
                          rank_logistic(p->weights.sure[executed], p->weights.sure_count, v, numbers));
    /* Experience hardly knows times; where grammar holds the best reading to all that was said of time, it is surer. */
    if (p->k.count && p->k.readings[p->k.order[0]].grammar >= GRAMMAR_HOLDS) sure += 0.3f * (1.0f - sure);
    for (size_t n = 0; n < p->k.count && count < CANDIDATES_MAX; n++) {
        int i = p->k.order[n];
        const struct trial *e = &p->k.evidence[i];
        bool old = e->tried && !e->ok;
        for (size_t s = 0; s < count; s++) old |= seen[s] == p->k.cluster[i];
        if (old || !p->plans[i]) continue;
        seen[count++] = p->k.cluster[i];
        struct candidate *out = list_push(p->call, &p->out->candidates, sizeof *out);
        out->plan = plan_of(p, i);
        /* The first is as sure as experience says; the others share the rest by their probabilities. */
        if (count == 1) first = p->k.probability[i];
        float rest = 1.0f - first > 1e-6f ? p->k.probability[i] / (1.0f - first) : 0;
        out->confidence = count == 1 ? (double)sure : (double)((1.0f - sure) * rest);
        out->reading = reading_words(p->call, &p->linked, &p->k.readings[i]);
        explain_core(p, out, &p->k.readings[i].left);
        if (p->k.readings[i].set) explain_core(p, out, &p->k.readings[i].right);
    }
}

static double fit_of(const struct planning *p)
{
    float v[DENSE_MAX];
    uint32_t n = rank_fit(&p->k, v);
    return p->k.count ? (double)rank_logistic(p->weights.fit, p->weights.fit_count, v, n) : 0;
}

static void decide(struct planning *p, bool executed)
{
    struct proposal *out = p->out;
    for (size_t i = 0; i < p->linked.unexplained_count; i++) missing(p, p->linked.unexplained[i]);
    if (!out->candidates.count || out->fit < (double)p->weights.fit_at) return;
    const struct candidate *best = out->candidates.items;
    if (best->confidence >= (double)p->weights.answer_at[executed]) {
        out->verdict = VERDICT_ANSWER;
        return;
    }
    out->verdict = VERDICT_CLARIFY;
    out->option_count = out->candidates.count < OPTIONS_MAX ? out->candidates.count : OPTIONS_MAX;
    out->question = out->option_count == 1 ? "Is this what you mean?" : "Which of these do you mean?";
}

static int lexical_plan(struct call *c, const struct planner_env *env, const char *question, struct proposal *out)
{
    struct planning *p = call_alloc(c, sizeof *p);
    *p = (struct planning){ .call = c, .env = env, .out = out };
    *out = (struct proposal){ .verdict = VERDICT_CANNOT };
    if (strlen(question) > QUESTION_BYTES_MAX) out->why = "The question is too long to be read as one.";
    if (!env->view->table_count || out->why) return OK;
    int rc = read_question(p, question);
    if (rc) return rc;
    link_explained(&p->linked, &p->weights);
    if ((out->why = no_question(&p->linked))) return OK;
    make_candidates(p);
    out->fit = fit_of(p);
    bool executed = env->evidence == EVIDENCE_EXECUTE && env->probe;
    rc = executed ? probe_candidates(p) : check_candidates(p, false);
    if (rc) return rc;
    fill_candidates(p, executed);
    decide(p, executed);
    return call_check(c);
}

const struct planner planner_lexical = { "lexical", lexical_plan };
