#include "engines.h"
#include "base/sanitizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char sqlite_path[] = "/tmp/querent-sqlite-XXXXXX", duckdb_path[] = "/tmp/querent-duckdb-XXXXXX";
static char postgres_dir[] = "/tmp/querent-postgres-XXXXXX", mysql_dir[] = "/tmp/querent-mysql-XXXXXX";
static char mssql_dir[] = "/tmp/querent-mssql-XXXXXX";

/* A template of mkdtemp and mkstemp serves once. */
static void renew(char *path)
{
    memset(path + strlen(path) - 6, 'X', 6);
}

static bool shell(const char *script, const char *verb, const char *dir)
{
    char command[200];
    snprintf(command, sizeof command, "tests/lib/%s.sh %s %s", script, verb, dir);
    return system(command) == 0;
}

/* ---- SQLite ---- */

static bool sqlite_start(void)
{
    renew(sqlite_path);
    int fd = mkstemp(sqlite_path);
    return fd >= 0 && close(fd) == 0;
}

static void sqlite_load(const struct list *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(sqlite_path, &db), SQLITE_OK);
    for (size_t i = 0; i < sql->count; i++)
        if (sqlite3_exec(db, LIST_AT(sql, const char *, i), NULL, NULL, NULL)) fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

static const char *sqlite_connection(void)
{
    static char json[100];
    snprintf(json, sizeof json, "{\"path\":\"%s\"}", sqlite_path);
    return json;
}

static const char *sqlite_folder(void)
{
    return sqlite_path;
}

static void sqlite_stop(void)
{
    unlink(sqlite_path);
}

/* ---- PostgreSQL ---- */

static bool postgres_start(void)
{
    renew(postgres_dir);
    return mkdtemp(postgres_dir) && shell("postgres", "start", postgres_dir);
}

static void postgres_load(const struct list *sql)
{
    const char *const names[] = { "host", "user", "dbname", NULL }, *const values[] = { postgres_dir, "owner",
                                                                                        "postgres", NULL };
    static const char *const grants[] = {
        "DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"
    };
    PGconn *conn = PQconnectdbParams(names, values, 0);
    for (size_t i = 0; i < sql->count + 2; i++) {
        const char *text = i < sql->count ? LIST_AT(sql, const char *, i) : grants[i - sql->count];
        PGresult *r = PQexec(conn, text);
        if (PQresultStatus(r) != PGRES_COMMAND_OK) fail_msg("%s: %.300s", PQerrorMessage(conn), text);
        PQclear(r);
    }
    PQfinish(conn);
}

static const char *postgres_connection(void)
{
    static char json[200];
    snprintf(json, sizeof json, "{\"host\":\"%s\",\"user\":\"reader\",\"database\":\"postgres\"}", postgres_dir);
    return json;
}

static const char *postgres_folder(void)
{
    return postgres_dir;
}

static void postgres_stop(void)
{
    shell("postgres", "stop", postgres_dir);
}

/* ---- MariaDB ---- */

static bool mysql_start(void)
{
    renew(mysql_dir);
    return mkdtemp(mysql_dir) && shell("mariadb", "start", mysql_dir);
}

/* Double quotes are names there only in this mode of the session that makes the tables. */
static void mysql_load(const struct list *sql)
{
    char file[100];
    snprintf(file, sizeof file, "%s/fixture.sql", mysql_dir);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs("SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'; CREATE DATABASE IF NOT EXISTS shop CHARACTER SET utf8mb4 "
          "COLLATE"
          " utf8mb4_bin;"
          " USE shop;\n",
          out);
    for (size_t i = 0; i < sql->count; i++) fprintf(out, "%s;\n", LIST_AT(sql, const char *, i));
    fputs("CREATE USER IF NOT EXISTS reader@localhost; GRANT SELECT, REFERENCES ON shop.* TO reader@localhost;\n", out);
    assert_int_equal(fclose(out), 0);
    if (!shell("mariadb", "load", mysql_dir)) fail_msg("the fixture could not be loaded");
}

static const char *mysql_connection(void)
{
    static char json[200];
    snprintf(json, sizeof json, "{\"host\":\"%s/socket\",\"user\":\"reader\",\"database\":\"shop\"}", mysql_dir);
    return json;
}

