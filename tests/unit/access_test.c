/* access: what a caller gets through row filters and masks is what he would get from a database that holds only his
 * rows. The second database is written by hand below; random plans run against both. And: whatever is denied leaves no
 * trace. */
#include "fixture.h"
#include "guard/guard.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA                                                                                                         \
    "CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, tenant INTEGER, ssn TEXT, city TEXT);"                   \
    "CREATE TABLE sale(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id), amount INTEGER, region "   \
    "TEXT,"                                                                                                            \
    " tenant INTEGER);"                                                                                                \
    "CREATE TABLE item(id INTEGER PRIMARY KEY, sale_id INTEGER REFERENCES sale(id), qty INTEGER, tenant INTEGER);"

static const char whole[] =
    SCHEMA "INSERT INTO customer "
           "VALUES(1,'Ann',7,'111','Oslo'),(2,'Bob',7,'222',NULL),(3,'Cy',8,'333','Oslo'),(4,'Di',8,NULL,'Rome'),"
           "(5,NULL,7,'555','Rome');"
           "INSERT INTO sale "
           "VALUES(1,1,10,'EU',7),(2,1,20,'US',7),(3,2,NULL,'EU',7),(4,3,40,'EU',8),(5,4,50,'EU',8),(6,NULL,60,'EU',7),"
           "(7,5,0,'AS',7);"
           "INSERT INTO item VALUES(1,1,1,7),(2,1,2,7),(3,2,3,7),(4,4,4,8),(5,5,5,8),(6,6,6,7),(7,NULL,7,8);";

/* What tenant 7 may see: its rows, sales in EU or US only, ssn as ***. item has no rule. */
static const char own[] =
    SCHEMA "INSERT INTO customer VALUES(1,'Ann',7,'***','Oslo'),(2,'Bob',7,'***',NULL),(5,NULL,7,'***','Rome');"
           "INSERT INTO sale VALUES(1,1,10,'EU',7),(2,1,20,'US',7),(3,2,NULL,'EU',7),(6,NULL,60,'EU',7);"
           "INSERT INTO item VALUES(1,1,1,7),(2,1,2,7),(3,2,3,7),(4,4,4,8),(5,5,5,8),(6,6,6,7),(7,NULL,7,8);";

static const char roles[] = "{\"analyst\":{\"allow\":[\"ds.*\"],\"filters\":{\"ds.customer\":{\"tenant\":\"{tenant_id}"
                            "\"},\"ds.sale\":{\"tenant\":"
                            "\"{tenant_id}\",\"region\":[\"EU\",\"US\"]}},\"masks\":{\"ds.customer.ssn\":\"***\"}}}";

