#include "adapters/postgres.h"

#include "adapters/pool.h"
#include "base/clock.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define PORT 5432

/* Of a server that was told to stop a statement, and of a lock that someone holds. */
enum { GRACE_MS = 1000, LOCK_TIMEOUT_MS = 2000, POLL_MS = 100 };

static const char *const privileges_names[] = { "refuse", "warn", NULL };
static const char *const schemes[] = { "postgresql", "postgres", NULL };

static const struct field connection_fields[] = {
    ENDPOINT_ROWS,
    FIELD(struct postgres_connection, role, K_STR, .max = 63, .doc = "Role taken for each statement (SET LOCAL ROLE)."),
    FIELD(struct postgres_connection, time_zone, K_STR, .max = 64,
          .doc = "Time zone of the session; the role's own when absent."),
    FIELD(struct postgres_connection, application_name, K_STR, .max = 63, .def = "querent",
          .doc = "What the server's activity view shows."),
    FIELD(struct postgres_connection, privileges, K_ENUM, .of = privileges_names, .def = "refuse",
          .doc = "What to do when the role could write: refuse the connection, or warn."),
    { 0 },
};
static const struct type connection_type = TYPE(struct postgres_connection, "PostgresConnection", connection_fields);

struct postgres {
    struct adapter base;
    struct call life; /* memory of the connection's description */
    struct postgres_connection *with;
    struct pool *pool;
};

struct postgres_session {
    struct postgres *owner;
    PGconn *conn;
    PGcancel *cancel;
    const char *privileged; /* why the role could write, NULL when it could not; a constant */
    int64_t version;
};

/* ---- connecting
 * ------------------------------------------------------------------------------------------------------- */

static void session_close(void *handle)
{
    struct postgres_session *s = handle;
    if (s->cancel) PQfreeCancel(s->cancel);
    PQfinish(s->conn);
    free(s);
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
        int ready = poll(&wait, 1, POLL_MS);
        if (atomic_load(&c->cancelled) || clock_mono_us() > until || !call_left_us(c)) {
            *timed_out = true;
            return false;
        }
        if (ready > 0) step = PQconnectPoll(conn);
    }
    return step == PGRES_POLLING_OK;
}

static const char privilege_query[] =
    "SELECT current_setting('server_version_num'),"
    " CASE WHEN r.rolsuper THEN 'superuser' WHEN r.rolcreaterole OR r.rolcreatedb OR r.rolreplication THEN 'admin'"
    " WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_class k JOIN pg_catalog.pg_namespace n ON n.oid = k.relnamespace"
    " WHERE k.relkind IN ('r','p','f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'"
    " AND pg_catalog.pg_has_role(k.relowner, 'USAGE')) THEN 'owner'"
    " WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_class k JOIN pg_catalog.pg_namespace n ON n.oid = k.relnamespace"
    " WHERE k.relkind IN ('r','p','f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'"
    " AND pg_catalog.has_table_privilege(k.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) THEN 'writer'"
    " ELSE '' END, r.rolsuper"
    " FROM pg_catalog.pg_roles r WHERE r.rolname = current_user";

static const struct {
    const char *key, *text;
} privileged[] = {
    { "superuser", "The user is a superuser of the server." },
    { "admin", "The user may create roles or databases, or replicate." },
    { "owner", "The user owns tables." },
    { "writer", "The user may change rows." },
};

static int privilege_row(void *ctx, struct call *c, const char *const *values)
{
    struct postgres_session *s = ctx;
    (void)c;
    s->version = atoll(values[0]);
    for (size_t i = 0; i < sizeof privileged / sizeof privileged[0]; i++)
        if (!strcmp(values[1], privileged[i].key)) s->privileged = privileged[i].text;
    return OK;
}

/* A new session, or what failed. */
static struct postgres_session *session_open(struct call *c, struct postgres *p, struct failure *why)
{
    bool timed_out = false;
    PGconn *conn = connect_start(c, p->with);
    if (!connect_poll(c, conn, p->with->at.connect_timeout_ms, &timed_out)) {
        *why = failure_of(c, p->with, PQerrorMessage(conn), timed_out);
        call_detail(c, "%s", PQerrorMessage(conn));
        PQfinish(conn);
        return NULL;
    }
    struct postgres_session *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->owner = p;
    s->conn = conn;
    s->cancel = PQgetCancel(conn);
    PQsetErrorVerbosity(conn, PQERRORS_DEFAULT);
    PQsetnonblocking(conn, 1);
    if (postgres_rows(c, s, privilege_query, NULL, 0, privilege_row, s)) {
        *why =
            (struct failure){ STAGE_OPEN, "The server's catalogue could not be read.", "Check that it is PostgreSQL." };
        call_forgive(c);
        session_close(s);
        return NULL;
    }
    if (s->privileged && p->with->privileges == PRIVILEGES_REFUSE) {
        *why = (struct failure){ STAGE_OPEN, s->privileged,
                                 "Connect as a role that has SELECT only, or set privileges to warn." };
        session_close(s);
        return NULL;
    }
    return s;
}

