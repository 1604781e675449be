/* fixture: an in-memory SQLite database made from DDL, its snapshot, and plans checked and rendered against it. */
#ifndef QUERENT_TEST_FIXTURE_H
#define QUERENT_TEST_FIXTURE_H

#include "policy/policy.h"

#include <sqlite3.h>

struct fixture {
    sqlite3 *db;
    struct snapshot snapshot;
};

/* Runs the DDL and reads the schema back. Fails the test when either does not work. */
void fixture_open(struct fixture *f, struct call *c, const char *ddl);
void fixture_close(struct fixture *f);
/* The view of a caller that holds all of these roles (a JSON object of roles); NULL = everything. *p is to be freed. */
const struct view *fixture_view(struct fixture *f, struct call *c, const char *roles, struct policies **p);
/* Every row as one line, cells joined by |, NULL as ~. Fails the test when the SQL does not run. */
const char *fixture_rows(struct fixture *f, struct call *c, const char *sql);

#endif
