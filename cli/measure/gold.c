#include "cli/measure/gold.h"

#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 64

struct gold_db {
    sqlite3 *db;
    size_t steps, max_steps;
};

int gold_open(struct call *c, const char *path, struct gold_db **out)
{
    struct gold_db *g = call_alloc(c, sizeof *g);
    const char *uri = call_format(c, "file:%s?mode=ro&immutable=1", path);
    if (sqlite3_open_v2(uri, &g->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK) {
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
    return g->max_steps && ++g->steps > g->max_steps;
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
    if (!n || n > 40 || !(isdigit((unsigned char)s[0]) || s[0] == '-' || s[0] == '.')) return false;
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]) && !strchr("+-.eE", s[i])) return false;
    *out = strtod(s, &end);
    return end == s + n;
}

static uint64_t hash_cell(sqlite3_stmt *stmt, int i, size_t *nulls)
{
    double x;
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_NULL:
        ++*nulls;
        return 3;
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        return hash_number(sqlite3_column_double(stmt, i));
    default:
        break;
    }
    const char *s = (const char *)sqlite3_column_blob(stmt, i);
    size_t n = (size_t)sqlite3_column_bytes(stmt, i);
    if (!s) return hash_bytes("", 0);
    if (sqlite3_column_type(stmt, i) == SQLITE_TEXT) {
        const char *t = (const char *)sqlite3_column_text(stmt, i);
        n = (size_t)sqlite3_column_bytes(stmt, i);
        return number_text(t, n, &x) ? hash_number(x) : hash_bytes(t, n);
    }
    return mix(hash_bytes(s, n), 5);
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
    struct list cells = { 0 };
    if (rc == SQLITE_OK) {
        out->columns = (size_t)sqlite3_column_count(stmt);
        while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
            if (max_rows && out->rows == max_rows) {
                out->stopped = true;
                rc = SQLITE_DONE;
                break;
            }
            for (size_t i = 0; i < out->columns; i++)
                *(uint64_t *)list_push(c, &cells, sizeof(uint64_t)) = hash_cell(stmt, (int)i, &out->nulls);
            out->rows++;
        }
    }
    out->cells = cells.items;
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

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Hashes of rows, with the columns of r in the order of `map`. */
static uint64_t *row_hashes(struct call *c, const struct gold_rows *r, const size_t *map)
{
    uint64_t *out = call_array(c, r->rows + 1, sizeof *out);
    for (size_t i = 0; i < r->rows; i++) {
        uint64_t h = 1;
        for (size_t k = 0; k < r->columns; k++) h = mix(h, r->cells[i * r->columns + map[k]]);
        out[i] = h;
    }
    return out;
}

static uint64_t column_hash(const struct gold_rows *r, size_t column)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->rows; i++) sum += mix(9, r->cells[i * r->columns + column]);
    return sum;
}

struct matching {
    struct call *call;
    const struct gold_rows *a, *b;
    bool ordered;
    const uint64_t *wanted, *ca, *cb;
    size_t map[COLUMNS_MAX];
    bool used[COLUMNS_MAX];
    int tries;
};

/* Tries each column of b in place k whose values agree with column k of a. */
static bool match_from(struct matching *m, size_t k)
{
    if (k == m->a->columns) {
        if (--m->tries < 0) return false;
        struct arena_mark mark = arena_mark(&m->call->arena);
        uint64_t *got = row_hashes(m->call, m->b, m->map);
        if (!m->ordered) qsort(got, m->b->rows, sizeof *got, compare_u64);
        bool same = memcmp(got, m->wanted, m->a->rows * sizeof *got) == 0;
        arena_reset(&m->call->arena, mark);
        return same;
    }
    for (size_t i = 0; i < m->b->columns; i++) {
        if (m->used[i] || m->ca[k] != m->cb[i]) continue;
        m->used[i] = true;
        m->map[k] = i;
        if (match_from(m, k + 1)) return true;
        m->used[i] = false;
    }
    return false;
}

bool gold_equal(struct call *c, const struct gold_rows *a, const struct gold_rows *b, bool ordered)
{
    if (a->columns != b->columns || a->rows != b->rows || a->columns > COLUMNS_MAX) return false;
    if (!a->rows) return true;
    uint64_t ca[COLUMNS_MAX], cb[COLUMNS_MAX];
    size_t straight[COLUMNS_MAX];
    for (size_t i = 0; i < a->columns; i++) {
        ca[i] = column_hash(a, i);
        cb[i] = column_hash(b, i);
        straight[i] = i;
    }
    uint64_t *wanted = row_hashes(c, a, straight);
    if (!ordered) qsort(wanted, a->rows, sizeof *wanted, compare_u64);
    struct matching m = {
        .call = c, .a = a, .b = b, .ordered = ordered, .wanted = wanted, .ca = ca, .cb = cb, .tries = 200
    };
    return match_from(&m, 0);
}

bool gold_is_ordered(const char *sql)
{
    int depth = 0;
    bool ordered = false;
    for (const char *p = sql; *p; p++) {
        if (*p == '\'' || *p == '"') {
            char q = *p++;
            while (*p && *p != q) p++;
            if (!*p) break;
        } else if (*p == '(') {
            depth++;
        } else if (*p == ')') {
            depth--;
        } else if (!depth && (p == sql || !isalnum((unsigned char)p[-1]))) {
            if (strncasecmp(p, "order", 5) == 0 && isspace((unsigned char)p[5])) ordered = true;
            bool set = strncasecmp(p, "union", 5) == 0 || strncasecmp(p, "intersect", 9) == 0 ||
                       strncasecmp(p, "except", 6) == 0;
            if (set) ordered = false;
        }
    }
    return ordered;
}
