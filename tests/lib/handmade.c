#include "handmade.h"

#include "base/hash.h"

#include <string.h>

static void add_read(struct call *c, struct list *tables, struct list *functions, const char *word)
{
    size_t n = strlen(word);
    if (n > 2 && !strcmp(word + n - 2, "()")) {
        const char **name = list_push(c, functions, sizeof *name);
        *name = call_strndup(c, word, n - 2);
        return;
    }
    const char *dot = strchr(word, '.');
    const char *table = call_strndup(c, word, (size_t)(dot - word));
    struct table_read *read = NULL;
    for (size_t i = 0; i < tables->count; i++)
        if (!strcmp(LIST_AT(tables, struct table_read, i).table, table)) read = &LIST_AT(tables, struct table_read, i);
    if (!read) {
        read = list_push(c, tables, sizeof *read);
        read->table = table;
        read->columns = call_array(c, 64, sizeof *read->columns);
    }
    if (dot[1]) ((const char **)read->columns)[read->column_count++] = dot + 1;
}

static struct value_type type_of(const char *word)
{
    struct value_type t = { .kind = TYPE_UNKNOWN };
    size_t n = strcspn(word, ":");
    for (int i = 0; type_kind_names[i]; i++)
        if (strlen(type_kind_names[i]) == n && !strncmp(type_kind_names[i], word, n)) t.kind = (enum type_kind)i;
    if (word[n]) {
        t.precision = 18;
        t.scale = word[n + 1] - '0';
    }
    return t;
}

static char *next_word(struct call *c, const char **p)
{
    while (**p == ' ') (*p)++;
    size_t n = strcspn(*p, " ");
    char *word = n ? call_strndup(c, *p, n) : NULL;
    *p += n;
    return word;
}

struct statement *handmade(struct call *c, const char *dialect, const char *sql, const char *reads, const char *types)
{
    struct statement *s = call_alloc(c, sizeof *s);
    struct list tables = { 0 }, functions = { 0 }, columns = { 0 };
    for (const char *word; (word = next_word(c, &reads));) add_read(c, &tables, &functions, word);
    for (const char *word; (word = next_word(c, &types));) {
        struct result_column *col = list_push(c, &columns, sizeof *col);
        col->name = call_format(c, "c%zu", columns.count);
        col->type = type_of(word);
        col->nullable = true;
    }
    *s = (struct statement){ .sql = sql,
                             .n = strlen(sql),
                             .dialect = dialect,
                             .hash = hash_hex(c, sql, strlen(sql)),
                             .columns = columns.items,
                             .column_count = columns.count };
    s->reads = (struct reads){ .tables = tables.items,
                               .table_count = tables.count,
                               .functions = functions.items,
                               .function_count = functions.count };
    return s;
}

static int take_columns(void *ctx, struct call *c, const struct result_column *columns, size_t count)
{
    struct text_sink *t = ctx;
    t->columns = call_array(c, count, sizeof *t->columns);
    memcpy(t->columns, columns, count * sizeof *columns);
    t->column_count = count;
    return OK;
}

static int take_row(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct text_sink *t = ctx;
    (void)c;
    for (size_t i = 0; i < count; i++) {
        if (i) buf_char(&t->text, '|');
        if (cells[i].kind == CELL_NULL)
            buf_char(&t->text, '~');
        else if (cells[i].kind != CELL_BINARY)
            buf_add(&t->text, cells[i].text, cells[i].n);
        for (size_t j = 0; cells[i].kind == CELL_BINARY && j < cells[i].n; j++)
            buf_format(&t->text, "%02x", (unsigned char)cells[i].text[j]);
    }
    buf_char(&t->text, '\n');
    return ++t->rows == t->stop_after ? ROWS_ENOUGH : OK;
}

void text_sink_init(struct text_sink *t, struct call *c)
{
    *t = (struct text_sink){ .sink = { .columns = take_columns, .row = take_row, .ctx = t } };
    buf_init(&t->text, c, (size_t)64 << 20);
}
