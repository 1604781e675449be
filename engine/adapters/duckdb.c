/* duckdb: DuckDB files, opened read-only in worker processes (duckdb_worker.c). A session is a worker; stopping a
 * statement ends its worker, and the next statement starts another. */
#include "adapters/duckdb.h"

#include "adapters/adapter.h"
#include "adapters/pool.h"
#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_LIBRARY "libduckdb.so"

enum { WORKERS = 2, OPEN_MS = 10000, GRACE_MS = 500, POLL_MS = 50, WORKER_FD = 3 };

struct duckdb_connection {
    const char *path;
    int64_t memory_mb, threads;
};
static const struct field connection_fields[] = {
    FIELD(struct duckdb_connection, path, K_STR, .flags = F_REQUIRED, .min = 1, .max = 4096,
          .doc = "The database's file."),
    FIELD(struct duckdb_connection, memory_mb, K_INT, .min = 32, .max = 1024, .def = "256",
          .doc = "Memory of one worker."),
    FIELD(struct duckdb_connection, threads, K_INT, .min = 1, .max = 16, .def = "2", .doc = "Threads of one worker."),
    { 0 },
};
static const struct type connection_type = TYPE(struct duckdb_connection, "DuckdbConnection", connection_fields);

struct duckdb {
    struct adapter base;
    struct duckdb_connection with;
    struct pool *pool;
};

struct session {
    pid_t pid;
    int fd;
    char version[32];
    bool spoiled; /* its worker stands somewhere inside a statement */
};

/* Where the library is: beside the distribution's own, or where the operator says. */
static const char *library(void)
{
    const char *named = getenv("DUCKDB_LIBRARY");
    return named && *named ? named : DEFAULT_LIBRARY;
}

/* ---- workers
 * ---------------------------------------------------------------------------------------------------------- */

static void session_close(void *handle)
{
    struct session *s = handle;
    close(s->fd);
    kill(s->pid, SIGKILL);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR) continue;
    free(s);
}

/* The running binary serves its own workers: `querent worker`. Tests, which are other binaries, name it. */
static bool spawn(struct session *s)
{
    int ends[2];
    const char *binary = getenv("WORKER_BINARY");
    char *const argv[] = { (char *)"querent", (char *)"worker", NULL }, *const env[] = { NULL };
    posix_spawn_file_actions_t files;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], WORKER_FD);
    int failed = posix_spawn(&s->pid, binary && *binary ? binary : "/proc/self/exe", &files, NULL, argv, env);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    s->fd = ends[0];
    if (failed) close(ends[0]);
    return !failed;
}

enum received { READ_OK, READ_GONE, READ_LATE };

static enum received read_exactly(struct call *c, struct session *s, void *to, size_t n, int64_t until_us)
{
    for (char *p = to; n;) {
        ssize_t got = recv(s->fd, p, n, MSG_DONTWAIT);
        if (got > 0) {
            p += got;
            n -= (size_t)got;
            continue;
        }
        if (!got || (errno != EAGAIN && errno != EINTR)) return READ_GONE;
        struct pollfd wait = { .fd = s->fd, .events = POLLIN };
        poll(&wait, 1, POLL_MS);
        if (clock_mono_us() > until_us || atomic_load(&c->cancelled)) return READ_LATE;
    }
    return READ_OK;
}

struct frame {
    char kind;
    const char *payload;
    size_t n;
};

/* The next frame, its payload in the arena. */
static enum received next_frame(struct call *c, struct session *s, struct arena *a, int64_t until_us, struct frame *out)
{
    uint32_t length;
    enum received got = read_exactly(c, s, &length, sizeof length, until_us);
    if (got) return got;
    if (!length || length > DUCKDB_FRAME_MAX) return READ_GONE;
    char *bytes = arena_alloc(a, (size_t)length + 1);
    got = read_exactly(c, s, bytes, length, until_us);
    *out = (struct frame){ .kind = bytes[0], .payload = bytes + 1, .n = length - 1u };
    return got;
}

struct failure {
    enum test_stage stage;
    const char *message, *fix;
};

