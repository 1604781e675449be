/* jobs: long work as it stands in the store: who asked for it, how far it is, what came of it. A job is run by whoever
 * claims it and keeps its lease alive; one whose lease has passed can be claimed again. Each function blocks on the
 * store. */
#ifndef QUERENT_STORE_JOBS_H
#define QUERENT_STORE_JOBS_H

#include "store/db.h"

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED };
extern const char *const job_state_names[]; /* queued running done failed cancelled NULL */

struct job_progress {
    const char *stage; /* NULL before it began */
    int64_t done, total, percent;
};

struct stored_job {
    const char *id, *kind, *object_id, *tenant_id, *owner;
    int state; /* enum job_state */
    struct raw input;
    const char *stage;
    int64_t done, total, percent; /* of the stage: what is done of how many; percent of the whole */
    int64_t attempts;
    bool stop; /* somebody asked for its end */
    const char *runner;
    int64_t lease_until;
    struct raw result;
    const char *error_code, *error_message;
    int64_t created_at, started_at, finished_at;
};

/* ERR_CONFLICT when one of the kind for the object is unfinished. */
int jobs_insert(struct db *db, struct call *c, const struct stored_job *j);
/* Of the tenant. */
int jobs_get(struct db *db, struct call *c, const char *tenant, const char *id, struct stored_job *out, bool *found);
/* The queued or running one of the kind for the object. */
int jobs_unfinished(struct db *db, struct call *c, const char *kind, const char *object_id, struct stored_job *out,
                    bool *found);
/* How many are queued, or running by runners whose names do not begin with `process`. */
int jobs_elsewhere(struct db *db, struct call *c, const char *process, int64_t *count);
/* Takes the oldest that is queued or whose lease has passed, until `lease_until`. */
int jobs_claim(struct db *db, struct call *c, const char *runner, int64_t now_us, int64_t lease_until,
               struct stored_job *out, bool *found);
/* The runner says how far it is and lives on; *kept false when the job is no longer its own, *stop when it must end. */
int jobs_renew(struct db *db, struct call *c, const char *id, const char *runner, const struct job_progress *p,
               int64_t lease_until, bool *kept, bool *stop);
/* The runner ends it; back to the queue when state is JOB_QUEUED. Of j: id, runner, state, result, error, progress. */
int jobs_end(struct db *db, struct call *c, const struct stored_job *j, int64_t now_us);
/* A queued one is cancelled at once, a running one is asked to stop; others stay as they are. */
int jobs_stop(struct db *db, struct call *c, const char *tenant, const char *id, int64_t now_us);
/* Forgets those that ended before `before_us`. */
int jobs_purge(struct db *db, struct call *c, int64_t before_us);

#endif
