/* roundtrip: a text of SQLite's dialect to a plan and into another engine's text, step by step; for measuring. Nothing
 * is run, and what was rendered stays here. */
#ifndef QUERENT_GUARD_ROUNDTRIP_H
#define QUERENT_GUARD_ROUNDTRIP_H

#include "guard/guard.h"

/* The step that failed; all of them passed. */
enum trip { TRIP_PARSE, TRIP_CHECK, TRIP_RENDER, TRIP_READ_BACK, TRIP_ALL };
extern const char *const trip_names[]; /* parse check render read_back all NULL */

struct roundtrip {
    int reached;
    const char *sql, *reason;
    int64_t parse_us, check_us, render_us;
};

/* OK, or the error of the step that *out says was reached. The rendered text is read back by the other engine's own
 * parser where it is linked, and by ours for SQLite. */
int guard_roundtrip(struct call *c, const struct snapshot *s, const char *sql, const char *dialect,
                    struct roundtrip *out);

#endif
