#include "random_plan.h"

#include "plan/functions.h"
#include "plan/walk.h"

#include <string.h>

uint64_t random_next(struct random *r)
{
    uint64_t x = r->state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

size_t random_below(struct random *r, size_t n)
{
    return (size_t)(random_next(r) % n);
}

/* ---- schemas ---- */

static const enum type_kind kinds[] = { TYPE_INTEGER, TYPE_TEXT,      TYPE_DECIMAL, TYPE_DOUBLE,
                                        TYPE_DATE,    TYPE_TIMESTAMP, TYPE_BOOLEAN };
#define KINDS (sizeof kinds / sizeof kinds[0])

static void random_table(struct call *c, struct random *r, struct table *t, size_t i, const struct table *tables)
{
    t->name = i % 4 == 0   ? call_format(c, "t%zu", i)
              : i % 4 == 1 ? call_format(c, "Table %zu", i)
              : i % 4 == 2 ? call_format(c, "order \"%zu\"", i)
                           : call_format(c, "s\u00e9lect%zu", i);
    t->row_count = -1;
    t->column_count = 2 + random_below(r, 7);
    t->columns = call_array(c, t->column_count, sizeof *t->columns);
    for (size_t n = 0; n < t->column_count; n++) {
        struct column *column = &t->columns[n];
        column->name = n % 3 == 2 ? call_format(c, "Group %zu", n) : call_format(c, "c%zu", n);
        column->db_type = "";
        column->type.kind = n ? kinds[random_below(r, KINDS)] : TYPE_INTEGER;
        column->nullable = n && random_below(r, 2);
        column->primary_key = n == 0;
        column->distinct_count = column->null_count = -1;
    }
    if (!i) return;
    /* The second column refers to an earlier table. */
    t->columns[1].type.kind = TYPE_INTEGER;
    t->foreign_keys = call_alloc(c, sizeof *t->foreign_keys);
    t->foreign_key_count = 1;
    const char **own = call_alloc(c, sizeof *own), **theirs = call_alloc(c, sizeof *theirs);
    *own = t->columns[1].name;
    *theirs = "c0";
    *t->foreign_keys = (struct foreign_key){
        .columns = own, .column_count = 1, .table = tables[random_below(r, i)].name, .referred = theirs
    };
}

const struct view *random_view(struct call *c, struct random *r)
{
    struct snapshot *s = call_alloc(c, sizeof *s);
    struct view *v = call_alloc(c, sizeof *v);
    s->table_count = 1 + random_below(r, 6);
    s->tables = call_array(c, s->table_count, sizeof *s->tables);
    for (size_t i = 0; i < s->table_count; i++) random_table(c, r, &s->tables[i], i, s->tables);
    s->datasource = s->fingerprint = "random";
    s->dialect = "sqlite";
    v->snapshot = s;
    v->tables = s->tables;
    v->table_count = s->table_count;
    v->access = call_array(c, v->table_count, sizeof *v->access);
    v->key = "random";
    table_names_build(&v->names, call_alloc(c, table_names_bytes(v->table_count)), v->tables, v->table_count);
    return v;
}

/* ---- plans ---- */

struct visible {
    const char *alias, *column;
    enum type_kind kind;
};

struct maker {
    struct call *c;
    struct random *r;
    const struct view *v;
    unsigned features;
    bool sure;   /* see random_sure_plan */
    int aliases; /* given so far */
    size_t sources;
    struct list ctes; /* struct cte_shape */
};

struct cte_shape {
    const char *name;
    const struct visible *columns;
    size_t count;
};

struct frame_of { /* of names in sight */
    struct visible columns[256];
    size_t count;
    bool aggregate; /* columns only inside aggregates */
};

static struct expr *make_expr(struct maker *m, const struct frame_of *f, enum type_kind kind, int depth);
static struct query *make_query(struct maker *m, const struct frame_of *outer, const enum type_kind *kinds_wanted,
                                size_t count, int depth);

static size_t below(struct maker *m, size_t n)
{
    return random_below(m->r, n);
}

static struct expr *make_literal(struct maker *m, enum type_kind kind)
{
    static const char *const texts[] = { "a", "it's", "", "100%", "_x\\y", "\u00fcber \"q\"", "line\nbreak", "NULL" };
    static const char *const plain[] = { "a", "ab", "it's", "", "100%", "b", "null" };
    if (!below(m, 15) && !m->sure) return expr_null(m->c);
    if (m->sure && kind == TYPE_TEXT) return expr_text(m->c, plain[below(m, sizeof plain / sizeof plain[0])]);
    switch (kind) {
    case TYPE_INTEGER:
        return expr_integer(m->c, m->sure ? (int64_t)below(m, 12) - 3 : (int64_t)below(m, 2000) - 1000);
    case TYPE_DECIMAL:
        if (m->sure)
            return expr_number(m->c,
                               call_format(m->c, "%s%zu.%02zu", below(m, 3) ? "" : "-", below(m, 4), 25 * below(m, 4)));
        return expr_number(m->c, call_format(m->c, "%s%zu.%02zu", below(m, 3) ? "" : "-", below(m, 999), below(m, 99)));
    case TYPE_DOUBLE:
        return expr_number(m->c, call_format(m->c, "%zu.5e%zu", below(m, 9), m->sure ? below(m, 2) : below(m, 20)));
    case TYPE_DATE:
        return expr_literal(m->c, kind,
                            call_format(m->c, "20%02zu-%02zu-%02zu", below(m, 40), 1 + below(m, 12), 1 + below(m, 28)));
    case TYPE_TIMESTAMP:
        return expr_literal(m->c, kind, call_format(m->c, "2024-%02zu-11 %02zu:30:00", 1 + below(m, 12), below(m, 24)));
    case TYPE_BOOLEAN:
        return expr_boolean(m->c, below(m, 2));
    default:
        return expr_text(m->c, texts[below(m, sizeof texts / sizeof texts[0])]);
    }
}

static struct expr *make_column(struct maker *m, const struct frame_of *f, enum type_kind kind)
{
    size_t start = f->count ? below(m, f->count) : 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct visible *v = &f->columns[(start + i) % f->count];
        if (v->kind == kind) return expr_column(m->c, v->alias, v->column);
    }
    return make_literal(m, kind);
}

