#include "adapters/sqlite.h"

#include <string.h>

/* How SQLite reaches files here: databases are opened for reading only, and what it would write beside them to sort and
 * to collect (large temporary files) is kept in its own counted memory, in pieces. SQLite's own way of keeping them in
 * memory sorts at half the speed. */

enum { PIECE_BYTES = 64 * 1024, PIECES_MOST = 8192 };

struct temporary {
    sqlite3_file base; /* first: SQLite sees this */
    unsigned char **pieces;
    size_t count; /* pieces that were taken */
    int64_t size;
};

static const char vfs_name[] = "querent";

static int close_file(sqlite3_file *file)
{
    struct temporary *t = (struct temporary *)file;
    for (size_t i = 0; i < t->count; i++) sqlite3_free(t->pieces[i]);
    sqlite3_free(t->pieces);
    *t = (struct temporary){ 0 };
    return SQLITE_OK;
}

/* Walks [at, at + n) piece by piece; to or from is NULL. */
static void copy_pieces(struct temporary *t, int64_t at, size_t n, unsigned char *to, const unsigned char *from)
{
    while (n) {
        size_t offset = (size_t)(at % PIECE_BYTES), part = PIECE_BYTES - offset;
        unsigned char *place = t->pieces[at / PIECE_BYTES] + offset;
        if (part > n) part = n;
        if (to)
            memcpy(to, place, part);
        else
            memcpy(place, from, part);
        if (to)
            to += part;
        else
            from += part;
        at += (int64_t)part;
        n -= part;
    }
}

static int read_file(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
    struct temporary *t = (struct temporary *)file;
    int64_t there = t->size - at < n ? t->size - at : n;
    if (there < 0) there = 0;
    copy_pieces(t, at, (size_t)there, to, NULL);
    memset((char *)to + there, 0, (size_t)(n - there));
    return there == n ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int reserve(struct temporary *t, int64_t end)
{
    size_t need = (size_t)((end + PIECE_BYTES - 1) / PIECE_BYTES);
    if (need > PIECES_MOST) return SQLITE_FULL;
    if (!t->pieces && !(t->pieces = sqlite3_malloc64(PIECES_MOST * sizeof *t->pieces))) return SQLITE_NOMEM;
    for (; t->count < need; t->count++) {
        if (!(t->pieces[t->count] = sqlite3_malloc64(PIECE_BYTES))) return SQLITE_NOMEM;
        memset(t->pieces[t->count], 0, PIECE_BYTES);
    }
    return SQLITE_OK;
}

static int write_file(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
    struct temporary *t = (struct temporary *)file;
    int rc = reserve(t, at + n);
    if (rc != SQLITE_OK) return rc;
    copy_pieces(t, at, (size_t)n, NULL, from);
    if (at + n > t->size) t->size = at + n;
    return SQLITE_OK;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
    struct temporary *t = (struct temporary *)file;
    if (size < t->size) t->size = size;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = ((struct temporary *)file)->size;
    return SQLITE_OK;
}

static int sync_file(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int lock_file(sqlite3_file *file, int lock)
{
    (void)file, (void)lock;
    return SQLITE_OK;
}

static int reserved_lock(sqlite3_file *file, int *held)
{
    (void)file;
    *held = 0;
    return SQLITE_OK;
}

static int control(sqlite3_file *file, int op, void *arg)
{
    (void)file, (void)op, (void)arg;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static const sqlite3_io_methods temporary_methods = { .iVersion = 1,
                                                      .xClose = close_file,
                                                      .xRead = read_file,
                                                      .xWrite = write_file,
                                                      .xTruncate = truncate_file,
                                                      .xSync = sync_file,
                                                      .xFileSize = file_size,
                                                      .xLock = lock_file,
                                                      .xUnlock = lock_file,
                                                      .xCheckReservedLock = reserved_lock,
                                                      .xFileControl = control,
                                                      .xSectorSize = sector_size,
                                                      .xDeviceCharacteristics = sector_size };

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    static const int temporary = SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL |
                                 SQLITE_OPEN_SUBJOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    (void)vfs;
    file->pMethods = NULL;
    if (flags & temporary) {
        *(struct temporary *)file = (struct temporary){ .base = { .pMethods = &temporary_methods } };
        if (out_flags) *out_flags = flags;
        return SQLITE_OK;
    }
    if (flags & SQLITE_OPEN_MAIN_DB && flags & (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
    return system->xOpen(system, name, file, flags, out_flags);
}

const char *sqlite_vfs(void)
{
    sqlite3_initialize();
    sqlite3_mutex *once = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
    sqlite3_mutex_enter(once);
    if (!sqlite3_vfs_find(vfs_name)) {
        sqlite3_vfs *system = sqlite3_vfs_find(NULL), *own = sqlite3_malloc(sizeof *own);
        if (own) {
            *own = *system;
            own->pNext = NULL;
            own->zName = vfs_name;
            own->xOpen = open_file;
            if (own->szOsFile < (int)sizeof(struct temporary)) own->szOsFile = (int)sizeof(struct temporary);
            sqlite3_vfs_register(own, 0);
        }
    }
    sqlite3_mutex_leave(once);
    return vfs_name;
}
