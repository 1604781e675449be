#include "ops/datasource_get.h"

#include "ops/job_get.h"
#include "schema/drift.h"
#include "store/snapshots.h"

static const struct field ref_fields[] = {
    FIELD(struct datasource_ref, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 63, .doc = "Id of the datasource."),
    { 0 },
};
const struct type datasource_ref_type = TYPE(struct datasource_ref, "DatasourceRef", ref_fields);

static const struct field version_fields[] = {
    FIELD(struct schema_version, fingerprint, K_STR, .flags = F_REQUIRED, .doc = "Hash of its structure."),
    FIELD(struct schema_version, found_at, K_TIME, .flags = F_REQUIRED, .doc = "When it was last found."),
    FIELD(struct schema_version, change_count, K_INT, .flags = F_REQUIRED, .doc = "Against the version before it."),
    FIELD(struct schema_version, changes, K_LIST, .flags = F_REQUIRED, .of = &schema_change_type,
          .doc = "The first of them."),
    { 0 },
};
static const struct type version_type = TYPE(struct schema_version, "SchemaVersion", version_fields);

static const struct field circuit_fields[] = {
    { .name = "state",
      .kind = K_ENUM,
      .offset = offsetof(struct circuit_state, circuit),
      .flags = F_REQUIRED,
      .of = circuit_names,
      .doc = "open: callers are refused at once; half_open: the next one tries." },
    FIELD(struct circuit_state, failures, K_INT, .flags = F_REQUIRED, .doc = "Connections in a row that failed."),
    FIELD(struct circuit_state, retry_after_ms, K_INT, .flags = F_REQUIRED, .doc = "Until the next one is tried."),
    FIELD(struct circuit_state, opened, K_INT, .flags = F_REQUIRED, .doc = "How often it opened since the start."),
    FIELD(struct circuit_state, refused, K_INT, .flags = F_REQUIRED, .doc = "Callers refused since the start."),
    { 0 },
};
static const struct type circuit_type = TYPE(struct circuit_state, "DatasourceCircuit", circuit_fields);

static const struct field fields[] = {
    FIELD(struct shown_datasource, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct shown_datasource, type, K_STR, .flags = F_REQUIRED),
    FIELD(struct shown_datasource, description, K_STR, .flags = F_NULL),
    FIELD(struct shown_datasource, status, K_ENUM, .flags = F_REQUIRED, .of = datasource_status_names),
    FIELD(struct shown_datasource, problem, K_STR, .doc = "Why it is unavailable; for admins."),
    FIELD(struct shown_datasource, managed, K_BOOL, .flags = F_REQUIRED, .doc = "Defined by a file: read-only here."),
    FIELD(struct shown_datasource, dialect, K_STR, .flags = F_REQUIRED, .doc = "The SQL it speaks."),
    FIELD(struct shown_datasource, server_version, K_STR),
    FIELD(struct shown_datasource, tables, K_INT, .flags = F_REQUIRED, .doc = "Tables that the caller may read."),
    FIELD(struct shown_datasource, fingerprint, K_STR, .doc = "Hash of its structure; for admins."),
    FIELD(struct shown_datasource, indexed_at, K_TIME),
    FIELD(struct shown_datasource, memory_bytes, K_INT, .doc = "Memory that its schema and values take; for admins."),
    FIELD(struct shown_datasource, job_id, K_STR, .doc = "The job that indexes it now; for admins."),
    FIELD(struct shown_datasource, circuit, K_OBJECT, .of = &circuit_type,
          .doc = "Whether connections can be made; for admins, of databases that are connected to."),
    FIELD(struct shown_datasource, versions, K_LIST, .of = &version_type,
          .doc = "The structures it had, latest first; for admins."),
    { 0 },
};
const struct type shown_datasource_type = TYPE(struct shown_datasource, "Datasource", fields);

void show_datasource(struct call *c, const struct datasource *ds, const struct view *view, struct shown_datasource *out)
{
    const struct datasource_config *d = ds->config;
    const struct adapter_kind *kind = adapter_kind_find(d->type);
    *out = (struct shown_datasource){ .id = d->id,
                                      .type = d->type,
                                      .description = d->description,
                                      .status = (int)ds->status,
                                      .managed = d->managed,
                                      .dialect = kind ? kind->dialect : "" };
    if (c->who.level >= LEVEL_ADMIN) {
        struct circuit_state *circuit = call_alloc(c, sizeof *circuit);
        out->problem = ds->problem;
        if (adapter_health(ds->adapter, circuit)) out->circuit = circuit;
    }
    if (!ds->snapshot || !view) return;
    out->server_version = ds->snapshot->server_version;
    out->tables = (int64_t)view->table_count;
    out->indexed_at = ds->snapshot->taken_us;
    if (c->who.level < LEVEL_ADMIN) return;
    out->fingerprint = ds->snapshot->fingerprint;
    out->memory_bytes = (int64_t)ds->bytes;
}

static int read_changes(struct call *c, struct raw text, struct list *out)
{
    const struct json *j = NULL;
    int rc = text.text ? json_parse(c, text.text, text.n, &j) : OK;
    for (size_t i = 0; !rc && j && i < j->count; i++)
        rc = json_decode(c, &schema_change_type, &j->items[i], list_push(c, out, sizeof(struct schema_change)));
    return rc;
}

static int show_history(struct engine *e, struct call *c, struct shown_datasource *out)
{
    struct list versions;
    struct stored_job job = { 0 };
    bool found = false;
    int rc = snapshots_versions(e->store, c, out->id, &versions);
    for (size_t i = 0; !rc && i < versions.count; i++) {
        const struct stored_schema *v = &LIST_AT(&versions, struct stored_schema, i);
        struct schema_version *shown = list_push(c, &out->versions, sizeof *shown);
        *shown = (struct schema_version){ v->fingerprint, v->taken_at, v->change_count, { 0 } };
        rc = read_changes(c, v->changes, &shown->changes);
        shown->change_count -= show_changes(c, out->id, &shown->changes);
    }
    if (!rc) rc = jobs_unfinished(e->store, c, "index", out->id, &job, &found);
    if (found) out->job_id = job.id;
    return rc;
}

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct datasource_ref *in = vin;
    const struct datasource *ds;
    const struct view *view = NULL;
    int rc = reach(c, in->id, &ds, &view);
    if (rc == ERR_DATASOURCE_UNAVAILABLE || rc == ERR_NOT_INDEXED) {
        call_forgive(c);
        rc = OK;
    }
    if (!rc) show_datasource(c, ds, view, out);
    if (!rc && c->who.level >= LEVEL_ADMIN) rc = show_history(e, c, out);
    return rc;
}

const struct op op_datasource_get = { .name = "datasource_get",
                                      .doc = "A datasource and its state.",
                                      .level = LEVEL_VIEWER,
                                      .in = &datasource_ref_type,
                                      .out = &shown_datasource_type,
                                      .run = run };