/* In the order of what is collected, so that it is one text. */
static struct expr *make_string_agg(struct maker *m, const struct frame_of *f)
{
    struct expr *args[] = { make_column(m, f, TYPE_TEXT), expr_text(m->c, below(m, 2) ? "; " : ",") };
    struct expr *e = expr_call(m->c, "string_agg", 2, args);
    if (args[0]->kind != EXPR_COLUMN) return expr_call1(m->c, "max", args[0]);
    e->call.distinct = !below(m, 3);
    orders_push(m->c, &e->call.within, expr_copy(m->c, args[0]), (enum direction)below(m, 2));
    return e;
}

/* percentile_disc of any kind, median and percentile of numbers. */
static struct expr *make_ordered_set(struct maker *m, const struct frame_of *f, enum type_kind kind)
{
    static const char *const fractions[] = { "0.5", "0.25", "0.9", "0", "1" };
    struct expr *fraction = expr_number(m->c, fractions[below(m, 5)]), *column = make_column(m, f, kind);
    if (column->kind != EXPR_COLUMN) return expr_call1(m->c, "min", column);
    if (kind == TYPE_DECIMAL && below(m, 2)) return expr_call1(m->c, "median", column);
    struct expr *e = expr_call(m->c, kind == TYPE_DOUBLE ? "percentile" : "percentile_disc", 1, &fraction);
    orders_push(m->c, &e->call.within, column, (enum direction)below(m, 2));
    return e;
}

static struct expr *make_aggregate(struct maker *m, const struct frame_of *f, enum type_kind kind, int depth)
{
    struct frame_of inner = *f;
    inner.aggregate = false;
    const char *name = below(m, 2) ? "max" : "min";
    if (kind == TYPE_TEXT && !below(m, 4)) return make_string_agg(m, &inner);
    if (kind == TYPE_DECIMAL && !below(m, 4)) return expr_call1(m->c, "avg", make_column(m, &inner, TYPE_INTEGER));
    if (kind == TYPE_DOUBLE && !below(m, 4)) {
        static const char *const names[] = { "stddev", "stddev_pop", "variance", "variance_pop", "total" };
        return expr_call1(m->c, names[below(m, 5)], make_column(m, &inner, TYPE_DOUBLE));
    }
    if (!below(m, 6) && kind != TYPE_BOOLEAN) return make_ordered_set(m, &inner, kind);
    if (kind == TYPE_INTEGER && !below(m, 3)) return expr_count_star(m->c);
    if (kind == TYPE_INTEGER && !below(m, 2))
        return below(m, 2) ? expr_distinct(m->c, "count", make_expr(m, &inner, TYPE_TEXT, depth - 1))
                           : expr_call1(m->c, "count", make_expr(m, &inner, TYPE_DATE, depth - 1));
    if (kind == TYPE_INTEGER || kind == TYPE_DECIMAL || kind == TYPE_DOUBLE) {
        if (below(m, 2)) name = "sum";
    } else if (kind == TYPE_BOOLEAN) {
        return expr_binary(m->c, OP_GT, expr_count_star(m->c), make_literal(m, TYPE_INTEGER));
    }
    /* The argument reads a column of this very query, or the aggregate would belong to an enclosing one. */
    struct expr *column = make_column(m, &inner, kind);
    struct expr *e = expr_call1(m->c, name, column);
    if (m->features && !below(m, 6)) e->call.filter = make_expr(m, &inner, TYPE_BOOLEAN, 1);
    return e;
}

