#include "store/driver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct param db_text(const char *s)
{
    return s ? (struct param){ .kind = P_TEXT, .text = s, .n = strlen(s) } : (struct param){ .kind = P_NULL };
}

struct param db_blob(const void *bytes, size_t n)
{
    return bytes ? (struct param){ .kind = P_BLOB, .text = bytes, .n = n } : (struct param){ .kind = P_NULL };
}

struct param db_raw(struct raw json)
{
    return (struct param){ .kind = json.text ? P_TEXT : P_NULL, .text = json.text, .n = json.n };
}

static struct param text_of(const struct buf *b)
{
    return (struct param){ .kind = P_TEXT, .text = b->data, .n = b->len };
}

struct param db_object(struct call *c, const struct type *type, const void *obj)
{
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    json_encode(&b, type, obj);
    return text_of(&b);
}

struct param db_list(struct call *c, const struct type *type, const struct list *l)
{
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    buf_char(&b, '[');
    for (size_t i = 0; i < l->count; i++) {
        if (i) buf_char(&b, ',');
        json_encode(&b, type, (const char *)l->items + i * type->size);
    }
    buf_char(&b, ']');
    return text_of(&b);
}

struct param db_strings(struct call *c, const char *const *items, size_t count)
{
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    buf_char(&b, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_char(&b, ',');
        json_add_string(&b, items[i]);
    }
    buf_char(&b, ']');
    return text_of(&b);
}

/* Our own writing comes back unreadable only when somebody else wrote the store. */
static int broken(struct call *c, const struct type *type, const char *column)
{
    call_detail(c, "the column %s of a %s row is not readable", column, type->name);
    return call_fail(c, ERR_STORE_FAILED, "%s", code_row(ERR_STORE_FAILED)->text);
}

/* Decodes one member through a type that has no other. */
static int set_json(struct call *c, const struct type *type, const struct field *f, void *row, const struct param *v)
{
    const struct json *tree;
    if (json_parse(c, v->text, v->n, &tree)) {
        call_forgive(c);
        return broken(c, type, f->name);
    }
    if (f->kind == K_JSON) {
        *(const struct json **)(void *)((char *)row + f->offset) = tree;
        return OK;
    }
    struct field only[2] = { *f };
    only[0].flags = 0;
    only[0].max = INT64_MAX;
    const struct type part = { .name = type->name, .size = type->size, .fields = only };
    const struct json whole = { .kind = J_OBJECT, .count = 1, .items = tree, .names = &f->name };
    if (json_decode(c, &part, &whole, row)) {
        call_forgive(c);
        return broken(c, type, f->name);
    }
    return OK;
}

static int enum_index(const char *const *names, const struct param *v)
{
    for (int i = 0; names[i]; i++)
        if (v->kind == P_TEXT && strlen(names[i]) == v->n && !memcmp(names[i], v->text, v->n)) return i;
    return -1;
}

int row_set(struct call *c, const struct type *type, void *row, const char *column, const struct param *v)
{
    const struct field *f = type_field(type, column);
    assert(f);
    if (v->kind == P_NULL) return OK;
    char *at = (char *)row + f->offset;
    bool text = v->kind == P_TEXT || v->kind == P_BLOB;
    if (text == (f->kind == K_BOOL || f->kind == K_INT || f->kind == K_TIME)) return broken(c, type, column);
    switch (f->kind) {
    case K_BOOL:
        *(bool *)at = v->integer != 0;
        return OK;
    case K_INT:
    case K_TIME:
        *(int64_t *)(void *)at = v->integer;
        return OK;
    case K_NUMBER:
        *(double *)(void *)at = strtod(call_strndup(c, v->text, v->n), NULL);
        return OK;
    case K_STR:
        *(const char **)(void *)at = call_strndup(c, v->text, v->n);
        return OK;
    case K_RAW:
        *(struct raw *)(void *)at = (struct raw){ call_strndup(c, v->text, v->n), v->n };
        return OK;
    case K_ENUM: {
        int i = enum_index(f->of, v);
        if (i < 0) return broken(c, type, column);
        *(int *)(void *)at = i;
        return OK;
    }
    case K_OBJECT:
    case K_LIST:
    case K_STRINGS:
    case K_JSON:
        return set_json(c, type, f, row, v);
    }
    return OK;
}
