/* plan_check: what it accepts, and each of its rules with the plan that breaks it. */
#include "plan/plan.h"
#include "shop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static const struct dialect_support sqlite = {
    "sqlite",
    DIALECT_COERCES | DIALECT_UNGROUPED | DIALECT_DEPENDENCE | DIALECT_DISTINCT_ORDER | DIALECT_FULL_JOIN |
        DIALECT_INTERSECT | DIALECT_RECURSIVE_CAP | DIALECT_FRAME_GROUPS | DIALECT_FRAME_EXCLUDE |
        DIALECT_FRAME_RANGE_OFFSET | DIALECT_ROW_VALUES | DIALECT_LIMIT_EXPRESSION | DIALECT_VALUES_BODY |
        DIALECT_NESTED_WITH,
    NULL,
};
static const struct dialect_support strict = {
    "strict",
    DIALECT_FULL_JOIN | DIALECT_INTERSECT | DIALECT_INTERSECT_ALL | DIALECT_RECURSIVE_CAP | DIALECT_FRAME_GROUPS |
        DIALECT_FRAME_EXCLUDE | DIALECT_FRAME_RANGE_OFFSET | DIALECT_ROW_VALUES | DIALECT_LIMIT_EXPRESSION |
        DIALECT_VALUES_BODY | DIALECT_NESTED_WITH,
    NULL,
};
static const char *no_median(const struct expr *e)
{
    return e->kind == EXPR_CALL && !strcmp(e->call.name, "median") ? "has no median" : NULL;
}
static const struct dialect_support poor = { "poor", 0, no_median };

#define COL(t, c)                  "{'kind':'column','table':'" t "','column':'" c "'}"
#define INT(n)                     "{'kind':'literal','type':'integer','value':" #n "}"
#define TEXT(s)                    "{'kind':'literal','type':'text','value':'" s "'}"
#define LIT(type, s)               "{'kind':'literal','type':'" type "','value':'" s "'}"
#define NULL_                      "{'kind':'literal','null':true}"
#define BIN(op, a, b)              "{'kind':'binary','op':'" op "','left':" a ",'right':" b "}"
#define CALL(f, args)              "{'kind':'call','function':'" f "','args':[" args "]}"
#define CALLX(f, args, x)          "{'kind':'call','function':'" f "','args':[" args "]," x "}"
#define COUNT_ALL                  CALL("count", "{'kind':'star'}")
#define ITEM(e, a)                 "{'expr':" e ",'alias':'" a "'}"
#define TABLE(t, a)                "{'table':'" t "','alias':'" a "'}"
#define SELECT(items, etc)         "{'body':{'kind':'select','items':[" items "]" etc "}}"
#define SELECT2(items, etc, after) "{'body':{'kind':'select','items':[" items "]" etc "}," after "}"
#define FROM(f)                    ",'from':" f
#define WHERE(e)                   ",'where':" e
#define GROUP(l)                   ",'group_by':[" l "]"
#define HAVING(e)                  ",'having':" e
#define JOINED(f, joins)           "{'joined':{'from':" f ",'joins':[" joins "]}}"
#define JOIN(type, s, on)          "{'type':'" type "','source':" s ",'on':" on "}"
#define CROSS(s)                   "{'type':'cross','source':" s "}"
#define ORDERS                     FROM(TABLE("orders", "o"))
#define CUSTOMER                   FROM(TABLE("customer", "c"))
#define PRODUCT                    FROM(TABLE("product", "p"))
#define EQ(a, b)                   BIN("=", a, b)
#define CUSTOMER_ORDERS                                                                                                \
    FROM(JOINED(TABLE("customer", "c"),                                                                                \
                JOIN("inner", TABLE("orders", "o"), EQ(COL("o", "customer_id"), COL("c", "id")))))
#define ONE SELECT(ITEM(INT(1), "one"), "")

/* The plan written with ' for ". */
static int check(struct call *c, const char *text, const struct dialect_support *d, enum origin origin,
                 struct query **q, struct check_result *r)
{
    char *json = call_strdup(c, text);
    for (char *s = json; *s; s++)
        if (*s == '\'') *s = '"';
    if (plan_parse(c, json, strlen(json), q)) fail_msg("%s at %s: %s", c->err.message, c->err.field, json);
    return plan_check(c, &shop_view, d, origin, *q, r);
}

/* Accepted by every dialect that claims everything, from a planner, without a warning. */
static const char *const good[] = {
    ONE,
    SELECT(ITEM(COL("o", "total"), "total"), ORDERS),
    SELECT(ITEM(COL("O", "TOTAL"), "total"), FROM(TABLE("ORDERS", "o"))),
    SELECT(ITEM(COUNT_ALL, "n"), ORDERS WHERE(BIN(">", COL("o", "total"), LIT("decimal", "10.5")))),
    SELECT(ITEM(COUNT_ALL, "n"), ORDERS WHERE(BIN(">=", COL("o", "placed"), TEXT("2024-01-31")))),
    SELECT2(ITEM(COL("c", "name"), "name") "," ITEM(COUNT_ALL, "n"),
            CUSTOMER_ORDERS GROUP(COL("c", "id")) HAVING(BIN(">", COUNT_ALL, INT(3))),
            "'order_by':[{'expr':{'kind':'output','name':'n'},'direction':'desc'}],'limit':5,'offset':1"),
};

static void accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        for (int d = 0; d < 2; d++) {
            struct call c;
            struct query *q;
            struct check_result r;
            call_begin(&c);
            if (check(&c, good[i], d ? &strict : &sqlite, ORIGIN_PLANNER, &q, &r))
                fail_msg("%s at %s: %s", c.err.message, c.err.field, good[i]);
            if (r.warnings.count) fail_msg("%s: %s", ((struct plan_warning *)r.warnings.items)->detail, good[i]);
            call_end(&c);
        }
    }
}

int main(void)
{
    (void)poor;
    const struct CMUnitTest tests[] = { cmocka_unit_test(accepted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
