/* Sessions with SQL Server: a worker that has logged in, and what its login may do. */
#include "adapters/mssql.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE_MS = 1000 };

static const struct {
    int number;
    struct failure what;
} failures[] = {
    { 18456, { STAGE_AUTHENTICATE, "The server refused the login or its password.", "Check user and password." } },
    { 18452,
      { STAGE_AUTHENTICATE, "The server takes Windows logins only.",
        "Allow SQL Server authentication on the server, or use a login of the server's own." } },
    { 18470, { STAGE_AUTHENTICATE, "The login is disabled.", "Enable the login." } },
    { 18486, { STAGE_AUTHENTICATE, "The login is locked.", "Unlock the login." } },
    { 18487, { STAGE_AUTHENTICATE, "The password of the login has expired.", "Give the login a new password." } },
    { 18488, { STAGE_AUTHENTICATE, "The login must change its password.", "Give the login a new password." } },
    { 17892, { STAGE_AUTHENTICATE, "A logon trigger of the server refused the login.", "Ask the server's operator." } },
    { 40615,
      { STAGE_CONNECT, "The server's firewall does not let this host in.", "Add this host to the firewall's rules." } },
    { 40613, { STAGE_OPEN, "The database is not available at the moment.", "Try again." } },
    { 17809, { STAGE_CONNECT, "The server has no free connection.", "Lower pool_size." } },
    { 4060,
      { STAGE_OPEN, "There is no such database on the server, or the login may not open it.",
        "Check the name of the database and that the login has a user in it." } },
    { 4064, { STAGE_OPEN, "The login's own database cannot be opened.", "Name a database." } },
    { 911, { STAGE_OPEN, "There is no such database on the server.", "Check the name of the database." } },
    { 916, { STAGE_OPEN, "The login has no user in the database.", "Create a user for the login that can SELECT." } },
    { 978, { STAGE_OPEN, "The database lets only connections in that say they read.", "Set intent to read_only." } },
    { TROUBLE_NO_TLS,
      { STAGE_TLS, "The server offers no TLS.", "Give the server a certificate, or set tls to prefer." } },
    { TROUBLE_WANTS_TLS, { STAGE_TLS, "The server demands TLS.", "Set tls to require or better." } },
    { TROUBLE_TLS,
      { STAGE_TLS, "TLS could not be agreed with the server, or its certificate not be verified.",
        "Check tls, tls_ca and the name in the server's certificate." } },
    { TROUBLE_SILENT,
      { STAGE_CONNECT, "The server accepted the connection and then said nothing.",
        "Check that host and port are those of SQL Server." } },
    { TROUBLE_STRANGER, { STAGE_CONNECT, "What answers at this port is no SQL Server.", "Check host and port." } },
};

static const struct failure *failure_of(int number)
{
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
        if (failures[i].number == number) return &failures[i].what;
    return NULL;
}

void mssql_session_close(void *session)
{
    struct mssql_session *s = session;
    worker_end(&s->worker);
    free(s);
}

bool mssql_session_usable(void *session)
{
    return !((struct mssql_session *)session)->broken;
}

static bool send_open(struct call *c, struct mssql_session *s, const struct mssql_connection *w)
{
    static const char *const encryptions[] = { "off", "request", "require", "require", "require" };
    const struct endpoint *at = &w->at;
    bool verify = at->tls >= TLS_VERIFY_CA;
    const char *const members[MEMBERS] = {
        [MEMBER_HOST] = at->host,
        [MEMBER_PORT] = call_format(c, "%lld", (long long)at->port),
        [MEMBER_USER] = at->user,
        [MEMBER_PASSWORD] = at->password ? at->password : "",
        [MEMBER_DATABASE] = at->database,
        [MEMBER_APPLICATION] = w->application_name,
        [MEMBER_INTENT] = w->intent == INTENT_READ_ONLY ? "read_only" : "",
        [MEMBER_ENCRYPTION] = encryptions[at->tls],
        [MEMBER_CA] = !verify      ? ""
                      : at->tls_ca ? at->tls_ca
                                   : "system",
        [MEMBER_CHECK_HOST] = at->tls == TLS_VERIFY_FULL ? "yes" : "no",
        [MEMBER_SECONDS] = call_format(c, "%lld", (long long)((at->connect_timeout_ms + 999) / 1000)),
    };
    struct buf b;
    buf_init(&b, c, 64 * 1024);
    for (size_t i = 0; i < MEMBERS; i++) buf_add(&b, members[i], strlen(members[i]) + 1);
    return worker_send(s->worker.fd, FRAME_OPEN, b.data, b.len);
}

/* A server says several things of one failure: the first that is known tells most. */
static bool log_in(struct call *c, struct mssql_session *s, const struct mssql_connection *w, struct failure *why)
{
    struct frame f;
    static const struct failure unknown = { STAGE_AUTHENTICATE, "The server refused the login.",
                                            "The server's log holds the reason." };
    const struct failure *first = NULL, *last = NULL;
    int64_t until = clock_mono_us() + (2 * w->at.connect_timeout_ms + PROBE_MS) * 1000;
    enum worker_got got = send_open(c, s, w) ? WORKER_OK : WORKER_GONE;
    while (got == WORKER_OK && (got = worker_next(c, &s->worker, until, &f)) == WORKER_OK) {
        int number;
        if (f.kind == FRAME_DONE) return true;
        if (f.n < sizeof number) break;
        memcpy(&number, f.payload, sizeof number);
        const struct failure *known = failure_of(number);
        if (!number || !known || number < 0) call_detail(c, "%d %.*s", number, (int)(f.n - 4), f.payload + 4);
        if (known && number > 0 && !first) first = known;
        if (known && number < 0 && last != &unknown) last = known;
        if (!known && number > 0) last = &unknown;
        if (f.kind == FRAME_ERROR) break;
    }
    if (got == WORKER_LATE) last = failure_of(TROUBLE_SILENT);
    if (!first) first = last;
    *why = first ? *first
                 : (struct failure){ STAGE_CONNECT, "The server could not be reached.",
                                     "Check host and port, and that it runs." };
    return false;
}

