/* path: where one is inside a plan, kept on the stack and written as a JSON pointer only when something is wrong there.
 * Private to plan/. */
#ifndef QUERENT_PLAN_PATH_H
#define QUERENT_PLAN_PATH_H

#include "call.h"

struct path {
    const struct path *up; /* NULL = the document */
    const char *name;      /* NULL = item `index` of an array */
    size_t index;
};

#define PATH(up_, name_)     (&(const struct path){ (up_), (name_), 0 })
#define PATH_AT(up_, index_) (&(const struct path){ (up_), NULL, (index_) })

const char *path_pointer(struct call *c, const struct path *p);

#endif
