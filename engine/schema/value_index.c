/* An index that is built: kept in memory or a file, read back from the store. */
#include "schema/value_blob.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPPED_LEAST ((size_t)256 * 1024) /* a smaller blob is not worth a file */

void value_index_free(struct value_index *v)
{
    if (!v) return;
    if (v->mapped)
        munmap((void *)(uintptr_t)v->blob, v->n);
    else
        free((void *)(uintptr_t)v->blob);
    free(v->open);
    free(v);
}

void value_index_each(const struct value_index *v, void *ctx,
                      void (*fn)(void *ctx, const char *schema, const char *table, const char *column,
                                 const char *value))
{
    const struct blob_column *columns = blob_part(v, v->blob->columns);
    const struct blob_value *values = blob_part(v, v->blob->values);
    const char *text = blob_part(v, v->blob->text);
    for (uint32_t i = 0; i < v->blob->value_count; i++) {
        const struct blob_column *col = &columns[values[i].column];
        fn(ctx, col->schema ? text + col->schema : NULL, text + col->table, text + col->column, text + values[i].text);
    }
}

const void *value_index_blob(const struct value_index *v, size_t *n)
{
    *n = v->n;
    return v->blob;
}

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(fd, bytes, n);
        if (done <= 0) return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

void value_index_to_file(struct value_index *v, struct call *c, const char *folder)
{
    if (v->mapped || v->n < MAPPED_LEAST) return;
    char *path = call_format(c, "%s/values-XXXXXX", folder);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) return;
    unlink(path); /* nobody else finds it, so nobody can cut it short; it goes with the mapping */
    void *at = MAP_FAILED;
    if (write_all(fd, (const char *)v->blob, v->n)) at = mmap(NULL, v->n, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED) return;
    free((void *)(uintptr_t)v->blob);
    v->blob = at;
    v->mapped = true;
}

static bool fits(uint32_t at, uint64_t count, size_t each, size_t n)
{
    return at % 8 == 0 && at <= n && count * each <= n - at;
}

/* Every offset and index inside the blob leads inside the blob. */
static bool blob_sound(const unsigned char *bytes, size_t n)
{
    struct blob h;
    if (n < sizeof h) return false;
    memcpy(&h, bytes, sizeof h);
    if (h.magic != BLOB_MAGIC || h.bytes != n || !h.key_slots || (h.key_slots & (h.key_slots - 1))) return false;
    if (!fits(h.columns, h.column_count, sizeof(struct blob_column), n) ||
        !fits(h.values, h.value_count, sizeof(struct blob_value), n) ||
        !fits(h.keys, h.key_slots, sizeof(struct blob_key), n) || !fits(h.runs, h.run_count, 4, n) ||
        !fits(h.text, h.text_bytes, 1, n) || !h.text_bytes || bytes[h.text + h.text_bytes - 1] != 0)
        return false;
    const struct blob_column *columns = (const void *)(bytes + h.columns);
    for (uint32_t i = 0; i < h.column_count; i++)
        if (columns[i].schema >= h.text_bytes || columns[i].table >= h.text_bytes || columns[i].column >= h.text_bytes)
            return false;
    const struct blob_value *values = (const void *)(bytes + h.values);
    for (uint32_t i = 0; i < h.value_count; i++)
        if (values[i].column >= h.column_count || values[i].text >= h.text_bytes) return false;
    const struct blob_key *keys = (const void *)(bytes + h.keys);
    uint32_t empty = 0;
    for (uint32_t i = 0; i < h.key_slots; i++) {
        empty += keys[i].count == 0;
        if (keys[i].first > h.run_count || keys[i].count > h.run_count - keys[i].first) return false;
    }
    const uint32_t *runs = (const void *)(bytes + h.runs);
    for (uint32_t i = 0; i < h.run_count; i++)
        if (runs[i] >= h.value_count) return false;
    return empty > 0;
}

struct value_index *value_index_map(const void *blob, size_t n)
{
    unsigned char *copy = malloc(n ? n : 1);
    struct value_index *v = malloc(sizeof *v);
    if (!copy || !v) abort();
    memcpy(copy, blob, n);
    if (!blob_sound(copy, n)) {
        free(copy);
        free(v);
        return NULL;
    }
    *v = (struct value_index){ .n = n, .blob = (const struct blob *)(const void *)copy };
    return v;
}

static bool named_by(const char *listed, const char *schema, const char *table, const char *column)
{
    size_t n = schema ? strlen(schema) : 0;
    if (n && !strncasecmp(listed, schema, n) && listed[n] == '.') listed += n + 1;
    n = strlen(table);
    return !strncasecmp(listed, table, n) && listed[n] == '.' && !strcasecmp(listed + n + 1, column);
}

void value_index_open_columns(struct value_index *v, const struct list *listed)
{
    const struct blob_column *columns = blob_part(v, v->blob->columns);
    const char *text = blob_part(v, v->blob->text);
    free(v->open);
    v->open = NULL;
    if (!listed->count) return;
    v->open = calloc(v->blob->column_count + 1u, sizeof *v->open);
    if (!v->open) abort();
    for (uint32_t i = 0; i < v->blob->column_count; i++)
        for (size_t k = 0; k < listed->count && !v->open[i]; k++)
            v->open[i] = named_by(LIST_AT(listed, const char *, k), columns[i].schema ? text + columns[i].schema : NULL,
                                  text + columns[i].table, text + columns[i].column);
}
