/* route: method and path -> operation. A route is one row of table.c; path and query parameters go into the operation's
 * input by its type. */
#ifndef QUERENT_API_ROUTE_H
#define QUERENT_API_ROUTE_H

#include "api/server.h"
#include "engine.h"

enum {
    ROUTE_OPEN = 1,   /* answered before Host, Origin and identity are looked at, and while draining */
    ROUTE_EVENTS = 2, /* with Accept: text/event-stream the reply is a stream of events */
    ROUTE_BYTES = 4,  /* the operation writes the reply's bytes itself; its output names content_type and file_name */
    ROUTE_JOB = 8     /* the output is a job: Location says where it can be watched */
};

struct gate;

/* `op` or `raw`. Paths are literal segments and {parameters}; a last segment {*} matches any rest. */
struct route {
    const char *method, *path;
    int ok; /* status of success */
    const struct op *op;
    unsigned flags;
    void (*raw)(struct gate *g, struct request *r);
};

extern const struct route routes[]; /* by path, then method; ends with path NULL */

struct path_value {
    const char *name, *text;
};
#define PATH_VALUES 4
struct match {
    const struct route *route;
    struct path_value values[PATH_VALUES];
    size_t value_count;
    const char *allow; /* when no route has the method: the methods of the path, "GET, POST" */
};

/* ERR_INVALID_REQUEST for a badly encoded path (an encoded slash, a NUL, bytes that are not UTF-8), ERR_NOT_FOUND,
 * ERR_METHOD_NOT_ALLOWED with `allow` set. HEAD finds the GET route, unless that streams bytes. */
int route_find(struct call *c, const char *method, const char *path, struct match *out);
/* Input of the operation from body, path and query. body NULL = the request has none. */
int route_input(struct call *c, const struct match *m, const char *query, const char *body, size_t n, void **out);
/* Decodes %XX; plus reads as a space when `form`. ERR_INVALID_REQUEST as above, slashes are fine when `form`. */
int percent_decode(struct call *c, const char *text, size_t n, bool form, const char **out);

#endif
