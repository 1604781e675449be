/* type: a struct described once. The rows below drive JSON decode and encode, query and path parameters, the store's row
 * reader, the configuration loader, MCP tool schemas and the OpenAPI test. */
#ifndef QUERENT_TYPE_H
#define QUERENT_TYPE_H

#include "buf.h"

enum kind {
    K_BOOL,    /* bool */
    K_INT,     /* int64_t; beyond 2^53-1 it is written as text */
    K_NUMBER,  /* double; only for scores and ratios, never for data */
    K_STR,     /* const char *; NULL = absent */
    K_ENUM,    /* int, index into the NULL-terminated names in `of` */
    K_TIME,    /* int64_t microseconds UTC; RFC 3339 with milliseconds in JSON; 0 = absent */
    K_OBJECT,  /* pointer to a struct of type `of`; NULL = absent */
    K_LIST,    /* struct list of structs of type `of` */
    K_STRINGS, /* struct list of const char * */
    K_JSON,    /* const struct json *; any JSON */
    K_RAW      /* struct raw: JSON text already encoded (plans, rows); output only. `of`: its JSON Schema without the
                  closing brace, such as "{\"type\":\"array\"", or NULL */
};

enum {
    F_REQUIRED = 1, /* must be present on decode; always written on encode */
    F_SECRET = 2,   /* never encoded, never logged */
    F_NULL = 4,     /* written as null when absent */
    F_PATH = 8,     /* comes from the route's path only: refused in a body */
    F_HIDDEN = 16   /* a door's own setting: only its default counts, never read, written or shown */
};

struct raw {
    const char *text;
    size_t n;
};

struct field {
    const char *name;
    enum kind kind;
    size_t offset;
    unsigned flags;
    const void *of;   /* const struct type * or const char *const *, by kind */
    int64_t min, max; /* K_INT: bounds unless both 0. K_STR, K_LIST, K_STRINGS: max length in bytes/items, 0 = 64 KiB / 1000 */
    const char *def;  /* default as text, applied on decode when absent */
    const char *doc;  /* one sentence; shows in schemas */
};

struct type {
    const char *name; /* PascalCase: the OpenAPI schema's name */
    size_t size;
    const struct field *fields; /* ends with a row whose name is NULL */
};

/* FIELD(struct s, member, K_STR, .flags = F_REQUIRED): the kind, then whatever else the row says. */
#define FIELD(S, member, ...) { .name = #member, .offset = offsetof(S, member), .kind = __VA_ARGS__ }
#define TYPE(S, json_name, rows) { .name = (json_name), .size = sizeof(S), .fields = (rows) }

const struct field *type_field(const struct type *t, const char *name);
/* Fills the defaults of absent members; json_decode does it itself. */
int type_defaults(struct call *c, const struct type *t, void *obj);
/* Sets one scalar or string-list member (comma separated) from text: query parameters, environment, database cells.
 * ERR_VALIDATION_ERROR at "/<name>" for an unknown name or a bad value. */
int type_set_text(struct call *c, const struct type *t, void *obj, const char *name, const char *text);
/* JSON Schema of the type (2020-12), nested types inline; input schemas forbid unknown members. */
void type_schema(struct buf *b, const struct type *t, bool input);
/* The name in `names` (NULL-terminated) nearest to `word` within an edit distance of a third, or NULL. */
const char *nearest_name(const char *word, const char *const *names);

#endif