static struct expr *make_condition(struct maker *m, const struct frame_of *f, int depth)
{
    enum type_kind kind = kinds[below(m, KINDS)];
    struct expr *e;
    switch (below(m, f->aggregate ? 7 : 10)) {
    case 0:
        return expr_and(m->c, make_expr(m, f, TYPE_BOOLEAN, depth), make_expr(m, f, TYPE_BOOLEAN, depth));
    case 1:
        return expr_or(m->c, make_expr(m, f, TYPE_BOOLEAN, depth), make_expr(m, f, TYPE_BOOLEAN, depth));
    case 2:
        return expr_not(m->c, make_expr(m, f, TYPE_BOOLEAN, depth));
    case 3:
        e = expr_is_null(m->c, make_expr(m, f, kind, depth));
        break;
    case 4:
        e = expr_like(m->c, make_expr(m, f, TYPE_TEXT, depth), make_literal(m, TYPE_TEXT), !m->sure && below(m, 2));
        break;
    case 5:
        if (kind == TYPE_BOOLEAN) kind = TYPE_INTEGER;
        e = expr_between(m->c, make_expr(m, f, kind, depth), make_literal(m, kind), make_literal(m, kind));
        break;
    case 6: {
        struct exprs list = { 0 };
        for (size_t i = 0; i <= below(m, 3); i++) exprs_push(m->c, &list, make_literal(m, kind));
        e = expr_in_list(m->c, make_expr(m, f, kind, depth), list);
        break;
    }
    case 7:
        e = expr_in_query(m->c, make_column(m, f, kind), make_query(m, f, &kind, 1, depth));
        break;
    case 8:
        e = expr_exists(m->c, make_query(m, f, &kind, 1, depth));
        break;
    default:
        return expr_binary(m->c, (enum binary_op)below(m, OP_GE + 1), make_expr(m, f, kind, depth),
                           make_expr(m, f, kind, depth));
    }
    return below(m, 3) ? e : expr_negated(m->c, e);
}

static struct expr *make_text(struct maker *m, const struct frame_of *f, int depth)
{
    struct expr *args[3] = { make_expr(m, f, TYPE_TEXT, depth), expr_integer(m->c, 1 + (int64_t)below(m, 4)),
                             expr_integer(m->c, 3) };
    switch (below(m, 10)) {
    case 0:
        return expr_binary(m->c, OP_CONCAT, args[0], make_expr(m, f, TYPE_TEXT, depth));
    case 1:
        return expr_call1(m->c, below(m, 2) && !m->sure ? "upper" : below(m, 2) ? "trim" : "ltrim", args[0]);
    case 4:
        args[1] = make_expr(m, f, TYPE_INTEGER, depth);
        return expr_call(m->c, "concat", 2, args);
    case 5:
        args[1] = args[0];
        args[0] = expr_text(m->c, below(m, 2) ? "-" : ", ");
        args[2] = make_expr(m, f, TYPE_TEXT, depth);
        return expr_call(m->c, "concat_ws", 3, args);
    case 6:
        return expr_call(m->c, below(m, 2) ? "left" : "right", 2, args);
    case 7:
        args[0] = make_expr(m, f, TYPE_DATE, depth);
        args[1] = expr_text(m->c, below(m, 2) ? "%Y-%m" : "%d.%m.%Y %j");
        return expr_call(m->c, "date_format", 2, args);
    case 8:
        args[1] = expr_text(m->c, below(m, 2) ? "a" : ",");
        args[2] = below(m, 2) ? expr_text(m->c, "xy") : expr_integer(m->c, 1 + (int64_t)below(m, 3));
        return expr_call(m->c, args[2]->type.kind == TYPE_TEXT ? "replace" : "split_part", 3, args);
    case 2:
        return expr_call(m->c, "substr", 3, args);
    case 3:
        return expr_cast(m->c, make_expr(m, f, TYPE_INTEGER, depth), TYPE_TEXT);
    default:
        args[1] = make_literal(m, TYPE_TEXT);
        return expr_call(m->c, "coalesce", 2, args);
    }
}

