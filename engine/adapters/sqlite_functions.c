#include "adapters/sqlite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Functions of the plan's catalogue that SQLite lacks, under the names that other engines and SQLite's own percentile
 * extension have for them. Middle values, deviations and variances are computed with doubles, as SQLite's avg() is;
 * what picks a value (percentile_disc, mode) gives that very value. Memory comes from SQLite, so a run's ceiling counts
 * it. As window functions they keep the values of the frame in the order in which these came, which is the order in
 * which they leave. */

/* KEYS: where those of string_agg_by begin. */
enum { CHECK_EVERY = 8192, KEYS = 3 };

static bool stopped(sqlite3_context *ctx)
{
    struct conn *k = sqlite3_user_data(ctx);
    return k && conn_stopped(k);
}

static void give_up(sqlite3_context *ctx)
{
    sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
}

/* Room for more items; false without memory. */
static bool grow(void **items, size_t needed, size_t *room, size_t bytes)
{
    if (needed <= *room) return true;
    size_t wanted = *room ? *room * 2 : 16;
    if (wanted < needed) wanted = needed;
    void *p = sqlite3_realloc64(*items, wanted * bytes);
    if (!p) return false;
    *items = p;
    *room = wanted;
    return true;
}

/* ---- numbers: median, percentile_cont, stddev, variance ---- */

/* The running mean and sum of squared distances from it. SQLite's memory lies at multiples of eight. */
struct running {
    long double mean, squares;
} __attribute__((packed, aligned(8)));

struct numbers {
    double *v;
    size_t first, end, room; /* v[first] to v[end - 1] are in the frame */
    bool failed;
    double fraction;     /* of percentile_cont; from the far end when descending */
    struct running sums; /* stale once a value has left */
    bool stale;
};

static size_t numbers_count(const struct numbers *n)
{
    return n->end - n->first;
}

static void numbers_add(struct numbers *n, double v)
{
    void *p = n->v;
    if (!grow(&p, n->end + 1, &n->room, sizeof *n->v)) {
        n->failed = true;
        return;
    }
    n->v = p;
    n->v[n->end++] = v;
    long double before = v - n->sums.mean;
    n->sums.mean += before / (long double)numbers_count(n);
    n->sums.squares += before * (v - n->sums.mean);
}

static void numbers_step(sqlite3_context *ctx, int count, sqlite3_value **args)
{
    struct numbers *n = sqlite3_aggregate_context(ctx, sizeof *n);
    if (!n || n->failed || sqlite3_value_type(args[0]) == SQLITE_NULL) return;
    if (count > 1) n->fraction = sqlite3_value_double(args[1]);
    if (count > 2) n->fraction = 1 - n->fraction; /* descending */
    numbers_add(n, sqlite3_value_double(args[0]));
}

static void numbers_inverse(sqlite3_context *ctx, int count, sqlite3_value **args)
{
    struct numbers *n = sqlite3_aggregate_context(ctx, sizeof *n);
    (void)count;
    if (!n || n->failed || sqlite3_value_type(args[0]) == SQLITE_NULL || !numbers_count(n)) return;
    n->first++;
    n->stale = true;
    if (n->first < 1024 || n->first < numbers_count(n)) return;
    memmove(n->v, n->v + n->first, numbers_count(n) * sizeof *n->v);
    n->end -= n->first;
    n->first = 0;
}

/* The k-th smallest of v[0] to v[count - 1]; what is smaller stands before it afterwards, what is larger behind. */
static double select_nth(double *v, size_t count, size_t k)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1, nth = (ptrdiff_t)k;
    while (low < high) {
        double pivot = v[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i > j) break;
            double t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
        if (nth <= j)
            high = j;
        else if (nth >= i)
            low = i;
        else
            break;
    }
    return v[k];
}

static double smallest(const double *v, size_t count)
{
    double least = v[0];
    for (size_t i = 1; i < count; i++)
        if (v[i] < least) least = v[i];
    return least;
}

static void interpolated(sqlite3_context *ctx, double *v, size_t count, double fraction)
{
    double at = fraction * (double)(count - 1);
    size_t k = (size_t)at;
    if (k >= count - 1) k = count - 1;
    double low = select_nth(v, count, k), beyond = at - (double)k;
    if (beyond <= 0 || k + 1 == count) {
        sqlite3_result_double(ctx, low);
        return;
    }
    double high = smallest(v + k + 1, count - k - 1);
    sqlite3_result_double(ctx, beyond == 0.5 ? low / 2 + high / 2 : low + beyond * (high - low));
}

