#include "call.h"

#include "base/sanitizer.h"

#include <stdlib.h>
#include <string.h>

#if SANITIZE_ADDRESS
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

#define BLOCK_BYTES ((size_t)16 * 1024)
#define ALIGN       ((size_t)16)

struct arena_block {
    struct arena_block *before;
    char *end;
    _Alignas(16) char bytes[];
};

static size_t round_up(size_t n)
{
    if (n > SIZE_MAX / 2) abort();
    return (n + ALIGN - 1) & ~(ALIGN - 1);
}

static void add_block(struct arena *a, size_t least)
{
    /* Blocks double with the total, so a call with a large result takes few of them. */
    size_t bytes = BLOCK_BYTES;
    while (bytes < a->total_bytes / 4 && bytes < (size_t)1024 * 1024) bytes *= 2;
    if (bytes < least) bytes = least;
    struct arena_block *b = malloc(sizeof *b + bytes);
    if (!b) abort();
    b->before = a->head;
    b->end = b->bytes + bytes;
    a->head = b;
    a->next = b->bytes;
    a->end = b->end;
    POISON(b->bytes, bytes);
}

/* Not zeroed. */
static void *take(struct arena *a, size_t bytes)
{
    size_t n = round_up(bytes ? bytes : 1);
    if (!a->next || (size_t)(a->end - a->next) < n) add_block(a, n);
    void *p = a->next;
    a->next += n;
    a->total_bytes += n;
    UNPOISON(p, n);
    return p;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    return memset(take(a, bytes), 0, bytes ? bytes : 1);
}

void *arena_grow(struct arena *a, void *old, size_t old_bytes, size_t new_bytes)
{
    char *p = arena_grow_text(a, old, old_bytes, new_bytes);
    if (!old) old_bytes = 0;
    if (new_bytes > old_bytes) memset(p + old_bytes, 0, new_bytes - old_bytes);
    return p;
}

void *arena_grow_text(struct arena *a, void *old, size_t old_bytes, size_t new_bytes)
{
    if (!old) return take(a, new_bytes);
    size_t held = round_up(old_bytes ? old_bytes : 1), want = round_up(new_bytes);
    if (want <= held) return old;
    if ((char *)old + held == a->next && (size_t)(a->end - a->next) >= want - held) {
        UNPOISON(a->next, want - held);
        a->next += want - held;
        a->total_bytes += want - held;
        return old;
    }
    void *p = take(a, new_bytes);
    memcpy(p, old, old_bytes);
    return p;
}

struct arena_mark arena_mark(const struct arena *a)
{
    return (struct arena_mark){ .head = a->head, .next = a->next, .total_bytes = a->total_bytes };
}

void arena_reset(struct arena *a, struct arena_mark mark)
{
    while (a->head != mark.head) {
        struct arena_block *b = a->head;
        a->head = b->before;
        UNPOISON(b->bytes, (size_t)(b->end - b->bytes));
        free(b);
    }
    a->next = mark.next;
    a->end = a->head ? a->head->end : NULL;
    a->total_bytes = mark.total_bytes;
    if (a->next) POISON(a->next, (size_t)(a->end - a->next));
}

void arena_free(struct arena *a)
{
    arena_reset(a, (struct arena_mark){ 0 });
    *a = (struct arena){ 0 };
}
