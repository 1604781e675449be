/* verify: the independent checker of wraps. A plan over a narrowed table is wrapped rightly, then damaged in one way at
 * a time: each must be seen, and the undamaged one accepted. */
#include "fixture.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static const char ddl[] =
    "CREATE TABLE sale (id INTEGER PRIMARY KEY, word TEXT, size INTEGER, day DATE, tenant INTEGER);"
    "CREATE TABLE twin (id INTEGER PRIMARY KEY, word TEXT, size INTEGER, day DATE, tenant INTEGER);"
    "CREATE TABLE plain (id INTEGER PRIMARY KEY, word TEXT);";

#define COL(c)        "{\"kind\":\"column\",\"table\":\"sale\",\"column\":\"" c "\"}"
#define LIT(t, v)     "{\"kind\":\"literal\",\"type\":\"" t "\",\"value\":\"" v "\"}"
#define BIN(op, l, r) "{\"kind\":\"binary\",\"op\":\"" op "\",\"left\":" l ",\"right\":" r "}"
#define CALL(f, a)    "{\"kind\":\"call\",\"function\":\"" f "\",\"args\":[" a "]}"
#define NOT(e)        "{\"kind\":\"unary\",\"op\":\"not\",\"arg\":" e "}"
#define LIKE(more)    "{\"kind\":\"like\",\"arg\":" COL("word") ",\"pattern\":" LIT("text", "a%") more "}"
#define CAST(k)       "{\"kind\":\"is_null\",\"arg\":{\"kind\":\"cast\",\"arg\":" COL("size") ",\"to\":\"" k "\"}}"
#define CASE(more)                                                                                                     \
    BIN("=",                                                                                                           \
        "{\"kind\":\"case\",\"whens\":[{\"when\":" BIN("=", COL("size"), LIT("integer", "1")) ",\"then\":" LIT(        \
            "integer", "2") "}" more "],\"else\":" LIT("integer", "3") "}",                                            \
        LIT("integer", "2"))
#define WHEN ",{\"when\":" BIN("=", COL("size"), LIT("integer", "7")) ",\"then\":" LIT("integer", "9") "}"
#define LATER(u)                                                                                                       \
    BIN("<", COL("day"),                                                                                               \
        BIN("+", LIT("date", "2024-01-01"),                                                                            \
            "{\"kind\":\"interval\",\"value\":" LIT("integer", "2") ",\"unit\":\"" u "\"}"))
#define OWN BIN("=", COL("tenant"), LIT("text", "{tenant_id}"))

/* A filter, and another that must not pass for it. */
static const struct {
    const char *rule, *other;
} filters[] = {
    { OWN, BIN("=", COL("tenant"), LIT("integer", "8")) },
    { OWN, BIN("=", COL("size"), LIT("integer", "7")) },
    { OWN, BIN("<=", COL("tenant"), LIT("integer", "7")) },
    { OWN, BIN("=", COL("tenant"), COL("tenant")) },
    { OWN, "{\"kind\":\"is_null\",\"arg\":" COL("tenant") "}" },
    { OWN, BIN("=", COL("tenant"), "{\"kind\":\"literal\",\"null\":true}") },
    { BIN("=", COL("word"), LIT("text", "{user_id}")), BIN("=", COL("word"), LIT("text", "u2")) },
    { BIN("=", COL("word"), LIT("text", "u1")), BIN("=", COL("word"), LIT("text", "u2")) },
    { BIN("=", COL("size"), LIT("integer", "5")), BIN("=", COL("size"), LIT("integer", "6")) },
    { BIN("=", COL("word"), "{\"kind\":\"literal\",\"null\":true}"), BIN("=", COL("word"), LIT("text", "u2")) },
    { "{\"kind\":\"is_null\",\"arg\":" COL("size") "}", "{\"kind\":\"is_null\",\"arg\":" COL("size") ",\"not\":true}" },
    { "{\"kind\":\"is_null\",\"arg\":" COL("size") "}", "{\"kind\":\"is_null\",\"arg\":" COL("word") "}" },
    { NOT(BIN("=", COL("size"), LIT("integer", "5"))), BIN("=", COL("size"), LIT("integer", "5")) },
    { BIN("=", "{\"kind\":\"unary\",\"op\":\"-\",\"arg\":" COL("size") "}", LIT("integer", "5")),
      BIN("=", COL("size"), LIT("integer", "5")) },
    { LIKE(""), "{\"kind\":\"ilike\",\"arg\":" COL("word") ",\"pattern\":" LIT("text", "a%") "}" },
    { LIKE(""), LIKE(",\"not\":true") },
    { LIKE(",\"escape\":" LIT("text", "!")), LIKE("") },
    { LIKE(""), LIKE(",\"escape\":" LIT("text", "!")) },
    { BIN("=", CALL("upper", COL("word")), LIT("text", "A")), BIN("=", CALL("lower", COL("word")), LIT("text", "A")) },
    { BIN("=", CALL("trim", COL("word")), LIT("text", "A")),
      BIN("=", CALL("trim", COL("word") "," LIT("text", "x")), LIT("text", "A")) },
    { CASE(""), CASE(WHEN) },
    { CASE(WHEN), CASE("") },
    { CAST("text"), CAST("integer") },
    { LATER("day"), LATER("year") },
    { "{\"kind\":\"in\",\"arg\":" COL("size") ",\"list\":[" LIT("integer", "1") "," LIT("integer", "2") "]}",
      "{\"kind\":\"in\",\"arg\":" COL("size") ",\"list\":[" LIT("integer", "1") "," LIT("integer", "2") "," LIT(
          "integer", "3") "]}" },
    { "{\"kind\":\"between\",\"arg\":" COL("size") ",\"low\":" LIT("integer", "1") ",\"high\":" LIT("integer", "2") "}",
      "{\"kind\":\"between\",\"arg\":" COL("size") ",\"low\":" LIT("integer", "1") ",\"high\":" LIT("integer",
                                                                                                    "9") "}" },
    { "{\"kind\":\"is_distinct\",\"left\":" COL("size") ",\"right\":" LIT("integer", "2") "}",
      "{\"kind\":\"is_distinct\",\"left\":" COL("size") ",\"right\":" LIT("integer", "2") ",\"not\":true}" },
};

