/* Statements of the PostgreSQL adapter: one round trip, rows one by one. */
#include "adapters/postgres.h"
#include "adapters/rows.h"
#include "base/clock.h"

#include <libpq-fe.h>
#include <string.h>

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

/* What the server's text needs before it is a cell's. */
enum form { FORM_AS_IS, FORM_BOOLEAN, FORM_HEX, FORM_MONEY, FORM_INSTANT };

static enum form form_of(unsigned oid)
{
    switch (oid) {
    case OID_BOOL:
        return FORM_BOOLEAN;
    case OID_BYTEA:
        return FORM_HEX;
    case OID_MONEY:
        return FORM_MONEY;
    case OID_TIMESTAMPTZ:
        return FORM_INSTANT;
    default:
        return FORM_AS_IS;
    }
}

struct shape {
    enum cell_kind cell;
    enum form form;
};

struct run {
    struct rows rows;
    struct shape *shapes; /* one a column */
};

static int begin_rows(struct run *r, const PGresult *res)
{
    struct rows *rows = &r->rows;
    rows_open(rows, (size_t)PQnfields(res));
    r->shapes = call_array(rows->call, rows->count, sizeof *r->shapes);
    for (size_t i = 0; i < rows->count; i++) {
        struct result_column *column = &rows->columns[i];
        unsigned oid = PQftype(res, (int)i);
        size_t at = 0, known = sizeof oids / sizeof oids[0];
        rows_name(rows, i, PQfname(res, (int)i));
        while (at < known && oids[at].oid != oid) at++;
        r->shapes[i] = (struct shape){ .cell = at < known ? oids[at].cell : CELL_TEXT, .form = form_of(oid) };
        if (at < known) {
            column->db_type = oids[at].name;
            column->type.kind = oids[at].type;
        } else if (!column->db_type) {
            column->db_type = call_format(rows->call, "oid %u", oid);
        }
    }
    return rows_begin(rows);
}

static int nibble(char ch)
{
    return ch <= '9' ? ch - '0' : (ch | 32) - 'a' + 10;
}

static void unhex(struct run *r, struct cell *cell)
{
    const char *text = cell->text;
    size_t n = cell->n;
    if (n < 2) return;
    char *bytes = arena_alloc(&r->rows.scratch, n / 2);
    for (size_t k = 2; k + 1 < n; k += 2) bytes[k / 2 - 1] = (char)(nibble(text[k]) << 4 | nibble(text[k + 1]));
    cell->text = bytes;
    cell->n = n / 2 - 1;
}

/* "-$1,234.50" */
static void plain_money(struct run *r, struct cell *cell)
{
    char *digits = arena_alloc(&r->rows.scratch, cell->n + 1), *p = digits;
    for (size_t k = 0; k < cell->n; k++)
        if (memchr("-.0123456789", cell->text[k], 13)) *p++ = cell->text[k];
    cell->text = digits;
    cell->n = (size_t)(p - digits);
}

/* "2026-01-02 03:04:05.6+01" */
static void rfc_instant(struct run *r, struct cell *cell)
{
    size_t n = cell->n;
    if (n <= 13 || cell->text[10] != ' ' || cell->text[n - 1] > '9') return; /* infinity, a year of five digits, BC */
    char *rfc = arena_alloc(&r->rows.scratch, n + 4);
    memcpy(rfc, cell->text, n);
    rfc[10] = 'T';
    if (rfc[n - 3] == '+' || rfc[n - 3] == '-') {
        memcpy(rfc + n, ":00", 3);
        n += 3;
    }
    cell->text = rfc;
    cell->n = n;
}

static void take_cell(struct run *r, const PGresult *res, int i)
{
    struct cell *cell = &r->rows.cells[i];
    *cell =
        (struct cell){ .kind = r->shapes[i].cell, .text = PQgetvalue(res, 0, i), .n = (size_t)PQgetlength(res, 0, i) };
    switch (r->shapes[i].form) {
    case FORM_AS_IS:
        break;
    case FORM_BOOLEAN:
        cell->n = *cell->text == 't' ? 4 : 5;
        cell->text = *cell->text == 't' ? "true" : "false";
        break;
    case FORM_HEX:
        unhex(r, cell);
        break;
    case FORM_MONEY:
        plain_money(r, cell);
        break;
    case FORM_INSTANT:
        rfc_instant(r, cell);
        break;
    }
}

static int one_row(struct run *r, const PGresult *res)
{
    rows_next(&r->rows);
    for (int i = 0; i < (int)r->rows.count; i++) {
        r->rows.cells[i] = (struct cell){ 0 };
        if (!PQgetisnull(res, 0, i)) take_cell(r, res, i);
    }
    return rows_give(&r->rows);
}

