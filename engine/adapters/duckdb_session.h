/* duckdb_session: what the parts of the DuckDB adapter share; internal to it. duckdb.c is the adapter and runs
 * statements, duckdb_session.c starts workers, duckdb_inspect.c reads the parsed statement, duckdb_catalog.c the
 * structure. duckdb.h is what it agrees on with the worker. */
#ifndef QUERENT_DUCKDB_SESSION_H
#define QUERENT_DUCKDB_SESSION_H

#include "adapters/duckdb.h"
#include "adapters/pooled.h"
#include "adapters/rows.h"

struct duckdb_connection {
    const char *path;
    int64_t memory_mb, threads;
};

enum { DUCKDB_OPEN_MS = 10000 };

/* A worker; stopping a statement ends it, and the next statement starts another. */
struct duckdb_session {
    struct worker worker;
    char version[32];
    bool spoiled; /* its worker stands somewhere inside a statement */
};

/* Where the library is: beside the distribution's own, or where the operator says. */
const char *duckdb_library(void);
void *duckdb_session_open(struct call *c, struct pooled *p, struct failure *why);
void duckdb_session_close(void *session);

/* The next frame, its payload in the arena and NUL-terminated. */
enum worker_got duckdb_receive(struct call *c, struct duckdb_session *s, struct arena *a, int64_t until_us,
                               struct frame *out);

/* Runs SQL and gives its rows to r's sink. */
int duckdb_run(struct duckdb_session *s, struct rows *r, const char *sql, size_t n);
int duckdb_catalog(struct call *c, struct duckdb_session *s, struct snapshot *out);
int duckdb_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out);

#endif
