/* The offline planner: link the question to the view, score, assemble readings, look at what the best ones give, rank,
 * and decide: answer, ask back one closed question, or say what is missing. Steps are counted, never timed, so the same
 * question over the same data gives the same answer. */
#include "planners/planner.h"

#include "base/clock.h"
#include "base/embed.h"
#include "planners/lexical/choice.h"
#include "planners/lexical/dense.h"
#include "planners/lexical/explain.h"
#include "planners/lexical/faults.h"
#include "planners/lexical/intent.h"
#include "planners/lexical/options.h"
#include "planners/lexical/rank.h"
#include "planners/lexical/texts.h"
#include "planners/lexical/turn.h"
#include "sql/dialects/dialect.h"

#include <math.h>
#include <string.h>

#define QUESTION_BYTES_MAX 2000
#define PROBE_STEPS        80000 /* of the engine, for one reading */
#define PROBE_STEPS_ALL    150000
#define GRAMMAR_HOLDS      2.0f /* a reading's grammar: it holds to all that was said of time */
#define GRAMMAR_SURER      0.3f /* of what is missing to certainty */
#define OPTIONS_MAX        3
#define OPTION_LEAST       0.02 /* a third one has to be that likely */
#define CANDIDATES_MAX     10
#define TURN_LEAST         0.1f /* probability of a turned reading, or else there is no turn */
#define NEAREST_MAX        3

struct planning {
    struct call *call;
    const struct planner_env *env;
    struct proposal *out;
    struct weights weights;
    struct question *question; /* the plain one, where readings are turned */
    struct candidates k;
    struct query **plans;        /* beside readings, made when needed */
    int offered[CANDIDATES_MAX]; /* beside the candidates: their readings */
};

static int open_question(struct planning *p, const char *question)
{
    const struct value_index *values =
        p->env->evidence == EVIDENCE_OFF || !p->env->datasource ? NULL : p->env->datasource->values;
    const struct embedded *file = embedded_find("engine/planners/lexical/weights.bin");
    if (!file) return call_fail(p->call, ERR_INTERNAL_ERROR, "The planner's weights are missing.");
    int rc = weights_open(p->call, file->begin, (size_t)(file->end - file->begin), &p->weights);
    if (!rc) question_read(p->call, p->env->view, values, question, clock_utc_us(), &p->weights, p->question);
    return rc;
}

