#include "adapters/sqlite.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One call of these is one opcode that nothing interrupts, or reaches out of the database: refused whoever asks. */
static const char *const costly[] = { "printf",
                                      "format",
                                      "zeroblob",
                                      "randomblob",
                                      "load_extension",
                                      "readfile",
                                      "writefile",
                                      "edit",
                                      "fts3_tokenizer",
                                      "sqlite_compileoption_get",
                                      "sqlite_compileoption_used",
                                      "sqlite_source_id",
                                      "sqlite_version",
                                      "sqlite_log",
                                      "sqlite_offset",
                                      NULL };

static bool listed(const char *const *names, const char *name)
{
    for (size_t i = 0; names[i]; i++)
        if (!strcasecmp(names[i], name)) return true;
    return false;
}

static char *copy(const char *s)
{
    char *p = strdup(s);
    if (!p) abort();
    return p;
}

static void *grow(void *items, size_t count, size_t *room, size_t bytes)
{
    if (count < *room) return items;
    *room = *room ? *room * 2 : 8;
    void *p = realloc(items, *room * bytes);
    if (!p) abort();
    return p;
}

static void see_read(struct seen *s, const char *table, const char *column, bool bare)
{
    for (size_t i = s->read_count; i-- > 0;)
        if (!strcasecmp(s->reads[i].table, table) && !strcasecmp(s->reads[i].column, column)) {
            s->reads[i].bare = s->reads[i].bare && bare;
            return;
        }
    s->reads = grow(s->reads, s->read_count, &s->read_room, sizeof *s->reads);
    s->reads[s->read_count++] = (struct seen_read){ .table = copy(table), .column = copy(column), .bare = bare };
}

static void see_function(struct seen *s, const char *name)
{
    for (size_t i = 0; i < s->function_count; i++)
        if (!strcasecmp(s->functions[i], name)) return;
    s->functions = grow(s->functions, s->function_count, &s->function_room, sizeof *s->functions);
    char *lower = s->functions[s->function_count++] = copy(name);
    for (; *lower; lower++)
        if (*lower >= 'A' && *lower <= 'Z') *lower = (char)(*lower + 32);
}

void seen_free(struct seen *s)
{
    for (size_t i = 0; i < s->read_count; i++) {
        free(s->reads[i].table);
        free(s->reads[i].column);
    }
    for (size_t i = 0; i < s->function_count; i++) free(s->functions[i]);
    free(s->reads);
    free(s->functions);
    *s = (struct seen){ 0 };
}

/* The database asks before it compiles each part of a statement. */
int conn_authorize(void *ctx, int action, const char *a, const char *b, const char *database, const char *inside)
{
    struct conn *k = ctx;
    (void)inside; /* a view, but also a WITH member of the same name: no ground to allow more */
    if (k->mode == CONN_CATALOGUE) return SQLITE_OK;
    if (k->mode == CONN_CLOSED) return SQLITE_DENY;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ:
        if (!strncasecmp(a, "sqlite_", 7) || !strncasecmp(a, "pragma_", 7) ||
            (database && strcasecmp(database, "main")))
            break;
        see_read(k->seen, a, b ? b : "", !database);
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        if (listed(costly, b)) break;
        see_function(k->seen, b);
        return SQLITE_OK;
    default:
        break;
    }
    k->seen->refused = true;
    return SQLITE_DENY;
}

void conn_forget(struct cached *e)
{
    sqlite3_finalize(e->stmt);
    seen_free(&e->seen);
    *e = (struct cached){ 0 };
}

static bool blank(const char *tail)
{
    while (*tail == ' ' || *tail == '\n' || *tail == '\t' || *tail == ';') tail++;
    return !*tail;
}

/* Does the schema have a view (or, views_only false, a table) of that name? */
static bool in_schema(struct conn *k, const char *name, bool views_only)
{
    static const char sql[] = "SELECT 1 FROM main.sqlite_schema WHERE name = ?1 COLLATE NOCASE AND"
                              " (type = 'view' OR (type = 'table' AND NOT ?2))";
    sqlite3_stmt *stmt = NULL;
    enum conn_mode before = k->mode;
    k->mode = CONN_CATALOGUE;
    bool found = !views_only; /* in doubt, what refuses more */
    if (sqlite3_prepare_v2(k->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_int(stmt, 2, views_only) == SQLITE_OK) {
        int rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW || rc == SQLITE_DONE) found = rc == SQLITE_ROW;
    }
    sqlite3_finalize(stmt);
    k->mode = before;
    return found;
}

/* A member of WITH whose columns nobody reads is reported like a table. It is none when the schema has no such name. */
static void drop_with_members(struct conn *k, struct seen *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->read_count; i++) {
        struct seen_read *r = &s->reads[i];
        if (r->bare && !*r->column && !in_schema(k, r->table, false)) {
            free(r->table);
            free(r->column);
        } else {
            s->reads[kept++] = *r;
        }
    }
    s->read_count = kept;
}

static struct cached *cache_find(struct conn *k, const struct statement *s, bool *hit)
{
    struct cached *oldest = &k->cache[0];
    for (size_t i = 0; i < CACHE_STATEMENTS; i++) {
        struct cached *e = &k->cache[i];
        if (e->stmt && e->n == s->n && !memcmp(e->hash, s->hash, HASH_TEXT)) {
            e->used = ++k->clock;
            *hit = true;
            return e;
        }
        if (e->used < oldest->used) oldest = e;
    }
    *hit = false;
    return oldest;
}

