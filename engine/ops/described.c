#include "ops/described.h"

#include <string.h>

static const char *const kind_names[] = { "table", "view", "materialized_view", "foreign_table", NULL };

struct described_column {
    const char *name, *type, *description;
    bool nullable, primary_key;
};
static const struct field column_fields[] = {
    FIELD(struct described_column, name, K_STR, .flags = F_REQUIRED),
    FIELD(struct described_column, type, K_STR, .flags = F_REQUIRED, .doc = "As the database declares it."),
    FIELD(struct described_column, nullable, K_BOOL, .flags = F_REQUIRED),
    FIELD(struct described_column, primary_key, K_BOOL, .flags = F_REQUIRED),
    FIELD(struct described_column, description, K_STR),
    { 0 },
};
static const struct type column_type = TYPE(struct described_column, "DescribedColumn", column_fields);

struct described_key {
    struct list columns, referred_columns;
    const char *referred_table;
    bool inferred;
};
static const struct field key_fields[] = {
    FIELD(struct described_key, columns, K_STRINGS, .flags = F_REQUIRED),
    FIELD(struct described_key, referred_table, K_STR, .flags = F_REQUIRED),
    FIELD(struct described_key, referred_columns, K_STRINGS, .flags = F_REQUIRED),
    FIELD(struct described_key, inferred, K_BOOL, .flags = F_REQUIRED,
          .doc = "Not declared: found by names and values."),
    { 0 },
};
static const struct type key_type = TYPE(struct described_key, "DescribedKey", key_fields);

static const struct field table_fields[] = {
    FIELD(struct described_table, name, K_STR, .flags = F_REQUIRED),
    FIELD(struct described_table, schema, K_STR),
    FIELD(struct described_table, kind, K_STR, .flags = F_REQUIRED,
          .doc = "table, view, materialized_view or foreign_table."),
    FIELD(struct described_table, description, K_STR),
    FIELD(struct described_table, row_count, K_RAW, .flags = F_REQUIRED | F_NULL,
          .of = "{\"type\":[\"integer\",\"null\"]", .doc = "When it was indexed; null when not known."),
    FIELD(struct described_table, columns, K_LIST, .flags = F_REQUIRED, .of = &column_type),
    FIELD(struct described_table, foreign_keys, K_LIST, .flags = F_REQUIRED, .of = &key_type),
    { 0 },
};
const struct type described_table_type = TYPE(struct described_table, "DescribedTable", table_fields);

const char *described_name(struct call *c, const struct table *t)
{
    return t->schema ? call_format(c, "%s.%s", t->schema, t->name) : t->name;
}

static struct list strings(const char *const *items, size_t count)
{
    return (struct list){ .items = (void *)items, .count = count, .room = count };
}

void describe(struct call *c, const struct view *view, size_t index, struct described_table *out)
{
    const struct table *t = &view->tables[index];
    *out = (struct described_table){
        .name = t->name, .schema = t->schema, .kind = kind_names[t->kind], .description = t->description
    };
    /* Behind a row filter the number of all rows is not the caller's to know. */
    if (t->row_count >= 0 && !view->access[index].filter) {
        out->row_count.text = call_format(c, "%lld", (long long)t->row_count);
        out->row_count.n = strlen(out->row_count.text);
    }
    for (size_t i = 0; i < t->column_count; i++) {
        const struct column *col = &t->columns[i];
        struct described_column *d = list_push(c, &out->columns, sizeof *d);
        *d = (struct described_column){ .name = col->name,
                                        .type = col->db_type ? col->db_type : "",
                                        .description = col->description,
                                        .nullable = col->nullable,
                                        .primary_key = col->primary_key > 0 };
    }
    for (size_t i = 0; i < t->foreign_key_count; i++) {
        const struct foreign_key *k = &t->foreign_keys[i];
        struct described_key *d = list_push(c, &out->foreign_keys, sizeof *d);
        *d = (struct described_key){ .columns = strings(k->columns, k->column_count),
                                     .referred_table =
                                         k->schema ? call_format(c, "%s.%s", k->schema, k->table) : k->table,
                                     .referred_columns = strings(k->referred, k->column_count),
                                     .inferred = k->inferred };
    }
}
