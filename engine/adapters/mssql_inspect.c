/* The second opinion on a statement for SQL Server. The server describes what the statement would return without
 * running it, and for plain columns from which tables; it would describe the first of several statements too, so that
 * there is one, and that it only reads, is read from the words that stand outside of quotes. */
#include "adapters/mssql.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- words ---- */

/* Every name that Querent writes is quoted, so none of these stands bare in a SELECT of its own. */
static const char *const refused[] = {
    "alter",       "backup",         "begin",     "bulk",       "checkpoint", "commit",     "create",    "dbcc",
    "deallocate",  "declare",        "delete",    "deny",       "disable",    "drop",       "enable",    "exec",
    "execute",     "fetch_next",     "goto",      "grant",      "if",         "insert",     "into",      "kill",
    "merge",       "opendatasource", "openquery", "openrowset", "openxml",    "print",      "raiserror", "readtext",
    "reconfigure", "restore",        "return",    "revert",     "revoke",     "rollback",   "save",      "set",
    "setuser",     "shutdown",       "throw",     "truncate",   "update",     "updatetext", "use",       "waitfor",
    "while",       "writetext",
};
static const char *const joins[] = { "union", "all", "except", "intersect" };

static bool among(const char *const *words, size_t count, const char *w, size_t n)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == n && !strncasecmp(words[i], w, n)) return true;
    return false;
}

/* Past what is quoted, from its first character on; NULL when it does not end. */
static const char *skip_quoted(const char *p)
{
    char end = *p == '[' ? ']' : *p;
    for (p++; *p; p++)
        if (*p == end && *++p != end) return p;
    return NULL;
}

/* Of a statement: what is wrong with it as one SELECT, NULL when nothing is. */
static const char *not_one_select(const char *p)
{
    bool joined = true, first = true; /* a SELECT may stand at the outermost level */
    int depth = 0;
    bool with = false;
    while (*p) {
        if (*p == '\'' || *p == '"' || *p == '[') {
            p = skip_quoted(p);
            if (!p) return "a quote does not end";
            if (!depth) joined = false;
            continue;
        }
        if (*p == ';' || !strncmp(p, "--", 2) || !strncmp(p, "/*", 2)) return "more than one statement, or a comment";
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        if (depth < 0) return "a parenthesis closes nothing";
        if (!isalpha((unsigned char)*p) && *p != '_' && *p != '@' && *p != '#') {
            if (isdigit((unsigned char)*p)) /* 1e5 and 0x1F are no words */
                while (isalnum((unsigned char)p[1])) p++;
            /* WITH a AS (…) SELECT */
            if (!depth && *p == ')' && with) joined = true;
            p++;
            continue;
        }
        size_t n = 1;
        while (isalnum((unsigned char)p[n]) || strchr("_@#$", p[n] ? p[n] : ' ')) n++;
        if (*p == '@' || *p == '#') return "a variable or a temporary table";
        if (among(refused, sizeof refused / sizeof refused[0], p, n)) return "a word that does more than read";
        if (!depth) {
            bool select = n == 6 && !strncasecmp(p, "select", 6);
            if (first && !select && strncasecmp(p, "with", n > 4 ? n : 4) != 0) return "it does not begin with SELECT";
            if (select && !joined) return "more than one statement";
            if (first) with = !select;
            if (select) with = false;
            joined = among(joins, sizeof joins / sizeof joins[0], p, n);
            first = false;
        }
        p += n;
    }
    return first ? "nothing" : depth ? "a parenthesis does not close" : NULL;
}

/* ---- the server ---- */

static const char describing[] =
    "SELECT r.error_message, r.source_schema, r.source_table, r.source_column, r.source_database, CAST(r.is_hidden AS"
    " int), DB_NAME() FROM sys.dm_exec_describe_first_result_set(?, NULL, 1) AS r";

struct described {
    struct call *call;
    const char *error;
    bool foreign; /* another database */
    size_t columns;
    struct list tables; /* struct table_read */
};

static void described_row(void *ctx, const char *const *v)
{
    struct described *d = ctx;
    if (v[0] && !d->error) d->error = call_strdup(d->call, v[0]);
    if (v[5] && *v[5] == '1') return; /* keys that the server adds for itself */
    d->columns++;
    if (!v[2] || !v[3]) return;
    d->foreign = d->foreign || (v[4] && v[6] && strcasecmp(v[4], v[6]) != 0);
    struct table_read *t = list_push(d->call, &d->tables, sizeof *t);
    const char **column = call_alloc(d->call, sizeof *column);
    *column = call_strdup(d->call, v[3]);
    *t = (struct table_read){
        .schema = call_strdup(d->call, v[1]), .table = call_strdup(d->call, v[2]), .columns = column, .column_count = 1
    };
}

struct inspected {
    const struct statement *statement;
    struct reads *out;
};

static int use(struct call *c, void *session, void *ctx)
{
    struct inspected *i = ctx;
    struct described d = { .call = c };
    int rc = mssql_rows(c, session, describing, i->statement->sql, described_row, &d);
    if (rc) return rc;
    if (d.error) {
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "The database's parser does not take the statement.");
        call_detail(c, "%s", d.error);
        return rc;
    }
    if (!d.columns || d.foreign) return call_fail(c, ERR_GUARD_DISAGREEMENT, "The parser does not see one SELECT.");
    *i->out = (struct reads){ .tables = d.tables.items, .table_count = d.tables.count };
    return OK;
}

int mssql_inspect(struct call *c, struct adapter *a, const struct statement *s, struct reads *out)
{
    struct inspected i = { s, out };
    const char *wrong = strlen(s->sql) != s->n ? "a NUL" : not_one_select(s->sql);
    if (!wrong) return pooled_use(c, a, use, &i, NULL);
    int rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "The parser does not see one SELECT.");
    call_detail(c, "%s", wrong);
    return rc;
}
