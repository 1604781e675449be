/* call: everything that belongs to one request: memory, identity, deadline, first error, sinks, step times.
 * One thread works on a call; only call_cancel() may come from another. All memory taken from a call lives until
 * call_end(); nothing is freed before. A real out-of-memory aborts, so no function here returns NULL for lack of it. */
#ifndef QUERENT_CALL_H
#define QUERENT_CALL_H

#include "codes.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;
struct type;
struct world;

/* Bump allocator. Zero-initialised is empty and ready. */
struct arena {
    struct arena_block *head;
    char *next, *end;
    size_t total_bytes;
};

struct arena_mark {
    struct arena_block *head;
    char *next;
    size_t total_bytes;
};

void *arena_alloc(struct arena *a, size_t bytes); /* zeroed, aligned to 16 */
void *arena_grow(struct arena *a, void *old, size_t old_bytes, size_t new_bytes); /* in place when it is the last */
void *arena_grow_text(struct arena *a, void *old, size_t old_bytes, size_t new_bytes); /* the same, what is new not zeroed */
struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark mark); /* frees all that came after the mark */
void arena_free(struct arena *a);

enum level { LEVEL_ANYONE, LEVEL_VIEWER, LEVEL_EDITOR, LEVEL_ADMIN, LEVEL_OPERATOR };
extern const char *const level_names[]; /* anyone viewer editor admin operator NULL */

/* Who asks. Level opens operations, roles open data. allow_all: the policy is `allow_all`, roles do not matter.
 * source says how the caller was known: none, api_key, jwt, proxy, operator. */
struct principal {
    const char *user, *tenant;
    const char *source;
    const char *key_id; /* id of the API key, NULL otherwise */
    enum level level;
    bool approver;
    const char *const *roles;
    size_t role_count;
};

/* One finding of a validation: JSON pointer into the input, code, what was found and what would be right. */
struct finding {
    const char *pointer;
    const char *code;
    const char *detail;
};

/* message, hint and findings may be shown to the caller; detail is for the log only. */
struct err {
    enum err_code code;
    const char *message;
    const char *field; /* JSON pointer of the offending member, or NULL */
    const char *hint;
    const char *detail;
    int64_t retry_after_s; /* 0 = nothing is known about when it would succeed */
    struct finding *findings;
    size_t finding_count;
};

#define CALL_STEPS 32
struct step {
    const char *name;
    int64_t us;
};

/* Where streamed output goes; set by the door, NULL where the door does not stream. Non-zero = the client is gone. */
struct sinks {
    int (*emit)(void *ctx, const char *event, const struct type *type, const void *obj);
    int (*write)(void *ctx, const char *bytes, size_t n);
    void *ctx;
};

/* What the audit trail keeps of an operation: whoever knows a member fills it, engine_run writes the record. Text lives in
 * the call. A rule marks a refusal that the operation answers as a normal result. */
struct audit_note {
    const char *op;        /* set by engine_run */
    const char *object_id; /* what was made, changed or removed */
    const char *datasource_id, *question, *sql, *plan_hash;
    const char *tables, *columns; /* JSON arrays of text */
    const char *rule;             /* why it was refused: a code or a policy's rule */
    const char *failure;          /* code of a failure that the operation answers as a normal result */
    const char *failure_detail;   /* its true reason, for the log only */
    int64_t rows;
    bool allowed; /* a record stands in the store that this data may be read */
};

/* What call_end does besides freeing memory, latest first: things that the call holds and shares with others. */
struct deferred {
    void (*fn)(void *ctx);
    void *ctx;
    struct deferred *before;
};

#define CALL_RANDOM 64
struct call {
    struct arena arena;
    struct err err;
    struct principal who;
    struct audit_note audit;
    const char *request_id, *trace_id;
    int64_t started_us;  /* monotonic */
    int64_t deadline_us; /* monotonic; 0 = none */
    struct sinks sinks;
    struct world *world; /* pinned by engine_run, released by call_end through world_release */
    void (*world_release)(struct world *);
    struct deferred *deferred;
    struct step steps[CALL_STEPS];
    size_t step_count;
    int64_t step_started_us;
    atomic_bool cancelled;
    pthread_mutex_t cancel_lock;
    void (*cancel_fn)(void *ctx);
    void *cancel_ctx;
    unsigned char random[CALL_RANDOM]; /* drawn at once for the call's ids */
    size_t random_left;
};

void call_begin(struct call *c); /* trace and request ids are made here; the door may replace request_id */
void call_end(struct call *c);   /* unpins the world and frees everything */

/* Run by call_end before the memory goes, the last one first. */
void call_defer(struct call *c, void (*fn)(void *ctx), void *ctx);

void *call_alloc(struct call *c, size_t bytes);               /* zeroed */
void *call_array(struct call *c, size_t count, size_t bytes); /* zeroed; overflow aborts */
char *call_strdup(struct call *c, const char *s);             /* NULL in, NULL out */
char *call_strndup(struct call *c, const char *s, size_t n);
char *call_format(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *call_number(struct call *c, int64_t v); /* its digits */
char *call_vformat(struct call *c, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Record a failure and return its code: `return call_fail(c, ERR_NOT_FOUND, "…", …);`. The first failure wins. */
int call_fail(struct call *c, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same at a member of the input: pointer is a JSON pointer such as "/connection/port". */
int call_fail_at(struct call *c, enum err_code code, const char *pointer, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* What would be right, shown to the caller; and what only the log may say. The last one wins. */
void call_hint(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void call_retry_after(struct call *c, int64_t seconds);
void call_detail(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void call_finding(struct call *c, const char *pointer, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void call_forgive(struct call *c); /* the caller survives the failure: the error is cleared */

/* OK, ERR_CANCELLED or ERR_PIPELINE_TIMEOUT. Cheap; long loops ask it. */
int call_check(struct call *c);
int64_t call_left_us(const struct call *c); /* time to the deadline, INT64_MAX without one, never below 0 */

/* While a handle runs that must be interrupted: fn(ctx) is called at most once, from the cancelling thread, under a
 * lock that call_off_cancel() also takes, so the handle may be closed right after. One at a time. */
void call_on_cancel(struct call *c, void (*fn)(void *ctx), void *ctx);
void call_off_cancel(struct call *c);
void call_cancel(struct call *c);

/* Ends the running step and starts the named one (NULL = just end). Names are string constants. */
void call_step(struct call *c, const char *name);
/* Streams an event when the door takes events; returns OK or ERR_CANCELLED when the client is gone. */
int call_emit(struct call *c, const char *event, const struct type *type, const void *obj);

/* A growing array in the call. items is contiguous; list_push returns the new zeroed item. */
struct list {
    void *items;
    size_t count, room;
};
void *list_push(struct call *c, struct list *l, size_t item_bytes);
#define LIST_AT(l, T, i) (((T *)(l)->items)[i])

#endif
