/* postgres: what the parts of the PostgreSQL adapter share; internal to it. postgres.c is the home of libpq,
 * postgres_catalog.c reads the catalogue, postgres_inspect.c is the home of libpg_query. */
#ifndef QUERENT_POSTGRES_H
#define QUERENT_POSTGRES_H

#include "adapters/adapter.h"
#include "adapters/endpoint.h"

struct postgres_connection {
    struct endpoint at;
    const char *role;      /* SET LOCAL ROLE for each statement */
    const char *time_zone; /* session time zone */
    const char *application_name;
    int privileges; /* enum privileges */
};
enum privileges { PRIVILEGES_REFUSE, PRIVILEGES_WARN };

struct postgres_session; /* a connection in use */

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

#endif