static const char *mysql_folder(void)
{
    return mysql_dir;
}

static void mysql_stop(void)
{
    shell("mariadb", "stop", mysql_dir);
}

/* ---- SQL Server: a stand-in ---- */

static bool mssql_start(void)
{
    renew(mssql_dir);
    return getenv("WORKER_BINARY") && mkdtemp(mssql_dir) && shell("mssql", "start", mssql_dir);
}

static void mssql_load(const struct list *sql)
{
    char file[100];
    snprintf(file, sizeof file, "%s/fixture.sql", mssql_dir);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    for (size_t i = 0; i < sql->count; i++) fprintf(out, "%s%c", LIST_AT(sql, const char *, i), '\0');
    assert_int_equal(fclose(out), 0);
    if (!shell("mssql", "load", mssql_dir)) fail_msg("the fixture could not be loaded");
}

static const char *mssql_connection(void)
{
    static char json[200];
    char file[100];
    int port = 0;
    snprintf(file, sizeof file, "%s/port", mssql_dir);
    FILE *in = fopen(file, "r");
    if (in) {
        assert_int_equal(fscanf(in, "%d", &port), 1);
        fclose(in);
    }
    snprintf(json, sizeof json, "{\"host\":\"127.0.0.1\",\"port\":%d,\"user\":\"reader\",\"database\":\"shop\"}", port);
    return json;
}

static const char *mssql_folder(void)
{
    return mssql_dir;
}

static void mssql_stop(void)
{
    shell("mssql", "stop", mssql_dir);
}

/* ---- DuckDB ---- */

static bool duckdb_start(void)
{
    const char *library = getenv("DUCKDB_LIBRARY");
    /* The library is not built for the watcher of threads, which would report what is none. */
    if (SANITIZE_THREAD) return false;
    renew(duckdb_path);
    int fd = mkstemp(duckdb_path);
    if (fd < 0 || close(fd) || !library || access(library, R_OK) || !getenv("WORKER_BINARY")) return false;
    return unlink(duckdb_path) == 0; /* the library makes it */
}

/* In a child only: the library's threads and memory are not this process's. */
static int duckdb_fill(const struct list *sql)
{
    void *handle = dlopen(getenv("DUCKDB_LIBRARY"), RTLD_NOW), *db = NULL, *conn = NULL;
    struct {
        uint64_t columns, rows, changed;
        void *data, *message, *internal;
    } result = { 0 };
    int (*open_db)(const char *, void **), (*connect_db)(void *, void **), (*query)(void *, const char *, void *);
    void (*close_db)(void **), (*disconnect)(void **);
    const char *(*error)(void *);
    const struct {
        const char *name;
        void *to;
    } symbols[] = { { "duckdb_open", &open_db },          { "duckdb_connect", &connect_db },
                    { "duckdb_query", &query },           { "duckdb_close", &close_db },
                    { "duckdb_disconnect", &disconnect }, { "duckdb_result_error", &error } };
    for (size_t i = 0; handle && i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(handle, symbols[i].name);
        memcpy(symbols[i].to, &symbol, sizeof symbol);
    }
    if (!handle || open_db(duckdb_path, &db) || connect_db(db, &conn)) return 1;
    for (size_t i = 0; i < sql->count; i++)
        if (query(conn, LIST_AT(sql, const char *, i), &result)) {
            fprintf(stderr, "%s: %.300s\n", error(&result), LIST_AT(sql, const char *, i));
            return 2;
        }
    disconnect(&conn);
    close_db(&db);
    return 0;
}

static void duckdb_load(const struct list *sql)
{
    int status = 0;
    pid_t pid = fork();
    if (!pid) _exit(duckdb_fill(sql));
    waitpid(pid, &status, 0);
    if (status) fail_msg("the fixture could not be made: %d", status);
}

static const char *duckdb_connection(void)
{
    static char json[100];
    snprintf(json, sizeof json, "{\"path\":\"%s\"}", duckdb_path);
    return json;
}

static const char *duckdb_folder(void)
{
    return duckdb_path;
}

static void duckdb_stop(void)
{
    unlink(duckdb_path);
}

