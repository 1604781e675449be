/* mysql: MySQL and MariaDB through the MariaDB client library, which has its home here. Text protocol, rows streamed,
 * one statement at a time, the session read-only from its first moment. */
#include "adapters/mysql.h"

#include "adapters/endpoint.h"
#include "adapters/pool.h"
#include "base/clock.h"

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef list_push /* the client's headers have a macro of that name */

#define PORT           3306
#define CHARSET_BINARY 63

struct mysql_connection {
    struct endpoint at;
    const char *time_zone;
    int privileges;
};
enum privileges { PRIVILEGES_REFUSE, PRIVILEGES_WARN };
static const char *const privileges_names[] = { "refuse", "warn", NULL };
static const char *const schemes[] = { "mysql", "mariadb", NULL };

static const struct field connection_fields[] = {
    ENDPOINT_ROWS,
    FIELD(struct mysql_connection, time_zone, K_STR, .max = 64,
          .doc = "Time zone of the session; the server's when absent."),
    FIELD(struct mysql_connection, privileges, K_ENUM, .of = privileges_names, .def = "refuse",
          .doc = "What to do when the user could write: refuse the connection, or warn."),
    { 0 },
};
static const struct type connection_type = TYPE(struct mysql_connection, "MysqlConnection", connection_fields);

struct mysql_adapter {
    struct adapter base;
    struct call life; /* memory of the connection's description */
    struct mysql_connection *with;
    struct pool *pool;
};

struct session {
    MYSQL *conn;
    bool mariadb;
    const char *privileged;
    int64_t time_ms; /* statement limit that the session has now */
    bool broken;
};

/* ---- connecting
 * ------------------------------------------------------------------------------------------------------- */