static struct failure open_failure(struct call *c, const char *path, const char *why)
{
    struct stat st;
    call_detail(c, "%s", why);
    if (!strcmp(why, "library"))
        return (struct failure){ STAGE_CONNECT, "DuckDB's library could not be loaded.",
                                 "Install libduckdb.so, or name it in DUCKDB_LIBRARY." };
    if (stat(path, &st)) return (struct failure){ STAGE_RESOLVE, "There is no such file.", "Check the path." };
    if (!S_ISREG(st.st_mode)) return (struct failure){ STAGE_RESOLVE, "The path is not a file.", "Check the path." };
    if (access(path, R_OK))
        return (struct failure){ STAGE_CONNECT, "The file may not be read.", "Let the service's user read the file." };
    if (strstr(why, "lock"))
        return (struct failure){ STAGE_OPEN, "Another process has the file open for writing.",
                                 "Close it there, or use a copy." };
    return (struct failure){ STAGE_OPEN, "The file is not a DuckDB database that this library reads.",
                             "Check the file, and that the library is as new as what wrote it." };
}

static struct session *session_open(struct call *c, struct duckdb *d, struct failure *why)
{
    struct buf b;
    struct frame f;
    struct session *s = calloc(1, sizeof *s);
    if (!s) abort();
    if (!spawn(s)) {
        free(s);
        *why =
            (struct failure){ STAGE_CONNECT, "A worker could not be started.", "Check the machine's process limits." };
        return NULL;
    }
    const char *const parts[] = { library(), d->with.path, call_format(c, "%lldMB", (long long)d->with.memory_mb),
                                  call_format(c, "%lld", (long long)d->with.threads) };
    buf_init(&b, c, 64 * 1024);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) buf_add(&b, parts[i], strlen(parts[i]) + 1);
    enum received got = duckdb_send(s->fd, FRAME_OPEN, b.data, b.len)
                            ? next_frame(c, s, &c->arena, clock_mono_us() + OPEN_MS * 1000, &f)
                            : READ_GONE;
    if (got == READ_OK && f.kind == FRAME_DONE) {
        memcpy(s->version, f.payload, f.n < sizeof s->version ? f.n : sizeof s->version - 1);
        return s;
    }
    *why = open_failure(c, d->with.path, got == READ_OK ? f.payload : "the worker ended");
    session_close(s);
    return NULL;
}

static int session_take(struct call *c, struct duckdb *d, struct session **out)
{
    void *handle;
    struct failure why;
    int rc = pool_take(d->pool, c, &handle);
    if (rc) return rc;
    *out = handle ? handle : session_open(c, d, &why);
    if (*out) return OK;
    pool_give(d->pool, NULL);
    rc = call_check(c);
    return rc ? rc : call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "%s", why.message);
}

static void session_give(struct duckdb *d, struct session *s)
{
    void *kept = s->spoiled ? NULL : s;
    if (!kept) session_close(s);
    pool_give(d->pool, kept);
}

/* ---- running
 * ---------------------------------------------------------------------------------------------------------- */

struct run {
    struct call *call;
    const struct statement *statement; /* NULL for the adapter's own queries */
    const struct run_limits *limits;
    const struct row_sink *sink;
    struct run_stats *stats;
    struct list columns; /* struct result_column */
    struct cell *cells;
    struct arena scratch; /* of the frame being read; what the sink takes lives in the call */
};

static void take_column(struct run *r, const struct frame *f)
{
    size_t i = r->columns.count;
    struct result_column *column = list_push(r->call, &r->columns, sizeof *column);
    const char *type = f->payload + strlen(f->payload) + 1, *tail = type + strlen(type) + 1;
    if (r->statement && i < r->statement->column_count)
        *column = r->statement->columns[i];
    else
        *column = (struct result_column){ .name = call_strdup(r->call, f->payload), .nullable = true };
    column->db_type = call_strdup(r->call, type);
    column->type.kind = (enum type_kind)tail[0];
    if (column->type.kind == TYPE_DECIMAL) column->type.scale = tail[1];
}

