#include "store/jobs.h"

const char *const job_state_names[] = { "queued", "running", "done", "failed", "cancelled", NULL };

static const struct field fields[] = {
    FIELD(struct stored_job, id, K_STR),          FIELD(struct stored_job, kind, K_STR),
    FIELD(struct stored_job, object_id, K_STR),   FIELD(struct stored_job, tenant_id, K_STR),
    FIELD(struct stored_job, owner, K_STR),       FIELD(struct stored_job, state, K_ENUM, .of = job_state_names),
    FIELD(struct stored_job, input, K_RAW),       FIELD(struct stored_job, stage, K_STR),
    FIELD(struct stored_job, done, K_INT),        FIELD(struct stored_job, total, K_INT),
    FIELD(struct stored_job, percent, K_INT),     FIELD(struct stored_job, attempts, K_INT),
    FIELD(struct stored_job, stop, K_BOOL),       FIELD(struct stored_job, runner, K_STR),
    FIELD(struct stored_job, lease_until, K_INT), FIELD(struct stored_job, result, K_RAW),
    FIELD(struct stored_job, error_code, K_STR),  FIELD(struct stored_job, error_message, K_STR),
    FIELD(struct stored_job, created_at, K_INT),  FIELD(struct stored_job, started_at, K_INT),
    FIELD(struct stored_job, finished_at, K_INT), { 0 },
};
static const struct type job_type = TYPE(struct stored_job, "StoredJob", fields);

#define SELECT_JOB                                                                                                     \
    "SELECT id, kind, object_id, tenant_id, owner, state, input, stage, done, total, percent, attempts, stop, runner," \
    " lease_until, result, error_code, error_message, created_at, started_at, finished_at FROM jobs "

int jobs_insert(struct db *db, struct call *c, const struct stored_job *j)
{
    return db_exec(
        db, c,
        "INSERT INTO jobs (id, kind, object_id, tenant_id, owner, state, input, done, total, percent,"
        " attempts, stop, lease_until, created_at) VALUES ($1, $2, $3, $4, $5, 'queued', $6, 0, 0, 0, 0, 0, 0,"
        " $7)",
        PARAMS(P_T(j->id), P_T(j->kind), P_T(j->object_id), P_T(j->tenant_id), P_T(j->owner), db_raw(j->input),
               P_I(j->created_at)),
        NULL);
}

int jobs_get(struct db *db, struct call *c, const char *tenant, const char *id, struct stored_job *out, bool *found)
{
    return db_one(db, c, SELECT_JOB "WHERE id = $1 AND tenant_id = $2", PARAMS(P_T(id), P_T(tenant)), &job_type, out,
                  found);
}

int jobs_unfinished(struct db *db, struct call *c, const char *kind, const char *object_id, struct stored_job *out,
                    bool *found)
{
    return db_one(db, c, SELECT_JOB "WHERE kind = $1 AND object_id = $2 AND state IN ('queued', 'running')",
                  PARAMS(P_T(kind), P_T(object_id)), &job_type, out, found);
}

struct counted {
    int64_t n;
};
static const struct field counted_fields[] = { FIELD(struct counted, n, K_INT), { 0 } };
static const struct type counted_type = TYPE(struct counted, "Counted", counted_fields);

int jobs_elsewhere(struct db *db, struct call *c, const char *process, int64_t *count)
{
    struct counted k = { 0 };
    bool found;
    int rc = db_one(
        db, c, "SELECT count(*) AS n FROM jobs WHERE state = 'queued' OR (state = 'running' AND runner NOT LIKE $1)",
        PARAMS(P_T(call_format(c, "%s/%%", process))), &counted_type, &k, &found);
    *count = k.n;
    return rc;
}

struct claim {
    const char *runner;
    int64_t now_us, lease_until;
    struct stored_job *out;
    bool found;
};

