#include "config/parts.h"

#include <string.h>

static bool overridden(const struct loader *l, const void *member)
{
    for (size_t i = 0; i < l->overridden.count; i++)
        if (LIST_AT(&l->overridden, const void *, i) == member) return true;
    return false;
}

static void indent(struct buf *b, int depth)
{
    for (int i = 0; i < depth; i++) buf_str(b, "  ");
}

static void show_value(struct buf *b, const struct field *f, const void *at)
{
    switch (f->kind) {
    case K_BOOL:
        buf_str(b, *(const bool *)at ? "true" : "false");
        break;
    case K_INT:
        buf_int(b, *(const int64_t *)at);
        break;
    case K_ENUM:
        buf_str(b, ((const char *const *)f->of)[*(const int *)at]);
        break;
    case K_STRINGS: {
        const struct list *l = at;
        buf_char(b, '[');
        for (size_t i = 0; i < l->count; i++) {
            buf_str(b, i ? ", " : "");
            json_add_string(b, LIST_AT(l, const char *, i));
        }
        buf_char(b, ']');
        break;
    }
    default:
        json_add_string(b, *(const char *const *)at);
    }
}

/* What was written stands in for a reference's value and for the two free-form sections, which hold references too. */
static const struct json *as_written(const struct loader *l, const struct field *f, const struct json *raw,
                                     const void *at)
{
    const struct json *r = json_get(raw, f->name);
    if (!r || overridden(l, at)) return NULL;
    return f->kind == K_JSON || (r->kind == J_STRING && strstr(r->string, "${")) ? r : NULL;
}

static void show_object(struct buf *b, const struct loader *l, const struct type *t, const void *obj,
                        const struct json *raw, int depth);

static void show_entries(struct buf *b, const struct loader *l, const struct type *t, const struct list *entries,
                         const struct json *raw, int depth)
{
    for (size_t i = 0; i < entries->count; i++) {
        indent(b, depth);
        buf_str(b, "-\n");
        const struct json *item = raw && raw->kind == J_ARRAY && i < raw->count ? &raw->items[i] : NULL;
        show_object(b, l, t, (const char *)entries->items + i * t->size, item, depth + 1);
    }
}

static void show_member(struct buf *b, const struct loader *l, const struct field *f, const void *at,
                        const struct json *raw, int depth)
{
    const struct json *written = as_written(l, f, raw, at);
    bool absent = f->kind == K_STR && !*(const char *const *)at;
    if (!written && (absent || f->flags & F_SECRET || f->kind == K_JSON)) return;
    /* Datasources are shown as they are written, not as the engine keeps them. */
    const struct list *list = f->of == &datasource_entry_type ? &l->entries : at;
    if (f->kind == K_LIST && !list->count) return;
    indent(b, depth);
    buf_format(b, "%s:", f->name);
    if (written) {
        buf_char(b, ' ');
        json_write(b, written);
        buf_char(b, '\n');
    } else if (f->kind == K_OBJECT || f->kind == K_LIST) {
        buf_char(b, '\n');
        const struct json *inner = json_get(raw, f->name);
        if (f->kind == K_LIST)
            show_entries(b, l, f->of, list, inner, depth + 1);
        else
            show_object(b, l, f->of, *(const void *const *)at, inner, depth + 1);
    } else {
        buf_char(b, ' ');
        show_value(b, f, at);
        buf_char(b, '\n');
    }
}

static void show_object(struct buf *b, const struct loader *l, const struct type *t, const void *obj,
                        const struct json *raw, int depth)
{
    for (const struct field *f = t->fields; f->name; f++)
        show_member(b, l, f, (const char *)obj + f->offset, raw, depth);
}

void config_show(struct buf *b, const struct config *config)
{
    const struct loaded *loaded = (const struct loaded *)config;
    show_object(b, &loaded->loader, &config_type, config, loaded->loader.raw, 0);
}
