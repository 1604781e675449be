#include "domain/schema.h"

#include <string.h>
#include <strings.h>

/* FNV-1a over the letters in lower case. */
static uint32_t name_hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) {
        unsigned char ch = (unsigned char)*s;
        if (ch >= 'A' && ch <= 'Z') ch = (unsigned char)(ch + 32);
        h = (h ^ ch) * 16777619u;
    }
    return h;
}

static size_t slot_count(size_t count)
{
    size_t size = 16;
    while (size < count * 2) size *= 2;
    return size;
}

size_t table_names_bytes(size_t count)
{
    return slot_count(count) * sizeof(uint32_t);
}

void table_names_build(struct table_names *n, void *memory, const struct table *tables, size_t count)
{
    n->slots = memory;
    n->size = slot_count(count);
    memset(n->slots, 0, n->size * sizeof *n->slots);
    for (size_t i = 0; i < count; i++) {
        size_t at = name_hash(tables[i].name) & (n->size - 1);
        while (n->slots[at]) at = (at + 1) & (n->size - 1);
        n->slots[at] = (uint32_t)i + 1;
    }
}

/* The best match so far: an exact spelling beats one without case; two of the best kind are ambiguous. */
struct match {
    const struct table *found;
    size_t exact, folded;
};

static void consider(struct match *m, const struct table *t, const char *schema, const char *name)
{
    if (strcasecmp(t->name, name) || (schema && (!t->schema || strcasecmp(t->schema, schema)))) return;
    bool exact = !strcmp(t->name, name) && (!schema || !strcmp(t->schema, schema));
    if (exact || !m->exact) m->found = t;
    if (exact)
        m->exact++;
    else
        m->folded++;
}

const struct table *schema_find(const struct table *tables, size_t count, const struct table_names *names,
                                const char *schema, const char *name, size_t *matches)
{
    struct match m = { 0 };
    if (names && names->size) {
        for (size_t at = name_hash(name) & (names->size - 1); names->slots[at]; at = (at + 1) & (names->size - 1))
            consider(&m, &tables[names->slots[at] - 1], schema, name);
    } else {
        for (size_t i = 0; i < count; i++) consider(&m, &tables[i], schema, name);
    }
    *matches = m.exact ? m.exact : m.folded;
    return *matches == 1 ? m.found : NULL;
}

const struct table *schema_table(const struct table *tables, size_t count, const char *schema, const char *name)
{
    size_t matches;
    return schema_find(tables, count, NULL, schema, name, &matches);
}

int table_order(const struct table *a, const struct table *b)
{
    int by_schema = strcmp(a->schema ? a->schema : "", b->schema ? b->schema : "");
    return by_schema ? by_schema : strcmp(a->name, b->name);
}

const struct table *schema_spelt(const struct table *tables, size_t count, const char *schema, const char *name)
{
    const struct table sought = { .schema = schema, .name = name };
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int at = table_order(&sought, &tables[middle]);
        if (!at) return &tables[middle];
        if (at < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct column *schema_column(const struct table *t, const char *name)
{
    const struct column *folded = NULL;
    size_t count = 0;
    for (size_t i = 0; i < t->column_count; i++) {
        if (strcasecmp(t->columns[i].name, name)) continue;
        if (!strcmp(t->columns[i].name, name)) return &t->columns[i];
        folded = &t->columns[i];
        count++;
    }
    return count == 1 ? folded : NULL;
}
