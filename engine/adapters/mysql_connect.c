/* Sessions of the MySQL adapter: made, judged, closed; and our own queries on them. */
#include "adapters/mysql.h"

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#undef list_push /* the client's headers have a macro of that name */

void mysql_session_close(void *handle)
{
    struct mysql_session *s = handle;
    mysql_close(s->conn);
    free(s);
}

static const struct {
    unsigned code;
    struct failure what;
} failures[] = {
    { ER_ACCESS_DENIED_ERROR,
      { STAGE_AUTHENTICATE, "The server refused the user name or the password.",
        "Check user, password, and the user's host." } },
    { ER_HOST_NOT_PRIVILEGED,
      { STAGE_AUTHENTICATE, "The server does not let this host in.", "Grant the user access from this host." } },
    { ER_BAD_DB_ERROR, { STAGE_OPEN, "There is no such database on the server.", "Check the name of the database." } },
    { ER_DBACCESS_DENIED_ERROR,
      { STAGE_OPEN, "The user may not use this database.", "Grant SELECT on the database to the user." } },
    { ER_CON_COUNT_ERROR,
      { STAGE_CONNECT, "The server has no free connection.", "Lower pool_size or raise max_connections." } },
    { CR_SSL_CONNECTION_ERROR,
      { STAGE_TLS, "TLS could not be agreed with the server, or its certificate not be verified.",
        "Check tls, tls_ca and the name in the server's certificate." } },
    { CR_SERVER_LOST,
      { STAGE_CONNECT, "The server accepted the connection and then said nothing.",
        "Check that host and port are those of MySQL or MariaDB." } },
};

static struct failure failure_of(unsigned code)
{
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
        if (failures[i].code == code) return failures[i].what;
    return (struct failure){ STAGE_CONNECT, "The server could not be reached.",
                             "Check host and port, and that it runs." };
}

bool mysql_socket(const char *host, char path[MYSQL_SOCKET_BYTES])
{
    static const char *const names[] = { "", "/mysqld.sock", "/mysql.sock", "/socket" };
    struct stat st;
    bool found = false;
    for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; i++) {
        int n = snprintf(path, MYSQL_SOCKET_BYTES, "%s%s", host, names[i]);
        found = n > 0 && n < MYSQL_SOCKET_BYTES && !stat(path, &st) && S_ISSOCK(st.st_mode);
    }
    return found;
}