static unsigned seed;
static unsigned roll(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

static const char *const names[] = { "customer", "sale", "item" };
static const char *const columns[3][5] = { { "id", "name", "tenant", "ssn", "city" },
                                           { "id", "customer_id", "amount", "region", "tenant" },
                                           { "id", "sale_id", "qty", "tenant", "id" } };

struct maker {
    struct call *call;
    unsigned table[4];
    unsigned count;
};

static struct expr *any_column(struct maker *m)
{
    unsigned s = roll(m->count);
    return expr_column(m->call, call_format(m->call, "t%u", s), columns[m->table[s]][roll(5)]);
}

static struct query *random_query(struct call *c, int depth);

static struct expr *condition(struct maker *m, int depth)
{
    struct call *c = m->call;
    struct expr *left = any_column(m);
    switch (roll(depth ? 9 : 7)) {
    case 0:
        return expr_negated(c, expr_is_null(c, left));
    case 1:
        return expr_is_null(c, left);
    case 2:
        return expr_or(c, condition(m, 0), condition(m, 0));
    case 3:
        return expr_not(c, condition(m, 0));
    case 4:
        return expr_binary(c, OP_GT, left, any_column(m));
    case 7:
    case 8: {
        struct query *q = random_query(c, depth - 1);
        q->order_by.count = 0;
        q->limit = NULL;
        struct expr *e = expr_exists(c, q);
        return roll(2) ? e : expr_negated(c, e);
    }
    default:
        return expr_binary(c, roll(2) ? OP_EQ : OP_NE, left,
                           roll(2) ? expr_integer(c, roll(60)) : expr_text(c, roll(2) ? "EU" : "***"));
    }
}

static struct query *random_query(struct call *c, int depth)
{
    struct maker m = { .call = c };
    struct query *q = query_select(c);
    m.table[0] = roll(3);
    m.count = 1;
    query_from(c, q, NULL, names[m.table[0]], "t0");
    while (m.count < 4 && roll(2)) {
        m.table[m.count] = roll(3);
        unsigned n = m.count++;
        static const enum join_type types[] = { JOIN_INNER, JOIN_LEFT, JOIN_LEFT, JOIN_RIGHT, JOIN_FULL };
        struct expr *on = expr_binary(c, OP_EQ, expr_column(c, call_format(c, "t%u", n), columns[m.table[n]][roll(2)]),
                                      expr_column(c, call_format(c, "t%u", n - 1), columns[m.table[n - 1]][roll(2)]));
        if (!roll(3)) on = expr_and(c, on, condition(&m, 0));
        query_join(c, q, types[roll(5)], NULL, names[m.table[n]], call_format(c, "t%u", n), on);
    }
    if (roll(3)) query_where(c, q, condition(&m, depth));
    if (roll(2)) {
        struct expr *key = any_column(&m);
        query_item(c, q, key, "k");
        query_group(c, q, expr_copy(c, key));
        query_item(c, q, expr_count_star(c), "n");
        query_item(c, q, expr_call1(c, "max", any_column(&m)), "m");
    } else {
        unsigned n = 1 + roll(3);
        for (unsigned i = 0; i < n; i++) query_item(c, q, any_column(&m), call_format(c, "c%u", i));
        q->body->select.distinct = roll(3) == 0;
    }
    return q;
}

static int by_line(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *sorted(struct call *c, const char *rows)
{
    char *copy = call_strdup(c, rows), *save = NULL, *lines[4096];
    size_t n = 0;
    for (char *l = strtok_r(copy, "\n", &save); l && n < 4096; l = strtok_r(NULL, "\n", &save)) lines[n++] = l;
    qsort(lines, n, sizeof *lines, by_line);
    struct buf b;
    buf_init(&b, c, (size_t)1024 * 1024);
    for (size_t i = 0; i < n; i++) buf_format(&b, "%s\n", lines[i]);
    return b.data;
}

static void same_as_own_rows(void **state)
{
    (void)state;
    size_t wrapped = 0, ran = 0, rows = 0;
    for (unsigned round = 0; round < 400; round++) {
        struct call c;
        struct fixture all, mine;
        struct policies *p;
        call_begin(&c);
        fixture_open(&all, &c, whole);
        fixture_open(&mine, &c, own);
        const struct view *v = fixture_view(&all, &c, roles, &p);
        const struct dialect_support *dialect = &dialect_find("sqlite")->support;
        struct check_result checked;
        struct certificate cert;
        struct statement *through, *plain;
        struct query *after;
        seed = round * 7919u + 1;
        struct query *plan = random_query(&c, 1);
        if (plan_check(&c, v, dialect, ORIGIN_TEXT, plan, &checked) == OK) {
            ran++;
            assert_int_equal(access_apply(&c, v, &c.who, dialect, plan, &after, &cert), OK);
            if (access_verify(&c, v, &c.who, plan, after, &cert)) fail_msg("round %u: %s", round, c.err.detail);
            assert_int_equal(sql_render(&c, "sqlite", after, 100000, &through), OK);
            assert_int_equal(sql_render(&c, "sqlite", plan, 100000, &plain), OK);
            const char *got = sorted(&c, fixture_rows(&all, &c, through->sql));
            const char *want = sorted(&c, fixture_rows(&mine, &c, plain->sql));
            if (strcmp(got, want) != 0)
                fail_msg("round %u\n%s\ngives\n%s\nand\n%s\ngives\n%s", round, through->sql, got, plain->sql, want);
            wrapped += cert.wraps.count > 0;
            rows += *got != 0;
        }
        policies_free(p);
        fixture_close(&all);
        fixture_close(&mine);
        call_end(&c);
    }
    /* The test means something: most plans ran, were wrapped and gave rows. */
    assert_true(ran > 250 && wrapped > 150 && rows > 150);
}

/* Each way to weaken a wrapped plan must be seen by the checker. */
static void verify_sees(void **state)
{
    (void)state;
    for (int change = 0; change < 12; change++) {
        struct call c;
        struct fixture f;
        struct policies *p;
        struct check_result checked;
        struct certificate cert;
        struct query *after;
        call_begin(&c);
        fixture_open(&f, &c, whole);
        const struct view *v = fixture_view(&f, &c, roles, &p);
        const struct dialect_support *dialect = &dialect_find("sqlite")->support;
        struct query *plan = query_select(&c);
        query_from(&c, plan, NULL, "customer", "a");
        query_join(&c, plan, JOIN_LEFT, NULL, "item", "b",
                   expr_binary(&c, OP_EQ, expr_column(&c, "a", "id"), expr_column(&c, "b", "id")));
        query_item(&c, plan, expr_column(&c, "a", "ssn"), "s");
        query_item(&c, plan, expr_column(&c, "a", "name"), "n");
        query_where(&c, plan, expr_binary(&c, OP_EQ, expr_column(&c, "b", "qty"), expr_integer(&c, 1)));
        assert_int_equal(plan_check(&c, v, dialect, ORIGIN_TEXT, plan, &checked), OK);
        assert_int_equal(access_apply(&c, v, &c.who, dialect, plan, &after, &cert), OK);
        assert_int_equal(access_verify(&c, v, &c.who, plan, after, &cert), OK);
        struct source *wrapped = after->body->select.from->joined->source;
        struct query *w = wrapped->query;
        switch (change) {
        case 0: /* no filter */
            w->body->select.where = NULL;
            break;
        case 1: /* another caller's rows */
            w->body->select.where->binary.right = expr_integer(&c, 8);
            break;
        case 2: /* a weaker filter */
            w->body->select.where->binary.op = OP_GE;
            break;
        case 3: /* the masked column as it is */
            w->body->select.items[0].expr = expr_column(&c, "customer", "ssn");
            break;
        case 4: /* under another name */
            w->body->select.items[1].expr = expr_column(&c, "customer", "ssn");
            break;
        case 5: /* the table itself */
            wrapped->kind = SOURCE_TABLE;
            wrapped->name = "customer";
            wrapped->table = &v->tables[0];
            break;
        case 6: /* the condition outside edited */
            after->body->select.where = NULL;
            break;
        case 7: /* the join edited */
            after->body->select.from->joins[0].type = JOIN_INNER;
            break;
        case 8: /* more certified than there is */
            *(struct wrap *)list_push(&c, &cert.wraps, sizeof(struct wrap)) =
                (struct wrap){ .occurrence = 1, .query = w };
            break;
        case 9: /* a union inside the wrap */
            w->body->select.distinct = true;
            break;
        case 10: /* fewer rows than the filter allows */
            w->limit = expr_integer(&c, 1);
            break;
        case 11: /* an unrestricted table became another */
            after->body->select.from->joins[0].source->table = &v->tables[2];
            break;
        }
        if (access_verify(&c, v, &c.who, plan, after, &cert) != ERR_INTERNAL_ERROR)
            fail_msg("change %d is not seen", change);
        policies_free(p);
        fixture_close(&f);
        call_end(&c);
    }
}

static void claims(void **state)
{
    (void)state;
    static const struct {
        const char *tenant;
        enum err_code code;
    } table[] = { { "7", OK },
                  { NULL, ERR_SECURITY_VIOLATION },
                  { "", ERR_SECURITY_VIOLATION },
                  { "7 OR 1=1", ERR_SECURITY_VIOLATION },
                  { "{user_id}", ERR_SECURITY_VIOLATION } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct call c;
        struct fixture f;
        struct policies *p;
        struct check_result checked;
        struct certificate cert;
        struct query *after, *plan;
        call_begin(&c);
        fixture_open(&f, &c, whole);
        const struct view *v = fixture_view(&f, &c, roles, &p);
        const struct dialect_support *dialect = &dialect_find("sqlite")->support;
        c.who.tenant = table[i].tenant;
        plan = query_select(&c);
        query_from(&c, plan, NULL, "customer", "a");
        query_item(&c, plan, expr_count_star(&c), "n");
        assert_int_equal(plan_check(&c, v, dialect, ORIGIN_TEXT, plan, &checked), OK);
        assert_int_equal(access_apply(&c, v, &c.who, dialect, plan, &after, &cert), table[i].code);
        policies_free(p);
        fixture_close(&f);
        call_end(&c);
    }
}

/* A text beside a text is the caller's own, and nobody's when the caller has none. */
static void text_claims(void **state)
{
    (void)state;
    static const char *const users[] = { "Ann", "O'Brien", "", NULL };
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
        struct call c;
        struct fixture f;
        struct policies *p;
        struct check_result checked;
        struct certificate cert;
        struct statement *s;
        struct query *after, *plan;
        call_begin(&c);
        fixture_open(&f, &c, whole);
        const struct view *v = fixture_view(
            &f, &c, "{\"a\":{\"allow\":[\"ds.*\"],\"filters\":{\"ds.customer\":{\"name\":\"{user_id}\"}}}}", &p);
        const struct dialect_support *dialect = &dialect_find("sqlite")->support;
        c.who.user = users[i];
        plan = query_select(&c);
        query_from(&c, plan, NULL, "customer", "a");
        query_item(&c, plan, expr_count_star(&c), "n");
        assert_int_equal(plan_check(&c, v, dialect, ORIGIN_TEXT, plan, &checked), OK);
        bool known = users[i] && *users[i];
        assert_int_equal(access_apply(&c, v, &c.who, dialect, plan, &after, &cert),
                         known ? OK : ERR_SECURITY_VIOLATION);
        if (known) {
            assert_int_equal(access_verify(&c, v, &c.who, plan, after, &cert), OK);
            assert_int_equal(sql_render(&c, "sqlite", after, 10, &s), OK);
            assert_string_equal(fixture_rows(&f, &c, s->sql), i ? "0\n" : "1\n");
        }
        policies_free(p);
        fixture_close(&f);
        call_end(&c);
    }
}

/* A plan that was checked against a wider view than the caller's does not pass either wall. */
static void wider_plan(void **state)
{
    (void)state;
    static const char *const narrow[] = {
        "{\"a\":{\"allow\":[\"ds.*\"],\"deny\":[\"ds.customer\"]}}",
        "{\"a\":{\"allow\":[\"ds.*\"],\"columns_deny\":[\"ds.customer.ssn\"]}}",
    };
    for (size_t i = 0; i < 2; i++) {
        struct call c;
        struct fixture f;
        struct policies *all, *few;
        struct check_result checked;
        struct certificate cert = { 0 };
        struct query *after, *plan;
        call_begin(&c);
        fixture_open(&f, &c, whole);
        const struct view *wide = fixture_view(&f, &c, NULL, &all), *own_view = fixture_view(&f, &c, narrow[i], &few);
        const struct dialect_support *dialect = &dialect_find("sqlite")->support;
        plan = query_select(&c);
        query_from(&c, plan, NULL, "customer", "a");
        query_item(&c, plan, expr_column(&c, "a", "ssn"), "s");
        assert_int_equal(plan_check(&c, wide, dialect, ORIGIN_TEXT, plan, &checked), OK);
        assert_int_equal(access_apply(&c, own_view, &c.who, dialect, plan, &after, &cert), ERR_INTERNAL_ERROR);
        assert_non_null(c.err.detail);
        call_forgive(&c);
        assert_int_equal(access_verify(&c, own_view, &c.who, plan, plan, &cert), ERR_INTERNAL_ERROR);
        policies_free(all);
        policies_free(few);
        fixture_close(&f);
        call_end(&c);
    }
}

/* Everything a refusal says. */
static const char *words(struct call *c)
{
    struct buf b;
    buf_init(&b, c, 64000);
    buf_format(&b, "%s %s %s %s", code_row(c->err.code)->name, c->err.message, c->err.hint ? c->err.hint : "",
               c->err.field ? c->err.field : "");
    for (size_t i = 0; i < c->err.finding_count; i++)
        buf_format(&b, " %s %s %s", c->err.findings[i].code, c->err.findings[i].pointer, c->err.findings[i].detail);
    return b.data;
}

static const char *refusal(struct call *c, const struct view *v, const char *table, const char *column)
{
    struct check_result checked;
    struct query *q = query_select(c);
    call_forgive(c);
    query_from(c, q, NULL, table, "t");
    query_item(c, q, expr_column(c, "t", column), "x");
    assert_int_not_equal(plan_check(c, v, &dialect_find("sqlite")->support, ORIGIN_MODEL, q, &checked), OK);
    return words(c);
}

/* Denied and missing are told in the same words, and no list of what exists names the denied. */
static void denied_is_missing(void **state)
{
    (void)state;
    struct call c;
    struct fixture f;
    call_begin(&c);
    fixture_open(&f, &c, whole);
    for (size_t i = 0; i < f.snapshot.table_count; i++) {
        const struct table *t = &f.snapshot.tables[i];
        struct policies *p;
        const struct view *v =
            fixture_view(&f, &c, call_format(&c, "{\"a\":{\"allow\":[\"ds.*\"],\"deny\":[\"ds.%s\"]}}", t->name), &p);
        /* A missing table of equal length, so that only the name differs. */
        char *missing = call_strdup(&c, t->name);
        memset(missing, 'x', strlen(missing));
        const char *denied = refusal(&c, v, t->name, "id"), *none = refusal(&c, v, missing, "id");
        assert_int_equal(strlen(denied), strlen(none));
        assert_null(strstr(none, t->name));
        for (size_t k = 0; k < v->table_count; k++) {
            assert_string_not_equal(v->tables[k].name, t->name);
            for (size_t n = 0; n < v->tables[k].foreign_key_count; n++)
                assert_string_not_equal(v->tables[k].foreign_keys[n].table, t->name);
        }
        policies_free(p);
        for (size_t k = 0; k < t->column_count; k++) {
            const char *column = t->columns[k].name;
            v = fixture_view(
                &f, &c,
                call_format(&c, "{\"a\":{\"allow\":[\"ds.*\"],\"columns_deny\":[\"ds.%s.%s\"]}}", t->name, column), &p);
            missing = call_strdup(&c, column);
            memset(missing, 'q', strlen(missing));
            denied = refusal(&c, v, t->name, column);
            none = refusal(&c, v, t->name, missing);
            assert_int_equal(strlen(denied), strlen(none));
            if (strcmp(column, "id") != 0) assert_null(strstr(none, call_format(&c, "%s,", column)));
            policies_free(p);
        }
    }
    fixture_close(&f);
    call_end(&c);
}

static void prepared(void **state)
{
    (void)state;
    struct call c;
    struct fixture f;
    struct policies *p;
    struct guarded *g;
    call_begin(&c);
    fixture_open(&f, &c, whole);
    const struct view *v = fixture_view(&f, &c, roles, &p);
    const struct datasource_config config = { .id = "ds", .options = { .row_limit = 50 } };
    const struct datasource ds = { .config = &config, .snapshot = &f.snapshot };
    struct query *plan = query_select(&c);
    query_from(&c, plan, NULL, "sale", "s");
    query_item(&c, plan, expr_call1(&c, "sum", expr_column(&c, "s", "amount")), "total");
    if (guard_prepare(&c, &ds, v, plan, ORIGIN_TEXT, 0, &g)) fail_msg("%s %s", words(&c), c.err.detail);
    assert_string_equal(
        g->statement->sql,
        "SELECT sum(\"s\".\"amount\") AS \"total\" FROM (SELECT \"sale\".\"amount\" FROM \"sale\" AS \"sale\" WHERE "
        "\"sale\".\"tenant\" = 7 AND \"sale\".\"region\" IN ('EU', 'US')) AS \"s\" LIMIT 51");
    assert_true(g->wrapped);
    assert_true(g->statement->cap_is_ceiling);
    assert_int_equal(g->statement->row_cap, 51);
    assert_int_equal(g->statement->reads.table_count, 1);
    assert_int_equal(g->statement->reads.tables[0].column_count, 3);
    assert_int_equal(g->statement->reads.function_count, 1);
    assert_string_equal(fixture_rows(&f, &c, g->statement->sql), "90\n");
    /* What may fail on a hidden row stays outside of the filter. */
    plan = query_select(&c);
    query_from(&c, plan, NULL, "sale", "s");
    query_item(&c, plan, expr_binary(&c, OP_DIV, expr_integer(&c, 1), expr_column(&c, "s", "amount")), "x");
    if (guard_prepare(&c, &ds, v, plan, ORIGIN_TEXT, 5, &g)) fail_msg("%s %s", words(&c), c.err.detail);
    assert_non_null(strstr(g->statement->sql, "LIMIT 999999999999999999) AS \"s\" LIMIT 6"));
    policies_free(p);
    fixture_close(&f);
    call_end(&c);
}

/* Behind a row filter stands a fence whenever an error could depend on a value, in any engine; not otherwise. */
static void fences(void **state)
{
    static const struct {
        const char *sql;
        bool fenced;
    } cases[] = {
        { "SELECT region FROM sale WHERE amount > 5 AND region = 'EU' OR region IS NULL", false },
        { "SELECT region || 'x', length(region), upper(region), coalesce(region, 'x') FROM sale", false },
        { "SELECT region, count(*), sum(amount), max(region) FROM sale GROUP BY region ORDER BY 2", false },
        { "SELECT region FROM sale WHERE region LIKE 'E%' AND amount IN (1, 2) AND amount BETWEEN 1 AND 9", false },
        { "SELECT CASE WHEN amount > 1 THEN 'a' ELSE 'b' END FROM sale WHERE id IN (SELECT sale_id FROM item)", false },
        { "SELECT amount + 1 FROM sale", true },
        { "SELECT amount - 1 FROM sale", true },
        { "SELECT amount * 1 FROM sale", true },
        { "SELECT 1 / amount FROM sale", true },
        { "SELECT 1 % amount FROM sale", true },
        { "SELECT -amount FROM sale", true },
        { "SELECT CAST(region AS INTEGER) FROM sale", true },
        { "SELECT (SELECT i.qty FROM item i WHERE i.sale_id = s.id) FROM sale s", true },
        { "SELECT abs(amount) FROM sale", true },
        { "SELECT sqrt(amount) FROM sale", true },
        { "SELECT round(amount, 1) FROM sale", true },
        { "SELECT substr(region, 1, amount) FROM sale", true },
        { "SELECT replace(region, 'a', region) FROM sale", true },
        { "SELECT region FROM sale WHERE 'x' LIKE region", true },
        { "SELECT region FROM sale WHERE region GLOB region", true },
        { "SELECT region FROM sale WHERE region = 5", true },
        { "SELECT region FROM sale WHERE region < amount", true },
        { "SELECT region FROM sale WHERE region IN ('a', 5)", true },
        { "SELECT region FROM sale WHERE region BETWEEN 'a' AND 5", true },
        { "SELECT region FROM sale WHERE region BETWEEN 5 AND 'a'", true },
        { "SELECT region FROM sale WHERE region IS NOT DISTINCT FROM 5", true },
        { "SELECT coalesce(region, amount) FROM sale", true },
        { "SELECT CASE WHEN id = 1 THEN region ELSE amount END FROM sale", true },
        { "SELECT CASE WHEN id = 1 THEN region WHEN id = 2 THEN amount END FROM sale", true },
        { "SELECT date(region, '+1 day') FROM sale", true },
        { "SELECT region FROM sale ORDER BY 1 / amount", true },
        { "SELECT count(*) FROM sale GROUP BY 1 / amount", true },
        { "SELECT i.id FROM item i LEFT JOIN sale s ON 1 / s.amount = i.qty", true },
    };
    (void)state;
    struct call c;
    struct fixture f;
    struct policies *p;
    struct guarded *g;
    call_begin(&c);
    fixture_open(&f, &c, whole);
    const struct view *v = fixture_view(&f, &c, roles, &p);
    const struct datasource_config config = { .id = "ds", .options = { .row_limit = 50 } };
    const struct datasource ds = { .config = &config, .snapshot = &f.snapshot };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (guard_text(&c, &ds, v, cases[i].sql, strlen(cases[i].sql), 0, &g))
            fail_msg("%s: %s %s", cases[i].sql, words(&c), c.err.detail);
        bool fenced = strstr(g->statement->sql, "LIMIT 999999999999999999)") != NULL;
        if (fenced != cases[i].fenced) fail_msg("%s: %s", fenced ? "fenced" : "not fenced", g->statement->sql);
    }
    policies_free(p);
    fixture_close(&f);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_as_own_rows), cmocka_unit_test(verify_sees),
                                        cmocka_unit_test(claims),           cmocka_unit_test(text_claims),
                                        cmocka_unit_test(wider_plan),       cmocka_unit_test(denied_is_missing),
                                        cmocka_unit_test(prepared),         cmocka_unit_test(fences) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
