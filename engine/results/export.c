#include "results/results.h"

#include "base/clock.h"
#include "store/audit.h"

#include <string.h>

#define BATCH_BYTES (64 * 1024)

struct exporting {
    const struct opened_result *result;
    const struct export_request *request;
    struct export_writer writer;
    struct buf out;
    struct row_hash hash;
    const char *hash_then; /* of as many rows as the answer had */
};

static int flush(struct call *c, struct exporting *x)
{
    if (x->request->current && !x->request->current(x->request->ctx))
        return call_fail(c, ERR_POLICY_CHANGED, "%s", code_row(ERR_POLICY_CHANGED)->text);
    if (c->sinks.write(c->sinks.ctx, x->out.data, x->out.len))
        return call_fail(c, ERR_CANCELLED, "%s", code_row(ERR_CANCELLED)->text);
    buf_clear(&x->out);
    return call_check(c);
}

static int take_columns(void *ctx, struct call *c, const struct result_column *columns, size_t count)
{
    struct exporting *x = ctx;
    return export_writer_columns(&x->writer, c, columns, count);
}

static int take_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct exporting *x = ctx;
    export_writer_row(&x->writer, c, cells, count);
    row_hash_add(&x->hash, cells, count);
    if (x->writer.state.row_count == x->result->stored.row_count) x->hash_then = row_hash_text(&x->hash);
    return x->out.len >= BATCH_BYTES ? flush(c, x) : OK;
}

static void judge(struct exporting *x, const struct run_stats *stats, struct export_end *out)
{
    const struct stored_result *then = &x->result->stored;
    out->row_count = x->writer.state.row_count;
    out->truncated = stats->truncated;
    out->row_hash = row_hash_text(&x->hash);
    if (!then->row_count) x->hash_then = then->truncated || !out->row_count ? then->row_hash : NULL;
    out->row_hash_equal =
        x->hash_then && !strcmp(x->hash_then, then->row_hash) && (then->truncated || out->row_count == then->row_count);
}

int result_export(struct call *c, const struct opened_result *r, const struct export_request *request,
                  struct export_end *out)
{
    struct exporting x = { .result = r, .request = request };
    struct row_sink sink = { .columns = take_columns, .row = take_row, .ctx = &x };
    struct run_limits limits = { 0 };
    struct run_stats stats = { 0 };
    const struct json *tree;
    struct query *plan;
    struct guarded *g;
    if (!c->sinks.write) return call_fail(c, ERR_INVALID_REQUEST, "An export can only be streamed.");
    int rc = json_parse(c, r->stored.plan.text, r->stored.plan.n, &tree);
    if (!rc) rc = plan_decode(c, tree, &plan);
    if (!rc) rc = guard_prepare(c, r->datasource, r->view, plan, ORIGIN_PLANNER, GUARD_EXPORT, &g);
    if (rc) return rc;
    audit_statement(c, r->stored.datasource_id, g->statement, g->plan_hash);
    rc = audit_allowed(request->store, c);
    if (rc) return rc;
    out->executed_at = clock_utc_us();
    buf_init(&x.out, c, SIZE_MAX / 2);
    export_writer_init(&x.writer, c, request->format, request->formulas, &x.out);
    row_hash_begin(&x.hash, c);
    rc = guard_run(c, g, &limits, &sink, &stats);
    if (!rc) {
        judge(&x, &stats, out);
        request->format->end(&x.out, &x.writer.state, out);
        rc = flush(c, &x);
    }
    row_hash_end(&x.hash);
    c->audit.rows = x.writer.state.row_count;
    return rc;
}
