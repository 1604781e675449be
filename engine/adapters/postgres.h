/* postgres: what the parts of the PostgreSQL adapter share; internal to it. postgres.c is the adapter,
 * postgres_connect.c makes sessions, postgres_talk.c waits for the server, postgres_run.c runs statements,
 * postgres_catalog.c reads the catalogue, postgres_inspect.c is the home of libpg_query. */
#ifndef QUERENT_POSTGRES_H
#define QUERENT_POSTGRES_H

#include "adapters/pooled.h"

#define POSTGRES_PORT 5432

struct postgres_connection {
    struct endpoint at;
    const char *role;      /* SET LOCAL ROLE for each statement */
    const char *time_zone; /* session time zone */
    const char *application_name;
    int privileges; /* enum privileges */
};

struct pg_conn;
struct pg_cancel;
struct pg_result;

struct postgres_session {
    const struct postgres_connection *with;
    struct pg_conn *conn;
    struct pg_cancel *cancel;
    const char *privileged; /* why the role could write, NULL when it could not; a constant */
    bool takes_role;        /* the user is a member of the role that statements run as */
    int64_t version;
};

/* Of a server that was told to stop a statement, and of a lock that someone holds. */
enum { POSTGRES_GRACE_MS = 1000, POSTGRES_LOCK_MS = 2000, POSTGRES_POLL_MS = 100 };

void *postgres_session_open(struct call *c, struct pooled *p, struct failure *why);
void postgres_session_close(void *session);
/* A session with something left to read, or broken, does not go back. */
bool postgres_session_usable(void *session);

/* Tells the server to stop what the session runs; from any thread. */
void postgres_cancel(void *cancel);
/* The next result; NULL at the end of a statement's results, or when the server is silent until then, or gone. */
struct pg_result *postgres_next(struct call *c, struct postgres_session *s, int64_t until_us);
/* When a statement that may take time_ms is given up, on the monotonic clock. */
int64_t postgres_until(const struct call *c, int64_t time_ms);

/* Rows of one of our own catalogue queries: a constant with bound parameters. values[i] is NULL for NULL and lives
 * until `row` returns. A non-zero code of `row` ends the reading with it. */
int postgres_rows(struct call *c, struct postgres_session *s, const char *sql, const char *const *params, int count,
                  int (*row)(void *ctx, struct call *c, const char *const *values), void *ctx);

/* "{a,b}" of names, for an array parameter. */
const char *postgres_array(struct call *c, const struct list *names);

int postgres_catalog(struct call *c, struct postgres_session *s, const struct list *schemas, struct snapshot *out);
/* The type that the plan gives to a column, by the name the server's format_type gives. */
struct value_type postgres_type(const char *db_type);
/* What the session is and what its role could do (postgres_diagnose.c). */
int postgres_diagnose(struct call *c, struct postgres_session *s, struct list *out);
int postgres_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out);
int postgres_execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                     const struct row_sink *sink, struct run_stats *stats);

#endif
