#include "adapters/sqlite.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PROGRESS_STEPS = 1000,
    LOOK_US = 500,
    BUSY_US = 2000000,
    MEMORY_BYTES = 256 * 1024 * 1024,
    LENGTH_MOST = 64 * 1024 * 1024
};

static int progress(void *ctx)
{
    struct conn *k = ctx;
    k->ticks += PROGRESS_STEPS;
    if (!k->call) return 0;
    if (k->step_limit && k->ticks >= k->step_limit)
        k->stop = STOP_STEPS;
    else if (atomic_load_explicit(&k->call->cancelled, memory_order_relaxed))
        k->stop = STOP_CANCEL;
    else if (clock_mono_us() >= k->deadline_us)
        k->stop = STOP_TIME;
    else if (sqlite3_memory_used() > k->memory_limit)
        k->stop = STOP_MEMORY;
    return k->stop != STOP_NONE;
}

bool conn_stopped(struct conn *k)
{
    return progress(k) != 0;
}

/* Another program holds the file: try again for a while. */
static int busy(void *ctx, int count)
{
    struct conn *k = ctx;
    int64_t now = clock_mono_us();
    if (!count) k->busy_until_us = now + BUSY_US;
    if (now >= k->busy_until_us || (k->call && (atomic_load(&k->call->cancelled) || now >= k->deadline_us))) return 0;
    nanosleep(&(struct timespec){ .tv_nsec = count < 5 ? 1000000 : 10000000 }, NULL);
    return 1;
}

static void interrupt(void *ctx)
{
    sqlite3_interrupt(((struct conn *)ctx)->db);
}

void conn_watch(struct conn *k, struct call *c, int64_t time_ms, int64_t steps)
{
    k->call = c;
    k->deadline_us = clock_mono_us() + time_ms * 1000;
    if (c->deadline_us && c->deadline_us < k->deadline_us) k->deadline_us = c->deadline_us;
    k->step_limit = steps;
    k->ticks = 0;
    k->stop = STOP_NONE;
    k->memory_limit = sqlite3_memory_used() + MEMORY_BYTES;
    call_on_cancel(c, interrupt, k);
}

static int unavailable(struct call *c, const char *message, const char *fix)
{
    call_hint(c, "%s", fix);
    return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", message);
}

/* What is wrong with the file, or OK when it is the statement. */
static int file_fail(struct call *c, int rc)
{
    static const char shell[] = "Check the file with the sqlite3 shell on the machine where Querent runs.";
    if (rc == SQLITE_READONLY_ROLLBACK || rc == SQLITE_READONLY_RECOVERY || rc == SQLITE_BUSY_RECOVERY)
        return unavailable(c, "The database file was left in the middle of a write.",
                           "Open it once with the program that owns it, so that the write is finished or undone.");
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return unavailable(c, "The database file is locked by another program.",
                           "Close the program that writes to it, or try again.");
    case SQLITE_CORRUPT:
        return unavailable(c, "The database file is damaged.",
                           "Restore it from a backup, or recover it with the sqlite3 shell.");
    case SQLITE_NOTADB:
        return unavailable(c, "The file is not a SQLite database.",
                           "Give the path of a SQLite 3 file; an encrypted one cannot be read.");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
        return unavailable(c, "The database file cannot be read.", shell);
    default:
        return OK;
    }
}

static int interrupted(struct conn *k, struct call *c, int64_t time_ms)
{
    if (k->stop == STOP_MEMORY)
        return call_fail(c, ERR_LIMIT_EXCEEDED, "The query needed more than %d MiB of memory and was stopped.",
                         MEMORY_BYTES / 1024 / 1024);
    int rc = call_check(c);
    if (rc) return rc;
    if (k->stop == STOP_TIME) return adapter_timed_out(c, time_ms);
    return call_fail(c, ERR_CANCELLED, "%s", code_row(ERR_CANCELLED)->text);
}

int conn_fail(struct conn *k, struct call *c, int rc, int64_t time_ms)
{
    const char *message = sqlite3_errmsg(k->db);
    call_detail(c, "sqlite: %s (%d)", message, rc);
    int code = file_fail(c, rc);
    k->spent = k->spent || code;
    if (code) return code;
    switch (rc & 0xff) {
    case SQLITE_INTERRUPT:
        return interrupted(k, c, time_ms);
    case SQLITE_TOOBIG:
        return call_fail(c, ERR_LIMIT_EXCEEDED, "A value of the query is larger than the ceiling for one value.");
    case SQLITE_NOMEM:
        return call_fail(c, ERR_LIMIT_EXCEEDED, "The query needed too much memory and was stopped.");
    case SQLITE_AUTH:
        return call_fail(c, ERR_GUARD_DISAGREEMENT, "%s", code_row(ERR_GUARD_DISAGREEMENT)->text);
    default:
        break;
    }
    if (!strncmp(message, "no such ", 8) || (rc & 0xff) == SQLITE_SCHEMA) {
        k->spent = true; /* a file that was copied over in place looks unchanged to an open connection */
        return adapter_changed(c);
    }
    return call_fail(c, ERR_EXECUTION_FAILED, "The database could not run the query: %s.", message);
}

void conn_close(void *conn)
{
    struct conn *k = conn;
    for (size_t i = 0; i < CACHE_STATEMENTS; i++) conn_forget(&k->cache[i]);
    sqlite3_close(k->db);
    free(k);
}

