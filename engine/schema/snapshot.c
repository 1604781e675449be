#include "schema/snapshot.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* ---- copy ---- */

static const char *copy_text(struct arena *a, const char *s)
{
    if (!s) return NULL;
    size_t n = strlen(s) + 1;
    return memcpy(arena_alloc(a, n), s, n);
}

static const char **copy_texts(struct arena *a, const char *const *items, size_t count)
{
    const char **copy = arena_alloc(a, count * sizeof *copy);
    for (size_t i = 0; i < count; i++) copy[i] = copy_text(a, items[i]);
    return copy;
}

static struct column *copy_columns(struct arena *a, const struct column *columns, size_t count)
{
    struct column *copy = arena_alloc(a, count * sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        struct column *col = &copy[i];
        *col = columns[i];
        col->name = copy_text(a, col->name);
        col->db_type = copy_text(a, col->db_type);
        col->description = copy_text(a, col->description);
        col->min = copy_text(a, col->min);
        col->max = copy_text(a, col->max);
        col->samples = copy_texts(a, col->samples, col->sample_count);
    }
    return copy;
}

static struct foreign_key *copy_keys(struct arena *a, const struct foreign_key *keys, size_t count)
{
    struct foreign_key *copy = arena_alloc(a, count * sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        copy[i] = keys[i];
        copy[i].schema = copy_text(a, keys[i].schema);
        copy[i].table = copy_text(a, keys[i].table);
        copy[i].columns = copy_texts(a, keys[i].columns, keys[i].column_count);
        copy[i].referred = copy_texts(a, keys[i].referred, keys[i].column_count);
    }
    return copy;
}

static struct table_read *copy_reads(struct arena *a, const struct table_read *reads, size_t count)
{
    struct table_read *copy = arena_alloc(a, count * sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        copy[i] = reads[i];
        copy[i].schema = copy_text(a, reads[i].schema);
        copy[i].table = copy_text(a, reads[i].table);
        copy[i].columns = copy_texts(a, reads[i].columns, reads[i].column_count);
    }
    return copy;
}

static int compare_tables(const void *a, const void *b)
{
    return table_order(a, b);
}

void snapshot_sort(struct snapshot *s)
{
    if (s->table_count) qsort(s->tables, s->table_count, sizeof *s->tables, compare_tables);
}

struct snapshot *snapshot_copy(struct arena *a, const struct snapshot *s)
{
    struct snapshot *copy = arena_alloc(a, sizeof *copy);
    *copy = *s;
    copy->datasource = copy_text(a, s->datasource);
    copy->dialect = copy_text(a, s->dialect);
    copy->fingerprint = copy_text(a, s->fingerprint);
    copy->server_version = copy_text(a, s->server_version);
    copy->tables = arena_alloc(a, s->table_count * sizeof *copy->tables);
    for (size_t i = 0; i < s->table_count; i++) {
        struct table *t = &copy->tables[i];
        *t = s->tables[i];
        t->schema = copy_text(a, t->schema);
        t->name = copy_text(a, t->name);
        t->description = copy_text(a, t->description);
        t->mark = copy_text(a, t->mark);
        t->columns = copy_columns(a, t->columns, t->column_count);
        t->foreign_keys = copy_keys(a, t->foreign_keys, t->foreign_key_count);
        t->reads = copy_reads(a, t->reads, t->read_count);
        t->functions = copy_texts(a, t->functions, t->function_count);
    }
    snapshot_sort(copy);
    return copy;
}

/* ---- fingerprint ---- */

/* Length first, so that no two lists of texts run together. */
static void add_text(struct hash *h, const char *s)
{
    uint64_t n = s ? strlen(s) : UINT64_MAX;
    hash_add(h, &n, sizeof n);
    if (s) hash_add(h, s, n);
}

static void add_number(struct hash *h, size_t n)
{
    uint64_t v = n;
    hash_add(h, &v, sizeof v);
}

static void add_keys(struct hash *h, const struct table *t)
{
    size_t declared = 0;
    for (size_t i = 0; i < t->foreign_key_count; i++) declared += !t->foreign_keys[i].inferred;
    add_number(h, declared);
    for (size_t i = 0; i < t->foreign_key_count; i++) {
        const struct foreign_key *k = &t->foreign_keys[i];
        if (k->inferred) continue;
        add_text(h, k->schema);
        add_text(h, k->table);
        add_number(h, k->column_count);
        for (size_t j = 0; j < k->column_count; j++) {
            add_text(h, k->columns[j]);
            add_text(h, k->referred[j]);
        }
    }
}

const char *snapshot_fingerprint(struct call *c, const struct snapshot *s)
{
    struct hash *h = hash_begin(c);
    add_text(h, s->dialect);
    add_number(h, s->table_count);
    for (size_t i = 0; i < s->table_count; i++) {
        const struct table *t = &s->tables[i];
        add_text(h, t->schema);
        add_text(h, t->name);
        add_number(h, (size_t)t->kind);
        add_number(h, t->column_count);
        for (size_t j = 0; j < t->column_count; j++) {
            const struct column *col = &t->columns[j];
            add_text(h, col->name);
            add_text(h, col->db_type);
            add_number(h, (size_t)col->primary_key * 4 + (col->nullable ? 2 : 0) + (col->unique ? 1 : 0));
        }
        add_keys(h, t);
    }
    return hash_end(c, h);
}
