#include "indexing/indexer.h"

#include "base/clock.h"
#include "base/hash.h"
#include "schema/snapshot.h"
#include "store/snapshots.h"

#include <string.h>
#include <strings.h>

enum { BUDGET_US = 20000000, STATEMENT_STEPS = 50000000, STATEMENT_MS = 5000 };

/* ---- statements ---- */

struct taker {
    struct indexer *indexer;
    int (*row)(struct indexer *x, void *ctx, const struct cell *cells, size_t count);
    void *ctx;
};

static int take_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct taker *t = ctx;
    (void)c;
    return t->row(t->indexer, t->ctx, cells, count);
}

bool indexer_late(struct indexer *x)
{
    if (clock_mono_us() < x->until_us) return false;
    x->report->complete = false;
    return true;
}

bool indexer_run(struct indexer *x, struct query *q,
                 int (*row)(struct indexer *x, void *ctx, const struct cell *cells, size_t count), void *ctx, int *rc)
{
    struct call *c = x->call;
    struct guarded *g;
    struct taker taker = { .indexer = x, .row = row, .ctx = ctx };
    const struct row_sink sink = { .row = take_row, .ctx = &taker };
    const struct run_limits limits = { .steps = STATEMENT_STEPS, .time_ms = STATEMENT_MS };
    struct run_stats stats = { 0 };
    int run = guard_prepare(c, &x->datasource, &x->view, q, ORIGIN_SYSTEM, GUARD_EXPORT, &g);
    if (!run) run = guard_run(c, g, &limits, &sink, &stats);
    bool whole = !run && !stats.truncated;
    if (!whole) x->report->complete = false;
    call_forgive(c);
    *rc = call_check(c);
    return whole && !*rc;
}

struct shown indexer_shown(struct indexer *x, const struct cell *cell)
{
    struct shown s = { .kind = cell->kind };
    if (cell->kind != CELL_NULL && cell->kind != CELL_BINARY && cell->n <= SHOWN_BYTES &&
        !memchr(cell->text, 0, cell->n))
        s.text = call_strndup(&x->keep, cell->text, cell->n);
    return s;
}

/* ---- the sequence ---- */

static bool names_column(const char *listed, const struct table *t, const struct column *col)
{
    const char *dot = strrchr(listed, '.');
    if (!dot || strcasecmp(dot + 1, col->name) != 0) return false;
    size_t n = (size_t)(dot - listed), name = strlen(t->name);
    if (n < name || strncasecmp(dot - name, t->name, name) != 0) return false;
    return n == name || (listed[n - name - 1] == '.' && t->schema && strlen(t->schema) == n - name - 1 &&
                         !strncasecmp(listed, t->schema, n - name - 1));
}

bool index_listed(const struct list *columns, const struct table *t, const struct column *col)
{
    for (size_t i = 0; i < columns->count; i++)
        if (names_column(LIST_AT(columns, const char *, i), t, col)) return true;
    return false;
}

static int introspect(struct call *c, const struct datasource *ds, struct snapshot **out)
{
    if (!ds->adapter) return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", code_row(ERR_DATASOURCE_UNAVAILABLE)->text);
    int rc = adapter_introspect(c, ds->adapter, out);
    if (rc) return rc;
    struct snapshot *s = *out;
    s->datasource = ds->config->id;
    s->fingerprint = snapshot_fingerprint(c, s);
    for (size_t i = 0; i < s->table_count; i++)
        for (size_t j = 0; j < s->tables[i].column_count; j++)
            s->tables[i].columns[j].pii =
                index_listed(&ds->config->options.pii, &s->tables[i], &s->tables[i].columns[j]);
    return OK;
}

/* A stored schema belongs to the connection it was found through. */
static const char *source_of(struct call *c, const struct datasource *ds)
{
    struct buf b;
    buf_init(&b, c, (size_t)1 << 20);
    buf_str(&b, ds->config->type);
    buf_char(&b, '\n');
    if (ds->config->connection) json_write(&b, ds->config->connection);
    return hash_hex(c, b.data, b.len);
}

static void describe(struct indexer *x)
{
    const struct snapshot *s = x->snapshot;
    struct index_report *r = x->report;
    r->fingerprint = s->fingerprint;
    r->tables = (int64_t)s->table_count;
    for (size_t i = 0; i < s->table_count; i++) {
        const struct table *t = &s->tables[i];
        r->columns += (int64_t)t->column_count;
        if (t->kind != TABLE_VIEW && t->row_count > 0) r->rows += t->row_count;
        for (size_t k = 0; k < t->foreign_key_count; k++) r->inferred_keys += t->foreign_keys[k].inferred;
    }
}

