/* What retrieval keeps of a large schema: every question is put to the tables of all databases at once, and what its
 * gold reads should be among what is kept. */
#include "domain/name_index.h"
#include "guard/guard.h"
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TABLES 1000

struct padded {
    struct call keep;
    struct view view;
    const struct value_index *values;
    struct value_builder *builder;
    const char *database;
};

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void add_value(void *ctx, const char *schema, const char *table, const char *column, const char *value)
{
    struct padded *p = ctx;
    (void)schema;
    value_builder_add(p->builder, p->database, table, column, value);
}

/* A copy whose schema is the database's name, as are those of its keys. */
static struct table in_schema(struct call *c, const struct table *t, const char *database)
{
    struct table out = *t;
    out.schema = database;
    out.foreign_keys = call_array(c, t->foreign_key_count + 1, sizeof *out.foreign_keys);
    for (size_t i = 0; i < t->foreign_key_count; i++) {
        out.foreign_keys[i] = t->foreign_keys[i];
        out.foreign_keys[i].schema = database;
    }
    return out;
}

/* First word of one name, last of another. */
static const char *mixed_name(struct call *c, const char *a, const char *b)
{
    struct word x[8], y[8];
    size_t n = name_words(c, NULL, a, x, 8), m = name_words(c, NULL, b, y, 8);
    return call_format(c, "%s_%s", n ? x[0].fold : "t", m ? y[m - 1].fold : "t");
}

/* Tables that nobody asks for, put together from the names and columns of two others each, in a schema of their own and
 * tied in a row: rivals in the very words of the questions. */
static void add_mixed(struct call *c, struct list *tables, size_t wanted)
{
    size_t real = tables->count;
    for (size_t i = 0; real && tables->count < wanted; i++) {
        const struct table *a = &LIST_AT(tables, struct table, i * 7919 % real);
        const struct table *b = &LIST_AT(tables, struct table, (i * 104729 + 13) % real);
        struct table t = { .schema = "mixed", .kind = TABLE_BASE };
        t.name = call_format(c, "%s_%zu", mixed_name(c, a->name, b->name), i);
        t.columns = call_array(c, a->column_count + b->column_count + 1, sizeof *t.columns);
        for (size_t k = 0; k < a->column_count; k += 2) t.columns[t.column_count++] = a->columns[k];
        for (size_t k = 1; k < b->column_count; k += 2) t.columns[t.column_count++] = b->columns[k];
        if (i) {
            const char **own = call_array(c, 2, sizeof *own);
            own[0] = t.columns[0].name;
            t.foreign_keys = call_array(c, 1, sizeof *t.foreign_keys);
            t.foreign_keys[0] = (struct foreign_key){ .schema = "mixed",
                                                      .table = LIST_AT(tables, struct table, tables->count - 1).name,
                                                      .columns = own,
                                                      .referred = own,
                                                      .column_count = 1 };
            t.foreign_key_count = 1;
        }
        *(struct table *)list_push(c, tables, sizeof t) = t;
    }
}

static void pad(const struct corpus *k, struct padded *p)
{
    struct list tables = { 0 };
    call_begin(&p->keep);
    p->builder = value_builder_new(&p->keep, 0);
    for (size_t d = 0; d < k->database_count; d++) {
        const struct view *v = k->databases[d].view;
        p->database = k->databases[d].name;
        for (size_t t = 0; v && t < v->table_count; t++)
            *(struct table *)list_push(&p->keep, &tables, sizeof(struct table)) =
                in_schema(&p->keep, &v->tables[t], p->database);
        if (v && k->databases[d].values) value_index_each(k->databases[d].values, p, add_value);
    }
    add_mixed(&p->keep, &tables, TABLES);
    p->view = (struct view){ .tables = tables.items, .table_count = tables.count };
    table_names_build(&p->view.names, call_alloc(&p->keep, table_names_bytes(tables.count)), tables.items,
                      tables.count);
    size_t before = p->keep.arena.total_bytes;
    int64_t at = now_us();
    p->view.words = name_index_build(&p->keep, tables.items, tables.count, &p->view.names);
    printf("tables %zu, words %zu, index of names %zu KiB in %.1f ms\n", tables.count, p->view.words->word_count,
           (p->keep.arena.total_bytes - before) / 1024, (double)(now_us() - at) / 1e3);
    p->values = value_builder_end(p->builder);
    size_t bytes;
    value_index_blob(p->values, &bytes);
    printf("index of values %zu KiB\n", bytes / 1024);
}

static bool keeps(const struct view *kept, const char *database, const char *table)
{
    for (size_t i = 0; i < kept->table_count; i++)
        if (!strcmp(kept->tables[i].schema, database) && !strcasecmp(kept->tables[i].name, table)) return true;
    return false;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

void recall_report(const struct corpus *k, bool verbose)
{
    struct padded *p = call_alloc(k->call, sizeof *p);
    size_t asked = 0, whole = 0, tables = 0, found = 0, columns = 0, columns_found = 0, kept_tables = 0,
           kept_columns = 0;
    int64_t *us = call_array(k->call, k->count + 1, sizeof *us),
            *all_us = call_array(k->call, k->count + 1, sizeof *us);
    pad(k, p);
    for (size_t i = 0; i < k->count; i++) {
        const struct example *e = &k->examples[i];
        const struct database *d = &k->databases[e->database];
        struct query *q;
        struct guarded *g;
        struct call c;
        if (e->synonyms || e->chart || !e->runs) continue;
        call_begin(&c);
        c.who = k->call->who;
        if (sql_to_plan(&c, "sqlite", e->sql, strlen(e->sql), d->view, &q) ||
            guard_prepare(&c, d->source, d->view, q, ORIGIN_TEXT, 0, &g)) {
            call_end(&c);
            continue;
        }
        const struct reads *reads = &g->statement->reads;
        int64_t at = now_us();
        const struct view *kept = link_narrow(&c, &p->view, p->values, &e->linked.words);
        us[asked] = now_us() - at;
        struct linked l;
        at = now_us();
        link_question(&c, &p->view, p->values, e->question, k->now_us, &l);
        all_us[asked++] = now_us() - at;
        size_t had = 0;
        for (size_t t = 0; t < reads->table_count; t++) {
            const struct table_read *r = &reads->tables[t];
            bool here = keeps(kept, d->name, r->table);
            had += here;
            columns += r->column_count;
            columns_found += here ? r->column_count : 0;
            if (!here && verbose) printf("missed %s.%s: %s\n", d->name, r->table, e->question);
        }
        tables += reads->table_count;
        found += had;
        whole += had == reads->table_count;
        kept_tables += kept->table_count;
        for (size_t t = 0; t < kept->table_count; t++) kept_columns += kept->tables[t].column_count;
        call_end(&c);
    }
    if (!asked) return;
    double n = (double)asked;
    qsort(us, asked, sizeof *us, by_size);
    qsort(all_us, asked, sizeof *all_us, by_size);
    printf("questions %zu: tables found %.2f %%, columns %.2f %%, nothing missing %.2f %%; kept %.1f tables, %.0f "
           "columns\n",
           asked, 100.0 * (double)found / (double)tables, 100.0 * (double)columns_found / (double)columns,
           100.0 * (double)whole / n, (double)kept_tables / n, (double)kept_columns / n);
    printf("narrowing p50 %.2f ms, p99 %.2f ms; with linking p50 %.2f ms, p99 %.2f ms\n", (double)us[asked / 2] / 1e3,
           (double)us[asked - 1 - asked / 100] / 1e3, (double)all_us[asked / 2] / 1e3,
           (double)all_us[asked - 1 - asked / 100] / 1e3);
}
