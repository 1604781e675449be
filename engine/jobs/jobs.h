/* jobs: long work that outlives the request that asked for it. A job is a row of the store: what was asked, by whom,
 * how far it is, what came of it. Threads are started when there is work and end when there is none. A job whose
 * process ended is taken up again by the next one, three times at most; one that is stopped with the server goes back
 * to the queue. Learning a datasource that a request needs is done here, too, without a row. */
#ifndef QUERENT_JOBS_H
#define QUERENT_JOBS_H

#include "log.h"
#include "store/jobs.h"

struct jobs;

struct jobs_env {
    struct db *store;
    const struct log *log;
    void (*pin)(void *ctx, struct call *c); /* pins the world for a call */
    void *ctx;
};

struct jobs *jobs_open(const struct jobs_env *env); /* no thread, no store access */
/* Takes up what an earlier process left, if anything. */
int jobs_resume(struct jobs *j, struct call *c);
/* Cancels what runs, puts it back into the queue, waits for the threads. */
void jobs_close(struct jobs *j);

/* Queues a job of the caller, or answers the unfinished one of that kind for the object. ERR_CONFLICT when the caller's
 * tenant is unknown. */
int jobs_add(struct jobs *j, struct call *c, const char *kind, const char *object_id, struct raw input,
             struct stored_job *out);
/* Of the caller's tenant, as it stands now. ERR_NOT_FOUND. */
int jobs_show(struct jobs *j, struct call *c, const char *id, struct stored_job *out);
/* Asks it to end and waits a moment for that; one that has ended stays as it is. ERR_NOT_FOUND. */
int jobs_cancel(struct jobs *j, struct call *c, const char *id, struct stored_job *out);

/* For a registry's learner: registry_learn on a thread of ours; false = this process ends. */
bool jobs_learn(void *jobs, const char *datasource_id);

/* How many run now, and how many ended in each state since the start, for /metrics. */
void jobs_metrics(struct jobs *j, struct buf *b);

#endif
