#include "results/encode.h"

void row_encode(struct buf *b, const struct cell *cells, size_t count)
{
    buf_char(b, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_char(b, ',');
        cell_encode(b, &cells[i]);
    }
    buf_char(b, ']');
}

static const char *encoding_of(enum type_kind kind)
{
    switch (kind) {
    case TYPE_DOUBLE:
        return "number";
    case TYPE_INTEGER:
    case TYPE_DECIMAL:
    case TYPE_UNKNOWN:
        return "mixed";
    default:
        return "text";
    }
}

struct list columns_describe(struct call *c, const struct result_column *columns, size_t count)
{
    struct list out = { 0 };
    for (size_t i = 0; i < count; i++) {
        const struct result_column *from = &columns[i];
        struct answer_column *to = list_push(c, &out, sizeof *to);
        to->name = call_strdup(c, from->name);
        to->type = type_kind_names[from->type.kind];
        to->db_type = call_strdup(c, from->db_type);
        to->encoding = encoding_of(from->type.kind);
        to->nullable = from->nullable;
        to->approximate = from->approximate;
        for (size_t k = 0; k < from->source_count; k++)
            *(const char **)list_push(c, &to->sources, sizeof(const char *)) =
                call_format(c, "%s.%s", from->sources[k].table, from->sources[k].column);
    }
    return out;
}

struct list columns_names(struct call *c, const struct list *columns)
{
    struct list names = { 0 };
    for (size_t i = 0; i < columns->count; i++)
        *(const char **)list_push(c, &names, sizeof(const char *)) = LIST_AT(columns, struct answer_column, i).name;
    return names;
}
