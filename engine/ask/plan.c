/* plan: the planners in their order, over each datasource that routing left. */
#include "adapters/adapter.h"
#include "ask/run.h"

#include <string.h>

static bool filters_rows(const struct view *v)
{
    for (size_t i = 0; i < v->table_count; i++)
        if (v->access[i].filter) return true;
    return false;
}

/* A probe ends after so many steps of the engine, and rows that a filter hides take some: what it says would depend on
 * them. Who may not see every row is answered without. */
static enum evidence evidence_of(const struct ask_source *s)
{
    const struct datasource *ds = s->datasource;
    enum evidence chosen = (enum evidence)ds->config->options.evidence;
    const struct adapter_kind *kind = adapter_kind_find(ds->config->type);
    bool beside = kind && kind->file_member; /* a probe of a local file disturbs nobody else */
    if (chosen == EVIDENCE_AUTO) chosen = beside ? EVIDENCE_EXECUTE : EVIDENCE_VALUES;
    return chosen == EVIDENCE_EXECUTE && filters_rows(s->view) ? EVIDENCE_VALUES : chosen;
}

static bool better(const struct proposal *a, const struct proposal *b)
{
    if (a->verdict != b->verdict) return a->verdict < b->verdict;
    if (!a->candidates.count || !b->candidates.count) return a->candidates.count > 0;
    return LIST_AT(&a->candidates, struct candidate, 0).confidence >
           LIST_AT(&b->candidates, struct candidate, 0).confidence;
}

/* The first planner that answers, else the best that asks back, else what is missing. */
static int plan_over(struct run *r, const struct ask_source *s, struct proposal *best)
{
    const char *only = r->request->planner;
    struct planner_env env = {
        .datasource = s->datasource, .view = s->view, .evidence = evidence_of(s), .probe = ask_probe
    };
    bool any = false;
    if (only && !strcmp(only, "auto")) only = NULL;
    for (size_t i = 0; planners[i]; i++) {
        struct proposal p = { .verdict = VERDICT_CANNOT };
        if (only && strcmp(planners[i]->name, only) != 0) continue;
        int rc = planners[i]->plan(r->call, &env, r->request->question, &p);
        if (rc) return rc;
        if (!any || better(&p, best)) *best = p;
        any = true;
        if (p.verdict == VERDICT_ANSWER) break;
    }
    return OK;
}

static void explain(struct run *r, const struct candidate *chosen)
{
    for (size_t i = 0; i < chosen->reasons.count; i++)
        *(const char **)list_push(r->call, &r->out->explanation, sizeof(const char *)) =
            LIST_AT(&chosen->reasons, const char *, i);
}

static void keep_plan(struct run *r, const struct query *plan, const char *reading)
{
    *(struct answer_plan *)list_push(r->call, &r->out->plans, sizeof(struct answer_plan)) =
        (struct answer_plan){ .datasource_id = r->source->datasource->config->id,
                              .plan = plan,
                              .reading = reading,
                              .fingerprint = r->source->view->snapshot->fingerprint };
}

static void ask_back(struct run *r)
{
    struct call *c = r->call;
    struct proposal *p = &r->proposal;
    struct clarification *q = call_alloc(c, sizeof *q);
    size_t count = p->option_count < p->candidates.count ? p->option_count : p->candidates.count;
    q->question = p->question ? p->question : "Which of these do you mean?";
    for (size_t i = 0; i < count; i++) {
        const struct candidate *k = &LIST_AT(&p->candidates, struct candidate, i);
        struct answer_option *o = list_push(c, &q->options, sizeof *o);
        o->id = call_format(c, "%c", (char)('a' + (int)i));
        o->label = k->reading;
        keep_plan(r, k->plan, k->reading);
    }
    r->out->clarification = q;
    r->out->status = RUN_NEEDS_CLARIFICATION;
    r->done = true;
}

int ask_plan(struct run *r)
{
    const struct ask_source *sources = r->sources.items;
    if (r->request->plan) {
        r->source = &sources[0];
        r->plan = r->request->plan;
        r->reading = r->request->reading;
        r->out->confidence = 1;
        r->out->source = "generated";
        keep_plan(r, r->plan, r->reading);
        return OK;
    }
    for (size_t i = 0; i < r->sources.count; i++) {
        struct proposal p = { .verdict = VERDICT_CANNOT };
        int rc = plan_over(r, &sources[i], &p);
        if (rc) return rc;
        if (r->source && !better(&p, &r->proposal)) continue;
        r->source = &sources[i];
        r->proposal = p;
    }
    r->call->audit.datasource_id = r->source->datasource->config->id;
    if (r->proposal.verdict == VERDICT_CANNOT || !r->proposal.candidates.count) return ask_cannot(r, &r->proposal);
    const struct candidate *chosen = &LIST_AT(&r->proposal.candidates, struct candidate, 0);
    r->out->confidence = chosen->confidence;
    if (r->proposal.verdict == VERDICT_CLARIFY) {
        ask_back(r);
        return OK;
    }
    r->plan = chosen->plan;
    r->reading = chosen->reading;
    r->doubt = chosen->doubt;
    r->out->source = "generated";
    explain(r, chosen);
    keep_plan(r, r->plan, r->reading);
    return OK;
}
