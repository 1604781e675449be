#include "adapters/mysql.h"

#include <mysql.h>
#include <stdlib.h>
#include <strings.h>

#undef list_push /* the client's headers have a macro of that name */

/* PREPARE, never EXPLAIN: nothing runs. The server says whether it is one statement with a result, and for plain
 * columns which table they come from. */
struct inspection {
    const struct statement *statement;
    struct reads *out;
};

static bool is_table(const struct statement *s, const char *name)
{
    for (size_t i = 0; i < s->reads.table_count; i++)
        if (!strcasecmp(s->reads.tables[i].table, name)) return true;
    return false;
}

static bool is_derived(const struct statement *s, const char *name)
{
    for (size_t i = 0; i < s->reads.derived_count; i++)
        if (!strcasecmp(s->reads.derived[i], name)) return true;
    return false;
}

static int use(struct call *c, void *session, void *ctx)
{
    const struct statement *st = ((struct inspection *)ctx)->statement;
    struct reads *out = ((struct inspection *)ctx)->out;
    struct mysql_session *s = session;
    struct list tables = { 0 };
    int rc = OK;
    MYSQL_STMT *stmt = mysql_stmt_init(s->conn);
    if (!stmt) abort();
    MYSQL_RES *meta = NULL;
    if (mysql_stmt_prepare(stmt, st->sql, (unsigned long)st->n)) {
        bool lost = mysql_is_lost(mysql_stmt_errno(stmt));
        bool changed = mysql_is_changed(mysql_stmt_errno(stmt));
        rc = lost      ? call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.")
             : changed ? adapter_changed(c)
                       : call_fail(c, ERR_GUARD_DISAGREEMENT, "The database's parser does not take the statement.");
        call_detail(c, "%u %s", mysql_stmt_errno(stmt), mysql_stmt_error(stmt));
        s->broken = lost;
    } else if (mysql_stmt_param_count(stmt) || !(meta = mysql_stmt_result_metadata(stmt))) {
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "The parser does not see one SELECT.");
    } else {
        unsigned n = mysql_num_fields(meta);
        const MYSQL_FIELD *fields = mysql_fetch_fields(meta);
        for (unsigned i = 0; i < n; i++) {
            if (!fields[i].org_table || !*fields[i].org_table) continue;
            /* A column of a derived table, or of a member of WITH, is reported under that name as if it were a table,
             * or under the table behind it but with the name it has there. */
            if (is_derived(st, fields[i].org_table) && !is_table(st, fields[i].org_table)) continue;
            bool renamed = fields[i].table && is_derived(st, fields[i].table);
            struct table_read *t = list_push(c, &tables, sizeof *t);
            const char **column = call_alloc(c, sizeof *column);
            *column = call_strdup(c, fields[i].org_name);
            *t = (struct table_read){ .table = call_strdup(c, fields[i].org_table),
                                      .columns = column,
                                      .column_count = renamed ? 0 : 1 };
            if (fields[i].db && *fields[i].db) t->schema = call_strdup(c, fields[i].db);
        }
        *out = (struct reads){ .tables = tables.items, .table_count = tables.count };
    }
    if (meta) mysql_free_result(meta);
    mysql_stmt_close(stmt);
    return rc;
}

int mysql_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out)
{
    struct inspection i = { s, out };
    return pooled_use(c, a, use, &i, NULL);
}
