/* docs/plan.md is true: every example in it reads, passes and keeps its meaning, and every function is in it. */
#include "plan/functions.h"
#include "plan/plan.h"
#include "shop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define PAGE_BYTES ((size_t)256 * 1024)

static const struct dialect_support every = { "every", ~(unsigned)(DIALECT_COERCES | DIALECT_UNGROUPED), NULL };

static const char *page(struct call *c)
{
    FILE *f = fopen("docs/plan.md", "rb");
    if (!f) fail_msg("docs/plan.md is missing");
    char *text = call_alloc(c, PAGE_BYTES);
    size_t n = fread(text, 1, PAGE_BYTES - 1, f);
    fclose(f);
    assert_true(n > 1000 && n < PAGE_BYTES - 1);
    return text;
}

static void examples(void **state)
{
    (void)state;
    struct call c;
    size_t count = 0;
    call_begin(&c);
    for (const char *s = page(&c), *open; (open = strstr(s, "```json\n")); count++) {
        const char *text = open + strlen("```json\n"), *close = strstr(text, "```");
        struct query *q;
        assert_non_null(close);
        s = close + 3;
        if (plan_parse(&c, text, (size_t)(close - text), &q))
            fail_msg("example %zu: %s at %s", count, c.err.message, c.err.field);
        struct check_result r;
        if (plan_check(&c, &shop_view, &every, ORIGIN_MODEL, q, &r))
            fail_msg("example %zu: %s at %s", count, c.err.message, c.err.field);
        assert_int_equal(r.warnings.count, 0);
    }
    assert_true(count >= 4);
    call_end(&c);
}

static void catalogue(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    const char *text = page(&c);
    for (const struct function *f = functions; f->name; f++) {
        if (!strstr(text, call_format(&c, "| `%s` |", f->name))) fail_msg("%s is not in docs/plan.md", f->name);
        if (f > functions && strcmp(f[-1].name, f->name) >= 0) fail_msg("%s is out of order", f->name);
        assert_ptr_equal(function_find(f->name), f);
        assert_int_equal(function_index(f), f - functions);
    }
    for (const struct function_alias *a = function_aliases; a->name; a++) {
        assert_null(function_find(a->name));
        assert_non_null(function_find(a->to));
        assert_non_null(strstr(text, a->name));
    }
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(examples), cmocka_unit_test(catalogue) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