struct scene {
    struct call call;
    struct fixture fixture;
    struct policies *policies;
    const struct view *view;
    struct query *plan, *after;
    struct certificate cert;
};

static const struct dialect_support *support(void)
{
    return &dialect_find("sqlite")->support;
}

static void open_scene(struct scene *s, const char *filter, const char *mask, const char *sql)
{
    struct call *c = &s->call;
    struct check_result checked;
    memset(s, 0, sizeof *s);
    call_begin(c);
    fixture_open(&s->fixture, c, ddl);
    s->view = fixture_view(&s->fixture, c,
                           call_format(c,
                                       "{\"a\":{\"allow\":[\"ds.*\"],\"filters\":{\"ds.sale\":%s},\"masks\":{\"ds.sale."
                                       "word\":%s}}}",
                                       filter, mask),
                           &s->policies);
    if (sql_to_plan(c, "sqlite", sql, strlen(sql), s->view, &s->plan) ||
        plan_check(c, s->view, support(), ORIGIN_TEXT, s->plan, &checked) ||
        access_apply(c, s->view, &c->who, support(), s->plan, &s->after, &s->cert) ||
        access_verify(c, s->view, &c->who, s->plan, s->after, &s->cert))
        fail_msg("%s: %s %s", filter, c->err.message, c->err.detail ? c->err.detail : "");
}

static void close_scene(struct scene *s)
{
    policies_free(s->policies);
    fixture_close(&s->fixture);
    call_end(&s->call);
}

static bool seen(struct scene *s)
{
    return access_verify(&s->call, s->view, &s->call.who, s->plan, s->after, &s->cert) == ERR_INTERNAL_ERROR;
}

static void other_filters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        struct scene s, t;
        open_scene(&s, filters[i].rule, "\"*\"", "SELECT size FROM sale");
        open_scene(&t, filters[i].other, "\"*\"", "SELECT size FROM sale");
        struct query *wrap = (struct query *)(uintptr_t)LIST_AT(&s.cert.wraps, struct wrap, 0).query;
        const struct query *theirs = LIST_AT(&t.cert.wraps, struct wrap, 0).query;
        wrap->body->select.where = theirs->body->select.where;
        if (!seen(&s)) fail_msg("%s passes for %s", filters[i].other, filters[i].rule);
        close_scene(&t);
        close_scene(&s);
    }
}