/* A whole number that a function makes of something else. */
static struct expr *make_count(struct maker *m, const struct frame_of *f, int depth)
{
    static const enum unit parts[] = { UNIT_YEAR, UNIT_QUARTER, UNIT_MONTH, UNIT_WEEK, UNIT_DAY };
    struct expr *args[3] = { expr_text(m->c, unit_names[parts[below(m, 5)]]), make_expr(m, f, TYPE_DATE, depth), NULL };
    switch (below(m, 6)) {
    case 0:
        return expr_call(m->c, "date_part", 2, args);
    case 1:
        args[2] = make_expr(m, f, TYPE_DATE, depth);
        return expr_call(m->c, "date_diff", 3, args);
    case 2:
        return expr_call1(m->c, below(m, 2) ? "weekday" : "yearday", args[1]);
    case 3:
        args[0] = make_expr(m, f, TYPE_TEXT, depth);
        args[1] = expr_text(m->c, "a");
        return expr_call(m->c, "instr", 2, args);
    case 4:
        return expr_call1(m->c, "sign", make_expr(m, f, TYPE_DECIMAL, depth));
    default:
        return expr_binary(m->c, OP_MOD, make_expr(m, f, TYPE_INTEGER, depth), make_literal(m, TYPE_INTEGER));
    }
}

static struct expr *make_number(struct maker *m, const struct frame_of *f, enum type_kind kind, int depth)
{
    static const enum binary_op ops[] = { OP_ADD, OP_SUB, OP_MUL, OP_MOD };
    struct expr *a = make_expr(m, f, kind, depth), *args[3] = { a, make_expr(m, f, kind, depth), NULL };
    switch (below(m, 7)) {
    case 0:
        if (m->sure) return expr_binary(m->c, ops[below(m, 3)], a, make_literal(m, kind));
        return expr_binary(m->c, ops[below(m, kind == TYPE_DOUBLE ? 3 : 4)], a, args[1]);
    case 4:
        if (kind == TYPE_INTEGER) return make_count(m, f, depth);
        if (kind == TYPE_DECIMAL && below(m, 2)) args[1] = expr_integer(m->c, (int64_t)below(m, 2));
        return kind == TYPE_DECIMAL && args[1]->kind == EXPR_LITERAL && args[1]->type.kind == TYPE_INTEGER
                   ? expr_call(m->c, below(m, 2) ? "round" : "trunc", 2, args)
                   : expr_call1(m->c, below(m, 2) ? "floor" : "ceil", a);
    case 5:
        return expr_binary(m->c, kind == TYPE_INTEGER ? OP_INTDIV : OP_SUB, a, args[1]);
    case 1:
        return expr_minus(m->c, a);
    case 2:
        return expr_call1(m->c, "abs", a);
    default:
        if (kind == TYPE_DECIMAL)
            return expr_binary(m->c, OP_DIV, make_expr(m, f, TYPE_INTEGER, depth),
                               m->sure ? expr_integer(m->c, 1 << below(m, 4)) : make_expr(m, f, TYPE_INTEGER, depth));
        if (kind == TYPE_INTEGER) return expr_call1(m->c, "length", make_expr(m, f, TYPE_TEXT, depth));
        return expr_cast(m->c, a, TYPE_DOUBLE);
    }
}

static struct expr *make_date(struct maker *m, const struct frame_of *f, enum type_kind kind, int depth)
{
    struct expr *a = make_expr(m, f, kind, depth);
    struct expr *args[3] = { expr_text(m->c, unit_names[below(m, UNIT_DAY + 1)]), a, NULL };
    if (!below(m, 2)) return expr_call(m->c, "date_trunc", 2, args);
    args[1] = expr_integer(m->c, (int64_t)below(m, 9) - 4);
    args[2] = a;
    if (m->sure) args[0] = expr_text(m->c, unit_names[UNIT_WEEK + below(m, 2)]);
    return expr_call(m->c, "date_add", 3, args);
}

