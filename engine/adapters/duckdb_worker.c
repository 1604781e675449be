/* The worker's side: the only code that runs DuckDB's library. It is loaded at run time, so the few functions used are
 * declared here. */
#include "adapters/duckdb.h"
#include "adapters/duckdb_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_SPACE ((size_t)2 * 1024 * 1024 * 1024)
#define ROW_MAX       ((size_t)48 * 1024 * 1024)
#define BATCH_BYTES   ((size_t)64 * 1024)

static bool error(struct duck *d, const char *text)
{
    return worker_send(d->out, FRAME_ERROR, text ? text : "unknown", strlen(text ? text : "unknown"));
}

static const struct {
    int type;
    const char *name;
    enum type_kind kind;
    enum cell_kind cell;
} types[] = {
    { DUCK_BOOLEAN, "BOOLEAN", TYPE_BOOLEAN, CELL_BOOLEAN },
    { DUCK_TINYINT, "TINYINT", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_SMALLINT, "SMALLINT", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_INTEGER, "INTEGER", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_BIGINT, "BIGINT", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_UTINYINT, "UTINYINT", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_USMALLINT, "USMALLINT", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_UINTEGER, "UINTEGER", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_UBIGINT, "UBIGINT", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_HUGEINT, "HUGEINT", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_UHUGEINT, "UHUGEINT", TYPE_INTEGER, CELL_NUMBER },
    { DUCK_FLOAT, "FLOAT", TYPE_DOUBLE, CELL_DOUBLE },
    { DUCK_DOUBLE, "DOUBLE", TYPE_DOUBLE, CELL_DOUBLE },
    { DUCK_DECIMAL, "DECIMAL", TYPE_DECIMAL, CELL_NUMBER },
    { DUCK_VARCHAR, "VARCHAR", TYPE_TEXT, CELL_TEXT },
    { DUCK_BLOB, "BLOB", TYPE_BINARY, CELL_BINARY },
    { DUCK_DATE, "DATE", TYPE_DATE, CELL_TEXT },
    { DUCK_TIME, "TIME", TYPE_TIME, CELL_TEXT },
    { DUCK_TIME_TZ, "TIME WITH TIME ZONE", TYPE_TIME, CELL_TEXT },
    { DUCK_TIMESTAMP, "TIMESTAMP", TYPE_TIMESTAMP, CELL_TEXT },
    { DUCK_TIMESTAMP_S, "TIMESTAMP_S", TYPE_TIMESTAMP, CELL_TEXT },
    { DUCK_TIMESTAMP_MS, "TIMESTAMP_MS", TYPE_TIMESTAMP, CELL_TEXT },
    { DUCK_TIMESTAMP_NS, "TIMESTAMP_NS", TYPE_TIMESTAMP, CELL_TEXT },
    { DUCK_TIMESTAMP_TZ, "TIMESTAMP WITH TIME ZONE", TYPE_TIMESTAMPTZ, CELL_TEXT },
    { DUCK_INTERVAL, "INTERVAL", TYPE_INTERVAL, CELL_TEXT },
    { DUCK_UUID, "UUID", TYPE_TEXT, CELL_TEXT },
    { DUCK_ENUM, "ENUM", TYPE_TEXT, CELL_TEXT },
    { DUCK_BIT, "BIT", TYPE_TEXT, CELL_TEXT },
    { DUCK_LIST, "LIST", TYPE_UNKNOWN, CELL_TEXT },
    { DUCK_ARRAY, "ARRAY", TYPE_UNKNOWN, CELL_TEXT },
    { DUCK_STRUCT, "STRUCT", TYPE_UNKNOWN, CELL_TEXT },
    { DUCK_MAP, "MAP", TYPE_UNKNOWN, CELL_TEXT },
    { DUCK_UNION, "UNION", TYPE_UNKNOWN, CELL_TEXT },
    { DUCK_TIME_NS, "TIME_NS", TYPE_TIME, CELL_TEXT },
};

static size_t type_row(int type)
{
    size_t n = sizeof types / sizeof types[0], i = 0;
    while (i < n && types[i].type != type) i++;
    return i;
}

/* ---- requests
 * --------------------------------------------------------------------------------------------------------- */

