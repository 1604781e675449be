/* mysql: what the parts of the MySQL adapter share; internal to it. mysql.c is the adapter, mysql_connect.c makes
 * sessions, mysql_run.c runs statements, mysql_inspect.c asks the server's parser, mysql_catalog.c reads the catalogue.
 */
#ifndef QUERENT_MYSQL_H
#define QUERENT_MYSQL_H

#include "adapters/pooled.h"

#define MYSQL_DEFAULT_PORT 3306

struct mysql_connection {
    struct endpoint at;
    const char *time_zone, *application_name;
    int privileges; /* enum privileges */
};

struct st_mysql;

struct mysql_session {
    struct st_mysql *conn;
    bool mariadb;
    const char *privileged;
    int64_t time_ms; /* statement limit that the session has now */
    bool broken;
};

#define MYSQL_SOCKET_BYTES 108 /* that the system lets a socket's path have */
/* The socket at a host that is a path: that file, or the folder's under one of the usual names. False: there is none.
 */
bool mysql_socket(const char *host, char path[MYSQL_SOCKET_BYTES]);

/* A connection that may have failed: its error stands in it. */
struct st_mysql *mysql_connection_open(const struct mysql_connection *w);
void *mysql_session_open(struct call *c, struct pooled *p, struct failure *why);
void mysql_session_close(void *session);
/* One of our own constants, for its effect. */
bool mysql_run_plain(struct mysql_session *s, const char *sql);
/* The server is gone, or forgot the session. */
bool mysql_is_lost(unsigned code);
bool mysql_is_changed(unsigned code); /* a name is not (any longer) there */

/* Rows of one of our own catalogue queries, a constant. values[i] is NULL for NULL and lives until `row` returns. */
int mysql_rows(struct call *c, struct mysql_session *s, const char *sql, void (*row)(void *ctx, char **values),
               void *ctx);
int mysql_catalog(struct call *c, struct mysql_session *s, struct snapshot *out);
/* What the session is and what its user could do (mysql_diagnose.c). */
int mysql_diagnose(struct call *c, struct mysql_session *s, struct list *out);
int mysql_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out);
int mysql_execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                  const struct row_sink *sink, struct run_stats *stats);

#endif
