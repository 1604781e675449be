/* Sessions of the PostgreSQL adapter: made, judged, closed. */
#include "adapters/postgres.h"
#include "base/clock.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

void postgres_session_close(void *handle)
{
    struct postgres_session *s = handle;
    if (s->cancel) PQfreeCancel(s->cancel);
    PQfinish(s->conn);
    free(s);
}

bool postgres_session_usable(void *session)
{
    const struct postgres_session *s = session;
    return PQstatus(s->conn) == CONNECTION_OK && PQtransactionStatus(s->conn) == PQTRANS_IDLE &&
           PQpipelineStatus(s->conn) == PQ_PIPELINE_OFF;
}

/* Values of "-c name=value": a backslash guards spaces and itself. */
static void option(struct buf *b, const char *name, const char *value)
{
    buf_format(b, "%s-c %s=", b->len ? " " : "", name);
    for (; *value; value++) {
        if (*value == ' ' || *value == '\\') buf_char(b, '\\');
        buf_char(b, *value);
    }
}

static PGconn *connect_start(struct call *c, const struct postgres_connection *w)
{
    static const char *const sslmodes[] = { "disable", "prefer", "require", "verify-ca", "verify-full" };
    struct buf options;
    buf_init(&options, c, 4096);
    option(&options, "default_transaction_read_only", "on");
    option(&options, "datestyle", "ISO");
    option(&options, "intervalstyle", "iso_8601");
    option(&options, "bytea_output", "hex");
    option(&options, "extra_float_digits", "1");
    option(&options, "standard_conforming_strings", "on");
    option(&options, "lc_monetary", "C");
    if (w->time_zone) option(&options, "TimeZone", w->time_zone);
    const char *const names[] = { "host",        "port",    "user",   "password",         "dbname",  "sslmode",
                                  "sslrootcert", "sslcert", "sslkey", "application_name", "options", "client_encoding",
                                  NULL };
    const char *const values[] = { w->at.host,
                                   call_format(c, "%lld", (long long)w->at.port),
                                   w->at.user,
                                   w->at.password,
                                   w->at.database,
                                   sslmodes[w->at.tls],
                                   w->at.tls_ca,
                                   w->at.tls_cert,
                                   w->at.tls_key,
                                   w->application_name,
                                   options.data,
                                   "UTF8",
                                   NULL };
    PGconn *conn = PQconnectStartParams(names, values, 0);
    if (!conn) abort();
    PQsetErrorVerbosity(conn, PQERRORS_SQLSTATE);
    return conn;
}

