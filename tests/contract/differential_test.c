/* The same plan in every engine gives the same rows: each function of the catalogue and each operator over values that
 * engines are known to disagree about, then random plans over the same tables. Every plan goes the whole road. What an
 * engine cannot say, check must refuse; what one engine fails on while it runs (a number out of range) is left out and
 * counted. DIFFERENTIAL_SEEDS=from,to runs other random plans. */
#include "engines.h"
#include "guard/guard.h"
#include "handmade.h"
#include "plan/functions.h"
#include "plan/walk.h"
#include "random_plan.h"
#include "schema/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENGINES = 4, ROWS = 48, OTHERS = 24, COLUMNS_MAX = 16 };

struct connected {
    struct datasource_config config;
    struct datasource ds;
    const struct view *view;
    size_t compared, unsaid, failed;
};

struct fixture {
    struct call call;
    struct policies *policies;
    struct connected all[ENGINES];
    size_t count;
    size_t differences;
};

/* ---- the data ---- */

static const char *const texts[] = { "",
                                     " ",
                                     "a",
                                     "A",
                                     "a ",
                                     " a",
                                     "b",
                                     "ab",
                                     "aB",
                                     "100%",
                                     "a_b",
                                     "a\\b",
                                     "it's",
                                     "\"q\"",
                                     "\xC3\xA4",
                                     "\xC3\x84",
                                     "e",
                                     "\xC3\xA9",
                                     "12",
                                     "12.5",
                                     "-3",
                                     "NULL",
                                     "a,b,,c",
                                     "\xE2\x82\xAC 5",
                                     "line\nbreak",
                                     "[x]",
                                     "a*b?",
                                     "\xF0\x9F\x98\x80z",
                                     "zz",
                                     "-" };
static const char *const days[] = {
    "2024-02-29", "2023-12-31", "2024-01-01", "2021-01-03", "2021-01-04", "1999-12-31",
    "2000-02-29", "2024-03-31", "2026-08-15", "2020-12-28", "1970-01-01", "2024-10-06"
};
static const char *const times[] = { "00:00:00", "23:59:59", "12:30:45", "06:05:04" };
static const char *const decimals[] = { "0.00",  "0.50",  "-0.50", "1.50", "-1.50", "2.50",       "2.25",
                                        "-2.25", "10.25", "99.75", "0.25", "-7.00", "1234567.75", "3.50" };
static const char *const doubles[] = { "0.0",     "0.5",   "-0.5",     "1.5",   "-2.5", "2.25",
                                       "12345.5", "-0.25", "3.140625", "100.0", "7.0",  "0.125" };
static const char *const integers[] = { "0",  "1", "-1", "2",   "-2",        "3",
                                        "-7", "7", "10", "100", "600000000", "-600000000" };

#define PICK(r, list) (list)[random_below(r, sizeof(list) / sizeof *(list))]

static void value(struct buf *b, struct random *r, const char *text, bool quoted)
{
    if (!random_below(r, 7)) {
        buf_str(b, ", NULL");
        return;
    }
    buf_str(b, quoted ? ", '" : ", ");
    for (; *text; text++) {
        if (quoted && *text == '\'') buf_char(b, '\'');
        buf_char(b, *text);
    }
    if (quoted) buf_char(b, '\'');
}

static const char *row_of(struct call *c, struct random *r, size_t i, bool other)
{
    struct buf b;
    buf_init(&b, c, 4000);
    buf_format(&b, "INSERT INTO %s VALUES (%zu", other ? "other" : "thing", i + 1);
    if (other) value(&b, r, call_format(c, "%zu", 1 + random_below(r, ROWS)), false);
        /* The first rows have every text, day and number once. */
#define NTH(list) (i < sizeof(list) / sizeof *(list) && !other ? (list)[i] : PICK(r, list))
    value(&b, r, NTH(integers), false);
    value(&b, r, PICK(r, integers), false);
    value(&b, r, NTH(decimals), false);
    value(&b, r, NTH(doubles), false);
    value(&b, r, NTH(texts), true);
    value(&b, r, PICK(r, texts), true);
    value(&b, r, NTH(days), true);
    value(&b, r, call_format(c, "%s %s", NTH(days), PICK(r, times)), true);
    value(&b, r, random_below(r, 2) ? "TRUE" : "FALSE", false);
    buf_str(&b, ")");
    return b.data;
}

static struct list statements(struct call *c, const char *type)
{
    struct list out = { 0 };
    struct random r = { 7 };
    bool my = !strcmp(type, "mysql");
    /* Texts are equal as their collation says: here, when all their bytes are. */
    const char *text = my ? "VARCHAR(60) COLLATE utf8mb4_nopad_bin" : "TEXT";
    const char *columns =
        call_format(c,
                    "i INTEGER, j INTEGER, n DECIMAL(12, 2), r DOUBLE PRECISION, s %s, u %s, day DATE, "
                    "moment %s, ok BOOLEAN",
                    text, text, my ? "DATETIME" : "TIMESTAMP");
    *(const char **)list_push(c, &out, sizeof(char *)) =
        call_format(c, "CREATE TABLE thing (id INTEGER PRIMARY KEY, %s)", columns);
    *(const char **)list_push(c, &out, sizeof(char *)) = call_format(
        c, "CREATE TABLE other (id INTEGER PRIMARY KEY, thing_id INTEGER REFERENCES thing (id), %s)", columns);
    for (size_t i = 0; i < ROWS + OTHERS; i++)
        *(const char **)list_push(c, &out, sizeof(char *)) = row_of(c, &r, i < ROWS ? i : i - ROWS, i >= ROWS);
    return out;
}

