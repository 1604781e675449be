/* sqlite_store: what the files of the store in SQLite share; internal to it. sqlite.c is the driver, sqlite_append.c
 * commits the records of many threads together. */
#ifndef QUERENT_SQLITE_STORE_H
#define QUERENT_SQLITE_STORE_H

#include "store/driver.h"

#include <pthread.h>
#include <sqlite3.h>

#define READERS    4
#define STATEMENTS 64 /* kept prepared, a connection */

struct prepared {
    char *sql;
    sqlite3_stmt *stmt;
    uint64_t hash, used;
    bool in_order; /* $1, $2 … are named in this order: no name need be looked up */
};

struct connection {
    sqlite3 *db;
    struct prepared kept[STATEMENTS];
    uint64_t clock;
};

struct append;

struct sqlite_store {
    struct db base;
    char *path;
    bool memory;
    pthread_mutex_t write_lock; /* held by whoever writes, for the whole transaction */
    struct connection writer;
    _Atomic(struct call *) owner; /* the call whose transaction is open */
    bool full_sync;               /* the writer's present setting */
    pthread_mutex_t pool_lock;    /* leaf lock */
    pthread_cond_t pool_freed;
    struct connection readers[READERS];
    bool reading[READERS];
    pthread_mutex_t queue_lock; /* leaf lock */
    struct append *first, **last;
    size_t waiting, crowd; /* records in the queue; in the last batch */
    bool leading;          /* a thread is committing a batch */
};

/* SQLite's code -> ours. The driver's own words are for the log. */
int store_failed(struct call *c, int rc, const char *words);
/* Runs a statement that gives no rows; SQLite's code. */
int store_run(struct connection *k, const char *sql, const struct param *params, size_t count);
/* The writer with the wanted durability; the caller unlocks. FULL costs an fsync a commit, NORMAL survives the end of
 * the process but not a loss of power. */
int store_take_writer(struct sqlite_store *s, bool full_sync);
int sqlite_append(struct db *db, struct call *c, const struct db_write *writes, size_t count);

#endif
