#include "guard/opinion.h"

#include <string.h>
#include <strings.h>

static bool same_table(const struct table_read *a, const char *schema, const char *table)
{
    return !strcasecmp(a->table, table) && (!a->schema || !schema || !strcasecmp(a->schema, schema));
}

/* rowid is no column, but a table that may be read may be counted and looked up by it. */
static bool has_column(const struct table_read *t, const char *column)
{
    if (!*column || !strcasecmp(column, "rowid")) return true;
    for (size_t i = 0; i < t->column_count; i++)
        if (!strcasecmp(t->columns[i], column)) return true;
    return false;
}

static bool reads_column(const struct table_read *reads, size_t count, const struct table_read *table,
                         const char *column)
{
    for (size_t i = 0; i < count; i++)
        if (same_table(&reads[i], table->schema, table->table) && has_column(&reads[i], column)) return true;
    return false;
}

static bool calls_function(const char *const *functions, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(functions[i], name)) return true;
    return false;
}

/* Something is right when the tree names it, or a view that the tree names reads it; a view of which nobody says what it
 * reads may read anything. column or function, not both. */
static bool covered(const struct snapshot *s, const struct reads *said, const struct table_read *table,
                    const char *column, const char *function)
{
    if (function ? calls_function(said->functions, said->function_count, function)
                 : reads_column(said->tables, said->table_count, table, column))
        return true;
    for (size_t i = 0; i < said->table_count; i++) {
        const struct table *view =
            schema_table(s->tables, s->table_count, said->tables[i].schema, said->tables[i].table);
        if (!view || (view->kind != TABLE_VIEW && view->kind != TABLE_MATERIALIZED_VIEW)) continue;
        if (!function && view->reads_unknown) return true;
        if (function ? calls_function(view->functions, view->function_count, function)
                     : reads_column(view->reads, view->read_count, table, column))
            return true;
    }
    return false;
}

bool opinion_agrees(const struct snapshot *s, const struct reads *said, const struct reads *seen,
                    struct table_read *table, const char **what)
{
    for (size_t i = 0; i < seen->table_count; i++) {
        *table = seen->tables[i];
        *what = "";
        if (!covered(s, said, table, "", NULL)) return false;
        for (size_t j = 0; j < table->column_count; j++) {
            *what = table->columns[j];
            if (!covered(s, said, table, *what, NULL)) return false;
        }
    }
    *table = (struct table_read){ 0 };
    for (size_t i = 0; i < seen->function_count; i++) {
        *what = seen->functions[i];
        if (!covered(s, said, NULL, NULL, *what)) return false;
    }
    return true;
}

int guard_opinion(struct call *c, const struct guarded *g)
{
    struct reads seen = { 0 };
    struct table_read table;
    const char *what;
    int rc = adapter_inspect(c, g->datasource->adapter, g->statement, &seen);
    if (rc || opinion_agrees(g->datasource->snapshot, &g->statement->reads, &seen, &table, &what)) return rc;
    call_detail(c, "%s: the database reads %s%s%s, which the plan does not", g->datasource->config->id,
                table.table ? table.table : "function ", table.table && *what ? "." : "", what);
    return call_fail(c, ERR_GUARD_DISAGREEMENT, "%s", code_row(ERR_GUARD_DISAGREEMENT)->text);
}
