/* mysql: what the parts of the MySQL adapter share; internal to it. mysql.c is the home of the client library,
 * mysql_catalog.c reads the catalogue. */
#ifndef QUERENT_MYSQL_H
#define QUERENT_MYSQL_H

#include "adapters/adapter.h"

struct session; /* a connection in use */

/* Rows of one of our own catalogue queries, a constant. values[i] is NULL for NULL and lives until `row` returns. */
int mysql_rows(struct call *c, struct session *s, const char *sql, void (*row)(void *ctx, char **values), void *ctx);
int mysql_catalog(struct call *c, struct session *s, struct snapshot *out);

#endif