static int session_take(struct call *c, struct postgres *p, struct postgres_session **out)
{
    void *handle;
    int rc = pool_take(p->pool, c, &handle);
    if (rc) return rc;
    struct postgres_session *s = handle;
    if (s && PQstatus(s->conn) != CONNECTION_OK) {
        session_close(s);
        s = NULL;
    }
    struct failure why;
    if (!s) s = session_open(c, p, &why);
    if (!s) {
        pool_give(p->pool, NULL);
        rc = call_check(c);
        return rc ? rc : call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", why.message);
    }
    *out = s;
    return OK;
}

/* A session with something left to read, or broken, does not go back. */
static void session_give(struct postgres *p, struct postgres_session *s)
{
    if (PQstatus(s->conn) == CONNECTION_OK && PQtransactionStatus(s->conn) == PQTRANS_IDLE &&
        PQpipelineStatus(s->conn) == PQ_PIPELINE_OFF) {
        pool_give(p->pool, s);
        return;
    }
    session_close(s);
    pool_give(p->pool, NULL);
}

/* ---- talking
 * ---------------------------------------------------------------------------------------------------------- */

/* Sends what is queued and waits until a result can be taken. false: the server is silent or gone. */
static bool wait_result(struct postgres_session *s, int64_t until_us)
{
    int unsent = PQflush(s->conn);
    while (unsent || PQisBusy(s->conn)) {
        struct pollfd wait = { .fd = PQsocket(s->conn), .events = (short)(POLLIN | (unsent ? POLLOUT : 0)) };
        int ready = poll(&wait, 1, POLL_MS);
        if (clock_mono_us() > until_us) return false;
        if (ready <= 0) continue;
        if (wait.revents & ~POLLOUT && !PQconsumeInput(s->conn)) return false;
        if (unsent) unsent = PQflush(s->conn);
        if (unsent < 0) return false;
    }
    return true;
}

static PGresult *next_result(struct postgres_session *s, int64_t until_us)
{
    return wait_result(s, until_us) ? PQgetResult(s->conn) : NULL;
}

static int64_t until(const struct call *c, int64_t time_ms)
{
    int64_t left = call_left_us(c), most = (time_ms + GRACE_MS) * 1000;
    return clock_mono_us() + (left < most ? left + GRACE_MS * 1000 : most);
}

int postgres_rows(struct call *c, struct postgres_session *s, const char *sql, const char *const *params, int count,
                  int (*row)(void *ctx, struct call *c, const char *const *values), void *ctx)
{
    int64_t stop = until(c, 60000);
    int rc = OK;
    if (!PQsendQueryParams(s->conn, sql, count, NULL, params, NULL, NULL, 0) || !PQsetSingleRowMode(s->conn))
        return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
    for (PGresult *r; (r = next_result(s, stop)); PQclear(r)) {
        ExecStatusType status = PQresultStatus(r);
        if (status == PGRES_SINGLE_TUPLE && !rc) {
            int n = PQnfields(r);
            const char *values[64];
            for (int i = 0; i < n && i < 64; i++) values[i] = PQgetisnull(r, 0, i) ? NULL : PQgetvalue(r, 0, i);
            rc = row(ctx, c, values);
        } else if (status != PGRES_TUPLES_OK && status != PGRES_SINGLE_TUPLE && !rc) {
            rc = call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The database's catalogue could not be read.");
            call_detail(c, "%s", PQresultErrorMessage(r));
        }
    }
    if (!rc && (PQstatus(s->conn) != CONNECTION_OK || PQtransactionStatus(s->conn) != PQTRANS_IDLE)) {
        rc = call_check(c);
        if (!rc) rc = call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
    }
    return rc;
}

