/* The plan's two codecs: what is written reads back as the same tree, and what is wrong is named where it stands. */
#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

/* A select of one expression. */
#define ONE(expr) "{\"body\":{\"kind\":\"select\",\"items\":[{\"expr\":" expr ",\"alias\":\"x\"}]}}"
#define FROM(from)                                                                                                     \
    "{\"body\":{\"kind\":\"select\",\"items\":[{\"expr\":{\"kind\":\"literal\",\"null\":true},\"alias\":\"x\"}],"      \
    "\"from\":" from "}}"
#define LIT "{\"kind\":\"literal\",\"type\":\"integer\",\"value\":\"1\"}"
#define COL "{\"kind\":\"column\",\"table\":\"t\",\"column\":\"a\"}"
#define SUB ONE(LIT)

static const struct {
    const char *text;
    enum err_code code;
    const char *pointer; /* where it fails; NULL = reads back byte by byte */
} cases[] = {
    { ONE(LIT), OK, NULL },
    { ONE("{\"kind\":\"literal\",\"type\":\"decimal\",\"value\":\"-1.50\"}"), OK, NULL },
    { ONE("{\"kind\":\"literal\",\"type\":\"boolean\",\"value\":true}"), OK, NULL },
    { ONE("{\"kind\":\"literal\",\"type\":\"date\",\"null\":true}"), OK, NULL },
    { ONE("{\"kind\":\"literal\",\"null\":true}"), OK, NULL },
    { ONE("{\"kind\":\"unary\",\"op\":\"not\",\"arg\":" COL "}"), OK, NULL },
    { ONE("{\"kind\":\"unary\",\"op\":\"-\",\"arg\":" COL "}"), OK, NULL },
    { ONE("{\"kind\":\"binary\",\"op\":\"div\",\"left\":" COL ",\"right\":" LIT "}"), OK, NULL },
    { ONE("{\"kind\":\"like\",\"arg\":" COL ",\"pattern\":" LIT ",\"escape\":" LIT ",\"not\":true}"), OK, NULL },
    { ONE("{\"kind\":\"ilike\",\"arg\":" COL ",\"pattern\":" LIT "}"), OK, NULL },
    { ONE("{\"kind\":\"between\",\"arg\":" COL ",\"low\":" LIT ",\"high\":" LIT ",\"not\":true}"), OK, NULL },
    { ONE("{\"kind\":\"in\",\"arg\":" COL ",\"list\":[" LIT "," LIT "]}"), OK, NULL },
    { ONE("{\"kind\":\"in\",\"arg\":{\"kind\":\"row\",\"items\":[" COL "," COL "]},\"query\":" SUB "}"), OK, NULL },
    { ONE("{\"kind\":\"is_null\",\"arg\":" COL ",\"not\":true}"), OK, NULL },
    { ONE("{\"kind\":\"is_distinct\",\"left\":" COL ",\"right\":" LIT "}"), OK, NULL },
    { ONE("{\"kind\":\"exists\",\"query\":" SUB ",\"not\":true}"), OK, NULL },
    { ONE("{\"kind\":\"query\",\"query\":" SUB "}"), OK, NULL },
    { ONE("{\"kind\":\"case\",\"whens\":[{\"when\":" COL ",\"then\":" LIT "}],\"else\":" LIT "}"), OK, NULL },
    { ONE("{\"kind\":\"cast\",\"arg\":" COL ",\"to\":\"double\"}"), OK, NULL },
    { ONE("{\"kind\":\"cast\",\"arg\":" COL ",\"to\":{\"kind\":\"decimal\",\"precision\":10,\"scale\":2}}"), OK, NULL },
    { ONE("{\"kind\":\"interval\",\"value\":" LIT ",\"unit\":\"quarter\"}"), OK, NULL },
    { ONE("{\"kind\":\"call\",\"function\":\"count\",\"args\":[{\"kind\":\"star\"}],\"filter\":" COL "}"), OK, NULL },
    { ONE("{\"kind\":\"call\",\"function\":\"sum\",\"args\":[" COL
          "],\"distinct\":true,\"over\":{\"partition_by\":[" COL "],\"order_by\":[{\"expr\":" COL
          ",\"direction\":\"desc\",\"nulls\":\"first\"}],\"frame\":{\"unit\":\"rows\","
          "\"start\":{\"kind\":\"preceding\",\"offset\":" LIT
          "},\"end\":{\"kind\":\"current\"},\"exclude\":\"ties\"}}}"),
      OK, NULL },
    { ONE("{\"kind\":\"call\",\"function\":\"percentile\",\"args\":[" LIT "],\"within\":[{\"expr\":" COL "}]}"), OK,
      NULL },
    { FROM("{\"table\":\"a\",\"schema\":\"s\",\"alias\":\"t\"}"), OK, NULL },
    { FROM("{\"cte\":\"a\",\"alias\":\"t\"}"), OK, NULL },
    { FROM("{\"query\":" SUB ",\"alias\":\"t\",\"columns\":[\"p\"]}"), OK, NULL },
    { FROM(
          "{\"joined\":{\"from\":{\"table\":\"a\",\"alias\":\"t\"},\"joins\":[{\"type\":\"left\",\"source\":{\"table\":"
          "\"b\",\"alias\":\"u\"},\"on\":" COL "}]}}"),
      OK, NULL },
    { "{\"with\":[{\"name\":\"w\",\"columns\":[\"n\"],\"recursive\":true,\"query\":" SUB
      "}],\"body\":{\"kind\":\"set\","
      "\"op\":\"union_all\",\"left\":" SUB ",\"right\":" SUB "},\"order_by\":[{\"expr\":{\"kind\":\"output\",\"name\":"
      "\"x\"}}],\"limit\":10,\"offset\":5}",
      OK, NULL },
    { "{\"body\":{\"kind\":\"values\",\"rows\":[[" LIT "],[" LIT "]]},\"limit\":" COL "}", OK, NULL },

    { "[]", ERR_INVALID_PLAN_STRUCTURE, "" },
    { "{}", ERR_INVALID_PLAN_STRUCTURE, "" },
    { "{\"body\":{\"kind\":\"selec\"}}", ERR_INVALID_PLAN_STRUCTURE, "/body/kind" },
    { "{\"body\":{\"kind\":\"select\"}}", ERR_INVALID_PLAN_STRUCTURE, "/body" },
    { "{\"body\":{\"kind\":\"select\",\"items\":[{\"expr\":" LIT "}]}}", ERR_INVALID_PLAN_STRUCTURE, "/body/items/0" },
    { "{\"body\":{\"kind\":\"select\",\"items\":[{\"expr\":" LIT ",\"alias\":\"\"}]}}", ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/alias" },
    { "{\"body\":{\"kind\":\"select\",\"items\":[],\"group_by\":[]}}", ERR_INVALID_PLAN_STRUCTURE, "/body/group_by" },
    { "{\"body\":{\"kind\":\"select\",\"items\":[]},\"limit\":-1}", ERR_INVALID_PLAN_STRUCTURE, "/limit" },
    { "{\"body\":{\"kind\":\"select\",\"items\":[]},\"limit\":null}", ERR_INVALID_PLAN_STRUCTURE, "/limit" },
    { "{\"body\":{\"kind\":\"select\",\"items\":[]},\"extra~/\":1}", ERR_INVALID_PLAN_STRUCTURE, "/extra~0~1" },
    { ONE("{\"kind\":\"literal\",\"type\":\"decimal\",\"value\":1.5}"), ERR_NUMBER_AS_TEXT,
      "/body/items/0/expr/value" },
    { ONE("{\"kind\":\"literal\",\"type\":\"integer\",\"value\":9007199254740992}"), ERR_NUMBER_AS_TEXT,
      "/body/items/0/expr/value" },
    { ONE("{\"kind\":\"literal\",\"type\":\"text\",\"value\":5}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/value" },
    { ONE("{\"kind\":\"literal\",\"type\":\"boolean\",\"value\":\"true\"}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/value" },
    { ONE("{\"kind\":\"literal\",\"type\":\"uuid\",\"value\":\"x\"}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/type" },
    { ONE("{\"kind\":\"literal\",\"value\":\"x\"}"), ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr" },
    { ONE("{\"kind\":\"literal\",\"null\":true,\"value\":\"x\"}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/value" },
    { ONE("{\"kind\":\"column\",\"column\":\"x\"}"), ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr" },
    { ONE("{\"kind\":\"in\",\"arg\":" COL "}"), ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr" },
    { ONE("{\"kind\":\"in\",\"arg\":" COL ",\"list\":[],\"query\":" SUB "}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr" },
    { ONE("{\"kind\":\"binary\",\"op\":\"&\",\"left\":" COL ",\"right\":" COL "}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/op" },
    { ONE("{\"kind\":\"unary\",\"op\":\"not\",\"arg\":" COL ",\"not\":true}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/not" },
    { ONE("{\"kind\":\"case\",\"whens\":[]}"), ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/whens" },
    { ONE("{\"kind\":\"cast\",\"arg\":" COL ",\"to\":{\"kind\":\"text\",\"precision\":3}}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/to" },
    { ONE("{\"kind\":\"cast\",\"arg\":" COL ",\"to\":{\"kind\":\"decimal\",\"precision\":3,\"scale\":4}}"),
      ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/to" },
    { ONE("{\"kind\":\"call\",\"function\":\"sum\",\"args\":[" COL "],\"over\":{\"frame\":{\"unit\":\"rows\",\"start\":"
          "{\"kind\":\"current\",\"offset\":" LIT "},\"end\":{\"kind\":\"current\"}}}}"),
      ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/over/frame/start/offset" },
    { FROM("{\"alias\":\"t\"}"), ERR_INVALID_PLAN_STRUCTURE, "/body/from" },
    { "[]", ERR_INVALID_PLAN_STRUCTURE, "" },
    { "{\"body\":[]}", ERR_INVALID_PLAN_STRUCTURE, "/body" },
    { "{\"body\":\"x\"}", ERR_INVALID_PLAN_STRUCTURE, "/body" },
    { "{\"with\":[],\"body\":{\"kind\":\"values\",\"rows\":[[" LIT "]]}}", ERR_INVALID_PLAN_STRUCTURE, "/with" },
    { "{\"body\":{\"kind\":\"values\",\"rows\":[[" LIT "]]},\"order_by\":[]}", ERR_INVALID_PLAN_STRUCTURE,
      "/order_by" },
    { "{\"body\":{\"kind\":5,\"rows\":[]}}", ERR_INVALID_PLAN_STRUCTURE, "/body/kind" },
    { "{\"body\":{\"kind\":\"select\",\"items\":[5]}}", ERR_INVALID_PLAN_STRUCTURE, "/body/items/0" },
    { "{\"body\":{\"kind\":\"select\",\"distinct\":1,\"items\":[]}}", ERR_INVALID_PLAN_STRUCTURE, "/body/distinct" },
    { ONE("5"), ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr" },
    { ONE("[]"), ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr" },
    { ONE("{\"kind\":\"column\",\"table\":5,\"column\":\"x\"}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/table" },
    { ONE("{\"kind\":\"column\",\"table\":\"\",\"column\":\"x\"}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/table" },
    { ONE("{\"kind\":\"cast\",\"arg\":" COL ",\"to\":{\"kind\":\"decimal\",\"precision\":39}}"),
      ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/to/precision" },
    { ONE("{\"kind\":\"cast\",\"arg\":" COL ",\"to\":{\"kind\":\"decimal\",\"precision\":-1}}"),
      ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/to/precision" },
    { ONE("{\"kind\":\"cast\",\"arg\":" COL ",\"to\":{\"kind\":\"decimal\",\"precision\":\"3\"}}"),
      ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/to/precision" },
    { FROM("5"), ERR_INVALID_PLAN_STRUCTURE, "/body/from" },
    { FROM("{\"joined\":{\"from\":5,\"joins\":[]}}"), ERR_INVALID_PLAN_STRUCTURE, "/body/from/joined/from" },
    { FROM("{\"query\":" SUB ",\"alias\":\"t\",\"columns\":[]}"), ERR_INVALID_PLAN_STRUCTURE, "/body/from/columns" },
    { FROM("{\"table\":\"a\"}"), ERR_INVALID_PLAN_STRUCTURE, "/body/from" },
    { FROM("{\"cte\":\"a\",\"schema\":\"s\",\"alias\":\"t\"}"), ERR_INVALID_PLAN_STRUCTURE, "/body/from/schema" },
    { FROM("{\"joined\":{\"from\":{\"table\":\"a\",\"alias\":\"t\"},\"joins\":[]}}"), ERR_INVALID_PLAN_STRUCTURE,
      "/body/from/joined/joins" },
};

static void decode_and_encode(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        struct query *q = NULL;
        call_begin(&c);
        int rc = plan_parse(&c, cases[i].text, strlen(cases[i].text), &q);
        if (rc != (int)cases[i].code) fail_msg("%s: %s", cases[i].text, c.err.message);
        if (rc) {
            assert_string_equal(c.err.field, cases[i].pointer);
        } else {
            struct buf b;
            buf_init(&b, &c, 100000);
            plan_encode(&b, q);
            assert_string_equal(b.data, cases[i].text);
            assert_true(plan_equal(q, plan_copy(&c, q)));
        }
        call_end(&c);
    }
}

/* Each shape at the ceiling is read, one beyond is refused. */
static void ceilings(void **state)
{
    (void)state;
    static const struct {
        const char *open, *middle, *close;
        int most; /* how often it may be nested inside ONE() */
    } nests[] = {
        { "{\"kind\":\"unary\",\"op\":\"-\",\"arg\":", LIT, "}", PLAN_DEPTH_MAX - 2 },
        { "{\"kind\":\"call\",\"function\":\"sum\",\"args\":[", LIT, "]}", PLAN_DEPTH_MAX - 2 },
        { "{\"kind\":\"query\",\"query\":{\"body\":{\"kind\":\"select\",\"items\":[{\"alias\":\"a\",\"expr\":", LIT,
          "}]}}}", (PLAN_DEPTH_MAX - 2) / 2 },
        { "{\"kind\":\"case\",\"whens\":[{\"then\":" LIT ",\"when\":", LIT, "}]}", PLAN_DEPTH_MAX - 2 },
    };
    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        for (int beyond = 0; beyond < 2; beyond++) {
            struct call c;
            struct buf b;
            struct query *q;
            call_begin(&c);
            buf_init(&b, &c, 1000000);
            buf_str(&b, "{\"body\":{\"kind\":\"select\",\"items\":[{\"alias\":\"x\",\"expr\":");
            for (int k = 0; k < nests[i].most + beyond; k++) buf_str(&b, nests[i].open);
            buf_str(&b, nests[i].middle);
            for (int k = 0; k < nests[i].most + beyond; k++) buf_str(&b, nests[i].close);
            buf_str(&b, "}]}}");
            int rc = plan_parse(&c, b.data, b.len, &q);
            if (rc != (beyond ? ERR_PLAN_TOO_LARGE : OK)) fail_msg("shape %zu: %s", i, c.err.message);
            call_end(&c);
        }
    }
}

static int parse_repeated(const char *head, const char *item, int count, const char *tail)
{
    struct call c;
    struct buf b;
    struct query *q;
    call_begin(&c);
    buf_init(&b, &c, 10000000);
    buf_str(&b, head);
    for (int i = 0; i < count; i++) {
        if (i) buf_char(&b, ',');
        buf_str(&b, item);
    }
    buf_str(&b, tail);
    int rc = plan_parse(&c, b.data, b.len, &q);
    call_end(&c);
    return rc;
}

static void counts(void **state)
{
    (void)state;
    const char *head = "{\"body\":{\"kind\":\"values\",\"rows\":[[";
    assert_int_equal(parse_repeated(head, LIT, PLAN_NODES_MAX - 1, "]]}}"), OK);
    assert_int_equal(parse_repeated(head, LIT, PLAN_NODES_MAX, "]]}}"), ERR_PLAN_TOO_LARGE);
    head =
        "{\"body\":{\"kind\":\"select\",\"items\":[],\"from\":{\"joined\":{\"from\":{\"table\":\"a\",\"alias\":\"t\"},"
        "\"joins\":[";
    const char *join = "{\"type\":\"cross\",\"source\":{\"table\":\"a\",\"alias\":\"u\"}}";
    assert_int_equal(parse_repeated(head, join, PLAN_SOURCES_MAX - 1, "]}}}}"), OK);
    assert_int_equal(parse_repeated(head, join, PLAN_SOURCES_MAX, "]}}}}"), ERR_PLAN_TOO_LARGE);
}

static void differences(void **state)
{
    (void)state;
    struct call c;
    struct query *a, *b;
    struct list out = { 0 };
    call_begin(&c);
    assert_int_equal(plan_parse(&c, ONE(LIT), strlen(ONE(LIT)), &a), OK);
    b = plan_copy(&c, a);
    plan_diff(&c, a, b, &out);
    assert_int_equal(out.count, 0);
    b->body->select.items[0].expr->literal.text = "2";
    query_limit(&c, b, 3);
    plan_diff(&c, a, b, &out);
    assert_int_equal(out.count, 2);
    const struct plan_difference *d = out.items;
    assert_string_equal(d[0].pointer, "/body/items/0/expr/value");
    assert_string_equal(d[0].before, "\"1\"");
    assert_string_equal(d[0].after, "\"2\"");
    assert_string_equal(d[1].pointer, "/limit");
    assert_null(d[1].before);
    call_end(&c);
}

static void hint(void **state)
{
    (void)state;
    struct call c;
    struct query *q;
    const char *text = "{\"body\":{\"kind\":\"select\",\"itms\":[]}}";
    call_begin(&c);
    assert_int_equal(plan_parse(&c, text, strlen(text), &q), ERR_INVALID_PLAN_STRUCTURE);
    assert_string_equal(c.err.field, "/body/itms");
    assert_non_null(strstr(c.err.hint, "'items'"));
    assert_non_null(strstr(c.err.message, "group_by"));
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(decode_and_encode), cmocka_unit_test(ceilings),
                                        cmocka_unit_test(counts), cmocka_unit_test(differences),
                                        cmocka_unit_test(hint) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
