/* engines_bench introspect TABLES… | overhead | stream: what connecting costs, on servers of its own. Prints a table;
 * not a test. introspect: PostgreSQL with so many tables of six columns, keys between them and comments. overhead: a
 * guarded query against the engine's own call of the same SQL, in alternating rounds. stream: a million rows through
 * the guard, beside the engine's own command-line client writing to /dev/null. Run by tests/bench/engines.sh. */
#include "adapters/adapter.h"
#include "base/clock.h"
#include "engines.h"
#include "guard/guard.h"
#include "schema/registry.h"
#include "schema/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <mysql.h>
#undef list_push
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double anonymous_mb(void)
{
    char line[200];
    double kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "RssAnon:", 8)) kb = strtod(line + 8, NULL);
    if (f) fclose(f);
    return kb / 1024;
}

static void need(struct call *c, int rc, const char *what)
{
    if (!rc) return;
    fprintf(stderr, "%s: %s [%s]\n", what, c->err.message, c->err.detail ? c->err.detail : "");
    exit(1);
}

static void add_sql(struct call *c, struct list *sql, const char *text)
{
    *(const char **)list_push(c, sql, sizeof(const char *)) = text;
}

/* ---- introspection ---- */

static int introspect(int count, char **sizes)
{
    const struct test_engine *e = test_engine_find("postgres");
    printf("PostgreSQL: tables, seconds to read the structure, MiB it takes while read, MiB published\n");
    for (int i = 0; i < count; i++) {
        struct call c;
        struct list sql = { 0 };
        struct datasource_config config = { .id = "shop", .type = "postgres" };
        struct snapshot *s;
        struct registry *r;
        if (!e->start()) return 3;
        call_begin(&c);
        /* In steps: the locks of one transaction are counted. */
        for (int64_t at = 0, most = atoll(sizes[i]); at < most; at += 500)
            add_sql(
                &c, &sql,
                call_format(&c,
                            "DO $$ BEGIN FOR i IN %lld..%lld LOOP EXECUTE format('CREATE TABLE t%%s (id bigint PRIMARY "
                            "KEY, name text NOT NULL, amount numeric(10,2), placed date, %%s bigint, note text)', i, "
                            "CASE WHEN i > 1 THEN 'parent_id' ELSE 'x' END); IF i > 1 THEN EXECUTE format('ALTER TABLE "
                            "t%%s ADD FOREIGN KEY (parent_id) REFERENCES t%%s (id)', i, i - 1); END IF; EXECUTE "
                            "format('COMMENT ON TABLE t%%s IS ''table %%s''', i, i); END LOOP; END $$",
                            (long long)at + 1, (long long)(at + 500 < most ? at + 500 : most)));
        e->load(&sql);
        call_end(&c);
        call_begin(&c);
        need(&c, json_parse(&c, e->connection(), strlen(e->connection()), &config.connection), "connection");
        need(&c, type_defaults(&c, &datasource_options_type, &config.options), "options");
        need(&c, registry_open(&c, &r), "registry");
        need(&c, registry_put(r, &c, &config), "put");
        struct adapter *a = registry_peek(r, &c, "shop")->adapter;
        double before = anonymous_mb();
        int64_t began = clock_mono_us();
        need(&c, adapter_introspect(&c, a, &s), "introspect");
        int64_t took = clock_mono_us() - began;
        double after = anonymous_mb();
        s->datasource = "shop";
        s->fingerprint = "x";
        began = clock_mono_us();
        need(&c, registry_publish(r, &c, "shop", s, NULL), "publish");
        int64_t published = clock_mono_us() - began;
        printf("%7zu  %7.2f s  %7.1f MiB  published in %.2f s, %.1f MiB\n", s->table_count, (double)took / 1e6,
               after - before, (double)published / 1e6, anonymous_mb() - after);
        fflush(stdout);
        registry_close(r);
        call_end(&c);
        e->stop();
    }
    return 0;
}

/* ---- the guarded road ---- */

struct road {
    struct call call; /* owns what follows */
    struct datasource_config config;
    struct datasource ds;
    struct policies *policies;
    const struct view *view;
};

static void road_open(struct road *r, const struct test_engine *e)
{
    struct call *c = &r->call;
    struct snapshot *s;
    *r = (struct road){ 0 };
    call_begin(c);
    c->who = (struct principal){ .user = "op", .tenant = "default", .level = LEVEL_OPERATOR };
    r->config = (struct datasource_config){ .id = "shop", .type = e->type };
    need(c, type_defaults(c, &datasource_options_type, &r->config.options), "options");
    need(c, json_parse(c, e->connection(), strlen(e->connection()), &r->config.connection), "connection");
    need(c, adapter_open(c, &r->config, &r->ds.adapter), e->type);
    need(c, adapter_introspect(c, r->ds.adapter, &s), e->type);
    s->datasource = s->fingerprint = e->type;
    r->ds.config = &r->config;
    r->ds.snapshot = s;
    need(c, policies_load(c, NULL, &r->policies), "policies");
    need(c, policy_view(c, r->policies, &c->who, s, &r->view), "view");
}