static int failed(struct run *r, const PGresult *res)
{
    const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE),
               *text = PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY);
    int rc = call_check(r->rows.call);
    if (rc) return rc;
    if (state && !strcmp(state, "57014")) return adapter_timed_out(r->rows.call, r->rows.limits->time_ms);
    if (state && (!strncmp(state, "08", 2) || !strncmp(state, "57P0", 4))) /* told to go, or the server stops */
        return call_fail(r->rows.call, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
    if (state && !strcmp(state, "55P03"))
        return call_fail(r->rows.call, ERR_EXECUTION_FAILED, "A table is locked by someone else; try again.");
    if (state && !strcmp(state, "42501"))
        return call_fail(r->rows.call, ERR_EXECUTION_FAILED,
                         "The database does not let this connection read what the query needs.");
    call_detail(r->rows.call, "SQLSTATE %s: %s", state ? state : "none", text ? text : "");
    /* undefined column, table, schema */
    if (state && (!strcmp(state, "42703") || !strcmp(state, "42P01") || !strcmp(state, "3F000")))
        return adapter_changed(r->rows.call);
    return call_fail(r->rows.call, ERR_EXECUTION_FAILED, "The database could not run the query: %s",
                     text ? text : "it broke off.");
}

/* One round trip: the read-only transaction begins, its limits are set, the statement runs, the transaction ends. */
static bool send_all(struct call *c, struct postgres_session *s, const struct run *r)
{
    const char *settings[] = { call_format(c, "%lld", (long long)r->rows.limits->time_ms),
                               call_format(c, "%d", POSTGRES_LOCK_MS), s->with->role ? s->with->role : "none" };
    return PQenterPipelineMode(s->conn) &&
           PQsendQueryParams(s->conn, "BEGIN TRANSACTION READ ONLY", 0, NULL, NULL, NULL, NULL, 0) &&
           PQsendQueryParams(
               s->conn,
               "SELECT pg_catalog.set_config('statement_timeout', $1, true),"
               " pg_catalog.set_config('lock_timeout', $2, true), pg_catalog.set_config('role', $3, true)",
               3, NULL, settings, NULL, NULL, 0) &&
           PQsendQueryParams(s->conn, r->rows.statement->sql, 0, NULL, NULL, NULL, NULL, 0) &&
           PQsendQueryParams(s->conn, "COMMIT", 0, NULL, NULL, NULL, NULL, 0) && PQpipelineSync(s->conn);
}

enum { STEP_BEGIN, STEP_SETTINGS, STEP_STATEMENT, STEP_COMMIT };

static int read_all(struct postgres_session *s, struct run *r)
{
    int64_t stop = postgres_until(r->rows.call, r->rows.limits->time_ms);
    int rc = OK, step = STEP_BEGIN, ends = 0, dropped = 0;
    bool synced = false;
    while (!synced && ends < 2) {
        PGresult *res = postgres_next(r->rows.call, s, stop);
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
            if (!r->rows.began) rc = begin_rows(r, res);
            if (!rc && status == PGRES_SINGLE_TUPLE) rc = one_row(r, res);
            if (rc && rc != ROWS_ENOUGH) postgres_cancel(s->cancel); /* what is left need not be made */
        } else if (status == PGRES_SINGLE_TUPLE && rc == ROWS_ENOUGH && ++dropped == ROWS_DROPPED) {
            postgres_cancel(s->cancel);
        }
        PQclear(res);
    }
    if (synced) PQexitPipelineMode(s->conn);
    if (rc == ROWS_ENOUGH) return OK;
    if (rc || synced) return rc;
    rc = call_check(r->rows.call);
    if (rc) return rc;
    if (clock_mono_us() > stop) return adapter_timed_out(r->rows.call, r->rows.limits->time_ms);
    return call_fail(r->rows.call, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
}

static int use(struct call *c, void *session, void *ctx)
{
    struct postgres_session *s = session;
    struct run *r = ctx;
    int64_t started = clock_mono_us();
    call_on_cancel(c, postgres_cancel, s->cancel);
    int rc = send_all(c, s, r) ? read_all(s, r)
                               : call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The connection to the database broke.");
    call_off_cancel(c);
    r->rows.stats->db_us += clock_mono_us() - started;
    return rc;
}

int postgres_execute(struct call *c, struct adapter *a, const struct statement *s, const struct run_limits *limits,
                     const struct row_sink *sink, struct run_stats *stats)
{
    struct run r = { .rows = { .call = c, .statement = s, .limits = limits, .sink = sink, .stats = stats } };
    *stats = (struct run_stats){ 0 };
    int rc = pooled_use(c, a, use, &r, &r.rows.began);
    rows_close(&r.rows);
    return rc;
}