static struct expr *make_case(struct maker *m, const struct frame_of *f, enum type_kind kind, int depth)
{
    struct expr *e = call_alloc(m->c, sizeof *e);
    e->kind = EXPR_CASE;
    e->cases.count = 1 + below(m, 2);
    e->cases.whens = call_array(m->c, e->cases.count, sizeof *e->cases.whens);
    for (size_t i = 0; i < e->cases.count; i++) {
        e->cases.whens[i].when = make_expr(m, f, TYPE_BOOLEAN, depth);
        e->cases.whens[i].then = make_expr(m, f, kind, depth);
    }
    if (below(m, 2)) e->cases.otherwise = make_expr(m, f, kind, depth);
    return e;
}

static void see(struct frame_of *f, const char *alias, const char *column, enum type_kind kind)
{
    if (f->count < sizeof f->columns / sizeof f->columns[0])
        f->columns[f->count++] = (struct visible){ alias, column, kind };
}

/* A scalar query of one row: the greatest of some rows of a table. */
static struct expr *make_single(struct maker *m, const struct frame_of *outer, enum type_kind kind)
{
    const struct table *t = &m->v->tables[below(m, m->v->table_count)];
    const char *alias = call_format(m->c, "a%d", m->aliases++);
    struct query *q = query_select(m->c);
    struct frame_of f = { .count = 0 };
    for (size_t i = 0; i < t->column_count; i++) see(&f, alias, t->columns[i].name, t->columns[i].type.kind);
    query_from(m->c, q, t->schema, t->name, alias);
    struct expr *column = make_column(m, &f, kind);
    if (column->kind != EXPR_COLUMN || kind == TYPE_BOOLEAN) return make_literal(m, kind);
    query_item(m->c, q, expr_call1(m->c, below(m, 2) ? "max" : "min", column), "x0");
    for (size_t i = 0; i < outer->count && f.count < 200; i++)
        see(&f, outer->columns[i].alias, outer->columns[i].column, outer->columns[i].kind);
    if (below(m, 2)) query_where(m->c, q, make_expr(m, &f, TYPE_BOOLEAN, 2));
    return expr_query(m->c, q);
}

static struct expr *make_expr(struct maker *m, const struct frame_of *f, enum type_kind kind, int depth)
{
    if (f->aggregate && (depth <= 1 || !below(m, 2)))
        return below(m, 5) ? make_aggregate(m, f, kind, depth) : make_literal(m, kind);
    if (depth <= 1) return below(m, 3) && !f->aggregate ? make_column(m, f, kind) : make_literal(m, kind);
    if (!below(m, 6)) return make_case(m, f, kind, depth - 1);
    if (!below(m, 8)) {
        static const char *const names[] = { "coalesce", "nullif", "greatest", "least", "largest", "smallest" };
        struct expr *args[] = { make_expr(m, f, kind, depth - 1), make_expr(m, f, kind, depth - 1) };
        return expr_call(m->c, names[below(m, kind == TYPE_BOOLEAN ? 1 : 6)], 2, args);
    }
    if (!below(m, 12) && !f->aggregate && m->sure) return make_single(m, f, kind);
    if (!below(m, 12) && !f->aggregate && !m->sure) {
        struct query *q = make_query(m, f, &kind, 1, depth - 1);
        return expr_query(m->c, q);
    }
    switch (kind) {
    case TYPE_BOOLEAN:
        return make_condition(m, f, depth - 1);
    case TYPE_TEXT:
        return make_text(m, f, depth - 1);
    case TYPE_DATE:
    case TYPE_TIMESTAMP:
        return make_date(m, f, kind, depth - 1);
    default:
        return make_number(m, f, kind, depth - 1);
    }
}

static void add_table(struct maker *m, struct query *q, struct frame_of *f, bool first)
{
    const struct table *t = &m->v->tables[below(m, m->v->table_count)];
    const char *alias = call_format(m->c, "a%d", m->aliases++);
    enum join_type type = (enum join_type)below(m, JOIN_FULL);
    m->sources++;
    if (type == JOIN_FULL && !(m->features & DIALECT_FULL_JOIN)) type = JOIN_INNER;
    size_t before = f->count;
    for (size_t i = 0; i < t->column_count; i++) see(f, alias, t->columns[i].name, t->columns[i].type.kind);
    if (first) {
        query_from(m->c, q, t->schema, t->name, alias);
        return;
    }
    struct expr *key = expr_column(m->c, alias, t->columns[0].name), *other = NULL;
    for (size_t i = 0; i < before && !other; i++)
        if (f->columns[i].kind == TYPE_INTEGER) other = expr_column(m->c, f->columns[i].alias, f->columns[i].column);
    query_join(m->c, q, type, t->schema, t->name, alias,
               expr_binary(m->c, OP_EQ, key, other ? other : expr_integer(m->c, 1)));
}

