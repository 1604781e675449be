/* Two plans differ where their JSON differs: the trees are written, read back and compared member by member, so a
 * difference always has a pointer that a reader of the plan can follow. */
#include "plan/path.h"
#include "plan/plan.h"

#include <string.h>

#define PLAN_BYTES_MAX ((size_t)4 * 1024 * 1024)

struct differ {
    struct call *c;
    struct list *out;
};

static const struct json *as_json(struct call *c, const struct query *q)
{
    struct buf b;
    const struct json *j = NULL;
    buf_init(&b, c, PLAN_BYTES_MAX);
    plan_encode(&b, q);
    if (b.failed || json_parse_deep(c, b.data, b.len, PLAN_DEPTH_MAX * 4, &j)) return NULL;
    return j;
}

static const char *as_text(struct call *c, const struct json *j)
{
    if (!j) return NULL;
    struct buf b;
    buf_init(&b, c, PLAN_BYTES_MAX);
    json_write(&b, j);
    return b.data;
}

static void differ_at(struct differ *d, const struct path *p, const struct json *a, const struct json *b)
{
    struct plan_difference *diff = list_push(d->c, d->out, sizeof *diff);
    *diff = (struct plan_difference){ path_pointer(d->c, p), as_text(d->c, a), as_text(d->c, b) };
}

static bool same_scalar(const struct json *a, const struct json *b)
{
    switch (a->kind) {
    case J_BOOL:
        return a->boolean == b->boolean;
    case J_INT:
        return a->integer == b->integer;
    case J_STRING:
        return !strcmp(a->string, b->string);
    default:
        return true; /* null; a plan holds no reals */
    }
}

static void compare(struct differ *d, const struct path *p, const struct json *a, const struct json *b);

static void compare_arrays(struct differ *d, const struct path *p, const struct json *a, const struct json *b)
{
    for (size_t i = 0; i < a->count || i < b->count; i++)
        compare(d, PATH_AT(p, i), i < a->count ? &a->items[i] : NULL, i < b->count ? &b->items[i] : NULL);
}

/* Nodes of another kind share nothing worth telling apart: they differ as a whole. */
static bool same_node(const struct json *a, const struct json *b)
{
    const struct json *x = json_get(a, "kind"), *y = json_get(b, "kind");
    if (!x || !y) return x == y;
    return x->kind != J_STRING || y->kind != J_STRING || !strcmp(x->string, y->string);
}

static void compare(struct differ *d, const struct path *p, const struct json *a, const struct json *b)
{
    if (!a || !b || a->kind != b->kind || !same_node(a, b)) {
        differ_at(d, p, a, b);
    } else if (a->kind == J_ARRAY) {
        compare_arrays(d, p, a, b);
    } else if (a->kind == J_OBJECT) {
        for (size_t i = 0; i < a->count; i++) compare(d, PATH(p, a->names[i]), &a->items[i], json_get(b, a->names[i]));
        for (size_t i = 0; i < b->count; i++)
            if (!json_get(a, b->names[i])) differ_at(d, PATH(p, b->names[i]), NULL, &b->items[i]);
    } else if (!same_scalar(a, b)) {
        differ_at(d, p, a, b);
    }
}

void plan_diff(struct call *c, const struct query *before, const struct query *after, struct list *out)
{
    struct differ d = { c, out };
    const struct json *a = as_json(c, before), *b = as_json(c, after);
    if (a && b)
        compare(&d, NULL, a, b);
    else
        differ_at(&d, NULL, NULL, NULL); /* beyond the ceilings of a checked plan */
}
