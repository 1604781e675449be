/* json and type: what goes in comes out, and what is wrong is named. */
#include "json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

struct point {
    int64_t x;
    const char *label;
    struct list tags;
};
static const struct field point_fields[] = {
    FIELD(struct point, x, K_INT, .flags = F_REQUIRED, .min = -10, .max = 10),
    FIELD(struct point, label, K_STR, .max = 5, .def = "none"),
    FIELD(struct point, tags, K_STRINGS, .max = 2),
    { 0 },
};
static const struct type point_type = TYPE(struct point, "Point", point_fields);

static const struct {
    const char *text;
    enum err_code code;
    const char *pointer; /* or the encoding when code is OK */
} cases[] = {
    { "{\"x\":3}", OK, "{\"x\":3,\"label\":\"none\"}" },
    { "{\"x\":3,\"label\":\"a\\\"b\",\"tags\":[\"\\u00e9\",\"\"]}", OK,
      "{\"x\":3,\"label\":\"a\\\"b\",\"tags\":[\"\xC3\xA9\",\"\"]}" },
    { "{\"x\":11}", ERR_VALIDATION_ERROR, "/x" },
    { "{\"x\":1.5}", ERR_VALIDATION_ERROR, "/x" },
    { "{\"x\":1,\"labell\":\"a\"}", ERR_VALIDATION_ERROR, "/labell" },
    { "{\"x\":1,\"label\":\"abcdef\"}", ERR_VALIDATION_ERROR, "/label" },
    { "{\"x\":1,\"tags\":[\"a\",2]}", ERR_VALIDATION_ERROR, "/tags/1" },
    { "{\"x\":1,\"tags\":[\"a\",\"b\",\"c\"]}", ERR_VALIDATION_ERROR, "/tags" },
    { "{\"label\":\"a\"}", ERR_VALIDATION_ERROR, "/x" },
    { "[]", ERR_VALIDATION_ERROR, "" },
    { "{\"x\":1,\"x\":2}", ERR_MALFORMED_JSON, NULL },
    { "{\"x\":\"\\u0000\"}", ERR_MALFORMED_JSON, NULL },
    { "{\"x\":\"\xff\"}", ERR_MALFORMED_JSON, NULL },
    { "{\"x\":9223372036854775808}", ERR_MALFORMED_JSON, NULL },
    { "", ERR_MALFORMED_JSON, NULL },
};

static void decode_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        const struct json *j;
        struct point p = { 0 };
        call_begin(&c);
        int rc = json_parse(&c, cases[i].text, strlen(cases[i].text), &j);
        if (!rc) rc = json_decode(&c, &point_type, j, &p);
        assert_int_equal(rc, cases[i].code);
        if (rc) {
            if (cases[i].pointer) assert_string_equal(c.err.field, cases[i].pointer);
            assert_non_null(c.err.message);
        } else {
            struct buf b;
            buf_init(&b, &c, 1000);
            json_encode(&b, &point_type, &p);
            assert_string_equal(b.data, cases[i].pointer);
        }
        call_end(&c);
    }
}

static void depth(void **state)
{
    (void)state;
    struct call c;
    const struct json *j;
    char deep[200];
    call_begin(&c);
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    assert_int_equal(json_parse(&c, deep, 200, &j), ERR_MALFORMED_JSON);
    call_forgive(&c);
    assert_int_equal(json_parse(&c, "\"[[[[\\\"[[\"", 10, &j), OK);
    assert_string_equal(j->string, "[[[[\"[[");
    call_end(&c);
}

static void names(void **state)
{
    (void)state;
    static const char *const known[] = { "datasource_id", "question", NULL };
    assert_string_equal(nearest_name("datasourceid", known), "datasource_id");
    assert_string_equal(nearest_name("questoin", known), "question");
    assert_null(nearest_name("zebra", known));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(decode_table), cmocka_unit_test(depth), cmocka_unit_test(names) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
