/* datasource_index: has a datasource learnt anew: structure, statistics, values. One job at a time for each. */
#include "jobs/index.h"

#include "jobs/jobs.h"
#include "ops/job_get.h"
#include "schema/registry.h"

struct index_in {
    const char *id;
    bool full;
};
static const struct field in_fields[] = {
    FIELD(struct index_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 63, .doc = "Id of the datasource."),
    FIELD(struct index_in, full, K_BOOL, .def = "false",
          .doc = "Read the contents of all tables, also of those that did not change since the last time."),
    { 0 },
};
static const struct type in_type = TYPE(struct index_in, "DatasourceIndex", in_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct index_in *in = vin;
    const struct index_input input = { .full = in->full };
    struct stored_job job = { 0 };
    struct buf b;
    c->audit.object_id = in->id;
    if (!registry_peek(c->world->registry, c, in->id))
        return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", in->id);
    buf_init(&b, c, 4096);
    json_encode(&b, &index_input_type, &input);
    int rc = jobs_add(e->jobs, c, "index", in->id, (struct raw){ b.data, b.len }, &job);
    return rc ? rc : show_job(c, &job, out);
}

const struct op op_datasource_index = { .name = "datasource_index",
                                        .doc = "Has a datasource learnt anew, as a job.",
                                        .level = LEVEL_ADMIN,
                                        .flags = OP_WRITES,
                                        .in = &in_type,
                                        .out = &shown_job_type,
                                        .run = run };
