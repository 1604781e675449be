/* dialects: how every catalogue function and every construct is written for every engine, against golden files. Set
 * QUERENT_GOLDEN_WRITE to write them anew, then read the difference. */
#include "adapters/sqlite.h"
#include "plan/functions.h"
#include "policy/policy.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pg_query.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct column columns[] = {
    { .name = "id", .type = { TYPE_INTEGER, 0, 0 }, .primary_key = 1, .unique = true },
    { .name = "i", .type = { TYPE_INTEGER, 0, 0 }, .nullable = true },
    { .name = "n", .type = { TYPE_DECIMAL, 10, 2 }, .nullable = true },
    { .name = "r", .type = { TYPE_DOUBLE, 0, 0 }, .nullable = true },
    { .name = "s", .type = { TYPE_TEXT, 0, 0 }, .nullable = true },
    { .name = "day", .type = { TYPE_DATE, 0, 0 }, .nullable = true },
    { .name = "at", .type = { TYPE_TIMESTAMP, 0, 0 }, .nullable = true },
    { .name = "ok", .type = { TYPE_BOOLEAN, 0, 0 }, .nullable = true },
};
static struct table tables[] = {
    { .name = "thing", .columns = columns, .column_count = sizeof columns / sizeof columns[0] }
};

struct page {
    struct call *call;
    const struct dialect *dialect;
    const struct view *view;
    sqlite3 *sqlite;
    struct buf out;
};

static struct expr *col(struct page *p, const char *name)
{
    return expr_column(p->call, "t", name);
}

static struct query *from_thing(struct page *p)
{
    struct query *q = query_select(p->call);
    query_from(p->call, q, NULL, "thing", "t");
    return q;
}

static bool listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(names[i], name) == 0) return true;
    return false;
}

/* What SQLite sees must be a part of what the statement says it reads. */
static int authorize(void *ctx, int action, const char *one, const char *two, const char *database, const char *view)
{
    const struct statement *s = ctx;
    (void)database;
    (void)view;
    if (action == SQLITE_FUNCTION)
        return listed(s->reads.functions, s->reads.function_count, two) ? SQLITE_OK : SQLITE_DENY;
    if (action != SQLITE_READ) return action == SQLITE_SELECT || action == SQLITE_RECURSIVE ? SQLITE_OK : SQLITE_DENY;
    for (size_t i = 0; i < s->reads.table_count; i++)
        if (strcasecmp(s->reads.tables[i].table, one) == 0 &&
            (!*two || listed(s->reads.tables[i].columns, s->reads.tables[i].column_count, two)))
            return SQLITE_OK;
    return SQLITE_DENY;
}