static int learn_contents(struct indexer *x)
{
    struct call *c = x->call;
    struct arena_mark mark = arena_mark(&c->arena);
    int rc = index_statistics(x);
    if (!rc) rc = index_keys(x);
    if (!rc && x->datasource.config->options.index_values != INDEX_NONE) rc = index_values(x);
    if (!rc) arena_reset(&c->arena, mark);
    return rc;
}

static int keep(struct indexer *x, struct db *store, const char *source, const struct value_index *values)
{
    struct call *c = x->call;
    struct buf b;
    struct raw blob = { 0 };
    if (!store) return OK;
    buf_init(&b, c, (size_t)1 << 30);
    snapshot_encode(&b, x->snapshot);
    if (values) blob.text = value_index_blob(values, &blob.n);
    const struct stored_schema s = { .fingerprint = x->snapshot->fingerprint,
                                     .source = source,
                                     .taken_at = x->snapshot->taken_us,
                                     .snapshot = b.data,
                                     .value_index = blob };
    return snapshots_put(store, c, x->snapshot->datasource, &s);
}

static int learn(struct call *c, struct registry *r, struct db *store, const struct datasource *ds, struct snapshot *s,
                 struct index_report *out)
{
    struct indexer x = {
        .call = c, .datasource = *ds, .snapshot = s, .until_us = clock_mono_us() + BUDGET_US, .report = out
    };
    struct table_access *access = call_array(c, s->table_count, sizeof *access);
    void *slots = call_alloc(c, table_names_bytes(s->table_count));
    *out = (struct index_report){ .complete = true,
                                  .changed = !ds->snapshot || strcmp(ds->snapshot->fingerprint, s->fingerprint) != 0 };
    call_begin(&x.keep);
    x.datasource.snapshot = s;
    x.view = (struct view){
        .snapshot = s, .tables = s->tables, .access = access, .table_count = s->table_count, .key = s->fingerprint
    };
    table_names_build(&x.view.names, slots, s->tables, s->table_count);
    x.values = value_builder_new(&x.keep);
    int rc = learn_contents(&x);
    struct value_index *values = value_builder_end(x.values, VALUE_INDEX_BYTES);
    if (!rc) {
        describe(&x);
        rc = keep(&x, store, source_of(c, ds), values);
    }
    if (!rc)
        rc = registry_publish(r, c, ds->config->id, s, values);
    else
        value_index_free(values);
    call_end(&x.keep);
    return rc;
}

static int failed(struct call *c, struct registry *r, const char *id, int rc)
{
    if (rc == ERR_DATASOURCE_UNAVAILABLE) registry_mark(r, id, DS_UNAVAILABLE, c->err.message);
    return rc;
}

int index_datasource(struct call *c, struct registry *r, struct db *store, const char *id, struct index_report *out)
{
    const struct datasource *ds = registry_peek(r, c, id);
    struct snapshot *s;
    if (!ds) return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", id);
    int rc = introspect(c, ds, &s);
    if (rc) return failed(c, r, id, rc);
    return learn(c, r, store, ds, s, out);
}

/* True when the store knew this structure of this connection: it is published with what was known. */
static bool remembered(struct call *c, struct registry *r, struct db *store, const struct datasource *ds,
                       const struct snapshot *now)
{
    struct stored_schema stored = { 0 };
    struct snapshot *s;
    bool found = false;
    if (!store || snapshots_last(store, c, ds->config->id, source_of(c, ds), &stored, &found) || !found ||
        strcmp(stored.fingerprint, now->fingerprint) != 0 ||
        snapshot_decode(c, stored.snapshot, strlen(stored.snapshot), &s)) {
        call_forgive(c);
        return false;
    }
    struct value_index *values =
        stored.value_index.n ? value_index_map(stored.value_index.text, stored.value_index.n) : NULL;
    if (stored.value_index.n && !values) return false;
    return registry_publish(r, c, ds->config->id, s, values) == OK;
}

void index_learn(void *store, struct registry *r, struct call *c, const char *id)
{
    const struct datasource *ds = registry_peek(r, c, id);
    struct index_report report;
    struct snapshot *s;
    if (!ds) return;
    int rc = introspect(c, ds, &s);
    if (rc)
        failed(c, r, id, rc);
    else if (!remembered(c, r, store, ds, s))
        learn(c, r, store, ds, s, &report);
}
