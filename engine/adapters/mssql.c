/* mssql: SQL Server, Azure SQL and what else speaks TDS 7.4, through FreeTDS's db-lib in worker processes. */
#include "adapters/mssql.h"

#include <string.h>

const char *const mssql_intent_names[] = { "read_only", "read_write", NULL };
static const char *const schemes[] = { "mssql", "sqlserver", NULL };

static const struct field connection_fields[] = {
    ENDPOINT_ROWS,
    FIELD(struct mssql_connection, application_name, K_STR, .max = 63, .def = "querent",
          .doc = "What the server's activity view shows."),
    FIELD(struct mssql_connection, intent, K_ENUM, .of = mssql_intent_names, .def = "read_only",
          .doc = "Told to the server, so that a group of servers may answer from a readable copy; it forbids nothing."),
    PRIVILEGES_ROW(struct mssql_connection),
    { 0 },
};
static const struct type connection_type = TYPE(struct mssql_connection, "MssqlConnection", connection_fields);

static bool installed(void)
{
    return true;
}

/* The library's configuration would read these as its own. */
static bool plain_host(const char *host)
{
    return !strpbrk(host, "\\#;=[]\"' \t\r\n") && strlen(host) <= 240;
}

/* What the library cannot do is refused by name, never left out. */
static int decode(struct call *c, const struct json *connection, void *with)
{
    struct mssql_connection *out = with;
    const struct endpoint *at = &out->at;
    int rc = endpoint_decode(c, connection, &connection_type, schemes, MSSQL_DEFAULT_PORT, out);
    if (rc) return rc;
    if (at->host[0] == '/')
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/host", "SQL Server has no unix socket.");
    if (!plain_host(at->host))
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/host",
                            "The host is a name or an address; of a named instance, give the port.");
    if (at->tls_cert)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/tls_cert",
                            "SQL Server takes no client certificates here; leave tls_cert and tls_key out.");
    if (at->tls_ca && at->tls < TLS_VERIFY_CA)
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/tls_ca",
                            "tls_ca is used by verify-ca and verify-full only.");
    /* The library takes these for a login of Windows. */
    if (!at->user || !*at->user || strchr(at->user, '\\'))
        return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/user",
                            "'user' is required: a login of the server's own; logins of Windows are not supported.");
    if (!at->database) return call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/database", "'database' is required.");
    return OK;
}

static enum reach reach(struct call *c, const void *with)
{
    return endpoint_reach(c, &((const struct mssql_connection *)with)->at, "");
}

static const char *version(struct call *c, void *session)
{
    return call_format(c, "SQL Server %s", ((struct mssql_session *)session)->version);
}

static const char *warning(void *session)
{
    return ((struct mssql_session *)session)->privileged;
}

static int catalog(struct call *c, struct pooled *p, void *session, struct snapshot *out)
{
    return mssql_catalog(c, p->with, session, out);
}

static void seen(void *ctx, const char *const *values)
{
    *(bool *)ctx = values[0] != NULL;
}

static bool read_row(struct call *c, void *session)
{
    bool ok = false;
    return !mssql_rows(c, session, "SELECT 1", NULL, seen, &ok) && ok;
}

extern const struct adapter_kind adapter_mssql;
static const struct pooled_driver driver = {
    .kind = &adapter_mssql,
    .with_bytes = sizeof(struct mssql_connection),
    .decode = decode,
    .reach = reach,
    .open = mssql_session_open,
    .close = mssql_session_close,
    .usable = mssql_session_usable,
    .version = version,
    .warning = warning,
    .catalog = catalog,
    .read_row = read_row,
    .unreadable = { STAGE_READ_SCHEMA, "The catalogue could not be read.",
                    "Check that the server is SQL Server 2017 or later." },
    .empty = { STAGE_READ_SCHEMA, "The user can read no table.", "Add the user to db_datareader, or grant it SELECT." },
};

static int open_mssql(struct call *c, const struct datasource_config *config, struct adapter **out)
{
    return pooled_open(c, config, &driver, out);
}

struct examined {
    const struct mssql_connection *with;
    struct list *out;
};

static int examine(struct call *c, void *session, void *ctx)
{
    struct examined *e = ctx;
    return mssql_diagnose(c, e->with, session, e->out);
}

static int diagnose(struct call *c, struct adapter *a, struct list *out)
{
    struct examined e = { ((struct pooled *)a)->with, out };
    return pooled_use(c, a, examine, &e, NULL);
}

const struct adapter_kind adapter_mssql = {
    .name = "mssql",
    .title = "SQL Server (experimental)",
    .dialect = "mssql",
    .connection = &connection_type,
    .installed = installed,
    .install_hint = "It is part of Querent.",
    .open = open_mssql,
    .close = pooled_close,
    .test = pooled_test,
    .introspect = pooled_introspect,
    .health = pooled_health,
    .inspect = mssql_inspect,
    .execute = mssql_execute,
    .worker = mssql_worker,
    .diagnose = diagnose,
};
