#include "indexing/indexer.h"

#include "base/clock.h"
#include "base/hash.h"
#include "schema/drift.h"
#include "schema/snapshot.h"
#include "store/snapshots.h"

#include <string.h>
#include <strings.h>

enum { BUDGET_US = 20000000, STATEMENT_STEPS = 50000000, STATEMENT_MS = 5000 };
/* With more tables than this the structure is shown before the contents are read. */
enum { SHOWN_EARLY = 200 };

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
    snapshot_sort(s);
    s->fingerprint = snapshot_fingerprint(c, s);
    for (size_t i = 0; i < s->table_count; i++)
        for (size_t j = 0; j < s->tables[i].column_count; j++) {
            struct column *col = &s->tables[i].columns[j];
            col->pii = index_listed(&ds->config->options.pii, &s->tables[i], col);
        }
    return OK;
}

/* A stored schema belongs to the connection it was found through, and to what may be kept of its values. */
static const char *source_of(struct call *c, const struct datasource *ds)
{
    const struct datasource_options *o = &ds->config->options;
    const struct list *lists[] = { &o->pii, &o->index_columns };
    struct buf b;
    buf_init(&b, c, (size_t)4 << 20);
    buf_str(&b, ds->config->type);
    buf_char(&b, '\n');
    if (ds->config->connection) json_write(&b, ds->config->connection);
    buf_str(&b, index_values_names[o->index_values]);
    for (size_t i = 0; i < 2; i++) {
        buf_char(&b, '\n');
        for (size_t k = 0; k < lists[i]->count; k++) json_add_string(&b, LIST_AT(lists[i], const char *, k));
    }
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

void indexer_progress(struct indexer *x, const char *stage, size_t done, size_t total, int64_t first, int64_t last)
{
    if (!x->options->progress) return;
    int64_t percent = first + (total ? (int64_t)((size_t)(last - first) * done / total) : 0);
    x->options->progress(x->options->ctx, stage, (int64_t)done, (int64_t)total, percent);
}

static int learn_contents(struct indexer *x)
{
    struct call *c = x->call;
    struct arena_mark mark = arena_mark(&c->arena);
    index_keep(x);
    int rc = index_statistics(x);
    if (!rc) rc = index_keys(x);
    if (!rc && x->datasource.config->options.index_values != INDEX_NONE) rc = index_values(x);
    if (!rc) arena_reset(&c->arena, mark);
    return rc;
}

/* Absent when there was nothing to compare with, or nothing changed. */
static struct raw changes_text(struct call *c, const struct indexer *x)
{
    const struct list *changes = &x->report->changes;
    struct buf b;
    if (!x->before->snapshot || !x->report->changed) return (struct raw){ 0 };
    buf_init(&b, c, (size_t)4 << 20);
    buf_char(&b, '[');
    for (size_t i = 0; i < changes->count; i++) {
        if (i) buf_char(&b, ',');
        json_encode(&b, &schema_change_type, &LIST_AT(changes, struct schema_change, i));
    }
    buf_char(&b, ']');
    return b.failed ? (struct raw){ 0 } : (struct raw){ b.data, b.len };
}

static int keep(struct indexer *x, struct db *store, const char *source, const struct value_index *values)
{
    struct call *c = x->call;
    struct buf b;
    struct raw blob = { 0 };
    if (!store) return OK;
    struct arena_mark mark = arena_mark(&c->arena);
    buf_init(&b, c, (size_t)1 << 30);
    snapshot_encode(&b, x->snapshot);
    if (values) blob.text = value_index_blob(values, &blob.n);
    const struct stored_schema s = { .fingerprint = x->snapshot->fingerprint,
                                     .source = source,
                                     .taken_at = x->snapshot->taken_us,
                                     .snapshot = b.data,
                                     .value_index = blob,
                                     .change_count = x->report->change_count,
                                     .changes = changes_text(c, x) };
    int rc = snapshots_put(store, c, x->snapshot->datasource, &s);
    if (!rc) arena_reset(&c->arena, mark);
    return rc;
}

/* ds: as it was known before. */
static int learn(struct call *c, struct registry *r, struct db *store, const struct datasource *ds, struct snapshot *s,
                 const struct index_options *options, struct index_report *out)
{
    struct indexer x = { .call = c, .datasource = *ds, .snapshot = s, .options = options, .report = out, .before = ds };
    struct table_access *access = call_array(c, s->table_count, sizeof *access);
    void *slots = call_alloc(c, table_names_bytes(s->table_count));
    x.until_us = clock_mono_us() + (options->budget_us ? options->budget_us : BUDGET_US);
    *out = (struct index_report){ .complete = true, .changed = true };
    if (ds->snapshot) {
        out->before = ds->snapshot->fingerprint;
        out->changed = strcmp(ds->snapshot->fingerprint, s->fingerprint) != 0;
        if (out->changed) schema_drift(c, ds->snapshot, s, INDEX_CHANGES, &out->changes, &out->change_count);
    } else if (s->table_count > SHOWN_EARLY) {
        int rc = registry_recall(r, c, ds->config->id, s, NULL);
        if (rc) return rc;
    }
    call_begin(&x.keep);
    x.datasource.snapshot = s;
    x.view = (struct view){
        .snapshot = s, .tables = s->tables, .access = access, .table_count = s->table_count, .key = s->fingerprint
    };
    table_names_build(&x.view.names, slots, s->tables, s->table_count);
    x.values = value_builder_new(&x.keep, VALUE_INDEX_BYTES);
    int rc = learn_contents(&x);
    struct value_index *values = value_builder_end(x.values);
    indexer_progress(&x, "store", 0, 1, 95, 100);
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

/* What the store holds of this connection, shown as it is: until it is compared, it is better than nothing. */
static void recall(struct call *c, struct registry *r, struct db *store, const struct datasource *ds)
{
    struct stored_schema stored = { 0 };
    struct snapshot *s;
    bool found = false;
    if (!store || snapshots_last(store, c, ds->config->id, source_of(c, ds), &stored, &found) || !found ||
        snapshot_decode(c, stored.snapshot, strlen(stored.snapshot), &s)) {
        call_forgive(c);
        return;
    }
    struct value_index *values =
        stored.value_index.n ? value_index_map(stored.value_index.text, stored.value_index.n) : NULL;
    if (stored.value_index.n && !values) return;
    registry_recall(r, c, ds->config->id, s, values);
}

/* As it is known; what the store remembers counts as known. */
static const struct datasource *known(struct call *c, struct registry *r, struct db *store, const char *id)
{
    const struct datasource *ds = registry_peek(r, c, id);
    if (!ds || ds->snapshot || !ds->adapter) return ds;
    recall(c, r, store, ds);
    return registry_peek(r, c, id);
}

static int index_alone(struct call *c, struct registry *r, struct db *store, const char *id,
                       const struct index_options *options, struct index_report *out)
{
    const struct datasource *ds = known(c, r, store, id);
    struct snapshot *s;
    if (!ds) return call_fail(c, ERR_DATASOURCE_NOT_FOUND, "No datasource '%s'.", id);
    if (options->progress) options->progress(options->ctx, "structure", 0, 0, 0);
    int rc = introspect(c, ds, &s);
    if (rc) return failed(c, r, id, rc);
    if (ds->snapshot && !strcmp(ds->snapshot->fingerprint, s->fingerprint)) registry_confirm(r, id);
    rc = learn(c, r, store, ds, s, options, out);
    if (!rc) out->bytes = (int64_t)registry_peek(r, c, id)->bytes;
    return rc;
}

int index_datasource(struct call *c, struct registry *r, struct db *store, const char *id,
                     const struct index_options *options, struct index_report *out)
{
    static const struct index_options none = { 0 };
    struct slot *slot;
    int rc = registry_lesson(r, c, id, &slot);
    if (rc) return rc;
    rc = index_alone(c, r, store, id, options ? options : &none, out);
    registry_lesson_over(slot);
    return rc;
}

void index_learn(void *store, struct registry *r, struct call *c, const char *id)
{
    static const struct index_options options = { .structure_only = true };
    const struct datasource *ds = known(c, r, store, id);
    struct index_report report;
    struct snapshot *s;
    if (!ds) return;
    int rc = introspect(c, ds, &s);
    if (rc)
        failed(c, r, id, rc);
    else if (ds->snapshot && !strcmp(ds->snapshot->fingerprint, s->fingerprint))
        registry_confirm(r, id);
    else
        learn(c, r, store, ds, s, &options, &report);
}

static const struct field report_fields[] = {
    FIELD(struct index_report, fingerprint, K_STR, .flags = F_REQUIRED, .doc = "Hash of its structure."),
    FIELD(struct index_report, before, K_STR, .doc = "Hash of the structure that was known before."),
    FIELD(struct index_report, changed, K_BOOL, .flags = F_REQUIRED,
          .doc = "The structure is another one than before."),
    FIELD(struct index_report, complete, K_BOOL, .flags = F_REQUIRED, .doc = "No budget of time or size cut it short."),
    FIELD(struct index_report, tables, K_INT, .flags = F_REQUIRED),
    FIELD(struct index_report, tables_read, K_INT, .flags = F_REQUIRED,
          .doc = "Tables whose contents were read; the others did not change."),
    FIELD(struct index_report, columns, K_INT, .flags = F_REQUIRED),
    FIELD(struct index_report, rows, K_INT, .flags = F_REQUIRED, .doc = "Of all base tables that could be counted."),
    FIELD(struct index_report, values, K_INT, .flags = F_REQUIRED, .doc = "Distinct values in the index."),
    FIELD(struct index_report, values_left_out, K_INT, .flags = F_REQUIRED,
          .doc = "Values that are too long, too many of a column, or beyond the size of the index."),
    FIELD(struct index_report, inferred_keys, K_INT, .flags = F_REQUIRED, .doc = "Keys found that nobody declared."),
    FIELD(struct index_report, bytes, K_INT, .flags = F_REQUIRED, .doc = "Memory that schema and values take."),
    FIELD(struct index_report, changes, K_LIST, .flags = F_REQUIRED, .of = &schema_change_type,
          .doc = "What is different from the structure before, the first 200."),
    FIELD(struct index_report, change_count, K_INT, .flags = F_REQUIRED, .doc = "How many changes there are."),
    { 0 },
};
const struct type index_report_type = TYPE(struct index_report, "IndexReport", report_fields);