static void add_derived(struct maker *m, struct query *q, struct frame_of *f, int depth)
{
    const char *alias = call_format(m->c, "a%d", m->aliases++);
    enum type_kind shape[3];
    size_t count = 1 + below(m, 3);
    static const struct frame_of nothing;
    m->sources++;
    for (size_t i = 0; i < count; i++) shape[i] = kinds[below(m, KINDS)];
    query_from_query(m->c, q, make_query(m, &nothing, shape, count, depth - 1), alias);
    for (size_t i = 0; i < count; i++) see(f, alias, call_format(m->c, "x%zu", i), shape[i]);
}

static void add_cte(struct maker *m, struct query *q, struct frame_of *f)
{
    const struct cte_shape *t = &LIST_AT(&m->ctes, struct cte_shape, below(m, m->ctes.count));
    const char *alias = call_format(m->c, "a%d", m->aliases++);
    m->sources++;
    query_from_cte(m->c, q, t->name, alias);
    for (size_t i = 0; i < t->count; i++) see(f, alias, t->columns[i].column, t->columns[i].kind);
}

/* A limit behind a whole order, over kinds that every engine orders alike to the last digit. */
static void sure_limit(struct maker *m, struct query *q, const enum type_kind *wanted, size_t count)
{
    if (below(m, 3)) return;
    for (size_t i = 0; i < count; i++)
        if (wanted[i] == TYPE_DECIMAL || wanted[i] == TYPE_DOUBLE || wanted[i] == TYPE_BOOLEAN) return;
    for (size_t i = 0; i < count; i++) {
        query_order(m->c, q, expr_output(m->c, call_format(m->c, "x%zu", i)), (enum direction)below(m, 2));
        if (below(m, 2)) q->order_by.items[i].nulls = NULLS_FIRST;
    }
    query_limit(m->c, q, 1 + (int64_t)below(m, 30));
}

static struct query *make_set(struct maker *m, const struct frame_of *outer, const enum type_kind *wanted, size_t count,
                              int depth)
{
    enum set_op op = (enum set_op)below(m, SET_EXCEPT_ALL + 1);
    bool all = op == SET_INTERSECT_ALL || op == SET_EXCEPT_ALL;
    bool plain = op == SET_INTERSECT || op == SET_EXCEPT;
    if ((all && !(m->features & DIALECT_INTERSECT_ALL)) || (plain && !(m->features & DIALECT_INTERSECT)))
        op = SET_UNION;
    struct query *left = make_query(m, outer, wanted, count, depth - 1);
    struct query *right = make_query(m, outer, wanted, count, depth - 1);
    struct query *q = query_set(m->c, op, left, right);
    if (m->sure) {
        sure_limit(m, q, wanted, count);
        return q;
    }
    if (!below(m, 2)) query_order(m->c, q, expr_output(m->c, "x0"), (enum direction)below(m, 2));
    if (!below(m, 2)) query_limit(m->c, q, (int64_t)below(m, 20));
    return q;
}

/* A window function whose value does not hang on the order of equal rows; NULL where the kind has none. */
static struct expr *make_window(struct maker *m, const struct frame_of *f, enum type_kind kind)
{
    struct expr *column = make_column(m, f, kind), *key = make_column(m, f, TYPE_INTEGER), *e;
    if (column->kind != EXPR_COLUMN || key->kind != EXPR_COLUMN || kind == TYPE_BOOLEAN) return NULL;
    if (kind == TYPE_INTEGER && below(m, 2))
        e = below(m, 2) ? expr_call(m->c, below(m, 2) ? "rank" : "dense_rank", 0, NULL) : expr_count_star(m->c);
    else
        e = expr_call1(m->c, below(m, 2) ? "max" : "min", column);
    e->call.over = call_alloc(m->c, sizeof *e->call.over);
    if (below(m, 2)) exprs_push(m->c, &e->call.over->partition_by, make_column(m, f, TYPE_INTEGER));
    orders_push(m->c, &e->call.over->order_by, key, (enum direction)below(m, 2));
    if (below(m, 2)) e->call.over->order_by.items[0].nulls = NULLS_FIRST;
    return e;
}

