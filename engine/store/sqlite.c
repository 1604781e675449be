/* The store in one SQLite file: one connection writes, a few read beside it (WAL). A store in memory has one for both.
 */
#include "store/sqlite_store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOCK_WAIT_MS 5000 /* for another process that writes */

static const char *reason_of(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "it is locked by another process";
    case SQLITE_NOTADB:
        return "it is not an SQLite database";
    case SQLITE_CORRUPT:
        return "it is damaged";
    case SQLITE_READONLY:
        return "it is read-only";
    case SQLITE_FULL:
        return "the disk is full";
    case SQLITE_CANTOPEN:
        return "the file cannot be opened";
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return "access is denied";
    case SQLITE_IOERR:
        return "reading or writing the file failed";
    default:
        return "an unexpected error occurred";
    }
}

int store_failed(struct call *c, int rc, const char *words)
{
    call_detail(c, "sqlite %d: %s", rc, words);
    if (rc == SQLITE_CONSTRAINT_UNIQUE || rc == SQLITE_CONSTRAINT_PRIMARYKEY || rc == SQLITE_CONSTRAINT_FOREIGNKEY)
        return call_fail(c, ERR_CONFLICT, "The object exists already, or refers to one that does not.");
    if ((rc & 0xff) == SQLITE_CONSTRAINT || (rc & 0xff) == SQLITE_ERROR || (rc & 0xff) == SQLITE_MISUSE)
        return call_fail(c, ERR_INTERNAL_ERROR, "A statement of the store failed.");
    return call_fail(c, ERR_STORE_FAILED, "The store cannot be used: %s.", reason_of(rc));
}

