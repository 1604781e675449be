/* sqlite: what the files of the SQLite adapter share; nobody else includes it. sqlite_conn.c opens connections,
 * sqlite_prepare.c decides what they may run, sqlite_catalog.c reads structure, sqlite_cell.c turns values into cells,
 * sqlite_vfs.c reaches files, sqlite_functions.c adds functions, sqlite.c is the adapter. */
#ifndef QUERENT_SQLITE_H
#define QUERENT_SQLITE_H

#include "adapters/adapter.h"
#include "adapters/pool.h"

#include <sqlite3.h>
#include <sys/types.h>

struct sqlite_adapter {
    struct adapter base;
    char *path;
    struct pool *pool;
};

/* What the authorizer was asked about one statement. Memory of its own. */
struct seen {
    struct seen_read {
        char *table, *column; /* column "" = only that the table is there */
        bool bare;            /* no database was named: may be the name of a WITH member, which is no table */
    } * reads;
    size_t read_count, read_room;
    char **functions;
    size_t function_count, function_room;
    bool refused; /* something else than reading was asked for */
};

enum { CACHE_STATEMENTS = 32, HASH_TEXT = 64 };

struct cached {
    sqlite3_stmt *stmt; /* NULL = empty */
    char hash[HASH_TEXT];
    size_t n;
    struct seen seen;
    uint64_t used;
};

/* closed: every question is answered no. catalogue: our own constants run. record: SELECT, READ and harmless functions
 * pass and are written down. */
enum conn_mode { CONN_CLOSED, CONN_CATALOGUE, CONN_RECORD };

enum stop { STOP_NONE, STOP_STEPS, STOP_TIME, STOP_CANCEL, STOP_MEMORY };

struct conn {
    sqlite3 *db;
    dev_t device; /* of the file that was opened: another file under the same name is another database */
    ino_t inode;
    int64_t looked_us; /* when that was last compared */
    enum conn_mode mode;
    struct seen *seen; /* where record writes */
    struct cached cache[CACHE_STATEMENTS];
    uint64_t clock;
    /* Of the run at hand. */
    struct call *call;
    int64_t deadline_us, step_limit, ticks, memory_limit, busy_until_us;
    enum stop stop;
    bool spent; /* what it remembers of the file does not fit the file any more: not kept */
};

/* Registers our way to files at its first use; its name. */
const char *sqlite_vfs(void);
/* Takes a healthy connection out of the pool, opens it when need be. conn_done gives it back. */
int conn_take(struct sqlite_adapter *a, struct call *c, struct conn **out);
void conn_done(struct sqlite_adapter *a, struct call *c, struct conn *k);
void conn_close(void *conn);
/* Opens without the pool, for a test that says what is wrong: a call failure, the stage in *stage. */
int conn_open(struct sqlite_adapter *a, struct call *c, struct conn **out, enum test_stage *stage);
/* From here to conn_done the run is stopped at the time, the steps (0 = no limit), a cancel, or too much memory. */
void conn_watch(struct conn *k, struct call *c, int64_t time_ms, int64_t steps);
/* True when the run must stop, for what works long within one step of the engine. */
bool conn_stopped(struct conn *k);
/* Adds median, percentile_cont, stddev_samp … to a connection: what the plan's catalogue has and SQLite has not. k
 * NULL: nothing stops a long sort. SQLite's rc. */
int sqlite_functions(sqlite3 *db, struct conn *k);
/* SQLite's rc -> the call's error, once for the whole adapter. time_ms: of the run, for its message. */
int conn_fail(struct conn *k, struct call *c, int rc, int64_t time_ms);

/* SQLite asks this before it compiles each part of a statement. */
int conn_authorize(void *conn, int action, const char *a, const char *b, const char *database, const char *inside);
/* The statement prepared, exactly one SELECT; what it reads is in seen. From the cache when it is there. */
int conn_prepare(struct conn *k, struct call *c, const struct statement *s, struct cached **out);
void conn_forget(struct cached *e);
/* The reads of seen are among those of s, views of s expanded by the database's own word. */
int conn_allows(struct conn *k, struct call *c, const struct seen *seen, const struct statement *s);
/* Reads of a view, by preparing (not running) a query of it. False when the view is broken. */
bool conn_view_reads(struct conn *k, const char *view, struct seen *out);
void seen_free(struct seen *s);
void seen_tables(struct call *c, const struct seen *s, struct table_read **tables, size_t *count);
const char *const *seen_functions(struct call *c, const struct seen *s);

int sqlite_catalog(struct conn *k, struct call *c, struct snapshot *out);

#define CELL_TEXT_ROOM 48
/* Digits of a double: the shortest that read back as the same one, or exactly `scale` decimals. NUL-terminated. */
size_t double_text(double v, char out[CELL_TEXT_ROOM]);
size_t decimal_text(double v, int scale, char out[CELL_TEXT_ROOM]);
void sqlite_cell(sqlite3_stmt *stmt, int i, const struct value_type *type, struct cell *out, char text[CELL_TEXT_ROOM]);
struct value_type sqlite_type(const char *declared);

#endif
