/* schema_get: the tables of a datasource that the caller may read, a page at a time. */
#include "base/cursor.h"
#include "ops/described.h"
#include "ops/reach.h"

#include <stdlib.h>
#include <string.h>

struct schema_in {
    const char *id, *search, *cursor;
    int64_t limit;
};
static const struct field in_fields[] = {
    FIELD(struct schema_in, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 63, .doc = "Id of the datasource."),
    FIELD(struct schema_in, search, K_STR, .max = 200, .doc = "Words that must stand in the names or descriptions."),
    FIELD(struct schema_in, limit, K_INT, .min = 1, .max = 200, .def = "100", .doc = "Most tables on a page."),
    FIELD(struct schema_in, cursor, K_STR, .doc = "`next` of the page before."),
    { 0 },
};
static const struct type in_type = TYPE(struct schema_in, "SchemaGet", in_fields);

struct schema {
    const char *datasource_id, *dialect, *next;
    struct list items;
};
static const struct field out_fields[] = {
    FIELD(struct schema, datasource_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct schema, dialect, K_STR, .flags = F_REQUIRED),
    FIELD(struct schema, items, K_LIST, .flags = F_REQUIRED, .of = &described_table_type,
          .doc = "The tables, by name."),
    FIELD(struct schema, next, K_STR, .flags = F_NULL, .doc = "Cursor of the next page; null on the last."),
    { 0 },
};
static const struct type out_type = TYPE(struct schema, "Schema", out_fields);

static bool mentions(const char *text, const char *word)
{
    return text && strcasestr(text, word);
}

static bool table_mentions(const struct table *t, const char *word)
{
    if (mentions(t->name, word) || mentions(t->schema, word) || mentions(t->description, word)) return true;
    for (size_t i = 0; i < t->column_count; i++)
        if (mentions(t->columns[i].name, word) || mentions(t->columns[i].description, word)) return true;
    return false;
}

static bool wanted(struct call *c, const struct table *t, const char *search)
{
    for (const char *p = search; p && *p;) {
        size_t n = strcspn(p, " ");
        if (n && !table_mentions(t, call_strndup(c, p, n))) return false;
        p += n + (p[n] != 0);
    }
    return true;
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct schema_in *in = vin;
    struct schema *out = vout;
    const struct datasource *ds;
    const struct view *view;
    const char *position = NULL;
    int rc = reach(c, in->id, &ds, &view);
    if (rc) return rc;
    const struct cursor_scope scope = { e->cursor_key, "schema_get",
                                        call_format(c, "%s/%s", c->who.tenant, c->who.user),
                                        call_format(c, "%s %s %s", in->id, view->key, in->search ? in->search : "") };
    if (in->cursor) rc = cursor_read(c, &scope, in->cursor, &position);
    if (rc) return rc;
    *out = (struct schema){ .datasource_id = ds->config->id, .dialect = ds->snapshot->dialect };
    for (size_t i = position ? strtoul(position, NULL, 10) : 0; i < view->table_count; i++) {
        if (!wanted(c, &view->tables[i], in->search)) continue;
        if (out->items.count == (size_t)in->limit) {
            out->next = cursor_make(c, &scope, call_format(c, "%zu", i));
            break;
        }
        describe(c, view, i, list_push(c, &out->items, sizeof(struct described_table)));
    }
    return OK;
}

const struct op op_schema_get = { .name = "schema_get",
                                  .doc = "The tables of a datasource that the caller may read.",
                                  .level = LEVEL_VIEWER,
                                  .in = &in_type,
                                  .out = &out_type,
                                  .run = run };