static void prepare_in_sqlite(struct page *p, const char *label, struct statement *s)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3_set_authorizer(p->sqlite, authorize, s);
    if (sqlite3_prepare_v2(p->sqlite, s->sql, (int)s->n, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s: %s", label, sqlite3_errmsg(p->sqlite), s->sql);
    sqlite3_finalize(stmt);
}

/* One line: the label, then the SQL or why there is none. */
static void line(struct page *p, const char *label, struct query *q)
{
    struct check_result checked;
    struct statement *s;
    buf_format(&p->out, "%s: ", label);
    int rc = plan_check(p->call, p->view, &p->dialect->support, ORIGIN_TEXT, q, &checked);
    if (!rc) {
        rc = sql_render(p->call, p->dialect->name, q, 10, &s);
        /* What the renderer refuses, check must have refused. */
        if (rc) fail_msg("%s %s: render refuses: %s", p->dialect->name, label, p->call->err.message);
        buf_format(&p->out, "%s\n", s->sql);
        if (strcmp(p->dialect->name, "sqlite") == 0) prepare_in_sqlite(p, label, s);
        if (strcmp(p->dialect->name, "postgres") == 0) {
            PgQueryParseResult parsed = pg_query_parse(s->sql);
            if (parsed.error) fail_msg("%s: %s: %s", label, parsed.error->message, s->sql);
            pg_query_free_parse_result(parsed);
        }
        return;
    }
    const struct err *e = &p->call->err;
    buf_format(&p->out, "- %s\n", e->finding_count ? e->findings[0].detail : e->message);
    call_forgive(p->call);
}

static struct expr *argument(struct page *p, char letter, const char *unit, const char *date)
{
    switch (letter) {
    case 'u':
        return expr_text(p->call, unit);
    case 'f':
        return expr_text(p->call, "%d.%m.%Y %H:%M:%S, day %j, %w");
    case 'n':
        return col(p, "n");
    case 'i':
        return expr_integer(p->call, 2);
    case 'd':
        return col(p, date);
    case 'b':
        return col(p, "ok");
    default:
        return col(p, "s");
    }
}

static void function_line(struct page *p, const struct function *f, size_t args, const char *unit, const char *date)
{
    struct expr *list[8];
    for (size_t i = 0; i < args; i++) list[i] = argument(p, function_arg(f, i), unit, date);
    /* The second date is another one. */
    if (strcmp(f->name, "date_diff") == 0) list[2] = expr_literal(p->call, TYPE_DATE, "2023-12-31");
    if (strcmp(f->name, "string_agg") == 0 && args > 1) list[1] = expr_text(p->call, "; ");
    if (strcmp(f->name, "position") == 0 || strcmp(f->name, "concat_ws") == 0) list[0] = expr_text(p->call, "b");
    if (strcmp(f->name, "instr") == 0 || strcmp(f->name, "split_part") == 0) list[1] = expr_text(p->call, "b");
    if (strcmp(f->name, "count") == 0 || strcmp(f->name, "log") == 0) list[0] = col(p, "i");
    struct expr *e = expr_call(p->call, f->name, args, list);
    if (f->class == FUNC_WINDOW) {
        e->call.over = call_alloc(p->call, sizeof *e->call.over);
        orders_push(p->call, &e->call.over->order_by, col(p, "id"), DIR_ASC);
    } else if (f->class == FUNC_ORDERED_SET) {
        if (args) e->call.args.items[0] = expr_number(p->call, "0.5");
        orders_push(p->call, &e->call.within, col(p, "n"), DIR_ASC);
    }
    struct query *q = from_thing(p);
    query_item(p->call, q, e, "x");
    /* any_value stands only beside another aggregate. */
    if (strcmp(f->name, "any_value") == 0) query_item(p->call, q, expr_count_star(p->call), "n");
    if (f->class != FUNC_AGGREGATE && f->class != FUNC_ORDERED_SET) query_order(p->call, q, col(p, "id"), DIR_ASC);
    line(p,
         call_format(p->call, "%s/%zu%s%s%s%s", f->name, args, unit ? ":" : "", unit ? unit : "", date ? " of " : "",
                     date ? date : ""),
         q);
}

static void functions_of(struct page *p)
{
    for (const struct function *f = functions; f->name; f++) {
        size_t least, most;
        function_arity(f, &least, &most);
        if (most > 3) most = least > 3 ? least : 3;
        bool dated = strchr(f->args, 'd') != NULL;
        for (size_t n = least; n <= most; n++) {
            if (f->args[0] != 'u') {
                function_line(p, f, n, NULL, dated ? "at" : NULL);
                continue;
            }
            for (int u = UNIT_YEAR; u <= UNIT_SECOND; u++) {
                if (u <= UNIT_DAY) function_line(p, f, n, unit_names[u], "day");
                function_line(p, f, n, unit_names[u], "at");
            }
        }
    }
}

static void expr_line(struct page *p, const char *label, struct expr *e)
{
    struct query *q = from_thing(p);
    query_item(p->call, q, e, "x");
    query_order(p->call, q, col(p, "id"), DIR_ASC);
    line(p, label, q);
}

static struct expr *interval(struct page *p, struct expr *value, enum unit unit)
{
    struct expr *e = call_alloc(p->call, sizeof *e);
    e->kind = EXPR_INTERVAL;
    e->interval.value = value;
    e->interval.unit = unit;
    return e;
}

static struct expr *is_distinct(struct page *p, struct expr *a, struct expr *b)
{
    struct expr *e = call_alloc(p->call, sizeof *e);
    e->kind = EXPR_IS_DISTINCT;
    e->is.left = a;
    e->is.right = b;
    return e;
}

static struct expr *row(struct page *p, struct expr *a, struct expr *b)
{
    struct expr *e = call_alloc(p->call, sizeof *e);
    e->kind = EXPR_ROW;
    exprs_push(p->call, &e->row, a);
    exprs_push(p->call, &e->row, b);
    return e;
}

static void operators_of(struct page *p)
{
    struct call *c = p->call;
    static const struct {
        enum binary_op op;
        const char *left, *right;
    } pairs[] = { { OP_DIV, "i", "id" },   { OP_DIV, "n", "i" },    { OP_DIV, "r", "n" },   { OP_INTDIV, "i", "id" },
                  { OP_INTDIV, "n", "i" }, { OP_MOD, "i", "id" },   { OP_MOD, "n", "i" },   { OP_MOD, "r", "i" },
                  { OP_CONCAT, "s", "s" }, { OP_CONCAT, "s", "i" }, { OP_CONCAT, "i", "n" } };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        expr_line(p, call_format(c, "%s %s %s", pairs[i].left, binary_op_names[pairs[i].op], pairs[i].right),
                  expr_binary(c, pairs[i].op, col(p, pairs[i].left), col(p, pairs[i].right)));
    expr_line(p, "i / 2", expr_binary(c, OP_DIV, col(p, "i"), expr_integer(c, 2)));
    expr_line(p, "-7 div 2", expr_binary(c, OP_INTDIV, expr_integer(c, -7), expr_integer(c, 2)));
    expr_line(p, "like", expr_like(c, col(p, "s"), expr_text(c, "A_b%[x]"), false));
    expr_line(p, "like computed",
              expr_like(c, col(p, "s"), expr_binary(c, OP_CONCAT, expr_text(c, "A"), col(p, "s")), false));
    expr_line(p, "not ilike", expr_negated(c, expr_like(c, col(p, "s"), expr_text(c, "a%\\"), true)));
    struct expr *escaped = expr_like(c, col(p, "s"), expr_text(c, "50!%%"), false);
    escaped->like.escape = expr_text(c, "!");
    expr_line(p, "like escape", escaped);
    expr_line(p, "is distinct", is_distinct(p, col(p, "i"), col(p, "id")));
    expr_line(p, "is not distinct", expr_negated(c, is_distinct(p, col(p, "i"), expr_null(c))));
    expr_line(p, "predicate as value", expr_binary(c, OP_GT, col(p, "i"), expr_integer(c, 1)));
    struct expr *booleans[] = { col(p, "ok"), expr_boolean(c, false) };
    expr_line(p, "coalesce of booleans", expr_call(c, "coalesce", 2, booleans));
    expr_line(p, "text", expr_text(c, "it's a \\ back\\\nslash \xC3\xA9"));
    for (int t = TYPE_BOOLEAN; t < TYPE_INTERVAL; t++)
        expr_line(p, call_format(c, "cast to %s", type_kind_names[t]), expr_cast(c, col(p, "s"), (enum type_kind)t));
    static const char *const values[][2] = { { "date", "2024-02-29" },
                                             { "timestamp", "2024-02-29 10:20:30" },
                                             { "time", "10:20:30" } };
    expr_line(p, "literal date", expr_literal(c, TYPE_DATE, values[0][1]));
    expr_line(p, "literal timestamp", expr_literal(c, TYPE_TIMESTAMP, values[1][1]));
    expr_line(p, "literal time", expr_literal(c, TYPE_TIME, values[2][1]));
    expr_line(p, "literal boolean", expr_boolean(c, true));
    expr_line(p, "literal binary", expr_literal(c, TYPE_BINARY, "00ff"));
    for (int u = UNIT_YEAR; u <= UNIT_SECOND; u++) {
        expr_line(p, call_format(c, "at + 2 %s", unit_names[u]),
                  expr_binary(c, OP_ADD, col(p, "at"), interval(p, expr_integer(c, 2), (enum unit)u)));
        expr_line(p, call_format(c, "day - i %s", unit_names[u]),
                  expr_binary(c, OP_SUB, col(p, "day"), interval(p, col(p, "i"), (enum unit)u)));
    }
}

static void queries_of(struct page *p)
{
    struct call *c = p->call;
    struct query *q = from_thing(p);
    query_item(c, q, col(p, "s"), "s");
    query_order(c, q, col(p, "s"), DIR_ASC);
    query_order(c, q, col(p, "i"), DIR_DESC);
    q->order_by.items[1].nulls = NULLS_FIRST;
    query_limit(c, q, 3);
    q->offset = expr_integer(c, 1);
    line(p, "order, limit, offset", q);

    q = from_thing(p);
    q->body->select.distinct = true;
    query_item(c, q, col(p, "s"), "s");
    query_order(c, q, expr_output(c, "s"), DIR_ASC);
    line(p, "distinct, ordered", q);

    struct query *one = query_select(c), *two = from_thing(p), *set;
    query_item(c, one, expr_integer(c, 1), "x");
    query_item(c, two, col(p, "i"), "x");
    set = query_set(c, SET_UNION, one, two);
    query_order(c, set, expr_output(c, "x"), DIR_DESC);
    line(p, "union, ordered", set);

    one = from_thing(p), two = from_thing(p);
    query_item(c, one, col(p, "i"), "x");
    query_item(c, two, col(p, "id"), "x");
    query_limit(c, two, 1);
    line(p, "except of a limited", query_set(c, SET_EXCEPT, one, two));

    q = from_thing(p);
    query_item(c, q, expr_count_star(c), "n");
    q->body->select.items[0].expr->call.filter = expr_binary(c, OP_GT, col(p, "i"), expr_integer(c, 1));
    query_where(c, q, expr_or(c, col(p, "ok"), expr_not(c, col(p, "ok"))));
    line(p, "filter, boolean condition", q);

    q = from_thing(p);
    query_item(c, q, col(p, "id"), "id");
    struct expr *in = call_alloc(c, sizeof *in);
    in->kind = EXPR_IN;
    in->in.arg = row(p, col(p, "i"), col(p, "s"));
    exprs_push(c, &in->in.list, row(p, expr_integer(c, 1), expr_text(c, "a")));
    exprs_push(c, &in->in.list, row(p, expr_integer(c, 2), expr_text(c, "b")));
    query_where(c, q, in);
    line(p, "rows in a list", q);

    q = from_thing(p);
    query_item(c, q, col(p, "s"), "s");
    query_item(c, q, expr_call1(c, "sum", col(p, "i")), "total");
    query_group(c, q, col(p, "s"));
    query_having(c, q, expr_binary(c, OP_GT, expr_count_star(c), expr_integer(c, 0)));
    query_order(c, q, expr_output(c, "total"), DIR_DESC);
    line(p, "group, having", q);

    one = from_thing(p);
    query_item(c, one, col(p, "i"), "i");
    q = query_select(c);
    query_with(c, q, "w", one);
    query_from_cte(c, q, "w", "t");
    query_item(c, q, col(p, "i"), "i");
    query_where(c, q, expr_in_query(c, col(p, "i"), two));
    line(p, "with", q);
}

static void write_page(const char *path, const struct buf *b)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(b->data, 1, b->len, f), b->len);
    assert_int_equal(fclose(f), 0);
}

