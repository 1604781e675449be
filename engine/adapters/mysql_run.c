/* Statements of the MySQL adapter: text protocol, rows streamed, one statement at a time. */
#include "adapters/mysql.h"
#include "adapters/rows.h"
#include "base/clock.h"

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef list_push /* the client's headers have a macro of that name */

#define CHARSET_BINARY 63
#define COLUMN_ROOM    256 /* of a bound value; longer ones are fetched once more */

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
    if (mysql_is_changed(code)) return adapter_changed(r->rows.call);
    rc = call_fail(r->rows.call, ERR_EXECUTION_FAILED, "The database could not run the query: %s",
                   mysql_error(r->session->conn));
    call_detail(r->rows.call, "error %u", code);
    return rc;
}

/* From the cancelling thread: another connection tells the server to end this one. Not the statement alone: an order
 * that comes before the statement does would stop nothing. */
static void kill_session(void *ctx)
{
    struct run *r = ctx;
    char sql[64];
    snprintf(sql, sizeof sql, "KILL %lu", mysql_thread_id(r->session->conn));
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

/* One row into the cells: OK, ROWS_ENOUGH at the end of them, or an error. */
static int next_text(struct run *r, void *result)
{
    MYSQL_ROW row = mysql_fetch_row(result);
    if (!row) return mysql_errno(r->session->conn) ? failed(r) : ROWS_ENOUGH;
    const unsigned long *lengths = mysql_fetch_lengths(result);
    for (size_t i = 0; row && i < r->rows.count; i++)
        if (row[i]) take_cell(r, i, row[i], lengths[i]);
    return OK;
}

/* Rows left unread would have to be read to the end before the next statement: ending the session ends them soon. */
static void drop_rest(struct run *r, int (*next)(struct run *r, void *result), void *result, int rc)
{
    for (int i = 0; i < ROWS_DROPPED && rc == ROWS_ENOUGH; i++) {
        rows_next(&r->rows);
        if (next(r, result)) return;
    }
    kill_session(r);
    while (!next(r, result)) rows_next(&r->rows);
    r->session->broken = true;
}

static int read_rows(struct run *r, MYSQL_RES *fields, int (*next)(struct run *r, void *result), void *result)
{
    int rc = begin_rows(r, fields);
    while (!rc) {
        rows_next(&r->rows);
        memset(r->rows.cells, 0, r->rows.count * sizeof *r->rows.cells);
        rc = next(r, result);
        if (rc) return rc == ROWS_ENOUGH ? OK : rc;
        rc = rows_give(&r->rows);
        if (!rc && (r->rows.stats->rows & 255) == 0) rc = call_check(r->rows.call);
    }
    struct err first = r->rows.call->err;
    drop_rest(r, next, result, rc);
    r->rows.call->err = first; /* what was dropped may have ended in an error of its own */
    return rc == ROWS_ENOUGH ? OK : rc;
}

/* ---- floats
 * ----------------------------------------------------------------------------------------------------------- */

/* As text the server shows six digits of a FLOAT, whatever it holds. Where one is among the columns the statement is
 * executed as prepared, and its floats come as they are. */
struct prepared {
    MYSQL_STMT *stmt;
    MYSQL_BIND *binds;
    unsigned long *lengths;
    my_bool *nulls;
    float *floats;
};

static bool has_float(MYSQL_RES *fields)
{
    bool has = false;
    for (unsigned i = 0; i < mysql_num_fields(fields); i++)
        has = has || mysql_fetch_field_direct(fields, i)->type == MYSQL_TYPE_FLOAT;
    return has;
}

static void bind_columns(struct run *r, struct prepared *p, MYSQL_RES *fields)
{
    struct call *c = r->rows.call;
    size_t count = mysql_num_fields(fields);
    p->binds = call_array(c, count, sizeof *p->binds);
    p->lengths = call_array(c, count, sizeof *p->lengths);
    p->nulls = call_array(c, count, sizeof *p->nulls);
    p->floats = call_array(c, count, sizeof *p->floats);
    for (size_t i = 0; i < count; i++) {
        bool single = mysql_fetch_field_direct(fields, (unsigned)i)->type == MYSQL_TYPE_FLOAT;
        p->binds[i] = (MYSQL_BIND){ .buffer_type = single ? MYSQL_TYPE_FLOAT : MYSQL_TYPE_STRING,
                                    .buffer = single ? (void *)&p->floats[i] : call_alloc(c, COLUMN_ROOM),
                                    .buffer_length = single ? sizeof(float) : COLUMN_ROOM,
                                    .length = &p->lengths[i],
                                    .is_null = &p->nulls[i] };
    }
    mysql_stmt_bind_result(p->stmt, p->binds);
}

/* The shortest digits that read back as the same float. */
static void float_cell(struct run *r, struct cell *cell, float v)
{
    char *text = arena_alloc(&r->rows.scratch, 32);
    int n = 0;
    for (int digits = 6; digits <= 9; digits++) {
        n = snprintf(text, 32, "%.*g", digits, (double)v);
        float back = strtof(text, NULL);
        if (!memcmp(&back, &v, sizeof v)) break;
    }
    *cell = (struct cell){ .kind = CELL_DOUBLE, .text = text, .n = (size_t)n };
}

/* A value larger than its buffer is fetched once more into a larger one. */
static void fetch_whole(struct run *r, struct prepared *p, unsigned i)
{
    MYSQL_BIND *b = &p->binds[i];
    if (p->lengths[i] <= b->buffer_length || (int64_t)p->lengths[i] > r->rows.limits->cell_bytes) return;
    b->buffer_length = 2 * p->lengths[i];
    b->buffer = call_alloc(r->rows.call, b->buffer_length);
    mysql_stmt_fetch_column(p->stmt, b, i, 0);
    mysql_stmt_bind_result(p->stmt, p->binds);
}

static int next_prepared(struct run *r, void *result)
{
    struct prepared *p = result;
    int got = mysql_stmt_fetch(p->stmt);
    if (got == MYSQL_NO_DATA) return ROWS_ENOUGH;
    if (got && got != MYSQL_DATA_TRUNCATED) return failed(r);
    for (unsigned i = 0; i < r->rows.count; i++) {
        if (p->nulls[i]) continue;
        if (p->binds[i].buffer_type == MYSQL_TYPE_FLOAT) {
            float_cell(r, &r->rows.cells[i], p->floats[i]);
            continue;
        }
        fetch_whole(r, p, i);
        take_cell(r, i, p->binds[i].buffer, p->lengths[i]);
    }
    return OK;
}

/* *done: the statement ran; otherwise no column is a float and the text will do. */
static int run_prepared(struct run *r, bool *done)
{
    const struct statement *s = r->rows.statement;
    struct prepared p = { .stmt = mysql_stmt_init(r->session->conn) };
    MYSQL_RES *fields = NULL;
    int rc = OK;
    if (!p.stmt) abort();
    if (!mysql_stmt_prepare(p.stmt, s->sql, (unsigned long)s->n)) fields = mysql_stmt_result_metadata(p.stmt);
    if (fields && has_float(fields)) {
        *done = true;
        bind_columns(r, &p, fields);
        rc = mysql_stmt_execute(p.stmt) ? failed(r) : read_rows(r, fields, next_prepared, &p);
    }
    if (fields) mysql_free_result(fields);
    mysql_stmt_close(p.stmt);
    return rc;
}

static bool may_have_float(const struct statement *s)
{
    bool may = false;
    for (size_t i = 0; i < s->column_count; i++) may = may || s->columns[i].type.kind == TYPE_DOUBLE;
    return may;
}

/* ---- the whole
 * -------------------------------------------------------------------------------------------------------- */

static int run_text(struct run *r)
{
    MYSQL *conn = r->session->conn;
    const struct statement *s = r->rows.statement;
    MYSQL_RES *res = mysql_real_query(conn, s->sql, (unsigned long)s->n) ? NULL : mysql_use_result(conn);
    if (!res) return failed(r);
    int rc = read_rows(r, res, next_text, res);
    mysql_free_result(res);
    return rc;
}

static int use(struct call *c, void *session, void *ctx)
{
    struct run *r = ctx;
    bool done = false;
    int rc = OK;
    r->session = session;
    int64_t started = clock_mono_us(), left_ms = call_left_us(c) / 1000;
    int64_t time_ms = left_ms < r->rows.limits->time_ms ? left_ms + 1 : r->rows.limits->time_ms;
    call_on_cancel(c, kill_session, r);
    if (!set_time(r, time_ms)) rc = failed(r);
    if (!rc && may_have_float(r->rows.statement)) rc = run_prepared(r, &done);
    if (!rc && !done) rc = run_text(r);
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
