/* The store when the disk fails and when the process dies: the n-th file operation fails, for every n, and kill -9 at
 * any moment. Each time: a clean error, the next request fine, nothing acknowledged lost, no half of a transaction. */
#include "store/db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A VFS over the real one that counts down to a failure. File-scope state: SQLite finds a VFS by its name. */
static struct {
    int countdown; /* 0 = off */
    bool fired;
    sqlite3_vfs *real;
} fault;

static bool fails(void)
{
    if (!fault.countdown || --fault.countdown) return false;
    fault.fired = true;
    return true;
}

struct shim {
    sqlite3_file base;
    _Alignas(8) char real[];
};
#define REAL(f) ((sqlite3_file *)(void *)((struct shim *)(void *)(f))->real)

static int shim_close(sqlite3_file *f)
{
    return REAL(f)->pMethods->xClose(REAL(f));
}
static int shim_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    return fails() ? SQLITE_IOERR_READ : REAL(f)->pMethods->xRead(REAL(f), to, n, at);
}
static int shim_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    if (!fails()) return REAL(f)->pMethods->xWrite(REAL(f), from, n, at);
    REAL(f)->pMethods->xWrite(REAL(f), from, n / 2, at); /* torn */
    return SQLITE_FULL;
}
static int shim_truncate(sqlite3_file *f, sqlite3_int64 n)
{
    return fails() ? SQLITE_IOERR_TRUNCATE : REAL(f)->pMethods->xTruncate(REAL(f), n);
}
static int shim_sync(sqlite3_file *f, int flags)
{
    return fails() ? SQLITE_IOERR_FSYNC : REAL(f)->pMethods->xSync(REAL(f), flags);
}
static int shim_size(sqlite3_file *f, sqlite3_int64 *n)
{
    return REAL(f)->pMethods->xFileSize(REAL(f), n);
}
static int shim_lock(sqlite3_file *f, int how)
{
    return fails() ? SQLITE_IOERR_LOCK : REAL(f)->pMethods->xLock(REAL(f), how);
}
static int shim_unlock(sqlite3_file *f, int how)
{
    return REAL(f)->pMethods->xUnlock(REAL(f), how);
}
static int shim_reserved(sqlite3_file *f, int *out)
{
    return REAL(f)->pMethods->xCheckReservedLock(REAL(f), out);
}
static int shim_control(sqlite3_file *f, int op, void *arg)
{
    return REAL(f)->pMethods->xFileControl(REAL(f), op, arg);
}
static int shim_sector(sqlite3_file *f)
{
    return REAL(f)->pMethods->xSectorSize(REAL(f));
}
static int shim_traits(sqlite3_file *f)
{
    return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f));
}
static int shim_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return fails() ? SQLITE_IOERR_SHMMAP : REAL(f)->pMethods->xShmMap(REAL(f), page, size, extend, out);
}
static int shim_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
    return REAL(f)->pMethods->xShmLock(REAL(f), at, n, flags);
}
static void shim_shm_barrier(sqlite3_file *f)
{
    REAL(f)->pMethods->xShmBarrier(REAL(f));
}
static int shim_shm_unmap(sqlite3_file *f, int delete)
{
    return REAL(f)->pMethods->xShmUnmap(REAL(f), delete);
}

static const sqlite3_io_methods shim_methods = {
    .iVersion = 2,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_traits,
    .xShmMap = shim_shm_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_shm_barrier,
    .xShmUnmap = shim_shm_unmap,
};

static int shim_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
    (void)vfs;
    f->pMethods = NULL;
    if (fails()) return SQLITE_CANTOPEN;
    int rc = fault.real->xOpen(fault.real, name, REAL(f), flags, out);
    if (!rc) f->pMethods = &shim_methods;
    return rc;
}

static int install(void **state)
{
    static sqlite3_vfs shim;
    (void)state;
    fault.real = sqlite3_vfs_find(NULL);
    shim = *fault.real;
    shim.zName = "failing";
    shim.szOsFile = (int)sizeof(struct shim) + fault.real->szOsFile;
    shim.xOpen = shim_open;
    return sqlite3_vfs_register(&shim, 1);
}

struct row {
    const char *id;
};
static const struct field row_fields[] = { FIELD(struct row, id, K_STR), { 0 } };
static const struct type row_type = TYPE(struct row, "Row", row_fields);

static int pair(struct db *db, struct call *c, void *ctx)
{
    const char *id = ctx;
    int rc =
        db_exec(db, c, "INSERT INTO tenants VALUES ($1, 'first', 0)", PARAMS(P_T(call_format(c, "%s-a", id))), NULL);
    if (rc) return rc;
    return db_exec(db, c, "INSERT INTO tenants VALUES ($1, 'second', 0)", PARAMS(P_T(call_format(c, "%s-b", id))),
                   NULL);
}

/* Writes one way or another; OK means acknowledged. */
static int write_one(struct db *db, struct call *c, int how, const char *id)
{
    static const char insert[] = "INSERT INTO tenants VALUES ($1, 'one', 0)";
    switch (how) {
    case 0:
        return db_exec(db, c, insert, PARAMS(P_T(id)), NULL);
    case 1:
        return db_append(db, c, insert, PARAMS(P_T(id)));
    default:
        return db_transaction(db, c, pair, call_strdup(c, id));
    }
}