static MYSQL *connect_with(const struct mysql_connection *w, bool tls)
{
    const struct endpoint *at = &w->at;
    MYSQL *conn = mysql_init(NULL);
    if (!conn) abort();
    unsigned seconds = (unsigned)((at->connect_timeout_ms + 999) / 1000), off = 0, on = 1;
    my_bool no = 0, verify = at->tls == TLS_VERIFY_FULL;
    mysql_optionsv(conn, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    mysql_optionsv(conn, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_optionsv(conn, MYSQL_OPT_LOCAL_INFILE, &off);
    mysql_optionsv(conn, MYSQL_OPT_RECONNECT, &no);
    mysql_optionsv(conn, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", w->application_name);
    if (tls) mysql_optionsv(conn, MYSQL_OPT_SSL_ENFORCE, &on);
    if (at->tls_ca) mysql_optionsv(conn, MYSQL_OPT_SSL_CA, at->tls_ca);
    if (at->tls_cert) mysql_optionsv(conn, MYSQL_OPT_SSL_CERT, at->tls_cert);
    if (at->tls_key) mysql_optionsv(conn, MYSQL_OPT_SSL_KEY, at->tls_key);
    mysql_optionsv(conn, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
    bool local = at->host[0] == '/';
    char path[MYSQL_SOCKET_BYTES] = "";
    if (local) (void)!mysql_socket(at->host, path);
    const char *host = local ? NULL : at->host, *socket = local ? path : NULL;
    /* Said, because the library takes "localhost" for a socket of its own choice. */
    unsigned protocol = socket ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
    mysql_optionsv(conn, MYSQL_OPT_PROTOCOL, &protocol);
    /* The error of a connection that fails stands in conn. */
    (void)!mysql_real_connect(conn, host, at->user, at->password, at->database, (unsigned)at->port, socket, 0);
    return conn;
}

MYSQL *mysql_connection_open(const struct mysql_connection *w)
{
    bool local = w->at.host[0] == '/';
    MYSQL *conn = connect_with(w, w->at.tls >= TLS_REQUIRE || (w->at.tls == TLS_PREFER && !local));
    if (w->at.tls != TLS_PREFER || mysql_errno(conn) != CR_SSL_CONNECTION_ERROR) return conn;
    mysql_close(conn);
    return connect_with(w, false);
}

/* MySQL's word to a connection that idled too long, before it hangs up. */
#define ER_IDLE_TOO_LONG 4031

/* Everything a session must have before a statement of ours comes near it; each a constant. Grouping was checked on the
 * plan, by keys too, which MariaDB does not follow; averages of decimals keep more than four further digits. */
static const char *const session_setup[] = {
    "SET SESSION TRANSACTION READ ONLY",
    "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
    "SET SESSION group_concat_max_len = 1048576, SESSION div_precision_increment = 12",
    "SET SESSION lock_wait_timeout = 2, SESSION innodb_lock_wait_timeout = 2",
};

bool mysql_run_plain(struct mysql_session *s, const char *sql)
{
    if (mysql_real_query(s->conn, sql, (unsigned long)strlen(sql))) return false;
    MYSQL_RES *res = mysql_store_result(s->conn);
    if (res) mysql_free_result(res);
    return !mysql_errno(s->conn);
}

static const char *escaped(struct call *c, MYSQL *conn, const char *text)
{
    size_t n = strlen(text);
    char *out = call_alloc(c, 2 * n + 1);
    mysql_real_escape_string(conn, out, text, (unsigned long)n);
    return out;
}

/* Words of SHOW GRANTS that let a user do more than read. */
static const struct {
    const char *word, *text;
} strong[] = {
    { "ALL PRIVILEGES", "The user has all privileges." },
    { " SUPER", "The user has the SUPER privilege." },
    { " FILE", "The user may read and write files of the server." },
    { "INSERT", "The user may change rows." },
    { "UPDATE", "The user may change rows." },
    { "DELETE", "The user may change rows." },
    { "CREATE", "The user may create tables." },
    { "DROP", "The user may drop tables." },
    { "ALTER", "The user may alter tables." },
    { "EXECUTE", "The user may run stored procedures." },
};

static bool read_privileges(struct mysql_session *s)
{
    MYSQL_RES *res = mysql_real_query(s->conn, "SHOW GRANTS", 11) ? NULL : mysql_store_result(s->conn);
    if (!res) return false;
    for (MYSQL_ROW row; (row = mysql_fetch_row(res));) {
        const char *end = row[0] ? strstr(row[0], " ON ") : NULL;
        size_t n = end ? (size_t)(end - row[0]) : 0;
        for (size_t i = 0; n && !s->privileged && i < sizeof strong / sizeof strong[0]; i++) {
            const char *at = strstr(row[0], strong[i].word);
            if (at && at < end) s->privileged = strong[i].text;
        }
    }
    mysql_free_result(res);
    return true;
}

void *mysql_session_open(struct call *c, struct pooled *p, struct failure *why)
{
    const struct mysql_connection *with = p->with;
    struct mysql_session *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->conn = mysql_connection_open(with);
    bool ok = !mysql_errno(s->conn);
    if (!ok) *why = failure_of(mysql_errno(s->conn));
    for (size_t i = 0; ok && i < sizeof session_setup / sizeof session_setup[0]; i++)
        ok = mysql_run_plain(s, session_setup[i]);
    /* MariaDB ends a long recursion with a warning and too few rows; the plan says where a recursion ends. */
    bool mariadb = ok && strstr(mysql_get_server_info(s->conn), "MariaDB");
    if (ok)
        ok = mysql_run_plain(s, mariadb ? "SET SESSION max_recursive_iterations = 4294967295"
                                        : "SET SESSION cte_max_recursion_depth = 4294967295");
    if (ok && with->time_zone)
        ok = mysql_run_plain(s, call_format(c, "SET SESSION time_zone = '%s'", escaped(c, s->conn, with->time_zone)));
    if (ok) ok = read_privileges(s);
    if (!ok) {
        if (!why->message)
            *why = (struct failure){ STAGE_OPEN, "The server refused a setting of the session.", "Check time_zone." };
        call_detail(c, "%u %s", mysql_errno(s->conn), mysql_error(s->conn));
        mysql_session_close(s);
        return NULL;
    }
    s->mariadb = strstr(mysql_get_server_info(s->conn), "MariaDB") != NULL;
    if (s->privileged && with->privileges == PRIVILEGES_REFUSE) {
        *why = (struct failure){ STAGE_OPEN, s->privileged,
                                 "Connect as a user that has SELECT only, or set privileges to warn." };
        mysql_session_close(s);
        return NULL;
    }
    return s;
}

bool mysql_is_changed(unsigned code)
{
    return code == ER_BAD_FIELD_ERROR || code == ER_NO_SUCH_TABLE || code == ER_BAD_DB_ERROR ||
           code == ER_UNKNOWN_TABLE;
}

bool mysql_is_lost(unsigned code)
{
    return code == CR_SERVER_GONE_ERROR || code == CR_SERVER_LOST || code == CR_SSL_CONNECTION_ERROR ||
           code == ER_CONNECTION_KILLED || code == ER_SERVER_SHUTDOWN || code == ER_IDLE_TOO_LONG;
}

int mysql_rows(struct call *c, struct mysql_session *s, const char *sql, void (*row)(void *ctx, char **values),
               void *ctx)
{
    MYSQL_RES *res = NULL;
    if (!mysql_real_query(s->conn, sql, (unsigned long)strlen(sql))) res = mysql_use_result(s->conn);
    for (MYSQL_ROW v; res && (v = mysql_fetch_row(res));) row(ctx, v);
    bool ok = res && !mysql_errno(s->conn);
    if (res) mysql_free_result(res);
    if (ok) return OK;
    s->broken = true;
    call_detail(c, "%u %s", mysql_errno(s->conn), mysql_error(s->conn));
    return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The database's catalogue could not be read.");
}