static void make_items(struct maker *m, struct query *q, const struct frame_of *f, const enum type_kind *wanted,
                       size_t count, int depth)
{
    struct frame_of shown = *f;
    struct expr *keys[2] = { NULL };
    enum type_kind key_kinds[2];
    shown.aggregate = !below(m, 3);
    if (shown.aggregate) {
        for (size_t i = 0; i < below(m, 3); i++) {
            key_kinds[i] = wanted[below(m, count)];
            keys[i] = make_column(m, f, key_kinds[i]);
            if (keys[i]->kind != EXPR_COLUMN)
                keys[i] = NULL;
            else
                query_group(m->c, q, keys[i]);
        }
        bool grouped = q->body->select.group_by.count || (m->features & DIALECT_HIDDEN_AGGREGATES);
        if (grouped && !below(m, 3)) query_having(m->c, q, make_aggregate(m, &shown, TYPE_BOOLEAN, 2));
    }
    for (size_t i = 0; i < count; i++) {
        struct expr *e = NULL;
        for (size_t n = 0; n < 2 && !e; n++)
            if (keys[n] && key_kinds[n] == wanted[i] && below(m, 2)) e = expr_copy(m->c, keys[n]);
        if (!e && !shown.aggregate && f->count && !below(m, 6)) e = make_window(m, f, wanted[i]);
        if (!e) e = make_expr(m, &shown, wanted[i], depth);
        query_item(m->c, q, e, call_format(m->c, "x%zu", i));
    }
    q->body->select.distinct = !shown.aggregate && !below(m, 5);
}

static struct query *make_query(struct maker *m, const struct frame_of *outer, const enum type_kind *wanted,
                                size_t count, int depth)
{
    if (depth >= 2 && !below(m, 6)) return make_set(m, outer, wanted, count, depth);
    struct query *q = query_select(m->c);
    struct frame_of f = { .count = 0 };
    size_t sources = 1 + below(m, 3);
    if (m->sources + sources > PLAN_SOURCES_MAX / 2 || !m->v->table_count) sources = 0;
    for (size_t i = 0; i < sources; i++) {
        if (!i && m->ctes.count && !below(m, 3))
            add_cte(m, q, &f);
        else if (!i && depth >= 2 && !below(m, 5))
            add_derived(m, q, &f, depth);
        else
            add_table(m, q, &f, i == 0);
    }
    make_items(m, q, &f, wanted, count, depth);
    for (size_t i = 0; i < outer->count && f.count < 200; i++)
        see(&f, outer->columns[i].alias, outer->columns[i].column, outer->columns[i].kind);
    if (below(m, 2) && sources) query_where(m->c, q, make_expr(m, &f, TYPE_BOOLEAN, depth));
    if (m->sure) {
        sure_limit(m, q, wanted, count);
        return q;
    }
    if (!below(m, 3)) query_order(m->c, q, expr_output(m->c, "x0"), (enum direction)below(m, 2));
    if (!below(m, 3) && q->order_by.count) q->order_by.items[0].nulls = NULLS_FIRST;
    if (!below(m, 3)) query_limit(m->c, q, (int64_t)below(m, 50));
    return q;
}

static struct query *whole_plan(struct call *c, struct random *r, const struct view *v, unsigned features, int depth,
                                bool sure)
{
    struct maker m = { .c = c, .r = r, .v = v, .features = features, .sure = sure };
    static const struct frame_of nothing;
    enum type_kind shape[4];
    size_t ctes = below(&m, 3);
    struct query *with = query_select(c);
    for (size_t i = 0; i < ctes; i++) {
        struct visible *columns = call_array(c, 3, sizeof *columns);
        size_t count = 1 + below(&m, 3);
        for (size_t n = 0; n < count; n++) {
            shape[n] = kinds[below(&m, KINDS)];
            columns[n] = (struct visible){ NULL, call_format(c, "x%zu", n), shape[n] };
        }
        const char *name = call_format(c, "with %zu", i);
        query_with(c, with, name, make_query(&m, &nothing, shape, count, depth > 2 ? 2 : depth));
        *(struct cte_shape *)list_push(c, &m.ctes, sizeof(struct cte_shape)) =
            (struct cte_shape){ name, columns, count };
    }
    size_t count = 1 + below(&m, 4);
    for (size_t n = 0; n < count; n++) shape[n] = kinds[below(&m, KINDS)];
    struct query *q = make_query(&m, &nothing, shape, count, depth);
    q->ctes = with->ctes;
    q->cte_count = with->cte_count;
    return q;
}