static void compare_page(struct call *c, const char *path, const struct buf *b)
{
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("%s is missing", path);
    char *text = call_alloc(c, 400000);
    size_t n = fread(text, 1, 399999, f);
    fclose(f);
    text[n] = 0;
    const char *is = b->data, *should = text;
    while (*is || *should) {
        size_t a = strcspn(is, "\n"), z = strcspn(should, "\n");
        if (a != z || strncmp(is, should, a) != 0)
            fail_msg("%s\nis      %.*s\nshould  %.*s", path, (int)a, is, (int)z, should);
        is += a + (is[a] == '\n');
        should += z + (should[z] == '\n');
    }
}

static void golden(void **state)
{
    (void)state;
    for (size_t d = 0; dialects[d]; d++) {
        struct call c;
        struct policies *policies;
        call_begin(&c);
        const struct snapshot s = {
            .datasource = "ds", .dialect = dialects[d]->name, .fingerprint = "f", .tables = tables, .table_count = 1
        };
        struct page p = { .call = &c, .dialect = dialects[d] };
        assert_int_equal(policies_load(&c, NULL, &policies), OK);
        assert_int_equal(policy_view(&c, policies, &c.who, &s, &p.view), OK);
        buf_init(&p.out, &c, 400000);
        assert_int_equal(sqlite3_open(":memory:", &p.sqlite), SQLITE_OK);
        assert_int_equal(sqlite_functions(p.sqlite, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_exec(p.sqlite, "CREATE TABLE thing(id INTEGER PRIMARY KEY, i, n, r, s, day, at, ok)",
                                      NULL, NULL, NULL),
                         SQLITE_OK);
        functions_of(&p);
        operators_of(&p);
        queries_of(&p);
        const char *path = call_format(&c, "tests/golden/dialects/%s.txt", dialects[d]->name);
        if (getenv("QUERENT_GOLDEN_WRITE"))
            write_page(path, &p.out);
        else
            compare_page(&c, path, &p.out);
        sqlite3_close(p.sqlite);
        policies_free(policies);
        call_end(&c);
    }
}

/* Every dialect says something about every function, and about nothing else. */
static void complete(void **state)
{
    (void)state;
    for (size_t d = 0; dialects[d]; d++) {
        for (const struct function *f = functions; f->name; f++) {
            bool found = false;
            for (const struct template_row *t = dialects[d]->templates; t->key; t++)
                found = found || strcmp(t->key, f->name) == 0;
            if (!found) fail_msg("%s says nothing about %s", dialects[d]->name, f->name);
        }
        for (const struct template_row *t = dialects[d]->templates; t->key; t++) {
            char name[64];
            size_t n = strcspn(t->key, "/:");
            assert_true(n < sizeof name);
            memcpy(name, t->key, n);
            name[n] = 0;
            if (!function_find(name)) fail_msg("%s: there is no function for the row %s", dialects[d]->name, t->key);
        }
        assert_string_equal(dialects[d]->name, dialects[d]->support.name);
    }
}

static void other_names(void **state)
{
    (void)state;
    assert_string_equal(dialect_find("PostgreSQL")->name, "postgres");
    assert_string_equal(dialect_find("mariadb")->name, "mysql");
    assert_string_equal(dialect_find("tsql")->name, "mssql");
    assert_string_equal(dialect_find("sqlserver")->name, "mssql");
    assert_null(dialect_find("snowflake"));
    assert_null(dialect_find(""));
    assert_null(dialect_find(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(complete), cmocka_unit_test(other_names),
                                        cmocka_unit_test(golden) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