static bool send_columns(struct duck *d, struct call *c, struct duck_result *r, void **column_types)
{
    uint64_t n = d->column_count(r);
    for (uint64_t i = 0; i < n; i++) {
        struct buf b;
        buf_init(&b, c, 64 * 1024);
        column_types[i] = d->column_logical_type(r, i);
        size_t row = type_row(d->get_type_id(column_types[i]));
        bool known = row < sizeof types / sizeof types[0];
        buf_str(&b, d->column_name(r, i));
        buf_char(&b, '\0');
        buf_str(&b, known ? types[row].name : "UNKNOWN");
        buf_char(&b, '\0');
        buf_char(&b, (char)(known ? types[row].kind : TYPE_UNKNOWN));
        buf_char(&b, known && types[row].type == DUCK_DECIMAL ? (char)d->decimal_scale(column_types[i]) : 0);
        if (!worker_send(d->out, FRAME_COLUMN, b.data, b.len)) return false;
    }
    return true;
}

static void add_cell(struct buf *row, struct duck_value v)
{
    size_t at = type_row(v.duck->get_type_id(v.type)), start = row->len;
    bool null = duck_is_null(v);
    char head[5] = { (char)(null ? CELL_NULL : at < sizeof types / sizeof types[0] ? types[at].cell : CELL_TEXT) };
    buf_add(row, head, sizeof head);
    if (!null) duck_add_value(row, v, false);
    if (row->failed) return;
    uint32_t n = (uint32_t)(row->len - start - sizeof head);
    memcpy(row->data + start + 1, &n, sizeof n);
}

static bool send_rows(struct duck *d, struct call *c, struct duck_result *r, void **column_types, uint64_t columns,
                      uint64_t most)
{
    struct buf row, batch; /* frames go out together: a call for each row would cost more than the row */
    uint64_t sent = 0;
    buf_init(&row, c, ROW_MAX);
    buf_init(&batch, c, ROW_MAX + 2 * BATCH_BYTES);
    for (void *chunk; sent < most && (chunk = d->fetch_chunk(*r));) {
        uint64_t n = d->data_chunk_get_size(chunk);
        bool ok = true, fits = true;
        for (uint64_t i = 0; ok && fits && i < n && sent < most; i++, sent++) {
            buf_clear(&row);
            for (uint64_t k = 0; k < columns; k++)
                add_cell(&row, (struct duck_value){ d, column_types[k], d->data_chunk_get_vector(chunk, k), i });
            fits = !row.failed;
            if (!fits) break;
            uint32_t length = (uint32_t)row.len + 1;
            char head[5] = { [4] = FRAME_ROW };
            memcpy(head, &length, sizeof length);
            buf_add(&batch, head, sizeof head);
            buf_add(&batch, row.data, row.len);
            if (batch.len < BATCH_BYTES) continue;
            ok = worker_write(d->out, batch.data, batch.len);
            buf_clear(&batch);
        }
        ok = ok && worker_write(d->out, batch.data, batch.len);
        buf_clear(&batch);
        d->destroy_data_chunk(&chunk);
        if (!fits) return error(d, "a value is too large or of a type that has no text form");
        if (!ok) return false;
        if (!n) break;
    }
    const char *late = d->result_error(r);
    return late && *late ? error(d, late) : worker_send(d->out, FRAME_DONE, "", 0);
}

static bool run(struct duck *d, const char *sql, uint64_t most)
{
    void *prepared = NULL;
    struct duck_result r = { 0 };
    struct call c;
    bool ok = true;
    call_begin(&c);
    if (d->prepare(d->connection, sql, &prepared)) {
        ok = error(d, d->prepare_error(prepared));
    } else if (d->prepared_statement_type(prepared) != STATEMENT_SELECT || d->nparams(prepared)) {
        ok = error(d, "not one SELECT");
    } else if (d->execute_prepared_streaming(prepared, &r)) {
        ok = error(d, d->result_error(&r));
        d->destroy_result(&r);
    } else {
        uint64_t columns = d->column_count(&r);
        void **column_types = call_array(&c, columns, sizeof *column_types);
        ok = send_columns(d, &c, &r, column_types) && send_rows(d, &c, &r, column_types, columns, most);
        for (uint64_t i = 0; i < columns; i++)
            if (column_types[i]) d->destroy_logical_type(&column_types[i]);
        d->destroy_result(&r);
    }
    d->destroy_prepare(&prepared);
    call_end(&c);
    return ok;
}

/* The library serializes only what stands in the statement as a literal. */
static const char *serializing(struct call *c, const char *sql)
{
    struct buf b;
    buf_init(&b, c, WORKER_FRAME_MAX);
    buf_str(&b, "SELECT json_serialize_sql('");
    for (; *sql; sql++) {
        if (*sql == '\'') buf_char(&b, '\'');
        buf_char(&b, *sql);
    }
    buf_str(&b, "')");
    return b.data;
}

