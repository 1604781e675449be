#include "results/encode.h"
#include "results/formats/format.h"

#include <string.h>

static const struct field export_end_fields[] = {
    FIELD(struct export_end, executed_at, K_TIME, .flags = F_REQUIRED, .doc = "When the query ran again."),
    FIELD(struct export_end, row_count, K_INT, .flags = F_REQUIRED),
    FIELD(struct export_end, truncated, K_BOOL, .flags = F_REQUIRED, .doc = "The export ceiling was met."),
    FIELD(struct export_end, row_hash, K_STR, .flags = F_REQUIRED, .doc = "Of the rows as a multiset."),
    FIELD(struct export_end, row_hash_equal, K_BOOL, .flags = F_REQUIRED,
          .doc = "The rows are those of the answer; its first rows, when the answer was cut at its ceiling."),
    { 0 },
};
const struct type export_end_type = TYPE(struct export_end, "ExportEnd", export_end_fields);

void export_writer_init(struct export_writer *w, struct call *c, const struct export_format *format, int formulas,
                        struct buf *out)
{
    *w = (struct export_writer){ .format = format, .state = { .call = c, .formulas = formulas }, .out = out };
}

/* Names made unique, as `"name":`. */
static const char *const *make_keys(struct call *c, const struct list *columns)
{
    const char **names = call_array(c, columns->count + 1, sizeof *names);
    const char **keys = call_array(c, columns->count + 1, sizeof *keys);
    for (size_t i = 0; i < columns->count; i++) {
        const char *base = LIST_AT(columns, struct answer_column, i).name, *name = base;
        size_t n = 1;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(names[k], name)) {
                name = call_format(c, "%s_%zu", base, ++n);
                k = SIZE_MAX; /* from the start: the new name may be taken too */
            }
        names[i] = name;
        struct buf b;
        buf_init(&b, c, SIZE_MAX / 2);
        json_add_string(&b, name);
        buf_char(&b, ':');
        keys[i] = b.data;
    }
    return keys;
}

int export_writer_columns(void *writer, struct call *c, const struct result_column *columns, size_t count)
{
    struct export_writer *w = writer;
    w->columns = columns_describe(c, columns, count);
    w->state.columns = &w->columns;
    w->state.keys = make_keys(c, &w->columns);
    w->format->begin(w->out, &w->state);
    return OK;
}

int export_writer_row(void *writer, struct call *c, const struct cell *cells, size_t count)
{
    struct export_writer *w = writer;
    (void)c;
    w->format->row(w->out, &w->state, cells, count);
    w->state.row_count++;
    return OK;
}