const struct test_engine test_engines[] = {
    { "duckdb", duckdb_start, duckdb_load, duckdb_connection, duckdb_folder, duckdb_stop },
    { "mssql", mssql_start, mssql_load, mssql_connection, mssql_folder, mssql_stop },
    { "mysql", mysql_start, mysql_load, mysql_connection, mysql_folder, mysql_stop },
    { "postgres", postgres_start, postgres_load, postgres_connection, postgres_folder, postgres_stop },
    { "sqlite", sqlite_start, sqlite_load, sqlite_connection, sqlite_folder, sqlite_stop },
    { 0 },
};

const struct test_engine *test_engine_find(const char *type)
{
    for (const struct test_engine *e = test_engines; e->type; e++)
        if (!strcmp(e->type, type)) return e;
    return NULL;
}

/* ---- copying ---- */

static const char *replaced(struct call *c, const char *text, const char *from, const char *to)
{
    struct buf b;
    buf_init(&b, c, (size_t)1 << 20);
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
        buf_add(&b, text, (size_t)(at - text));
        buf_str(&b, to);
    }
    buf_str(&b, text);
    return b.data;
}

static const char *translated(struct call *c, const char *ddl, const char *type)
{
    ddl = replaced(c, ddl, " WITHOUT ROWID", "");
    if (!strcmp(type, "mssql"))
        return replaced(c, replaced(c, replaced(c, ddl, "TEXT", "NVARCHAR(190)"), "TIMESTAMP", "DATETIME2"), "BOOLEAN",
                        "BIT");
    if (strcmp(type, "mysql") != 0) return ddl;
    return replaced(c, replaced(c, ddl, "TEXT", "VARCHAR(190)"), "TIMESTAMP", "DATETIME");
}

static void add_value(struct buf *b, sqlite3_stmt *s, int i, const char *type)
{
    const char *declared = sqlite3_column_decltype(s, i), *text = (const char *)sqlite3_column_text(s, i);
    if (!text) {
        buf_str(b, "NULL");
    } else if (declared && !strcmp(declared, "BOOLEAN") && strcmp(type, "mssql") != 0) {
        buf_str(b, *text == '1' ? "TRUE" : "FALSE");
    } else if (sqlite3_column_type(s, i) != SQLITE_TEXT) {
        buf_str(b, text);
    } else {
        buf_char(b, '\'');
        for (; *text; text++) {
            if (*text == '\'') buf_char(b, '\'');
            buf_char(b, *text);
        }
        buf_char(b, '\'');
    }
}

static void copy_rows(struct call *c, sqlite3 *db, const char *table, const char *type, size_t rows_each,
                      struct list *out)
{
    sqlite3_stmt *s;
    struct buf b;
    size_t rows = 0;
    assert_int_equal(sqlite3_prepare_v2(db, call_format(c, "SELECT * FROM \"%s\"", table), -1, &s, NULL), SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (rows++ % rows_each == 0) {
            if (rows > 1) *(const char **)list_push(c, out, sizeof(const char *)) = b.data;
            buf_init(&b, c, (size_t)4 << 20);
            buf_format(&b, "INSERT INTO \"%s\" VALUES ", table);
        }
        buf_str(&b, (rows - 1) % rows_each ? ", (" : "(");
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            if (i) buf_str(&b, ", ");
            add_value(&b, s, i, type);
        }
        buf_char(&b, ')');
    }
    if (rows) *(const char **)list_push(c, out, sizeof(const char *)) = b.data;
    sqlite3_finalize(s);
}

struct list engines_copy(struct call *c, const char *path, const char *type)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    struct list out = { 0 };
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE "
                                        "'sqlite_%' ORDER BY rowid",
                                        -1, &s, NULL),
                     SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW) {
        *(const char **)list_push(c, &out, sizeof(const char *)) =
            translated(c, (const char *)sqlite3_column_text(s, 1), type);
        /* A row that refers to one of its own table must come after it, in DuckDB in a statement of its own. */
        const char *table = call_strdup(c, (const char *)sqlite3_column_text(s, 0));
        bool own = strstr((const char *)sqlite3_column_text(s, 1), call_format(c, "REFERENCES %s ", table)) != NULL;
        copy_rows(c, db, table, type, own ? 1 : 1000, &out);
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    return out;
}