static uint64_t hash_text(const char *s)
{
    uint64_t h = 1469598103934665603u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

/* The prepared form of a statement, kept for the next time. */
static int prepare(struct connection *k, const char *sql, const struct prepared **out)
{
    uint64_t hash = hash_text(sql);
    struct prepared *oldest = &k->kept[0];
    for (struct prepared *s = k->kept; s < k->kept + STATEMENTS; s++) {
        if (s->stmt && s->hash == hash && !strcmp(s->sql, sql)) {
            s->used = ++k->clock;
            *out = s;
            return SQLITE_OK;
        }
        if (s->used < oldest->used) oldest = s;
    }
    sqlite3_stmt *stmt;
    int rc = sqlite3_prepare_v3(k->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL);
    if (rc) return rc;
    sqlite3_finalize(oldest->stmt);
    free(oldest->sql);
    *oldest = (struct prepared){ .sql = strdup(sql), .stmt = stmt, .hash = hash, .used = ++k->clock, .in_order = true };
    if (!oldest->sql) abort();
    for (int i = 1, n = sqlite3_bind_parameter_count(stmt); i <= n; i++) {
        const char *name = sqlite3_bind_parameter_name(stmt, i);
        oldest->in_order = oldest->in_order && name && strtol(name + 1, NULL, 10) == i;
    }
    *out = oldest;
    return SQLITE_OK;
}

static int place_of(const struct prepared *p, int number)
{
    char name[8];
    if (p->in_order) return number;
    sqlite3_snprintf((int)sizeof name, name, "$%d", number);
    return sqlite3_bind_parameter_index(p->stmt, name);
}

static void bind(const struct prepared *p, const struct param *params, size_t count)
{
    sqlite3_stmt *stmt = p->stmt;
    assert((size_t)sqlite3_bind_parameter_count(stmt) == count);
    for (size_t i = 0; i < count; i++) {
        int at = place_of(p, (int)i + 1), n = (int)params[i].n;
        assert(at && params[i].n <= INT32_MAX);
        switch (params[i].kind) {
        case P_NULL:
            sqlite3_bind_null(stmt, at);
            break;
        case P_INT:
            sqlite3_bind_int64(stmt, at, params[i].integer);
            break;
        case P_TEXT:
            sqlite3_bind_text(stmt, at, params[i].text, n, SQLITE_STATIC);
            break;
        case P_BLOB:
            sqlite3_bind_blob(stmt, at, params[i].text, n, SQLITE_STATIC);
            break;
        }
    }
}

static void rest(sqlite3_stmt *stmt)
{
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
}

int store_run(struct connection *k, const char *sql, const struct param *params, size_t count)
{
    const struct prepared *p;
    int rc = prepare(k, sql, &p);
    if (rc) return rc;
    bind(p, params, count);
    do rc = sqlite3_step(p->stmt);
    while (rc == SQLITE_ROW);
    if (rc != SQLITE_DONE) rc = sqlite3_extended_errcode(k->db);
    rest(p->stmt);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int connect(struct sqlite_store *s, struct connection *k)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (s->memory) flags |= SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
    int rc = sqlite3_open_v2(s->path, &k->db, flags, NULL);
    if (rc) return rc;
    sqlite3_busy_timeout(k->db, LOCK_WAIT_MS);
    sqlite3_db_config(k->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(k->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    rc = sqlite3_exec(k->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -1000", NULL,
                      NULL, NULL);
    if (!rc)
        rc = sqlite3_exec(k->db, "PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 67108864", NULL, NULL, NULL);
    return rc;
}

static void disconnect(struct connection *k)
{
    for (struct prepared *s = k->kept; s < k->kept + STATEMENTS; s++) {
        sqlite3_finalize(s->stmt);
        free(s->sql);
    }
    sqlite3_close(k->db);
    *k = (struct connection){ 0 };
}

static bool sqlite_takes(const char *path)
{
    return !strstr(path, "://");
}

static void sqlite_close(struct db *db)
{
    struct sqlite_store *s = (struct sqlite_store *)db;
    for (int i = 0; i < READERS; i++) disconnect(&s->readers[i]);
    disconnect(&s->writer);
    pthread_mutex_destroy(&s->write_lock);
    pthread_mutex_destroy(&s->pool_lock);
    pthread_cond_destroy(&s->pool_freed);
    pthread_mutex_destroy(&s->queue_lock);
    free(s->path);
    free(s);
}

static int open_failed(struct call *c, struct sqlite_store *s, int rc)
{
    if (s->writer.db) call_detail(c, "sqlite %d: %s", rc, sqlite3_errmsg(s->writer.db));
    call_fail(c, ERR_STORE_FAILED, "The store %s cannot be used: %s.", s->path, reason_of(rc));
    sqlite_close(&s->base);
    return ERR_STORE_FAILED;
}

static int sqlite_open(struct call *c, const char *path, struct db **out)
{
    bool memory = !strcmp(path, ":memory:");
    if (!memory) {
        /* Made by us and not by SQLite, so that nobody else may read it. */
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0)
            close(fd);
        else if (errno != EEXIST)
            return call_fail(c, ERR_STORE_FAILED, "The store %s cannot be made: %s.", path, strerror(errno));
    }
    struct sqlite_store *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->base.driver = &db_sqlite;
    s->path = strdup(path);
    s->memory = memory;
    s->full_sync = true;
    s->last = &s->first;
    pthread_mutex_init(&s->write_lock, NULL);
    pthread_mutex_init(&s->pool_lock, NULL);
    pthread_cond_init(&s->pool_freed, NULL);
    pthread_mutex_init(&s->queue_lock, NULL);
    int rc = connect(s, &s->writer);
    if (!rc && sqlite3_db_readonly(s->writer.db, "main") == 1) rc = SQLITE_READONLY;
    if (rc) return open_failed(c, s, rc);
    *out = &s->base;
    return OK;
}

int store_take_writer(struct sqlite_store *s, bool full_sync)
{
    pthread_mutex_lock(&s->write_lock);
    if (s->full_sync == full_sync) return SQLITE_OK;
    int rc = store_run(&s->writer, full_sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", NULL, 0);
    if (rc)
        pthread_mutex_unlock(&s->write_lock);
    else
        s->full_sync = full_sync;
    return rc;
}

static int take_reader(struct sqlite_store *s, int *out)
{
    int free_one = -1;
    pthread_mutex_lock(&s->pool_lock);
    while (free_one < 0) {
        for (int i = 0; i < READERS && free_one < 0; i++)
            if (!s->reading[i]) free_one = i;
        if (free_one < 0) pthread_cond_wait(&s->pool_freed, &s->pool_lock);
    }
    s->reading[free_one] = true;
    pthread_mutex_unlock(&s->pool_lock);
    *out = free_one;
    struct connection *k = &s->readers[free_one];
    if (k->db) return SQLITE_OK;
    int rc = connect(s, k);
    if (!rc) rc = sqlite3_exec(k->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
    if (rc) disconnect(k);
    return rc;
}

static void give_reader(struct sqlite_store *s, int i)
{
    pthread_mutex_lock(&s->pool_lock);
    s->reading[i] = false;
    pthread_cond_signal(&s->pool_freed);
    pthread_mutex_unlock(&s->pool_lock);
}

/* Where query() brings cells. */
struct taker {
    int (*cell)(void *ctx, struct call *c, size_t row, const char *column, const struct param *value);
    void *ctx;
};

static int take_row(struct call *c, sqlite3_stmt *stmt, size_t row, const struct taker *t)
{
    for (int i = 0, n = sqlite3_column_count(stmt); i < n; i++) {
        struct param v = { .kind = P_NULL };
        switch (sqlite3_column_type(stmt, i)) {
        case SQLITE_NULL:
            break;
        case SQLITE_INTEGER:
            v = P_I(sqlite3_column_int64(stmt, i));
            break;
        case SQLITE_BLOB:
            /* An empty blob has no address. */
            v = db_blob(sqlite3_column_bytes(stmt, i) ? sqlite3_column_blob(stmt, i) : "",
                        (size_t)sqlite3_column_bytes(stmt, i));
            break;
        default:
            v = (struct param){ .kind = P_TEXT, .text = (const char *)sqlite3_column_text(stmt, i) };
            v.n = (size_t)sqlite3_column_bytes(stmt, i);
        }
        int rc = t->cell(t->ctx, c, row, sqlite3_column_name(stmt, i), &v);
        if (rc) return rc;
    }
    return OK;
}

static int take_rows(struct connection *k, struct call *c, sqlite3_stmt *stmt, const struct taker *t)
{
    int rc = OK, step;
    size_t row = 0;
    while ((step = sqlite3_step(stmt)) == SQLITE_ROW && !rc) rc = take_row(c, stmt, row++, t);
    if (!rc && step != SQLITE_DONE) rc = store_failed(c, sqlite3_extended_errcode(k->db), sqlite3_errmsg(k->db));
    return rc;
}

static int query_on(struct connection *k, struct call *c, const char *sql, const struct param *params, size_t count,
                    const struct taker *t)
{
    const struct prepared *p;
    int rc = prepare(k, sql, &p);
    if (rc) return store_failed(c, rc, sqlite3_errmsg(k->db));
    bind(p, params, count);
    rc = take_rows(k, c, p->stmt, t);
    rest(p->stmt);
    return rc;
}

static int sqlite_query(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
                        int (*cell)(void *ctx, struct call *c, size_t row, const char *column,
                                    const struct param *value),
                        void *ctx)
{
    struct sqlite_store *s = (struct sqlite_store *)db;
    const struct taker t = { cell, ctx };
    int rc, reader;
    if (atomic_load(&s->owner) == c) return query_on(&s->writer, c, sql, params, count, &t);
    if (s->memory) {
        if ((rc = store_take_writer(s, true))) return store_failed(c, rc, sqlite3_errstr(rc));
        rc = query_on(&s->writer, c, sql, params, count, &t);
        pthread_mutex_unlock(&s->write_lock);
        return rc;
    }
    rc = take_reader(s, &reader);
    rc = rc ? store_failed(c, rc, sqlite3_errstr(rc)) : query_on(&s->readers[reader], c, sql, params, count, &t);
    give_reader(s, reader);
    return rc;
}

static int exec_on(struct connection *k, struct call *c, const char *sql, const struct param *params, size_t count,
                   int64_t *changed)
{
    int rc = store_run(k, sql, params, count);
    if (rc) return store_failed(c, rc, sqlite3_errmsg(k->db));
    if (changed) *changed = sqlite3_changes64(k->db);
    return OK;
}

static int sqlite_exec(struct db *db, struct call *c, const char *sql, const struct param *params, size_t count,
                       int64_t *changed)
{
    struct sqlite_store *s = (struct sqlite_store *)db;
    if (atomic_load(&s->owner) == c) return exec_on(&s->writer, c, sql, params, count, changed);
    int rc = store_take_writer(s, true);
    if (rc) return store_failed(c, rc, sqlite3_errstr(rc));
    rc = exec_on(&s->writer, c, sql, params, count, changed);
    pthread_mutex_unlock(&s->write_lock);
    return rc;
}

static int sqlite_begin(struct db *db, struct call *c, bool durable)
{
    struct sqlite_store *s = (struct sqlite_store *)db;
    assert(atomic_load(&s->owner) != c);
    int rc = store_take_writer(s, durable);
    if (rc) return store_failed(c, rc, sqlite3_errstr(rc));
    rc = store_run(&s->writer, "BEGIN IMMEDIATE", NULL, 0);
    if (rc) {
        rc = store_failed(c, rc, sqlite3_errmsg(s->writer.db));
        pthread_mutex_unlock(&s->write_lock);
        return rc;
    }
    atomic_store(&s->owner, c);
    return OK;
}

static int sqlite_end(struct db *db, struct call *c, bool commit)
{
    struct sqlite_store *s = (struct sqlite_store *)db;
    int rc = OK, ended = commit ? store_run(&s->writer, "COMMIT", NULL, 0) : SQLITE_OK;
    if (ended) rc = store_failed(c, ended, sqlite3_errmsg(s->writer.db));
    /* SQLite rolls back by itself after some failures. */
    if (!sqlite3_get_autocommit(s->writer.db)) store_run(&s->writer, "ROLLBACK", NULL, 0);
    atomic_store(&s->owner, NULL);
    pthread_mutex_unlock(&s->write_lock);
    return rc;
}

static int sqlite_script(struct db *db, struct call *c, const char *sql)
{
    struct sqlite_store *s = (struct sqlite_store *)db;
    int rc = sqlite3_exec(s->writer.db, sql, NULL, NULL, NULL);
    return rc ? store_failed(c, rc, sqlite3_errmsg(s->writer.db)) : OK;
}

static int copy_into(struct sqlite_store *s, struct call *c, const char *path)
{
    const struct param into[] = { P_T(path) };
    int rc;
    if (s->memory) {
        if ((rc = store_take_writer(s, true))) return store_failed(c, rc, sqlite3_errstr(rc));
        rc = exec_on(&s->writer, c, "VACUUM INTO $1", into, 1, NULL);
        pthread_mutex_unlock(&s->write_lock);
        return rc;
    }
    /* A connection of its own: readers and the writer go on. */
    struct connection k = { 0 };
    rc = connect(s, &k);
    rc = rc ? store_failed(c, rc, sqlite3_errstr(rc)) : exec_on(&k, c, "VACUUM INTO $1", into, 1, NULL);
    disconnect(&k);
    return rc;
}

static int sqlite_backup(struct db *db, struct call *c, const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) return call_fail(c, ERR_CONFLICT, "The file %s exists already.", path);
    if (fd < 0) return call_fail(c, ERR_VALIDATION_ERROR, "The file %s cannot be made: %s.", path, strerror(errno));
    int rc = copy_into((struct sqlite_store *)db, c, path);
    if (!rc && fsync(fd)) rc = call_fail(c, ERR_STORE_FAILED, "The copy could not be written: %s.", strerror(errno));
    close(fd);
    if (rc) unlink(path);
    return rc;
}

static bool sqlite_foreign(struct db *db, struct call *c)
{
    struct sqlite_store *s = (struct sqlite_store *)db;
    const struct prepared *p;
    (void)c;
    bool foreign = false;
    if (!prepare(&s->writer,
                 "SELECT count(*) > 0 AND NOT max(name = 'migrations') FROM sqlite_schema WHERE name NOT LIKE "
                 "'sqlite\\_%' ESCAPE '\\'",
                 &p)) {
        foreign = sqlite3_step(p->stmt) == SQLITE_ROW && sqlite3_column_int(p->stmt, 0);
        rest(p->stmt);
    }
    return foreign;
}

const struct db_driver db_sqlite = {
    .name = "sqlite",
    .takes = sqlite_takes,
    .open = sqlite_open,
    .close = sqlite_close,
    .query = sqlite_query,
    .exec = sqlite_exec,
    .append = sqlite_append,
    .begin = sqlite_begin,
    .end = sqlite_end,
    .script = sqlite_script,
    .backup = sqlite_backup,
    .foreign = sqlite_foreign,
};