static bool present(struct db *db, struct call *c, const char *id)
{
    struct row row;
    bool found = false;
    assert_int_equal(db_one(db, c, "SELECT id FROM tenants WHERE id = $1", PARAMS(P_T(id)), &row_type, &row, &found),
                     OK);
    return found;
}

static void check_all(const char *path, struct call *c, const struct list *acknowledged)
{
    struct db *db;
    struct list halves;
    int rc = db_open(c, path, &db);
    if (rc) fail_msg("reopen: %s %s", c->err.message, c->err.detail);
    for (size_t i = 0; i < acknowledged->count; i++) {
        const char *id = LIST_AT(acknowledged, const char *, i);
        if (!present(db, c, id)) fail_msg("%s was acknowledged and is lost", id);
    }
    assert_int_equal(db_query(db, c,
                              "SELECT id FROM tenants WHERE name = 'first' AND NOT EXISTS (SELECT 1 FROM tenants s "
                              "WHERE s.id = replace(tenants.id, '-a', '-b'))",
                              NULL, 0, &row_type, &halves),
                     OK);
    assert_int_equal(halves.count, 0);
    db_close(db);
}

static void make_folder(char folder[64], char path[96])
{
    /* In memory where there is such a place: thousands of fsyncs are not the point. */
    const char *base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    snprintf(folder, 64, "%s/querent-fault-XXXXXX", base);
    assert_non_null(mkdtemp(folder));
    snprintf(path, 96, "%s/querent.db", folder);
}

static void remove_folder(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void note(struct call *c, struct list *l, int how, const char *id)
{
    *(const char **)list_push(c, l, sizeof id) = how == 2 ? call_format(c, "%s-b", id) : call_strdup(c, id);
}

/* Every file operation of opening and of a few writes fails once. */
static void every_operation(void **state)
{
    (void)state;
    bool fired = true;
    int n = 1, refused = 0;
    for (; fired; n++) {
        char folder[64], path[96];
        struct call c;
        struct db *db = NULL;
        struct list acknowledged = { 0 };
        make_folder(folder, path);
        call_begin(&c);
        fault.countdown = n;
        fault.fired = false;
        int opened = db_open(&c, path, &db);
        if (opened) {
            assert_int_equal(c.err.code, ERR_STORE_FAILED);
            refused++;
            call_forgive(&c);
            assert_true(fault.fired);
            assert_int_equal(db_open(&c, path, &db), OK);
        }
        for (int i = 0; i < 9; i++) {
            char id[16];
            snprintf(id, sizeof id, "w%d", i);
            int rc = write_one(db, &c, i % 3, id);
            if (!rc) note(&c, &acknowledged, i % 3, id);
            if (rc && rc != ERR_STORE_FAILED) fail_msg("n = %d: %s %s", n, c.err.message, c.err.detail);
            refused += rc != OK;
            call_forgive(&c);
        }
        fired = fault.fired;
        fault.countdown = 0;
        assert_int_equal(write_one(db, &c, 2, "after"), OK);
        note(&c, &acknowledged, 2, "after");
        db_close(db);
        check_all(path, &c, &acknowledged);
        call_end(&c);
        remove_folder(folder);
    }
    /* The faults did reach both opening and writing. */
    assert_true(n > 50);
    assert_true(refused > 20);
}

struct writer {
    struct db *db;
    int number, out;
};

static void *write_forever(void *arg)
{
    const struct writer *w = arg;
    struct call c;
    call_begin(&c);
    for (int i = 0;; i++) {
        struct arena_mark mark = arena_mark(&c.arena);
        char line[32] = { 0 }; /* one write of a fixed size to a pipe is never split */
        int how = (w->number + i) % 3;
        snprintf(line, sizeof line, "t%d-%d", w->number, i);
        if (write_one(w->db, &c, how, line)) abort();
        if (how == 2) snprintf(line, sizeof line, "t%d-%d-b", w->number, i);
        if (write(w->out, line, sizeof line) != (ssize_t)sizeof line) abort();
        arena_reset(&c.arena, mark);
    }
    return NULL;
}

static void child(const char *path, int out)
{
    struct call c;
    struct writer writers[3];
    pthread_t id;
    call_begin(&c);
    struct db *db;
    if (db_open(&c, path, &db)) abort();
    for (int i = 0; i < 3; i++) {
        writers[i] = (struct writer){ db, i, out };
        if (i && pthread_create(&id, NULL, write_forever, &writers[i])) abort();
    }
    write_forever(&writers[0]);
}

static void killed(void **state)
{
    (void)state;
    static const size_t after[] = { 1, 2, 7, 40, 150, 400 };
    for (size_t round = 0; round < sizeof after / sizeof after[0]; round++) {
        char folder[64], path[96], line[32];
        struct call c;
        struct list acknowledged = { 0 };
        int pipes[2];
        make_folder(folder, path);
        call_begin(&c);
        assert_int_equal(pipe(pipes), 0);
        pid_t pid = fork();
        if (!pid) {
            close(pipes[0]);
            child(path, pipes[1]);
        }
        close(pipes[1]);
        while (read(pipes[0], line, sizeof line) == (ssize_t)sizeof line) {
            *(const char **)list_push(&c, &acknowledged, sizeof(char *)) = call_strdup(&c, line);
            if (acknowledged.count == after[round]) kill(pid, SIGKILL);
        }
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_true(acknowledged.count >= after[round]);
        check_all(path, &c, &acknowledged);
        close(pipes[0]);
        call_end(&c);
        remove_folder(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(killed), cmocka_unit_test_setup(every_operation, install) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