static int set_up(void **state)
{
    static struct fixture f;
    struct call *c = &f.call;
    *state = &f;
    call_begin(c);
    c->who = (struct principal){ .user = "op", .tenant = "default", .level = LEVEL_OPERATOR };
    assert_int_equal(policies_load(c, NULL, &f.policies), OK);
    for (const struct test_engine *e = test_engines; e->type; e++) {
        struct connected *k = &f.all[f.count];
        struct snapshot *s = NULL;
        if (!strcmp(e->type, "mssql")) continue; /* what is to be had of it answers with SQLite's rules */
        if (!e->start()) {
            printf("# %s: not to be had on this machine, skipped\n", e->type);
            continue;
        }
        struct list sql = statements(c, e->type);
        e->load(&sql);
        f.count++;
        k->config = (struct datasource_config){ .id = "d", .type = e->type };
        assert_int_equal(type_defaults(c, &datasource_options_type, &k->config.options), OK);
        const char *connection = e->connection();
        assert_int_equal(json_parse(c, connection, strlen(connection), &k->config.connection), OK);
        if (adapter_open(c, &k->config, &k->ds.adapter) || adapter_introspect(c, k->ds.adapter, &s))
            fail_msg("%s: %s", e->type, c->err.message);
        s->datasource = s->fingerprint = e->type;
        k->ds.config = &k->config;
        k->ds.snapshot = s;
        assert_int_equal(policy_view(c, f.policies, &c->who, s, &k->view), OK);
    }
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < f->count; i++) {
        adapter_close(f->all[i].ds.adapter);
        test_engine_find(f->all[i].config.type)->stop();
    }
    policies_free(f->policies);
    call_end(&f->call);
    return 0;
}

/* ---- comparing ---- */

struct answer {
    const char *sql;
    const char *error; /* of the run */
    bool unsaid;       /* check refuses it for this engine */
    struct list rows;  /* const char *const *, cells */
    size_t width;
    enum type_kind kinds[COLUMNS_MAX];
};

static bool is_number(enum type_kind k)
{
    return k == TYPE_INTEGER || k == TYPE_DECIMAL || k == TYPE_DOUBLE;
}

/* A whole number without the zeros behind its point; the rest as it is. */
static const char *cell_text(struct call *c, const char *text, size_t n, enum type_kind kind)
{
    char *s = call_strndup(c, text, n), *point = strchr(s, '.');
    bool stamp = kind == TYPE_TIMESTAMP || kind == TYPE_TIME;
    if (point && (is_number(kind) || stamp) && !strpbrk(point, "eE")) {
        char *end = s + strlen(s);
        while (end > point + 1 && end[-1] == '0') *--end = 0;
        if (end == point + 1) *point = 0;
    }
    if (strcmp(s, "-0") == 0) return "0";
    return kind != TYPE_BOOLEAN ? s : !strcmp(s, "1") ? "true" : !strcmp(s, "0") ? "false" : s;
}

static const char *rounded(struct call *c, const char *cell, enum type_kind kind)
{
    char *end;
    if (!is_number(kind)) return cell;
    double v = strtod(cell, &end);
    return *cell && !*end ? call_format(c, "%.6g", v) : cell;
}

static struct call *sorting;
static const struct answer *sorted_answer;

static int by_cells(const void *a, const void *b)
{
    const char *const *x = *(const char *const *const *)a, *const *y = *(const char *const *const *)b;
    for (size_t i = 0; i < sorted_answer->width; i++) {
        enum type_kind kind = i < COLUMNS_MAX ? sorted_answer->kinds[i] : TYPE_UNKNOWN;
        int order = strcmp(rounded(sorting, x[i], kind), rounded(sorting, y[i], kind));
        if (order) return order;
    }
    return 0;
}

struct collector {
    struct row_sink sink;
    struct call *c;
    struct answer *out;
};

static int columns_are(void *ctx, struct call *c, const struct result_column *columns, size_t count)
{
    (void)ctx;
    (void)c;
    (void)columns;
    (void)count;
    return OK;
}

static int deliver(void *ctx, struct call *c, const struct cell *cells, size_t count)
{
    struct collector *k = ctx;
    (void)c;
    const char **row = call_array(k->c, count, sizeof *row);
    for (size_t i = 0; i < count; i++) {
        enum type_kind kind = i < COLUMNS_MAX ? k->out->kinds[i] : TYPE_UNKNOWN;
        row[i] = cells[i].kind == CELL_NULL ? "~" : cell_text(k->c, cells[i].text, cells[i].n, kind);
    }
    *(const char ***)list_push(k->c, &k->out->rows, sizeof row) = row;
    k->out->width = count;
    return OK;
}