const char *postgres_array(struct call *c, const struct list *names)
{
    struct buf b;
    buf_init(&b, c, 64 * 1024);
    buf_char(&b, '{');
    for (size_t i = 0; i < names->count; i++) {
        if (i) buf_char(&b, ',');
        buf_char(&b, '"');
        for (const char *p = LIST_AT(names, const char *, i); *p; p++) {
            if (*p == '"' || *p == '\\') buf_char(&b, '\\');
            buf_char(&b, *p);
        }
        buf_char(&b, '"');
    }
    buf_char(&b, '}');
    return b.data;
}

/* ---- running
 * ---------------------------------------------------------------------------------------------------------- */

enum oid {
    OID_BOOL = 16,
    OID_BYTEA = 17,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_TEXT = 25,
    OID_OID = 26,
    OID_FLOAT4 = 700,
    OID_FLOAT8 = 701,
    OID_MONEY = 790,
    OID_BPCHAR = 1042,
    OID_VARCHAR = 1043,
    OID_DATE = 1082,
    OID_TIME = 1083,
    OID_TIMESTAMP = 1114,
    OID_TIMESTAMPTZ = 1184,
    OID_INTERVAL = 1186,
    OID_TIMETZ = 1266,
    OID_NUMERIC = 1700,
    OID_UUID = 2950
};

static const struct {
    unsigned oid;
    const char *name;
    enum type_kind type;
    enum cell_kind cell;
} oids[] = {
    { OID_BOOL, "boolean", TYPE_BOOLEAN, CELL_BOOLEAN },
    { OID_BYTEA, "bytea", TYPE_BINARY, CELL_BINARY },
    { OID_INT8, "bigint", TYPE_INTEGER, CELL_NUMBER },
    { OID_INT2, "smallint", TYPE_INTEGER, CELL_NUMBER },
    { OID_INT4, "integer", TYPE_INTEGER, CELL_NUMBER },
    { OID_OID, "oid", TYPE_INTEGER, CELL_NUMBER },
    { OID_FLOAT4, "real", TYPE_DOUBLE, CELL_DOUBLE },
    { OID_FLOAT8, "double precision", TYPE_DOUBLE, CELL_DOUBLE },
    { OID_MONEY, "money", TYPE_DECIMAL, CELL_NUMBER },
    { OID_NUMERIC, "numeric", TYPE_DECIMAL, CELL_NUMBER },
    { OID_TEXT, "text", TYPE_TEXT, CELL_TEXT },
    { OID_VARCHAR, "character varying", TYPE_TEXT, CELL_TEXT },
    { OID_BPCHAR, "character", TYPE_TEXT, CELL_TEXT },
    { OID_DATE, "date", TYPE_DATE, CELL_TEXT },
    { OID_TIME, "time without time zone", TYPE_TIME, CELL_TEXT },
    { OID_TIMETZ, "time with time zone", TYPE_TIME, CELL_TEXT },
    { OID_TIMESTAMP, "timestamp without time zone", TYPE_TIMESTAMP, CELL_TEXT },
    { OID_TIMESTAMPTZ, "timestamp with time zone", TYPE_TIMESTAMPTZ, CELL_TEXT },
    { OID_INTERVAL, "interval", TYPE_INTERVAL, CELL_TEXT },
    { OID_UUID, "uuid", TYPE_TEXT, CELL_TEXT },
};

static size_t oid_row(unsigned oid)
{
    size_t i = 0, n = sizeof oids / sizeof oids[0];
    while (i < n && oids[i].oid != oid) i++;
    return i;
}

struct run {
    struct call *call;
    const struct statement *statement;
    const struct run_limits *limits;
    const struct row_sink *sink;
    struct run_stats *stats;
    struct result_column *columns;
    struct cell *cells;
    size_t count;
    unsigned *oid;
    bool began;
    struct arena scratch; /* of the row being read; what the sink takes lives in the call */
};

static int begin_rows(struct run *r, const PGresult *res)
{
    r->count = (size_t)PQnfields(res);
    r->columns = call_array(r->call, r->count, sizeof *r->columns);
    r->cells = call_array(r->call, r->count, sizeof *r->cells);
    r->oid = call_array(r->call, r->count, sizeof *r->oid);
    for (size_t i = 0; i < r->count; i++) {
        struct result_column *column = &r->columns[i];
        bool known = i < r->statement->column_count;
        r->oid[i] = PQftype(res, (int)i);
        size_t at = oid_row(r->oid[i]);
        if (known)
            *column = r->statement->columns[i];
        else
            *column = (struct result_column){ .name = call_strdup(r->call, PQfname(res, (int)i)), .nullable = true };
        if (at < sizeof oids / sizeof oids[0]) {
            column->db_type = oids[at].name;
            column->type.kind = oids[at].type;
        } else if (!column->db_type) {
            column->db_type = call_format(r->call, "oid %u", r->oid[i]);
        }
    }
    r->began = true;
    return r->sink->columns ? r->sink->columns(r->sink->ctx, r->call, r->columns, r->count) : OK;
}

