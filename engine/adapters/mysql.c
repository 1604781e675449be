/* mysql: MySQL and MariaDB through the MariaDB client library. */
#include "adapters/mysql.h"

#include <mysql.h>

static const char *const schemes[] = { "mysql", "mariadb", NULL };

static const struct field connection_fields[] = {
    ENDPOINT_ROWS,
    FIELD(struct mysql_connection, time_zone, K_STR, .max = 64,
          .doc = "Time zone of the session; the server's when absent."),
    FIELD(struct mysql_connection, application_name, K_STR, .max = 63, .def = "querent",
          .doc = "What the server's connection attributes show as program_name."),
    PRIVILEGES_ROW(struct mysql_connection),
    { 0 },
};
static const struct type connection_type = TYPE(struct mysql_connection, "MysqlConnection", connection_fields);

static bool installed(void)
{
    return true;
}

static int decode(struct call *c, const struct json *connection, void *with)
{
    struct mysql_connection *out = with;
    int rc = endpoint_decode(c, connection, &connection_type, schemes, MYSQL_DEFAULT_PORT, out);
    if (!rc && !out->at.database)
        rc = call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/database", "'database' is required.");
    if (!rc && out->at.schemas.count)
        rc = call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/schemas",
                          "A database of MySQL has no schemas; leave it out.");
    if (!rc && out->at.tls == TLS_VERIFY_CA && !out->at.tls_ca)
        rc = call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/tls_ca", "verify-ca needs 'tls_ca'.");
    return rc;
}

static enum reach reach(struct call *c, const void *with)
{
    const struct mysql_connection *w = with;
    if (w->at.host[0] != '/') return endpoint_reach(c, &w->at, "");
    char path[MYSQL_SOCKET_BYTES];
    return mysql_socket(w->at.host, path) ? REACH_OK : REACH_NO_SOCKET;
}

static bool usable(void *session)
{
    return !((struct mysql_session *)session)->broken;
}

static const char *version(struct call *c, void *session)
{
    return call_strdup(c, mysql_get_server_info(((struct mysql_session *)session)->conn));
}

static const char *warning(void *session)
{
    return ((struct mysql_session *)session)->privileged;
}

static int catalog(struct call *c, struct pooled *p, void *session, struct snapshot *out)
{
    (void)p;
    return mysql_catalog(c, session, out);
}

static bool read_row(struct call *c, void *session)
{
    (void)c;
    return mysql_run_plain(session, "SELECT 1");
}

extern const struct adapter_kind adapter_mysql;
static const struct pooled_driver driver = {
    .kind = &adapter_mysql,
    .with_bytes = sizeof(struct mysql_connection),
    .decode = decode,
    .reach = reach,
    .open = mysql_session_open,
    .close = mysql_session_close,
    .usable = usable,
    .version = version,
    .warning = warning,
    .catalog = catalog,
    .read_row = read_row,
    .unreadable = { STAGE_READ_SCHEMA, "The catalogue could not be read.",
                    "Check that the server is MySQL 8 or MariaDB 10.6, or later." },
    .empty = { STAGE_READ_SCHEMA, "The user can read no table.", "Grant SELECT on the database to the user." },
};

static int open_mysql(struct call *c, const struct datasource_config *config, struct adapter **out)
{
    return pooled_open(c, config, &driver, out);
}

static int examine(struct call *c, void *session, void *ctx)
{
    return mysql_diagnose(c, session, ctx);
}

static int diagnose(struct call *c, struct adapter *a, struct list *out)
{
    return pooled_use(c, a, examine, out, NULL);
}

const struct adapter_kind adapter_mysql = {
    .name = "mysql",
    .title = "MySQL and MariaDB",
    .dialect = "mysql",
    .connection = &connection_type,
    .installed = installed,
    .install_hint = "It is part of Querent.",
    .open = open_mysql,
    .close = pooled_close,
    .test = pooled_test,
    .introspect = pooled_introspect,
    .health = pooled_health,
    .inspect = mysql_inspect,
    .execute = mysql_execute,
    .diagnose = diagnose,
};