static int take_row(struct run *r, const struct frame *f)
{
    const char *at = f->payload, *end = f->payload + f->n;
    int64_t bytes = 0;
    for (size_t i = 0; i < r->columns.count && end - at >= 5; i++) {
        uint32_t n;
        memcpy(&n, at + 1, sizeof n);
        r->cells[i] = (struct cell){ .kind = (enum cell_kind)at[0], .text = at + 5, .n = n };
        at += 5 + n;
        bytes += n;
        if ((int64_t)n > r->limits->cell_bytes)
            return call_fail(r->call, ERR_LIMIT_EXCEEDED, "A value of column '%s' is larger than %lld bytes.",
                             LIST_AT(&r->columns, struct result_column, i).name, (long long)r->limits->cell_bytes);
    }
    if (r->stats->rows >= r->limits->rows || r->stats->bytes + bytes > r->limits->bytes) {
        r->stats->truncated = true;
        r->stats->stopped_by = r->stats->rows >= r->limits->rows ? "rows" : "bytes";
        return ROWS_ENOUGH;
    }
    int rc = r->sink->row(r->sink->ctx, r->call, r->cells, r->columns.count);
    if (rc) return rc;
    r->stats->rows++;
    r->stats->bytes += bytes;
    return OK;
}

static int columns_done(struct run *r)
{
    if (r->cells) return OK;
    r->cells = call_array(r->call, r->columns.count, sizeof *r->cells);
    return r->sink->columns ? r->sink->columns(r->sink->ctx, r->call, r->columns.items, r->columns.count) : OK;
}

static int read_result(struct session *s, struct run *r)
{
    int64_t left = call_left_us(r->call), most = r->limits->time_ms * 1000;
    int64_t until = clock_mono_us() + (left < most ? left : most);
    for (;;) {
        struct frame f;
        arena_reset(&r->scratch, (struct arena_mark){ 0 });
        enum received got = next_frame(r->call, s, &r->scratch, until, &f);
        int rc = OK;
        s->spoiled = true;
        if (got == READ_LATE)
            return call_check(r->call) ? (int)r->call->err.code : adapter_timed_out(r->call, r->limits->time_ms);
        if (got == READ_GONE)
            return call_fail(r->call, ERR_EXECUTION_FAILED,
                             "The database ran out of memory or broke off; the query was stopped.");
        if (f.kind == FRAME_COLUMN) {
            take_column(r, &f);
            continue;
        }
        if (f.kind == FRAME_ERROR) {
            s->spoiled = false;
            return call_fail(r->call, ERR_EXECUTION_FAILED, "The database could not run the query: %.*s",
                             (int)strcspn(f.payload, "\n"), f.payload);
        }
        rc = columns_done(r);
        if (f.kind == FRAME_DONE) s->spoiled = false;
        if (f.kind == FRAME_DONE || rc) return rc;
        rc = take_row(r, &f);
        if (rc) return rc == ROWS_ENOUGH ? OK : rc;
    }
}

static int run_sql(struct session *s, struct run *r, const char *sql, size_t n)
{
    uint64_t most = r->limits->rows < INT64_MAX ? (uint64_t)r->limits->rows + 1 : (uint64_t)INT64_MAX;
    struct buf b;
    buf_init(&b, r->call, DUCKDB_FRAME_MAX / 2);
    buf_add(&b, (const char *)&most, sizeof most);
    buf_add(&b, sql, n);
    if (b.failed) return call_fail(r->call, ERR_PLAN_TOO_LARGE, "The statement is too long.");
    if (duckdb_send(s->fd, FRAME_RUN, b.data, b.len)) {
        int rc = read_result(s, r);
        arena_free(&r->scratch);
        return rc;
    }
    s->spoiled = true;
    return call_fail(r->call, ERR_DATASOURCE_UNAVAILABLE, "The database's worker ended.");
}

static int execute(struct call *c, struct adapter *a, const struct statement *st, const struct run_limits *limits,
                   const struct row_sink *sink, struct run_stats *stats)
{
    struct duckdb *d = (struct duckdb *)a;
    struct session *s;
    struct run r = { .call = c, .statement = st, .limits = limits, .sink = sink, .stats = stats };
    *stats = (struct run_stats){ 0 };
    int rc = session_take(c, d, &s);
    if (rc) return rc;
    int64_t started = clock_mono_us();
    rc = run_sql(s, &r, st->sql, st->n);
    stats->db_us = clock_mono_us() - started;
    session_give(d, s);
    return rc;
}

/* ---- inspection
 * ------------------------------------------------------------------------------------------------------- */

#define TREE_DEPTH_MAX 1500

struct seen {
    struct call *call;
    struct list tables, functions, ctes;
    int rc;
};

static const char *text_of(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);
    return v && v->kind == J_STRING && *v->string ? v->string : NULL;
}