static void percentile_of(sqlite3_context *ctx, struct numbers *n, double fraction, bool last)
{
    if (!n || (!n->failed && !numbers_count(n))) {
        sqlite3_result_null(ctx);
        return;
    }
    size_t count = numbers_count(n);
    double *copy = n->failed ? NULL : last ? n->v + n->first : sqlite3_malloc64(count * sizeof *copy);
    if (!copy) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (!last) memcpy(copy, n->v + n->first, count * sizeof *copy);
    interpolated(ctx, copy, count, fraction);
    if (!last) sqlite3_free(copy);
}

static void numbers_free(struct numbers *n)
{
    if (n) sqlite3_free(n->v);
}

static void median_value(sqlite3_context *ctx)
{
    percentile_of(ctx, sqlite3_aggregate_context(ctx, 0), 0.5, false);
}

static void median_final(sqlite3_context *ctx)
{
    struct numbers *n = sqlite3_aggregate_context(ctx, 0);
    percentile_of(ctx, n, 0.5, true);
    numbers_free(n);
}

static void percentile_value(sqlite3_context *ctx)
{
    struct numbers *n = sqlite3_aggregate_context(ctx, 0);
    percentile_of(ctx, n, n ? n->fraction : 0, false);
}

static void percentile_final(sqlite3_context *ctx)
{
    struct numbers *n = sqlite3_aggregate_context(ctx, 0);
    percentile_of(ctx, n, n ? n->fraction : 0, true);
    numbers_free(n);
}

/* Once a value has left, the sums are taken anew: taking it out of them would leave its rounding behind. */
static void refresh(struct numbers *n)
{
    if (!n->stale) return;
    size_t end = n->end;
    n->stale = false;
    n->sums.mean = n->sums.squares = 0;
    for (n->end = n->first; n->end < end;) {
        double v = n->v[n->end++];
        long double before = v - n->sums.mean;
        n->sums.mean += before / (long double)numbers_count(n);
        n->sums.squares += before * (v - n->sums.mean);
    }
}

static void spread(sqlite3_context *ctx, struct numbers *n, size_t least, bool root)
{
    size_t count = n ? numbers_count(n) : 0;
    if (n && n->failed) {
        sqlite3_result_error_nomem(ctx);
    } else if (count < least) {
        sqlite3_result_null(ctx);
    } else {
        refresh(n);
        double variance = (double)(n->sums.squares / (long double)(count - (least - 1)));
        sqlite3_result_double(ctx, root ? sqrt(variance) : variance);
    }
}

#define SPREAD(name, least, root)                                                                                      \
    static void name##_value(sqlite3_context *ctx)                                                                     \
    {                                                                                                                  \
        spread(ctx, sqlite3_aggregate_context(ctx, 0), least, root);                                                   \
    }                                                                                                                  \
    static void name##_final(sqlite3_context *ctx)                                                                     \
    {                                                                                                                  \
        struct numbers *n = sqlite3_aggregate_context(ctx, 0);                                                         \
        spread(ctx, n, least, root);                                                                                   \
        numbers_free(n);                                                                                               \
    }
SPREAD(stddev_samp, 2, true)
SPREAD(stddev_pop, 1, true)
SPREAD(var_samp, 2, false)
SPREAD(var_pop, 1, false)

/* ---- values: percentile_disc, mode, string_agg_by ---- */

/* One row of an aggregate that needs an order: copies of its arguments. */
struct row {
    size_t number; /* in which it came */
    sqlite3_value *cells[];
};

struct rows {
    struct row **items;
    size_t count, room;
    int width;
    bool failed;
    /* While it is sorted. */
    sqlite3_context *ctx;
    const char *spec; /* of each key, two letters: a or d, f or l (where NULL goes) */
    int first_key;
    size_t compared;
    bool stopped;
};

static void row_free(struct row *r, int width)
{
    for (int i = 0; i < width; i++) sqlite3_value_free(r->cells[i]);
    sqlite3_free(r);
}

static void rows_free(struct rows *r)
{
    for (size_t i = 0; r && i < r->count; i++) row_free(r->items[i], r->width);
    if (r) sqlite3_free(r->items);
}