static struct query *plan_of(struct planning *p, int i)
{
    if (!p->plans[i]) p->plans[i] = reading_plan(p->call, &p->question->linked, &p->k.readings[i]);
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

/* A likelier one becomes the same: what it showed holds for both. */
static bool tried_before(struct planning *p, size_t n)
{
    const struct reading *r = &p->k.readings[p->k.order[n]];
    for (size_t i = 0; i < n && r->turned; i++) {
        const int other = p->k.order[i];
        if (!p->k.readings[other].turned || p->k.readings[other].family != r->family) continue;
        p->k.evidence[p->k.order[n]] = p->k.evidence[other];
        return true;
    }
    return false;
}

/* Those that no probe has shown to run, until as many are good as can be offered. */
static int check_candidates(struct planning *p, bool executed)
{
    size_t good = 0;
    for (size_t n = 0, looked = 0; n < p->k.count && looked < 3 * RANK_PROBED && good < CANDIDATES_MAX; n++) {
        int i = p->k.order[n];
        bool ok = p->k.evidence[i].ok;
        if (p->k.readings[i].unturned || tried_before(p, n)) continue;
        looked++;
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
    for (size_t n = 0, run = 0; rank_probed(&p->k, n, run) && left > 0; n++) {
        int i = p->k.order[n];
        struct probe_result r = { 0 };
        if (tried_before(p, n)) continue;
        run++;
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

static bool differ(const struct planning *p, int a, int b)
{
    return p->k.readings[a].family != p->k.readings[b].family;
}

/* The best reading of each different result, best first. */
static void fill_candidates(struct planning *p, bool executed)
{
    int seen[CANDIDATES_MAX];
    size_t count = 0;
    float v[DENSE_MAX], first = 0;
    uint32_t numbers = rank_sure(&p->k, v);
    enum way way = rank_way(&p->k, executed);
    float sure =
        curve_at(&p->weights.confidence[way], rank_logistic(p->weights.sure[way], p->weights.sure_count, v, numbers));
    /* Experience hardly knows times; where grammar holds the best reading to all that was said of time, it is surer. */
    if (p->k.count && p->k.readings[p->k.order[0]].grammar >= GRAMMAR_HOLDS) sure += GRAMMAR_SURER * (1.0f - sure);
    for (size_t n = 0; n < p->k.count && count < CANDIDATES_MAX; n++) {
        int i = p->k.order[n];
        const struct trial *e = &p->k.evidence[i];
        bool old = (e->tried && !e->ok) || p->k.readings[i].unturned;
        for (size_t s = 0; s < count; s++) /* that both find nothing makes them no less different */
            old |= seen[s] == p->k.cluster[i] && (!e->tried || e->rows || !differ(p, i, p->offered[s]));
        if (old || !p->plans[i]) continue;
        p->offered[count] = i;
        seen[count++] = p->k.cluster[i];
        struct candidate *out = list_push(p->call, &p->out->candidates, sizeof *out);
        out->plan = plan_of(p, i);
        /* The first is as sure as experience says; the others share the rest by their probabilities. */
        if (count == 1) first = p->k.probability[i];
        float rest = 1.0f - first > 1e-6f ? p->k.probability[i] / (1.0f - first) : 0;
        out->confidence = count == 1 ? (double)sure : (double)((1.0f - sure) * rest);
        out->reading = reading_words(p->call, &p->question->linked, &p->k.readings[i]);
        reading_explain(&p->question->linked, &p->k.readings[i], p->env->datasource && p->env->datasource->values, out);
    }
}

/* The words that are to blame, as they were written: those that nothing explains, without words that say what to do; if
 * there are none, those that are only taken for something. */
static void fill_missing(struct planning *p)
{
    const struct linked *l = &p->question->linked;
    for (int pass = 0; pass < 2 && !p->out->missing.count; pass++)
        for (size_t i = 0; i < l->words.count; i++) {
            const struct word *x = &l->words.items[i];
            bool plain = x->flags & (WORD_STOP | WORD_MARK | WORD_NUMBER | WORD_QUOTED) ||
                         p->question->context.cues[i] || word_is_idle(l, i);
            bool blamed = pass ? l->weights[i] < WEIGHT_SURE && l->doubts[i] >= DOUBT_SURE : !l->weights[i];
            for (size_t k = 0; k < p->out->missing.count; k++)
                blamed &= strcmp(LIST_AT(&p->out->missing, const char *, k), x->text) != 0;
            if (!plain && blamed) *(const char **)list_push(p->call, &p->out->missing, sizeof(const char *)) = x->text;
        }
}

/* Something of the question is surely a name or a value here. */
static bool is_near(const struct linked *l)
{
    for (size_t i = 0; i < l->words.count; i++)
        if (l->weights[i] >= WEIGHT_SURE && l->roles[i] && l->roles[i] != 'n') return true;
    return false;
}

/* Of readings that only show the same otherwise, the one with names is offered before the one with ids. */
static void prefer_names(struct planning *p)
{
    struct candidate *k = p->out->candidates.items;
    const int best = p->offered[0];
    if (p->k.dense[best][D_ID_UNSAID] + p->k.dense[best][D_GROUP_ID_UNSAID] <= 0) return;
    for (size_t i = 1; i < p->out->candidates.count; i++) {
        const int other = p->offered[i];
        bool same = p->k.readings[other].family == p->k.readings[best].family;
        if (!same || p->k.dense[other][D_ID_UNSAID] >= p->k.dense[best][D_ID_UNSAID]) continue;
        const struct candidate first = k[i];
        const double surest = k[0].confidence;
        k[i] = k[0];
        k[i].confidence = first.confidence;
        k[0] = first;
        k[0].confidence = surest;
        p->offered[0] = other;
        p->offered[i] = best;
        return;
    }
}

/* The best reading has a variant with another result: the question leaves it open, however sure its words are. */
static bool is_open(const struct planning *p)
{
    const int best = p->offered[0];
    const struct reading *r = &p->k.readings[best];
    if (p->k.readings[p->k.order[0]].unturned || (r->turned && r->turned->turn->doubted)) return true;
    for (size_t i = 0; i < p->k.count && r->turned; i++) {
        const struct reading *other = &p->k.readings[i];
        if (other->turned && other->turned->plain == r->turned->plain && p->k.cluster[i] != p->k.cluster[best])
            return true;
    }
    return false;
}

static enum verdict verdict_of(const struct planning *p, enum way way)
{
    const struct standing standing = {
        .way = way,
        .fit = (float)p->out->fit,
        .confidence = (float)LIST_AT(&p->out->candidates, struct candidate, 0).confidence,
        .family = rank_family(&p->k),
        .held = rank_held(&p->k.readings[p->offered[0]]) || rank_unproved(&p->k) || is_open(p)
    };
    return rank_verdict(&p->weights, &standing);
}

/* Columns that mean something near to a word that is missing: "the amount of payments or the cost of products". */
static const char *near_columns(const struct planning *p)
{
    const struct linked *l = &p->question->linked;
    int best[NEAREST_MAX], n = 0;
    for (size_t i = 0; i < l->real_columns; i++) {
        const struct lex_column *col = &l->columns[i];
        if (!col->mention_count || col->mentions[0].kind != MENTION_SYNONYM || col->key || col->foreign) continue;
        bool blamed = false;
        for (size_t k = 0; k < p->out->missing.count; k++)
            blamed |= LIST_AT(&p->out->missing, const char *, k) == l->words.items[col->mentions[0].first].text;
        if (!blamed) continue;
        int at = n < NEAREST_MAX ? n++ : NEAREST_MAX;
        for (; at > 0 && l->columns[best[at - 1]].mentions[0].score < col->mentions[0].score; at--)
            if (at < NEAREST_MAX) best[at] = best[at - 1];
        if (at < NEAREST_MAX) best[at] = (int)i;
    }
    struct buf b;
    buf_init(&b, p->call, 4096);
    for (int i = 0; i < n; i++) {
        const struct core core = { .tables = { (int)l->columns[best[i]].table }, .table_count = 1 };
        const struct term t = { .column = best[i] };
        buf_format(&b, "%s%s", !i ? "" : i + 1 < n ? ", " : " or ", term_words(p->call, l, &core, &t));
    }
    return b.len ? b.data : NULL;
}

/* The word to be told that the best reading leaves, or else one that is missed and none of the offered uses; NULL =
 * none. */
static const char *left_word(const struct planning *p)
{
    const struct linked *l = &p->question->linked;
    const int leaves = p->k.readings[p->offered[0]].leaves;
    if (leaves >= 0 && !word_is_unit(l, (size_t)leaves)) return l->words.items[leaves].text;
    struct covered used = { 0 };
    for (size_t i = 0; i < p->out->option_count; i++) {
        const struct reading *r = &p->k.readings[p->offered[i]];
        cover_core(l, &r->left, &used);
        if (r->set) cover_core(l, &r->right, &used);
    }
    for (size_t i = 0; i < l->words.count; i++)
        for (size_t k = 0; k < p->out->missing.count && !used.words[i] && l->doubts[i] >= DOUBT_SURE; k++)
            if (LIST_AT(&p->out->missing, const char *, k) == l->words.items[i].text) return l->words.items[i].text;
    return NULL;
}

static const char *question_back(const struct planning *p)
{
    const struct proposal *out = p->out;
    const char *text = NULL, *aside = left_word(p);
    if (out->option_count == 1) text = "Is this what you mean?";
    if (out->option_count > 1)
        text = choice_question(p->call, &p->question->linked, p->k.readings, p->offered, out->option_count);
    if (!text) text = "Which of these do you mean?";
    return aside ? call_format(p->call, "Nothing in the data here explains '%s'. Leaving that aside: %s", aside, text)
                 : text;
}

/* Readings that say the same to people are offered once. */
static void drop_equal(struct proposal *out, int *offered)
{
    struct candidate *k = out->candidates.items;
    size_t kept = 0;
    for (size_t i = 0; i < out->candidates.count; i++) {
        bool old = false;
        for (size_t n = 0; n < kept; n++) old |= !strcmp(k[n].reading, k[i].reading);
        if (old) continue;
        offered[kept] = offered[i];
        k[kept++] = k[i];
    }
    out->candidates.count = kept;
}

/* Everything that is found holds an age against what is none. */
static bool only_ages(const struct planning *p)
{
    for (size_t i = 0; i < p->out->candidates.count; i++)
        if (!faults_ages(&p->question->linked, &p->k.readings[p->offered[i]].left)) return false;
    return true;
}

static void decide(struct planning *p, bool executed)
{
    struct proposal *out = p->out;
    fill_missing(p);
    drop_equal(out, p->offered);
    const struct candidate *best = out->candidates.count ? out->candidates.items : NULL;
    out->nearest = best && is_near(&p->question->linked) ? best->reading : near_columns(p);
    const enum way way = rank_way(&p->k, executed);
    if (best) out->verdict = verdict_of(p, way);
    if (best && only_ages(p)) {
        out->verdict = VERDICT_CANNOT;
        out->why = "No column here tells how old anybody or anything is.";
    }
    if (out->verdict == VERDICT_CANNOT) return;
    if (out->verdict == VERDICT_ANSWER) {
        if (best->confidence < (double)p->weights.answer_at[way]) prefer_names(p);
        return;
    }
    const struct offer offer = { &p->k, out->candidates.items, p->offered, out->candidates.count };
    const size_t most = options_order(&offer);
    while (out->option_count < OPTIONS_MAX && out->option_count < most &&
           (out->option_count < 2 || out->option_count < p->question->linked.trade_columns ||
            best[out->option_count].confidence >= OPTION_LEAST))
        out->option_count++;
    out->question = question_back(p);
}

/* The readings in order. Where those that a turn allows are all unlikely, what was meant cannot be turned, and the
 * question is read as it stands. */
static void read_candidates(struct planning *p)
{
    candidates_open(p->call, &p->weights, p->question, &p->k);
    candidates_rank(p->call, &p->k);
    if (p->k.context == &p->question->context) return;
    for (size_t n = 0; n < p->k.count; n++) {
        if (p->k.readings[p->k.order[n]].unturned) continue;
        if (p->k.probability[p->k.order[n]] < TURN_LEAST) break;
        p->question = p->question->turned;
        return;
    }
    p->question->turned = NULL;
    candidates_open(p->call, &p->weights, p->question, &p->k);
    candidates_rank(p->call, &p->k);
}

static int lexical_plan(struct call *c, const struct planner_env *env, const char *question, struct proposal *out)
{
    struct planning *p = call_alloc(c, sizeof *p);
    *p = (struct planning){ .call = c, .env = env, .out = out };
    p->question = call_alloc(c, sizeof *p->question);
    *out = (struct proposal){ .verdict = VERDICT_CANNOT };
    if (strlen(question) > QUESTION_BYTES_MAX) out->why = "The question is too long to be read as one.";
    if (!env->view->table_count || out->why) return OK;
    int rc = open_question(p, question);
    if (rc) return rc;
    if ((out->why = text_no_question(c, &p->question->linked))) return OK;
    read_candidates(p);
    p->plans = call_array(c, p->k.count + 1, sizeof *p->plans);
    struct fit *fit = call_alloc(c, sizeof *fit);
    fit_read(&p->k, fit);
    out->fit = (double)fit_of(&p->weights, fit);
    bool executed = env->evidence == EVIDENCE_EXECUTE && env->probe;
    rc = executed ? probe_candidates(p) : check_candidates(p, false);
    if (rc) return rc;
    fill_candidates(p, executed);
    decide(p, executed);
    return call_check(c);
}

const struct planner planner_lexical = { "lexical", lexical_plan };