static void session_close(void *handle)
{
    struct session *s = handle;
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

static MYSQL *connect_to(const struct mysql_connection *w)
{
    const struct endpoint *at = &w->at;
    MYSQL *conn = mysql_init(NULL);
    if (!conn) abort();
    unsigned seconds = (unsigned)((at->connect_timeout_ms + 999) / 1000), off = 0, on = 1;
    my_bool yes = 1, no = 0;
    mysql_optionsv(conn, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    mysql_optionsv(conn, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_optionsv(conn, MYSQL_OPT_LOCAL_INFILE, &off);
    mysql_optionsv(conn, MYSQL_OPT_RECONNECT, &no);
    if (at->tls >= TLS_REQUIRE) mysql_optionsv(conn, MYSQL_OPT_SSL_ENFORCE, &on);
    if (at->tls_ca) mysql_optionsv(conn, MYSQL_OPT_SSL_CA, at->tls_ca);
    if (at->tls_cert) mysql_optionsv(conn, MYSQL_OPT_SSL_CERT, at->tls_cert);
    if (at->tls_key) mysql_optionsv(conn, MYSQL_OPT_SSL_KEY, at->tls_key);
    mysql_optionsv(conn, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, at->tls == TLS_VERIFY_FULL ? &yes : &no);
    const char *host = at->host[0] == '/' ? NULL : at->host;
    const char *socket = at->host[0] == '/' ? at->host : NULL;
    /* Said, because the library takes "localhost" for a socket of its own choice. */
    unsigned protocol = socket ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
    mysql_optionsv(conn, MYSQL_OPT_PROTOCOL, &protocol);
    /* The error of a connection that fails stands in conn. */
    (void)!mysql_real_connect(conn, host, at->user, at->password, at->database, (unsigned)at->port, socket, 0);
    return conn;
}

/* Everything a session must have before a statement of ours comes near it; each a constant. Grouping was checked on the
 * plan, by keys too, which MariaDB does not follow; averages of decimals keep more than four further digits. */
static const char *const session_setup[] = {
    "SET SESSION TRANSACTION READ ONLY",
    "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
    "SET SESSION group_concat_max_len = 1048576, SESSION div_precision_increment = 12",
    "SET SESSION lock_wait_timeout = 2, SESSION innodb_lock_wait_timeout = 2",
};

static bool run_plain(struct session *s, const char *sql)
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

static bool read_privileges(struct session *s)
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

static struct session *session_open(struct call *c, struct mysql_adapter *a, struct failure *why)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->conn = connect_to(a->with);
    bool ok = !mysql_errno(s->conn);
    if (!ok) *why = failure_of(mysql_errno(s->conn));
    for (size_t i = 0; ok && i < sizeof session_setup / sizeof session_setup[0]; i++)
        ok = run_plain(s, session_setup[i]);
    if (ok && a->with->time_zone)
        ok = run_plain(s, call_format(c, "SET SESSION time_zone = '%s'", escaped(c, s->conn, a->with->time_zone)));
    if (ok) ok = read_privileges(s);
    if (!ok) {
        if (!why->message)
            *why = (struct failure){ STAGE_OPEN, "The server refused a setting of the session.", "Check time_zone." };
        call_detail(c, "%u %s", mysql_errno(s->conn), mysql_error(s->conn));
        session_close(s);
        return NULL;
    }
    s->mariadb = strstr(mysql_get_server_info(s->conn), "MariaDB") != NULL;
    if (s->privileged && a->with->privileges == PRIVILEGES_REFUSE) {
        *why = (struct failure){ STAGE_OPEN, s->privileged,
                                 "Connect as a user that has SELECT only, or set privileges to warn." };
        session_close(s);
        return NULL;
    }
    return s;
}

static int session_take(struct call *c, struct mysql_adapter *a, struct session **out)
{
    void *handle;
    int rc = pool_take(a->pool, c, &handle);
    if (rc) return rc;
    struct failure why = { 0 };
    struct session *s = handle ? handle : session_open(c, a, &why);
    if (!s) {
        pool_give(a->pool, NULL);
        return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", why.message);
    }
    *out = s;
    return OK;
}

static void session_give(struct mysql_adapter *a, struct session *s)
{
    if (!s->broken) {
        pool_give(a->pool, s);
        return;
    }
    session_close(s);
    pool_give(a->pool, NULL);
}

static bool is_lost(unsigned code)
{
    return code == CR_SERVER_GONE_ERROR || code == CR_SERVER_LOST;
}

/* ---- running
 * ---------------------------------------------------------------------------------------------------------- */

struct run {
    struct call *call;
    struct mysql_adapter *adapter;
    struct session *session;
    const struct statement *statement;
    const struct run_limits *limits;
    const struct row_sink *sink;
    struct run_stats *stats;
    const MYSQL_FIELD *fields;
    struct result_column *columns;
    struct cell *cells;
    size_t count;
    bool began;
    struct arena scratch; /* of the row being read; what the sink takes lives in the call */
};

struct named_type {
    enum type_kind type;
    enum cell_kind cell;
    const char *name;
};

static struct named_type type_of(const MYSQL_FIELD *f)
{
    bool binary = f->charsetnr == CHARSET_BINARY;
    switch (f->type) {
    case MYSQL_TYPE_TINY:
        return (struct named_type){ TYPE_INTEGER, CELL_NUMBER, "tinyint" };
    case MYSQL_TYPE_SHORT:
        return (struct named_type){ TYPE_INTEGER, CELL_NUMBER, "smallint" };
    case MYSQL_TYPE_INT24:
        return (struct named_type){ TYPE_INTEGER, CELL_NUMBER, "mediumint" };
    case MYSQL_TYPE_LONG:
        return (struct named_type){ TYPE_INTEGER, CELL_NUMBER, "int" };
    case MYSQL_TYPE_LONGLONG:
        return (struct named_type){ TYPE_INTEGER, CELL_NUMBER, "bigint" };
    case MYSQL_TYPE_YEAR:
        return (struct named_type){ TYPE_INTEGER, CELL_NUMBER, "year" };
    case MYSQL_TYPE_BIT:
        return (struct named_type){ TYPE_INTEGER, CELL_NUMBER, "bit" };
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL:
        return (struct named_type){ TYPE_DECIMAL, CELL_NUMBER, "decimal" };
    case MYSQL_TYPE_FLOAT:
        return (struct named_type){ TYPE_DOUBLE, CELL_DOUBLE, "float" };
    case MYSQL_TYPE_DOUBLE:
        return (struct named_type){ TYPE_DOUBLE, CELL_DOUBLE, "double" };
    case MYSQL_TYPE_DATE:
        return (struct named_type){ TYPE_DATE, CELL_TEXT, "date" };
    case MYSQL_TYPE_TIME:
        return (struct named_type){ TYPE_TIME, CELL_TEXT, "time" };
    case MYSQL_TYPE_DATETIME:
        return (struct named_type){ TYPE_TIMESTAMP, CELL_TEXT, "datetime" };
    case MYSQL_TYPE_TIMESTAMP:
        return (struct named_type){ TYPE_TIMESTAMP, CELL_TEXT, "timestamp" };
    case MYSQL_TYPE_GEOMETRY:
        return (struct named_type){ TYPE_BINARY, CELL_BINARY, "geometry" };
    case MYSQL_TYPE_JSON:
        return (struct named_type){ TYPE_TEXT, CELL_TEXT, "json" };
    default:
        break;
    }
    if (binary) return (struct named_type){ TYPE_BINARY, CELL_BINARY, "binary" };
    return (struct named_type){ TYPE_TEXT, CELL_TEXT, "text" };
}

static int begin_rows(struct run *r, MYSQL_RES *res)
{
    r->count = mysql_num_fields(res);
    r->fields = mysql_fetch_fields(res);
    r->columns = call_array(r->call, r->count, sizeof *r->columns);
    r->cells = call_array(r->call, r->count, sizeof *r->cells);
    for (size_t i = 0; i < r->count; i++) {
        struct result_column *column = &r->columns[i];
        struct named_type type = type_of(&r->fields[i]);
        if (i < r->statement->column_count)
            *column = r->statement->columns[i];
        else
            *column = (struct result_column){ .name = call_strdup(r->call, r->fields[i].name), .nullable = true };
        column->db_type = type.name;
        if (column->type.kind != TYPE_BOOLEAN) column->type.kind = type.type;
    }
    r->began = true;
    return r->sink->columns ? r->sink->columns(r->sink->ctx, r->call, r->columns, r->count) : OK;
}

static void cell_of(struct run *r, size_t i, const char *text, size_t n)
{
    struct cell *cell = &r->cells[i];
    *cell = (struct cell){ .kind = type_of(&r->fields[i]).cell, .text = text, .n = n };
    /* ZEROFILL and the year 0000: no number begins with a zero before another digit. */
    while ((cell->kind == CELL_NUMBER || cell->kind == CELL_DOUBLE) && cell->n > 1 && *cell->text == '0' &&
           cell->text[1] >= '0' && cell->text[1] <= '9' && r->fields[i].type != MYSQL_TYPE_BIT) {
        cell->text++;
        cell->n--;
    }
    if (r->fields[i].type == MYSQL_TYPE_BIT) { /* big-endian bytes */
        uint64_t v = 0;
        for (size_t k = 0; k < n && k < 8; k++) v = v << 8 | (unsigned char)text[k];
        char *digits = arena_alloc(&r->scratch, 24);
        cell->n = (size_t)snprintf(digits, 24, "%llu", (unsigned long long)v);
        cell->text = digits;
    } else if (r->columns[i].type.kind == TYPE_BOOLEAN && cell->kind == CELL_NUMBER) {
        bool yes = !(n == 1 && *text == '0');
        *cell = (struct cell){ .kind = CELL_BOOLEAN, .text = yes ? "true" : "false", .n = yes ? 4 : 5 };
    }
}

static int one_row(struct run *r, MYSQL_ROW row, const unsigned long *lengths)
{
    int64_t bytes = 0;
    arena_reset(&r->scratch, (struct arena_mark){ 0 });
    for (size_t i = 0; i < r->count; i++) {
        bytes += (int64_t)lengths[i];
        if ((int64_t)lengths[i] > r->limits->cell_bytes)
            return call_fail(r->call, ERR_LIMIT_EXCEEDED, "A value of column '%s' is larger than %lld bytes.",
                             r->columns[i].name, (long long)r->limits->cell_bytes);
        if (row[i])
            cell_of(r, i, row[i], lengths[i]);
        else
            r->cells[i] = (struct cell){ 0 };
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

/* Errors of a limit surface wherever the client happens to read. */
static int failed(struct run *r)
{
    unsigned code = mysql_errno(r->session->conn);
    int rc = call_check(r->call);
    if (is_lost(code)) r->session->broken = true;
    if (rc) return rc;
    if (code == ER_QUERY_INTERRUPTED || code == ER_STATEMENT_TIMEOUT || code == 3024 /* MySQL's own */)
        return adapter_timed_out(r->call, r->limits->time_ms);
    if (is_lost(code)) return call_fail(r->call, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
    if (code == ER_LOCK_WAIT_TIMEOUT)
        return call_fail(r->call, ERR_EXECUTION_FAILED, "A table is locked by someone else; try again.");
    if (code == ER_TABLEACCESS_DENIED_ERROR || code == ER_COLUMNACCESS_DENIED_ERROR)
        return call_fail(r->call, ERR_EXECUTION_FAILED,
                         "The database does not let this connection read what the query needs.");
    rc = call_fail(r->call, ERR_EXECUTION_FAILED, "The database could not run the query: %s",
                   mysql_error(r->session->conn));
    call_detail(r->call, "error %u", code);
    return rc;
}

/* From the cancelling thread: a connection of its own tells the server to end the statement. */
static void kill_query(void *ctx)
{
    struct run *r = ctx;
    char sql[64];
    snprintf(sql, sizeof sql, "KILL QUERY %lu", mysql_thread_id(r->session->conn));
    MYSQL *conn = connect_to(r->adapter->with);
    if (!mysql_errno(conn)) (void)!mysql_real_query(conn, sql, (unsigned long)strlen(sql));
    mysql_close(conn);
}

static bool set_time(struct run *r, int64_t time_ms)
{
    struct session *s = r->session;
    if (s->time_ms == time_ms) return true;
    const char *sql = s->mariadb ? call_format(r->call, "SET SESSION max_statement_time = %lld.%03lld",
                                               (long long)(time_ms / 1000), (long long)(time_ms % 1000))
                                 : call_format(r->call, "SET SESSION max_execution_time = %lld", (long long)time_ms);
    if (!run_plain(s, sql)) return false;
    s->time_ms = time_ms;
    return true;
}

/* Rows left unread would have to be read to the end before the next statement: killing the statement ends them soon. */
static void drop_rest(struct run *r, MYSQL_RES *res)
{
    kill_query(r);
    while (mysql_fetch_row(res)) continue;
    r->session->broken = true;
}

static int read_rows(struct run *r, MYSQL_RES *res)
{
    int rc = begin_rows(r, res);
    for (MYSQL_ROW row; !rc && (row = mysql_fetch_row(res));) {
        rc = one_row(r, row, mysql_fetch_lengths(res));
        if (!rc && (r->stats->rows & 255) == 0) rc = call_check(r->call);
    }
    if (!rc && mysql_errno(r->session->conn)) return failed(r);
    if (rc) drop_rest(r, res);
    return rc == ROWS_ENOUGH ? OK : rc;
}

static int run_once(struct run *r)
{
    int rc = session_take(r->call, r->adapter, &r->session);
    if (rc) return rc;
    struct session *s = r->session;
    int64_t started = clock_mono_us(), left_ms = call_left_us(r->call) / 1000;
    int64_t time_ms = left_ms < r->limits->time_ms ? left_ms + 1 : r->limits->time_ms;
    call_on_cancel(r->call, kill_query, r);
    if (!set_time(r, time_ms) || mysql_real_query(s->conn, r->statement->sql, (unsigned long)r->statement->n)) {
        rc = failed(r);
    } else {
        MYSQL_RES *res = mysql_use_result(s->conn);
        rc = res ? read_rows(r, res) : failed(r);
        if (res) mysql_free_result(res);
    }
    call_off_cancel(r->call);
    r->stats->db_us += clock_mono_us() - started;
    session_give(r->adapter, s);
    return rc;
}

static int execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                   const struct row_sink *sink, struct run_stats *stats)
{
    struct run r = {
        .call = c, .adapter = (struct mysql_adapter *)a, .statement = s, .limits = limits, .sink = sink, .stats = stats
    };
    *stats = (struct run_stats){ 0 };
    int rc = run_once(&r);
    /* A connection that idled may be gone; a new one gets one try, as long as nothing was delivered. */
    if (rc == ERR_DATASOURCE_UNAVAILABLE && !r.began) {
        call_forgive(c);
        rc = run_once(&r);
    }
    arena_free(&r.scratch);
    return rc;
}

/* ---- inspection
 * ------------------------------------------------------------------------------------------------------- */

/* PREPARE, never EXPLAIN: nothing runs. The server says whether it is one statement with a result, and for plain
 * columns which table they come from. */
static int inspect(struct call *c, struct adapter *a, const struct statement *st, struct reads *out)
{
    struct mysql_adapter *m = (struct mysql_adapter *)a;
    struct session *s;
    struct list tables = { 0 };
    int rc = session_take(c, m, &s);
    if (rc) return rc;
    MYSQL_STMT *stmt = mysql_stmt_init(s->conn);
    if (!stmt) abort();
    MYSQL_RES *meta = NULL;
    if (mysql_stmt_prepare(stmt, st->sql, (unsigned long)st->n)) {
        bool lost = is_lost(mysql_stmt_errno(stmt));
        rc = lost ? call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.")
                  : call_fail(c, ERR_GUARD_DISAGREEMENT, "The database's parser does not take the statement.");
        call_detail(c, "%u %s", mysql_stmt_errno(stmt), mysql_stmt_error(stmt));
        s->broken = lost;
    } else if (mysql_stmt_param_count(stmt) || !(meta = mysql_stmt_result_metadata(stmt))) {
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "The parser does not see one SELECT.");
    } else {
        unsigned n = mysql_num_fields(meta);
        const MYSQL_FIELD *fields = mysql_fetch_fields(meta);
        for (unsigned i = 0; i < n; i++) {
            if (!fields[i].org_table || !*fields[i].org_table) continue;
            struct table_read *t = list_push(c, &tables, sizeof *t);
            const char **column = call_alloc(c, sizeof *column);
            *column = call_strdup(c, fields[i].org_name);
            *t = (struct table_read){ .table = call_strdup(c, fields[i].org_table),
                                      .columns = column,
                                      .column_count = 1 };
            if (fields[i].db && *fields[i].db) t->schema = call_strdup(c, fields[i].db);
        }
        *out = (struct reads){ .tables = tables.items, .table_count = tables.count };
    }
    if (meta) mysql_free_result(meta);
    mysql_stmt_close(stmt);
    session_give(m, s);
    return rc;
}

/* ---- structure
 * -------------------------------------------------------------------------------------------------------- */

int mysql_rows(struct call *c, struct session *s, const char *sql, void (*row)(void *ctx, char **values), void *ctx)
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

/* ---- the contract
 * ----------------------------------------------------------------------------------------------------- */

static bool installed(void)
{
    return true;
}

static int decode(struct call *c, const struct json *connection, struct mysql_connection *out)
{
    int rc = endpoint_decode(c, connection, &connection_type, schemes, PORT, out);
    if (!rc && !out->at.database)
        rc = call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/database", "'database' is required.");
    if (!rc && out->at.schemas.count)
        rc = call_fail_at(c, ERR_VALIDATION_ERROR, "/connection/schemas",
                          "A database of MySQL has no schemas; leave it out.");
    return rc;
}

static int open_mysql(struct call *c, const struct datasource_config *config, struct adapter **out)
{
    extern const struct adapter_kind adapter_mysql;
    struct mysql_connection checked = { 0 };
    int rc = decode(c, config->connection, &checked);
    if (rc) return rc;
    struct mysql_adapter *m = calloc(1, sizeof *m);
    if (!m) abort();
    m->base.kind = &adapter_mysql;
    call_begin(&m->life);
    /* Once more into memory of our own: the configuration's may not live as long. */
    struct buf text;
    const struct json *copy;
    buf_init(&text, &m->life, 1024 * 1024);
    json_write(&text, config->connection);
    m->with = call_alloc(&m->life, sizeof *m->with);
    rc = json_parse(&m->life, text.data, text.len, &copy);
    if (!rc) rc = decode(&m->life, copy, m->with);
    if (rc) abort();
    m->pool = pool_new(config->options.pool_size);
    *out = &m->base;
    return OK;
}

static void close_mysql(struct adapter *a)
{
    struct mysql_adapter *m = (struct mysql_adapter *)a;
    pool_free(m->pool, session_close);
    call_end(&m->life);
    free(m);
}

static int introspect(struct call *c, struct adapter *a, struct snapshot **out)
{
    struct mysql_adapter *m = (struct mysql_adapter *)a;
    struct session *s;
    int rc = session_take(c, m, &s);
    if (rc) return rc;
    struct snapshot *snapshot = call_alloc(c, sizeof *snapshot);
    snapshot->dialect = "mysql";
    snapshot->server_version = call_strdup(c, mysql_get_server_info(s->conn));
    snapshot->taken_us = clock_utc_us();
    rc = mysql_catalog(c, s, snapshot);
    session_give(m, s);
    if (!rc) *out = snapshot;
    return rc;
}

static int test(struct call *c, struct adapter *a, struct test_report *out)
{
    struct mysql_adapter *m = (struct mysql_adapter *)a;
    struct failure why = { 0 };
    struct snapshot snapshot = { 0 };
    enum reach reach = m->with->at.host[0] == '/' ? REACH_OK : endpoint_reach(c, &m->with->at, "");
    struct session *s = NULL;
    if (reach != REACH_OK)
        why = endpoint_failure(reach);
    else
        s = session_open(c, m, &why);
    *out = (struct test_report){ .reached = why.stage, .message = why.message, .fix = why.fix };
    if (!s) return call_check(c);
    if (mysql_catalog(c, s, &snapshot)) {
        call_forgive(c);
        *out = (struct test_report){ .reached = STAGE_READ_SCHEMA,
                                     .message = "The catalogue could not be read.",
                                     .fix = "Check that the server is MySQL 8 or MariaDB 10.6, or later." };
    } else if (!snapshot.table_count) {
        *out = (struct test_report){ .reached = STAGE_READ_SCHEMA,
                                     .message = "The user can read no table.",
                                     .fix = "Grant SELECT on the database to the user." };
    } else if (!run_plain(s, "SELECT 1")) {
        *out =
            (struct test_report){ .reached = STAGE_READ_ROW, .message = "No row could be read.", .fix = "Try again." };
    } else {
        *out = (struct test_report){ .reached = STAGE_DONE,
                                     .message = s->privileged,
                                     .tables = (int64_t)snapshot.table_count,
                                     .server_version = call_strdup(c, mysql_get_server_info(s->conn)) };
    }
    session_close(s);
    return call_check(c);
}

static const char diagnosis_query[] =
    ", @@session.time_zone, @@system_time_zone, @@character_set_database,"
    " coalesce(@@global.secure_file_priv, 'nowhere'), (SELECT count(*) FROM information_schema.schemata WHERE "
    "schema_name"
    " NOT IN (DATABASE(), 'information_schema', 'performance_schema', 'sys', 'mysql'))";

static int diagnose(struct call *c, struct adapter *a, struct list *out)
{
    struct mysql_adapter *m = (struct mysql_adapter *)a;
    struct session *s;
    int rc = session_take(c, m, &s);
    if (rc) return rc;
    const char *cipher = mysql_get_ssl_cipher(s->conn);
    /* The same setting has two names. */
    const char *query =
        call_format(c, "SELECT @@session.%s%s", s->mariadb ? "tx_read_only" : "transaction_read_only", diagnosis_query);
    MYSQL_RES *res =
        mysql_real_query(s->conn, query, (unsigned long)strlen(query)) ? NULL : mysql_store_result(s->conn);
    MYSQL_ROW v = res ? mysql_fetch_row(res) : NULL;
    diagnosis_add(c, out, "version", call_strdup(c, mysql_get_server_info(s->conn)), FINDING_OK, NULL);
    diagnosis_add(c, out, "privileges", s->privileged ? s->privileged : "The user can only read.", FINDING_DANGER,
                  s->privileged ? "Grant the user SELECT on the database and nothing else." : NULL);
    diagnosis_add(c, out, "tls", cipher ? call_strdup(c, cipher) : "none", FINDING_WARNING,
                  cipher ? NULL : "Set tls to verify-full.");
    if (v) {
        bool system = v[1] && !strcmp(v[1], "SYSTEM");
        diagnosis_add(c, out, "read_only", *v[0] == '1' ? "yes" : "no", FINDING_DANGER,
                      *v[0] == '1' ? NULL : "The session should be read-only; check the server's version.");
        diagnosis_add(c, out, "time_zone", call_strdup(c, system ? v[2] : v[1]), FINDING_OK, NULL);
        diagnosis_add(c, out, "encoding", call_strdup(c, v[3]), FINDING_WARNING,
                      v[3] && !strncmp(v[3], "utf8mb4", 7) ? NULL : "Text is converted to UTF-8.");
        diagnosis_add(c, out, "server_files",
                      *v[4] ? call_strdup(c, strcmp(v[4], "nowhere") ? "in one folder" : "no")
                            : "anywhere, with the FILE privilege",
                      FINDING_WARNING, *v[4] ? NULL : "Set secure_file_priv on the server.");
        diagnosis_add(c, out, "other_databases", call_strdup(c, v[5]), FINDING_WARNING,
                      strcmp(v[5], "0") ? "Revoke the user's rights on the other databases." : NULL);
    } else {
        s->broken = true;
        rc = call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The server's settings could not be read.");
        call_detail(c, "%u %s", mysql_errno(s->conn), mysql_error(s->conn));
    }
    if (res) mysql_free_result(res);
    session_give(m, s);
    return rc;
}

const struct adapter_kind adapter_mysql = {
    .name = "mysql",
    .title = "MySQL and MariaDB",
    .dialect = "mysql",
    .connection = &connection_type,
    .installed = installed,
    .install_hint = "It is part of Querent.",
    .open = open_mysql,
    .close = close_mysql,
    .test = test,
    .introspect = introspect,
    .inspect = inspect,
    .execute = execute,
    .diagnose = diagnose,
};