static bool is_cte(const struct seen *s, const char *name)
{
    for (size_t i = 0; i < s->ctes.count; i++)
        if (!strcmp(LIST_AT(&s->ctes, const char *, i), name)) return true;
    return false;
}

static void see(struct seen *s, const struct json *node)
{
    const char *type = text_of(node, "type"), *class = text_of(node, "class");
    const char *table = text_of(node, "table_name"), *schema = text_of(node, "schema_name");
    if (type && !strcmp(type, "BASE_TABLE") && table && (schema || !is_cte(s, table))) {
        struct table_read *t = list_push(s->call, &s->tables, sizeof *t);
        *t = (struct table_read){ .schema = schema, .table = table };
    }
    if (type && !strcmp(type, "TABLE_FUNCTION"))
        s->rc = call_fail(s->call, ERR_GUARD_DISAGREEMENT, "The parser sees a table function.");
    const char *function = text_of(node, "function_name");
    if (!class || (strcmp(class, "FUNCTION") != 0 && strcmp(class, "WINDOW") != 0) || !function) return;
    /* Operators, and the row of (a, b), are functions there. */
    if (!strcmp(function, "row") || !strpbrk(function, "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ")) return;
    if (!strcmp(function, "count_star")) function = "count";
    *(const char **)list_push(s->call, &s->functions, sizeof(const char *)) = function;
}

/* The map of common tables has its names under "key". */
static void collect_ctes(struct seen *s, const struct json *j)
{
    if (j->kind != J_ARRAY && j->kind != J_OBJECT) return;
    const struct json *map = j->kind == J_OBJECT ? json_get(json_get(j, "cte_map"), "map") : NULL;
    for (size_t i = 0; map && map->kind == J_ARRAY && i < map->count; i++)
        if (text_of(&map->items[i], "key"))
            *(const char **)list_push(s->call, &s->ctes, sizeof(const char *)) = text_of(&map->items[i], "key");
    for (size_t i = 0; i < j->count; i++) collect_ctes(s, &j->items[i]);
}

static void walk(struct seen *s, const struct json *j)
{
    if (s->rc || (j->kind != J_ARRAY && j->kind != J_OBJECT)) return;
    if (j->kind == J_OBJECT) see(s, j);
    for (size_t i = 0; i < j->count; i++) walk(s, &j->items[i]);
}

/* The tree has positions as large as 2^64: a number of 19 digits or more becomes 0, as its value is not looked at. */
static const char *small_numbers(struct call *c, const char *json, size_t n)
{
    char *out = call_strndup(c, json, n);
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (out[i] == '"') quoted = !quoted;
        if (quoted) {
            i += out[i] == '\\';
            continue;
        }
        size_t digits = strspn(out + i, "0123456789");
        if (digits > 18) {
            if (i && out[i - 1] == '-') out[i - 1] = ' ';
            memset(out + i, ' ', digits - 1);
            out[i + digits - 1] = '0';
        }
        if (digits) i += digits - 1;
    }
    return out;
}

static int inspect(struct call *c, struct adapter *a, const struct statement *st, struct reads *out)
{
    struct duckdb *d = (struct duckdb *)a;
    struct session *s;
    struct frame f = { 0 };
    const struct json *tree;
    int rc = session_take(c, d, &s);
    if (rc) return rc;
    enum received got = duckdb_send(s->fd, FRAME_INSPECT, st->sql, st->n)
                            ? next_frame(c, s, &c->arena, clock_mono_us() + OPEN_MS * 1000, &f)
                            : READ_GONE;
    s->spoiled = got != READ_OK;
    session_give(d, s);
    if (got) return call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "The database's worker ended.");
    if (f.kind != FRAME_TREE) {
        rc = call_fail(c, ERR_GUARD_DISAGREEMENT, "The database's parser does not take the statement.");
        call_detail(c, "%s", f.payload);
        return rc;
    }
    rc = json_parse_deep(c, small_numbers(c, f.payload, f.n), f.n, TREE_DEPTH_MAX, &tree);
    if (rc) return rc;
    const struct json *statements = json_get(tree, "statements"), *error = json_get(tree, "error");
    if (!error || error->boolean || !statements || statements->kind != J_ARRAY || statements->count != 1)
        return call_fail(c, ERR_GUARD_DISAGREEMENT, "The parser does not see one SELECT.");
    struct seen seen = { .call = c };
    collect_ctes(&seen, statements);
    walk(&seen, statements);
    *out = (struct reads){ .tables = seen.tables.items,
                           .table_count = seen.tables.count,
                           .functions = seen.functions.items,
                           .function_count = seen.functions.count };
    return seen.rc;
}