/* measure: the first engine's answer, whose types stand for all: not every engine knows a boolean from a number. */
static void ask(struct call *c, struct connected *k, const struct query *plan, const struct answer *measure,
                struct answer *out)
{
    struct query *q = plan_copy(c, plan);
    struct guarded *g;
    struct run_stats stats;
    *out = (struct answer){ .sql = "" };
    struct collector sink = { .c = c, .out = out };
    sink.sink = (struct row_sink){ .ctx = &sink, .columns = columns_are, .row = deliver };
    int rc = guard_prepare(c, &k->ds, k->view, q, ORIGIN_TEXT, 0, &g);
    if (rc == ERR_PLAN_NOT_SUPPORTED) {
        out->unsaid = true;
        out->error = c->err.message;
        return;
    }
    if (!rc) out->sql = g->statement->sql;
    for (size_t i = 0; !rc && i < g->plan->offer_count && i < COLUMNS_MAX; i++)
        out->kinds[i] = measure ? measure->kinds[i] : g->plan->offers[i].type.kind;
    if (!rc) rc = guard_run(c, g, NULL, &sink.sink, &stats);
    if (rc) out->error = call_format(c, "%s [%s]", c->err.message, c->err.detail ? c->err.detail : "");
    sorting = c;
    sorted_answer = out;
    if (out->rows.count) qsort(out->rows.items, out->rows.count, sizeof(char **), by_cells);
}

static bool cells_equal(const char *a, const char *b, enum type_kind kind)
{
    if (!strcmp(a, b)) return true;
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    if (*end_a || *end_b || !*a || !*b) return false;
    bool fraction = kind == TYPE_DECIMAL || kind == TYPE_DOUBLE;
    return fraction && fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y)) + 1e-9;
}

/* The first row where two answers differ, or NULL. */
static const char *difference(struct call *c, const struct answer *a, const struct answer *b)
{
    if (a->rows.count != b->rows.count) return call_format(c, "%zu rows, not %zu", b->rows.count, a->rows.count);
    for (size_t i = 0; i < a->rows.count; i++)
        for (size_t n = 0; n < a->width; n++) {
            const char *x = LIST_AT(&a->rows, const char **, i)[n], *y = LIST_AT(&b->rows, const char **, i)[n];
            if (!cells_equal(x, y, n < COLUMNS_MAX ? a->kinds[n] : TYPE_UNKNOWN))
                return call_format(c, "row %s, column %zu: '%s', not '%s'", LIST_AT(&a->rows, const char **, i)[0], n,
                                   y, x);
        }
    return NULL;
}

/* The first engine that can say the plan is the measure. but: an engine with a way of its own here, or NULL. */
static void compare(struct fixture *f, struct call *c, const char *label, const struct query *plan, const char *but)
{
    struct answer first = { 0 };
    const char *measure = NULL;
    for (size_t i = f->count; i-- > 0;) { /* sqlite first */
        struct connected *k = &f->all[i];
        struct answer a;
        if (but && !strcmp(but, k->config.type)) continue;
        ask(c, k, plan, measure ? &first : NULL, &a);
        if (getenv("DIFFERENTIAL_SHOW")) printf("%s %s: %s %s\n", label, k->config.type, a.error ? a.error : "", a.sql);
        if (a.unsaid) {
            k->unsaid++;
        } else if (a.error) {
            k->failed++;
            if (!getenv("DIFFERENTIAL_QUIET"))
                printf("# %s: %s fails: %s: %s\n", label, k->config.type, a.error, a.sql);
        } else if (!measure) {
            measure = k->config.type;
            first = a;
        } else {
            const char *what = difference(c, &first, &a);
            k->compared++;
            if (what) {
                f->differences++;
                printf("%s: %s differs from %s: %s\n  %s\n  %s\n", label, k->config.type, measure, what, first.sql,
                       a.sql);
            }
        }
        call_forgive(c);
    }
}

/* ---- single expressions ---- */

static struct query *from_thing(struct call *c)
{
    struct query *q = query_select(c);
    query_from(c, q, NULL, "thing", "t");
    return q;
}

static struct expr *col(struct call *c, const char *name)
{
    return expr_column(c, "t", name);
}

