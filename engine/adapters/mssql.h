/* mssql: what the parts of the SQL Server adapter share; internal to it. FreeTDS's db-lib keeps its settings, its
 * handlers and its files of configuration for a whole process, so a session is a worker (worker.h): mssql_worker.c runs
 * there with mssql_values.c, everything else in the server. mssql.c is the adapter, mssql_session.c makes sessions,
 * mssql_run.c runs statements, mssql_inspect.c asks the server's parser, mssql_catalog.c reads the catalogue,
 * mssql_diagnose.c says what the login could do. */
#ifndef QUERENT_MSSQL_H
#define QUERENT_MSSQL_H

#include "adapters/pooled.h"
#include "adapters/rows.h"
#include "adapters/worker.h"

#define MSSQL_DEFAULT_PORT 1433

struct mssql_connection {
    struct endpoint at;
    const char *application_name;
    int intent;     /* enum mssql_intent */
    int privileges; /* enum privileges */
};
enum mssql_intent { INTENT_READ_ONLY, INTENT_READ_WRITE };
extern const char *const mssql_intent_names[]; /* read_only read_write NULL */

/* What the server and its worker agree on. */
enum mssql_frame {
    FRAME_OPEN = 'O',    /* the members of enum mssql_member, each ending in NUL -> MESSAGE*, DONE or ERROR */
    FRAME_RUN = 'R',     /* eight bytes: most bytes of a value, then SQL -> COLUMN*, ROW*, DONE or ERROR */
    FRAME_CANCEL = 'X',  /* ends a running statement; without one, nothing */
    FRAME_COLUMN = 'C',  /* name NUL type NUL, one byte each: enum type_kind, precision, scale */
    FRAME_ROW = 'V',     /* a cell: one byte enum cell_kind, four bytes length, bytes */
    FRAME_MESSAGE = 'M', /* as ERROR: what came before the end of a login */
    FRAME_DONE = 'D',
    FRAME_ERROR = 'E' /* four bytes number, text. Numbers below 0 are enum mssql_trouble */
};
enum mssql_member {
    MEMBER_HOST,
    MEMBER_PORT,
    MEMBER_USER,
    MEMBER_PASSWORD,
    MEMBER_DATABASE,
    MEMBER_APPLICATION,
    MEMBER_INTENT,     /* read_only or empty */
    MEMBER_ENCRYPTION, /* off request require */
    MEMBER_CA,         /* a file, "system", or empty: nothing is checked */
    MEMBER_CHECK_HOST, /* yes no */
    MEMBER_SECONDS,    /* for the login */
    MEMBERS
};
enum mssql_trouble {
    TROUBLE_LOST = -1,      /* the connection is gone */
    TROUBLE_CANCELLED = -2, /* as was asked for */
    TROUBLE_TYPE = -3,      /* a column's type cannot be read exactly; the text is its name */
    TROUBLE_TEXT = -4,      /* a text is not Unicode */
    TROUBLE_MORE = -5,      /* more than one result */
    TROUBLE_NO_TLS = -6,    /* the server speaks no TLS */
    TROUBLE_WANTS_TLS = -7, /* the server demands it */
    TROUBLE_TLS = -8,       /* it could not be agreed, or the certificate not be verified */
    TROUBLE_SILENT = -9,    /* accepted, then nothing */
    TROUBLE_STRANGER = -10, /* what answers is no SQL Server */
    TROUBLE_CLIENT = -11    /* anything else of the library */
};

/* The worker's life; its exit code. */
int mssql_worker(int fd);

struct mssql_session {
    struct worker worker;
    const char *privileged; /* why the login could write, NULL when it could not; a constant */
    char version[64];
    bool broken;
};

void *mssql_session_open(struct call *c, struct pooled *p, struct failure *why);
void mssql_session_close(void *session);
bool mssql_session_usable(void *session);

/* Runs SQL and gives its rows to r's sink; what goes wrong is a failure of r's call. */
int mssql_run(struct mssql_session *s, struct rows *r, const char *sql, size_t n);

/* Rows of one of our own constant queries. values[i] is NULL for NULL and lives until `row` returns. parameter (NULL =
 * none) stands in for the query's one `?`, as a text literal. */
int mssql_rows(struct call *c, struct mssql_session *s, const char *sql, const char *parameter,
               void (*row)(void *ctx, const char *const *values), void *ctx);

int mssql_execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                  const struct row_sink *sink, struct run_stats *stats);
int mssql_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out);
int mssql_catalog(struct call *c, const struct mssql_connection *w, struct mssql_session *s, struct snapshot *out);
int mssql_diagnose(struct call *c, const struct mssql_connection *w, struct mssql_session *s, struct list *out);

#endif
