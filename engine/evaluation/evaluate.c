#include "evaluation/evaluate.h"

#include "ask/run.h"
#include "base/clock.h"

#include <string.h>

#define READINGS 3

static const struct field reading_fields[] = {
    FIELD(struct evaluated_reading, sql, K_STR, .flags = F_REQUIRED, .doc = "What the engine would run."),
    FIELD(struct evaluated_reading, reading, K_STR, .doc = "The plan in words."),
    FIELD(struct evaluated_reading, confidence, K_NUMBER, .flags = F_REQUIRED, .doc = "Calibrated, 0 to 1."),
    { 0 },
};
const struct type evaluated_reading_type = TYPE(struct evaluated_reading, "EvaluatedReading", reading_fields);

static const struct field evaluated_fields[] = {
    FIELD(struct evaluated, verdict, K_STR, .flags = F_REQUIRED, .doc = "answer, clarify or cannot."),
    FIELD(struct evaluated, fit, K_NUMBER, .flags = F_REQUIRED,
          .doc = "Does anything fit the question at all, 0 to 1."),
    FIELD(struct evaluated, readings, K_LIST, .flags = F_REQUIRED, .of = &evaluated_reading_type, .doc = "Best first."),
    FIELD(struct evaluated, rejected, K_STR, .doc = "Why the guard refused the best reading."),
    FIELD(struct evaluated, missing, K_STR, .doc = "Of a refusal: what is missing."),
    FIELD(struct evaluated, us, K_INT, .flags = F_REQUIRED, .doc = "Microseconds of planning."),
    { 0 },
};
const struct type evaluated_type = TYPE(struct evaluated, "Evaluated", evaluated_fields);

static int propose(struct call *c, const struct planner_env *env, const char *question, const char *planner,
                   struct proposal *best)
{
    bool any = false, automatic = !planner || !strcmp(planner, "auto");
    for (size_t i = 0; planners[i]; i++) {
        if (!automatic && strcmp(planners[i]->name, planner) != 0) continue;
        struct proposal p = { .verdict = VERDICT_CANNOT };
        int rc = planners[i]->plan(c, env, question, &p);
        if (rc) return rc;
        if (!any || p.verdict < best->verdict) *best = p;
        any = true;
    }
    return any ? OK : call_fail_at(c, ERR_VALIDATION_ERROR, "/planner", "There is no planner '%s'.", planner);
}

static int evidence_of(struct call *c, const struct datasource *ds, const char *name, enum evidence *out)
{
    *out = EVIDENCE_EXECUTE;
    if (!name) {
        if (ds->config->options.evidence != EVIDENCE_AUTO) *out = (enum evidence)ds->config->options.evidence;
        return OK;
    }
    for (int i = 0; i < EVIDENCE_AUTO; i++)
        if (!strcmp(name, evidence_names[i])) {
            *out = (enum evidence)i;
            return OK;
        }
    return call_fail_at(c, ERR_VALIDATION_ERROR, "/evidence", "Evidence is off, values or execute, found '%s'.", name);
}

static void keep(struct call *c, const struct planner_env *env, const struct candidate *k, bool first,
                 struct evaluated *out)
{
    struct guarded *g;
    if (guard_prepare(c, env->datasource, env->view, k->plan, ORIGIN_PLANNER, 0, &g)) {
        if (first) out->rejected = c->err.message;
        call_forgive(c);
        return;
    }
    *(struct evaluated_reading *)list_push(c, &out->readings, sizeof(struct evaluated_reading)) =
        (struct evaluated_reading){ .sql = g->statement->sql, .reading = k->reading, .confidence = k->confidence };
}

int evaluate_question(struct call *c, const struct world *w, const char *datasource_id, const char *question,
                      const char *planner, const char *evidence, struct evaluated *out)
{
    static const char *const verdicts[] = { "answer", "clarify", "cannot" };
    const struct datasource *ds = registry_get(w->registry, c, datasource_id);
    if (!ds || !ds->snapshot) return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", datasource_id);
    struct planner_env env = { .datasource = ds, .probe = ask_probe };
    int rc = policy_view(c, w->policies, &c->who, ds->snapshot, &env.view);
    if (!rc) rc = evidence_of(c, ds, evidence, &env.evidence);
    if (rc) return rc;
    struct proposal p = { .verdict = VERDICT_CANNOT };
    int64_t started = clock_mono_us();
    if ((rc = propose(c, &env, question, planner, &p))) return rc;
    out->us = clock_mono_us() - started;
    out->verdict = verdicts[p.verdict];
    out->fit = p.fit;
    if (p.verdict == VERDICT_CANNOT) out->missing = ask_missing(c, &p);
    for (size_t i = 0; i < p.candidates.count && i < READINGS; i++)
        keep(c, &env, &LIST_AT(&p.candidates, struct candidate, i), i == 0, out);
    return OK;
}