/* Candidates for an argument of a function; NULL past the last. */
static struct expr *candidate(struct call *c, const struct function *fn, size_t at, size_t i)
{
    static const char *const formats[] = { "%Y-%m-%d", "%H:%M:%S", "%j %w", "%m/%Y on %d." };
    bool positive = strstr(" sqrt ln log log10 power exp acos asin ", call_format(c, " %s ", fn->name)) != NULL;
    char letter = function_arg(fn, at);
    if (!letter) return NULL;
    if (positive) {
        struct expr *sum = expr_binary(c, OP_ADD, expr_call1(c, "abs", col(c, i ? "r" : "n")), expr_number(c, "1.5"));
        if (!strcmp(fn->name, "power") || !strcmp(fn->name, "exp"))
            sum = expr_binary(c, OP_MOD, col(c, "i"), expr_integer(c, 5));
        if (!strcmp(fn->name, "power") && !at)
            sum = expr_binary(c, OP_ADD, expr_call1(c, "abs", col(c, "n")), expr_number(c, "0.5"));
        if (fn->name[0] == 'a') sum = expr_binary(c, OP_DIV, expr_number(c, "1"), sum);
        return i < 2 ? sum : NULL;
    }
    switch (letter) {
    case 'n': {
        static const char *const names[] = { "i", "n", "r" };
        return i < (strcmp(fn->name, "mod") ? 3u : 2u) ? col(c, names[i]) : NULL;
    }
    case 'i': {
        int64_t n = (int64_t)i - 2;
        if (!strcmp(fn->name, "ntile") || !strcmp(fn->name, "nth_value") || !strcmp(fn->name, "split_part") ||
            !strcmp(fn->name, "lag") || !strcmp(fn->name, "lead"))
            n += 3;
        if (!strcmp(fn->name, "left") || !strcmp(fn->name, "right")) n += 2;
        if (!strcmp(fn->name, "substr") && at == 2) n += 2;
        return i < 5 ? expr_integer(c, n) : NULL;
    }
    case 't': {
        static const char *const literals[] = { "a", ",", "zz" };
        if (at && (!strncmp(fn->name + 1, "trim", 4) || !strcmp(fn->name, "trim")))
            return i < 3 ? expr_text(c, literals[i]) : NULL;
        if (!strcmp(fn->name, "replace") && at) return i < 2 ? expr_text(c, literals[i + (at > 1)]) : NULL;
        if (!strcmp(fn->name, "glob"))
            return !i ? expr_text(c, "a*") : i == 1 ? expr_text(c, "*b?") : i == 2 ? expr_text(c, "?") : NULL;
        if (!strcmp(fn->name, "string_agg") && at) return !i ? expr_text(c, "; ") : NULL;
        if (!strcmp(fn->name, "split_part") && at == 1) return i < 2 ? expr_text(c, literals[i]) : NULL;
        return i < 2 ? col(c, i ? "u" : "s") : i < 4 ? expr_text(c, literals[i - 2]) : NULL;
    }
    case 'd':
        return i < 2 ? col(c, i ? "moment" : "day") : NULL;
    case 'b':
        return !i ? col(c, "ok") : NULL;
    case 'u':
        return i <= UNIT_SECOND ? expr_text(c, unit_names[i]) : NULL;
    case 'f':
        return i < sizeof formats / sizeof *formats ? expr_text(c, formats[i]) : NULL;
    default: {
        static const char *const names[] = { "i", "n", "r", "s", "day", "moment", "ok" };
        static const char *const second[] = { "j", "i", "n", "u", "day", "moment", "ok" };
        if (!strcmp(fn->name, "date") || !strcmp(fn->name, "timestamp") || !strcmp(fn->name, "time"))
            return i < 2 ? col(c, i ? "moment" : "day") : NULL;
        if (!strcmp(fn->name, "concat") || !strcmp(fn->name, "concat_ws") || !strcmp(fn->name, "string_agg"))
            return i < 2 ? col(c, i ? "i" : "s") : NULL;
        if (!strcmp(fn->name, "glob")) return i < 2 ? col(c, i ? "u" : "s") : NULL;
        return i < 7 ? col(c, at ? second[i] : names[i]) : NULL;
    }
    }
}

struct choice_of {
    const struct function *fn;
    size_t args, at[4];
};

static struct expr *call_of(struct call *c, const struct choice_of *k)
{
    struct expr *args[4];
    for (size_t i = 0; i < k->args; i++)
        if (!(args[i] = candidate(c, k->fn, i, k->at[i]))) return NULL;
    if (k->fn->flags & FUNC_STAR && !k->at[0]) args[0] = expr_star(c);
    struct expr *e = expr_call(c, k->fn->name, k->args, args);
    if (k->fn->class == FUNC_WINDOW) {
        e->call.over = call_alloc(c, sizeof *e->call.over);
        exprs_push(c, &e->call.over->partition_by, col(c, "ok"));
        orders_push(c, &e->call.over->order_by, col(c, "i"), DIR_DESC);
        orders_push(c, &e->call.over->order_by, col(c, "id"), DIR_ASC);
    }
    return e;
}

/* The engine that goes its own way with a function, as docs/sql.md says, and cannot be told otherwise at a fair price.
 */
static const char *own_way(const struct choice_of *k, bool over)
{
    static const struct {
        const char *function, *engine;
    } own[] = { { "lower", "sqlite" }, { "upper", "sqlite" } }; /* only ASCII has two cases there */
    const char *name = k->fn->name;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i].function)) return own[i].engine;
    /* It keeps decimals as doubles. */
    if (!strcmp(name, "mod") && (k->at[0] || k->at[1])) return "sqlite";
    /* A month on from the 31st it gives a day of the month after. */
    if (!strcmp(name, "date_add") && k->at[0] <= UNIT_MONTH) return "sqlite";
    /* Over a window it gives NULL for nothing but empty texts. */
    if (!strcmp(name, "string_agg") && over) return "sqlite";
    /* It rounds the halves of doubles to even numbers. */
    if (!strcmp(name, "round") && k->at[0] == 2) return "mysql";
    /* It gives nothing from before the first character. */
    if (!strcmp(name, "substr") && k->at[1] < 3) return "mysql";
    return NULL;
}