/* Masks are held to their rule as filters are. */
static void other_masks(void **state)
{
    static const char *const masks[] = {
        "\"*\"", "\"+\"", "null", CALL("upper", COL("word")), COL("word"), COL("size")
    };
    enum { MASKS = sizeof masks / sizeof masks[0] };
    (void)state;
    for (size_t i = 0; i < MASKS; i++)
        for (size_t k = 0; k < MASKS; k++) {
            struct scene s, t;
            open_scene(&s, OWN, masks[i], "SELECT word FROM sale");
            open_scene(&t, OWN, masks[k], "SELECT word FROM sale");
            struct query *wrap = (struct query *)(uintptr_t)LIST_AT(&s.cert.wraps, struct wrap, 0).query;
            const struct query *theirs = LIST_AT(&t.cert.wraps, struct wrap, 0).query;
            wrap->body->select.items[0].expr = theirs->body->select.items[0].expr;
            if (seen(&s) != (i != k)) fail_msg("the mask %s beside %s", masks[k], masks[i]);
            close_scene(&t);
            close_scene(&s);
        }
}

enum damage {
    WITH_CTE,
    WITH_ORDER,
    WITH_OFFSET,
    WITH_LIMIT_ONE,
    WITH_LIMIT_COLUMN,
    WITH_LIMIT_NULL,
    AS_SET,
    DISTINCT,
    GROUPED,
    WITH_HAVING,
    WITHOUT_FROM,
    JOINED,
    OF_QUERY,
    OF_NOTHING,
    OF_TWIN,
    OF_OTHER_SCHEMA,
    UNDER_OTHER_ALIAS,
    UNFILTERED,
    FILTERED_BY_OTHER_TABLE,
    UNKNOWN_ITEM,
    NAMELESS_ITEM,
    LITERAL_ITEM,
    OTHER_TABLES_ITEM,
    OTHER_COLUMN,
    NOT_CERTIFIED,
    CERTIFIED_ELSEWHERE,
    CERTIFIED_TWICE,
    OTHER_QUERY_CERTIFIED,
    UNWRAPPED,
    PLAIN_TABLE_WRAPPED,
    PLAIN_TABLE_ANOTHER,
    PLAIN_TABLE_UNBOUND,
    PLAIN_TABLE_OTHER_SCHEMA,
    SOURCE_MISSING,
    SOURCE_MORE,
    ITEM_CHANGED,
    CONDITION_DROPPED,
    DAMAGES
};

static struct query *one(struct call *c)
{
    struct query *q = query_select(c);
    query_item(c, q, expr_integer(c, 1), "one");
    return q;
}

static struct table *changed_table(struct call *c, const struct table *from, const char *schema)
{
    struct table *t = call_alloc(c, sizeof *t);
    *t = *from;
    t->schema = schema;
    return t;
}

static void damage_wrap(struct scene *s, struct query *w, enum damage what)
{
    struct call *c = &s->call;
    struct body *b = w->body;
    struct source *source = b->select.from->source;
    const struct table *twin = schema_table(s->view->tables, s->view->table_count, NULL, "twin");
    struct cte *cte;
    switch (what) {
    case WITH_CTE:
        cte = call_alloc(c, sizeof *cte);
        *cte = (struct cte){ .name = "w", .query = one(c) };
        w->ctes = cte;
        w->cte_count = 1;
        break;
    case WITH_ORDER:
        query_order(c, w, expr_column(c, "sale", "size"), true);
        break;
    case WITH_OFFSET:
        w->offset = expr_integer(c, 1);
        break;
    case WITH_LIMIT_ONE:
        w->limit = expr_integer(c, 1);
        break;
    case WITH_LIMIT_COLUMN:
        w->limit = expr_column(c, "sale", "size");
        break;
    case WITH_LIMIT_NULL:
        w->limit = expr_null(c);
        break;
    case AS_SET:
        w->body = query_set(c, SET_UNION_ALL, one(c), one(c))->body;
        break;
    case DISTINCT:
        b->select.distinct = true;
        break;
    case GROUPED:
        exprs_push(c, &b->select.group_by, expr_column(c, "sale", "size"));
        break;
    case WITH_HAVING:
        b->select.having = expr_boolean(c, true);
        break;
    case WITHOUT_FROM:
        b->select.from = NULL;
        break;
    case JOINED:
        query_join(c, w, JOIN_CROSS, NULL, "plain", "plain", NULL);
        break;
    case OF_QUERY:
        source->kind = SOURCE_QUERY;
        source->query = one(c);
        break;
    case OF_NOTHING:
        source->table = NULL;
        break;
    case OF_TWIN:
        source->table = twin;
        break;
    case OF_OTHER_SCHEMA:
        source->table = changed_table(c, source->table, "other");
        break;
    case UNDER_OTHER_ALIAS:
        source->alias = "plain";
        break;
    case UNFILTERED:
        b->select.where = NULL;
        break;
    case FILTERED_BY_OTHER_TABLE:
        b->select.where->binary.left = expr_column(c, "twin", "tenant");
        break;
    case UNKNOWN_ITEM:
        b->select.items[0].alias = "nothing";
        break;
    case NAMELESS_ITEM:
        b->select.items[0].alias = NULL;
        break;
    case LITERAL_ITEM:
        b->select.items[0].expr = expr_integer(c, 5);
        break;
    case OTHER_TABLES_ITEM:
        b->select.items[0].expr = expr_column(c, "twin", "id");
        break;
    default: /* OTHER_COLUMN */
        b->select.items[0].expr = expr_column(c, "sale", "tenant");
        break;
    }
}

