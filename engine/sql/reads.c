#include "sql/render.h"

#include <ctype.h>
#include <string.h>

struct reading {
    const struct table *table;
    bool *columns; /* beside table->columns */
};

static struct reading *reading_of(struct render *r, const struct source *s)
{
    struct reading *all = r->tables.items;
    for (size_t i = 0; i < r->tables.count; i++)
        if (all[i].table == s->table) return &all[i];
    struct reading *new = list_push(r->call, &r->tables, sizeof *new);
    new->table = s->table;
    new->columns = call_array(r->call, s->table->column_count, sizeof *new->columns);
    return new;
}

void reads_table(struct render *r, const struct source *s)
{
    if (s->table) reading_of(r, s);
}

void reads_column(struct render *r, const struct source *s, size_t index)
{
    reading_of(r, s)->columns[index] = true;
}

void reads_function(struct render *r, const char *name, size_t n)
{
    const char *const *all = r->functions.items;
    for (size_t i = 0; i < r->functions.count; i++)
        if (strlen(all[i]) == n && memcmp(all[i], name, n) == 0) return;
    *(const char **)list_push(r->call, &r->functions, sizeof(char *)) = call_strndup(r->call, name, n);
}

/* Words of SQL are written in capitals and functions in small letters, so a small word before a parenthesis is a call.
 */
void reads_functions_of(struct render *r, const char *sql)
{
    for (const char *p = sql; *p; p++) {
        if (*p == '\'' || *p == '"' || *p == '`' || *p == '[') {
            char close = *p == '[' ? ']' : *p;
            for (p++; *p && *p != close; p++) continue;
            if (!*p) return;
        } else if (islower((unsigned char)*p)) {
            const char *word = p;
            while (islower((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_') p++;
            if (*p == '(') reads_function(r, word, (size_t)(p - word));
            p--;
        } else if (isalpha((unsigned char)*p)) {
            while (isalnum((unsigned char)*p) || *p == '_') p++;
            p--;
        }
    }
}

void reads_derived(struct render *r, const char *name)
{
    *(const char **)list_push(r->call, &r->unreal, sizeof(char *)) = name;
}

void reads_finish(struct render *r, struct reads *out)
{
    out->derived = r->unreal.items;
    out->derived_count = r->unreal.count;
    const struct reading *all = r->tables.items;
    out->tables = call_array(r->call, r->tables.count, sizeof *out->tables);
    out->table_count = r->tables.count;
    for (size_t i = 0; i < r->tables.count; i++) {
        const struct table *t = all[i].table;
        const char **columns = call_array(r->call, t->column_count, sizeof *columns);
        size_t n = 0;
        for (size_t k = 0; k < t->column_count; k++)
            if (all[i].columns[k]) columns[n++] = t->columns[k].name;
        out->tables[i] =
            (struct table_read){ .schema = t->schema, .table = t->name, .columns = columns, .column_count = n };
    }
    out->functions = r->functions.items;
    out->function_count = r->functions.count;
}
