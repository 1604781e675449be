/* yaml: text -> the tree JSON gives, and every refusal with its place. */
#include "base/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    const char *json;  /* NULL = refused */
    const char *error; /* part of the message */
} cases[] = {
    { "a: 1\nb: text\nc: [x, 'y', \"z\"]\n", "{\"a\":1,\"b\":\"text\",\"c\":[\"x\",\"y\",\"z\"]}", NULL },
    { "a: true\nb: False\nc: ~\nd:\ne: null\n", "{\"a\":true,\"b\":false,\"c\":null,\"d\":null,\"e\":null}", NULL },
    { "a: yes\nb: off\nc: on\n", "{\"a\":\"yes\",\"b\":\"off\",\"c\":\"on\"}", NULL },
    { "a: 1.50\nb: 1e3\nc: .inf\n", "{\"a\":\"1.50\",\"b\":\"1e3\",\"c\":\".inf\"}", NULL },
    { "a: '1'\nb: \"true\"\nc: ''\n", "{\"a\":\"1\",\"b\":\"true\",\"c\":\"\"}", NULL },
    { "a: -7\nb: +7\nc: 0x1F\nd: 0o17\ne: 007\n", "{\"a\":-7,\"b\":7,\"c\":31,\"d\":15,\"e\":7}", NULL },
    { "a: 92233720368547758070\nb: 127.0.0.1:8765\n", "{\"a\":\"92233720368547758070\",\"b\":\"127.0.0.1:8765\"}",
      NULL },
    { "a: |\n  one\n  two\n", "{\"a\":\"one\\ntwo\\n\"}", NULL },
    { "- {a: [1, {b: 2}]}\n- c\n", "[{\"a\":[1,{\"b\":2}]},\"c\"]", NULL },
    { "'1': x\n\"true\": y\n", "{\"1\":\"x\",\"true\":\"y\"}", NULL },
    { "na\xC3\xAFve: \xE2\x82\xAC\n", "{\"na\xC3\xAFve\":\"\xE2\x82\xAC\"}", NULL },
    { "", "null", NULL },
    { "# only a comment\n", "null", NULL },
    { "---\na: 1\n...\n", "{\"a\":1}", NULL },
    { "a: 1\na: 2\n", NULL, "f.yaml, line 2, column 1: the key 'a' stands here twice" },
    { "x: {a: 1, \"a\": 2}\n", NULL, "twice" },
    { "a: &x 1\nb: *x\n", NULL, "anchors" },
    { "a: *x\n", NULL, "aliases" },
    { "a: &x [1]\n", NULL, "anchors" },
    { "a: &x {b: 1}\n", NULL, "anchors" },
    { "a: !!str 1\n", NULL, "tags" },
    { "a: !x [1]\n", NULL, "tags" },
    { "1: x\n", NULL, "line 1, column 1: a key must be a string" },
    { "true: x\n", NULL, "a key must be a string" },
    { "? [a]\n: x\n", NULL, "a key must be a string" },
    { "a: 1\n---\nb: 2\n", NULL, "only one document" },
    { "a: [1\n", NULL, "line" },
    { "a: b: c\n", NULL, "line 1" },
    { "\ta: 1\n", NULL, "line 1" },
    { "a: \"\\0\"\n", NULL, "NUL" },
    { "a: \xff\n", NULL, "f.yaml" },
};

static void table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        const struct json *j = NULL;
        call_begin(&c);
        int rc = yaml_parse(&c, "f.yaml", cases[i].text, strlen(cases[i].text), &j);
        if (cases[i].json) {
            struct buf b;
            buf_init(&b, &c, 10000);
            if (rc) print_error("%s: %s\n", cases[i].text, c.err.message);
            assert_int_equal(rc, OK);
            json_write(&b, j);
            assert_string_equal(b.data, cases[i].json);
        } else {
            assert_int_equal(rc, ERR_CONFIG_INVALID);
            if (!strstr(c.err.message, cases[i].error)) fail_msg("%s: %s", cases[i].text, c.err.message);
        }
        call_end(&c);
    }
}

/* n openings and no end: refused at the ceiling, whatever their number. */
static void hostile(void **state)
{
    (void)state;
    static const struct {
        const char *part;
        size_t times;
    } texts[] = { { "[", 65 }, { "[", 500000 }, { "{a: ", 70 }, { "- ", 100 }, { "a", (1024 * 1024) + 1 } };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct call c;
        const struct json *j;
        size_t n = strlen(texts[i].part);
        char *text = malloc(n * texts[i].times);
        for (size_t k = 0; k < texts[i].times; k++) memcpy(text + k * n, texts[i].part, n);
        call_begin(&c);
        assert_int_equal(yaml_parse(&c, "f.yaml", text, n * texts[i].times, &j), ERR_CONFIG_INVALID);
        call_end(&c);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(table), cmocka_unit_test(hostile) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