int conn_prepare(struct conn *k, struct call *c, const struct statement *s, struct cached **out)
{
    bool hit;
    struct cached *e = cache_find(k, s, &hit);
    *out = e;
    if (hit) return OK;
    conn_forget(e);
    const char *tail = "";
    k->mode = CONN_RECORD;
    k->seen = &e->seen;
    int rc = sqlite3_prepare_v3(k->db, s->sql, (int)s->n + 1, SQLITE_PREPARE_PERSISTENT, &e->stmt, &tail);
    k->mode = CONN_CLOSED;
    k->seen = NULL;
    if (rc != SQLITE_OK && !e->seen.refused) {
        rc = conn_fail(k, c, rc, 0);
    } else if (!e->stmt || !blank(tail) || !sqlite3_stmt_readonly(e->stmt) || sqlite3_stmt_isexplain(e->stmt) ||
               !sqlite3_column_count(e->stmt) || e->seen.refused) {
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "%s", code_row(ERR_GUARD_DISAGREEMENT)->text);
        call_detail(c, "sqlite: the statement is not one SELECT");
    }
    if (rc) {
        conn_forget(e);
        return rc;
    }
    drop_with_members(k, &e->seen);
    memcpy(e->hash, s->hash, HASH_TEXT);
    e->n = s->n;
    e->used = ++k->clock;
    return OK;
}

bool conn_view_reads(struct conn *k, const char *view, struct seen *out)
{
    sqlite3_stmt *stmt = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM main.\"%w\"", view); /* prepared only, never run */
    if (!sql) abort();
    k->mode = CONN_RECORD;
    k->seen = out;
    int rc = sqlite3_prepare_v2(k->db, sql, -1, &stmt, NULL);
    k->mode = CONN_CLOSED;
    k->seen = NULL;
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return rc == SQLITE_OK && !out->refused;
}

static bool table_allows(const struct table_read *t, const char *table, const char *column)
{
    if (strcasecmp(t->table, table) != 0) return false;
    if (!*column || !strcasecmp(column, "rowid")) return true;
    for (size_t i = 0; i < t->column_count; i++)
        if (!strcasecmp(t->columns[i], column)) return true;
    return false;
}

static bool reads_allow(const struct reads *r, const struct seen_read *read)
{
    for (size_t i = 0; i < r->table_count; i++)
        if (table_allows(&r->tables[i], read->table, read->column)) return true;
    return false;
}

static bool functions_allow(const struct reads *r, const char *name)
{
    for (size_t i = 0; i < r->function_count; i++)
        if (!strcasecmp(r->functions[i], name)) return true;
    return false;
}

static bool seen_has(const struct seen *s, const struct seen_read *read, const char *function)
{
    for (size_t i = 0; read && i < s->read_count; i++)
        if (!strcasecmp(s->reads[i].table, read->table) &&
            (!*read->column || !strcasecmp(s->reads[i].column, read->column)))
            return true;
    for (size_t i = 0; function && i < s->function_count; i++)
        if (!strcasecmp(s->functions[i], function)) return true;
    return false;
}

int conn_allows(struct conn *k, struct call *c, const struct seen *seen, const struct statement *s)
{
    struct seen views = { 0 };
    bool expanded = false, ok = true;
    for (size_t i = 0; ok && i < seen->read_count + seen->function_count; i++) {
        const struct seen_read *read = i < seen->read_count ? &seen->reads[i] : NULL;
        const char *function = read ? NULL : seen->functions[i - seen->read_count];
        if (read ? reads_allow(&s->reads, read) : functions_allow(&s->reads, function)) continue;
        for (size_t t = 0; !expanded && t < s->reads.table_count; t++)
            if (in_schema(k, s->reads.tables[t].table, true)) conn_view_reads(k, s->reads.tables[t].table, &views);
        expanded = true;
        ok = seen_has(&views, read, function);
        if (!ok)
            call_detail(c, "sqlite: %s %s is not among the statement's reads", read ? read->table : "function",
                        read ? read->column : function);
    }
    seen_free(&views);
    return ok ? OK : call_fail(c, ERR_GUARD_DISAGREEMENT, "%s", code_row(ERR_GUARD_DISAGREEMENT)->text);
}

void seen_tables(struct call *c, const struct seen *s, struct table_read **tables, size_t *count)
{
    struct list out = { 0 };
    for (size_t i = 0; i < s->read_count; i++) {
        const char *name = s->reads[i].table;
        size_t t = 0;
        while (t < out.count && strcasecmp(LIST_AT(&out, struct table_read, t).table, name) != 0) t++;
        if (t < out.count) continue;
        const char **columns = call_array(c, s->read_count, sizeof *columns);
        size_t n = 0;
        for (size_t j = i; j < s->read_count; j++)
            if (!strcasecmp(s->reads[j].table, name) && *s->reads[j].column)
                columns[n++] = call_strdup(c, s->reads[j].column);
        struct table_read *r = list_push(c, &out, sizeof *r);
        *r = (struct table_read){ .table = call_strdup(c, name), .columns = columns, .column_count = n };
    }
    *tables = out.items;
    *count = out.count;
}

const char *const *seen_functions(struct call *c, const struct seen *s)
{
    const char **names = call_array(c, s->function_count, sizeof *names);
    for (size_t i = 0; i < s->function_count; i++) names[i] = call_strdup(c, s->functions[i]);
    return names;
}