/* Each line takes one power away; the tests of the adapter fail when one is missing. */
static int restrain(struct conn *k)
{
    static const struct {
        int option, value;
    } options[] = { { SQLITE_DBCONFIG_DEFENSIVE, 1 },
                    { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
                    { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
                    { SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
                    { SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0 },
                    { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
                    { SQLITE_DBCONFIG_DQS_DML, 0 },
                    { SQLITE_DBCONFIG_DQS_DDL, 0 } };
    static const struct {
        int id, value;
    } limits[] = { { SQLITE_LIMIT_ATTACHED, 0 },
                   { SQLITE_LIMIT_LENGTH, LENGTH_MOST },
                   { SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
                   { SQLITE_LIMIT_VDBE_OP, 1 << 20 },
                   { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 4096 },
                   { SQLITE_LIMIT_VARIABLE_NUMBER, 16 },
                   { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
                   { SQLITE_LIMIT_WORKER_THREADS, 0 } };
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof options / sizeof options[0] && rc == SQLITE_OK; i++)
        rc = sqlite3_db_config(k->db, options[i].option, options[i].value, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) sqlite3_limit(k->db, limits[i].id, limits[i].value);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(k->db,
                          "PRAGMA query_only = ON; PRAGMA temp_store = FILE; PRAGMA mmap_size = 0;"
                          " PRAGMA cell_size_check = ON; PRAGMA cache_size = -2000",
                          NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = sqlite_functions(k->db, k);
    k->mode = CONN_CLOSED;
    sqlite3_set_authorizer(k->db, conn_authorize, k);
    sqlite3_progress_handler(k->db, PROGRESS_STEPS, progress, k);
    return rc;
}

/* What the file is, before SQLite is asked: an empty file would pass as an empty database. */
static int look(const char *path, struct call *c, struct stat *st, enum test_stage *stage)
{
    static const char where[] = "Check the path: it is read on the machine where Querent runs.";
    *stage = STAGE_RESOLVE;
    if (stat(path, st))
        return unavailable(c, "The database file does not exist or its folder cannot be entered.", where);
    if (S_ISDIR(st->st_mode)) return unavailable(c, "The path names a folder, not a database file.", where);
    if (!S_ISREG(st->st_mode)) return unavailable(c, "The path does not name a regular file.", where);
    *stage = STAGE_OPEN;
    if (access(path, R_OK))
        return unavailable(c, "Querent may not read the database file.",
                           "Let the user that runs Querent read the file and enter its folder.");
    if (!st->st_size)
        return unavailable(c, "The file is empty: it holds no database.", "Give the path of a SQLite 3 file.");
    return OK;
}

/* The first page is read under a lock, so a stranger, a damaged header and a locked file are found now. */
static int first_read(struct conn *k, struct call *c)
{
    conn_watch(k, c, 10000, 0);
    k->mode = CONN_CATALOGUE;
    int rc = sqlite3_exec(k->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    k->mode = CONN_CLOSED;
    call_off_cancel(c);
    k->call = NULL;
    return rc;
}

int conn_open(struct sqlite_adapter *a, struct call *c, struct conn **out, enum test_stage *stage)
{
    struct stat st;
    int rc = look(a->path, c, &st, stage);
    if (rc) return rc;
    char *path = realpath(a->path, NULL); /* absolute: SQLite gives some short names a meaning of their own */
    struct conn *k = calloc(1, sizeof *k);
    if (!k) abort();
    k->device = st.st_dev;
    k->inode = st.st_ino;
    rc = path ? sqlite3_open_v2(path, &k->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                sqlite_vfs())
              : SQLITE_CANTOPEN;
    free(path);
    if (rc == SQLITE_OK) rc = sqlite3_busy_handler(k->db, busy, k);
    if (rc == SQLITE_OK) rc = restrain(k);
    if (rc == SQLITE_OK) rc = first_read(k, c);
    if (rc == SQLITE_OK) {
        *out = k;
        return OK;
    }
    call_detail(c, "sqlite: %s (%d)", k->db ? sqlite3_errmsg(k->db) : "no file", rc);
    int code = call_check(c);
    if (!code) code = file_fail(c, rc);
    if (!code) code = unavailable(c, "The database file cannot be opened.", "Check the file with the sqlite3 shell.");
    conn_close(k);
    return code;
}

int conn_take(struct sqlite_adapter *a, struct call *c, struct conn **out)
{
    void *handle;
    struct stat st;
    int rc = pool_take(a->pool, c, &handle);
    if (rc) return rc;
    struct conn *k = handle;
    int64_t now = clock_mono_us();
    /* An inspection and the run that follows it look once. */
    if (k && now - k->looked_us > LOOK_US) {
        k->looked_us = now;
        if (stat(a->path, &st) || st.st_dev != k->device || st.st_ino != k->inode) {
            conn_close(k);
            k = NULL;
        }
    }
    enum test_stage stage;
    if (!k) rc = conn_open(a, c, &k, &stage);
    if (rc) pool_give(a->pool, NULL);
    *out = k;
    return rc;
}

void conn_done(struct sqlite_adapter *a, struct call *c, struct conn *k)
{
    call_off_cancel(c);
    k->call = NULL;
    k->mode = CONN_CLOSED;
    if (k->spent) {
        conn_close(k);
        k = NULL;
    }
    pool_give(a->pool, k);
}
