#include "domain/world.h"
#include "guard/opinion.h"

/* An export of its whole size takes longer than a question may. */
enum { EXPORT_TIME_MS = 600000, CELL_BYTES_MOST = 64 * 1024 * 1024 };

/* The lower one; 0 of a request is its silence. */
static int64_t lower(int64_t ceiling, int64_t asked)
{
    return asked > 0 && asked < ceiling ? asked : ceiling;
}

static struct run_limits resolve(const struct guarded *g, const struct run_limits *asked)
{
    const struct datasource_options *o = &g->datasource->config->options;
    struct run_limits none = { 0 }, l;
    if (!asked) asked = &none;
    l = (struct run_limits){ .rows = lower(g->export ? EXPORT_ROWS : o->row_limit, asked->rows),
                             .bytes = lower(g->export ? EXPORT_BYTES : o->max_bytes, asked->bytes),
                             .time_ms = lower(g->export ? EXPORT_TIME_MS : o->statement_timeout_ms, asked->time_ms),
                             .steps = asked->steps };
    l.cell_bytes = lower(lower(CELL_BYTES_MOST, l.bytes), asked->cell_bytes);
    /* The statement itself asks for one row beyond its ceiling: that row is seen and not delivered. */
    if (g->statement->cap_is_ceiling) l.rows = lower(l.rows, g->statement->row_cap - 1);
    return l;
}

/* Behind a row filter or a mask, what a database says about a value may be about one the caller must not see. */
static int veil(struct call *c, const struct guarded *g, int rc)
{
    if (!g->wrapped || rc != ERR_EXECUTION_FAILED) return rc;
    const char *detail = c->err.detail;
    call_forgive(c);
    if (detail) call_detail(c, "%s", detail);
    return call_fail(c, ERR_EXECUTION_FAILED, "%s", code_row(ERR_EXECUTION_FAILED)->text);
}

/* A datasource that is no longer what is known of it is learnt anew; one that went away shows as unavailable, and as ready once it answers again. */
static void note_health(struct call *c, const struct datasource *ds, int rc)
{
    if (!c->world || !c->world->registry) return;
    if (rc == ERR_SCHEMA_CHANGED) registry_stale(c->world->registry, ds->config->id);
    if (rc == ERR_DATASOURCE_UNAVAILABLE)
        registry_mark(c->world->registry, ds->config->id, DS_UNAVAILABLE, c->err.message);
    else if (rc == OK && ds->status == DS_UNAVAILABLE)
        registry_mark(c->world->registry, ds->config->id, DS_READY, NULL);
}

struct recursion_counts {
    struct row_sink sink;
    bool cut;
};

static int counts_columns(void *ctx, struct call *c, const struct result_column *columns, size_t count)
{
    (void)ctx;
    (void)c;
    (void)columns;
    (void)count;
    return OK;
}

static int counts_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    (void)c;
    for (size_t i = 0; i < count; i++) {
        int64_t n = 0;
        for (size_t k = 0; k < cells[i].n && n <= RECURSION_ROWS_MAX; k++) n = n * 10 + (cells[i].text[k] - '0');
        if (n > RECURSION_ROWS_MAX) ((struct recursion_counts *)ctx)->cut = true;
    }
    return OK;
}

/* True when a recursion was cut off at its cap, or when that cannot be told. */
static bool recursion_is_cut(struct call *c, const struct guarded *g, const struct run_limits *limits)
{
    struct guarded count = *g;
    struct recursion_counts counts = { .sink = { .ctx = &counts, .columns = counts_columns, .row = counts_row } };
    struct run_stats stats = { 0 };
    count.statement = g->statement->recursion;
    int rc = guard_opinion(c, &count);
    if (!rc) rc = adapter_execute(c, g->datasource->adapter, count.statement, limits, &counts.sink, &stats);
    if (rc) call_forgive(c);
    return rc || counts.cut;
}

int guard_run(struct call *c, const struct guarded *g, const struct run_limits *limits, const struct row_sink *sink,
              struct run_stats *stats)
{
    struct run_limits final = resolve(g, limits);
    *stats = (struct run_stats){ 0 };
    if (!g->datasource->adapter)
        return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", code_row(ERR_DATASOURCE_UNAVAILABLE)->text);
    int rc = guard_opinion(c, g);
    if (!rc) rc = adapter_execute(c, g->datasource->adapter, g->statement, &final, sink, stats);
    if (!rc && !stats->truncated && g->statement->recursion && recursion_is_cut(c, g, &final)) {
        stats->truncated = true;
        stats->stopped_by = "recursion";
    }
    note_health(c, g->datasource, rc);
    return veil(c, g, rc);
}
