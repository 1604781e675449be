#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#define SERIES_MAX 256
#define NAMES_MAX  200
#define CLASSES    6 /* status / 100; 0 = no reply was sent */

static const int64_t bounds_us[] = { 500,   1000,   2500,   5000,    10000,   25000,
                                     50000, 100000, 250000, 1000000, 5000000, 30000000 };
#define BOUNDS (sizeof bounds_us / sizeof bounds_us[0])

struct histogram {
    atomic_ullong buckets[BOUNDS + 1], sum_us;
};

/* One name: an operation with its codes, or a kind of request with its status classes. */
struct series {
    char *name;
    struct histogram time;
    atomic_ullong counts[]; /* ERR_COUNT or CLASSES */
};

struct table {
    const char *total, *seconds, *label, *of;
    size_t width; /* counts of a series */
    _Atomic(struct series *) slots[SERIES_MAX];
    size_t used;
};

struct metrics {
    pthread_mutex_t lock; /* leaf lock: new names only */
    struct table operations, requests;
    atomic_llong running;
};

struct metrics *metrics_new(void)
{
    struct metrics *m = calloc(1, sizeof *m);
    if (!m) abort();
    pthread_mutex_init(&m->lock, NULL);
    m->operations = (struct table){ .total = "querent_operations_total",
                                    .seconds = "querent_operation_seconds",
                                    .label = "op",
                                    .of = "code",
                                    .width = ERR_COUNT };
    m->requests = (struct table){ .total = "querent_requests_total",
                                  .seconds = "querent_request_seconds",
                                  .label = "route",
                                  .of = "status",
                                  .width = CLASSES };
    return m;
}

static void table_free(struct table *t)
{
    for (size_t i = 0; i < SERIES_MAX; i++) {
        struct series *s = atomic_load(&t->slots[i]);
        if (s) free(s->name);
        free(s);
    }
}

void metrics_free(struct metrics *m)
{
    if (!m) return;
    table_free(&m->operations);
    table_free(&m->requests);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static size_t slot_of(const char *name)
{
    uint64_t h = 1469598103934665603u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h % SERIES_MAX);
}

static struct series *find(struct table *t, const char *name, size_t *at)
{
    struct series *s;
    for (*at = slot_of(name); (s = atomic_load(&t->slots[*at])); *at = (*at + 1) % SERIES_MAX)
        if (!strcmp(s->name, name)) return s;
    return NULL;
}

static struct series *series(struct metrics *m, struct table *t, const char *name)
{
    size_t at;
    struct series *s = find(t, name, &at);
    if (s) return s;
    pthread_mutex_lock(&m->lock);
    if (t->used >= NAMES_MAX) name = "other";
    s = find(t, name, &at);
    if (!s) {
        s = calloc(1, sizeof *s + t->width * sizeof s->counts[0]);
        if (!s || !(s->name = strdup(name))) abort();
        t->used++;
        atomic_store(&t->slots[at], s);
    }
    pthread_mutex_unlock(&m->lock);
    return s;
}

static void observe(struct series *s, size_t which, int64_t us)
{
    size_t bucket = 0;
    while (bucket < BOUNDS && us > bounds_us[bucket]) bucket++;
    atomic_fetch_add_explicit(&s->counts[which], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->time.buckets[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->time.sum_us, (unsigned long long)us, memory_order_relaxed);
}

void metrics_operation_begin(struct metrics *m)
{
    atomic_fetch_add_explicit(&m->running, 1, memory_order_relaxed);
}

void metrics_operation_end(struct metrics *m, const struct op *op, enum err_code code, int64_t us)
{
    atomic_fetch_sub_explicit(&m->running, 1, memory_order_relaxed);
    observe(series(m, &m->operations, op->name), (size_t)code, us);
}

void metrics_request(struct metrics *m, const char *what, int status, int64_t us)
{
    size_t class = status >= 100 && status < 600 ? (size_t)status / 100 : 0;
    observe(series(m, &m->requests, what), class, us);
}

/* A label's value: backslash, quote and newline are escaped. */
static void label(struct buf *b, const char *name, const char *value)
{
    buf_format(b, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '\n')
            buf_str(b, "\\n");
        else if (*value == '"' || *value == '\\')
            buf_format(b, "\\%c", *value);
        else
            buf_char(b, *value);
    }
    buf_char(b, '"');
}

static void write_counts(struct buf *b, const struct table *t, struct series *s)
{
    for (size_t i = 0; i < t->width; i++) {
        unsigned long long n = atomic_load_explicit(&s->counts[i], memory_order_relaxed);
        const char *of = t->width == ERR_COUNT ? code_row((enum err_code)i)->name : call_format(b->call, "%zuxx", i);
        if (!n) continue;
        buf_format(b, "%s{", t->total);
        label(b, t->label, s->name);
        buf_char(b, ',');
        label(b, t->of, of);
        buf_format(b, "} %llu\n", n);
    }
}

static void write_time(struct buf *b, const struct table *t, struct series *s)
{
    unsigned long long n = 0;
    for (size_t i = 0; i <= BOUNDS; i++) {
        n += atomic_load_explicit(&s->time.buckets[i], memory_order_relaxed);
        buf_format(b, "%s_bucket{", t->seconds);
        label(b, t->label, s->name);
        if (i < BOUNDS)
            buf_format(b, ",le=\"%g\"} %llu\n", (double)bounds_us[i] / 1e6, n);
        else
            buf_format(b, ",le=\"+Inf\"} %llu\n", n);
    }
    buf_format(b, "%s_sum{", t->seconds);
    label(b, t->label, s->name);
    buf_format(b, "} %g\n", (double)atomic_load_explicit(&s->time.sum_us, memory_order_relaxed) / 1e6);
    buf_format(b, "%s_count{", t->seconds);
    label(b, t->label, s->name);
    buf_format(b, "} %llu\n", n);
}

static void write_table(struct buf *b, struct table *t)
{
    buf_format(b, "# TYPE %s counter\n", t->total);
    for (size_t i = 0; i < SERIES_MAX; i++) {
        struct series *s = atomic_load(&t->slots[i]);
        if (s) write_counts(b, t, s);
    }
    buf_format(b, "# TYPE %s histogram\n", t->seconds);
    for (size_t i = 0; i < SERIES_MAX; i++) {
        struct series *s = atomic_load(&t->slots[i]);
        if (s) write_time(b, t, s);
    }
}

void metrics_write(struct metrics *m, struct buf *b)
{
    buf_str(b, "# TYPE querent_info gauge\nquerent_info{");
    label(b, "version", querent_version);
    buf_str(b, "} 1\n# TYPE querent_operations_running gauge\n");
    buf_format(b, "querent_operations_running %lld\n", (long long)atomic_load(&m->running));
    write_table(b, &m->operations);
    write_table(b, &m->requests);
}
