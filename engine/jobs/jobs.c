#include "jobs/jobs.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/world.h"
#include "jobs/crew.h"
#include "jobs/job_kind.h"
#include "policy/policy.h"
#include "schema/registry.h"
#include "store/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORKERS = 2, LEARNERS = 8, ATTEMPTS = 3, RUNNER_BYTES = 64 };
enum { LEASE_US = 10000000, RENEW_US = 2000000, ELSEWHERE_US = 1000000, STOP_WAIT_US = 2000000 };
enum { LEARN_MOST_US = 600000000 };
#define KEPT_US (7LL * 86400 * 1000000)

/* A call at work on one of our threads. */
struct job_run {
    struct jobs *jobs;
    struct call call;
    const struct stored_job *job; /* NULL while a datasource is learnt */
    struct job_progress progress;
    bool stop; /* somebody asked for its end */
    bool lost; /* another process has it */
    size_t users;
    struct job_run *next;
};

struct wanted {
    char *datasource_id;
    struct wanted *next;
};

struct jobs {
    struct jobs_env env;
    char process[RUNNER_BYTES]; /* beginning of a runner's name */
    pthread_mutex_t lock;       /* leaf: everything below */
    pthread_cond_t changed;
    struct job_run *running;
    struct wanted *wanted, **last_wanted;
    uint64_t runs, ended[JOB_CANCELLED + 1];
    bool ending;
    struct crew *workers, *learners, *keeper;
};

/* ---- at work ---- */

static void enter(struct jobs *j, struct job_run *r)
{
    pthread_mutex_lock(&j->lock);
    r->jobs = j;
    r->next = j->running;
    j->running = r;
    bool ending = j->ending;
    pthread_mutex_unlock(&j->lock);
    if (ending) call_cancel(&r->call);
}

/* Afterwards nobody else holds it. */
static void leave(struct jobs *j, struct job_run *r)
{
    pthread_mutex_lock(&j->lock);
    struct job_run **at = &j->running;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    pthread_cond_broadcast(&j->changed);
    while (r->users) pthread_cond_wait(&j->changed, &j->lock);
    pthread_mutex_unlock(&j->lock);
}

/* The lock is held. */
static struct job_run *at_work(struct jobs *j, const char *id)
{
    struct job_run *r = j->running;
    while (r && (!r->job || strcmp(r->job->id, id) != 0)) r = r->next;
    return r;
}

static void release(struct jobs *j, struct job_run *r)
{
    pthread_mutex_lock(&j->lock);
    r->users--;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
}

/* The lock is held; true when it was signalled in time. */
static void wait_changed(struct jobs *j, int64_t us)
{
    int64_t until = clock_mono_us() + us;
    struct timespec at = { .tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000 };
    pthread_cond_timedwait(&j->changed, &j->lock, &at);
}

/* ---- running a job ---- */

void job_progress(struct job_run *r, const char *stage, int64_t done, int64_t total, int64_t percent)
{
    pthread_mutex_lock(&r->jobs->lock);
    r->progress = (struct job_progress){ stage, done, total, percent };
    pthread_mutex_unlock(&r->jobs->lock);
}

struct db *job_store(struct job_run *r)
{
    return r->jobs->env.store;
}

static int run_kind(struct job_run *r, struct buf *result)
{
    struct call *c = &r->call;
    const struct job_kind *kind = job_kind_find(r->job->kind);
    if (!kind) return call_fail(c, ERR_INTERNAL_ERROR, "There is no such kind of job: '%s'.", r->job->kind);
    if (r->job->attempts > ATTEMPTS)
        return call_fail(c, ERR_UNAVAILABLE, "It was interrupted %d times with its process.", ATTEMPTS);
    c->deadline_us = clock_mono_us() + kind->most_us;
    return kind->run(r, c, r->job, result);
}

static enum job_state state_of(struct jobs *j, struct job_run *r, int rc, bool *lost)
{
    pthread_mutex_lock(&j->lock);
    bool stop = r->stop, ending = j->ending;
    *lost = r->lost;
    pthread_mutex_unlock(&j->lock);
    if (!rc) return JOB_DONE;
    if (rc != ERR_CANCELLED) return JOB_FAILED;
    return ending && !stop ? JOB_QUEUED : JOB_CANCELLED;
}

static void log_end(struct jobs *j, struct job_run *r, enum job_state state, int64_t us)
{
    const struct err *e = &r->call.err;
    bool failed = state == JOB_FAILED;
    log_event(j->env.log, failed ? LOG_WARN : LOG_INFO, "job.ended", "job", r->job->id, "kind", r->job->kind, "object",
              r->job->object_id, "state", job_state_names[state], "code", failed ? code_row(e->code)->name : NULL,
              "message", failed ? e->message : NULL, "detail", failed ? e->detail : NULL, "trace_id", r->call.trace_id,
              "#us", call_number(&r->call, us), NULL);
}