static int nibble(char ch)
{
    return ch <= '9' ? ch - '0' : (ch | 32) - 'a' + 10;
}

static void cell_of(struct run *r, size_t i, const char *text, size_t n)
{
    struct cell *cell = &r->cells[i];
    size_t row = oid_row(r->oid[i]);
    *cell =
        (struct cell){ .kind = row < sizeof oids / sizeof oids[0] ? oids[row].cell : CELL_TEXT, .text = text, .n = n };
    if (r->oid[i] == OID_BOOL) {
        cell->text = *text == 't' ? "true" : "false";
        cell->n = strlen(cell->text);
    } else if (r->oid[i] == OID_BYTEA && n >= 2) {
        char *bytes = arena_alloc(&r->scratch, n / 2);
        for (size_t k = 2; k + 1 < n; k += 2) bytes[k / 2 - 1] = (char)(nibble(text[k]) << 4 | nibble(text[k + 1]));
        cell->text = bytes;
        cell->n = n / 2 - 1;
    } else if (r->oid[i] == OID_MONEY) { /* "-$1,234.50" */
        char *digits = arena_alloc(&r->scratch, n + 1), *p = digits;
        for (size_t k = 0; k < n; k++)
            if (strchr("-.0123456789", text[k])) *p++ = text[k];
        cell->text = digits;
        cell->n = (size_t)(p - digits);
    } else if (r->oid[i] == OID_TIMESTAMPTZ && n > 13 && text[10] == ' ') { /* "2026-01-02 03:04:05.6+01" */
        char *rfc = arena_alloc(&r->scratch, n + 4);
        memcpy(rfc, text, n);
        rfc[10] = 'T';
        if (rfc[n - 3] == '+' || rfc[n - 3] == '-') memcpy(rfc + n, ":00", 3);
        cell->text = rfc;
        cell->n = strlen(rfc);
    }
}

static int one_row(struct run *r, const PGresult *res)
{
    int64_t bytes = 0;
    arena_reset(&r->scratch, (struct arena_mark){ 0 });
    for (size_t i = 0; i < r->count; i++) {
        size_t n = (size_t)PQgetlength(res, 0, (int)i);
        bytes += (int64_t)n;
        if ((int64_t)n > r->limits->cell_bytes)
            return call_fail(r->call, ERR_LIMIT_EXCEEDED, "A value of column '%s' is larger than %lld bytes.",
                             r->columns[i].name, (long long)r->limits->cell_bytes);
        if (PQgetisnull(res, 0, (int)i))
            r->cells[i] = (struct cell){ 0 };
        else
            cell_of(r, i, PQgetvalue(res, 0, (int)i), n);
    }
    if (r->stats->rows >= r->limits->rows || r->stats->bytes + bytes > r->limits->bytes) {
        r->stats->truncated = true;
        r->stats->stopped_by = r->stats->rows >= r->limits->rows ? "rows" : "bytes";
        return ROWS_ENOUGH;
    }
    int rc = r->sink->row(r->sink->ctx, r->call, r->cells, r->count);
    if (rc) return rc;
    r->stats->rows++;
    r->stats->bytes += bytes;
    return OK;
}

static int failed(struct run *r, const PGresult *res)
{
    const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE),
               *text = PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY);
    int rc = call_check(r->call);
    if (rc) return rc;
    if (state && !strcmp(state, "57014")) return adapter_timed_out(r->call, r->limits->time_ms);
    if (state && !strcmp(state, "55P03"))
        return call_fail(r->call, ERR_EXECUTION_FAILED, "A table is locked by someone else; try again.");
    if (state && !strcmp(state, "42501"))
        return call_fail(r->call, ERR_EXECUTION_FAILED,
                         "The database does not let this connection read what the query needs.");
    rc = call_fail(r->call, ERR_EXECUTION_FAILED, "The database could not run the query: %s",
                   text ? text : "it broke off.");
    call_detail(r->call, "SQLSTATE %s", state ? state : "none");
    return rc;
}

