#include "cli/measure/lines.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text with a NUL is refused by every reader of JSON, so nobody can send it. The line is kept without that text: its
 * members say NULL for it. */
static int read_without_nul(struct call *c, char *line, size_t n, const struct json **out)
{
    static const char nul[] = "\\u0000";
    char *at = line;
    while ((at = strstr(at, nul)) != NULL) memcpy(at, "\\uE000", sizeof nul - 1);
    int rc = json_parse(c, line, n, out);
    if (rc || (*out)->kind != J_OBJECT) return rc;
    struct json *items = call_array(c, (*out)->count, sizeof *items), *copy = call_alloc(c, sizeof *copy);
    for (size_t i = 0; i < (*out)->count; i++) {
        items[i] = (*out)->items[i];
        if (items[i].kind == J_STRING && strstr(items[i].string, "\xEE\x80\x80")) items[i].kind = J_NULL;
    }
    *copy = **out;
    copy->items = items;
    *out = copy;
    return OK;
}

static int read_line(struct call *c, const char *at, size_t n, const struct json **out)
{
    char *text = call_strndup(c, at, n);
    return strstr(text, "\\u0000") ? read_without_nul(c, text, n, out) : json_parse(c, text, n, out);
}

/* bad NULL: the first line that is no JSON ends the reading. */
static int read_all(struct call *c, const char *path, struct list *all, size_t *bad)
{
    FILE *f = fopen(path, "rb");
    if (!f) return call_fail(c, ERR_NOT_FOUND, "%s cannot be read.", path);
    char *line = NULL;
    size_t room = 0, number = 0;
    ssize_t got;
    int rc = OK;
    while (!rc && (got = getline(&line, &room, f)) > 0) {
        size_t n = (size_t)got;
        const struct json *j;
        number++;
        const char *at = line;
        if (number == 1 && n >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3)) at += 3, n -= 3;
        while (n > 0 && strchr(" \t\r\n", at[n - 1])) n--;
        if (!n) continue;
        rc = read_line(c, at, n, &j);
        if (!rc) {
            *(struct json *)list_push(c, all, sizeof *j) = *j;
        } else if (bad) {
            fprintf(stderr, "%s, line %zu: %s\n", path, number, c->err.message);
            call_forgive(c);
            ++*bad;
            rc = OK;
        } else {
            call_hint(c, "See line %zu of %s.", number, path);
        }
    }
    if (!rc && ferror(f)) rc = call_fail(c, ERR_NOT_FOUND, "%s cannot be read.", path);
    free(line);
    fclose(f);
    return rc;
}

int lines_read(struct call *c, const char *path, const struct json **items, size_t *count)
{
    struct list all = { 0 };
    int rc = read_all(c, path, &all, NULL);
    *items = all.items;
    *count = all.count;
    return rc;
}

int lines_read_good(struct call *c, const char *path, const struct json **items, size_t *count, size_t *bad)
{
    struct list all = { 0 };
    *bad = 0;
    int rc = read_all(c, path, &all, bad);
    *items = all.items;
    *count = all.count;
    return rc;
}

const char *line_text(const struct json *line, const char *name)
{
    const struct json *v = json_get(line, name);
    return v && v->kind == J_STRING ? v->string : NULL;
}

int lines_operation(struct engine *e, struct call *c, const char *op, const char *in, size_t n, const struct json **out)
{
    const struct op *found = op_find(op);
    assert(found && found->in && found->out);
    void *request = call_alloc(c, found->in->size), *answer = call_alloc(c, found->out->size);
    const struct json *j;
    int rc = engine_operator(e, c, NULL, NULL, 0);
    if (!rc) rc = json_parse(c, in, n, &j);
    if (!rc) rc = json_decode(c, found->in, j, request);
    if (!rc) rc = engine_run(e, c, found, request, answer);
    if (rc) return rc;
    struct buf b;
    buf_init(&b, c, 16u << 20);
    json_encode(&b, found->out, answer);
    return json_parse(c, b.data, b.len, out);
}

struct share {
    atomic_size_t *next;
    size_t count;
    void *worker;
    void (*fn)(void *worker, size_t i);
};

static void *take_turns(void *ctx)
{
    struct share *s = ctx;
    for (size_t i; (i = atomic_fetch_add(s->next, 1)) < s->count;) s->fn(s->worker, i);
    return NULL;
}

void lines_work(size_t count, size_t jobs, void *workers, size_t worker_bytes, void (*fn)(void *worker, size_t i))
{
    enum { JOBS_MAX = 64 };
    pthread_t threads[JOBS_MAX];
    struct share shares[JOBS_MAX];
    bool running[JOBS_MAX] = { false };
    atomic_size_t next = 0;
    if (jobs > JOBS_MAX) jobs = JOBS_MAX;
    for (size_t i = 0; i < jobs; i++) {
        shares[i] = (struct share){ &next, count, (char *)workers + i * worker_bytes, fn };
        if (i + 1 < jobs) running[i] = pthread_create(&threads[i], NULL, take_turns, &shares[i]) == 0;
    }
    take_turns(&shares[jobs - 1]); /* the last one works here */
    for (size_t i = 0; i + 1 < jobs; i++)
        if (running[i]) pthread_join(threads[i], NULL);
}