/* A new picture of a datasource may show that a rule of the policy hides nothing. */
static void log_unmatched(struct jobs *j, struct call *c, const char *id)
{
    const struct datasource *ds = registry_peek(c->world->registry, c, id);
    if (ds && ds->snapshot && c->world->policies) policy_log_unmatched(j->env.log, c, c->world->policies, ds->snapshot);
}

/* A call of its own: the job's may be cancelled. */
static void record_end(struct jobs *j, struct job_run *r, enum job_state state, const struct buf *result)
{
    struct call c;
    const struct err *e = &r->call.err;
    const struct code_row *row = code_row(e->code);
    bool failed = state == JOB_FAILED;
    struct stored_job end = *r->job;
    call_begin(&c);
    end.state = (int)state;
    end.stage = r->progress.stage;
    end.done = r->progress.done;
    end.total = r->progress.total;
    end.percent = state == JOB_DONE ? 100 : r->progress.percent;
    if (state == JOB_DONE) end.result = (struct raw){ result->data, result->len };
    if (failed) {
        end.error_code = row->name;
        end.error_message = row->status == 500 || e->code == ERR_STORE_FAILED ? row->text : e->message;
    }
    int rc = jobs_end(j->env.store, &c, &end, clock_utc_us());
    if (!rc) rc = jobs_purge(j->env.store, &c, clock_utc_us() - KEPT_US);
    c.who = r->call.who;
    c.trace_id = r->call.trace_id;
    c.audit = r->call.audit;
    c.started_us = r->call.started_us;
    if (!rc && state != JOB_QUEUED) rc = audit_end(j->env.store, &c, failed || state == JOB_CANCELLED ? e->code : OK);
    if (rc)
        log_event(j->env.log, LOG_ERROR, "job.not_recorded", "job", r->job->id, "message", c.err.message, "detail",
                  c.err.detail, NULL);
    call_end(&c);
}

static void run_job(struct jobs *j, struct job_run *r)
{
    struct call *c = &r->call;
    struct buf result;
    int64_t began = clock_mono_us();
    buf_init(&result, c, (size_t)16 << 20);
    c->who =
        (struct principal){ .user = r->job->owner, .tenant = r->job->tenant_id, .source = "job", .level = LEVEL_ADMIN };
    c->audit = (struct audit_note){ .op = call_format(c, "job_%s", r->job->kind), .object_id = r->job->id };
    j->env.pin(j->env.ctx, c);
    enter(j, r);
    crew_wake(j->keeper);
    int rc = run_kind(r, &result);
    if (!rc && result.failed) rc = call_fail(c, ERR_LIMIT_EXCEEDED, "The job's result is too large.");
    if (rc) rc = (int)c->err.code;
    bool lost;
    enum job_state state = state_of(j, r, rc, &lost);
    if (!lost) record_end(j, r, state, &result);
    log_end(j, r, state, clock_mono_us() - began);
    if (state == JOB_DONE) log_unmatched(j, c, r->job->object_id);
    pthread_mutex_lock(&j->lock);
    j->ended[state]++;
    pthread_mutex_unlock(&j->lock);
    leave(j, r);
}

/* One job, if there is one; a job of another process is waited for: that process may end. */
static bool work(void *ctx)
{
    struct jobs *j = ctx;
    struct job_run r = { .jobs = j };
    struct stored_job job = { 0 };
    int64_t now = clock_utc_us(), elsewhere = 0;
    bool found = false;
    call_begin(&r.call);
    pthread_mutex_lock(&j->lock);
    bool ending = j->ending;
    const char *runner = call_format(&r.call, "%s/%llu", j->process, (unsigned long long)++j->runs);
    pthread_mutex_unlock(&j->lock);
    if (!ending && jobs_claim(j->env.store, &r.call, runner, now, now + LEASE_US, &job, &found)) {
        log_event(j->env.log, LOG_ERROR, "jobs.not_read", "message", r.call.err.message, "detail", r.call.err.detail,
                  NULL);
        call_forgive(&r.call);
    }
    if (found) {
        r.job = &job;
        run_job(j, &r);
    } else if (!ending && !jobs_elsewhere(j->env.store, &r.call, j->process, &elsewhere) && elsewhere) {
        pthread_mutex_lock(&j->lock);
        if (!j->ending) wait_changed(j, ELSEWHERE_US);
        pthread_mutex_unlock(&j->lock);
    }
    call_end(&r.call);
    return found || elsewhere;
}