/* ---- structure
 * -------------------------------------------------------------------------------------------------------- */

static const char table_query[] =
    "SELECT schema_name, table_name, 'table', comment, estimated_size FROM duckdb_tables() WHERE NOT internal"
    " AND database_name = current_database() UNION ALL SELECT schema_name, view_name, 'view', comment, -1 FROM "
    "duckdb_views()"
    " WHERE NOT internal AND database_name = current_database() ORDER BY 1, 2";
static const char column_query[] = "SELECT schema_name, table_name, column_name, data_type, is_nullable, comment FROM "
                                   "duckdb_columns() WHERE NOT internal"
                                   " AND database_name = current_database() ORDER BY 1, 2, column_index";
/* One row a column of a key, in key order. */
static const char key_query[] =
    "SELECT schema_name, table_name, constraint_type, constraint_index, unnest(constraint_column_names) AS name,"
    " referenced_table, unnest(CASE WHEN constraint_type = 'FOREIGN KEY' THEN referenced_column_names ELSE"
    " constraint_column_names END), len(constraint_column_names) FROM duckdb_constraints() WHERE database_name ="
    " current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')"
    " ORDER BY schema_name, table_name, constraint_index";

struct reading {
    struct list tables; /* struct table */
    size_t at;
    struct list columns, keys, key_columns, key_referred;
    const char *key; /* "index" of the constraint being read */
};

static const char *cell_text(struct call *c, const struct cell *cell)
{
    return cell->kind == CELL_NULL ? NULL : call_strndup(c, cell->text, cell->n);
}

static struct value_type column_type(const char *name)
{
    static const struct {
        const char *prefix;
        enum type_kind kind;
    } kinds[] = {
        { "BOOLEAN", TYPE_BOOLEAN },     { "TINYINT", TYPE_INTEGER },
        { "SMALLINT", TYPE_INTEGER },    { "INTEGER", TYPE_INTEGER },
        { "BIGINT", TYPE_INTEGER },      { "HUGEINT", TYPE_INTEGER },
        { "UTINYINT", TYPE_INTEGER },    { "USMALLINT", TYPE_INTEGER },
        { "UINTEGER", TYPE_INTEGER },    { "UBIGINT", TYPE_INTEGER },
        { "UHUGEINT", TYPE_INTEGER },    { "DECIMAL", TYPE_DECIMAL },
        { "FLOAT", TYPE_DOUBLE },        { "DOUBLE", TYPE_DOUBLE },
        { "VARCHAR", TYPE_TEXT },        { "ENUM", TYPE_TEXT },
        { "UUID", TYPE_TEXT },           { "BLOB", TYPE_BINARY },
        { "DATE", TYPE_DATE },           { "TIMESTAMP WITH", TYPE_TIMESTAMPTZ },
        { "TIMESTAMP", TYPE_TIMESTAMP }, { "TIME", TYPE_TIME },
        { "INTERVAL", TYPE_INTERVAL },
    };
    struct value_type t = { 0 };
    size_t n = strlen(name);
    if (n && name[n - 1] == ']') return t;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !t.kind; i++) {
        size_t prefix = strlen(kinds[i].prefix);
        if (strncmp(name, kinds[i].prefix, prefix)) continue;
        t.kind = kinds[i].kind;
        if (t.kind == TYPE_DECIMAL && name[prefix] == '(') {
            char *end;
            t.precision = (int)strtol(name + prefix + 1, &end, 10);
            if (*end == ',') t.scale = (int)strtol(end + 1, NULL, 10);
        }
    }
    return t;
}

static int table_row(void *ctx, struct call *c, const struct cell *v, size_t n)
{
    struct reading *r = ctx;
    struct table *t = list_push(c, &r->tables, sizeof *t);
    (void)n;
    *t = (struct table){ .schema = cell_text(c, &v[0]),
                         .name = cell_text(c, &v[1]),
                         .description = cell_text(c, &v[3]) };
    t->kind = v[2].text[0] == 'v' ? TABLE_VIEW : TABLE_BASE;
    t->reads_unknown = t->kind == TABLE_VIEW;
    t->row_count = atoll(cell_text(c, &v[4]));
    return OK;
}