/* The SQLSTATE in a message that libpq wrote in its shortest form ("FATAL:  28P01"), or "". */
static const char *sqlstate_of(struct call *c, const char *message)
{
    for (const char *p = message; (p = strstr(p, ":  ")); p++) {
        if (strspn(p + 3, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5) return call_strndup(c, p + 3, 5);
    }
    return "";
}

static const struct {
    const char *state;
    struct failure what;
} states[] = {
    { "28P01",
      { STAGE_AUTHENTICATE, "The server refused the user name or the password.", "Check user and password." } },
    { "28000",
      { STAGE_AUTHENTICATE, "The server does not let this user in from here.",
        "Check the user, and the server's pg_hba.conf for this host, user, database and TLS." } },
    { "3D000", { STAGE_OPEN, "There is no such database on the server.", "Check the name of the database." } },
    { "42501",
      { STAGE_OPEN, "The user may not connect to this database.", "Grant CONNECT on the database to the user." } },
    { "53300", { STAGE_CONNECT, "The server has no free connection.", "Lower pool_size or raise max_connections." } },
    { "57P03", { STAGE_CONNECT, "The server is starting or stopping.", "Try again." } },
    { "22023", { STAGE_OPEN, "The server refused a setting of the session.", "Check time_zone and role." } },
};

static struct failure failure_of(struct call *c, const struct postgres_connection *w, const char *message,
                                 bool timed_out)
{
    const char *state = sqlstate_of(c, message);
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (!strcmp(states[i].state, state)) return states[i].what;
    if (timed_out)
        return (struct failure){ STAGE_CONNECT, "The server accepted the connection and then said nothing.",
                                 "Check that host and port are those of PostgreSQL." };
    if (strstr(message, "invalid response to SSL negotiation") || strstr(message, "expected authentication request"))
        return (struct failure){ STAGE_CONNECT, "What answers at this host and port is not PostgreSQL.",
                                 "Check host and port." };
    if (strstr(message, "SSL") || strstr(message, "certificate"))
        return (struct failure){ STAGE_TLS,
                                 w->at.tls >= TLS_VERIFY_CA ? "The server's certificate could not be verified."
                                                            : "TLS could not be agreed with the server.",
                                 "Check tls, tls_ca and the name in the server's certificate." };
    if (strstr(message, "no password supplied"))
        return (struct failure){ STAGE_AUTHENTICATE, "The server asks for a password.", "Give a password." };
    return (struct failure){ STAGE_CONNECT, "The server could not be reached.",
                             "Check host and port, and that it runs." };
}

/* Polls the connection until it stands; false with *timed_out or the connection's own message. */
static bool connect_poll(struct call *c, PGconn *conn, int64_t timeout_ms, bool *timed_out)
{
    int64_t until = clock_mono_us() + timeout_ms * 1000;
    PostgresPollingStatusType step = PQstatus(conn) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    while (step != PGRES_POLLING_OK && step != PGRES_POLLING_FAILED) {
        struct pollfd wait = { .fd = PQsocket(conn), .events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT };
        int ready = poll(&wait, 1, POSTGRES_POLL_MS);
        if (atomic_load(&c->cancelled) || clock_mono_us() > until || !call_left_us(c)) {
            *timed_out = true;
            return false;
        }
        if (ready > 0) step = PQconnectPoll(conn);
    }
    return step == PGRES_POLLING_OK;
}

/* One row for the user and one for the role that is taken, by what it could do beyond reading. */
#define OURS                                                                                                           \
    "pg_catalog.pg_class k JOIN pg_catalog.pg_namespace n ON n.oid = k.relnamespace WHERE k.relkind IN ('r','p','f')"  \
    " AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'"
static const char privilege_query[] =
    "SELECT pg_catalog.current_setting('server_version_num'),"
    " CASE WHEN r.rolsuper THEN 'superuser' WHEN r.rolcreaterole OR r.rolcreatedb OR r.rolreplication THEN 'admin'"
    " WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_roles f WHERE f.rolname IN ('pg_read_server_files',"
    " 'pg_write_server_files', 'pg_execute_server_program') AND pg_catalog.pg_has_role(r.oid, f.oid, 'MEMBER'))"
    " THEN 'files'"
    " WHEN EXISTS (SELECT 1 FROM " OURS " AND pg_catalog.pg_has_role(r.oid, k.relowner, 'USAGE')) THEN 'owner'"
    " WHEN EXISTS (SELECT 1 FROM " OURS
    " AND pg_catalog.has_table_privilege(r.oid, k.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) THEN 'writer' ELSE '' END,"
    " r.rolname = $1::pg_catalog.text AND pg_catalog.pg_has_role(r.oid, 'MEMBER')"
    " FROM pg_catalog.pg_roles r WHERE r.rolname IN (current_user, $1::pg_catalog.text)";

static const struct {
    const char *key, *text;
} privileged[] = {
    { "superuser", "The user is a superuser of the server." },
    { "admin", "The user may create roles or databases, or replicate." },
    { "files", "The user may read or write files of the server, or run programs there." },
    { "owner", "The user owns tables." },
    { "writer", "The user may change rows." },
};

static int privilege_row(void *ctx, struct call *c, const char *const *values)
{
    struct postgres_session *s = ctx;
    (void)c;
    s->version = atoll(values[0]);
    for (size_t i = 0; i < sizeof privileged / sizeof privileged[0]; i++)
        if (!s->privileged && !strcmp(values[1], privileged[i].key)) s->privileged = privileged[i].text;
    s->takes_role = s->takes_role || (values[2] && *values[2] == 't');
    return OK;
}

/* A new session, or what failed. */
void *postgres_session_open(struct call *c, struct pooled *p, struct failure *why)
{
    const struct postgres_connection *with = p->with;
    bool timed_out = false;
    PGconn *conn = connect_start(c, with);
    if (!connect_poll(c, conn, with->at.connect_timeout_ms, &timed_out)) {
        *why = failure_of(c, with, PQerrorMessage(conn), timed_out);
        call_detail(c, "%s", PQerrorMessage(conn));
        PQfinish(conn);
        return NULL;
    }
    struct postgres_session *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->with = with;
    s->conn = conn;
    s->cancel = PQgetCancel(conn);
    PQsetErrorVerbosity(conn, PQERRORS_DEFAULT);
    PQsetnonblocking(conn, 1);
    const char *const role[] = { with->role };
    if (postgres_rows(c, s, privilege_query, role, 1, privilege_row, s)) {
        *why =
            (struct failure){ STAGE_OPEN, "The server's catalogue could not be read.", "Check that it is PostgreSQL." };
        call_forgive(c);
        postgres_session_close(s);
        return NULL;
    }
    if (with->role && !s->takes_role) {
        *why = (struct failure){ STAGE_OPEN, "The user may not take the role.",
                                 "Grant the role to the user, or leave `role` out." };
        postgres_session_close(s);
        return NULL;
    }
    if (s->privileged && with->privileges == PRIVILEGES_REFUSE) {
        *why = (struct failure){ STAGE_OPEN, s->privileged,
                                 "Connect as a role that has SELECT only, or set privileges to warn." };
        postgres_session_close(s);
        return NULL;
    }
    return s;
}