/* ---- keeping leases alive ---- */

static void renew(struct jobs *j, struct job_run *r, const struct job_progress *p)
{
    struct call c;
    bool kept = true, stop = false;
    call_begin(&c);
    /* A store that cannot be written now says nothing about the job. */
    bool told = !jobs_renew(j->env.store, &c, r->job->id, r->job->runner, p, clock_utc_us() + LEASE_US, &kept, &stop);
    call_end(&c);
    pthread_mutex_lock(&j->lock);
    if (told && !kept) r->lost = true;
    if (told && stop) r->stop = true;
    bool end = r->lost || r->stop;
    pthread_mutex_unlock(&j->lock);
    if (end) call_cancel(&r->call);
}

/* The next job at work after the one of the address, held. */
static struct job_run *next_held(struct jobs *j, uintptr_t after, struct job_progress *p)
{
    struct job_run *next = NULL;
    for (struct job_run *r = j->running; r; r = r->next)
        if (r->job && (uintptr_t)r > after && (!next || r < next)) next = r;
    if (next) {
        next->users++;
        *p = next->progress;
    }
    return next;
}

static bool keep_leases(void *ctx)
{
    struct jobs *j = ctx;
    struct job_progress p;
    struct job_run *r;
    uintptr_t after = 0;
    bool any = false;
    pthread_mutex_lock(&j->lock);
    while ((r = next_held(j, after, &p))) {
        pthread_mutex_unlock(&j->lock);
        any = true;
        after = (uintptr_t)r;
        renew(j, r, &p);
        release(j, r);
        pthread_mutex_lock(&j->lock);
    }
    int64_t until = clock_mono_us() + RENEW_US, now;
    while (any && !j->ending && j->running && (now = clock_mono_us()) < until) wait_changed(j, until - now);
    pthread_mutex_unlock(&j->lock);
    return any;
}

/* ---- learning ---- */

static char *take_wanted(struct jobs *j)
{
    pthread_mutex_lock(&j->lock);
    struct wanted *w = j->wanted;
    if (w && !(j->wanted = w->next)) j->last_wanted = &j->wanted;
    pthread_mutex_unlock(&j->lock);
    if (!w) return NULL;
    char *id = w->datasource_id;
    free(w);
    return id;
}

static bool learn_next(void *ctx)
{
    struct jobs *j = ctx;
    struct job_run r = { 0 };
    char *id = take_wanted(j);
    if (!id) return false;
    call_begin(&r.call);
    r.call.who = (struct principal){ .user = "querent", .tenant = "default", .source = "job", .level = LEVEL_OPERATOR };
    r.call.deadline_us = clock_mono_us() + LEARN_MOST_US;
    j->env.pin(j->env.ctx, &r.call);
    enter(j, &r);
    registry_learn(r.call.world->registry, &r.call, id);
    log_unmatched(j, &r.call, id);
    leave(j, &r);
    call_end(&r.call);
    free(id);
    return true;
}

bool jobs_learn(void *jobs, const char *datasource_id)
{
    struct jobs *j = jobs;
    struct wanted *w = calloc(1, sizeof *w);
    if (!w || !(w->datasource_id = strdup(datasource_id))) abort();
    pthread_mutex_lock(&j->lock);
    bool ending = j->ending;
    if (!ending) {
        *j->last_wanted = w;
        j->last_wanted = &w->next;
    }
    pthread_mutex_unlock(&j->lock);
    if (ending) {
        free(w->datasource_id);
        free(w);
        return false;
    }
    crew_wake(j->learners);
    return true;
}

/* ---- the room's door ---- */

