/* describe_table: one table as the caller sees it. A failure is a normal result: an unknown and a denied table, an
 * unknown datasource and one out of reach are answered alike. */
#include "ops/described.h"
#include "ops/reach.h"

#include <string.h>

#define TABLES_NAMED 200

struct describe_in {
    const char *datasource_id, *table;
};
static const struct field in_fields[] = {
    FIELD(struct describe_in, datasource_id, K_STR, .flags = F_REQUIRED, .max = 63, .doc = "Id of the datasource."),
    FIELD(struct describe_in, table, K_STR, .flags = F_REQUIRED, .max = 512,
          .doc = "Name of the table, or schema.name."),
    { 0 },
};
static const struct type in_type = TYPE(struct describe_in, "DescribeTable", in_fields);

struct description {
    const char *status, *message;
    struct described_table *table;
    struct list tables; /* const char * */
};
static const struct field out_fields[] = {
    FIELD(struct description, status, K_STR, .flags = F_REQUIRED, .doc = "ok or not_found."),
    FIELD(struct description, table, K_OBJECT, .of = &described_table_type),
    FIELD(struct description, message, K_STR),
    FIELD(struct description, tables, K_STRINGS, .doc = "With not_found: tables that can be read."),
    { 0 },
};
static const struct type out_type = TYPE(struct description, "TableDescription", out_fields);

/* A dot may part schema and name, or belong to the name. */
static const struct table *find(struct call *c, const struct view *v, const char *name)
{
    size_t matches;
    const struct table *t = schema_find(v->tables, v->table_count, &v->names, NULL, name, &matches);
    for (const char *dot = name; !t && (dot = strchr(dot, '.')); dot++)
        t = schema_find(v->tables, v->table_count, &v->names, call_strndup(c, name, (size_t)(dot - name)), dot + 1,
                        &matches);
    return t;
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct describe_in *in = vin;
    struct description *out = vout;
    const struct datasource *ds;
    const struct view *view;
    (void)e;
    out->status = "not_found";
    if (reach(c, in->datasource_id, &ds, &view)) {
        if (c->err.code == ERR_CANCELLED || c->err.code == ERR_PIPELINE_TIMEOUT) return (int)c->err.code;
        out->message = c->err.message;
        call_forgive(c);
        return OK;
    }
    const struct table *t = find(c, view, in->table);
    if (t) {
        out->status = "ok";
        out->table = call_alloc(c, sizeof *out->table);
        describe(c, view, (size_t)(t - view->tables), out->table);
        return OK;
    }
    out->message = call_format(c, "No table '%s' in datasource '%s'.", in->table, in->datasource_id);
    for (size_t i = 0; i < view->table_count && i < TABLES_NAMED; i++)
        *(const char **)list_push(c, &out->tables, sizeof(const char *)) = described_name(c, &view->tables[i]);
    return OK;
}

const struct op op_describe_table = { .name = "describe_table",
                                      .doc = "One table: columns, keys, row count.",
                                      .level = LEVEL_VIEWER,
                                      .in = &in_type,
                                      .out = &out_type,
                                      .run = run };