static void function_case(struct fixture *f, const struct choice_of *k)
{
    struct call c;
    call_begin(&c);
    c.who = f->call.who;
    const char *label = call_format(&c, "%s/%zu [%zu%zu%zu]", k->fn->name, k->args, k->at[0], k->at[1], k->at[2]);
    struct query *q = from_thing(&c);
    if (k->fn->class == FUNC_SCALAR || k->fn->class == FUNC_WINDOW) {
        query_item(&c, q, col(&c, "id"), "id");
        query_item(&c, q, call_of(&c, k), "x");
        compare(f, &c, label, q, own_way(k, false));
        call_end(&c);
        return;
    }
    bool agg = !strcmp(k->fn->name, "string_agg"), set = k->fn->class == FUNC_ORDERED_SET;
    bool any = !strcmp(k->fn->name, "any_value");
    static const char *const keys[] = { "n", "i", "r" };
    for (size_t i = 0; i < 3; i++) { /* of a group; distinct or descending; over no rows */
        q = from_thing(&c);
        struct expr *e = call_of(&c, k);
        if (set) {
            if (k->args) e->call.args.items[0] = expr_number(&c, i ? "0.25" : "0.6");
            orders_push(&c, &e->call.within, col(&c, keys[k->at[0]]), i == 1 ? DIR_DESC : DIR_ASC);
        }
        if (agg) {
            if (i != 1)
                orders_push(&c, &e->call.within, col(&c, "s"), DIR_DESC),
                    orders_push(&c, &e->call.within, col(&c, "id"), DIR_ASC);
            if (i == 1) orders_push(&c, &e->call.within, expr_copy(&c, e->call.args.items[0]), DIR_ASC);
        }
        if (i == 1 && !set && !any && e->call.args.items[0]->kind != EXPR_STAR) e->call.distinct = true;
        struct expr *group = any ? col(&c, "id") : col(&c, "j");
        query_group(&c, q, group);
        query_item(&c, q, expr_copy(&c, group), "g");
        if (i == 2) {
            q->body->select.group_by.count = 0;
            q->body->select.item_count = 0;
            query_where(&c, q, expr_binary(&c, OP_GT, col(&c, "id"), expr_integer(&c, 100000)));
            query_item(&c, q, expr_count_star(&c), "n");
        }
        query_item(&c, q, e, "x");
        compare(f, &c, call_format(&c, "%s #%zu", label, i), q, own_way(k, false));
    }
    if (k->fn->flags & FUNC_OVER) {
        for (size_t i = 0; i < 3; i++) { /* the whole partition, what came so far, a sliding frame */
            q = from_thing(&c);
            struct expr *e = call_of(&c, k);
            e->call.over = call_alloc(&c, sizeof *e->call.over);
            exprs_push(&c, &e->call.over->partition_by, col(&c, "ok"));
            if (i) orders_push(&c, &e->call.over->order_by, col(&c, "id"), DIR_ASC);
            if (i == 2) {
                struct frame *frame = e->call.over->frame = call_alloc(&c, sizeof *frame);
                *frame = (struct frame){ .unit = FRAME_ROWS,
                                         .start = { BOUND_PRECEDING, expr_integer(&c, 2) },
                                         .end = { BOUND_FOLLOWING, expr_integer(&c, 1) } };
            }
            if (agg && !i) continue; /* in no order */
            query_item(&c, q, col(&c, "id"), "id");
            query_item(&c, q, e, "x");
            compare(f, &c, call_format(&c, "%s over #%zu", label, i), q, own_way(k, true));
        }
    }
    call_end(&c);
}

static bool exists(const struct choice_of *k, size_t arg)
{
    struct call c;
    call_begin(&c);
    bool is = candidate(&c, k->fn, arg, k->at[arg]) != NULL;
    call_end(&c);
    return is;
}

/* Arguments of any type must fit each other; not every number is tried beside every other one. */
static bool fits(const struct choice_of *k, size_t arg)
{
    if (!arg || function_arg(k->fn, arg) != 'a' || function_arg(k->fn, 0) != 'a') return true;
    return k->at[arg] == k->at[0] || (arg == 1 && k->at[arg] < 3 && k->at[0] < 3);
}

static void choices(struct fixture *f, struct choice_of *k, size_t arg)
{
    if (arg == k->args) {
        function_case(f, k);
        return;
    }
    for (k->at[arg] = 0; exists(k, arg); k->at[arg]++)
        if (fits(k, arg)) choices(f, k, arg + 1);
    k->at[arg] = 0;
}

/* most_failed: plans that engines may fail on while they run. */
static void summary(struct fixture *f, size_t most_failed)
{
    size_t failed = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct connected *k = &f->all[i];
        failed += k->failed;
        printf("# %s: %zu compared, %zu cannot be said, %zu failed\n", k->config.type, k->compared, k->unsaid,
               k->failed);
        k->compared = k->unsaid = k->failed = 0;
    }
    size_t differences = f->differences;
    f->differences = 0;
    assert_int_equal(differences, 0);
    assert_true(failed <= most_failed);
}

