#include "cli/measure/gold.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gold_db {
    sqlite3 *db;
    size_t steps, max_steps;
};

static const char *uri_of(struct call *c, const char *path)
{
    struct buf b;
    buf_init(&b, c, 1u << 20);
    buf_str(&b, "file:");
    for (; *path; path++)
        if (strchr("%?#", *path))
            buf_format(&b, "%%%02X", (unsigned char)*path);
        else
            buf_char(&b, *path);
    buf_str(&b, "?mode=ro&immutable=1");
    return b.data;
}

int gold_open(struct call *c, const char *path, struct gold_db **out)
{
    struct gold_db *g = call_alloc(c, sizeof *g);
    const char *uri = uri_of(c, path);
    if (sqlite3_open_v2(uri, &g->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK ||
        sqlite3_exec(g->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL) != SQLITE_OK) {
        sqlite3_close(g->db);
        return call_fail(c, ERR_NOT_FOUND, "%s cannot be opened.", path);
    }
    sqlite3_db_config(g->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    *out = g;
    return OK;
}

void gold_close(struct gold_db *g)
{
    if (g) sqlite3_close(g->db);
}

static int on_progress(void *ctx)
{
    struct gold_db *g = ctx;
    return ++g->steps > g->max_steps && g->max_steps;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 33);
}

static uint64_t hash_bytes(const char *s, size_t n)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 1099511628211u;
    return mix(h, n);
}

/* Numbers are equal within 1e-6: to that many places, and to 12 digits when they are large. */
static uint64_t hash_number(double x)
{
    char text[64];
    if (isnan(x) || isinf(x)) return 77;
    if (fabs(x) < 1e6)
        snprintf(text, sizeof text, "%.5f", x);
    else
        snprintf(text, sizeof text, "%.11e", x);
    if (strcmp(text, "-0.00000") == 0) return hash_bytes("0.00000", 7);
    return hash_bytes(text, strlen(text));
}

static bool number_text(const char *s, size_t n, double *out)
{
    char *end;
    if (!n || n > 40 || !(isdigit((unsigned char)s[0]) || s[0] == '-' || s[0] == '+' || s[0] == '.')) return false;
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]) && !strchr("+-.eE", s[i])) return false;
    *out = strtod(s, &end);
    return end == s + n && isfinite(*out);
}

/* Doubles hold whole numbers exactly up to here. */
#define WHOLE_MOST 9007199254740992.0

struct value {
    uint64_t hash;
    double number;
};

/* A whole number that a double cannot hold is told by its digits. */
static struct value whole_value(int64_t n)
{
    char text[32];
    double x = (double)n;
    if (fabs(x) < WHOLE_MOST) return (struct value){ hash_number(x), x };
    snprintf(text, sizeof text, "%lld", (long long)n);
    return (struct value){ hash_bytes(text, strlen(text)), NAN };
}

static struct value real_value(double x)
{
    if (isfinite(x) && fabs(x) >= WHOLE_MOST && fabs(x) < 9.2e18) return whole_value((int64_t)x);
    return (struct value){ hash_number(x), isfinite(x) ? x : NAN };
}

static struct value text_value(const char *s, size_t n)
{
    double x;
    if (!number_text(s, n, &x)) return (struct value){ hash_bytes(s, n), NAN };
    if (fabs(x) < WHOLE_MOST || strpbrk(s, ".eE")) return real_value(x);
    errno = 0;
    int64_t whole = strtoll(s, NULL, 10);
    return errno ? (struct value){ hash_bytes(s, n), NAN } : whole_value(whole);
}

static struct value read_value(sqlite3_stmt *stmt, int i)
{
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_NULL:
        return (struct value){ 3, NAN };
    case SQLITE_INTEGER:
        return whole_value(sqlite3_column_int64(stmt, i));
    case SQLITE_FLOAT:
        return real_value(sqlite3_column_double(stmt, i));
    case SQLITE_TEXT: {
        const char *s = (const char *)sqlite3_column_text(stmt, i);
        return s ? text_value(s, (size_t)sqlite3_column_bytes(stmt, i)) : (struct value){ hash_bytes("", 0), NAN };
    }
    default: {
        const char *s = sqlite3_column_blob(stmt, i);
        size_t n = (size_t)sqlite3_column_bytes(stmt, i);
        return (struct value){ s ? mix(hash_bytes(s, n), 5) : hash_bytes("", 0), NAN };
    }
    }
}

static void keep_row(struct call *c, sqlite3_stmt *stmt, struct list *cells, struct list *numbers,
                     struct gold_rows *out)
{
    for (size_t i = 0; i < out->columns; i++) {
        struct value v = read_value(stmt, (int)i);
        *(uint64_t *)list_push(c, cells, sizeof(uint64_t)) = v.hash;
        *(double *)list_push(c, numbers, sizeof(double)) = v.number;
        out->nulls += sqlite3_column_type(stmt, (int)i) == SQLITE_NULL;
    }
    out->rows++;
}

int gold_run(struct gold_db *g, struct call *c, const char *sql, size_t max_rows, size_t max_steps,
             struct gold_rows *out)
{
    sqlite3_stmt *stmt = NULL;
    *out = (struct gold_rows){ 0 };
    g->steps = 0;
    g->max_steps = max_steps;
    sqlite3_progress_handler(g->db, 1000, on_progress, g);
    int rc = sqlite3_prepare_v2(g->db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_OK && (!stmt || !sqlite3_stmt_readonly(stmt))) rc = SQLITE_MISUSE;
    struct list cells = { 0 }, numbers = { 0 };
    if (rc == SQLITE_OK) {
        out->columns = (size_t)sqlite3_column_count(stmt);
        while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
            if (max_rows && out->rows == max_rows) {
                out->stopped = true;
                rc = SQLITE_DONE;
                break;
            }
            keep_row(c, stmt, &cells, &numbers, out);
        }
    }
    out->cells = cells.items;
    out->numbers = numbers.items;
    out->steps = g->steps;
    int code = OK;
    if (rc == SQLITE_INTERRUPT) {
        out->stopped = true;
        code = call_fail(c, ERR_EXECUTION_TIMEOUT, "The query ran longer than its step budget.");
    } else if (rc != SQLITE_DONE) {
        code = call_fail(c, ERR_EXECUTION_FAILED, "%s", sqlite3_errmsg(g->db));
    }
    sqlite3_finalize(stmt);
    sqlite3_progress_handler(g->db, 0, NULL, NULL);
    return code;
}
