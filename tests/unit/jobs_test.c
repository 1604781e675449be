/* jobs: run once, seen while they run, cancelled, given back when the process ends, taken up by the next one; threads
 * only while there is work; learning on other threads. */
#include "jobs/crew.h"
#include "jobs/jobs.h"

#include "base/clock.h"
#include "domain/world.h"
#include "indexing/index.h"
#include "store/demo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TABLES = 400, SOON_US = 60000000 };
static char folder[] = "/tmp/querent-jobs-XXXXXX";

static const char *path_of(struct call *c, const char *id)
{
    return call_format(c, "%s/%s.sqlite", folder, id);
}

static int set_up(void **state)
{
    (void)state;
    struct call c;
    sqlite3 *db;
    if (!mkdtemp(folder)) return -1;
    call_begin(&c);
    int rc = demo_create(&c, path_of(&c, "demo"));
    rc |= sqlite3_open(path_of(&c, "big"), &db) | sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    for (int i = 0; i < TABLES; i++)
        rc |= sqlite3_exec(db,
                           call_format(&c,
                                       "CREATE TABLE t%d (id INTEGER PRIMARY KEY, a TEXT, b TEXT);"
                                       "INSERT INTO t%d VALUES (1, 'x', 'y')",
                                       i, i),
                           NULL, NULL, NULL);
    rc |= sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) | sqlite3_close(db);
    call_end(&c);
    return rc;
}

static int tear_down(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    unlink(path_of(&c, "demo"));
    unlink(path_of(&c, "big"));
    call_end(&c);
    return rmdir(folder);
}

/* What a process has: a store, a registry, its jobs. */
struct process {
    struct db *store;
    struct world world;
    struct log log;
    struct jobs *jobs;
};

static void unpin(struct world *w)
{
    (void)w;
}

static void pin(void *ctx, struct call *c)
{
    struct process *p = ctx;
    c->world = &p->world;
    c->world_release = unpin;
}

static void put(struct call *c, struct registry *r, const char *id)
{
    struct datasource_config d = { .id = id, .type = "sqlite" };
    const char *text = call_format(c, "{\"path\":\"%s\"}", path_of(c, id));
    assert_int_equal(json_parse(c, text, strlen(text), &d.connection), OK);
    assert_int_equal(type_defaults(c, &datasource_options_type, &d.options), OK);
    assert_int_equal(registry_put(r, c, &d), OK);
}

static void start(struct call *c, struct process *p, struct db *store)
{
    *p = (struct process){ .store = store, .log = { .fd = 2, .least = LOG_OFF } };
    assert_int_equal(registry_open(c, &p->world.registry), OK);
    p->jobs = jobs_open(&(struct jobs_env){ .store = store, .log = &p->log, .pin = pin, .ctx = p });
    registry_learn_with(
        p->world.registry,
        (struct registry_learner){ .learn = index_learn, .ctx = store, .begin = jobs_learn, .begin_ctx = p->jobs });
    put(c, p->world.registry, "demo");
    put(c, p->world.registry, "big");
}

static void stop(struct process *p)
{
    jobs_close(p->jobs);
    registry_close(p->world.registry);
}

static struct stored_job wait_for(struct jobs *j, struct call *c, const char *id, bool (*is)(const struct stored_job *))
{
    struct stored_job job;
    int64_t until = clock_mono_us() + SOON_US;
    do {
        job = (struct stored_job){ 0 };
        assert_int_equal(jobs_show(j, c, id, &job), OK);
        if (is(&job)) return job;
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    } while (clock_mono_us() < until);
    fail_msg("the job stays %s", job_state_names[job.state]);
    return job;
}

static bool over(const struct stored_job *j)
{
    return j->state > JOB_RUNNING;
}

static bool reads(const struct stored_job *j)
{
    return j->state > JOB_RUNNING || (j->state == JOB_RUNNING && j->stage && j->done > 0);
}

static void caller(struct call *c)
{
    call_begin(c);
    c->who = (struct principal){ .user = "ann", .tenant = "default", .level = LEVEL_ADMIN, .source = "test" };
}