static void road_close(struct road *r)
{
    adapter_close(r->ds.adapter);
    policies_free(r->policies);
    call_end(&r->call);
}

static int count_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    (void)c, (void)cells, (void)count;
    ++*(int64_t *)ctx;
    return OK;
}

/* From text to rows, all of it. */
static void guarded(struct road *r, const char *sql, int64_t most, int64_t *rows)
{
    struct call c;
    struct query *q;
    struct guarded *g;
    struct run_stats stats;
    struct row_sink sink = { .row = count_row, .ctx = rows };
    call_begin(&c);
    c.who = r->call.who;
    need(&c, sql_to_plan(&c, r->ds.snapshot->dialect, sql, strlen(sql), r->view, &q), "plan");
    need(&c, guard_prepare(&c, &r->ds, r->view, q, ORIGIN_TEXT, most, &g), "prepare");
    need(&c, guard_run(&c, g, NULL, &sink, &stats), "run");
    call_end(&c);
}

static struct list shop(struct call *c, int64_t rows, const char *type)
{
    struct list sql = { 0 };
    const char *series =
        !strcmp(type, "postgres")
            ? "SELECT i AS id, 'name ' || i AS name, i * 1.25 AS amount, DATE '2026-01-01' + (i %% "
              "365)::int AS placed, i / 7.0::float8 AS ratio FROM generate_series(1, %lld) i"
        : !strcmp(type, "mysql")
            ? "SELECT seq AS id, concat('name ', seq) AS name, seq * 1.25 AS amount, DATE '2026-01-01' "
              "+ INTERVAL seq %% 365 DAY AS placed, seq / 7e0 AS ratio FROM seq_1_to_%lld"
        : !strcmp(type, "duckdb")
            ? "SELECT i AS id, 'name ' || i AS name, i * 1.25 AS amount, DATE '2026-01-01' + (i %% "
              "365)::int AS placed, i / 7.0::double AS ratio FROM range(1, %lld + 1) r(i)"
            : "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %lld) SELECT i "
              "AS id, 'name ' || i AS name, i * 1.25 AS amount, date('2026-01-01', (i %% 365) || ' "
              "days') AS placed, i / 7.0 AS ratio FROM n";
    struct buf b;
    buf_init(&b, c, 10000);
    buf_str(&b, "CREATE TABLE big AS ");
    const char *hole = strstr(series, "%lld");
    for (const char *p = series; *p; p++) {
        if (p == hole) {
            buf_int(&b, rows);
            p += 3;
        } else if (p[0] != '%' || p[1] != '%') {
            buf_char(&b, *p);
        }
    }
    add_sql(c, &sql, b.data);
    return sql;
}

/* The same SQL by the engine's own calls. */
struct bare {
    PGconn *postgres;
    MYSQL *mysql;
    sqlite3 *sqlite;
};