static void cancel(void *ctx)
{
    char ignored[256];
    PQcancel(ctx, ignored, sizeof ignored);
}

/* One round trip: the read-only transaction begins, its limits are set, the statement runs, the transaction ends. */
static bool send_all(struct call *c, struct postgres_session *s, const struct run *r)
{
    const char *settings[] = { call_format(c, "%lld", (long long)r->limits->time_ms),
                               call_format(c, "%d", LOCK_TIMEOUT_MS),
                               s->owner->with->role ? s->owner->with->role : "none" };
    return PQenterPipelineMode(s->conn) &&
           PQsendQueryParams(s->conn, "BEGIN TRANSACTION READ ONLY", 0, NULL, NULL, NULL, NULL, 0) &&
           PQsendQueryParams(
               s->conn,
               "SELECT pg_catalog.set_config('statement_timeout', $1, true),"
               " pg_catalog.set_config('lock_timeout', $2, true), pg_catalog.set_config('role', $3, true)",
               3, NULL, settings, NULL, NULL, 0) &&
           PQsendQueryParams(s->conn, r->statement->sql, 0, NULL, NULL, NULL, NULL, 0) &&
           PQsendQueryParams(s->conn, "COMMIT", 0, NULL, NULL, NULL, NULL, 0) && PQpipelineSync(s->conn);
}

enum { STEP_BEGIN, STEP_SETTINGS, STEP_STATEMENT, STEP_COMMIT };

static int read_all(struct postgres_session *s, struct run *r)
{
    int64_t stop = until(r->call, r->limits->time_ms);
    int rc = OK, step = STEP_BEGIN, ends = 0;
    bool synced = false;
    while (!synced && ends < 2) {
        PGresult *res = next_result(s, stop);
        if (!res) { /* the end of one statement's results, or a silent server */
            if (PQstatus(s->conn) != CONNECTION_OK || clock_mono_us() > stop) break;
            ends++;
            step++;
            if (step == STEP_STATEMENT) PQsetSingleRowMode(s->conn);
            continue;
        }
        ends = 0;
        ExecStatusType status = PQresultStatus(res);
        if (status == PGRES_PIPELINE_SYNC) {
            synced = true;
        } else if (status == PGRES_FATAL_ERROR && !rc) {
            rc = failed(r, res);
        } else if (step == STEP_STATEMENT && !rc && (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK)) {
            if (!r->began) rc = begin_rows(r, res);
            if (!rc && status == PGRES_SINGLE_TUPLE) rc = one_row(r, res);
            if (rc) cancel(s->cancel); /* what is left need not be made */
        }
        PQclear(res);
    }
    if (synced) PQexitPipelineMode(s->conn);
    if (rc == ROWS_ENOUGH) return OK;
    if (rc || synced) return rc;
    rc = call_check(r->call);
    if (rc) return rc;
    if (clock_mono_us() > stop) return adapter_timed_out(r->call, r->limits->time_ms);
    return call_fail(r->call, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
}

static int run_once(struct call *c, struct postgres *p, struct run *r)
{
    struct postgres_session *s;
    int rc = session_take(c, p, &s);
    if (rc) return rc;
    int64_t started = clock_mono_us();
    call_on_cancel(c, cancel, s->cancel);
    if (send_all(c, s, r))
        rc = read_all(s, r);
    else
        rc = call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
    call_off_cancel(c);
    r->stats->db_us += clock_mono_us() - started;
    session_give(p, s);
    return rc;
}

static int execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                   const struct row_sink *sink, struct run_stats *stats)
{
    struct postgres *p = (struct postgres *)a;
    struct run r = { .call = c, .statement = s, .limits = limits, .sink = sink, .stats = stats };
    *stats = (struct run_stats){ 0 };
    int rc = run_once(c, p, &r);
    /* A connection that idled may be gone; a new one gets one try, as long as nothing was delivered. */
    if (rc == ERR_DATASOURCE_UNAVAILABLE && !r.began) {
        call_forgive(c);
        rc = run_once(c, p, &r);
    }
    arena_free(&r.scratch);
    return rc;
}

/* ---- the contract
 * ----------------------------------------------------------------------------------------------------- */

static bool installed(void)
{
    return true;
}

