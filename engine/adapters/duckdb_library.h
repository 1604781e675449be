/* duckdb_library: the functions of DuckDB's library that the worker uses, and its values as text; internal to the
 * worker. */
#ifndef QUERENT_DUCKDB_LIBRARY_H
#define QUERENT_DUCKDB_LIBRARY_H

#include "buf.h"
#include "domain/result.h"

/* As the library lays it out; passed by value. */
struct duck_result {
    uint64_t columns, rows, changed;
    void *data, *message, *internal;
};
struct duck_text {
    uint32_t length;
    char head[4];
    union {
        char tail[8];
        const char *far;
    };
};
struct duck_list {
    uint64_t offset, length;
};
struct duck_interval {
    int32_t months, days;
    int64_t micros;
};
struct duck_huge {
    uint64_t lower;
    uint64_t upper; /* two's complement */
};

enum duck_type {
    DUCK_BOOLEAN = 1,
    DUCK_TINYINT,
    DUCK_SMALLINT,
    DUCK_INTEGER,
    DUCK_BIGINT,
    DUCK_UTINYINT,
    DUCK_USMALLINT,
    DUCK_UINTEGER,
    DUCK_UBIGINT,
    DUCK_FLOAT,
    DUCK_DOUBLE,
    DUCK_TIMESTAMP,
    DUCK_DATE,
    DUCK_TIME,
    DUCK_INTERVAL,
    DUCK_HUGEINT,
    DUCK_VARCHAR,
    DUCK_BLOB,
    DUCK_DECIMAL,
    DUCK_TIMESTAMP_S,
    DUCK_TIMESTAMP_MS,
    DUCK_TIMESTAMP_NS,
    DUCK_ENUM,
    DUCK_LIST,
    DUCK_STRUCT,
    DUCK_MAP,
    DUCK_UUID,
    DUCK_UNION,
    DUCK_BIT,
    DUCK_TIME_TZ,
    DUCK_TIMESTAMP_TZ,
    DUCK_UHUGEINT,
    DUCK_ARRAY,
    DUCK_TIME_NS = 39
};
enum { STATEMENT_SELECT = 1 };

#define FUNCTIONS(X)                                                                                                   \
    X(int, create_config, (void **))                                                                                   \
    X(int, set_config, (void *, const char *, const char *))                                                           \
    X(void, destroy_config, (void **))                                                                                 \
    X(int, open_ext, (const char *, void **, void *, char **))                                                         \
    X(void, free, (void *))                                                                                            \
    X(int, connect, (void *, void **))                                                                                 \
    X(void, disconnect, (void **))                                                                                     \
    X(void, close, (void **))                                                                                          \
    X(const char *, library_version, (void))                                                                           \
    X(int, prepare, (void *, const char *, void **))                                                                   \
    X(const char *, prepare_error, (void *))                                                                           \
    X(void, destroy_prepare, (void **))                                                                                \
    X(int, prepared_statement_type, (void *))                                                                          \
    X(uint64_t, nparams, (void *))                                                                                     \
    X(int, execute_prepared_streaming, (void *, struct duck_result *))                                                 \
    X(const char *, result_error, (struct duck_result *))                                                              \
    X(void, destroy_result, (struct duck_result *))                                                                    \
    X(uint64_t, column_count, (struct duck_result *))                                                                  \
    X(const char *, column_name, (struct duck_result *, uint64_t))                                                     \
    X(void *, column_logical_type, (struct duck_result *, uint64_t))                                                   \
    X(void *, fetch_chunk, (struct duck_result))                                                                       \
    X(void, destroy_data_chunk, (void **))                                                                             \
    X(uint64_t, data_chunk_get_size, (void *))                                                                         \
    X(void *, data_chunk_get_vector, (void *, uint64_t))                                                               \
    X(void *, vector_get_data, (void *))                                                                               \
    X(uint64_t *, vector_get_validity, (void *))                                                                       \
    X(void *, list_vector_get_child, (void *))                                                                         \
    X(void *, array_vector_get_child, (void *))                                                                        \
    X(void *, struct_vector_get_child, (void *, uint64_t))                                                             \
    X(int, get_type_id, (void *))                                                                                      \
    X(uint8_t, decimal_scale, (void *))                                                                                \
    X(uint8_t, decimal_width, (void *))                                                                                \
    X(int, decimal_internal_type, (void *))                                                                            \
    X(int, enum_internal_type, (void *))                                                                               \
    X(char *, enum_dictionary_value, (void *, uint64_t))                                                               \
    X(void *, list_type_child_type, (void *))                                                                          \
    X(void *, array_type_child_type, (void *))                                                                         \
    X(uint64_t, array_type_array_size, (void *))                                                                       \
    X(uint64_t, struct_type_child_count, (void *))                                                                     \
    X(char *, struct_type_child_name, (void *, uint64_t))                                                              \
    X(void *, struct_type_child_type, (void *, uint64_t))                                                              \
    X(void *, union_type_member_type, (void *, uint64_t))                                                              \
    X(void, destroy_logical_type, (void **))

struct duck {
#define X(result, name, arguments) result(*name) arguments;
    FUNCTIONS(X)
#undef X
    void *database, *connection;
    int out;
};

/* A place in a column of the library. */
struct duck_value {
    struct duck *duck;
    void *type, *vector;
    uint64_t row;
};

const char *duck_text(const struct duck_text *t, size_t *n);
bool duck_is_null(struct duck_value v);
/* Appends the value as text, NULL as "NULL"; b->failed when its type has no text form. nested: inside a list or struct.
 */
void duck_add_value(struct buf *b, struct duck_value v, bool nested);

#endif