struct query *random_plan(struct call *c, struct random *r, const struct view *v, unsigned features, int depth)
{
    return whole_plan(c, r, v, features, depth, false);
}

struct query *random_sure_plan(struct call *c, struct random *r, const struct view *v, unsigned features, int depth)
{
    return whole_plan(c, r, v, features, depth, true);
}

/* ---- damage ---- */

struct slots {
    struct call *c;
    struct list exprs, sources, queries; /* pointers */
};

static bool slot_expr(void *ctx, struct expr **slot)
{
    struct slots *s = ctx;
    *(struct expr ***)list_push(s->c, &s->exprs, sizeof slot) = slot;
    return true;
}

static bool slot_source(void *ctx, struct source *source)
{
    struct slots *s = ctx;
    *(struct source **)list_push(s->c, &s->sources, sizeof source) = source;
    return true;
}

static bool slot_query(void *ctx, struct query *q)
{
    struct slots *s = ctx;
    *(struct query **)list_push(s->c, &s->queries, sizeof q) = q;
    return true;
}

static void damage_expr(struct call *c, struct random *r, const struct slots *s)
{
    struct expr **slot = LIST_AT(&s->exprs, struct expr **, random_below(r, s->exprs.count)), *e = *slot;
    const struct expr *other = *LIST_AT(&s->exprs, struct expr **, random_below(r, s->exprs.count));
    switch (random_below(r, 10)) {
    case 0:
        *slot = expr_copy(c, other);
        break;
    case 1:
        *slot = expr_star(c);
        break;
    case 2:
        *slot = expr_output(c, "x0");
        break;
    case 3:
        *slot = expr_column(c, "a0", "c0");
        break;
    case 4:
        *slot = expr_call1(c, functions[random_below(r, function_count())].name, e);
        break;
    case 5:
        *slot = expr_call(c, functions[random_below(r, function_count())].name, 2,
                          (struct expr *[]){ e, expr_copy(c, other) });
        break;
    case 6:
        *slot = expr_binary(c, (enum binary_op)random_below(r, OP_OR + 1), e, expr_copy(c, other));
        break;
    case 7:
        *slot = expr_literal(c, (enum type_kind)(TYPE_INTEGER + (int)random_below(r, 9)), "2024-13-01");
        break;
    case 8:
        if (e->kind == EXPR_CALL) {
            e->call.over = call_alloc(c, sizeof *e->call.over);
            orders_push(c, &e->call.over->order_by, expr_copy(c, other), DIR_DESC);
        }
        break;
    default:
        if (e->kind == EXPR_CALL && e->call.args.count)
            e->call.args.count--;
        else if (e->kind == EXPR_COLUMN)
            e->column.column = "no such";
        break;
    }
}

static void damage_query(struct call *c, struct random *r, const struct slots *s)
{
    struct query *q = LIST_AT(&s->queries, struct query *, random_below(r, s->queries.count));
    struct expr *any = expr_copy(c, *LIST_AT(&s->exprs, struct expr **, random_below(r, s->exprs.count)));
    if (q->body->kind != BODY_SELECT) {
        q->body->set.op = (enum set_op)random_below(r, SET_EXCEPT_ALL + 1);
        return;
    }
    switch (random_below(r, 8)) {
    case 0:
        query_group(c, q, any);
        break;
    case 1:
        q->body->select.group_by.count = 0;
        break;
    case 2:
        query_having(c, q, any);
        break;
    case 3:
        query_where(c, q, any);
        break;
    case 4:
        query_order(c, q, any, DIR_ASC);
        break;
    case 5:
        q->limit = any;
        break;
    case 6:
        query_item(c, q, any, "x0");
        break;
    default:
        q->body->select.from = NULL;
        break;
    }
}

void random_damage(struct call *c, struct random *r, struct query *q)
{
    struct slots s = { .c = c };
    struct plan_visitor v = { .ctx = &s, .expr = slot_expr, .source = slot_source, .query = slot_query };
    plan_walk(&v, q);
    size_t what = random_below(r, 8);
    if (what < 5) {
        damage_expr(c, r, &s);
    } else if (what < 7 || !s.sources.count) {
        damage_query(c, r, &s);
    } else {
        struct source *source = LIST_AT(&s.sources, struct source *, random_below(r, s.sources.count));
        if (random_below(r, 2))
            source->alias = "a0";
        else if (source->kind != SOURCE_QUERY)
            source->name = "no such";
    }
}