static void damage_plan(struct scene *s, enum damage what)
{
    struct call *c = &s->call;
    struct from *from = s->after->body->select.from;
    struct source *wrapped = from->joined->source, *plain = from->joins[0].source;
    struct wrap *wrap = &LIST_AT(&s->cert.wraps, struct wrap, 0);
    struct query *copy;
    switch (what) {
    case NOT_CERTIFIED:
        s->cert.wraps.count = 0;
        break;
    case CERTIFIED_ELSEWHERE:
        wrap->occurrence = 1;
        break;
    case CERTIFIED_TWICE:
        *(struct wrap *)list_push(c, &s->cert.wraps, sizeof(struct wrap)) = *wrap;
        break;
    case OTHER_QUERY_CERTIFIED:
        copy = plan_copy(c, wrap->query);
        copy->body->select.from->source->table = wrap->query->body->select.from->source->table;
        wrap->query = copy;
        break;
    case UNWRAPPED:
        wrapped->kind = SOURCE_TABLE;
        wrapped->name = "sale";
        wrapped->table = schema_table(s->view->tables, s->view->table_count, NULL, "sale");
        break;
    case PLAIN_TABLE_WRAPPED:
        plain->kind = SOURCE_QUERY;
        plain->query = one(c);
        break;
    case PLAIN_TABLE_ANOTHER:
        plain->table = schema_table(s->view->tables, s->view->table_count, NULL, "twin");
        break;
    case PLAIN_TABLE_UNBOUND:
        plain->table = NULL;
        break;
    case PLAIN_TABLE_OTHER_SCHEMA:
        plain->table = changed_table(c, plain->table, "other");
        break;
    case SOURCE_MISSING:
        s->after->body->select.from = from->joined;
        break;
    case SOURCE_MORE:
        query_join(c, s->after, JOIN_CROSS, NULL, "twin", "more", NULL);
        break;
    case ITEM_CHANGED:
        s->after->body->select.items[0].expr = expr_integer(c, 1);
        break;
    default: /* CONDITION_DROPPED */
        s->after->body->select.where = NULL;
        break;
    }
}

static void damages(void **state)
{
    (void)state;
    for (enum damage what = 0; what < DAMAGES; what++) {
        struct scene s;
        open_scene(&s, OWN, "\"*\"", "SELECT s.size FROM sale s JOIN plain p ON p.id = s.id WHERE p.word = 'x'");
        struct query *wrap = (struct query *)(uintptr_t)LIST_AT(&s.cert.wraps, struct wrap, 0).query;
        if (what < NOT_CERTIFIED)
            damage_wrap(&s, wrap, what);
        else
            damage_plan(&s, what);
        if (!seen(&s)) fail_msg("damage %d is not seen", (int)what);
        close_scene(&s);
    }
}

