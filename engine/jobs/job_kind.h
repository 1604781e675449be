/* job_kind: a kind of long work: one file, one row in table.c. It runs on a thread of its own with a call of its own,
 * whose world is pinned and whose deadline is set; it ends early when call_check says so. */
#ifndef QUERENT_JOB_KIND_H
#define QUERENT_JOB_KIND_H

#include "store/jobs.h"

struct job_run; /* a job at work */

struct job_kind {
    const char *name;
    int64_t most_us; /* how long it may take */
    /* Does the work of the job and writes its result, a JSON object, whose shape is the kind's. */
    int (*run)(struct job_run *r, struct call *c, const struct stored_job *job, struct buf *result);
};

extern const struct job_kind *const job_kinds[]; /* NULL-terminated */
const struct job_kind *job_kind_find(const char *name);

/* How far it is; stage is a constant. Cheap: written to the store from time to time by another thread. */
void job_progress(struct job_run *r, const char *stage, int64_t done, int64_t total, int64_t percent);
struct db *job_store(struct job_run *r);

#endif
