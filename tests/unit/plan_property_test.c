/* Properties of plans over random schemas: the seed of a failure is in its message. */
#include "plan/plan.h"
#include "random_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#define PLANS 4000

static const struct dialect_support strict = {
    "strict",
    DIALECT_FULL_JOIN | DIALECT_INTERSECT | DIALECT_INTERSECT_ALL | DIALECT_ROW_VALUES | DIALECT_NESTED_WITH |
        DIALECT_HIDDEN_AGGREGATES,
    NULL,
};
static const struct dialect_support loose = {
    "loose",
    DIALECT_COERCES | DIALECT_UNGROUPED | DIALECT_DEPENDENCE | DIALECT_DISTINCT_ORDER | DIALECT_FULL_JOIN |
        DIALECT_INTERSECT | DIALECT_INTERSECT_ALL | DIALECT_ROW_VALUES | DIALECT_NESTED_WITH |
        DIALECT_LIMIT_EXPRESSION | DIALECT_HIDDEN_AGGREGATES,
    NULL,
};

static const char *encoded(struct call *c, const struct query *q)
{
    struct buf b;
    buf_init(&b, c, 4 * 1024 * 1024);
    plan_encode(&b, q);
    assert_false(b.failed);
    return b.data;
}

static struct query *decoded(struct call *c, const char *text, uint64_t seed)
{
    struct query *q = NULL;
    if (plan_parse(c, text, strlen(text), &q))
        fail_msg("seed %llu: %s at %s", (unsigned long long)seed, c->err.message, c->err.field);
    return q;
}

/* decode(encode(p)) is p, for sound and damaged plans, and a copy is equal. */
static void codecs_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < PLANS; seed++) {
        struct call c;
        struct random r = { seed };
        call_begin(&c);
        const struct view *v = random_view(&c, &r);
        struct query *q = random_plan(&c, &r, v, strict.features, 1 + (int)(seed % 4));
        for (size_t i = 0; i < seed % 3; i++) random_damage(&c, &r, q);
        const char *text = encoded(&c, q);
        struct query *again = NULL;
        if (plan_parse(&c, text, strlen(text), &again)) {
            /* Only a damaged plan may be beyond the ceilings or hold a value that is none of its type. */
            assert_true(seed % 3 > 0);
        } else {
            if (!plan_equal(q, again)) fail_msg("seed %llu: %s", (unsigned long long)seed, text);
            assert_string_equal(encoded(&c, again), text);
            assert_true(plan_equal(q, plan_copy(&c, q)));
        }
        call_end(&c);
    }
}

static void sound_plans_pass(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < PLANS; seed++) {
        struct call c;
        struct random r = { seed };
        struct check_result result;
        call_begin(&c);
        const struct view *v = random_view(&c, &r);
        struct query *q = random_plan(&c, &r, v, strict.features, 1 + (int)(seed % 4));
        const char *text = encoded(&c, q);
        if (plan_check(&c, v, seed & 1 ? &strict : &loose, ORIGIN_TEXT, q, &result))
            fail_msg("seed %llu: %s at %s: %s", (unsigned long long)seed, c.err.message, c.err.field, text);
        call_end(&c);
    }
}

/* Canonical form is the same for itself and for the plan under other aliases. */
static void canonical_form(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < PLANS; seed++) {
        struct call c;
        struct random r = { seed };
        struct check_result result;
        call_begin(&c);
        const struct view *v = random_view(&c, &r);
        struct query *q = random_plan(&c, &r, v, strict.features, 1 + (int)(seed % 4));
        const char *text = encoded(&c, q);
        assert_int_equal(plan_check(&c, v, &loose, ORIGIN_TEXT, q, &result), OK);
        const char *hash = plan_hash(&c, q);
        struct query *canonical = plan_canonical(&c, q);
        const char *form = encoded(&c, canonical);
        assert_int_equal(plan_check(&c, v, &loose, ORIGIN_TEXT, canonical, &result), OK);
        assert_string_equal(encoded(&c, plan_canonical(&c, canonical)), form);
        assert_string_equal(plan_hash(&c, canonical), hash);
        /* Every alias of random plans is a<number>. */
        char *renamed = call_strdup(&c, text);
        for (char *s = renamed; (s = strstr(s, ":\"a")); s += 3)
            if (s[3] >= '0' && s[3] <= '9') s[2] = 'Z';
        struct query *other = decoded(&c, renamed, seed);
        if (plan_check(&c, v, &loose, ORIGIN_TEXT, other, &result))
            fail_msg("seed %llu: %s", (unsigned long long)seed, c.err.message);
        if (strcmp(plan_hash(&c, other), hash))
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, form, encoded(&c, plan_canonical(&c, other)));
        call_end(&c);
    }
}

/* Whatever is done to a plan, check answers; what it refuses is explained, and what it accepts it accepts again. */
static void damaged_plans(void **state)
{
    (void)state;
    size_t accepted = 0, refused = 0;
    for (uint64_t seed = 0; seed < PLANS * 2; seed++) {
        struct call c;
        struct random r = { seed };
        struct check_result result;
        call_begin(&c);
        const struct view *v = random_view(&c, &r);
        const struct dialect_support *d = seed & 1 ? &strict : &loose;
        enum origin origin = (enum origin)(seed % (ORIGIN_SYSTEM + 1));
        struct query *q = random_plan(&c, &r, v, strict.features, 1 + (int)(seed % 4));
        for (size_t i = 0; i <= seed % 4; i++) random_damage(&c, &r, q);
        if (plan_check(&c, v, d, origin, q, &result)) {
            refused++;
            assert_true(c.err.finding_count > 0 && c.err.finding_count <= FINDINGS_MAX);
            assert_non_null(c.err.field);
            assert_true(strlen(c.err.message) > 10);
        } else {
            struct list columns = { 0 }, filters = { 0 };
            accepted++;
            plan_lineage(&c, q, &columns);
            plan_filters(&c, q, &filters);
            assert_int_equal(columns.count, q->offer_count);
            struct query *again = decoded(&c, encoded(&c, q), seed);
            if (plan_check(&c, v, d, origin, again, &result))
                fail_msg("seed %llu: %s at %s", (unsigned long long)seed, c.err.message, c.err.field);
        }
        call_end(&c);
    }
    assert_true(accepted > PLANS / 20);
    assert_true(refused > PLANS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(codecs_agree), cmocka_unit_test(sound_plans_pass),
                                        cmocka_unit_test(canonical_form), cmocka_unit_test(damaged_plans) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
