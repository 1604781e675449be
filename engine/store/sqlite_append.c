/* Records that many threads write at once: whoever comes first commits for those who wait. */
#include "store/sqlite_store.h"

#include <assert.h>
#include <sched.h>
#include <semaphore.h>

#define APPEND_REASON 200

/* One thread's records on their way into a shared transaction. Lives on that thread's stack until its turn comes: then
 * they are committed (or failed), or the thread is to commit those that wait. */
struct append {
    const struct db_write *writes;
    size_t count;
    int rc; /* SQLite's */
    char reason[APPEND_REASON];
    bool done;
    sem_t turn;
    struct append *next;
};

static void append_failed(struct append *a, int rc, const char *words)
{
    a->rc = rc;
    sqlite3_snprintf((int)sizeof a->reason, a->reason, "%s", words);
}

/* The records of one thread, all or none of them. */
static int run_writes(struct sqlite_store *s, struct append *a)
{
    int rc = a->count > 1 ? store_run(&s->writer, "SAVEPOINT one", NULL, 0) : SQLITE_OK;
    for (size_t i = 0; i < a->count && !rc; i++) {
        rc = store_run(&s->writer, a->writes[i].sql, a->writes[i].params, a->writes[i].count);
        if (rc) append_failed(a, rc, sqlite3_errmsg(s->writer.db));
    }
    if (a->count < 2 || sqlite3_get_autocommit(s->writer.db)) return rc;
    if (rc) store_run(&s->writer, "ROLLBACK TO one", NULL, 0);
    int released = store_run(&s->writer, "RELEASE one", NULL, 0);
    if (!rc && released) append_failed(a, released, sqlite3_errmsg(s->writer.db));
    return rc ? rc : released;
}

/* One transaction for the whole batch. Records that fail by themselves do not take those of others with them. */
static void commit_batch(struct sqlite_store *s, struct append *batch)
{
    int rc = store_take_writer(s, false);
    bool locked = !rc;
    if (!rc) rc = store_run(&s->writer, "BEGIN IMMEDIATE", NULL, 0);
    for (struct append *a = batch; a && !rc; a = a->next) {
        int one = run_writes(s, a);
        if (one && sqlite3_get_autocommit(s->writer.db)) rc = one;
    }
    if (!rc) rc = store_run(&s->writer, "COMMIT", NULL, 0);
    for (struct append *a = batch; a && rc; a = a->next)
        append_failed(a, rc, locked ? sqlite3_errmsg(s->writer.db) : sqlite3_errstr(rc));
    if (!locked) return;
    if (!sqlite3_get_autocommit(s->writer.db)) store_run(&s->writer, "ROLLBACK", NULL, 0);
    pthread_mutex_unlock(&s->write_lock);
}

/* Where many write at once, those who are about to append get a moment to join: a commit for sixteen costs little more
 * than one. Caller holds the queue's lock. */
static void let_others_join(struct sqlite_store *s)
{
    for (size_t seen = 0; s->crowd > 1 && s->waiting > seen;) {
        seen = s->waiting;
        pthread_mutex_unlock(&s->queue_lock);
        sched_yield();
        pthread_mutex_lock(&s->queue_lock);
    }
}

/* This thread commits all that wait, its own among them; who comes meanwhile is led by the first of them. */
static void lead(struct sqlite_store *s, struct append *mine)
{
    pthread_mutex_lock(&s->queue_lock);
    let_others_join(s);
    struct append *batch = s->first;
    s->first = NULL;
    s->last = &s->first;
    s->crowd = s->waiting;
    s->waiting = 0;
    pthread_mutex_unlock(&s->queue_lock);
    commit_batch(s, batch);
    pthread_mutex_lock(&s->queue_lock);
    struct append *heir = s->first;
    s->leading = heir != NULL;
    pthread_mutex_unlock(&s->queue_lock);
    for (struct append *a = batch, *next; a; a = next) {
        next = a->next;
        a->done = true;
        if (a != mine) sem_post(&a->turn);
    }
    if (heir) sem_post(&heir->turn);
}

int sqlite_append(struct db *db, struct call *c, const struct db_write *writes, size_t count)
{
    struct sqlite_store *s = (struct sqlite_store *)db;
    struct append mine = { .writes = writes, .count = count };
    assert(atomic_load(&s->owner) != c);
    sem_init(&mine.turn, 0, 0);
    pthread_mutex_lock(&s->queue_lock);
    *s->last = &mine;
    s->last = &mine.next;
    s->waiting++;
    bool leads = !s->leading;
    s->leading = true;
    pthread_mutex_unlock(&s->queue_lock);
    while (!leads && sem_wait(&mine.turn)) continue;
    if (!mine.done) lead(s, &mine);
    sem_destroy(&mine.turn);
    return mine.rc ? store_failed(c, mine.rc, mine.reason) : OK;
}
