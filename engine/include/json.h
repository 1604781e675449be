/* json: text -> tree, tree -> struct, struct -> text. Depth, size and UTF-8 are checked before anything is built.
 * Trees live in the call. Numbers: integers exact within int64; a JSON real keeps only its being one (kind REAL):
 * exact decimals travel as strings everywhere. */
#ifndef QUERENT_JSON_H
#define QUERENT_JSON_H

#include "buf.h"
#include "type.h"

enum json_kind { J_NULL, J_BOOL, J_INT, J_REAL, J_STRING, J_ARRAY, J_OBJECT };

struct json {
    enum json_kind kind;
    bool boolean;
    int64_t integer;
    double real;
    const char *string; /* NUL-terminated; embedded NULs are refused */
    size_t count;       /* bytes of a string, items of an array, members of an object */
    const struct json *items;
    const char *const *names; /* member names, beside items */
};

#define JSON_DEPTH_MAX 64

/* ERR_MALFORMED_JSON with line and column; duplicate members are refused. */
int json_parse(struct call *c, const char *text, size_t n, const struct json **out);
/* For text that does not come from outside: another ceiling of depth, at most 2,000. */
int json_parse_deep(struct call *c, const char *text, size_t n, int depth_max, const struct json **out);
const struct json *json_get(const struct json *object, const char *name); /* NULL when absent or not an object */
void json_write(struct buf *b, const struct json *j);

/* Tree -> struct by its type. Unknown members (with the nearest name), wrong types, missing required members and bounds
 * fail with ERR_VALIDATION_ERROR at the member's pointer. `out` must be zeroed. */
int json_decode(struct call *c, const struct type *type, const struct json *j, void *out);
/* The same with a pointer prefix, for parts of a larger document. */
int json_decode_at(struct call *c, const struct type *type, const struct json *j, const char *pointer, void *out);
/* Struct -> text. Absent members (NULL, empty optional lists) are omitted unless F_NULL / F_REQUIRED says otherwise. */
void json_encode(struct buf *b, const struct type *type, const void *obj);

/* Bytes of the well-formed UTF-8 character at s, 0 when there is none within n (at least 1). */
size_t utf8_sequence(const unsigned char *s, size_t n);
bool utf8_valid(const char *s, size_t n);

/* Writers for the two hand-written codecs (plan tree, result rows). json_add_text replaces invalid UTF-8 by U+FFFD. */
void json_add_text(struct buf *b, const char *s, size_t n);
void json_add_string(struct buf *b, const char *s); /* NULL writes null */

#endif
