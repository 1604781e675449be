#include "base/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define TEXT_MAX    ((size_t)1024 * 1024)
#define MEMBERS_MAX 10000

struct reader {
    struct call *call;
    const char *name;
    yaml_parser_t parser;
};

static int bad(struct reader *r, yaml_mark_t at, const char *what)
{
    return call_fail(r->call, ERR_CONFIG_INVALID, "%s, line %zu, column %zu: %s.", r->name, at.line + 1, at.column + 1,
                     what);
}

static int next(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event)) return OK;
    const char *problem = r->parser.problem ? r->parser.problem : "the text is not YAML";
    return bad(r, r->parser.problem_mark, problem);
}

static bool one_of(const char *s, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(s, *words)) return true;
    return false;
}

static bool plain_integer(const char *s, int64_t *v)
{
    int base = !strncmp(s, "0x", 2) ? 16 : !strncmp(s, "0o", 2) ? 8 : 10;
    const char *digits = base == 10 ? s + (*s == '-' || *s == '+') : s + 2;
    const char *allowed = base == 16 ? "0123456789abcdefABCDEF" : base == 8 ? "01234567" : "0123456789";
    size_t n = strlen(digits);
    if (!n || n > 20 || strspn(digits, allowed) != n) return false;
    char *end;
    *v = strtoll(base == 8 ? digits : s, &end, base);
    /* What does not fit stays text: a number is never rounded. */
    return *v != INT64_MAX && *v != INT64_MIN;
}

/* The core schema's reading of a plain scalar. */
static void resolve(const char *s, struct json *out)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
    static const char *const trues[] = { "true", "True", "TRUE", NULL };
    static const char *const falses[] = { "false", "False", "FALSE", NULL };
    if (one_of(s, nulls)) {
        out->kind = J_NULL;
    } else if (one_of(s, trues) || one_of(s, falses)) {
        out->kind = J_BOOL;
        out->boolean = one_of(s, trues);
    } else if (plain_integer(s, &out->integer)) {
        out->kind = J_INT;
    }
}

static int scalar(struct reader *r, const yaml_event_t *e, struct json *out)
{
    const char *text = (const char *)e->data.scalar.value;
    size_t n = e->data.scalar.length;
    if (e->data.scalar.anchor) return bad(r, e->start_mark, "anchors are not allowed");
    if (e->data.scalar.tag) return bad(r, e->start_mark, "tags are not allowed");
    if (memchr(text, 0, n)) return bad(r, e->start_mark, "a NUL character is not allowed");
    out->kind = J_STRING;
    out->string = call_strndup(r->call, text, n);
    out->count = n;
    if (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) resolve(out->string, out);
    if (out->kind != J_STRING) {
        out->string = NULL;
        out->count = 0;
    }
    return OK;
}

static int value(struct reader *r, yaml_event_t *e, int depth, struct json *out);

static int sequence(struct reader *r, int depth, struct json *out)
{
    struct list items = { 0 };
    int rc = OK;
    while (!rc) {
        yaml_event_t e;
        if ((rc = next(r, &e))) break;
        bool end = e.type == YAML_SEQUENCE_END_EVENT;
        if (!end) rc = value(r, &e, depth + 1, list_push(r->call, &items, sizeof(struct json)));
        yaml_event_delete(&e);
        if (end) break;
    }
    *out = (struct json){ .kind = J_ARRAY, .items = items.items, .count = items.count };
    return rc;
}

static int key(struct reader *r, const yaml_event_t *e, const struct list *names, const char **out)
{
    struct json k = { 0 };
    if (e->type != YAML_SCALAR_EVENT) return bad(r, e->start_mark, "a key must be a string");
    int rc = scalar(r, e, &k);
    if (rc) return rc;
    if (k.kind != J_STRING) return bad(r, e->start_mark, "a key must be a string; put it in quotes");
    if (names->count == MEMBERS_MAX) return bad(r, e->start_mark, "too many keys in one mapping");
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(LIST_AT(names, const char *, i), k.string))
            return bad(r, e->start_mark, call_format(r->call, "the key '%s' stands here twice", k.string));
    *out = k.string;
    return OK;
}

static int mapping(struct reader *r, int depth, struct json *out)
{
    struct list items = { 0 }, names = { 0 };
    int rc = OK;
    while (!rc) {
        yaml_event_t e;
        const char *name = NULL;
        if ((rc = next(r, &e))) break;
        bool end = e.type == YAML_MAPPING_END_EVENT;
        if (!end) rc = key(r, &e, &names, &name);
        yaml_event_delete(&e);
        if (end || rc || (rc = next(r, &e))) break;
        *(const char **)list_push(r->call, &names, sizeof(const char *)) = name;
        rc = value(r, &e, depth + 1, list_push(r->call, &items, sizeof(struct json)));
        yaml_event_delete(&e);
    }
    *out = (struct json){ .kind = J_OBJECT, .items = items.items, .names = names.items, .count = items.count };
    return rc;
}

static int value(struct reader *r, yaml_event_t *e, int depth, struct json *out)
{
    if (depth > JSON_DEPTH_MAX) return bad(r, e->start_mark, "the nesting is too deep");
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        return scalar(r, e, out);
    case YAML_SEQUENCE_START_EVENT:
        if (e->data.sequence_start.anchor) return bad(r, e->start_mark, "anchors are not allowed");
        if (e->data.sequence_start.tag) return bad(r, e->start_mark, "tags are not allowed");
        return sequence(r, depth, out);
    case YAML_MAPPING_START_EVENT:
        if (e->data.mapping_start.anchor) return bad(r, e->start_mark, "anchors are not allowed");
        if (e->data.mapping_start.tag) return bad(r, e->start_mark, "tags are not allowed");
        return mapping(r, depth, out);
    case YAML_ALIAS_EVENT:
        return bad(r, e->start_mark, "aliases are not allowed");
    default:
        return bad(r, e->start_mark, "a value was expected");
    }
}

/* Stream start, one document or none, stream end. */
static int document(struct reader *r, struct json *root)
{
    yaml_event_t e;
    int rc = next(r, &e);
    if (rc) return rc;
    yaml_event_delete(&e);
    if ((rc = next(r, &e))) return rc;
    bool empty = e.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&e);
    if (empty) return OK;
    if ((rc = next(r, &e))) return rc;
    rc = value(r, &e, 1, root);
    yaml_event_delete(&e);
    if (rc || (rc = next(r, &e))) return rc; /* the document's end */
    yaml_event_delete(&e);
    if ((rc = next(r, &e))) return rc;
    if (e.type != YAML_STREAM_END_EVENT) rc = bad(r, e.start_mark, "only one document is allowed");
    yaml_event_delete(&e);
    return rc;
}

int yaml_parse(struct call *c, const char *name, const char *text, size_t n, const struct json **out)
{
    if (n > TEXT_MAX)
        return call_fail(c, ERR_CONFIG_INVALID, "%s is %zu bytes long; the most is %zu.", name, n, TEXT_MAX);
    struct reader r = { .call = c, .name = name };
    if (!yaml_parser_initialize(&r.parser)) abort();
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, n);
    struct json *root = call_alloc(c, sizeof *root);
    int rc = document(&r, root);
    yaml_parser_delete(&r.parser);
    *out = root;
    return rc;
}