static void rows_step(sqlite3_context *ctx, int count, sqlite3_value **args)
{
    struct rows *r = sqlite3_aggregate_context(ctx, sizeof *r);
    if (!r || r->failed || !count || sqlite3_value_type(args[0]) == SQLITE_NULL) return;
    void *items = r->items;
    struct row *row = sqlite3_malloc64(sizeof *row + (size_t)count * sizeof row->cells[0]);
    r->width = count;
    r->failed = !row || !grow(&items, r->count + 1, &r->room, sizeof *r->items);
    r->items = items;
    if (r->failed) {
        sqlite3_free(row);
        return;
    }
    row->number = r->count;
    for (int i = 0; i < count; i++) {
        row->cells[i] = sqlite3_value_dup(args[i]);
        r->failed = r->failed || !row->cells[i];
    }
    r->items[r->count++] = row;
}

/* NULL, numbers, texts, blobs; as SQLite orders without a collation. */
static int compare_values(sqlite3_value *a, sqlite3_value *b)
{
    static const int classes[] = {
        [SQLITE_INTEGER] = 1, [SQLITE_FLOAT] = 1, [SQLITE_TEXT] = 2, [SQLITE_BLOB] = 3, [SQLITE_NULL] = 0
    };
    int ta = sqlite3_value_type(a), tb = sqlite3_value_type(b), class = classes[ta];
    if (class != classes[tb]) return class < classes[tb] ? -1 : 1;
    if (class == 0) return 0;
    if (ta == SQLITE_INTEGER && tb == SQLITE_INTEGER) {
        sqlite3_int64 x = sqlite3_value_int64(a), y = sqlite3_value_int64(b);
        return x < y ? -1 : x > y;
    }
    if (class == 1) {
        long double x = ta == SQLITE_INTEGER ? (long double)sqlite3_value_int64(a) : sqlite3_value_double(a);
        long double y = tb == SQLITE_INTEGER ? (long double)sqlite3_value_int64(b) : sqlite3_value_double(b);
        return x < y ? -1 : x > y;
    }
    const void *x = class == 2 ? sqlite3_value_text(a) : sqlite3_value_blob(a);
    const void *y = class == 2 ? sqlite3_value_text(b) : sqlite3_value_blob(b);
    int nx = sqlite3_value_bytes(a), ny = sqlite3_value_bytes(b), least = nx < ny ? nx : ny;
    int order = least ? memcmp(x, y, (size_t)least) : 0;
    return order ? order : nx - ny;
}

static int compare_rows(struct rows *r, const struct row *a, const struct row *b)
{
    const char *spec = r->spec;
    for (int i = r->first_key; i < r->width && spec && spec[0] && spec[1]; i++, spec += 2) {
        bool na = sqlite3_value_type(a->cells[i]) == SQLITE_NULL, nb = sqlite3_value_type(b->cells[i]) == SQLITE_NULL;
        if (na && nb) continue;
        if (na || nb) return na == (spec[1] == 'f') ? -1 : 1;
        int order = compare_values(a->cells[i], b->cells[i]);
        if (order) return spec[0] == 'd' ? -order : order;
    }
    return a->number < b->number ? -1 : 1;
}

static void merge(struct rows *r, struct row **items, struct row **spare, size_t count)
{
    if (count < 2 || r->stopped) return;
    size_t half = count / 2, i = 0, j = half, at = 0;
    merge(r, items, spare, half);
    merge(r, items + half, spare, count - half);
    r->compared += count;
    if (r->compared > CHECK_EVERY) {
        r->compared = 0;
        r->stopped = stopped(r->ctx);
    }
    if (r->stopped) return;
    while (i < half && j < count) spare[at++] = compare_rows(r, items[i], items[j]) <= 0 ? items[i++] : items[j++];
    while (i < half) spare[at++] = items[i++];
    while (j < count) spare[at++] = items[j++];
    memcpy(items, spare, count * sizeof *items);
}

/* Sorts by the arguments from first_key on; false after giving the error. */
static bool rows_sort(sqlite3_context *ctx, struct rows *r, int first_key, const char *spec)
{
    struct row **spare = r->failed ? NULL : sqlite3_malloc64((r->count + 1) * sizeof *spare);
    if (!spare) {
        sqlite3_result_error_nomem(ctx);
        return false;
    }
    r->ctx = ctx;
    r->first_key = first_key;
    r->spec = spec;
    merge(r, r->items, spare, r->count);
    sqlite3_free(spare);
    if (r->stopped) give_up(ctx);
    return !r->stopped;
}

