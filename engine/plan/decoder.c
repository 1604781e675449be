/* What every part of a plan is decoded with: places, members, names, words out of a list. */
#include "plan/decoder.h"
#include "plan/names.h"

#include <string.h>

const char *found_kind(const struct json *j)
{
    static const char *const names[] = {
        "null", "a boolean", "a number", "a number", "a text", "an array", "an object"
    };
    return names[j->kind];
}

int decode_fail(struct decoder *d, const struct path *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = call_vformat(d->c, fmt, ap);
    va_end(ap);
    return call_fail_at(d->c, ERR_INVALID_PLAN_STRUCTURE, path_pointer(d->c, p), "%s", text);
}

int decode_enter(struct decoder *d, const struct path *p)
{
    if (++d->nodes > PLAN_NODES_MAX)
        return call_fail_at(d->c, ERR_PLAN_TOO_LARGE, path_pointer(d->c, p), "The plan has more than %d nodes.",
                            PLAN_NODES_MAX);
    if (++d->depth > PLAN_DEPTH_MAX)
        return call_fail_at(d->c, ERR_PLAN_TOO_LARGE, path_pointer(d->c, p), "The plan is nested more than %d deep.",
                            PLAN_DEPTH_MAX);
    return OK;
}

void decode_leave(struct decoder *d)
{
    d->depth--;
}

static const char *joined_names(struct call *c, const char *const *names)
{
    struct buf b;
    buf_init(&b, c, 4096);
    for (size_t i = 0; names[i]; i++) {
        if (i) buf_str(&b, ", ");
        buf_str(&b, names[i]);
    }
    return b.data;
}

/* An object whose members are all among `names` (NULL-terminated). */
int decode_object(struct decoder *d, struct at a, const char *const *names)
{
    if (a.j->kind != J_OBJECT) return decode_fail(d, a.path, "Expected an object, found %s.", found_kind(a.j));
    for (size_t i = 0; i < a.j->count; i++) {
        const char *name = a.j->names[i];
        size_t k = 0;
        while (names[k] && strcmp(names[k], name)) k++;
        if (names[k]) continue;
        const char *near = nearest_name(name, names);
        if (near) call_hint(d->c, "Did you mean '%s'?", near);
        return decode_fail(d, PATH(a.path, name), "Unknown member '%.64s'; this object takes: %s.", name,
                           joined_names(d->c, names));
    }
    return OK;
}

int decode_required(struct decoder *d, struct at a, const char *name)
{
    if (json_get(a.j, name)) return OK;
    return decode_fail(d, a.path, "The member '%s' is missing.", name);
}

int decode_array(struct decoder *d, struct at a)
{
    if (a.j->kind == J_ARRAY) return OK;
    return decode_fail(d, a.path, "Expected an array, found %s.", found_kind(a.j));
}

/* Absent = false. */
int decode_flag(struct decoder *d, struct at a, bool *out)
{
    if (!a.j) return OK;
    if (a.j->kind != J_BOOL) return decode_fail(d, a.path, "Expected true or false, found %s.", found_kind(a.j));
    *out = a.j->boolean;
    return OK;
}

int decode_name(struct decoder *d, struct at a, const char **out)
{
    if (!a.j) return OK;
    if (a.j->kind != J_STRING) return decode_fail(d, a.path, "Expected a name, found %s.", found_kind(a.j));
    if (!a.j->count || a.j->count > PLAN_NAME_BYTES)
        return decode_fail(d, a.path, "A name has 1 to %d bytes.", PLAN_NAME_BYTES);
    *out = a.j->string;
    return OK;
}

int decode_needed_name(struct decoder *d, struct at object_at, const char *name, const char **out)
{
    TRY(decode_required(d, object_at, name));
    return decode_name(d, MEMBER(object_at, name), out);
}

int decode_word(struct decoder *d, struct at a, const char *const *names, unsigned *out)
{
    if (a.j->kind != J_STRING)
        return decode_fail(d, a.path, "Expected one of %s, found %s.", joined_names(d->c, names), found_kind(a.j));
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(names[i], a.j->string)) continue;
        *out = i;
        return OK;
    }
    const char *near = nearest_name(a.j->string, names);
    if (near) call_hint(d->c, "Did you mean '%s'?", near);
    return decode_fail(d, a.path, "'%.64s' is not one of %s.", a.j->string, joined_names(d->c, names));
}

int decode_needed_word(struct decoder *d, struct at object_at, const char *name, const char *const *names,
                       unsigned *out)
{
    TRY(decode_required(d, object_at, name));
    return decode_word(d, MEMBER(object_at, name), names, out);
}

int decode_names(struct decoder *d, struct at a, const char *const **out, size_t *count)
{
    if (!a.j) return OK;
    TRY(decode_array(d, a));
    if (!a.j->count) return decode_fail(d, a.path, "Leave an empty list out.");
    const char **names = call_array(d->c, a.j->count, sizeof *names);
    for (size_t i = 0; i < a.j->count; i++) TRY(decode_name(d, ITEM(a, i), &names[i]));
    *out = names;
    *count = a.j->count;
    return OK;
}
