#include "results/results.h"

#include "base/clock.h"
#include "store/audit.h"

#include <string.h>

#define BATCH_BYTES (64 * 1024)

static const struct field export_end_fields[] = {
    FIELD(struct export_end, executed_at, K_TIME, .flags = F_REQUIRED, .doc = "When the query ran again."),
    FIELD(struct export_end, row_count, K_INT, .flags = F_REQUIRED),
    FIELD(struct export_end, truncated, K_BOOL, .flags = F_REQUIRED, .doc = "The export ceiling was met."),
    FIELD(struct export_end, row_hash, K_STR, .flags = F_REQUIRED, .doc = "Of the rows as a multiset."),
    FIELD(struct export_end, row_hash_equal, K_BOOL, .flags = F_REQUIRED,
          .doc = "The rows are those of the answer; its first rows, when the answer was cut at its ceiling."),
    { 0 },
};
const struct type export_end_type = TYPE(struct export_end, "ExportEnd", export_end_fields);

struct export
{
    const struct opened_result *result;
    const struct export_request *request;
    struct export_state state;
    struct list columns;
    struct buf out;
    struct row_hash hash;
    const char *hash_then; /* of as many rows as the answer had */
};

static int flush(struct call *c, struct export *x)
{
    if (x->request->current && !x->request->current(x->request->ctx))
        return call_fail(c, ERR_POLICY_CHANGED, "%s", code_row(ERR_POLICY_CHANGED)->text);
    if (c->sinks.write(c->sinks.ctx, x->out.data, x->out.len))
        return call_fail(c, ERR_CANCELLED, "%s", code_row(ERR_CANCELLED)->text);
    buf_clear(&x->out);
    return call_check(c);
}

/* Names made unique, as `"name":`. */
static const char *const *make_keys(struct call *c, const struct list *columns)
{
    const char **names = call_array(c, columns->count + 1, sizeof *names);
    const char **keys = call_array(c, columns->count + 1, sizeof *keys);
    for (size_t i = 0; i < columns->count; i++) {
        const char *base = LIST_AT(columns, struct answer_column, i).name, *name = base;
        size_t n = 1;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(names[k], name)) {
                name = call_format(c, "%s_%zu", base, ++n);
                k = SIZE_MAX; /* from the start: the new name may be taken too */
            }
        names[i] = name;
        struct buf b;
        buf_init(&b, c, SIZE_MAX / 2);
        json_add_string(&b, name);
        buf_char(&b, ':');
        keys[i] = b.data;
    }
    return keys;
}

static int take_columns(void *ctx, struct call *c, const struct result_column *columns, size_t count)
{
    struct export *x = ctx;
    x->columns = columns_describe(c, columns, count);
    x->state.columns = &x->columns;
    x->state.keys = make_keys(c, &x->columns);
    x->request->format->begin(&x->out, &x->state);
    return OK;
}

static int take_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct export *x = ctx;
    x->request->format->row(&x->out, &x->state, cells, count);
    row_hash_add(&x->hash, cells, count);
    if (++x->state.row_count == x->result->stored.row_count) x->hash_then = row_hash_text(&x->hash);
    return x->out.len >= BATCH_BYTES ? flush(c, x) : OK;
}

static void judge(struct export *x, const struct run_stats *stats, struct export_end *out)
{
    const struct stored_result *then = &x->result->stored;
    out->row_count = x->state.row_count;
    out->truncated = stats->truncated;
    out->row_hash = row_hash_text(&x->hash);
    if (!then->row_count) x->hash_then = then->truncated || !out->row_count ? then->row_hash : NULL;
    out->row_hash_equal =
        x->hash_then && !strcmp(x->hash_then, then->row_hash) && (then->truncated || out->row_count == then->row_count);
}

int result_export(struct call *c, const struct opened_result *r, const struct export_request *request,
                  struct export_end *out)
{
    struct export x = { .result = r, .request = request, .state = { .call = c, .formulas = request->formulas } };
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
    row_hash_begin(&x.hash, c);
    rc = guard_run(c, g, &limits, &sink, &stats);
    if (!rc) {
        judge(&x, &stats, out);
        request->format->end(&x.out, &x.state, out);
        rc = flush(c, &x);
    }
    row_hash_end(&x.hash);
    c->audit.rows = x.state.row_count;
    return rc;
}