/* The parsed statement as JSON, and that the library would prepare it as one SELECT. */
static bool inspect(struct duck *d, const char *sql)
{
    void *prepared = NULL, *serializer = NULL;
    struct duck_result r = { 0 };
    struct call c;
    bool ok;
    call_begin(&c);
    if (d->prepare(d->connection, sql, &prepared)) {
        ok = error(d, d->prepare_error(prepared));
    } else if (d->prepared_statement_type(prepared) != STATEMENT_SELECT || d->nparams(prepared)) {
        ok = error(d, "not one SELECT");
    } else if (d->prepare(d->connection, serializing(&c, sql), &serializer)) {
        ok = error(d, d->prepare_error(serializer));
    } else if (d->execute_prepared_streaming(serializer, &r)) {
        ok = error(d, d->result_error(&r));
        d->destroy_result(&r);
    } else {
        void *chunk = d->fetch_chunk(r);
        size_t n = 0;
        const char *tree = chunk ? duck_text(d->vector_get_data(d->data_chunk_get_vector(chunk, 0)), &n) : "";
        ok = worker_send(d->out, FRAME_TREE, tree, n);
        if (chunk) d->destroy_data_chunk(&chunk);
        d->destroy_result(&r);
    }
    if (serializer) d->destroy_prepare(&serializer);
    d->destroy_prepare(&prepared);
    call_end(&c);
    return ok;
}

static bool load(struct duck *d, const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    bool all = true;
    /* ISO C has no conversion from dlsym's object pointer: the bytes are copied. */
#define X(result, name, arguments)                                                                                     \
    {                                                                                                                  \
        void *symbol = dlsym(handle, "duckdb_" #name);                                                                 \
        memcpy(&d->name, &symbol, sizeof symbol);                                                                      \
        all = all && symbol;                                                                                           \
    }
    FUNCTIONS(X)
#undef X
    return all;
}

static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *stop = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
    *at = stop ? stop + 1 : end;
    return stop ? text : "";
}

static bool open_database(struct duck *d, const char *payload, size_t n)
{
    const char *at = payload, *end = payload + n;
    const char *library = next_text(&at, end), *path = next_text(&at, end);
    const char *memory = next_text(&at, end), *threads = next_text(&at, end);
    const char *const settings[][2] = {
        { "access_mode", "READ_ONLY" },
        { "enable_external_access", "false" },
        { "autoinstall_known_extensions", "false" },
        { "autoload_known_extensions", "false" },
        { "allow_community_extensions", "false" },
        { "memory_limit", memory },
        { "threads", threads },
        { "lock_configuration", "true" },
    };
    void *config = NULL;
    char *why = NULL;
    worker_limit(ADDRESS_SPACE);
    if (!load(d, library)) return error(d, "library");
    if (d->create_config(&config)) return error(d, "config");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (d->set_config(config, settings[i][0], settings[i][1])) return error(d, settings[i][0]);
    if (d->open_ext(path, &d->database, config, &why)) return error(d, why);
    d->destroy_config(&config);
    if (d->connect(d->database, &d->connection)) return error(d, "connect");
    return worker_send(d->out, FRAME_DONE, d->library_version(), strlen(d->library_version()));
}

int duckdb_worker(int fd)
{
    struct duck d = { .out = fd };
    for (uint32_t length; worker_read(fd, &length, sizeof length);) {
        bool ok = false;
        if (!length || length > WORKER_FRAME_MAX) return 1;
        char *frame = malloc((size_t)length + 1);
        if (!frame || !worker_read(fd, frame, length)) return 1;
        frame[length] = '\0';
        if (frame[0] == FRAME_OPEN && !d.connection) {
            ok = open_database(&d, frame + 1, length - 1);
        } else if (frame[0] == FRAME_RUN && d.connection && length > 9) {
            uint64_t most;
            memcpy(&most, frame + 1, sizeof most);
            ok = run(&d, frame + 9, most);
        } else if (frame[0] == FRAME_INSPECT && d.connection) {
            ok = inspect(&d, frame + 1);
        }
        free(frame);
        if (!ok) return 1;
    }
    if (d.connection) d.disconnect(&d.connection);
    if (d.database) d.close(&d.database);
    return 0;
}