static bool bare_open(struct bare *b, const struct test_engine *e)
{
    *b = (struct bare){ 0 };
    if (!strcmp(e->type, "postgres")) {
        const char *const names[] = { "host", "user", "dbname", NULL }, *const values[] = { e->folder(), "reader",
                                                                                            "postgres", NULL };
        b->postgres = PQconnectdbParams(names, values, 0);
        return PQstatus(b->postgres) == CONNECTION_OK;
    }
    if (!strcmp(e->type, "mysql")) {
        char path[200];
        snprintf(path, sizeof path, "%s/socket", e->folder());
        b->mysql = mysql_init(NULL);
        return mysql_real_connect(b->mysql, NULL, "reader", NULL, "shop", 0, path, 0) != NULL;
    }
    return !strcmp(e->type, "sqlite") &&
           sqlite3_open_v2(e->folder(), &b->sqlite, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
}

static void bare_run(struct bare *b, const char *sql)
{
    if (b->postgres) {
        PQclear(PQexecParams(b->postgres, sql, 0, NULL, NULL, NULL, NULL, 0));
    } else if (b->mysql) {
        (void)!mysql_real_query(b->mysql, sql, strlen(sql));
        mysql_free_result(mysql_store_result(b->mysql));
    } else {
        sqlite3_stmt *s;
        sqlite3_prepare_v2(b->sqlite, sql, -1, &s, NULL);
        while (sqlite3_step(s) == SQLITE_ROW) (void)sqlite3_column_text(s, 0);
        sqlite3_finalize(s);
    }
}

static void bare_close(struct bare *b)
{
    if (b->postgres) PQfinish(b->postgres);
    if (b->mysql) mysql_close(b->mysql);
    sqlite3_close(b->sqlite);
}

/* What stands in for a server is none to measure. */
static bool measured(const struct test_engine *e)
{
    return strcmp(e->type, "mssql") != 0 && e->start();
}

static int overhead(void)
{
    static const char *const sqls[] = { "SELECT id, name FROM big WHERE id = 7",
                                        "SELECT count(*), sum(amount) FROM big" };
    enum { ROUNDS = 5, EACH = 200 };
    printf("microseconds a query, best of %d rounds of %d: the engine's own call, guarded (text to rows), ratio\n",
           ROUNDS, EACH);
    for (const struct test_engine *e = test_engines; e->type; e++) {
        struct road road;
        struct bare bare;
        if (!measured(e)) continue;
        struct call c;
        call_begin(&c);
        struct list sql = shop(&c, 10000, e->type);
        e->load(&sql);
        call_end(&c);
        road_open(&road, e);
        bool own = bare_open(&bare, e);
        for (size_t k = 0; k < 2; k++) {
            int64_t best[2] = { INT64_MAX, INT64_MAX }, rows = 0;
            for (int round = 0; round < ROUNDS; round++)
                for (int side = 0; side < 2; side++) {
                    if (!side && !own) continue;
                    int64_t began = clock_mono_us();
                    for (int i = 0; i < EACH; i++)
                        if (side)
                            guarded(&road, sqls[k], 0, &rows);
                        else
                            bare_run(&bare, sqls[k]);
                    int64_t took = clock_mono_us() - began;
                    if (took < best[side]) best[side] = took;
                }
            if (own)
                printf("%-9s %-42s %7.1f  %7.1f  %.2f\n", e->type, sqls[k], (double)best[0] / EACH,
                       (double)best[1] / EACH, (double)best[1] / (double)best[0]);
            else
                printf("%-9s %-42s       -  %7.1f  (no call without a worker)\n", e->type, sqls[k],
                       (double)best[1] / EACH);
            fflush(stdout);
        }
        if (own) bare_close(&bare);
        road_close(&road);
        e->stop();
    }
    return 0;
}

static double client(const char *command, double *mb)
{
    struct rusage usage;
    int status = 0;
    int64_t began = clock_mono_us();
    pid_t pid = fork();
    if (!pid) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    wait4(pid, &status, 0, &usage);
    *mb = (double)usage.ru_maxrss / 1024;
    return status ? -1 : (double)(clock_mono_us() - began) / 1e6;
}

static int stream(void)
{
    static const char sql[] = "SELECT id, name, amount, placed, ratio FROM big";
    enum { ROWS = 1000000 };
    printf("%d rows of five columns: rows a second through the guard, MiB more than before; the engine's own client\n",
           ROWS);
    for (const struct test_engine *e = test_engines; e->type; e++) {
        struct road road;
        struct call c;
        char command[400] = "";
        if (!measured(e)) continue;
        call_begin(&c);
        struct list all = shop(&c, ROWS, e->type);
        e->load(&all);
        call_end(&c);
        road_open(&road, e);
        int64_t rows = 0, most_rows = 0;
        guarded(&road, "SELECT id FROM big LIMIT 1", 0, &most_rows);
        double before = anonymous_mb();
        int64_t began = clock_mono_us();
        guarded(&road, sql, GUARD_EXPORT, &rows);
        double took = (double)(clock_mono_us() - began) / 1e6, more = anonymous_mb() - before, mb = 0;
        if (!strcmp(e->type, "postgres"))
            snprintf(command, sizeof command, "exec psql -q -A -t -h %s -U reader -d postgres -c '%s'", e->folder(),
                     sql);
        if (!strcmp(e->type, "mysql"))
            snprintf(command, sizeof command, "exec mariadb --no-defaults -q -N -S %s/socket -u reader shop -e '%s'",
                     e->folder(), sql);
        if (!strcmp(e->type, "sqlite")) snprintf(command, sizeof command, "exec sqlite3 %s '%s'", e->folder(), sql);
        double own = *command ? client(command, &mb) : -1;
        printf("%-9s %lld rows  %.2f s  %9.0f rows/s  %+.1f MiB", e->type, (long long)rows, took, (double)rows / took,
               more);
        if (own > 0)
            printf("   own client %.2f s  %9.0f rows/s  %.1f MiB   ratio %.2f", own, (double)rows / own, mb,
                   own / took);
        printf("\n");
        fflush(stdout);
        road_close(&road);
        e->stop();
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "introspect")) return introspect(argc - 2, argv + 2);
    if (argc == 2 && !strcmp(argv[1], "overhead")) return overhead();
    if (argc == 2 && !strcmp(argv[1], "stream")) return stream();
    fprintf(stderr, "usage: %s introspect TABLES... | overhead | stream\n", argv[0]);
    return 2;
}
