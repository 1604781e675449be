/* schema_text - the caller's tables of a datasource as plain text, for a model to read. */
#include "ops/reach.h"

#include <string.h>

#define TEXT_MAX ((size_t)8 * 1024 * 1024)

struct schema_text_in {
    const char *datasource_id;
};
static const struct field in_fields[] = {
    FIELD(struct schema_text_in, datasource_id, K_STR, .flags = F_REQUIRED, .max = 63, .doc = "Id of the datasource."),
    { 0 },
};
static const struct type in_type = TYPE(struct schema_text_in, "SchemaTextIn", in_fields);

struct schema_text {
    const char *text;
};
static const struct field out_fields[] = {
    FIELD(struct schema_text, text, K_STR, .flags = F_REQUIRED, .doc = "A paragraph a table, a line a column."),
    { 0 },
};
static const struct type out_type = TYPE(struct schema_text, "SchemaText", out_fields);

static void add_joins(struct buf *b, const struct table *t, const struct column *column)
{
    for (size_t i = 0; i < t->foreign_key_count; i++) {
        const struct foreign_key *key = &t->foreign_keys[i];
        for (size_t k = 0; k < key->column_count; k++)
            if (!strcmp(key->columns[k], column->name)) buf_format(b, ", joins to %s.%s", key->table, key->referred[k]);
    }
}

static void add_table(struct buf *b, const struct table *t)
{
    buf_format(b, "%sTable %s%s%s", b->len ? "\n" : "", t->schema ? t->schema : "", t->schema ? "." : "", t->name);
    if (t->description) buf_format(b, " - %s", t->description);
    buf_char(b, '\n');
    for (size_t i = 0; i < t->column_count; i++) {
        const struct column *column = &t->columns[i];
        buf_format(b, "  %s %s", column->name, column->db_type && *column->db_type ? column->db_type : "any");
        if (column->primary_key) buf_str(b, ", primary key");
        add_joins(b, t, column);
        if (column->description) buf_format(b, ", %s", column->description);
        buf_char(b, '\n');
    }
}

static int schema_text(struct engine *e, struct call *c, const void *in_, void *out_)
{
    const struct schema_text_in *in = in_;
    struct schema_text *out = out_;
    const struct view *view;
    const struct datasource *ds;
    (void)e;
    int rc = reach(c, in->datasource_id, &ds, &view);
    if (rc) return rc;
    struct buf b;
    buf_init(&b, c, TEXT_MAX);
    for (size_t i = 0; i < view->table_count && !b.failed; i++) add_table(&b, &view->tables[i]);
    if (b.failed)
        return call_fail(c, ERR_LIMIT_EXCEEDED, "The schema is too large for one text; describe tables singly.");
    out->text = b.data;
    return OK;
}

const struct op op_schema_text = {
    .name = "schema_text",
    .doc = "The caller's tables of a datasource as plain text.",
    .level = LEVEL_VIEWER,
    .in = &in_type,
    .out = &out_type,
    .run = schema_text,
};
