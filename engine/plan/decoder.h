/* decoder: what every part of a plan's JSON is decoded with. Functions that return int fail with the pointer of the
 * place, ERR_INVALID_PLAN_STRUCTURE unless they say otherwise; what they write lives in the call. Private to
 * plan/decode*.c. */
#ifndef QUERENT_DECODER_H
#define QUERENT_DECODER_H

#include "plan/path.h"
#include "plan/plan.h"

#define INTEGER_MAX INT64_C(9007199254740991) /* 2^53 - 1 */

struct decoder {
    struct call *c;
    int depth;
    size_t nodes, sources;
};

/* A place in the document and what stands there. */
struct at {
    const struct json *j;
    const struct path *path;
};

#define MEMBERS(...)     ((const char *const[]){ __VA_ARGS__, NULL })
#define MEMBER(a, name_) ((struct at){ json_get((a).j, (name_)), &(const struct path){ (a).path, (name_), 0 } })
#define ITEM(a, i)       ((struct at){ &(a).j->items[i], &(const struct path){ (a).path, NULL, (i) } })
#define TRY(call_)                                                                                                     \
    do {                                                                                                               \
        int rc_ = (call_);                                                                                             \
        if (rc_) return rc_;                                                                                           \
    } while (0)

int decode_fail(struct decoder *d, const struct path *p, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What stands there, for a message: "an array". */
const char *found_kind(const struct json *j);
/* Around every node: one more, one deeper. ERR_PLAN_TOO_LARGE beyond PLAN_NODES_MAX or PLAN_DEPTH_MAX. */
int decode_enter(struct decoder *d, const struct path *p);
void decode_leave(struct decoder *d);

/* An object whose members are all among `names` (NULL-terminated). */
int decode_object(struct decoder *d, struct at a, const char *const *names);
int decode_array(struct decoder *d, struct at a);
int decode_required(struct decoder *d, struct at a, const char *name);
/* Absent = false. */
int decode_flag(struct decoder *d, struct at a, bool *out);
/* 1 to PLAN_NAME_BYTES bytes; absent = *out stays. */
int decode_name(struct decoder *d, struct at a, const char **out);
int decode_needed_name(struct decoder *d, struct at object_at, const char *name, const char **out);
/* A list of names that is omitted rather than empty. */
int decode_names(struct decoder *d, struct at a, const char *const **out, size_t *count);
/* Its number among `names` (NULL-terminated). */
int decode_word(struct decoder *d, struct at a, const char *const *names, unsigned *out);
int decode_needed_word(struct decoder *d, struct at object_at, const char *name, const char *const *names,
                       unsigned *out);

/* decode_expr.c: expressions. */
int decode_expr(struct decoder *d, struct at a, struct expr **out);
int decode_needed_expr(struct decoder *d, struct at object_at, const char *name, struct expr **out);
int decode_optional_expr(struct decoder *d, struct at object_at, const char *name, struct expr **out);
int decode_exprs(struct decoder *d, struct at a, struct exprs *out);
/* As decode_exprs, for members that are omitted rather than empty. */
int decode_some_exprs(struct decoder *d, struct at a, struct exprs *out);
int decode_orders(struct decoder *d, struct at a, struct orders *out);

/* decode.c: queries. */
int decode_query(struct decoder *d, struct at a, struct query **out);
int decode_needed_query(struct decoder *d, struct at object_at, const char *name, struct query **out);

#endif
