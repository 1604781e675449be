/* job_cancel: ends a job. One that has ended stays as it is. */
#include "jobs/jobs.h"
#include "ops/job_get.h"

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct job_ref *in = vin;
    struct stored_job job = { 0 };
    c->audit.object_id = in->id;
    int rc = jobs_cancel(e->jobs, c, in->id, &job);
    return rc ? rc : show_job(c, &job, out);
}

const struct op op_job_cancel = { .name = "job_cancel",
                                  .doc = "Ends a job.",
                                  .level = LEVEL_ADMIN,
                                  .flags = OP_WRITES,
                                  .in = &job_ref_type,
                                  .out = &shown_job_type,
                                  .run = run };
