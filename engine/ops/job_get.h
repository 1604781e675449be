/* job_get: how operations name and show a job. */
#ifndef QUERENT_JOB_GET_H
#define QUERENT_JOB_GET_H

#include "indexing/index.h"
#include "ops/op.h"
#include "store/jobs.h"

struct job_ref {
    const char *id;
};
extern const struct type job_ref_type;

struct job_error {
    const char *code, *message;
};

struct shown_job {
    const char *id, *kind, *datasource_id, *stage, *owner;
    int state;
    int64_t done, total, percent, attempts, created_at, started_at, finished_at;
    struct job_error *error;
    struct index_report *result;
};
extern const struct type shown_job_type;

/* Of the changes of a schema those that the caller may know of; keys only in words that name no other table. Returns how
 * many were left out. */
int64_t show_changes(struct call *c, const char *datasource, struct list *changes);
int show_job(struct call *c, const struct stored_job *job, struct shown_job *out);

#endif
