/* Are two results the same? Numbers that count as equal get one class; then rows are compared by classes and hashes,
 * for each order of columns that is possible at all. */
#include "cli/measure/gold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 256
#define TRIES       2000

#define TOLERANCE          1e-6
#define RELATIVE_TOLERANCE 1e-12 /* what adding doubles up in another order costs */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 33);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool same_number(double a, double b)
{
    double apart = fabs(a - b), size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (a == b) return true;
    if (a == floor(a) && b == floor(b)) return false;
    return apart <= TOLERANCE || apart <= RELATIVE_TOLERANCE * size;
}

/* ---- classes of equal values ---- */

struct classes {
    double *sorted;
    uint32_t *class; /* beside sorted */
    size_t count;
};

static size_t add_numbers(const struct gold_rows *r, double *to)
{
    size_t n = 0;
    for (size_t i = 0; i < r->rows * r->columns; i++)
        if (!isnan(r->numbers[i])) to[n++] = r->numbers[i];
    return n;
}

/* A number that is equal to its neighbour in order is in its class. */
static void classify(struct call *c, const struct gold_rows *a, const struct gold_rows *b, struct classes *out)
{
    out->sorted = call_array(c, a->rows * a->columns + b->rows * b->columns + 1, sizeof *out->sorted);
    size_t n = add_numbers(a, out->sorted), kept = 0;
    n += add_numbers(b, out->sorted + n);
    qsort(out->sorted, n, sizeof *out->sorted, compare_double);
    for (size_t i = 0; i < n; i++)
        if (!kept || out->sorted[kept - 1] < out->sorted[i]) out->sorted[kept++] = out->sorted[i];
    out->count = kept;
    out->class = call_array(c, kept + 1, sizeof *out->class);
    for (size_t i = 1; i < kept; i++)
        out->class[i] = out->class[i - 1] + !same_number(out->sorted[i - 1], out->sorted[i]);
}

/* The cells as values that are equal exactly when the cells are. */
static uint64_t *cells_of(struct call *c, const struct gold_rows *r, const struct classes *k)
{
    size_t n = r->rows * r->columns;
    uint64_t *out = call_array(c, n + 1, sizeof *out);
    for (size_t i = 0; i < n; i++) {
        if (isnan(r->numbers[i])) {
            out[i] = r->cells[i];
            continue;
        }
        size_t low = 0, high = k->count;
        while (low + 1 < high) {
            size_t middle = (low + high) / 2;
            if (k->sorted[middle] <= r->numbers[i])
                low = middle;
            else
                high = middle;
        }
        out[i] = mix(77, k->class[low]);
    }
    return out;
}

/* ---- orders of columns ---- */

struct matching {
    struct call *call;
    size_t rows, columns;
    bool ordered;
    const uint64_t *a, *b; /* cells */
    uint64_t column_a[COLUMNS_MAX], column_b[COLUMNS_MAX];
    size_t map[COLUMNS_MAX]; /* column k of a is column map[k] of b */
    bool used[COLUMNS_MAX];
    int tries;
};

static uint64_t column_hash(const struct matching *m, const uint64_t *cells, size_t column)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->rows; i++) {
        uint64_t v = mix(9, cells[i * m->columns + column]);
        sum = m->ordered ? mix(sum, v) : sum + v;
    }
    return sum;
}

static uint64_t *row_hashes(const struct matching *m, const uint64_t *cells, const size_t *map, size_t count)
{
    uint64_t *out = call_array(m->call, m->rows + 1, sizeof *out);
    for (size_t i = 0; i < m->rows; i++) {
        uint64_t h = 1;
        for (size_t k = 0; k < count; k++) h = mix(h, cells[i * m->columns + (map ? map[k] : k)]);
        out[i] = h;
    }
    if (!m->ordered) qsort(out, m->rows, sizeof *out, compare_u64);
    return out;
}

/* The first `count` columns of a hold the same rows as those of b that they are mapped to. */
static bool rows_agree(struct matching *m, size_t count)
{
    struct arena_mark mark = arena_mark(&m->call->arena);
    const uint64_t *a = row_hashes(m, m->a, NULL, count), *b = row_hashes(m, m->b, m->map, count);
    bool same = memcmp(a, b, m->rows * sizeof *a) == 0;
    arena_reset(&m->call->arena, mark);
    return same;
}

static size_t choices(const struct matching *m, size_t k)
{
    size_t n = 0;
    for (size_t i = 0; i < m->columns; i++) n += !m->used[i] && m->column_b[i] == m->column_a[k];
    return n;
}

static bool match_from(struct matching *m, size_t k)
{
    if (k == m->columns) return rows_agree(m, k);
    size_t n = choices(m, k);
    for (size_t i = 0; i < m->columns && m->tries > 0; i++) {
        if (m->used[i] || m->column_b[i] != m->column_a[k]) continue;
        m->used[i] = true;
        m->map[k] = i;
        m->tries--;
        if ((n == 1 || rows_agree(m, k + 1)) && match_from(m, k + 1)) return true;
        m->used[i] = false;
    }
    return false;
}

bool gold_equal(struct call *c, const struct gold_rows *a, const struct gold_rows *b, bool ordered)
{
    if (a->columns != b->columns || a->rows != b->rows || a->columns > COLUMNS_MAX) return false;
    if (!a->rows) return true;
    struct classes classes;
    struct arena_mark mark = arena_mark(&c->arena);
    classify(c, a, b, &classes);
    struct matching *m = call_alloc(c, sizeof *m);
    *m = (struct matching){ .call = c,
                            .rows = a->rows,
                            .columns = a->columns,
                            .ordered = ordered,
                            .a = cells_of(c, a, &classes),
                            .b = cells_of(c, b, &classes),
                            .tries = TRIES };
    for (size_t i = 0; i < m->columns; i++) {
        m->column_a[i] = column_hash(m, m->a, i);
        m->column_b[i] = column_hash(m, m->b, i);
    }
    bool same = match_from(m, 0);
    arena_reset(&c->arena, mark);
    return same;
}