static int open_postgres(struct call *c, const struct datasource_config *config, struct adapter **out)
{
    struct postgres_connection checked = { 0 };
    int rc = endpoint_decode(c, config->connection, &connection_type, schemes, PORT, &checked);
    if (rc) return rc;
    struct postgres *p = calloc(1, sizeof *p);
    if (!p) abort();
    extern const struct adapter_kind adapter_postgres;
    p->base.kind = &adapter_postgres;
    call_begin(&p->life);
    /* Once more into memory of our own: the configuration's may not live as long. */
    struct buf text;
    const struct json *copy;
    buf_init(&text, &p->life, 1024 * 1024);
    json_write(&text, config->connection);
    p->with = call_alloc(&p->life, sizeof *p->with);
    rc = json_parse(&p->life, text.data, text.len, &copy);
    if (!rc) rc = endpoint_decode(&p->life, copy, &connection_type, schemes, PORT, p->with);
    if (rc) abort();
    p->pool = pool_new(config->options.pool_size);
    *out = &p->base;
    return OK;
}

static void close_postgres(struct adapter *a)
{
    struct postgres *p = (struct postgres *)a;
    pool_free(p->pool, session_close);
    call_end(&p->life);
    free(p);
}

static int introspect(struct call *c, struct adapter *a, struct snapshot **out)
{
    struct postgres *p = (struct postgres *)a;
    struct postgres_session *s;
    int rc = session_take(c, p, &s);
    if (rc) return rc;
    struct snapshot *snapshot = call_alloc(c, sizeof *snapshot);
    snapshot->dialect = "postgres";
    snapshot->server_version =
        call_format(c, "PostgreSQL %lld.%lld", (long long)(s->version / 10000), (long long)(s->version % 10000));
    snapshot->taken_us = clock_utc_us();
    rc = postgres_catalog(c, s, &p->with->at.schemas, snapshot);
    session_give(p, s);
    if (!rc) *out = snapshot;
    return rc;
}

static int nothing_row(void *ctx, struct call *c, const char *const *values)
{
    (void)ctx, (void)c, (void)values;
    return OK;
}

static int test(struct call *c, struct adapter *a, struct test_report *out)
{
    struct postgres *p = (struct postgres *)a;
    struct failure why = { 0 };
    enum reach reach = endpoint_reach(c, &p->with->at, call_format(c, ".s.PGSQL.%lld", (long long)p->with->at.port));
    struct postgres_session *s = NULL;
    if (reach != REACH_OK)
        why = endpoint_failure(reach);
    else
        s = session_open(c, p, &why);
    *out = (struct test_report){ .reached = why.stage, .message = why.message, .fix = why.fix };
    if (!s) return call_check(c);
    struct snapshot snapshot = { 0 };
    if (postgres_catalog(c, s, &p->with->at.schemas, &snapshot)) {
        call_forgive(c);
        *out = (struct test_report){ .reached = STAGE_READ_SCHEMA,
                                     .message = "The catalogue could not be read.",
                                     .fix = "Check that the server is PostgreSQL 12 or later." };
    } else if (!snapshot.table_count) {
        *out = (struct test_report){
            .reached = STAGE_READ_SCHEMA,
            .message = "The user can read no table.",
            .fix = "Grant USAGE on the schema and SELECT on its tables to the user; check `schemas`."
        };
    } else if (postgres_rows(c, s, "SELECT 1", NULL, 0, nothing_row, NULL)) {
        call_forgive(c);
        *out =
            (struct test_report){ .reached = STAGE_READ_ROW, .message = "No row could be read.", .fix = "Try again." };
    } else {
        out->reached = STAGE_DONE;
        out->message = s->privileged;
        out->tables = (int64_t)snapshot.table_count;
        out->server_version =
            call_format(c, "%lld.%lld", (long long)(s->version / 10000), (long long)(s->version % 10000));
    }
    session_close(s);
    return call_check(c);
}

static int diagnose(struct call *c, struct adapter *a, struct list *out)
{
    struct postgres *p = (struct postgres *)a;
    struct postgres_session *s;
    int rc = session_take(c, p, &s);
    if (rc) return rc;
    rc = postgres_diagnose(c, s, out);
    session_give(p, s);
    return rc;
}

const struct adapter_kind adapter_postgres = {
    .name = "postgres",
    .title = "PostgreSQL",
    .dialect = "postgres",
    .connection = &connection_type,
    .installed = installed,
    .install_hint = "It is part of Querent.",
    .open = open_postgres,
    .close = close_postgres,
    .test = test,
    .introspect = introspect,
    .inspect = postgres_inspect,
    .execute = execute,
    .diagnose = diagnose,
};
