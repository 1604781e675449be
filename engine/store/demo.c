#include "store/demo.h"

#include "store/demo_shop.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Besides store/sqlite.c the only part of this room that speaks to SQLite itself: it writes another file than the
 * store. */

enum { DEMO_APPLICATION = 0x51444d31, DEMO_EDITION = 1 };

static int read_pragma(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int v = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        v = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    return v;
}

/* *current: this edition of the demo stands there, complete (it was renamed into place whole). */
static int look(struct call *c, const char *path, bool *current)
{
    struct stat st;
    *current = false;
    /* An empty file holds nobody's data: what opened a path before the demo stood there leaves one. */
    if (stat(path, &st) || (S_ISREG(st.st_mode) && !st.st_size)) return OK;
    sqlite3 *db = NULL;
    int application = -1;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) {
        application = read_pragma(db, "PRAGMA application_id");
        *current = application == DEMO_APPLICATION && read_pragma(db, "PRAGMA user_version") == DEMO_EDITION;
    }
    sqlite3_close(db);
    if (application == DEMO_APPLICATION) return OK;
    return call_fail(c, ERR_CONFLICT, "A file that is not the demo datasource stands at %s; it was left alone.", path);
}

static int to_disk(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    int rc = fsync(fd);
    close(fd);
    return rc;
}

int demo_create(struct call *c, const char *path)
{
    bool current;
    int rc = look(c, path, &current);
    if (rc || current) return rc;
    char *fresh = call_format(c, "%s.new-%ld", path, (long)getpid());
    unlink(fresh);
    rc = demo_generate(
        c, fresh,
        call_format(c, "PRAGMA application_id = %d; PRAGMA user_version = %d", DEMO_APPLICATION, DEMO_EDITION));
    if (!rc && (to_disk(fresh) || rename(fresh, path))) {
        rc = call_fail(c, ERR_STORE_FAILED, "The demo datasource could not be written.");
        call_detail(c, "demo: %s", strerror(errno));
    }
    if (rc) unlink(fresh);
    return rc;
}