static void catalogue(void **state)
{
    struct fixture *f = *state;
    const char *only = getenv("DIFFERENTIAL_ONLY");
    for (const struct function *fn = functions; fn->name; fn++) {
        size_t least, most;
        function_arity(fn, &least, &most);
        if (only && strcmp(only, fn->name) != 0) continue;
        if (fn->flags & FUNC_VOLATILE) continue;
        if (most > 3) most = least > 3 ? least : 3;
        for (size_t n = least; n <= most; n++) {
            struct choice_of k = { .fn = fn, .args = n };
            choices(f, &k, 0);
        }
    }
    summary(f, 0);
}

/* ---- operators and clauses ---- */

/* In PostgreSQL's words. Behind | the engine that goes its own way. */
static const char *const written[] = {
    "SELECT id, i + j, i - j, i / 7, i % 7, -i, i * 3 FROM thing",
    "SELECT id, i / j, i % j, j / 2, -j / 2, -7 / 2, 7 / -2, -7 % 3, 7 % -3 FROM thing",
    "SELECT id, n + i, n - 1.25, n * 2, n / 4, i / 4.0, n / n, i / 0, n / 0 FROM thing",
    "SELECT id, r + 1, r * r, r / 3, r / r, r / 0, n + r, n * r FROM thing",
    "SELECT id, trunc(n / 3), trunc(-n / 3), round(n, 1), round(i / 8.0, 2) FROM thing",
    "SELECT id, s = u, s <> u, s < u, s <= u, s > 'a', s >= 'a ', s = 'a', s = '' FROM thing",
    "SELECT id FROM thing WHERE s = 'a'",
    "SELECT id FROM thing WHERE s = 'A'",
    "SELECT id FROM thing WHERE s = ''",
    "SELECT id FROM thing WHERE s < 'b'",
    "SELECT id FROM thing WHERE s IN ('a', 'A ', '', 'NULL')",
    "SELECT id FROM thing WHERE s NOT IN ('a', 'b')",
    "SELECT id FROM thing WHERE s NOT IN ('a', NULL)",
    "SELECT id, s IN ('a', NULL), i IN (1, 2, NULL), i NOT IN (1, NULL) FROM thing",
    "SELECT id FROM thing WHERE s BETWEEN 'A' AND 'b'",
    "SELECT id, i BETWEEN -2 AND 7, i NOT BETWEEN 0 AND j, n BETWEEN i AND 10 FROM thing",
    "SELECT id FROM thing WHERE s IN (SELECT u FROM thing)",
    "SELECT id FROM thing WHERE i NOT IN (SELECT j FROM thing)",
    "SELECT id FROM thing WHERE i NOT IN (SELECT j FROM thing WHERE j IS NOT NULL)",
    "SELECT id, s LIKE 'a%', s LIKE 'A%', s LIKE '_', s LIKE '%\\\\%', s LIKE '%!%' ESCAPE '!', s LIKE 'a\\_b' FROM "
    "thing",
    "SELECT id, s NOT LIKE '%b', s LIKE '', s LIKE ' %', s LIKE '%?', s LIKE '[x]', s LIKE '%*%', s LIKE '%''%' FROM "
    "thing",
    "SELECT id, s ILIKE 'A%', s ILIKE '%B', s NOT ILIKE 'a_b', s ILIKE 'NULL' FROM thing",
    "SELECT id, s LIKE u || '%' ESCAPE '', u LIKE '%' || s ESCAPE '' FROM thing|sqlite",
    "SELECT id, s || u, s || '-' || i, '' || s FROM thing",
    "SELECT id, coalesce(s, 'none'), coalesce(i, j, 0), nullif(s, ''), nullif(i, 0), nullif(n, 0.5) FROM thing",
    "SELECT id, i IS DISTINCT FROM j, s IS NOT DISTINCT FROM u, s IS NULL, NOT (i > 1), i > 1 OR j > 1, i > 1 AND j > "
    "1 FROM thing",
    "SELECT id, ok, NOT ok, ok AND i > 0, ok OR i > 0, ok IS TRUE, ok IS NOT FALSE, ok = (i > 0) FROM thing",
    "SELECT id FROM thing WHERE ok",
    "SELECT id FROM thing WHERE NOT ok",
    "SELECT id, CASE WHEN i > 0 THEN 'p' WHEN i < 0 THEN 'n' END, CASE i WHEN 1 THEN 'one' ELSE s END FROM thing",
    "SELECT id, CAST(i AS text), CAST(i AS double precision), CAST(i AS numeric), CAST('12' AS integer), CAST(day AS "
    "text) FROM thing",
    "SELECT id, CAST(n AS integer), CAST(r AS integer) FROM thing WHERE n NOT IN (0.5, -0.5, 1.5, -1.5, 2.5, 99.75, "
    "3.5, 2.25, -2.25, 10.25, 0.25, 1234567.75) AND r IN (0, 7, 100)",
    "SELECT id, CAST(moment AS date), CAST(day AS timestamp), CAST('2024-05-06' AS date), CAST('2024-05-06 07:08:09' "
    "AS timestamp) FROM thing",
    "SELECT id, day < '2021-01-04', day = DATE '2024-02-29', moment > '2000-01-01', moment >= TIMESTAMP '2024-01-01 "
    "00:00:00', day < moment FROM thing|sqlite",
    "SELECT id, day + INTERVAL '3 days', day - INTERVAL '2 weeks', moment + INTERVAL '90 minutes', moment - INTERVAL "
    "'1 hour', day + INTERVAL '36 hours' FROM thing",
    "SELECT id, day + INTERVAL '1 month', day - INTERVAL '1 year', moment + INTERVAL '2 quarters' FROM thing WHERE "
    "extract(day FROM day) < 28 AND extract(day FROM moment) < 28",
    "SELECT id, extract(year FROM day), extract(week FROM day), extract(quarter FROM moment), extract(dow FROM day), "
    "extract(doy FROM day), extract(isodow FROM day), extract(epoch FROM moment) FROM thing",
    "SELECT id, row_number() OVER (ORDER BY s, id), row_number() OVER (ORDER BY s DESC, id), row_number() OVER (ORDER "
    "BY i NULLS FIRST, id), row_number() OVER (ORDER BY i DESC NULLS LAST, id) FROM thing",
    "SELECT id, row_number() OVER (ORDER BY ok, day DESC NULLS LAST, n NULLS FIRST, id), dense_rank() OVER (ORDER BY "
    "u), rank() OVER (ORDER BY moment DESC) FROM thing",
    "SELECT s, count(*), sum(i), min(u), max(u) FROM thing GROUP BY s",
    "SELECT count(s), count(DISTINCT s), count(DISTINCT i), count(*), sum(DISTINCT j), avg(DISTINCT j) FROM thing",
    "SELECT DISTINCT s FROM thing",
    "SELECT DISTINCT ok, i FROM thing",
    "SELECT s FROM thing UNION SELECT u FROM thing",
    "SELECT s FROM thing INTERSECT SELECT u FROM thing",
    "SELECT s FROM thing EXCEPT SELECT u FROM thing",
    "SELECT s FROM thing UNION ALL SELECT s FROM other",
    "SELECT i FROM thing EXCEPT ALL SELECT j FROM thing",
    "SELECT i FROM thing INTERSECT ALL SELECT j FROM thing",
    "SELECT t.id, o.id FROM thing t JOIN other o ON t.s = o.s",
    "SELECT t.id, o.id FROM thing t LEFT JOIN other o ON o.thing_id = t.id AND o.i > 0",
    "SELECT t.id, o.id FROM thing t RIGHT JOIN other o ON o.thing_id = t.id",
    "SELECT t.id, o.id FROM thing t FULL JOIN other o ON o.thing_id = t.id",
    "SELECT t.id, o.id FROM thing t JOIN other o ON t.s LIKE o.u || '%' ESCAPE ''",
    "SELECT t.id, o.id FROM thing t JOIN other o ON t.day = o.day OR t.i = o.j",
    "SELECT t.id, (SELECT count(*) FROM other o WHERE o.thing_id = t.id), (SELECT max(o.s) FROM other o WHERE o.i < "
    "t.i) FROM thing t",
    "SELECT t.id FROM thing t WHERE EXISTS (SELECT 1 FROM other o WHERE o.s = t.s) OR NOT EXISTS (SELECT 1 FROM other "
    "o WHERE o.i = t.i)",
    "SELECT j, count(*) FILTER (WHERE i > 0), sum(n) FILTER (WHERE ok), max(s) FILTER (WHERE s <> '') FROM thing GROUP "
    "BY j HAVING count(*) > 1",
    "SELECT j, avg(i), avg(n), avg(r), sum(n), sum(r) FROM thing GROUP BY j",
    "SELECT sum(i), sum(n), avg(i), min(s), max(s), min(ok::text), max(day) FROM thing WHERE id < 0",
    "SELECT id, s FROM thing ORDER BY s NULLS FIRST, id LIMIT 7",
    "SELECT id, s FROM thing ORDER BY s DESC NULLS LAST, id LIMIT 9 OFFSET 3",
    "SELECT id, i FROM thing ORDER BY i DESC, n, id LIMIT 11",
    "SELECT id, upper(s) AS x FROM thing WHERE id < 13 ORDER BY x, id LIMIT 5",
    "SELECT DISTINCT s FROM thing ORDER BY s DESC NULLS LAST LIMIT 6",
    "SELECT s FROM thing UNION SELECT u FROM thing ORDER BY s NULLS FIRST LIMIT 6",
    "WITH k AS (SELECT i, sum(n) AS x FROM thing GROUP BY i) SELECT k.i, k.x, t.id FROM k JOIN thing t ON t.i = k.i "
    "WHERE k.x > 0",
    "WITH RECURSIVE k (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM k WHERE a < 20) SELECT a, a * a FROM k",
    "SELECT id, sum(i) OVER (PARTITION BY j ORDER BY id), count(*) OVER (PARTITION BY s), min(s) OVER (ORDER BY id "
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM thing",
    "SELECT id, first_value(s) OVER (PARTITION BY ok ORDER BY id), last_value(i) OVER (PARTITION BY ok ORDER BY id "
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), lag(s, 2, 'none') OVER (ORDER BY id) FROM thing",
    "SELECT id, sum(i) OVER (ORDER BY n RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM thing WHERE n IS NOT NULL AND "
    "i < 1000 AND i > -1000",
    "SELECT id FROM thing WHERE (i, j) IN ((0, 1), (1, -1), (2, 2), (-7, 7))",
    "SELECT id, length(s), length(''), position('b' IN s), substr(s, 2, 1), replace(s, 'a', 'xy'), trim(s), ltrim(s), "
    "rtrim(s) FROM thing",
    "SELECT id, concat(s, i, u), concat_ws('-', s, u, i), left(s, 2), right(s, 2) FROM thing",
    "SELECT 1, 'it''s', NULL, 1.50, true, DATE '2024-02-29', 9007199254740993, 'a\\b'",
    "SELECT id, greatest(i, j), least(i, j), greatest(s, u), least(n, r, i) FROM thing",
    "VALUES (1, 'a'), (2, NULL)",
    "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v (x, y) JOIN thing t ON t.i = v.x",
};

