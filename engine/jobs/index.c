/* index: learns a datasource anew; object_id is the datasource. */
#include "jobs/index.h"

#include "domain/world.h"
#include "indexing/index.h"
#include "jobs/job_kind.h"

static const struct field input_fields[] = {
    FIELD(struct index_input, full, K_BOOL),
    { 0 },
};
const struct type index_input_type = TYPE(struct index_input, "IndexInput", input_fields);

enum { CONTENTS_US = 900000000 };

static void progress(void *ctx, const char *stage, int64_t done, int64_t total, int64_t percent)
{
    job_progress(ctx, stage, done, total, percent);
}

static int run(struct job_run *r, struct call *c, const struct stored_job *job, struct buf *result)
{
    const struct json *j;
    struct index_input in = { 0 };
    struct index_report report = { 0 };
    int rc = job->input.text ? json_parse(c, job->input.text, job->input.n, &j) : OK;
    if (!rc && job->input.text) rc = json_decode(c, &index_input_type, j, &in);
    const struct index_options options = { .full = in.full, .budget_us = CONTENTS_US, .progress = progress, .ctx = r };
    c->audit.datasource_id = job->object_id;
    if (!rc) rc = index_datasource(c, c->world->registry, job_store(r), job->object_id, &options, &report);
    if (!rc) json_encode(result, &index_report_type, &report);
    return rc;
}

const struct job_kind job_index = { .name = "index", .most_us = 1800000000, .run = run };