/* Rows come in the order of the tables. fresh: it is another table than the last one. */
static struct table *table_of(struct reading *r, struct call *c, const struct cell *v, bool *fresh)
{
    const char *schema = cell_text(c, &v[0]), *name = cell_text(c, &v[1]);
    for (size_t i = r->at; i < r->tables.count; i++) {
        struct table *t = &LIST_AT(&r->tables, struct table, i);
        if (strcmp(t->name, name) || strcmp(t->schema, schema)) continue;
        *fresh = i != r->at;
        r->at = i;
        return t;
    }
    return NULL;
}

static int column_row(void *ctx, struct call *c, const struct cell *v, size_t n)
{
    struct reading *r = ctx;
    bool fresh;
    struct table *t = table_of(r, c, v, &fresh);
    (void)n;
    if (!t) return OK;
    if (fresh) r->columns = (struct list){ 0 };
    struct column *column = list_push(c, &r->columns, sizeof *column);
    *column = (struct column){ .name = cell_text(c, &v[2]),
                               .db_type = cell_text(c, &v[3]),
                               .nullable = v[4].text[0] == 't',
                               .description = cell_text(c, &v[5]),
                               .distinct_count = -1,
                               .null_count = -1 };
    column->type = column_type(column->db_type);
    t->columns = r->columns.items;
    t->column_count = r->columns.count;
    return OK;
}

static int key_row(void *ctx, struct call *c, const struct cell *v, size_t n)
{
    struct reading *r = ctx;
    bool fresh;
    struct table *t = table_of(r, c, v, &fresh);
    (void)n;
    if (!t) return OK;
    const char *kind = cell_text(c, &v[2]), *key = cell_text(c, &v[3]), *name = cell_text(c, &v[4]);
    if (fresh) r->keys = (struct list){ 0 };
    if (fresh || !r->key || strcmp(r->key, key)) {
        r->key = key;
        r->key_columns = r->key_referred = (struct list){ 0 };
    }
    struct column *column = NULL;
    for (size_t i = 0; i < t->column_count && !column; i++)
        if (!strcmp(t->columns[i].name, name)) column = &t->columns[i];
    if (!column) return OK;
    int64_t width = atoll(cell_text(c, &v[7]));
    *(const char **)list_push(c, &r->key_columns, sizeof(const char *)) = column->name;
    if (!strcmp(kind, "PRIMARY KEY")) column->primary_key = (int)r->key_columns.count;
    if (strcmp(kind, "FOREIGN KEY")) {
        column->unique = column->unique || width == 1;
        return OK;
    }
    *(const char **)list_push(c, &r->key_referred, sizeof(const char *)) = cell_text(c, &v[6]);
    if ((int64_t)r->key_columns.count != width) return OK;
    struct foreign_key *f = list_push(c, &r->keys, sizeof *f);
    *f = (struct foreign_key){ .columns = r->key_columns.items,
                               .column_count = r->key_columns.count,
                               .schema = t->schema,
                               .table = cell_text(c, &v[5]),
                               .referred = r->key_referred.items };
    t->foreign_keys = r->keys.items;
    t->foreign_key_count = r->keys.count;
    return OK;
}

static int catalog(struct call *c, struct session *s, struct snapshot *out)
{
    static const struct {
        const char *sql;
        int (*row)(void *ctx, struct call *c, const struct cell *cells, size_t count);
    } parts[] = { { table_query, table_row }, { column_query, column_row }, { key_query, key_row } };
    static const struct run_limits limits = {
        .rows = 4000000, .bytes = INT64_MAX, .cell_bytes = 1 << 20, .time_ms = 60000
    };
    struct reading r = { 0 };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct row_sink sink = { .row = parts[i].row, .ctx = &r };
        struct run_stats stats = { 0 };
        struct run run = { .call = c, .limits = &limits, .sink = &sink, .stats = &stats };
        r.at = 0;
        r.columns = r.keys = (struct list){ 0 };
        int rc = run_sql(s, &run, parts[i].sql, strlen(parts[i].sql));
        if (rc) return rc;
    }
    out->tables = r.tables.items;
    out->table_count = r.tables.count;
    return OK;
}

