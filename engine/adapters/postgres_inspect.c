/* The second opinion of PostgreSQL: its own parser, without a server. It sees names as they are written: tables with
 * their schema, functions, and the kinds of nodes; columns it cannot tell apart from what a name means, so none are
 * reported. */
#include "adapters/postgres.h"

#include <pg_query.h>
#include <string.h>

#define TREE_DEPTH_MAX 1500

/* Nodes of statements that only read. What is not here is refused. */
static const char *const nodes[] = {
    "A_ArrayExpr",   "A_Const",    "A_Expr",          "A_Indices",        "A_Indirection",  "A_Star",
    "Alias",         "BoolExpr",   "BooleanTest",     "CaseExpr",         "CaseWhen",       "CoalesceExpr",
    "CollateClause", "ColumnRef",  "CommonTableExpr", "FuncCall",         "Integer",        "JoinExpr",
    "List",          "MinMaxExpr", "NullTest",        "RangeFunction",    "RangeSubselect", "RangeVar",
    "ResTarget",     "RowExpr",    "SelectStmt",      "SQLValueFunction", "SortBy",         "String",
    "SubLink",       "TypeCast",   "TypeName",        "WindowDef",        "WithClause",     NULL
};

struct seen {
    struct call *call;
    struct list tables, functions, ctes; /* struct table_read, const char *, const char * */
    int rc;
};

static const char *text_of(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_STRING ? v->string : NULL;
}

static bool listed(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(word, *words)) return true;
    return false;
}

static void see_table(struct seen *s, const struct json *node)
{
    const char *name = text_of(node, "relname"), *schema = text_of(node, "schemaname");
    if (text_of(node, "catalogname")) s->rc = call_fail(s->call, ERR_GUARD_DISAGREEMENT, "A table carries a catalog.");
    if (!name) return;
    for (size_t i = 0; !schema && i < s->ctes.count; i++)
        if (!strcmp(LIST_AT(&s->ctes, const char *, i), name)) return;
    struct table_read *t = list_push(s->call, &s->tables, sizeof *t);
    t->schema = schema;
    t->table = name;
}

/* The last name of a function's qualified name; pg_catalog is where the grammar puts what SQL has syntax for. */
static void see_function(struct seen *s, const struct json *node)
{
    const struct json *names = json_get(node, "funcname");
    if (!names || names->kind != J_ARRAY || !names->count) return;
    const char *schema = names->count > 1 ? text_of(json_get(&names->items[0], "String"), "sval") : NULL;
    const char *name = text_of(json_get(&names->items[names->count - 1], "String"), "sval");
    if (!name || names->count > 2 || (schema && strcmp(schema, "pg_catalog")))
        s->rc = call_fail(s->call, ERR_GUARD_DISAGREEMENT, "A function carries a schema.");
    else
        *(const char **)list_push(s->call, &s->functions, sizeof(const char *)) = name;
}

/* (array_agg(x))[1] takes an element; (row).column would read a column that nobody named. */
static bool takes_elements(const struct json *node)
{
    const struct json *parts = json_get(node, "indirection");
    for (size_t i = 0; parts && parts->kind == J_ARRAY && i < parts->count; i++)
        if (!json_get(&parts->items[i], "A_Indices")) return false;
    return parts && parts->kind == J_ARRAY;
}

static void see_node(struct seen *s, const char *kind, const struct json *node)
{
    if (!listed(kind, nodes)) s->rc = call_fail(s->call, ERR_GUARD_DISAGREEMENT, "The parser sees a %.64s.", kind);
    if (!strcmp(kind, "A_Indirection") && !takes_elements(node))
        s->rc = call_fail(s->call, ERR_GUARD_DISAGREEMENT, "The parser sees a field of a row.");
    if (!strcmp(kind, "RangeVar")) see_table(s, node);
    if (!strcmp(kind, "FuncCall")) see_function(s, node);
    if (!strcmp(kind, "SelectStmt") && (json_get(node, "intoClause") || json_get(node, "lockingClause")))
        s->rc = call_fail(s->call, ERR_GUARD_DISAGREEMENT, "The parser sees more than a SELECT.");
    if (!strcmp(kind, "CommonTableExpr") && !text_of(node, "ctename"))
        s->rc = call_fail(s->call, ERR_GUARD_DISAGREEMENT, "A common table has no name.");
}

static bool is_node_name(const char *name)
{
    return name[0] >= 'A' && name[0] <= 'Z';
}

/* Names of common tables first: a table of that name anywhere is one of them or is in the statement's own list anyway.
 */
static void collect_ctes(struct seen *s, const struct json *j)
{
    for (size_t i = 0; i < j->count && (j->kind == J_ARRAY || j->kind == J_OBJECT); i++) {
        if (j->kind == J_OBJECT && !strcmp(j->names[i], "CommonTableExpr") && text_of(&j->items[i], "ctename"))
            *(const char **)list_push(s->call, &s->ctes, sizeof(const char *)) = text_of(&j->items[i], "ctename");
        collect_ctes(s, &j->items[i]);
    }
}

static void walk(struct seen *s, const struct json *j)
{
    if (s->rc || (j->kind != J_ARRAY && j->kind != J_OBJECT)) return;
    for (size_t i = 0; i < j->count && !s->rc; i++) {
        if (j->kind == J_OBJECT && is_node_name(j->names[i])) see_node(s, j->names[i], &j->items[i]);
        /* Members of a fixed kind stand without their node's name. */
        if (j->kind == J_OBJECT && (!strcmp(j->names[i], "larg") || !strcmp(j->names[i], "rarg")) &&
            json_get(&j->items[i], "op") && !json_get(&j->items[i], "kind"))
            see_node(s, "SelectStmt", &j->items[i]);
        walk(s, &j->items[i]);
    }
}

static int report(struct seen *s, const struct json *tree, struct reads *out)
{
    const struct json *statements = json_get(tree, "stmts");
    if (!statements || statements->kind != J_ARRAY || statements->count != 1 ||
        !json_get(json_get(&statements->items[0], "stmt"), "SelectStmt"))
        return call_fail(s->call, ERR_GUARD_DISAGREEMENT, "The parser does not see one SELECT.");
    const struct json *statement = json_get(&statements->items[0], "stmt");
    collect_ctes(s, statement);
    walk(s, statement);
    if (s->rc) return s->rc;
    *out = (struct reads){ .tables = s->tables.items,
                           .table_count = s->tables.count,
                           .functions = s->functions.items,
                           .function_count = s->functions.count };
    return OK;
}

int postgres_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out)
{
    (void)a;
    struct seen seen = { .call = c };
    const struct json *tree;
    PgQueryParseResult parsed = pg_query_parse(s->sql);
    int rc;
    if (parsed.error) {
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "The database's parser does not read the statement.");
        call_detail(c, "%s", parsed.error->message);
    } else {
        rc = json_parse_deep(c, parsed.parse_tree, strlen(parsed.parse_tree), TREE_DEPTH_MAX, &tree);
        if (!rc) rc = report(&seen, tree, out);
    }
    pg_query_free_parse_result(parsed);
    return rc;
}
