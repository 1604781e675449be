/* What a connection to SQL Server is, and what its login could do if every guard failed. */
#include "adapters/mssql.h"

#include <string.h>

/* One row, a column a finding, in the order of `findings`. */
static const char query[] =
    "SELECT CASE WHEN (SELECT d.snapshot_isolation_state FROM sys.databases d WHERE d.database_id = DB_ID()) = 1 THEN"
    " 'snapshot' ELSE 'read committed' END,"
    " CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS nvarchar(128)),"
    " CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS nvarchar(128)),"
    " (SELECT COUNT(*) FROM sys.databases d WHERE d.database_id > 4 AND d.database_id <> DB_ID() AND"
    " HAS_DBACCESS(d.name) = 1),"
    " (SELECT COUNT(*) FROM sys.servers v WHERE v.is_linked = 1),"
    " (SELECT COUNT(*) FROM sys.configurations g WHERE g.name IN ('xp_cmdshell', 'Ole Automation Procedures', 'Ad Hoc"
    " Distributed Queries', 'clr enabled') AND CAST(g.value_in_use AS int) = 1)";

static const struct {
    const char *name, *well; /* well: the value when nothing is to be said; NULL = any */
    enum finding_state state;
    const char *advice;
} findings[] = {
    { "isolation", "snapshot", FINDING_WARNING,
      "Set ALLOW_SNAPSHOT_ISOLATION on the database, so that readers wait for nobody." },
    { "collation", NULL, FINDING_OK, NULL },
    { "database", NULL, FINDING_OK, NULL },
    { "other_databases", "0", FINDING_WARNING, "Take the login's users out of the other databases." },
    { "linked_servers", "0", FINDING_WARNING, "Let the login reach no linked server." },
    { "server_programs", "0", FINDING_WARNING,
      "Switch xp_cmdshell, Ole Automation, ad hoc distributed queries and the CLR off where nobody needs them." },
};
enum { FINDINGS = sizeof findings / sizeof findings[0] };

struct answers {
    struct call *call;
    const char *values[FINDINGS];
};

static void answer_row(void *ctx, const char *const *v)
{
    struct answers *a = ctx;
    for (size_t i = 0; i < FINDINGS; i++) a->values[i] = call_strdup(a->call, v[i]);
}

int mssql_diagnose(struct call *c, const struct mssql_connection *w, struct mssql_session *s, struct list *out)
{
    static const struct {
        const char *found, *advice;
    } tls[] = {
        [TLS_DISABLE] = { "none", "Set tls to verify-full." },
        [TLS_PREFER] = { "of the password only, unless the server demands more", "Set tls to verify-full." },
        [TLS_REQUIRE] = { "yes, to whoever answers", "Set tls to verify-full." },
        [TLS_VERIFY_CA] = { "yes, the certificate is verified", NULL },
        [TLS_VERIFY_FULL] = { "yes, the certificate and its name are verified", NULL },
    };
    struct answers a = { .call = c };
    int rc = mssql_rows(c, s, query, NULL, answer_row, &a);
    if (rc) return rc;
    diagnosis_add(c, out, "version", call_format(c, "SQL Server %s", s->version), FINDING_OK, NULL);
    diagnosis_add(c, out, "privileges", s->privileged ? s->privileged : "The login can only read.", FINDING_DANGER,
                  s->privileged ? "Make the login's user a db_datareader and nothing else." : NULL);
    diagnosis_add(c, out, "tls", tls[w->at.tls].found, FINDING_WARNING, tls[w->at.tls].advice);
    diagnosis_add(c, out, "read_only", "each statement is rolled back", FINDING_OK, NULL);
    for (size_t i = 0; i < FINDINGS; i++) {
        const char *found = a.values[i] ? a.values[i] : "unknown";
        bool well = !findings[i].well || !strcmp(found, findings[i].well);
        diagnosis_add(c, out, findings[i].name, found, findings[i].state, well ? NULL : findings[i].advice);
    }
    return OK;
}
