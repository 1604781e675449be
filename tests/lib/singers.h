/* singers: a small schema for the offline planner: singers, concerts, who appears where, flights between airports. */
#ifndef QUERENT_TEST_SINGERS_H
#define QUERENT_TEST_SINGERS_H

#include "fixture.h"

#define SINGERS_NOW 1782907200000000 /* 2026-07-01T12:00:00Z, a Wednesday */

struct scene {
    struct call call;
    struct fixture fixture;
    struct policies *policies;
    const struct view *view;
};

/* For cmocka: *state becomes a struct scene. */
int scene_open(void **state);
int scene_close(void **state);

#endif