/* ---- the contract
 * ----------------------------------------------------------------------------------------------------- */

static bool installed(void)
{
    /* Looked for, not loaded: the library never enters this process. */
    void *handle = dlopen(library(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle) dlclose(handle);
    return handle || access(library(), R_OK) == 0 || !strchr(library(), '/');
}

static int open_duckdb(struct call *c, const struct datasource_config *config, struct adapter **out)
{
    extern const struct adapter_kind adapter_duckdb;
    struct duckdb_connection with = { 0 };
    int rc = json_decode_at(c, &connection_type, config->connection, "/connection", &with);
    if (rc) return rc;
    struct duckdb *d = calloc(1, sizeof *d);
    if (!d || !(d->with.path = strdup(with.path))) abort();
    d->base.kind = &adapter_duckdb;
    d->with.memory_mb = with.memory_mb;
    d->with.threads = with.threads;
    d->pool = pool_new(config->options.pool_size > 0 ? config->options.pool_size : WORKERS);
    *out = &d->base;
    return OK;
}

static void close_duckdb(struct adapter *a)
{
    struct duckdb *d = (struct duckdb *)a;
    pool_free(d->pool, session_close);
    free((char *)(uintptr_t)d->with.path);
    free(d);
}

static int introspect(struct call *c, struct adapter *a, struct snapshot **out)
{
    struct duckdb *d = (struct duckdb *)a;
    struct session *s;
    int rc = session_take(c, d, &s);
    if (rc) return rc;
    struct snapshot *snapshot = call_alloc(c, sizeof *snapshot);
    *snapshot = (struct snapshot){ .dialect = "duckdb",
                                   .server_version = call_format(c, "DuckDB %s", s->version),
                                   .taken_us = clock_utc_us() };
    rc = catalog(c, s, snapshot);
    session_give(d, s);
    if (!rc) *out = snapshot;
    return rc;
}

static int test(struct call *c, struct adapter *a, struct test_report *out)
{
    struct duckdb *d = (struct duckdb *)a;
    struct failure why = { 0 };
    struct snapshot snapshot = { 0 };
    struct session *s = session_open(c, d, &why);
    *out = (struct test_report){ .reached = why.stage, .message = why.message, .fix = why.fix };
    if (!s) return call_check(c);
    if (catalog(c, s, &snapshot)) {
        call_forgive(c);
        *out = (struct test_report){ .reached = STAGE_READ_SCHEMA,
                                     .message = "The catalogue could not be read.",
                                     .fix = "Check the file and the library's version." };
    } else if (!snapshot.table_count) {
        *out = (struct test_report){ .reached = STAGE_READ_SCHEMA,
                                     .message = "The database has no table.",
                                     .fix = "Check that it is the right file." };
    } else {
        *out = (struct test_report){ .reached = STAGE_DONE,
                                     .tables = (int64_t)snapshot.table_count,
                                     .server_version = call_strdup(c, s->version) };
    }
    session_close(s);
    return call_check(c);
}

static int diagnose(struct call *c, struct adapter *a, struct list *out)
{
    struct duckdb *d = (struct duckdb *)a;
    struct session *s;
    int rc = session_take(c, d, &s);
    if (rc) return rc;
    diagnosis_add(c, out, "version", call_strdup(c, s->version), FINDING_OK, NULL);
    session_give(d, s);
    diagnosis_add(c, out, "opened", "read-only, without files or network, in a process of its own", FINDING_OK, NULL);
    diagnosis_add(c, out, "memory", call_format(c, "%lld MB", (long long)d->with.memory_mb), FINDING_OK, NULL);
    bool writable = access(d->with.path, W_OK) == 0;
    diagnosis_add(c, out, "writable_file", writable ? "yes" : "no", FINDING_WARNING,
                  writable ? "Let the service's user only read the file." : NULL);
    return OK;
}

const struct adapter_kind adapter_duckdb = {
    .name = "duckdb",
    .title = "DuckDB",
    .dialect = "duckdb",
    .file_member = "path",
    .connection = &connection_type,
    .installed = installed,
    .install_hint = "Install libduckdb.so, or name it in DUCKDB_LIBRARY.",
    .open = open_duckdb,
    .close = close_duckdb,
    .test = test,
    .introspect = introspect,
    .inspect = inspect,
    .execute = execute,
    .diagnose = diagnose,
};