/* The fence is the one limit that a wrap may have; a mask alone is a reason to wrap; a plan over another view falls. */
static void what_passes(void **state)
{
    struct scene s, t;
    struct check_result checked;
    (void)state;
    open_scene(&s, OWN, "\"*\"", "SELECT 1 / size, word FROM sale");
    assert_non_null(LIST_AT(&s.cert.wraps, struct wrap, 0).query->limit);
    close_scene(&s);
    open_scene(&s, OWN, "\"*\"", "SELECT count(*) FROM sale");
    assert_int_equal(s.cert.wraps.count, 1);
    close_scene(&s);

    /* A mask without a filter. */
    struct call *c = &s.call;
    memset(&s, 0, sizeof s);
    call_begin(c);
    fixture_open(&s.fixture, c, ddl);
    s.view =
        fixture_view(&s.fixture, c, "{\"a\":{\"allow\":[\"ds.*\"],\"masks\":{\"ds.sale.word\":\"*\"}}}", &s.policies);
    static const char sql[] = "SELECT word FROM sale";
    assert_int_equal(sql_to_plan(c, "sqlite", sql, sizeof sql - 1, s.view, &s.plan), OK);
    assert_int_equal(plan_check(c, s.view, support(), ORIGIN_TEXT, s.plan, &checked), OK);
    assert_int_equal(access_apply(c, s.view, &c->who, support(), s.plan, &s.after, &s.cert), OK);
    assert_int_equal(s.cert.wraps.count, 1);
    assert_int_equal(access_verify(c, s.view, &c->who, s.plan, s.after, &s.cert), OK);
    s.cert.wraps.count = 0;
    s.after = s.plan;
    assert_true(seen(&s));
    close_scene(&s);

    /* A rule that no plan may hold opens nothing. */
    memset(&s, 0, sizeof s);
    call_begin(c);
    fixture_open(&s.fixture, c, ddl);
    s.view = fixture_view(&s.fixture, c,
                          "{\"a\":{\"allow\":[\"ds.*\"],\"filters\":{\"ds.sale\":" BIN(
                              "=", CALL("upper", COL("word") "," COL("word")), LIT("text", "A")) "}}}",
                          &s.policies);
    assert_int_equal(sql_to_plan(c, "sqlite", sql, sizeof sql - 1, s.view, &s.plan), OK);
    assert_int_equal(plan_check(c, s.view, support(), ORIGIN_TEXT, s.plan, &checked), OK);
    assert_int_equal(access_apply(c, s.view, &c->who, support(), s.plan, &s.after, &s.cert), ERR_SECURITY_VIOLATION);
    close_scene(&s);

    /* Filters of one role all hold; those of several roles open the rows of each. */
    struct statement *st;
    memset(&s, 0, sizeof s);
    call_begin(c);
    fixture_open(&s.fixture, c, ddl);
    s.view =
        fixture_view(&s.fixture, c,
                     "{\"a\":{\"allow\":[\"ds.*\"],\"filters\":{\"ds.sale\":{\"size\":1},\"ds.s*\":{\"tenant\":2}}},"
                     "\"b\":{\"allow\":[\"ds.sale\"],\"filters\":{\"ds.sale\":{\"word\":\"x\"}}}}",
                     &s.policies);
    assert_int_equal(sql_to_plan(c, "sqlite", sql, sizeof sql - 1, s.view, &s.plan), OK);
    assert_int_equal(plan_check(c, s.view, support(), ORIGIN_TEXT, s.plan, &checked), OK);
    assert_int_equal(access_apply(c, s.view, &c->who, support(), s.plan, &s.after, &s.cert), OK);
    assert_int_equal(access_verify(c, s.view, &c->who, s.plan, s.after, &s.cert), OK);
    assert_int_equal(sql_render(c, "sqlite", s.after, 0, &st), OK);
    assert_non_null(
        strstr(st->sql, "WHERE \"sale\".\"size\" = 1 AND \"sale\".\"tenant\" = 2 OR \"sale\".\"word\" = 'x'"));
    close_scene(&s);

    /* A plan bound to one view under another that has less. */
    open_scene(&s, OWN, "\"*\"", "SELECT s.size, p.word FROM sale s, plain p");
    memset(&t, 0, sizeof t);
    call_begin(&t.call);
    fixture_open(&t.fixture, &t.call, ddl);
    const struct view *less = fixture_view(
        &t.fixture, &t.call,
        "{\"a\":{\"allow\":[\"ds.*\"],\"deny\":[\"ds.plain\"],\"columns_deny\":[\"ds.sale.size\"]}}", &t.policies);
    struct query *out;
    struct certificate cert;
    assert_int_equal(access_apply(c, less, &c->who, support(), s.plan, &out, &cert), ERR_INTERNAL_ERROR);
    call_forgive(c);
    assert_int_equal(access_verify(c, less, &c->who, s.plan, s.after, &s.cert), ERR_INTERNAL_ERROR);
    policies_free(t.policies);
    fixture_close(&t.fixture);
    call_end(&t.call);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(other_filters), cmocka_unit_test(other_masks),
                                        cmocka_unit_test(damages), cmocka_unit_test(what_passes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
