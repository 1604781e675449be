#include "ask/run.h"

#include <string.h>

struct started {
    const char *trace_id, *conversation_id, *question;
};
static const struct field started_fields[] = {
    FIELD(struct started, trace_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct started, conversation_id, K_STR),
    FIELD(struct started, question, K_STR, .flags = F_REQUIRED),
    { 0 },
};
static const struct type started_type = TYPE(struct started, "RunStarted", started_fields);

struct stepped {
    const char *trace_id, *step;
};
static const struct field stepped_fields[] = {
    FIELD(struct stepped, trace_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct stepped, step, K_STR, .flags = F_REQUIRED),
    { 0 },
};
static const struct type stepped_type = TYPE(struct stepped, "RunStep", stepped_fields);

/* Times the step and tells it to whoever listens. */
static int enter(struct run *r, const char *step)
{
    struct stepped s = { r->call->trace_id, step };
    call_step(r->call, step);
    int rc = call_check(r->call);
    return rc ? rc : call_emit(r->call, "run.step", &stepped_type, &s);
}

/* The sequence. *node is the step that ended it. */
static int walk(struct run *r, const char **node)
{
    int rc;
    if ((rc = enter(r, *node = "admit")) || (rc = ask_admit(r))) return rc;
    if ((rc = enter(r, *node = "route")) || (rc = ask_route(r))) return rc;
    if ((rc = enter(r, *node = "plan")) || (rc = ask_plan(r)) || r->done) return rc;
    if ((rc = enter(r, *node = "check")) || (rc = ask_check(r)) || r->done) return rc;
    if ((rc = enter(r, *node = "execute")) || (rc = ask_execute(r))) return rc;
    if ((rc = enter(r, *node = "record")) || (rc = ask_record(r))) return rc;
    if ((rc = enter(r, *node = "answer")) || (rc = ask_answer(r))) return rc;
    if ((rc = enter(r, *node = "chart")) || (rc = ask_chart(r))) return rc;
    r->out->status = RUN_SUCCESS;
    return OK;
}

static int valid_request(struct call *c, const struct ask_request *q)
{
    if (!q->question || strspn(q->question, " \t\r\n") == strlen(q->question))
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/question", "'question' must be a text that is not empty.");
    if (strlen(q->question) > QUESTION_BYTES)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/question", "'question' is %zu bytes long; the most is %d.",
                            strlen(q->question), QUESTION_BYTES);
    if (!q->planner || !strcmp(q->planner, "auto")) return OK;
    struct buf names;
    buf_init(&names, c, 4096);
    buf_str(&names, "auto");
    for (size_t i = 0; planners[i]; i++) {
        if (!strcmp(planners[i]->name, q->planner)) return OK;
        buf_format(&names, ", %s", planners[i]->name);
    }
    return call_fail_at(c, ERR_VALIDATION_ERROR, "/planner", "There is no planner '%s' here; use one of %s.",
                        q->planner, names.data);
}

int ask_question(struct call *c, const struct world *w, struct db *store, const struct ask_request *r,
                 struct answer *out)
{
    struct run run = { .call = c, .world = w, .store = store, .request = r, .out = out };
    struct started started = { c->trace_id, r->conversation_id, r->question };
    const char *node = NULL;
    int rc = valid_request(c, r);
    if (rc) return rc;
    out->trace_id = c->trace_id;
    out->conversation_id = r->conversation_id;
    out->status = RUN_ERROR;
    c->audit.question = r->question;
    rc = call_emit(c, "run.started", &started_type, &started);
    if (!rc) rc = walk(&run, &node);
    if (run.recording) recorder_end(&run.rows);
    if (rc) ask_failed(&run, node);
    call_step(c, NULL);
    return OK;
}