static int claim(struct db *db, struct call *c, void *ctx)
{
    struct claim *k = ctx;
    int64_t changed = 0;
    int rc = db_one(db, c,
                    SELECT_JOB "WHERE state = 'queued' OR (state = 'running' AND lease_until < $1)"
                               " ORDER BY created_at, id LIMIT 1",
                    PARAMS(P_I(k->now_us)), &job_type, k->out, &k->found);
    if (rc || !k->found) return rc;
    /* Another process may have taken it since it was read. */
    rc = db_exec(db, c,
                 "UPDATE jobs SET state = 'running', runner = $2, lease_until = $3, attempts = attempts + 1,"
                 " started_at = COALESCE(started_at, $4)"
                 " WHERE id = $1 AND (state = 'queued' OR (state = 'running' AND lease_until < $4))",
                 PARAMS(P_T(k->out->id), P_T(k->runner), P_I(k->lease_until), P_I(k->now_us)), &changed);
    k->found = !rc && changed == 1;
    if (k->found) {
        k->out->state = JOB_RUNNING;
        k->out->runner = k->runner;
        k->out->attempts++;
    }
    return rc;
}

int jobs_claim(struct db *db, struct call *c, const char *runner, int64_t now_us, int64_t lease_until,
               struct stored_job *out, bool *found)
{
    struct claim k = { .runner = runner, .now_us = now_us, .lease_until = lease_until, .out = out };
    int rc = db_transaction(db, c, claim, &k);
    *found = !rc && k.found;
    return rc;
}

struct asked {
    bool stop;
};
static const struct field asked_fields[] = { FIELD(struct asked, stop, K_BOOL), { 0 } };
static const struct type asked_type = TYPE(struct asked, "AskedToStop", asked_fields);

int jobs_renew(struct db *db, struct call *c, const char *id, const char *runner, const struct job_progress *p,
               int64_t lease_until, bool *kept, bool *stop)
{
    int64_t changed = 0;
    struct asked asked = { 0 };
    bool found = false;
    int rc = db_exec(
        db, c,
        "UPDATE jobs SET stage = $3, done = $4, total = $5, percent = $6, lease_until = $7"
        " WHERE id = $1 AND runner = $2 AND state = 'running'",
        PARAMS(P_T(id), P_T(runner), P_T(p->stage), P_I(p->done), P_I(p->total), P_I(p->percent), P_I(lease_until)),
        &changed);
    *kept = changed == 1;
    if (!rc) rc = db_one(db, c, "SELECT stop FROM jobs WHERE id = $1", PARAMS(P_T(id)), &asked_type, &asked, &found);
    *stop = found && asked.stop;
    return rc;
}

int jobs_end(struct db *db, struct call *c, const struct stored_job *j, int64_t now_us)
{
    bool again = j->state == JOB_QUEUED;
    return db_exec(db, c,
                   "UPDATE jobs SET state = $3, stage = $4, done = $5, total = $6, percent = $7, result = $8,"
                   " error_code = $9, error_message = $10, finished_at = $11, attempts = attempts - $12"
                   " WHERE id = $1 AND runner = $2 AND state = 'running'",
                   PARAMS(P_T(j->id), P_T(j->runner), P_T(job_state_names[j->state]), P_T(j->stage), P_I(j->done),
                          P_I(j->total), P_I(j->percent), db_raw(j->result), P_T(j->error_code), P_T(j->error_message),
                          again ? (struct param){ .kind = P_NULL } : P_I(now_us), P_I(again)),
                   NULL);
}

int jobs_stop(struct db *db, struct call *c, const char *tenant, const char *id, int64_t now_us)
{
    int64_t changed = 0;
    int rc = db_exec(db, c,
                     "UPDATE jobs SET state = 'cancelled', finished_at = $3"
                     " WHERE id = $1 AND tenant_id = $2 AND state = 'queued'",
                     PARAMS(P_T(id), P_T(tenant), P_I(now_us)), &changed);
    if (rc || changed) return rc;
    return db_exec(db, c, "UPDATE jobs SET stop = 1 WHERE id = $1 AND tenant_id = $2 AND state = 'running'",
                   PARAMS(P_T(id), P_T(tenant)), NULL);
}

int jobs_purge(struct db *db, struct call *c, int64_t before_us)
{
    return db_exec(db, c, "DELETE FROM jobs WHERE finished_at < $1", PARAMS(P_I(before_us)), NULL);
}
