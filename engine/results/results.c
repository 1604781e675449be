#include "results/results.h"

#include "base/clock.h"
#include "base/id.h"

#include <string.h>

int result_store(struct call *c, struct db *store, const struct result_made *m, const char **id)
{
    const struct guarded *g = m->guarded;
    int64_t now = clock_utc_us();
    struct buf plan;
    buf_init(&plan, c, SIZE_MAX / 2);
    plan_encode(&plan, g->plan);
    const struct stored_result r = {
        .id = id_new(c, "rs"),
        .tenant_id = c->who.tenant,
        .owner = c->who.user,
        .trace_id = c->trace_id,
        .datasource_id = g->datasource->config->id,
        .question = m->question,
        .reading = m->reading,
        .sql = g->statement->sql,
        .plan = { plan.data, plan.len },
        .columns = columns_describe(c, m->rows->columns, m->rows->column_count),
        .receipt = m->receipt,
        .view_key = g->view->key,
        .sql_hash = g->statement->hash,
        .row_hash = m->receipt->row_hash,
        .row_ceiling = g->datasource->config->options.row_limit,
        .row_count = m->stats->rows,
        .stored_rows = (int64_t)m->rows->rows.count,
        .truncated = m->stats->truncated,
        .created_at = now,
        .expires_at = now + RESULT_KEPT_US,
    };
    int rc = results_insert(store, c, &r, &m->rows->chunks);
    if (!rc) *id = r.id;
    return rc;
}

static int missing(struct call *c)
{
    call_forgive(c);
    return call_fail(c, ERR_NOT_FOUND, "There is no such result.");
}

/* The rows may be shown when the caller's present view renders the very statement they came from. */
static int access_again(struct call *c, const struct opened_result *r)
{
    const struct json *tree;
    struct query *plan;
    struct guarded *g;
    if (!strcmp(r->view->key, r->stored.view_key)) return OK;
    if (json_parse(c, r->stored.plan.text, r->stored.plan.n, &tree) || plan_decode(c, tree, &plan) ||
        guard_prepare(c, r->datasource, r->view, plan, ORIGIN_PLANNER, r->stored.row_ceiling, &g) ||
        strcmp(g->statement->hash, r->stored.sql_hash) != 0)
        return missing(c);
    return OK;
}

int result_open(struct call *c, const struct world *w, struct db *store, const char *id, struct opened_result *out)
{
    bool found = false;
    if (!id_valid(id, "rs")) return missing(c);
    int rc = results_get(store, c, &c->who, id, clock_utc_us(), &out->stored, &found);
    if (rc) return rc;
    if (!found) return missing(c);
    out->datasource = registry_get(w->registry, c, out->stored.datasource_id);
    if (!out->datasource) return missing(c);
    if (!out->datasource->snapshot)
        return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", code_row(ERR_DATASOURCE_UNAVAILABLE)->text);
    if (!policy_reaches(w->policies, &c->who, out->datasource->snapshot)) return missing(c);
    rc = policy_view(c, w->policies, &c->who, out->datasource->snapshot, &out->view);
    return rc ? rc : access_again(c, out);
}

/* Appends the lines [skip, skip + count) of a chunk as array items. */
static void add_lines(struct buf *b, const struct stored_chunk *chunk, int64_t skip, int64_t count)
{
    const char *p = chunk->rows.text, *end = p + chunk->rows.n;
    for (int64_t i = 0; i < skip + count && p < end; i++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t n = newline ? (size_t)(newline - p) : (size_t)(end - p);
        if (i >= skip) {
            if (b->len > 1) buf_char(b, ',');
            buf_add(b, p, n);
        }
        p += n + 1;
    }
}

int result_rows(struct call *c, struct db *store, const struct opened_result *r, int64_t first, int64_t count,
                struct raw *rows, int64_t *got)
{
    struct list chunks = { 0 };
    int64_t left = r->stored.stored_rows - first, at = first;
    if (count > left) count = left > 0 ? left : 0;
    int rc = count ? results_chunks(store, c, r->stored.id, first, count, &chunks) : OK;
    if (rc) return rc;
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    buf_char(&b, '[');
    for (size_t i = 0; i < chunks.count && at < first + count; i++) {
        const struct stored_chunk *chunk = &LIST_AT(&chunks, struct stored_chunk, i);
        int64_t take = chunk->first_row + chunk->row_count - at;
        if (take > first + count - at) take = first + count - at;
        add_lines(&b, chunk, at - chunk->first_row, take);
        at += take;
    }
    buf_char(&b, ']');
    *rows = (struct raw){ b.data, b.len };
    *got = at - first;
    return OK;
}
