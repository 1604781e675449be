#include "ops/datasource_get.h"

static const struct field ref_fields[] = {
    FIELD(struct datasource_ref, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 63, .doc = "Id of the datasource."),
    { 0 },
};
const struct type datasource_ref_type = TYPE(struct datasource_ref, "DatasourceRef", ref_fields);

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
    if (c->who.level >= LEVEL_ADMIN) out->problem = ds->problem;
    if (!ds->snapshot || !view) return;
    out->server_version = ds->snapshot->server_version;
    out->tables = (int64_t)view->table_count;
    out->indexed_at = ds->snapshot->taken_us;
    if (c->who.level >= LEVEL_ADMIN) out->fingerprint = ds->snapshot->fingerprint;
}

static int run(struct engine *e, struct call *c, const void *vin, void *out)
{
    const struct datasource_ref *in = vin;
    const struct datasource *ds;
    const struct view *view = NULL;
    (void)e;
    int rc = reach(c, in->id, &ds, &view);
    if (rc == ERR_DATASOURCE_UNAVAILABLE || rc == ERR_NOT_INDEXED) {
        call_forgive(c);
        rc = OK;
    }
    if (!rc) show_datasource(c, ds, view, out);
    return rc;
}

const struct op op_datasource_get = { .name = "datasource_get",
                                      .doc = "A datasource and its state.",
                                      .level = LEVEL_VIEWER,
                                      .in = &datasource_ref_type,
                                      .out = &shown_datasource_type,
                                      .run = run };
