/* guard_statement: what the guard says to a statement under a schema and a policy that come with it; for measuring. No
 * database is touched. */
#include "guard/guard.h"
#include "ops/op.h"
#include "schema/snapshot.h"
#include "sql/dialects/dialect.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SOURCE "guarded"
#define ROLE   "caller"

struct guard_in {
    const char *sql, *dialect;
    const struct json *context, *policy;
};
static const struct field in_fields[] = {
    FIELD(struct guard_in, sql, K_STR, .flags = F_REQUIRED, .max = 1 << 20, .doc = "The statement."),
    FIELD(struct guard_in, dialect, K_STR, .flags = F_REQUIRED, .max = 40, .doc = "Whose rules it follows."),
    FIELD(struct guard_in, context, K_JSON, .flags = F_REQUIRED, .doc = "{schema: {table: {column: type}}, policy}."),
    FIELD(struct guard_in, policy, K_JSON, .doc = "Added to the context's policy."),
    { 0 },
};
static const struct type in_type = TYPE(struct guard_in, "GuardStatement", in_fields);

struct guard_out {
    bool allowed, capped;
    const char *sql, *code, *message;
    int64_t wrapped;
};
static const struct field out_fields[] = {
    FIELD(struct guard_out, allowed, K_BOOL, .flags = F_REQUIRED, .doc = "It would run, as `sql` says."),
    FIELD(struct guard_out, capped, K_BOOL, .flags = F_REQUIRED, .doc = "The rows are bounded by the ceiling."),
    FIELD(struct guard_out, wrapped, K_INT, .flags = F_REQUIRED, .doc = "Tables read behind a filter or mask."),
    FIELD(struct guard_out, sql, K_STR, .doc = "As it was rendered."),
    FIELD(struct guard_out, code, K_STR, .doc = "Of the refusal."),
    FIELD(struct guard_out, message, K_STR, .doc = "Of the refusal."),
    { 0 },
};
static const struct type out_type = TYPE(struct guard_out, "GuardedStatement", out_fields);

/* ---- the schema ---- */

static struct value_type type_of(const char *text)
{
    static const struct {
        const char *word;
        enum type_kind kind;
    } words[] = { { "integer", TYPE_INTEGER }, { "text", TYPE_TEXT },  { "timestamp", TYPE_TIMESTAMP },
                  { "numeric", TYPE_DECIMAL }, { "date", TYPE_DATE },  { "boolean", TYPE_BOOLEAN },
                  { "double", TYPE_DOUBLE },   { "blob", TYPE_BINARY } };
    struct value_type t = { 0 };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncasecmp(text, words[i].word, strlen(words[i].word)) == 0) t.kind = words[i].kind;
    const char *digits = strchr(text, '('), *comma = digits ? strchr(digits, ',') : NULL;
    if (t.kind == TYPE_DECIMAL && digits) t.precision = (int)strtol(digits + 1, NULL, 10);
    if (t.kind == TYPE_DECIMAL && comma) t.scale = (int)strtol(comma + 1, NULL, 10);
    return t;
}

static int read_table(struct call *c, const char *name, const struct json *j, const char *schema, struct table *out)
{
    if (j->kind != J_OBJECT) return call_fail(c, ERR_VALIDATION_ERROR, "The table '%s' is an object of columns.", name);
    *out = (struct table){ .schema = schema, .name = name, .row_count = -1, .column_count = j->count };
    out->columns = call_array(c, j->count, sizeof *out->columns);
    for (size_t i = 0; i < j->count; i++) {
        const char *type = j->items[i].kind == J_STRING ? j->items[i].string : "";
        struct column *column = &out->columns[i];
        *column = (struct column){ .name = j->names[i],
                                   .db_type = type,
                                   .type = type_of(type),
                                   .nullable = true,
                                   .distinct_count = -1,
                                   .null_count = -1 };
        if (strstr(type, "primary key")) {
            column->primary_key = 1;
            column->nullable = false;
        }
    }
    return OK;
}

static int read_schema(struct call *c, const struct json *context, const char *dialect, struct snapshot **out)
{
    const struct json *schema = json_get(context, "schema");
    if (!schema || schema->kind != J_OBJECT)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/context/schema",
                            "The context has a schema: an object of tables.");
    struct snapshot s = { .datasource = SOURCE, .dialect = dialect, .table_count = schema->count };
    const char *space = strcmp(dialect, "postgres") == 0 ? "public"
                        : strcmp(dialect, "mssql") == 0  ? "dbo"
                        : strcmp(dialect, "duckdb") == 0 ? "main"
                                                         : NULL;
    s.tables = call_array(c, s.table_count, sizeof *s.tables);
    for (size_t i = 0; i < s.table_count; i++) {
        int rc = read_table(c, schema->names[i], &schema->items[i], space, &s.tables[i]);
        if (rc) return rc;
    }
    s.fingerprint = snapshot_fingerprint(c, &s);
    *out = snapshot_copy(&c->arena, &s);
    return OK;
}

/* ---- the policy ---- */

