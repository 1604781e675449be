/* Statements of the MySQL adapter: text protocol, rows streamed, one statement at a time. */
#include "adapters/mysql.h"
#include "adapters/rows.h"
#include "base/clock.h"

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <string.h>

#undef list_push /* the client's headers have a macro of that name */

#define CHARSET_BINARY 63

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

/* What the server's text needs before it is a cell's. */
enum form { FORM_AS_IS, FORM_NUMBER, FORM_BIT, FORM_BOOLEAN };

struct shape {
    enum cell_kind cell;
    enum form form;
};

struct run {
    struct rows rows;
    const struct mysql_connection *with;
    struct mysql_session *session;
    struct shape *shapes; /* one a column */
};

static int begin_rows(struct run *r, MYSQL_RES *res)
{
    struct rows *rows = &r->rows;
    const MYSQL_FIELD *fields = mysql_fetch_fields(res);
    rows_open(rows, mysql_num_fields(res));
    r->shapes = call_array(rows->call, rows->count, sizeof *r->shapes);
    for (size_t i = 0; i < rows->count; i++) {
        struct result_column *column = &rows->columns[i];
        struct named_type type = type_of(&fields[i]);
        rows_name(rows, i, fields[i].name);
        column->db_type = type.name;
        bool number = type.cell == CELL_NUMBER || type.cell == CELL_DOUBLE;
        bool boolean = column->type.kind == TYPE_BOOLEAN && type.cell == CELL_NUMBER;
        if (column->type.kind != TYPE_BOOLEAN) column->type.kind = type.type;
        r->shapes[i] = (struct shape){ .cell = type.cell,
                                       .form = fields[i].type == MYSQL_TYPE_BIT ? FORM_BIT
                                               : boolean                        ? FORM_BOOLEAN
                                               : number                         ? FORM_NUMBER
                                                                                : FORM_AS_IS };
    }
    return rows_begin(rows);
}

static void take_cell(struct run *r, size_t i, const char *text, size_t n)
{
    struct cell *cell = &r->rows.cells[i];
    *cell = (struct cell){ .kind = r->shapes[i].cell, .text = text, .n = n };
    switch (r->shapes[i].form) {
    case FORM_AS_IS:
        break;
    case FORM_NUMBER:
        /* ZEROFILL and the year 0000: no number begins with a zero before another digit. */
        while (cell->n > 1 && *cell->text == '0' && cell->text[1] >= '0' && cell->text[1] <= '9') {
            cell->text++;
            cell->n--;
        }
        break;
    case FORM_BIT: { /* big-endian bytes */
        uint64_t v = 0;
        for (size_t k = 0; k < n && k < 8; k++) v = v << 8 | (unsigned char)text[k];
        char *digits = arena_alloc(&r->rows.scratch, 24);
        cell->n = (size_t)snprintf(digits, 24, "%llu", (unsigned long long)v);
        cell->text = digits;
        break;
    }
    case FORM_BOOLEAN: {
        bool yes = !(n == 1 && *text == '0');
        *cell = (struct cell){ .kind = CELL_BOOLEAN, .text = yes ? "true" : "false", .n = yes ? 4 : 5 };
        break;
    }
    }
}

static int one_row(struct run *r, MYSQL_ROW row, const unsigned long *lengths)
{
    rows_next(&r->rows);
    for (size_t i = 0; i < r->rows.count; i++) {
        r->rows.cells[i] = (struct cell){ 0 };
        if (row[i]) take_cell(r, i, row[i], lengths[i]);
    }
    return rows_give(&r->rows);
}

/* Errors of a limit surface wherever the client happens to read. */
static int failed(struct run *r)
{
    unsigned code = mysql_errno(r->session->conn);
    int rc = call_check(r->rows.call);
    if (mysql_is_lost(code)) r->session->broken = true;
    if (rc) return rc;
    if (code == ER_QUERY_INTERRUPTED || code == ER_STATEMENT_TIMEOUT || code == 3024 /* MySQL's own */)
        return adapter_timed_out(r->rows.call, r->rows.limits->time_ms);
    if (mysql_is_lost(code))
        return call_fail(r->rows.call, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
    if (code == ER_LOCK_WAIT_TIMEOUT)
        return call_fail(r->rows.call, ERR_EXECUTION_FAILED, "A table is locked by someone else; try again.");
    if (code == ER_TABLEACCESS_DENIED_ERROR || code == ER_COLUMNACCESS_DENIED_ERROR)
        return call_fail(r->rows.call, ERR_EXECUTION_FAILED,
                         "The database does not let this connection read what the query needs.");
    rc = call_fail(r->rows.call, ERR_EXECUTION_FAILED, "The database could not run the query: %s",
                   mysql_error(r->session->conn));
    call_detail(r->rows.call, "error %u", code);
    return rc;
}

/* From the cancelling thread: a connection of its own tells the server to end the statement. */
static void kill_query(void *ctx)
{
    struct run *r = ctx;
    char sql[64];
    snprintf(sql, sizeof sql, "KILL QUERY %lu", mysql_thread_id(r->session->conn));
    MYSQL *conn = mysql_connection_open(r->with);
    if (!mysql_errno(conn)) (void)!mysql_real_query(conn, sql, (unsigned long)strlen(sql));
    mysql_close(conn);
}

static bool set_time(struct run *r, int64_t time_ms)
{
    struct mysql_session *s = r->session;
    if (s->time_ms == time_ms) return true;
    const char *sql = s->mariadb
                          ? call_format(r->rows.call, "SET SESSION max_statement_time = %lld.%03lld",
                                        (long long)(time_ms / 1000), (long long)(time_ms % 1000))
                          : call_format(r->rows.call, "SET SESSION max_execution_time = %lld", (long long)time_ms);
    if (!mysql_run_plain(s, sql)) return false;
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
        if (!rc && (r->rows.stats->rows & 255) == 0) rc = call_check(r->rows.call);
    }
    if (!rc && mysql_errno(r->session->conn)) return failed(r);
    if (rc) drop_rest(r, res);
    return rc == ROWS_ENOUGH ? OK : rc;
}

static int use(struct call *c, void *session, void *ctx)
{
    struct run *r = ctx;
    struct mysql_session *s = r->session = session;
    int rc;
    int64_t started = clock_mono_us(), left_ms = call_left_us(c) / 1000;
    int64_t time_ms = left_ms < r->rows.limits->time_ms ? left_ms + 1 : r->rows.limits->time_ms;
    call_on_cancel(c, kill_query, r);
    if (!set_time(r, time_ms) ||
        mysql_real_query(s->conn, r->rows.statement->sql, (unsigned long)r->rows.statement->n)) {
        rc = failed(r);
    } else {
        MYSQL_RES *res = mysql_use_result(s->conn);
        rc = res ? read_rows(r, res) : failed(r);
        if (res) mysql_free_result(res);
    }
    call_off_cancel(c);
    r->rows.stats->db_us += clock_mono_us() - started;
    return rc;
}

int mysql_execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                  const struct row_sink *sink, struct run_stats *stats)
{
    struct run r = { .rows = { .call = c, .statement = s, .limits = limits, .sink = sink, .stats = stats },
                     .with = ((struct pooled *)a)->with };
    *stats = (struct run_stats){ 0 };
    int rc = pooled_use(c, a, use, &r, &r.rows.began);
    rows_close(&r.rows);
    return rc;
}
