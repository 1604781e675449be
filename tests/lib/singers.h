/* singers: a small schema for the offline planner: singers, concerts, who appears where, flights between airports. */
#ifndef QUERENT_TEST_SINGERS_H
#define QUERENT_TEST_SINGERS_H

#include "fixture.h"
#include "planners/lexical/link.h"

#define SINGERS_NOW 1782907200000000 /* 2026-07-01T12:00:00Z, a Wednesday */

struct scene {
    struct call call;
    struct fixture fixture;
    struct policies *policies;
    const struct view *view;
};

/* For cmocka: *state becomes a struct scene, of the singers or of tables of the test's own. */
int scene_open(void **state);
int scene_of(void **state, const char *ddl);
int scene_close(void **state);

/* By name; -1 or NULL when there is none. */
int named_table(const struct linked *l, const char *name);
const struct lex_column *named_column(const struct linked *l, const char *table, const char *name);

#endif
