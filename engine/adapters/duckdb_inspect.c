/* What DuckDB's own parser sees in a statement: its serialized tree, read here. */
#include "adapters/duckdb_session.h"
#include "base/clock.h"

#include <string.h>

#define TREE_DEPTH_MAX 1500

struct seen {
    struct call *call;
    struct list tables, functions, ctes;
    int rc;
};

static const char *text_of(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_STRING && *v->string ? v->string : NULL;
}

static bool is_cte(const struct seen *s, const char *name)
{
    for (size_t i = 0; i < s->ctes.count; i++)
        if (!strcmp(LIST_AT(&s->ctes, const char *, i), name)) return true;
    return false;
}

static void see(struct seen *s, const struct json *node)
{
    const char *type = text_of(node, "type"), *class = text_of(node, "class");
    const char *table = text_of(node, "table_name"), *schema = text_of(node, "schema_name");
    if (type && !strcmp(type, "BASE_TABLE") && table && (schema || !is_cte(s, table))) {
        struct table_read *t = list_push(s->call, &s->tables, sizeof *t);
        *t = (struct table_read){ .schema = schema, .table = table };
    }
    if (type && !strcmp(type, "TABLE_FUNCTION"))
        s->rc = call_fail(s->call, ERR_GUARD_DISAGREEMENT, "The parser sees a table function.");
    const char *function = text_of(node, "function_name");
    if (!class || (strcmp(class, "FUNCTION") != 0 && strcmp(class, "WINDOW") != 0) || !function) return;
    /* Operators, and the row of (a, b), are functions there. */
    if (!strcmp(function, "row") || !strpbrk(function, "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ")) return;
    if (!strcmp(function, "count_star")) function = "count";
    *(const char **)list_push(s->call, &s->functions, sizeof(const char *)) = function;
}

/* The map of common tables has its names under "key". */
static void collect_ctes(struct seen *s, const struct json *j)
{
    if (j->kind != J_ARRAY && j->kind != J_OBJECT) return;
    const struct json *map = j->kind == J_OBJECT ? json_get(json_get(j, "cte_map"), "map") : NULL;
    for (size_t i = 0; map && map->kind == J_ARRAY && i < map->count; i++)
        if (text_of(&map->items[i], "key"))
            *(const char **)list_push(s->call, &s->ctes, sizeof(const char *)) = text_of(&map->items[i], "key");
    for (size_t i = 0; i < j->count; i++) collect_ctes(s, &j->items[i]);
}

static void walk(struct seen *s, const struct json *j)
{
    if (s->rc || (j->kind != J_ARRAY && j->kind != J_OBJECT)) return;
    if (j->kind == J_OBJECT) see(s, j);
    for (size_t i = 0; i < j->count; i++) walk(s, &j->items[i]);
}

/* The tree has positions as large as 2^64: a number of 19 digits or more becomes 0, as its value is not looked at. */
static const char *small_numbers(struct call *c, const char *json, size_t n)
{
    char *out = call_strndup(c, json, n);
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (out[i] == '"') quoted = !quoted;
        if (quoted) {
            i += out[i] == '\\';
            continue;
        }
        size_t digits = strspn(out + i, "0123456789");
        if (digits > 18) {
            if (i && out[i - 1] == '-') out[i - 1] = ' ';
            memset(out + i, ' ', digits - 1);
            out[i + digits - 1] = '0';
        }
        if (digits) i += digits - 1;
    }
    return out;
}

struct inspection {
    const struct statement *statement;
    struct frame tree;
};

static int use(struct call *c, void *session, void *ctx)
{
    struct duckdb_session *s = session;
    struct inspection *i = ctx;
    enum worker_got got = worker_send(s->worker.fd, FRAME_INSPECT, i->statement->sql, i->statement->n)
                              ? duckdb_receive(c, s, &c->arena, clock_mono_us() + DUCKDB_OPEN_MS * 1000, &i->tree)
                              : WORKER_GONE;
    s->spoiled = got != WORKER_OK;
    if (!got) return OK;
    int rc = call_check(c);
    return rc ? rc : call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The database's worker ended.");
}

int duckdb_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out)
{
    struct inspection i = { .statement = s };
    const struct frame *f = &i.tree;
    const struct json *tree;
    int rc = pooled_use(c, a, use, &i, NULL);
    if (rc) return rc;
    if (f->kind != FRAME_TREE) {
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "The database's parser does not take the statement.");
        call_detail(c, "%s", f->payload);
        return rc;
    }
    rc = json_parse_deep(c, small_numbers(c, f->payload, f->n), f->n, TREE_DEPTH_MAX, &tree);
    if (rc) return rc;
    const struct json *statements = json_get(tree, "statements"), *error = json_get(tree, "error");
    if (!error || error->boolean || !statements || statements->kind != J_ARRAY || statements->count != 1)
        return call_fail(c, ERR_GUARD_DISAGREEMENT, "The parser does not see one SELECT.");
    struct seen seen = { .call = c };
    collect_ctes(&seen, statements);
    walk(&seen, statements);
    *out = (struct reads){ .tables = seen.tables.items,
                           .table_count = seen.tables.count,
                           .functions = seen.functions.items,
                           .function_count = seen.functions.count };
    return seen.rc;
}
