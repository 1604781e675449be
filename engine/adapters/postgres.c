/* PostgreSQL, and what speaks its protocol. */
#include "adapters/postgres.h"

static const char *const schemes[] = { "postgresql", "postgres", NULL };

static const struct field connection_fields[] = {
    ENDPOINT_ROWS,
    FIELD(struct postgres_connection, role, K_STR, .max = 63, .doc = "Role taken for each statement (SET LOCAL ROLE)."),
    FIELD(struct postgres_connection, time_zone, K_STR, .max = 64,
          .doc = "Time zone of the session; the role's own when absent."),
    FIELD(struct postgres_connection, application_name, K_STR, .max = 63, .def = "querent",
          .doc = "What the server's activity view shows."),
    PRIVILEGES_ROW(struct postgres_connection),
    { 0 },
};
static const struct type connection_type = TYPE(struct postgres_connection, "PostgresConnection", connection_fields);

static bool installed(void)
{
    return true;
}

static int decode(struct call *c, const struct json *connection, void *out)
{
    return endpoint_decode(c, connection, &connection_type, schemes, POSTGRES_PORT, out);
}

static enum reach reach(struct call *c, const void *with)
{
    const struct endpoint *at = &((const struct postgres_connection *)with)->at;
    return endpoint_reach(c, at, call_format(c, ".s.PGSQL.%lld", (long long)at->port));
}

static const char *version(struct call *c, void *session)
{
    int64_t n = ((struct postgres_session *)session)->version;
    return call_format(c, "PostgreSQL %lld.%lld", (long long)(n / 10000), (long long)(n % 10000));
}

static const char *warning(void *session)
{
    return ((struct postgres_session *)session)->privileged;
}

static int nothing(void *ctx, struct call *c, const char *const *values)
{
    (void)ctx, (void)c, (void)values;
    return OK;
}

/* What can be read is what the role of the statements can read. */
static int catalog(struct call *c, struct pooled *p, void *session, struct snapshot *out)
{
    static const char take[] = "SELECT pg_catalog.set_config('role', $1, false)";
    const struct postgres_connection *with = p->with;
    const char *const role[] = { with->role }, *const none[] = { "none" };
    int rc = with->role ? postgres_rows(c, session, take, role, 1, nothing, NULL) : OK;
    if (!rc) rc = postgres_catalog(c, session, &with->at.schemas, out);
    return rc || !with->role ? rc : postgres_rows(c, session, take, none, 1, nothing, NULL);
}

static bool read_row(struct call *c, void *session)
{
    return !postgres_rows(c, session, "SELECT 1", NULL, 0, nothing, NULL);
}

extern const struct adapter_kind adapter_postgres;
static const struct pooled_driver driver = {
    .kind = &adapter_postgres,
    .with_bytes = sizeof(struct postgres_connection),
    .decode = decode,
    .reach = reach,
    .open = postgres_session_open,
    .close = postgres_session_close,
    .usable = postgres_session_usable,
    .version = version,
    .warning = warning,
    .catalog = catalog,
    .read_row = read_row,
    .unreadable = { STAGE_READ_SCHEMA, "The catalogue could not be read.",
                    "Check that the server is PostgreSQL 12 or later." },
    .empty = { STAGE_READ_SCHEMA, "The user can read no table.",
               "Grant USAGE on the schema and SELECT on its tables to the user; check `schemas`." },
};

static int open_postgres(struct call *c, const struct datasource_config *config, struct adapter **out)
{
    return pooled_open(c, config, &driver, out);
}

static int examine(struct call *c, void *session, void *ctx)
{
    return postgres_diagnose(c, session, ctx);
}

static int diagnose(struct call *c, struct adapter *a, struct list *out)
{
    return pooled_use(c, a, examine, out, NULL);
}

const struct adapter_kind adapter_postgres = {
    .name = "postgres",
    .title = "PostgreSQL",
    .dialect = "postgres",
    .connection = &connection_type,
    .installed = installed,
    .install_hint = "It is part of Querent.",
    .open = open_postgres,
    .close = pooled_close,
    .test = pooled_test,
    .introspect = pooled_introspect,
    .health = pooled_health,
    .inspect = postgres_inspect,
    .execute = postgres_execute,
    .diagnose = diagnose,
};