static void lives(void **state)
{
    (void)state;
    struct call c;
    struct db *store;
    struct process p, next;
    struct stored_job job = { 0 }, same = { 0 }, other = { 0 };
    const struct raw full = { "{\"full\":true}", 13 };
    caller(&c);
    assert_int_equal(db_open(&c, ":memory:", &store), OK);
    start(&c, &p, store);

    /* It runs, and there is one of it. */
    assert_int_equal(jobs_add(p.jobs, &c, "index", "big", full, &job), OK);
    assert_int_equal(jobs_add(p.jobs, &c, "index", "big", full, &same), OK);
    assert_string_equal(job.id, same.id);
    assert_int_equal(jobs_add(p.jobs, &c, "index", "demo", full, &other), OK);
    struct stored_job seen = wait_for(p.jobs, &c, job.id, reads);
    assert_int_equal(seen.state, JOB_RUNNING);
    assert_int_equal(seen.total, TABLES);
    assert_int_equal(wait_for(p.jobs, &c, other.id, over).state, JOB_DONE);
    seen = wait_for(p.jobs, &c, job.id, over);
    assert_int_equal(seen.state, JOB_DONE);
    assert_int_equal(seen.percent, 100);
    assert_non_null(strstr(seen.result.text, "\"tables\":400"));
    assert_non_null(registry_peek(p.world.registry, &c, "big")->snapshot);

    /* Cancelled while it runs; of another tenant it is not there. */
    assert_int_equal(jobs_add(p.jobs, &c, "index", "big", full, &job), OK);
    wait_for(p.jobs, &c, job.id, reads);
    c.who.tenant = "other";
    assert_int_equal(jobs_cancel(p.jobs, &c, job.id, &seen), ERR_NOT_FOUND);
    call_forgive(&c);
    c.who.tenant = "default";
    assert_int_equal(jobs_cancel(p.jobs, &c, job.id, &seen), OK);
    assert_int_equal(wait_for(p.jobs, &c, job.id, over).state, JOB_CANCELLED);

    /* What stops with its process is taken up by the next one, and does not count as tried. */
    assert_int_equal(jobs_add(p.jobs, &c, "index", "big", full, &job), OK);
    wait_for(p.jobs, &c, job.id, reads);
    stop(&p);
    start(&c, &next, store);
    assert_int_equal(jobs_resume(next.jobs, &c), OK);
    seen = wait_for(next.jobs, &c, job.id, over);
    assert_int_equal(seen.state, JOB_DONE);
    assert_int_equal(seen.attempts, 1);
    assert_int_equal(jobs_add(next.jobs, &c, "index", "nothing", full, &job), OK);
    seen = wait_for(next.jobs, &c, job.id, over);
    assert_int_equal(seen.state, JOB_FAILED);
    assert_string_equal(seen.error_code, "DATASOURCE_NOT_FOUND");
    stop(&next);
    db_close(store);
    call_end(&c);
}

static void *ask_for(void *world)
{
    struct call c;
    caller(&c);
    const struct datasource *ds = registry_get(((struct world *)world)->registry, &c, "demo");
    bool known = ds && ds->snapshot && ds->status == DS_READY;
    call_end(&c);
    return known ? world : NULL;
}

static void learns_elsewhere(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct call c;
    struct db *store;
    struct process p;
    pthread_t threads[THREADS];
    caller(&c);
    assert_int_equal(db_open(&c, ":memory:", &store), OK);
    for (int round = 0; round < 2; round++) { /* the second knows from the store */
        start(&c, &p, store);
        for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, ask_for, &p.world);
        for (int i = 0; i < THREADS; i++) {
            void *known;
            pthread_join(threads[i], &known);
            assert_non_null(known);
        }
        registry_stale(p.world.registry, "demo");
        assert_non_null(ask_for(&p.world));
        stop(&p);
    }
    db_close(store);
    call_end(&c);
}

struct heap {
    atomic_int left, done;
};

static bool take_one(void *ctx)
{
    struct heap *h = ctx;
    if (atomic_fetch_sub(&h->left, 1) <= 0) {
        atomic_fetch_add(&h->left, 1);
        return false;
    }
    atomic_fetch_add(&h->done, 1);
    return true;
}

static void crew_loses_nothing(void **state)
{
    (void)state;
    struct heap h = { 0 };
    struct crew *w = crew_new(3, take_one, &h);
    for (int i = 0; i < 2000; i++) {
        atomic_fetch_add(&h.left, 1);
        crew_wake(w);
    }
    int64_t until = clock_mono_us() + SOON_US;
    while (atomic_load(&h.done) < 2000 && clock_mono_us() < until)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    assert_int_equal(atomic_load(&h.done), 2000);
    crew_end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lives), cmocka_unit_test(learns_elsewhere),
                                        cmocka_unit_test(crew_loses_nothing) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