struct jobs *jobs_open(const struct jobs_env *env)
{
    struct jobs *j = calloc(1, sizeof *j);
    struct call c;
    pthread_condattr_t monotonic;
    if (!j) abort();
    j->env = *env;
    j->last_wanted = &j->wanted;
    call_begin(&c);
    snprintf(j->process, sizeof j->process, "%s", id_new(&c, "pr"));
    call_end(&c);
    pthread_mutex_init(&j->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&j->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    j->workers = crew_new(WORKERS, work, j);
    j->learners = crew_new(LEARNERS, learn_next, j);
    j->keeper = crew_new(1, keep_leases, j);
    return j;
}

int jobs_resume(struct jobs *j, struct call *c)
{
    int64_t count = 0;
    int rc = jobs_elsewhere(j->env.store, c, j->process, &count);
    if (!rc && count) crew_wake(j->workers);
    return rc;
}

static void cancel_all(struct jobs *j)
{
    struct job_run *held[WORKERS + LEARNERS];
    size_t count = 0;
    pthread_mutex_lock(&j->lock);
    j->ending = true;
    for (struct job_run *r = j->running; r && count < WORKERS + LEARNERS; r = r->next) {
        r->users++;
        held[count++] = r;
    }
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    for (size_t i = 0; i < count; i++) {
        call_cancel(&held[i]->call);
        release(j, held[i]);
    }
}

void jobs_close(struct jobs *j)
{
    if (!j) return;
    cancel_all(j);
    crew_end(j->workers);
    crew_end(j->learners);
    crew_end(j->keeper);
    for (char *id; (id = take_wanted(j));) free(id);
    pthread_mutex_destroy(&j->lock);
    pthread_cond_destroy(&j->changed);
    free(j);
}

int jobs_add(struct jobs *j, struct call *c, const char *kind, const char *object_id, struct raw input,
             struct stored_job *out)
{
    const struct stored_job job = { .id = id_new(c, "jb"),
                                    .kind = kind,
                                    .object_id = object_id,
                                    .tenant_id = c->who.tenant,
                                    .owner = c->who.user,
                                    .input = input,
                                    .created_at = clock_utc_us() };
    bool found = false;
    int rc = jobs_insert(j->env.store, c, &job);
    if (!rc) {
        crew_wake(j->workers);
        *out = job;
        return OK;
    }
    struct err conflict = c->err;
    if (rc != ERR_CONFLICT) return rc;
    call_forgive(c);
    rc = jobs_unfinished(j->env.store, c, kind, object_id, out, &found);
    if (rc || found) return rc;
    c->err = conflict; /* it ended in between, or the tenant is unknown */
    return ERR_CONFLICT;
}

int jobs_show(struct jobs *j, struct call *c, const char *id, struct stored_job *out)
{
    bool found = false;
    int rc = jobs_get(j->env.store, c, c->who.tenant, id, out, &found);
    if (rc) return rc;
    if (!found) return call_fail(c, ERR_NOT_FOUND, "No job '%s'.", id);
    pthread_mutex_lock(&j->lock);
    const struct job_run *r = out->state == JOB_RUNNING ? at_work(j, id) : NULL;
    if (r) {
        out->stage = r->progress.stage;
        out->done = r->progress.done;
        out->total = r->progress.total;
        out->percent = r->progress.percent;
    }
    pthread_mutex_unlock(&j->lock);
    if (out->state == JOB_QUEUED || (out->state == JOB_RUNNING && out->lease_until < clock_utc_us()))
        crew_wake(j->workers);
    return OK;
}

int jobs_cancel(struct jobs *j, struct call *c, const char *id, struct stored_job *out)
{
    int rc = jobs_show(j, c, id, out);
    if (!rc) rc = jobs_stop(j->env.store, c, c->who.tenant, id, clock_utc_us());
    if (rc) return rc;
    pthread_mutex_lock(&j->lock);
    struct job_run *r = at_work(j, id);
    if (r) {
        r->stop = true;
        r->users++;
    }
    pthread_mutex_unlock(&j->lock);
    if (r) {
        call_cancel(&r->call);
        release(j, r);
    }
    int64_t until = clock_mono_us() + STOP_WAIT_US, now;
    pthread_mutex_lock(&j->lock);
    while (at_work(j, id) && (now = clock_mono_us()) < until) wait_changed(j, until - now);
    pthread_mutex_unlock(&j->lock);
    return jobs_show(j, c, id, out);
}

void jobs_metrics(struct jobs *j, struct buf *b)
{
    pthread_mutex_lock(&j->lock);
    size_t running = 0, learning = 0;
    for (const struct job_run *r = j->running; r; r = r->next) {
        running += r->job != NULL;
        learning += r->job == NULL;
    }
    uint64_t ended[JOB_CANCELLED + 1];
    memcpy(ended, j->ended, sizeof ended);
    pthread_mutex_unlock(&j->lock);
    buf_format(b, "# TYPE querent_jobs_running gauge\nquerent_jobs_running %zu\n", running);
    buf_format(b, "# TYPE querent_learning gauge\nquerent_learning %zu\n", learning);
    buf_str(b, "# TYPE querent_jobs_ended_total counter\n");
    for (int i = JOB_DONE; i <= JOB_CANCELLED; i++)
        buf_format(b, "querent_jobs_ended_total{state=\"%s\"} %llu\n", job_state_names[i],
                   (unsigned long long)ended[i]);
}
