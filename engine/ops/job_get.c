#include "ops/job_get.h"

#include "jobs/jobs.h"
#include "policy/policy.h"
#include "schema/drift.h"

static const struct field ref_fields[] = {
    FIELD(struct job_ref, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 63, .doc = "Id of the job."),
    { 0 },
};
const struct type job_ref_type = TYPE(struct job_ref, "JobRef", ref_fields);

static const struct field error_fields[] = {
    FIELD(struct job_error, code, K_STR, .flags = F_REQUIRED, .doc = "Stable code, for programs."),
    FIELD(struct job_error, message, K_STR, .flags = F_REQUIRED),
    { 0 },
};
static const struct type error_type = TYPE(struct job_error, "JobError", error_fields);

static const struct field fields[] = {
    FIELD(struct shown_job, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct shown_job, kind, K_STR, .flags = F_REQUIRED, .doc = "index"),
    FIELD(struct shown_job, datasource_id, K_STR, .flags = F_REQUIRED, .doc = "What it works on."),
    FIELD(struct shown_job, owner, K_STR, .flags = F_REQUIRED, .doc = "Who asked for it."),
    FIELD(struct shown_job, state, K_ENUM, .flags = F_REQUIRED, .of = job_state_names),
    FIELD(struct shown_job, stage, K_STR, .doc = "structure, statistics, keys, values, store."),
    FIELD(struct shown_job, done, K_INT, .flags = F_REQUIRED, .doc = "Tables done in this stage."),
    FIELD(struct shown_job, total, K_INT, .flags = F_REQUIRED, .doc = "Tables of this stage; 0 = not known yet."),
    FIELD(struct shown_job, percent, K_INT, .flags = F_REQUIRED, .doc = "Of the whole."),
    FIELD(struct shown_job, attempts, K_INT, .flags = F_REQUIRED,
          .doc = "How often it was begun: more than once after an interruption."),
    FIELD(struct shown_job, created_at, K_TIME, .flags = F_REQUIRED),
    FIELD(struct shown_job, started_at, K_TIME),
    FIELD(struct shown_job, finished_at, K_TIME),
    FIELD(struct shown_job, error, K_OBJECT, .of = &error_type, .doc = "Why it failed."),
    FIELD(struct shown_job, result, K_OBJECT, .of = &index_report_type, .doc = "What came of it, once it is done."),
    { 0 },
};
const struct type shown_job_type = TYPE(struct shown_job, "Job", fields);

int64_t show_changes(struct call *c, const char *datasource, struct list *changes)
{
    const struct policies *p = c->world->policies;
    bool all = policies_allow_all(p);
    size_t kept = 0, count = changes->count;
    for (size_t i = 0; i < count && !all; i++) {
        struct schema_change x = LIST_AT(changes, struct schema_change, i);
        if (!policy_knows(c, p, &c->who, datasource, x.schema, x.table, x.column)) continue;
        if (x.kind == CHANGE_KEYS) x.before = x.after = NULL;
        LIST_AT(changes, struct schema_change, kept++) = x;
    }
    if (!all) changes->count = kept;
    return (int64_t)(count - changes->count);
}

int show_job(struct call *c, const struct stored_job *job, struct shown_job *out)
{
    *out = (struct shown_job){ .id = job->id,
                               .kind = job->kind,
                               .datasource_id = job->object_id,
                               .owner = job->owner,
                               .state = job->state,
                               .stage = job->stage,
                               .done = job->done,
                               .total = job->total,
                               .percent = job->percent,
                               .attempts = job->attempts,
                               .created_at = job->created_at,
                               .started_at = job->started_at,
                               .finished_at = job->finished_at };
    if (job->error_code) {
        out->error = call_alloc(c, sizeof *out->error);
        *out->error = (struct job_error){ job->error_code, job->error_message };
    }
    if (!job->result.text) return OK;
    const struct json *j;
    out->result = call_alloc(c, sizeof *out->result);
    int rc = json_parse(c, job->result.text, job->result.n, &j);
    if (!rc) rc = json_decode(c, &index_report_type, j, out->result);
    if (!rc) out->result->change_count -= show_changes(c, job->object_id, &out->result->changes);
    return rc;
}

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct job_ref *in = vin;
    struct stored_job job = { 0 };
    int rc = jobs_show(e->jobs, c, in->id, &job);
    return rc ? rc : show_job(c, &job, out);
}

const struct op op_job_get = { .name = "job_get",
                               .doc = "A job: how far it is, what came of it.",
                               .level = LEVEL_ADMIN,
                               .in = &job_ref_type,
                               .out = &shown_job_type,
                               .run = run };
