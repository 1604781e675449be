/* evaluate: one question put to the planners of a datasource, with everything that a measurement wants to know and an
 * answer does not say. The gold is not here: what is right is judged outside the engine. */
#ifndef QUERENT_EVALUATE_H
#define QUERENT_EVALUATE_H

#include "domain/world.h"
#include "json.h"

struct evaluated_reading {
    const char *sql, *reading;
    double confidence;
};
extern const struct type evaluated_reading_type;

struct evaluated {
    const char *verdict; /* answer clarify cannot */
    double fit;
    struct list readings; /* struct evaluated_reading: the best first, at most three that the guard allows */
    const char *rejected; /* why the guard refused the best one, NULL when it did not */
    const char *missing;  /* cannot: what is missing */
    int64_t us;           /* planning, with its probes */
};
extern const struct type evaluated_type;

/* planner: a name of planners/table.c; auto is the first that does not say cannot. evidence: NULL = the datasource's.
 */
int evaluate_question(struct call *c, const struct world *w, const char *datasource_id, const char *question,
                      const char *planner, const char *evidence, struct evaluated *out);

#endif