/* Every engine has its own name for the schema. */
static bool without_schema(void *ctx, struct source *s)
{
    (void)ctx;
    s->schema = NULL;
    return true;
}

static void operators(void **state)
{
    struct fixture *f = *state;
    const struct view *view = f->all[f->count - 1].view;
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->all[i].config.type, "postgres")) view = f->all[i].view;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        struct call c;
        struct query *q;
        const char *bar = strchr(written[i], '|');
        while (bar && bar[1] == '|') bar = strchr(bar + 2, '|');
        size_t n = bar ? (size_t)(bar - written[i]) : strlen(written[i]);
        call_begin(&c);
        c.who = f->call.who;
        if (sql_to_plan(&c, "postgres", written[i], n, view, &q)) fail_msg("%s: %s", written[i], c.err.message);
        plan_walk(&(struct plan_visitor){ .source = without_schema }, q);
        compare(f, &c, call_format(&c, "[%zu]", i), q, bar ? bar + 1 : NULL);
        call_end(&c);
    }
    summary(f, 0);
}

/* ---- recursion ---- */

static void recursion(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *sql, *rows;
        bool cut;
    } cases[] = {
        { "WITH RECURSIVE k (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM k WHERE a < 5000) SELECT count(*), max(a) "
          "FROM k",
          "5000|5000\n", false },
        { "WITH RECURSIVE k (a) AS (SELECT 1 UNION ALL SELECT a * 2 FROM k WHERE a < 1000) SELECT count(*), max(a) "
          "FROM k",
          "11|1024\n", false },
        { "WITH RECURSIVE k (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM k WHERE a <> 0) SELECT count(*), max(a) FROM "
          "k",
          "10000|10000\n", true },
        { "WITH RECURSIVE k (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM k WHERE a <> 0) SELECT x.a FROM k x JOIN k y "
          "ON "
          "y.a = x.a + 9999",
          "1\n", true },
    };
    for (size_t i = 0; i < f->count; i++)
        for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
            struct connected *k = &f->all[i];
            struct guarded *g;
            struct text_sink sink;
            struct run_stats stats;
            struct query *q;
            struct call c;
            call_begin(&c);
            c.who = f->call.who;
            text_sink_init(&sink, &c);
            assert_int_equal(sql_to_plan(&c, "postgres", cases[n].sql, strlen(cases[n].sql), k->view, &q), OK);
            int rc = guard_prepare(&c, &k->ds, k->view, q, ORIGIN_TEXT, 0, &g);
            if (n && !strcmp(k->config.type, "mysql")) {
                assert_int_equal(rc, ERR_PLAN_NOT_SUPPORTED);
            } else {
                if (rc || guard_run(&c, g, NULL, &sink.sink, &stats))
                    fail_msg("%s %zu: %s", k->config.type, n, c.err.message);
                assert_string_equal(sink.text.data, cases[n].rows);
                assert_int_equal(stats.truncated, cases[n].cut);
                if (stats.truncated) assert_string_equal(stats.stopped_by, "recursion");
            }
            call_end(&c);
        }
}

/* ---- random plans ---- */

static void random_plans(void **state)
{
    struct fixture *f = *state;
    const struct view *view = f->all[f->count - 1].view;
    const unsigned all = ~0u, common = all & ~(unsigned)(DIALECT_FULL_JOIN | DIALECT_INTERSECT_ALL);
    unsigned long long from = 0, to = 120;
    const char *seeds = getenv("DIFFERENTIAL_SEEDS");
    if (seeds && strchr(seeds, ',')) {
        from = strtoull(seeds, NULL, 10);
        to = strtoull(strchr(seeds, ',') + 1, NULL, 10);
    }
    for (unsigned long long seed = from; seed < to; seed++) {
        struct call c;
        struct random r = { seed };
        call_begin(&c);
        c.who = f->call.who;
        struct query *q = random_sure_plan(&c, &r, view, seed % 4 ? common : all, 1 + (int)(seed % 4));
        plan_walk(&(struct plan_visitor){ .source = without_schema }, q);
        compare(f, &c, call_format(&c, "seed %llu", seed), q, NULL);
        call_end(&c);
    }
    summary(f, (size_t)(to - from) / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(catalogue), cmocka_unit_test(operators),
                                        cmocka_unit_test(random_plans), cmocka_unit_test(recursion) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