static void add_names(struct buf *b, const struct json *list, size_t *count)
{
    for (size_t i = 0; list && list->kind == J_ARRAY && i < list->count; i++) {
        if (list->items[i].kind != J_STRING) continue;
        buf_str(b, (*count)++ ? ",\"" SOURCE "." : "\"" SOURCE ".");
        buf_format(b, "%s\"", list->items[i].string);
    }
}

static void add_member(struct buf *b, const char *name, const struct json *first, const char *one,
                       const struct json *second, const char *other)
{
    size_t count = 0;
    buf_format(b, ",\"%s\":[", name);
    add_names(b, json_get(first, one), &count);
    add_names(b, json_get(second, one), &count);
    add_names(b, json_get(first, other), &count);
    add_names(b, json_get(second, other), &count);
    buf_char(b, ']');
}

/* {"orders": "tenant_id = 7"} as the rows of a role's filter. */
static int add_filters(struct call *c, struct buf *b, const struct json *filters)
{
    buf_str(b, ",\"filters\":{");
    for (size_t i = 0; filters && i < filters->count; i++) {
        const char *text = filters->items[i].kind == J_STRING ? filters->items[i].string : "";
        size_t name = strcspn(text, " =");
        const char *value = text + name + strspn(text + name, " =");
        if (!name || !*value)
            return call_fail(c, ERR_VALIDATION_ERROR, "A row filter reads 'column = value', found '%s'.", text);
        buf_format(b, "%s\"" SOURCE ".%s\":{", i ? "," : "", filters->names[i]);
        json_add_text(b, text, name);
        buf_char(b, ':');
        json_add_string(b, value);
        buf_char(b, '}');
    }
    buf_char(b, '}');
    return OK;
}

static int read_policy(struct call *c, const struct json *first, const struct json *second, struct policies **out)
{
    struct buf b;
    const struct json *section;
    buf_init(&b, c, 1 << 20);
    buf_str(&b, "{\"roles\":{\"" ROLE "\":{\"description\":\"\"");
    add_member(&b, "allow", first, "allow", second, "allowed_tables");
    add_member(&b, "deny", first, "deny", second, "denied_tables");
    add_member(&b, "columns_deny", first, "columns_deny", second, "denied_columns");
    int rc = add_filters(
        c, &b, json_get(second, "row_filter") ? json_get(second, "row_filter") : json_get(first, "row_filter"));
    buf_str(&b, "}}}");
    if (!rc) rc = json_parse(c, b.data, b.len, &section);
    return rc ? rc : policies_load(c, section, out);
}

static int64_t row_ceiling(const struct json *first, const struct json *second)
{
    const struct json *a = json_get(second, "max_rows"), *b = json_get(first, "row_ceiling");
    if (a && a->kind == J_INT) return a->integer;
    return b && b->kind == J_INT ? b->integer : 1000;
}

static void judge(struct call *c, const struct guard_in *in, const struct snapshot *s, const struct policies *p,
                  const struct json *policy, struct guard_out *out)
{
    static const char *const roles[] = { ROLE };
    const struct principal operator= c->who;
    const struct view *view;
    struct guarded *g = NULL;
    struct datasource_config config = { .id = SOURCE, .type = s->dialect };
    struct datasource ds = { .config = &config, .snapshot = s };
    config.options.row_limit = row_ceiling(policy, in->policy);
    c->who = (struct principal){ .user = "caller",
                                 .tenant = "default",
                                 .source = "operator",
                                 .level = LEVEL_VIEWER,
                                 .roles = roles,
                                 .role_count = 1 };
    int rc = policy_view(c, p, &c->who, s, &view);
    if (!rc) rc = guard_text(c, &ds, view, in->sql, strlen(in->sql), 0, &g);
    c->who = operator;
    out->allowed = rc == OK;
    if (rc) {
        out->code = code_row(c->err.code)->name;
        out->message = c->err.message;
        call_forgive(c);
        return;
    }
    out->sql = g->statement->sql;
    out->capped = g->statement->row_cap > 0 && g->statement->row_cap <= config.options.row_limit + 1;
    out->wrapped = g->wrapped;
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct guard_in *in = vin;
    struct guard_out *out = vout;
    const struct dialect *d = dialect_find(in->dialect);
    struct snapshot *s = NULL;
    struct policies *p = NULL;
    if (!e->measure) return call_fail(c, ERR_FORBIDDEN, "This operation is for measuring only.");
    if (!d) {
        out->code = code_row(ERR_PLAN_NOT_SUPPORTED)->name;
        out->message = call_format(
            c, "dialect '%.40s' is not supported; use one of sqlite, postgres, mysql, duckdb, mssql.", in->dialect);
        return OK;
    }
    const struct json *policy = json_get(in->context, "policy");
    int rc = read_schema(c, in->context, d->name, &s);
    if (!rc) rc = read_policy(c, policy, in->policy, &p);
    if (!rc) judge(c, in, s, p, policy, out);
    policies_free(p);
    return rc;
}

const struct op op_guard_statement = {
    .name = "guard_statement",
    .doc = "What the guard says to a statement under a given schema and policy, for measuring.",
    .level = LEVEL_OPERATOR,
    .flags = OP_CLI | OP_QUIET,
    .in = &in_type,
    .out = &out_type,
    .run = run
};