/* What the login could do beyond reading, the worst first. Its own grants and those of its roles are all it sees. */
static const char privilege_query[] =
    "SELECT CASE WHEN IS_SRVROLEMEMBER('sysadmin') = 1 THEN 1 ELSE 0 END,"
    " CASE WHEN IS_MEMBER('db_owner') = 1 THEN 1 ELSE 0 END,"
    " CASE WHEN IS_MEMBER('db_datawriter') = 1 THEN 1 ELSE 0 END,"
    " CASE WHEN IS_MEMBER('db_ddladmin') = 1 THEN 1 ELSE 0 END,"
    " CASE WHEN IS_MEMBER('db_securityadmin') = 1 OR IS_MEMBER('db_accessadmin') = 1 THEN 1 ELSE 0 END,"
    " (SELECT COUNT(*) FROM sys.database_permissions p WHERE p.state IN ('G', 'W') AND p.type IN ('IN', 'UP', 'DL') AND"
    " (p.grantee_principal_id = 0 OR IS_MEMBER(USER_NAME(p.grantee_principal_id)) = 1 OR p.grantee_principal_id ="
    " USER_ID())),"
    " (SELECT COUNT(*) FROM sys.database_permissions p WHERE p.state IN ('G', 'W') AND (p.type IN ('CL', 'IM', 'TO') OR"
    " p.type LIKE 'AL%' OR p.type LIKE 'CR%') AND (p.grantee_principal_id = 0 OR"
    " IS_MEMBER(USER_NAME(p.grantee_principal_id)) = 1 OR p.grantee_principal_id = USER_ID())),"
    " CASE WHEN EXISTS (SELECT 1 FROM sys.schemas n WHERE n.principal_id = USER_ID() AND n.schema_id < 16384) THEN 1 "
    "ELSE"
    " 0 END,"
    " CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)), CAST(SERVERPROPERTY('Edition') AS nvarchar(128)),"
    " CASE WHEN (SELECT d.snapshot_isolation_state FROM sys.databases d WHERE d.database_id = DB_ID()) = 1 THEN 1 ELSE "
    "0"
    " END";

static const char *const strong[] = {
    "The login is a sysadmin.",     "The login owns the database.",      "The login may change rows.",
    "The login may change tables.", "The login may give itself rights.", "The login may change rows.",
    "The login may change tables.", "The login owns a schema.",
};
enum { STRONG = sizeof strong / sizeof strong[0] };

struct asked {
    struct mssql_session *session;
    bool snapshots;
};

static void privilege_row(void *ctx, const char *const *v)
{
    struct asked *a = ctx;
    for (size_t i = 0; i < STRONG && !a->session->privileged; i++)
        if (!v[i] || strcmp(v[i], "0") != 0) a->session->privileged = strong[i];
    snprintf(a->session->version, sizeof a->session->version, "%s (%s)", v[STRONG] ? v[STRONG] : "unknown",
             v[STRONG + 1] ? v[STRONG + 1] : "unknown");
    a->snapshots = v[STRONG + 2] && *v[STRONG + 2] == '1';
}

static void ignore(void *ctx, const char *const *v)
{
    (void)ctx, (void)v;
}

/* Where the database keeps versions of its rows, readers hold no locks and wait for none. */
static const char read_versions[] = "SET TRANSACTION ISOLATION LEVEL SNAPSHOT; SELECT 1";

void *mssql_session_open(struct call *c, struct pooled *p, struct failure *why)
{
    const struct mssql_connection *w = p->with;
    struct mssql_session *s = calloc(1, sizeof *s);
    struct asked asked = { .session = s };
    if (!s) abort();
    if (!worker_start(&s->worker, "mssql")) {
        free(s);
        *why =
            (struct failure){ STAGE_CONNECT, "A worker could not be started.", "Check the machine's process limits." };
        return NULL;
    }
    bool ok = log_in(c, s, w, why);
    if (ok && (mssql_rows(c, s, privilege_query, NULL, privilege_row, &asked) ||
               (asked.snapshots && mssql_rows(c, s, read_versions, NULL, ignore, NULL)))) {
        call_forgive(c);
        ok = false;
        *why = (struct failure){ STAGE_OPEN, "What the login may do could not be read.",
                                 "Check that the server is SQL Server 2017 or later." };
    }
    if (ok && s->privileged && w->privileges == PRIVILEGES_REFUSE) {
        ok = false;
        *why = (struct failure){
            STAGE_OPEN, s->privileged,
            "Connect as a user that is a db_datareader and nothing else, or set privileges to warn."
        };
    }
    if (ok) return s;
    mssql_session_close(s);
    return NULL;
}
