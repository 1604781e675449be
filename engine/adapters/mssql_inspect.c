/* The second opinion on a statement for SQL Server, in two parts. The server describes what the statement would return
 * without running it, and for plain columns from which tables; but it describes the first of several statements too,
 * and says nothing of what is only counted or compared. So the words are read once more here, by rules that share
 * nothing with the renderer: that there is one statement which only reads, from which tables, by which functions. */
#include "adapters/mssql.h"
#include "adapters/mssql_words.h"

#include <string.h>
#include <strings.h>

static const char describing[] =
    "SELECT r.error_message, r.source_schema, r.source_table, r.source_column, r.source_database, CAST(r.is_hidden AS"
    " int), DB_NAME() FROM sys.dm_exec_describe_first_result_set(?, NULL, 1) AS r";

struct described {
    struct call *call;
    const char *error;
    bool foreign; /* another database */
    size_t columns;
    struct list *tables; /* struct table_read */
};

static void described_row(void *ctx, const char *const *v)
{
    struct described *d = ctx;
    if (v[0] && !d->error) d->error = call_strdup(d->call, v[0]);
    if (v[5] && *v[5] == '1') return; /* keys that the server adds for itself */
    d->columns++;
    if (!v[2] || !v[3]) return;
    d->foreign = d->foreign || (v[4] && v[6] && strcasecmp(v[4], v[6]) != 0);
    struct table_read *t = list_push(d->call, d->tables, sizeof *t);
    const char **column = call_alloc(d->call, sizeof *column);
    *column = call_strdup(d->call, v[3]);
    *t = (struct table_read){
        .schema = call_strdup(d->call, v[1]), .table = call_strdup(d->call, v[2]), .columns = column, .column_count = 1
    };
}

struct inspected {
    const struct statement *statement;
    struct mssql_words *words;
};

static int use(struct call *c, void *session, void *ctx)
{
    struct inspected *i = ctx;
    struct described d = { .call = c, .tables = &i->words->tables };
    int rc = mssql_rows(c, session, describing, i->statement->sql, described_row, &d);
    if (rc) return rc;
    if (d.error) {
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "The database's parser does not take the statement.");
        call_detail(c, "%s", d.error);
        return rc;
    }
    if (d.columns && !d.foreign) return OK;
    return call_fail(c, ERR_GUARD_DISAGREEMENT, "The parser does not see one SELECT.");
}

int mssql_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out)
{
    struct mssql_words words = { 0 };
    struct inspected i = { s, &words };
    const char *wrong = strlen(s->sql) != s->n ? "a NUL" : mssql_words(c, s->sql, &words);
    int rc;
    if (wrong) {
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "The parser does not see one SELECT.");
        call_detail(c, "%s", wrong);
        return rc;
    }
    rc = pooled_use(c, a, use, &i, NULL);
    *out = (struct reads){ .tables = words.tables.items,
                           .table_count = words.tables.count,
                           .functions = words.functions.items,
                           .function_count = words.functions.count };
    return rc;
}