/* percentile_disc(value, fraction [, 'desc']): the first value that reaches the fraction of the order. */
static void percentile_disc_final(sqlite3_context *ctx)
{
    struct rows *r = sqlite3_aggregate_context(ctx, 0);
    if (!r || (!r->failed && !r->count)) {
        sqlite3_result_null(ctx);
    } else if (rows_sort(ctx, r, 0, r->width > 2 ? "dl" : "al")) {
        double at = ceil(sqlite3_value_double(r->items[0]->cells[1]) * (double)r->count);
        size_t k = at < 1 ? 0 : (size_t)at - 1;
        sqlite3_result_value(ctx, r->items[k < r->count ? k : r->count - 1]->cells[0]);
    }
    rows_free(r);
}

/* mode(value [, 'desc']): the first of the most frequent values in that order. */
static void mode_final(sqlite3_context *ctx)
{
    struct rows *r = sqlite3_aggregate_context(ctx, 0);
    if (!r || (!r->failed && !r->count)) {
        sqlite3_result_null(ctx);
    } else if (rows_sort(ctx, r, 0, r->width > 1 ? "dl" : "al")) {
        size_t best = 0, most = 0;
        for (size_t i = 0, j; i < r->count; i = j) {
            for (j = i + 1; j < r->count && !compare_values(r->items[i]->cells[0], r->items[j]->cells[0]);) j++;
            if (j - i > most) most = j - i, best = i;
        }
        sqlite3_result_value(ctx, r->items[best]->cells[0]);
    }
    rows_free(r);
}

/* Equal values after the first one leave; rows are in the order of their value. */
static void rows_unique(struct rows *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (kept && !compare_values(r->items[kept - 1]->cells[0], r->items[i]->cells[0]))
            row_free(r->items[i], r->width);
        else
            r->items[kept++] = r->items[i];
    }
    r->count = kept;
}

static void joined(sqlite3_context *ctx, const struct rows *r)
{
    sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(ctx));
    for (size_t i = 0; i < r->count; i++) {
        sqlite3_value *const *cells = r->items[i]->cells;
        /* The text first: asking for it may change how many bytes there are. */
        const char *separator = (const char *)sqlite3_value_text(cells[1]);
        if (i && separator) sqlite3_str_append(out, separator, sqlite3_value_bytes(cells[1]));
        const char *text = (const char *)sqlite3_value_text(cells[0]);
        if (text) sqlite3_str_append(out, text, sqlite3_value_bytes(cells[0]));
    }
    int rc = sqlite3_str_errcode(out), n = sqlite3_str_length(out);
    char *text = sqlite3_str_finish(out);
    if (rc == SQLITE_TOOBIG)
        sqlite3_result_error_toobig(ctx);
    else if (rc != SQLITE_OK)
        sqlite3_result_error_nomem(ctx);
    else
        sqlite3_result_text(ctx, text ? text : "", n, text ? sqlite3_free : SQLITE_STATIC);
    if (rc != SQLITE_OK) sqlite3_free(text);
}

/* string_agg_by(value, separator, spec [, key …]): spec is 'u' for distinct values, then two letters a key. */
static void string_agg_final(sqlite3_context *ctx)
{
    struct rows *r = sqlite3_aggregate_context(ctx, 0);
    if (!r || (!r->failed && !r->count)) {
        sqlite3_result_null(ctx);
        rows_free(r);
        return;
    }
    if (r->width < KEYS) r->failed = true;
    const char *spec = r->failed ? "" : (const char *)sqlite3_value_text(r->items[0]->cells[2]);
    bool unique = spec && *spec == 'u', ok = !unique || rows_sort(ctx, r, 0, "al");
    if (ok && unique) rows_unique(r); /* which may free the row that spec is a text of */
    if (ok && !r->failed) spec = (const char *)sqlite3_value_text(r->items[0]->cells[2]);
    if (ok && rows_sort(ctx, r, KEYS, spec ? spec + unique : "")) joined(ctx, r);
    rows_free(r);
}

/* ---- scalars ---- */

