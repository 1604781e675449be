/* probe: how a planner looks at data. The plan goes through guard with the caller's full policy; at most 200 rows are
 * read, and only what they have in common comes back. */
#include "ask/run.h"

#include <stdlib.h>
#include <string.h>

#define PROBE_ROWS 200

struct probing {
    struct row_hash hash;
    unsigned char digests[PROBE_ROWS][HASH_BYTES];
    struct probe_result *out;
};

static int take_columns(void *ctx, struct call *c, const struct result_column *columns, size_t count)
{
    (void)ctx;
    (void)c;
    (void)columns;
    (void)count;
    return OK;
}

static int take_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct probing *p = ctx;
    (void)c;
    if (p->out->rows == PROBE_ROWS) return ROWS_ENOUGH;
    row_hash_add(&p->hash, cells, count);
    memcpy(p->digests[p->out->rows++], p->hash.last, HASH_BYTES);
    for (size_t i = 0; i < count; i++)
        if (cells[i].kind != CELL_NULL) p->out->empty_cells = false;
    return OK;
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, HASH_BYTES);
}

static int64_t repeats(struct probing *p)
{
    size_t n = (size_t)p->out->rows;
    int64_t found = 0;
    qsort(p->digests, n, HASH_BYTES, by_bytes);
    for (size_t i = 1; i < n; i++)
        if (!memcmp(p->digests[i - 1], p->digests[i], HASH_BYTES)) found++;
    return found;
}

/* A plan that cannot run is an answer (ok = false) unless the caller's time is up or no plan could run. */
int ask_probe(struct call *c, const struct planner_env *env, struct query *plan, int64_t step_budget,
              struct probe_result *out)
{
    struct run_limits limits = { .rows = PROBE_ROWS, .steps = step_budget };
    struct run_stats stats = { 0 };
    struct guarded *g;
    struct probing *p = call_alloc(c, sizeof *p);
    struct row_sink sink = { .columns = take_columns, .row = take_row, .ctx = p };
    *out = (struct probe_result){ .empty_cells = true };
    p->out = out;
    int rc = guard_prepare(c, env->datasource, env->view, plan, ORIGIN_PLANNER, PROBE_ROWS, &g);
    if (!rc) {
        row_hash_begin(&p->hash, c);
        rc = guard_run(c, g, &limits, &sink, &stats);
        row_hash_end(&p->hash);
    }
    out->steps = stats.steps;
    if (rc == ERR_CANCELLED || rc == ERR_PIPELINE_TIMEOUT || rc == ERR_DATASOURCE_UNAVAILABLE ||
        rc == ERR_SCHEMA_CHANGED)
        return rc;
    if (rc) {
        call_forgive(c);
        return OK;
    }
    out->ok = !stats.stopped_by || strcmp(stats.stopped_by, "steps") != 0;
    out->empty_cells = out->empty_cells && out->rows > 0;
    out->duplicates = repeats(p);
    out->hash = row_hash_text(&p->hash);
    return OK;
}