/* trunc(number, digits): cut where its digits are written, so that 1.15 keeps its 5. */
static void trunc_digits(sqlite3_context *ctx, int count, sqlite3_value **args)
{
    char text[CELL_TEXT_ROOM];
    (void)count;
    sqlite3_int64 digits = sqlite3_value_int64(args[1]);
    int type = sqlite3_value_numeric_type(args[0]);
    if (type == SQLITE_NULL || sqlite3_value_type(args[1]) == SQLITE_NULL) {
        sqlite3_result_null(ctx);
    } else if (type == SQLITE_INTEGER) {
        sqlite3_int64 v = sqlite3_value_int64(args[0]), power = 1;
        for (; digits < 0 && power && power <= INT64_MAX / 10; digits++) power *= 10;
        sqlite3_result_int64(ctx, digits < 0 ? 0 : v - v % power);
    } else {
        double v = sqlite3_value_double(args[0]), power = pow(10, (double)-digits);
        double_text(v, text);
        char *point = strchr(text, '.');
        if (digits < 0)
            v = trunc(v / power) * power;
        else if (point && !strpbrk(text, "eN") && (sqlite3_int64)strlen(point + 1) > digits)
            point[digits + (digits > 0)] = '\0', v = strtod(text, NULL);
        sqlite3_result_double(ctx, v);
    }
}

static size_t occurrences(const char *text, const char *part, size_t bytes)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += bytes) count++;
    return count;
}

/* split_part(text, separator, n): the n-th part, from the end when n is negative; empty when there is none. */
static void split_part(sqlite3_context *ctx, int count, sqlite3_value **args)
{
    const char *text = (const char *)sqlite3_value_text(args[0]), *part = (const char *)sqlite3_value_text(args[1]);
    (void)count;
    if (!text || !part || sqlite3_value_type(args[2]) == SQLITE_NULL) {
        sqlite3_result_null(ctx);
        return;
    }
    size_t bytes = strlen(part), parts = bytes ? occurrences(text, part, bytes) + 1 : 1;
    sqlite3_int64 n = sqlite3_value_int64(args[2]);
    if (n < 0 && n >= -(sqlite3_int64)parts) n += (sqlite3_int64)parts + 1;
    if (n < 1 || n > (sqlite3_int64)parts) {
        sqlite3_result_text(ctx, "", 0, SQLITE_STATIC);
        return;
    }
    while (--n) text = strstr(text, part) + bytes;
    const char *end = bytes ? strstr(text, part) : NULL;
    sqlite3_result_text(ctx, text, end ? (int)(end - text) : -1, SQLITE_TRANSIENT);
}

/* ---- all of them ---- */

enum { PURE = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

int sqlite_functions(sqlite3 *db, struct conn *k)
{
    static const struct {
        const char *name;
        int args;
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*final)(sqlite3_context *);
        void (*value)(sqlite3_context *); /* NULL: no window function */
    } aggregates[] = { { "median", 1, numbers_step, median_final, median_value },
                       { "percentile_cont", 2, numbers_step, percentile_final, percentile_value },
                       { "percentile_cont", 3, numbers_step, percentile_final, percentile_value },
                       { "stddev_samp", 1, numbers_step, stddev_samp_final, stddev_samp_value },
                       { "stddev_pop", 1, numbers_step, stddev_pop_final, stddev_pop_value },
                       { "var_samp", 1, numbers_step, var_samp_final, var_samp_value },
                       { "var_pop", 1, numbers_step, var_pop_final, var_pop_value },
                       { "percentile_disc", 2, rows_step, percentile_disc_final, NULL },
                       { "percentile_disc", 3, rows_step, percentile_disc_final, NULL },
                       { "mode", 1, rows_step, mode_final, NULL },
                       { "mode", 2, rows_step, mode_final, NULL },
                       { "string_agg_by", -1, rows_step, string_agg_final, NULL } };
    int rc = sqlite3_create_function_v2(db, "trunc", 2, PURE, NULL, trunc_digits, NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_create_function_v2(db, "split_part", 3, PURE, NULL, split_part, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof aggregates / sizeof aggregates[0] && rc == SQLITE_OK; i++)
        rc = sqlite3_create_window_function(db, aggregates[i].name, aggregates[i].args, PURE, k, aggregates[i].step,
                                            aggregates[i].final, aggregates[i].value,
                                            aggregates[i].value ? numbers_inverse : NULL, NULL);
    return rc;
}
