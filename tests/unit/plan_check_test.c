/* plan_check: what it accepts, and each of its rules with the plan that breaks it. */
#include "domain/result.h"
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
        DIALECT_VALUES_BODY | DIALECT_NESTED_WITH | DIALECT_HIDDEN_AGGREGATES,
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

#define ORDERS_ITEMS                                                                                                   \
    FROM(JOINED(TABLE("orders", "o"), JOIN("inner", TABLE("item", "i"), EQ(COL("i", "order_id"), COL("o", "id")))))
#define EXISTS(q)         "{'kind':'exists','query':" q "}"
#define SCALAR(q)         "{'kind':'query','query':" q "}"
#define IN(a, l)          "{'kind':'in','arg':" a ",'list':[" l "]}"
#define IN_QUERY(a, q)    "{'kind':'in','arg':" a ",'query':" q "}"
#define LIKE(a, b)        "{'kind':'like','arg':" a ",'pattern':" b "}"
#define BETWEEN(a, l, h)  "{'kind':'between','arg':" a ",'low':" l ",'high':" h "}"
#define ROW(l)            "{'kind':'row','items':[" l "]}"
#define CAST(a, t)        "{'kind':'cast','arg':" a ",'to':'" t "'}"
#define CASE(w, t, e)     "{'kind':'case','whens':[{'when':" w ",'then':" t "}],'else':" e "}"
#define INTERVAL(v, u)    "{'kind':'interval','value':" v ",'unit':'" u "'}"
#define OUTPUT(n)         "{'kind':'output','name':'" n "'}"
#define ORDER_BY(e)       "'order_by':[{'expr':" e "}]"
#define SET(op, l, r)     "{'body':{'kind':'set','op':'" op "','left':" l ",'right':" r "}}"
#define SET2(op, l, r, x) "{'body':{'kind':'set','op':'" op "','left':" l ",'right':" r "}," x "}"
#define WITH(n, x, q, r)  "{'with':[{'name':'" n "'" x ",'query':" q "}]," r "}"
#define BODY(items, etc)  "'body':{'kind':'select','items':[" items "]" etc "}"
#define CTE(n, a)         "{'cte':'" n "','alias':'" a "'}"
#define DERIVED(q, a)     "{'query':" q ",'alias':'" a "'}"
#define OVER(f, args, w)  CALLX(f, args, "'over':{" w "}")
#define PLACED            COL("o", "placed")
#define STAR              "{'kind':'star'}"
#define SUM_TOTAL         CALL("sum", COL("o", "total"))
#define VALUES(rows)      "{'body':{'kind':'values','rows':[" rows "]}}"
#define COUNT_UP                                                                                                       \
    SET("union_all", SELECT(ITEM(INT(1), "n"), ""),                                                                    \
        SELECT(ITEM(BIN("+", COL("s", "n"), INT(1)), "n"),                                                             \
               FROM(CTE("w", "s")) WHERE(BIN("<", COL("s", "n"), INT(9)))))

/* Accepted by every dialect that claims everything, from a planner, without a warning. */
static const char *const good[] = {
    ONE,
    SELECT(ITEM(COL("o", "total"), "total"), ORDERS),
    SELECT(ITEM(COL("O", "TOTAL"), "total"), FROM(TABLE("ORDERS", "o"))),
    SELECT(ITEM(COUNT_ALL, "n"), ORDERS WHERE(BIN(">", COL("o", "total"), LIT("decimal", "10.5")))),
    SELECT(ITEM(COUNT_ALL, "n"), ORDERS WHERE(BIN(">=", PLACED, TEXT("2024-01-31")))),
    SELECT(ITEM(COUNT_ALL, "n"), ORDERS WHERE(BIN(">=", PLACED, LIT("date", "2024-02-29")))),
    SELECT2(ITEM(COL("c", "name"), "name") "," ITEM(COUNT_ALL, "n"),
            CUSTOMER_ORDERS GROUP(COL("c", "id")) HAVING(BIN(">", COUNT_ALL, INT(3))),
            "'order_by':[{'expr':{'kind':'output','name':'n'},'direction':'desc'}],'limit':5,'offset':1"),
    SELECT(
        ITEM(COL("c", "name"), "name"),
        CUSTOMER WHERE(EXISTS(SELECT(ITEM(INT(1), "x"), ORDERS WHERE(EQ(COL("o", "customer_id"), COL("c", "id"))))))),
    SELECT(ITEM(COL("c", "name"), "name"),
           CUSTOMER WHERE(
               BIN(">", COL("c", "score"), SCALAR(SELECT(ITEM(CALL("avg", COL("c", "score")), "a"), CUSTOMER))))),
    SELECT(ITEM(COL("c", "name"), "name"),
           CUSTOMER WHERE(IN_QUERY(COL("c", "id"), SELECT(ITEM(COL("o", "customer_id"), "x"), ORDERS)))),
    SELECT(ITEM(COL("c", "name"), "name"), CUSTOMER WHERE(IN(COL("c", "id"), INT(1) "," INT(2)))),
    SELECT(ITEM(COL("c", "name"), "name"), CUSTOMER WHERE(LIKE(COL("c", "name"), TEXT("A%")))),
    SELECT(ITEM(COL("c", "name"), "name"), CUSTOMER WHERE(BETWEEN(COL("c", "id"), INT(1), INT(9)))),
    SELECT(ITEM(COL("c", "name"), "name"), CUSTOMER WHERE(COL("c", "vip"))),
    SELECT(ITEM(COL("c", "name"), "name"),
           CUSTOMER WHERE(EQ(ROW(COL("c", "id") "," COL("c", "name")), ROW(INT(1) "," TEXT("x"))))),
    SELECT(ITEM(CASE(COL("c", "vip"), INT(1), LIT("decimal", "0.5")), "x"), CUSTOMER),
    SELECT(ITEM(CAST(COL("p", "year"), "integer"), "y"), PRODUCT),
    SELECT(ITEM(BIN("+", PLACED, INTERVAL(INT(3), "month")), "d"), ORDERS),
    SELECT(ITEM(CALL("year", PLACED), "y"), ORDERS),
    SELECT(ITEM(CALL("date_trunc", TEXT("month") "," PLACED), "m"), ORDERS),
    SELECT(ITEM(CALL("date_trunc", PLACED "," TEXT("month")), "m"), ORDERS),
    SELECT(ITEM(CALL("date_format", PLACED "," TEXT("%Y-%m")), "m"), ORDERS),
    SELECT(ITEM(CALL("count", CASE(BIN(">", COL("o", "total"), INT(5)), INT(1), NULL_)), "n"), ORDERS),
    SELECT(ITEM(CALLX("count", STAR, "'filter':" BIN(">", COL("o", "total"), INT(5))), "n"), ORDERS),
    SELECT(ITEM(CALLX("percentile", LIT("decimal", "0.5"), "'within':[{'expr':" COL("o", "total") "}]"), "n"), ORDERS),
    SELECT(ITEM(OVER("row_number", "", ORDER_BY(PLACED)), "n"), ORDERS),
    SELECT(ITEM(OVER("sum", COL("o", "total"),
                     "'partition_by':[" COL("o", "status") "]," ORDER_BY(
                         PLACED) ",'frame':{'unit':'rows','start':{'kind':"
                                 "'preceding','offset':" INT(2) "},'end':{'kind':'current'}}"),
                "n"),
           ORDERS),
    SELECT(ITEM(OVER("sum", SUM_TOTAL, "'partition_by':[" COL("o", "status") "]"), "n"),
           ORDERS GROUP(COL("o", "status"))),
    SET("union", SELECT(ITEM(COL("c", "name"), "n"), CUSTOMER), SELECT(ITEM(COL("p", "name"), "m"), PRODUCT)),
    SET2("union_all", ONE, ONE, "'order_by':[{'expr':" OUTPUT("one") "}],'limit':1"),
    SET("except", ONE, ONE),
    WITH("w", "", SELECT(ITEM(COL("o", "id"), "id"), ORDERS), BODY(ITEM(COL("x", "id"), "id"), FROM(CTE("W", "x")))),
    WITH("w", ",'columns':['k']", SELECT(ITEM(COL("o", "id"), "id"), ORDERS),
         BODY(ITEM(COL("x", "k"), "id"), FROM(CTE("w", "x")))),
    WITH("w", ",'recursive':true", COUNT_UP, BODY(ITEM(COL("x", "n"), "n"), FROM(CTE("w", "x")))),
    /* A CTE that hides the table it reads. */
    WITH("orders", "", SELECT(ITEM(COL("o", "id"), "id"), ORDERS),
         BODY(ITEM(COL("x", "id"), "id"), FROM(CTE("orders", "x")))),
    SELECT(ITEM(COL("x", "n"), "n"), FROM(DERIVED(SELECT(ITEM(COUNT_ALL, "n"), ORDERS), "x"))),
    SELECT(ITEM(COL("x", "p"), "n"),
           FROM("{'query':" VALUES("[" INT(1) "],[" INT(2) "]") ",'alias':'x','columns':['p']}")),
    /* Grouped by the key of the one side, through the equality of the join. */
    SELECT(ITEM(COL("c", "name"), "name") "," ITEM(COUNT_ALL, "n"), CUSTOMER_ORDERS GROUP(COL("o", "customer_id"))),
    SELECT(ITEM(COL("c", "name"), "name") "," ITEM(COUNT_ALL, "n"), CUSTOMER_ORDERS GROUP(COL("c", "email"))),
    SELECT(ITEM(CALL("upper", COL("c", "name")), "u") "," ITEM(COUNT_ALL, "n"),
           CUSTOMER GROUP(CALL("upper", COL("c", "name")))),
    SELECT(ITEM(CALL("any_value", COL("c", "name")), "u") "," ITEM(COUNT_ALL, "n"), CUSTOMER),
    /* A measure of the many side; one of the one side, once for each of its rows. */
    SELECT(ITEM(SUM_TOTAL, "t"), CUSTOMER_ORDERS GROUP(COL("c", "id"))),
    SELECT(ITEM(CALL("max", COL("c", "score")), "t"), CUSTOMER_ORDERS),
    SELECT(ITEM(COUNT_ALL, "n"), CUSTOMER_ORDERS),
    SELECT(ITEM(CALL("sum", BIN("*", COL("i", "price"), COL("i", "quantity"))), "t"), ORDERS_ITEMS),
    /* Self reference, and a cross join with one row. */
    SELECT(ITEM(COL("p", "name"), "n") "," ITEM(COL("q", "name"), "m"),
           FROM(JOINED(TABLE("product", "p"),
                       JOIN("left", TABLE("product", "q"), EQ(COL("p", "parent_id"), COL("q", "id")))))),
    SELECT(ITEM(BIN("/", COL("o", "total"), COL("x", "n")), "share"),
           FROM(JOINED(TABLE("orders", "o"), CROSS(DERIVED(SELECT(ITEM(COUNT_ALL, "n"), CUSTOMER), "x"))))),
    SELECT(ITEM(COL("c", "name"), "n"), FROM(JOINED(TABLE("customer", "c"), CROSS(TABLE("orders", "o"))))
                                            WHERE(EQ(COL("o", "customer_id"), COL("c", "id")))),
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
            /* What was checked reads back and passes again, as it is and in canonical form. */
            const char *hash = plan_hash(&c, q);
            struct query *canonical = plan_canonical(&c, q);
            if (plan_check(&c, &shop_view, d ? &strict : &sqlite, ORIGIN_PLANNER, canonical, &r))
                fail_msg("canonical: %s at %s: %s", c.err.message, c.err.field, good[i]);
            assert_string_equal(plan_hash(&c, canonical), hash);
            call_end(&c);
        }
    }
}

enum { S = 1, T = 2, P = 4 }; /* dialects: sqlite, strict, poor */

static const struct {
    const char *name;
    unsigned dialects;
    enum origin origin;
    enum err_code code;
    const char *pointer;
    const char *text;
} bad[] = {
    /* names */
    { "table", S | T, ORIGIN_TEXT, ERR_TABLE_NOT_FOUND, "/body/from/table",
      SELECT(ITEM(INT(1), "x"), FROM(TABLE("order", "o"))) },
    { "cte", S | T, ORIGIN_TEXT, ERR_TABLE_NOT_FOUND, "/body/from/cte",
      SELECT(ITEM(INT(1), "x"), FROM(CTE("w", "o"))) },
    { "cte of a later one", S, ORIGIN_TEXT, ERR_TABLE_NOT_FOUND, "/with/0/query/body/from/cte",
      "{'with':[{'name':'a','query':" SELECT(ITEM(COL("x", "n"), "n"),
                                             FROM(CTE("b", "x"))) "},{'name':'b','query':" ONE
                                                                  "}]," BODY(ITEM(INT(1), "x"), "") "}" },
    { "column", S | T, ORIGIN_TEXT, ERR_COLUMN_NOT_FOUND, "/body/items/0/expr/column",
      SELECT(ITEM(COL("o", "totl"), "x"), ORDERS) },
    { "alias", S | T, ORIGIN_TEXT, ERR_COLUMN_NOT_FOUND, "/body/items/0/expr/table",
      SELECT(ITEM(COL("orders", "total"), "x"), ORDERS) },
    { "not lateral", S | T, ORIGIN_TEXT, ERR_COLUMN_NOT_FOUND,
      "/body/from/joined/joins/0/source/query/body/items/0/expr/table",
      SELECT(ITEM(INT(1), "x"),
             FROM(JOINED(TABLE("orders", "o"), CROSS(DERIVED(SELECT(ITEM(COL("o", "id"), "i"), ""), "d"))))) },
    { "joined later", S | T, ORIGIN_TEXT, ERR_COLUMN_NOT_FOUND, "/body/from/joined/joins/0/on/right/table",
      SELECT(ITEM(INT(1), "x"),
             FROM(JOINED(TABLE("orders", "o"),
                         JOIN("inner", TABLE("item", "i"), EQ(COL("i", "order_id"), COL("c", "id"))) "," JOIN(
                             "inner", TABLE("customer", "c"), EQ(COL("c", "id"), COL("o", "customer_id")))))) },
    { "same alias", S | T, ORIGIN_TEXT, ERR_AMBIGUOUS_NAME, "/body/from/joined/joins/0/source/alias",
      SELECT(ITEM(INT(1), "x"), FROM(JOINED(TABLE("orders", "o"), CROSS(TABLE("item", "O"))))) },
    { "same item alias", S | T, ORIGIN_PLANNER, ERR_AMBIGUOUS_NAME, "/body/items/1/alias",
      SELECT(ITEM(INT(1), "x") "," ITEM(INT(2), "X"), "") },
    { "same column", S | T, ORIGIN_TEXT, ERR_AMBIGUOUS_NAME, "/body/items/0/expr/column",
      SELECT(ITEM(COL("d", "x"), "x"), FROM(DERIVED(SELECT(ITEM(INT(1), "x") "," ITEM(INT(2), "x"), ""), "d"))) },
    { "same cte", S, ORIGIN_TEXT, ERR_AMBIGUOUS_NAME, "/with/1/name",
      "{'with':[{'name':'a','query':" ONE "},{'name':'A','query':" ONE "}]," BODY(ITEM(INT(1), "x"), "") "}" },
    { "output", S | T, ORIGIN_TEXT, ERR_COLUMN_NOT_FOUND, "/order_by/0/expr/name",
      SELECT2(ITEM(INT(1), "x"), "", ORDER_BY(OUTPUT("y"))) },
    { "two outputs", S | T, ORIGIN_TEXT, ERR_AMBIGUOUS_NAME, "/order_by/0/expr/name",
      SELECT2(ITEM(INT(1), "x") "," ITEM(INT(2), "x"), "", ORDER_BY(OUTPUT("x"))) },
    { "output in where", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/where/left",
      SELECT(ITEM(COL("o", "id"), "x"), ORDERS WHERE(EQ(OUTPUT("x"), INT(1)))) },
    { "output inside", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/order_by/0/expr/left",
      SELECT2(ITEM(COL("o", "id"), "x"), ORDERS, ORDER_BY(BIN("+", OUTPUT("x"), INT(1)))) },
    { "column over a set", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/order_by/0/expr",
      SET2("union", ONE, ONE, ORDER_BY(COL("o", "id"))) },
    { "constant order", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/order_by/0/expr",
      SELECT2(ITEM(INT(1), "x"), "", ORDER_BY(INT(1))) },
    { "constant group", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/group_by/0",
      SELECT(ITEM(COUNT_ALL, "x"), ORDERS GROUP(INT(1))) },
    { "distinct order", T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/order_by/0/expr",
      SELECT2(ITEM(COL("o", "id"), "x"), ORDERS ",'distinct':true", ORDER_BY(COL("o", "total"))) },
    { "no items", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items", SELECT("", ORDERS) },
    { "column in limit", S | T, ORIGIN_TEXT, ERR_COLUMN_NOT_FOUND, "/limit",
      SELECT2(ITEM(INT(1), "x"), ORDERS, "'limit':" COL("o", "id")) },
    { "text limit", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/limit",
      SELECT2(ITEM(INT(1), "x"), ORDERS, "'limit':" TEXT("a")) },
    { "column in values", S | T, ORIGIN_TEXT, ERR_COLUMN_NOT_FOUND, "/body/rows/0/0", VALUES("[" COL("o", "id") "]") },
    /* joins */
    { "cross with a condition", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/from/joined/joins/0/on",
      SELECT(ITEM(INT(1), "x"),
             FROM(JOINED(TABLE("orders", "o"), JOIN("cross", TABLE("item", "i"), EQ(INT(1), INT(1)))))) },
    { "inner without one", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/from/joined/joins/0",
      SELECT(ITEM(INT(1), "x"),
             FROM(JOINED(TABLE("orders", "o"), "{'type':'inner','source':" TABLE("item", "i") "}"))) },
    { "disconnected", S | T, ORIGIN_PLANNER, ERR_DISCONNECTED_JOIN, "/body/from",
      SELECT(ITEM(INT(1), "x"), FROM(JOINED(TABLE("orders", "o"), CROSS(TABLE("item", "i"))))) },
    { "connected by nothing that names both", S | T, ORIGIN_MODEL, ERR_DISCONNECTED_JOIN, "/body/from",
      SELECT(ITEM(INT(1), "x"),
             FROM(JOINED(TABLE("orders", "o"), JOIN("inner", TABLE("item", "i"), EQ(COL("i", "order_id"), INT(1)))))) },
    { "unknown relationship", S | T, ORIGIN_PLANNER, ERR_UNKNOWN_RELATIONSHIP, "/body/from",
      SELECT(ITEM(INT(1), "x"), FROM(JOINED(TABLE("orders", "o"), JOIN("inner", TABLE("item", "i"),
                                                                       EQ(COL("i", "product_id"), COL("o", "id")))))) },
    { "fan-out", S | T, ORIGIN_PLANNER, ERR_FAN_OUT, "/body/items/0/expr", SELECT(ITEM(SUM_TOTAL, "x"), ORDERS_ITEMS) },
    { "fan-out in having", S | T, ORIGIN_MODEL, ERR_FAN_OUT, "/body/having",
      SELECT(ITEM(COL("o", "status"), "x"),
             ORDERS_ITEMS GROUP(COL("o", "status")) HAVING(BIN(">", SUM_TOTAL, INT(3)))) },
    { "fan-out in order", S | T, ORIGIN_MODEL, ERR_FAN_OUT, "/order_by/0/expr",
      SELECT2(ITEM(COL("o", "status"), "x"), ORDERS_ITEMS GROUP(COL("o", "status")), ORDER_BY(SUM_TOTAL)) },
    /* aggregates and windows */
    { "aggregate in where", S | T, ORIGIN_TEXT, ERR_AGGREGATE_NOT_ALLOWED, "/body/where/left",
      SELECT(ITEM(INT(1), "x"), ORDERS WHERE(BIN(">", SUM_TOTAL, INT(1)))) },
    { "aggregate in on", S | T, ORIGIN_TEXT, ERR_AGGREGATE_NOT_ALLOWED, "/body/from/joined/joins/0/on/left",
      SELECT(ITEM(INT(1), "x"),
             FROM(JOINED(TABLE("orders", "o"), JOIN("inner", TABLE("item", "i"), EQ(SUM_TOTAL, INT(1)))))) },
    { "aggregate in group", S | T, ORIGIN_TEXT, ERR_AGGREGATE_NOT_ALLOWED, "/body/group_by/0",
      SELECT(ITEM(INT(1), "x"), ORDERS GROUP(SUM_TOTAL)) },
    { "aggregate in aggregate", S | T, ORIGIN_TEXT, ERR_AGGREGATE_NOT_ALLOWED, "/body/items/0/expr/args/0",
      SELECT(ITEM(CALL("max", SUM_TOTAL), "x"), ORDERS) },
    { "aggregate of outer columns", S | T, ORIGIN_TEXT, ERR_AGGREGATE_NOT_ALLOWED, "/body/where/query/body/having/left",
      SELECT(ITEM(INT(1), "x"),
             ORDERS WHERE(EXISTS(SELECT(ITEM(INT(1), "x"), CUSTOMER HAVING(BIN(">", SUM_TOTAL, INT(1))))))) },
    { "ungrouped", S | T, ORIGIN_PLANNER, ERR_MISSING_GROUP_BY, "/body/items/0/expr",
      SELECT(ITEM(COL("o", "status"), "s") "," ITEM(COUNT_ALL, "n"), ORDERS) },
    { "ungrouped text", T, ORIGIN_TEXT, ERR_MISSING_GROUP_BY, "/body/items/0/expr",
      SELECT(ITEM(COL("o", "status"), "s") "," ITEM(COUNT_ALL, "n"), ORDERS) },
    { "ungrouped in having", S | T, ORIGIN_MODEL, ERR_MISSING_GROUP_BY, "/body/having",
      SELECT(ITEM(COUNT_ALL, "n"), ORDERS HAVING(EQ(COL("o", "status"), TEXT("x")))) },
    { "ungrouped in order", S | T, ORIGIN_MODEL, ERR_MISSING_GROUP_BY, "/order_by/0/expr",
      SELECT2(ITEM(COUNT_ALL, "n"), ORDERS, ORDER_BY(PLACED)) },
    { "ungrouped in a subquery", T, ORIGIN_TEXT, ERR_MISSING_GROUP_BY, "/body/items/1/expr",
      SELECT(ITEM(COUNT_ALL, "n") "," ITEM(
                 SCALAR(SELECT(ITEM(COL("c", "name"), "n"), CUSTOMER WHERE(EQ(COL("c", "id"), COL("o", "id"))))), "m"),
             ORDERS) },
    { "half a key", S | T, ORIGIN_PLANNER, ERR_MISSING_GROUP_BY, "/body/items/0/expr",
      SELECT(ITEM(COL("i", "price"), "p"), FROM(TABLE("item", "i")) GROUP(COL("i", "order_id"))) },
    { "key of the optional side", S | T, ORIGIN_PLANNER, ERR_MISSING_GROUP_BY, "/body/items/0/expr",
      SELECT(ITEM(COL("c", "name"), "p"),
             FROM(JOINED(
                 TABLE("orders", "o"),
                 JOIN("left", TABLE("customer", "c"),
                      "{'kind':'binary','op':'and','left':" EQ(COL("c", "id"), COL("o", "customer_id")) ",'right':" BIN(
                          ">", COL("o", "total"), INT(5)) "}"))) GROUP(COL("o", "customer_id"))) },
    { "any_value alone", S | T, ORIGIN_TEXT, ERR_MISSING_GROUP_BY, "/body",
      SELECT(ITEM(CALL("any_value", COL("o", "id")), "n"), ORDERS) },
    { "window in where", S | T, ORIGIN_TEXT, ERR_WINDOW_NOT_ALLOWED, "/body/where/left",
      SELECT(ITEM(INT(1), "x"), ORDERS WHERE(EQ(OVER("row_number", "", ORDER_BY(PLACED)), INT(1)))) },
    { "window in a window", S | T, ORIGIN_TEXT, ERR_WINDOW_NOT_ALLOWED, "/body/items/0/expr/args/0",
      SELECT(ITEM(OVER("sum", OVER("row_number", "", ORDER_BY(PLACED)), ""), "x"), ORDERS) },
    { "window in an aggregate", S | T, ORIGIN_TEXT, ERR_WINDOW_NOT_ALLOWED, "/body/items/0/expr/args/0",
      SELECT(ITEM(CALL("sum", OVER("row_number", "", ORDER_BY(PLACED))), "x"), ORDERS) },
    { "scalar over", S | T, ORIGIN_TEXT, ERR_WINDOW_NOT_ALLOWED, "/body/items/0/expr/over",
      SELECT(ITEM(OVER("abs", INT(1), ""), "x"), ORDERS) },
    { "any_value over", S | T, ORIGIN_TEXT, ERR_WINDOW_NOT_ALLOWED, "/body/items/0/expr/over",
      SELECT(ITEM(OVER("any_value", INT(1), ""), "x"), ORDERS) },
    { "window without over", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr",
      SELECT(ITEM(CALL("rank", ""), "x"), ORDERS) },
    { "distinct over", S | T, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/items/0/expr/distinct",
      SELECT(ITEM(CALLX("sum", INT(1), "'distinct':true,'over':{}"), "x"), ORDERS) },
    { "filter of a window function", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/filter",
      SELECT(ITEM(CALLX("rank", "", "'filter':" COL("c", "vip") ",'over':{}"), "x"), CUSTOMER) },
    { "frame backwards", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/over/frame",
      SELECT(ITEM(OVER("sum", INT(1),
                       "'frame':{'unit':'rows','start':{'kind':'current'},'end':{'kind':'unbounded_preceding'}}"),
                  "x"),
             ORDERS) },
    { "frame of a column", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/over/frame/start/offset",
      SELECT(ITEM(OVER("sum", INT(1),
                       "'frame':{'unit':'rows','start':{'kind':'preceding','offset':" COL(
                           "o", "id") "},'end':{'kind':'current'}}"),
                  "x"),
             ORDERS) },
    { "range without order", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/over/frame/start",
      SELECT(ITEM(OVER("sum", INT(1),
                       "'frame':{'unit':'range','start':{'kind':'preceding','offset':" INT(
                           1) "},'end':{'kind':'current'}}"),
                  "x"),
             ORDERS) },
    { "groups without order", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/over/frame",
      SELECT(ITEM(OVER("sum", INT(1), "'frame':{'unit':'groups','start':{'kind':'current'},'end':{'kind':'current'}}"),
                  "x"),
             ORDERS) },
    /* calls */
    { "function", S | T, ORIGIN_TEXT, ERR_UNSUPPORTED_FUNCTION, "/body/items/0/expr/function",
      SELECT(ITEM(CALL("load_extension", TEXT("x")), "x"), "") },
    { "too few", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body/items/0/expr/args",
      SELECT(ITEM(CALL("replace", TEXT("x")), "x"), "") },
    { "too many", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body/items/0/expr/args",
      SELECT(ITEM(CALL("now", TEXT("x")), "x"), "") },
    { "star outside count", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/args/0",
      SELECT(ITEM(CALL("sum", STAR), "x"), ORDERS) },
    { "bare star", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr",
      SELECT(ITEM(STAR, "x"), ORDERS) },
    { "distinct star", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/args/0",
      SELECT(ITEM(CALLX("count", STAR, "'distinct':true"), "x"), ORDERS) },
    { "distinct scalar", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr",
      SELECT(ITEM(CALLX("abs", INT(1), "'distinct':true"), "x"), "") },
    { "within of sum", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/within",
      SELECT(ITEM(CALLX("sum", COL("o", "id"), "'within':[{'expr':" COL("o", "id") "}]"), "x"), ORDERS) },
    { "percentile without within", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr",
      SELECT(ITEM(CALL("percentile", LIT("decimal", "0.5")), "x"), ORDERS) },
    { "percentile of 2", S | T, ORIGIN_TEXT, ERR_INVALID_NUMERIC_VALUE, "/body/items/0/expr/args/0",
      SELECT(ITEM(CALLX("percentile", INT(2), "'within':[{'expr':" COL("o", "id") "}]"), "x"), ORDERS) },
    { "unit", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/args/0",
      SELECT(ITEM(CALL("date_trunc", TEXT("fortnight") "," PLACED), "x"), ORDERS) },
    { "format", S | T, ORIGIN_TEXT, ERR_INVALID_DATE_FORMAT, "/body/items/0/expr/args/1",
      SELECT(ITEM(CALL("date_format", PLACED "," TEXT("%Y-%q")), "x"), ORDERS) },
    /* types */
    { "literal integer", S | T, ORIGIN_TEXT, ERR_INVALID_NUMERIC_VALUE, "/body/items/0/expr/value",
      SELECT(ITEM(LIT("integer", "1;"), "x"), "") },
    { "literal decimal", S | T, ORIGIN_TEXT, ERR_INVALID_NUMERIC_VALUE, "/body/items/0/expr/value",
      SELECT(ITEM(LIT("decimal", "1e5"), "x"), "") },
    { "literal double", S | T, ORIGIN_TEXT, ERR_INVALID_NUMERIC_VALUE, "/body/items/0/expr/value",
      SELECT(ITEM(LIT("double", "1e"), "x"), "") },
    { "literal date", S | T, ORIGIN_TEXT, ERR_INVALID_DATE_FORMAT, "/body/items/0/expr/value",
      SELECT(ITEM(LIT("date", "2023-02-29"), "x"), "") },
    { "literal time", S | T, ORIGIN_TEXT, ERR_INVALID_DATE_FORMAT, "/body/items/0/expr/value",
      SELECT(ITEM(LIT("time", "24:00"), "x"), "") },
    { "literal timestamp", S | T, ORIGIN_TEXT, ERR_INVALID_DATE_FORMAT, "/body/items/0/expr/value",
      SELECT(ITEM(LIT("timestamp", "2023-02-28 1:00"), "x"), "") },
    { "literal binary", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr/value",
      SELECT(ITEM(LIT("binary", "0g"), "x"), "") },
    { "text with number", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/where",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE(EQ(COL("p", "year"), INT(2000)))) },
    { "number with a word", S | T, ORIGIN_MODEL, ERR_INVALID_NUMERIC_VALUE, "/body/where",
      SELECT(ITEM(INT(1), "x"), ORDERS WHERE(EQ(COL("o", "id"), TEXT("ten")))) },
    { "date with a word", S | T, ORIGIN_MODEL, ERR_INVALID_DATE_FORMAT, "/body/where",
      SELECT(ITEM(INT(1), "x"), ORDERS WHERE(BIN(">", PLACED, TEXT("2024")))) },
    { "date with number", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/where",
      SELECT(ITEM(INT(1), "x"), ORDERS WHERE(BIN(">", PLACED, INT(2024)))) },
    { "in list", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/where/list/1",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE(IN(COL("p", "year"), TEXT("a") "," INT(1)))) },
    { "empty list", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/where/list",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE(IN(COL("p", "year"), ""))) },
    { "in query type", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/where/query",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE(IN_QUERY(COL("p", "year"), ONE))) },
    { "in query width", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body/where/query",
      SELECT(ITEM(INT(1), "x"),
             PRODUCT WHERE(IN_QUERY(COL("p", "id"), SELECT(ITEM(INT(1), "x") "," ITEM(INT(2), "y"), "")))) },
    { "scalar width", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body/items/0/expr/query",
      SELECT(ITEM(SCALAR(SELECT(ITEM(INT(1), "x") "," ITEM(INT(2), "y"), "")), "x"), "") },
    { "between", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/where/high",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE(BETWEEN(COL("p", "id"), INT(1), COL("p", "name")))) },
    { "like of a number", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/where/arg",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE(LIKE(COL("p", "id"), TEXT("1%")))) },
    { "long escape", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/where/escape",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE("{'kind':'like','arg':" COL("p", "name") ",'pattern':" TEXT(
                                    "a") ",'escape':" TEXT("ab") "}")) },
    { "where of a number", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/where",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE(COL("p", "id"))) },
    { "where of a text", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/where",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE(COL("p", "name"))) },
    { "not of a text", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/where/arg",
      SELECT(ITEM(INT(1), "x"), PRODUCT WHERE("{'kind':'unary','op':'not','arg':" COL("p", "name") "}")) },
    { "minus a text", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr/arg",
      SELECT(ITEM("{'kind':'unary','op':'-','arg':" COL("p", "name") "}", "x"), PRODUCT) },
    { "sum of a text", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr/args/0",
      SELECT(ITEM(CALL("sum", COL("p", "name")), "x"), PRODUCT) },
    { "text plus", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr/left",
      SELECT(ITEM(BIN("+", COL("p", "name"), INT(1)), "x"), PRODUCT) },
    { "date minus date", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr",
      SELECT(ITEM(BIN("-", PLACED, PLACED), "x"), ORDERS) },
    { "numbers joined", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/items/0/expr",
      SELECT(ITEM(BIN("||", INT(1), INT(2)), "x"), "") },
    { "interval alone", S | T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/items/0/expr",
      SELECT(ITEM(INTERVAL(INT(1), "day"), "x"), "") },
    { "interval of a text", S | T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/items/0/expr/right/value",
      SELECT(ITEM(BIN("+", PLACED, INTERVAL(TEXT("1"), "day")), "x"), ORDERS) },
    { "interval and number", S | T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/items/0/expr",
      SELECT(ITEM(BIN("+", INT(1), INTERVAL(INT(1), "day")), "x"), "") },
    { "interval minus date", S | T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/items/0/expr",
      SELECT(ITEM(BIN("-", INTERVAL(INT(1), "day"), PLACED), "x"), ORDERS) },
    { "case", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/items/0/expr/else",
      SELECT(ITEM(CASE(COL("c", "vip"), INT(1), COL("c", "name")), "x"), CUSTOMER) },
    { "case of a text", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr/whens/0/when",
      SELECT(ITEM(CASE(COL("c", "name"), INT(1), INT(2)), "x"), CUSTOMER) },
    { "coalesce", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/items/0/expr/args/1",
      SELECT(ITEM(CALL("coalesce", COL("c", "id") "," COL("c", "name")), "x"), CUSTOMER) },
    { "cast", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/items/0/expr",
      SELECT(ITEM(CAST(COL("c", "id"), "date"), "x"), CUSTOMER) },
    { "is_distinct", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/where",
      SELECT(ITEM(INT(1), "x"),
             CUSTOMER WHERE("{'kind':'is_distinct','left':" COL("c", "id") ",'right':" COL("c", "name") "}")) },
    { "row alone", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/items/0/expr",
      SELECT(ITEM(ROW(INT(1) "," INT(2)), "x"), "") },
    { "row of one", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/where/left",
      SELECT(ITEM(INT(1), "x"), CUSTOMER WHERE(EQ(ROW(INT(1)), INT(2)))) },
    { "row widths", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body/where",
      SELECT(ITEM(INT(1), "x"), CUSTOMER WHERE(EQ(ROW(INT(1) "," INT(2)), ROW(INT(1) "," INT(2) "," INT(3))))) },
    { "row order", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/where/left",
      SELECT(ITEM(INT(1), "x"), CUSTOMER WHERE(BIN("<", ROW(INT(1) "," INT(2)), ROW(INT(1) "," INT(2))))) },
    { "filter of a text", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr/filter",
      SELECT(ITEM(CALLX("count", STAR, "'filter':" COL("c", "name")), "x"), CUSTOMER) },
    /* set operations, values, common table expressions */
    { "set width", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body",
      SET("union", ONE, SELECT(ITEM(INT(1), "x") "," ITEM(INT(2), "y"), "")) },
    { "set types", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body", SET("union", ONE, SELECT(ITEM(TEXT("a"), "x"), "")) },
    { "rows of values", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body/rows/1",
      VALUES("[" INT(1) "],[" INT(1) "," INT(2) "]") },
    { "types of values", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/rows/1/0", VALUES("[" INT(1) "],[" TEXT("x") "]") },
    { "no values", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/body/rows", VALUES("") },
    { "names of a query", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body/from/columns",
      SELECT(ITEM(INT(1), "x"), FROM("{'query':" ONE ",'alias':'d','columns':['a','b']}")) },
    { "names of a cte", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/with/0/columns",
      WITH("w", ",'columns':['a','b']", ONE, BODY(ITEM(INT(1), "x"), "")) },
    { "recursive without a start", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/with/0/query",
      WITH("w", ",'recursive':true", SELECT(ITEM(COL("x", "n"), "n"), FROM(CTE("w", "x"))),
           BODY(ITEM(INT(1), "x"), "")) },
    { "recursive start reads itself", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE, "/with/0/query",
      WITH("w", ",'recursive':true", SET("union", SELECT(ITEM(COL("x", "n"), "n"), FROM(CTE("w", "x"))), ONE),
           BODY(ITEM(INT(1), "x"), "")) },
    { "recursive aggregate", S | T, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/with/0/query/body/right",
      WITH("w", ",'recursive':true",
           SET("union", ONE, SELECT(ITEM(CALL("max", COL("x", "one")), "n"), FROM(CTE("w", "x")))),
           BODY(ITEM(INT(1), "x"), "")) },
    { "recursive twice", S | T, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/with/0/query/body/right",
      WITH("w", ",'recursive':true",
           SET("union", ONE,
               SELECT(ITEM(COL("x", "one"), "n"),
                      FROM(JOINED(CTE("w", "x"), JOIN("inner", CTE("w", "y"), EQ(COL("x", "one"), COL("y", "one"))))))),
           BODY(ITEM(INT(1), "x"), "")) },
    { "recursive in a subquery", S | T, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/with/0/query/body/right",
      WITH("w", ",'recursive':true",
           SET("union", ONE, SELECT(ITEM(SCALAR(SELECT(ITEM(COL("x", "one"), "n"), FROM(CTE("w", "x")))), "n"), "")),
           BODY(ITEM(INT(1), "x"), "")) },
    { "recursive width", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/with/0/query/body",
      WITH("w", ",'recursive':true",
           SET("union", ONE, SELECT(ITEM(COL("x", "one"), "n") "," ITEM(INT(1), "m"), FROM(CTE("w", "x")))),
           BODY(ITEM(INT(1), "x"), "")) },
    { "recursive types", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/with/0/query/body",
      WITH("w", ",'recursive':true", SET("union", ONE, SELECT(ITEM(TEXT("a"), "n"), FROM(CTE("w", "x")))),
           BODY(ITEM(INT(1), "x"), "")) },
    { "recursive with a limit", S | T, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/with/0/query",
      WITH("w", ",'recursive':true",
           SET2("union", ONE, SELECT(ITEM(COL("x", "one"), "n"), FROM(CTE("w", "x"))), "'limit':3"),
           BODY(ITEM(INT(1), "x"), "")) },
    /* what an engine lacks */
    { "full join", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/from/joined/joins/0/type",
      SELECT(ITEM(INT(1), "x"), FROM(JOINED(TABLE("orders", "o"), JOIN("full", TABLE("item", "i"),
                                                                       EQ(COL("i", "order_id"), COL("o", "id")))))) },
    { "intersect", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/op", SET("intersect", ONE, ONE) },
    { "except all", S | P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/op", SET("except_all", ONE, ONE) },
    { "recursion", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/with/0/query",
      WITH("w", ",'recursive':true",
           SET("union_all", SELECT(ITEM(INT(1), "n"), ""),
               SELECT(ITEM(BIN("*", COL("s", "n"), INT(2)), "n"),
                      FROM(CTE("w", "s")) WHERE(BIN("<", COL("s", "n"), INT(9))))),
           BODY(ITEM(INT(1), "x"), "")) },
    { "endless recursion", S | P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/with/0/query",
      WITH("w", ",'recursive':true",
           SET("union_all", SELECT(ITEM(INT(1), "n"), ""),
               SELECT(ITEM(BIN("+", COL("s", "n"), INT(1)), "n"), FROM(CTE("w", "s")))),
           BODY(ITEM(INT(1), "x"), "")) },
    { "rows", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/where/left",
      SELECT(ITEM(INT(1), "x"), CUSTOMER WHERE(EQ(ROW(INT(1) "," INT(2)), ROW(INT(1) "," INT(2))))) },
    { "computed limit", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/limit",
      SELECT2(ITEM(INT(1), "x"), "", "'limit':" BIN("+", INT(1), INT(1))) },
    { "values", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body", VALUES("[" INT(1) "]") },
    { "nested with", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/from/query/with",
      SELECT(ITEM(INT(1), "x"), FROM(DERIVED(WITH("w", "", ONE, BODY(ITEM(INT(1), "x"), "")), "d"))) },
    { "groups", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/items/0/expr/over/frame/unit",
      SELECT(
          ITEM(OVER("sum", COL("o", "id"),
                    ORDER_BY(PLACED) ",'frame':{'unit':'groups','start':{'kind':'current'},'end':{'kind':'current'}}"),
               "x"),
          ORDERS) },
    { "exclude", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/items/0/expr/over/frame/exclude",
      SELECT(ITEM(OVER("sum", COL("o", "id"),
                       ORDER_BY(PLACED) ",'frame':{'unit':'rows','start':{'kind':'current'},'end':{'kind':'current'},'"
                                        "exclude':'ties'}"),
                  "x"),
             ORDERS) },
    { "range offset", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/items/0/expr/over/frame/start",
      SELECT(ITEM(OVER("sum", COL("o", "id"),
                       ORDER_BY(COL("o", "id")) ",'frame':{'unit':'range','start':{'kind':'preceding','offset':" INT(
                           1) "},'end':{'kind':'current'}}"),
                  "x"),
             ORDERS) },
    { "hidden aggregate", S | P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body",
      SELECT(ITEM(INT(1), "x"), ORDERS HAVING(BIN(">", COUNT_ALL, INT(1)))) },
    { "median", P, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/items/0/expr",
      SELECT(ITEM(CALL("median", COL("o", "id")), "x"), ORDERS) },
    { "computed limit of a text", S | T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/limit",
      SELECT2(ITEM(INT(1), "x"), "", "'limit':" CALL("upper", TEXT("a"))) },
    { "table with a schema", S | T, ORIGIN_TEXT, ERR_TABLE_NOT_FOUND, "/body/from/table",
      SELECT(ITEM(INT(1), "x"), FROM("{'table':'orders','schema':'main','alias':'o'}")) },
    { "time with a word", S | T, ORIGIN_MODEL, ERR_INVALID_DATE_FORMAT, "/body/where",
      SELECT(ITEM(INT(1), "x"), ORDERS WHERE(EQ(CALL("time", PLACED), TEXT("noon")))) },
    { "boolean with a word", T, ORIGIN_TEXT, ERR_TYPE_MISMATCH, "/body/where",
      SELECT(ITEM(INT(1), "x"), CUSTOMER WHERE(EQ(COL("c", "vip"), TEXT("yes")))) },
    { "date argument", S | T, ORIGIN_MODEL, ERR_INVALID_DATE_FORMAT, "/body/items/0/expr/args/1",
      SELECT(ITEM(CALL("date_part", TEXT("year") "," TEXT("today")), "x"), "") },
    { "date argument of a number", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr/args/1",
      SELECT(ITEM(CALL("date_part", TEXT("year") "," INT(2024)), "x"), "") },
    { "whole number argument", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr/args/1",
      SELECT(ITEM(CALL("left", TEXT("a") "," TEXT("b")), "x"), "") },
    { "text argument", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr/args/0",
      SELECT(ITEM(CALL("upper", INT(1)), "x"), "") },
    { "condition argument", S | T, ORIGIN_MODEL, ERR_TYPE_MISMATCH, "/body/items/0/expr/args/0",
      SELECT(ITEM(CALL("bool_or", COL("c", "name")), "x"), CUSTOMER) },
    { "too few of many", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body/items/0/expr/args",
      SELECT(ITEM(CALL("coalesce", INT(1)), "x"), "") },
    { "too many of some", S | T, ORIGIN_TEXT, ERR_WRONG_ARITY, "/body/items/0/expr/args",
      SELECT(ITEM(CALL("round", INT(1) "," INT(1) "," INT(1)), "x"), "") },
    { "constant order in a window", S | T, ORIGIN_TEXT, ERR_INVALID_PLAN_STRUCTURE,
      "/body/items/0/expr/over/order_by/0/expr", SELECT(ITEM(OVER("rank", "", ORDER_BY(INT(1))), "x"), ORDERS) },
    { "order within, over", S | T, ORIGIN_TEXT, ERR_PLAN_NOT_SUPPORTED, "/body/items/0/expr/within",
      SELECT(ITEM(CALLX("string_agg", COL("o", "status"), "'within':[{'expr':" PLACED "}],'over':{}"), "x"), ORDERS) },
};

static void refused(void **state)
{
    (void)state;
    static const struct dialect_support *const dialects[] = { &sqlite, &strict, &poor };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (size_t d = 0; d < 3; d++) {
            struct call c;
            struct query *q;
            struct check_result r;
            if (!(bad[i].dialects >> d & 1)) continue;
            call_begin(&c);
            int rc = check(&c, bad[i].text, dialects[d], bad[i].origin, &q, &r);
            if (!rc) fail_msg("%s, %s: accepted", bad[i].name, dialects[d]->name);
            if (rc != (int)bad[i].code || strcmp(c.err.field, bad[i].pointer))
                fail_msg("%s, %s: %s at %s: %s", bad[i].name, dialects[d]->name, code_row(c.err.code)->name,
                         c.err.field, c.err.message);
            assert_true(c.err.finding_count > 0);
            call_end(&c);
        }
    }
}

/* What sqlite lets pass in a person's text, each with the warning it gets; NULL = none. */
static const struct {
    const char *code;
    const char *text;
} tolerated[] = {
    { "TYPE_MISMATCH", SELECT(ITEM(INT(1), "x"), PRODUCT WHERE(EQ(COL("p", "year"), INT(2000)))) },
    { "INVALID_NUMERIC_VALUE", SELECT(ITEM(INT(1), "x"), ORDERS WHERE(EQ(COL("o", "id"), TEXT("ten")))) },
    { "INVALID_DATE_FORMAT", SELECT(ITEM(INT(1), "x"), ORDERS WHERE(BIN(">", PLACED, TEXT("2024")))) },
    { "TYPE_MISMATCH", SELECT(ITEM(CALL("sum", COL("p", "year")), "x"), PRODUCT) },
    { NULL, SELECT(ITEM(INT(1), "x"), ORDERS WHERE(LIKE(PLACED, TEXT("2024%")))) },
    { NULL, SELECT(ITEM(CALL("substr", PLACED "," INT(1) "," INT(4)), "x"), ORDERS) },
    { NULL, SELECT(ITEM(INT(1), "x"), ORDERS WHERE(COL("o", "id"))) },
    { "UNGROUPED_COLUMN", SELECT(ITEM(COL("o", "status"), "s") "," ITEM(COUNT_ALL, "n"), ORDERS) },
    { "FAN_OUT", SELECT(ITEM(SUM_TOTAL, "x"), ORDERS_ITEMS) },
    { "FAN_OUT", SELECT(ITEM(CALL("count", COL("o", "id")), "x"), ORDERS_ITEMS) },
    { "DISCONNECTED_JOIN", SELECT(ITEM(INT(1), "x"), FROM(JOINED(TABLE("orders", "o"), CROSS(TABLE("item", "i"))))) },
    { "UNKNOWN_RELATIONSHIP",
      SELECT(ITEM(INT(1), "x"), FROM(JOINED(TABLE("orders", "o"), JOIN("inner", TABLE("item", "i"),
                                                                       EQ(COL("i", "product_id"), COL("o", "id")))))) },
    { NULL, SELECT2(ITEM(COL("o", "id"), "x"), ORDERS ",'distinct':true", ORDER_BY(COL("o", "total"))) },
    { NULL, SELECT(ITEM(INT(1), "x") "," ITEM(INT(2), "x"), "") },
};

static void tolerance(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tolerated / sizeof tolerated[0]; i++) {
        struct call c;
        struct query *q;
        struct check_result r;
        call_begin(&c);
        if (check(&c, tolerated[i].text, &sqlite, ORIGIN_TEXT, &q, &r))
            fail_msg("%s: %s", c.err.message, tolerated[i].text);
        const char *code = r.warnings.count ? LIST_AT(&r.warnings, struct plan_warning, 0).code : NULL;
        if (tolerated[i].code ? !code || strcmp(code, tolerated[i].code) : code != NULL)
            fail_msg("%s: %s", code ? code : "no warning", tolerated[i].text);
        call_end(&c);
    }
}

static struct expr *nested(struct call *c, int depth)
{
    struct expr *e = expr_integer(c, 1);
    while (--depth > 0) e = expr_minus(c, e);
    return e;
}

/* One plan for each way a builder can go wrong, and the ceilings. */
static int broken(struct call *c, size_t what, enum err_code *code, const char **pointer)
{
    struct query *q = query_select(c);
    struct expr *e = expr_integer(c, 1);
    struct source *source = query_from(c, q, NULL, "orders", "o");
    query_item(c, q, e, "x");
    *code = ERR_INVALID_PLAN_STRUCTURE;
    *pointer = "";
    switch (what) {
    case 0:
        q->body->select.items[0].expr = NULL;
        break;
    case 1:
        e->literal.text = NULL;
        break;
    case 2:
        source->alias = NULL;
        break;
    case 3:
        q->body->select.from->source = NULL;
        break;
    case 4:
        q->body->select.items[0].alias = NULL;
        break;
    case 5:
        q->body = NULL;
        break;
    case 6:
        query_with(c, q, "", query_select(c));
        break;
    case 7:
        query_with(c, q, "w", NULL);
        break;
    case 8:
        *code = ERR_PLAN_TOO_LARGE;
        q->body->select.items[0].expr = nested(c, PLAN_DEPTH_MAX);
        break;
    case 9:
        *code = ERR_PLAN_TOO_LARGE;
        for (int i = 0; i < PLAN_NODES_MAX; i++) query_item(c, q, expr_integer(c, i), "x");
        break;
    case 10:
        *code = ERR_PLAN_TOO_LARGE;
        for (int i = 0; i < PLAN_SOURCES_MAX; i++) query_from(c, q, NULL, "orders", call_format(c, "o%d", i));
        break;
    case 11:
        q->body->select.items[0].expr = expr_cast(c, e, TYPE_INTERVAL);
        *pointer = "/body/items/0/expr/to";
        break;
    case 12:
    case 13: {
        struct expr *sum = expr_call1(c, "sum", e);
        sum->call.over = call_alloc(c, sizeof *sum->call.over);
        sum->call.over->frame = call_alloc(c, sizeof *sum->call.over->frame);
        sum->call.over->frame->start.kind = what == 12 ? BOUND_PRECEDING : BOUND_CURRENT;
        sum->call.over->frame->start.offset = what == 12 ? NULL : expr_integer(c, 1);
        sum->call.over->frame->end.kind = BOUND_CURRENT;
        q->body->select.items[0].expr = sum;
        *pointer = "/body/items/0/expr/over/frame/start";
        break;
    }
    default:
        return -1;
    }
    return plan_check(c, &shop_view, &sqlite, ORIGIN_PLANNER, q, NULL);
}

static void incomplete(void **state)
{
    (void)state;
    for (size_t i = 0;; i++) {
        struct call c;
        enum err_code code;
        const char *pointer;
        call_begin(&c);
        int rc = broken(&c, i, &code, &pointer);
        if (rc >= 0 && (rc != (int)code || strcmp(c.err.field, pointer)))
            fail_msg("%zu: %s at %s", i, code_row((enum err_code)rc)->name, c.err.field ? c.err.field : "nowhere");
        call_end(&c);
        if (rc < 0) break;
    }
    /* The ceilings themselves are fine. */
    struct call c;
    call_begin(&c);
    struct query *q = query_select(&c);
    query_item(&c, q, nested(&c, PLAN_DEPTH_MAX - 1), "x");
    assert_int_equal(plan_check(&c, &shop_view, &sqlite, ORIGIN_TEXT, q, NULL), OK);
    call_end(&c);
}

/* A name in two schemas needs its schema; with and without the index of names. */
static void schemas(void **state)
{
    (void)state;
    static struct column columns[] = { { .name = "Id", .type = { TYPE_INTEGER, 0, 0 } } };
    static struct table tables[] = { { .schema = "a", .name = "T", .columns = columns, .column_count = 1 },
                                     { .schema = "b", .name = "T", .columns = columns, .column_count = 1 },
                                     { .schema = "b", .name = "U", .columns = columns, .column_count = 1 },
                                     { .schema = "b", .name = "u", .columns = columns, .column_count = 1 } };
    static const struct {
        const char *schema, *name;
        enum err_code code;
        size_t found;
    } cases[] = {
        { NULL, "t", ERR_AMBIGUOUS_NAME, 0 },
        { "a", "t", OK, 0 },
        { "B", "T", OK, 1 },
        { NULL, "U", OK, 2 },
        { NULL, "u", OK, 3 },
        { "c", "T", ERR_TABLE_NOT_FOUND, 0 },
    };
    for (int indexed = 0; indexed < 2; indexed++) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            struct call c;
            call_begin(&c);
            struct view v = { .tables = tables, .table_count = 4 };
            if (indexed) table_names_build(&v.names, call_alloc(&c, table_names_bytes(4)), tables, 4);
            struct query *q = query_select(&c);
            struct source *s = query_from(&c, q, cases[i].schema, cases[i].name, "x");
            query_item(&c, q, expr_column(&c, "x", "ID"), "id");
            assert_int_equal(plan_check(&c, &v, &sqlite, ORIGIN_TEXT, q, NULL), cases[i].code);
            if (cases[i].code == OK) {
                assert_ptr_equal(s->table, &tables[cases[i].found]);
                assert_string_equal(plan_canonical(&c, q)->body->select.items[0].expr->column.column, "Id");
            }
            call_end(&c);
        }
    }
}

/* Where types are coerced, a declared key may relate an integer and a text; other columns may not for a model. */
static void keys_of_other_types(void **state)
{
    (void)state;
    static const char *const own[] = { "pid" }, *const theirs[] = { "id" };
    static struct column parents[] = { { .name = "id", .type = { TYPE_INTEGER, 0, 0 }, .primary_key = 1 },
                                       { .name = "code", .type = { TYPE_INTEGER, 0, 0 } } };
    static struct column children[] = { { .name = "pid", .type = { TYPE_TEXT, 0, 0 } } };
    static struct foreign_key key[] = { { .columns = own, .column_count = 1, .table = "parent", .referred = theirs } };
    static struct table tables[] = {
        { .name = "child", .columns = children, .column_count = 1, .foreign_keys = key, .foreign_key_count = 1 },
        { .name = "parent", .columns = parents, .column_count = 2 }
    };
    static const struct view v = { .tables = tables, .table_count = 2 };
    static const struct {
        const struct dialect_support *dialect;
        const char *column;
        enum err_code code;
    } cases[] = { { &sqlite, "id", OK }, { &sqlite, "code", ERR_TYPE_MISMATCH }, { &strict, "id", ERR_TYPE_MISMATCH } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        call_begin(&c);
        struct query *q = query_select(&c);
        query_item(&c, q, expr_count_star(&c), "n");
        query_from(&c, q, NULL, "child", "c");
        query_join(&c, q, JOIN_INNER, NULL, "parent", "p",
                   expr_binary(&c, OP_EQ, expr_column(&c, "c", "pid"), expr_column(&c, "p", cases[i].column)));
        assert_int_equal(plan_check(&c, &v, cases[i].dialect, ORIGIN_MODEL, q, NULL), cases[i].code);
        call_end(&c);
    }
}

/* The repaired plan of a refused one passes, and says what it should. */
static void repairs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part; /* of the suggestion's JSON, NULL = there is none */
    } cases[] = {
        { SELECT(ITEM(INT(1), "x"), FROM(JOINED(TABLE("orders", "o"), CROSS(TABLE("item", "i"))))),
          "{'type':'inner','source':{'table':'item','alias':'i'},'on':{'kind':'binary','op':'=','left':{'kind':'column'"
          ",'table':'i','column':'order_id'}" },
        { SELECT(ITEM(INT(1), "x"), FROM(JOINED(TABLE("orders", "o"), CROSS(TABLE("note", "n"))))), NULL },
        { SELECT(ITEM(INT(1), "x"),
                 FROM(JOINED(TABLE("orders", "o"),
                             JOIN("inner", TABLE("item", "i"), EQ(COL("i", "product_id"), COL("o", "id")))))),
          "'on':{'kind':'binary','op':'=','left':{'kind':'column','table':'i','column':'order_id'},'right':{'kind':'"
          "column','table':'o','column':'id'}}" },
        { SELECT2(ITEM(COL("o", "status"), "s") "," ITEM(SUM_TOTAL, "x"), ORDERS_ITEMS GROUP(COL("o", "status")),
                  ORDER_BY(SUM_TOTAL)),
          "'from':{'query':{'body':{'kind':'select','distinct':true,'items':[{'expr':{'kind':'column','table':'o','"
          "column':'status'},'alias':'g0'},"
          "{'expr':{'kind':'column','table':'o','column':'id'},'alias':'k0'},{'expr':{'kind':'column','table':'o','"
          "column':'total'},'alias':'m0'}" },
        { SELECT(ITEM(SUM_TOTAL, "x") "," ITEM(CALL("sum", COL("i", "quantity")), "y"), ORDERS_ITEMS), NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        struct query *q;
        struct check_result r;
        struct buf b;
        call_begin(&c);
        assert_int_not_equal(check(&c, cases[i].text, &strict, ORIGIN_MODEL, &q, &r), OK);
        if (!cases[i].part) {
            assert_null(r.suggested);
        } else {
            if (!r.suggested) fail_msg("no suggestion: %s", cases[i].text);
            buf_init(&b, &c, 100000);
            plan_encode(&b, r.suggested);
            for (char *s = b.data; *s; s++)
                if (*s == '"') *s = '\'';
            if (!strstr(b.data, cases[i].part)) fail_msg("%s", b.data);
            call_forgive(&c);
            assert_int_equal(plan_check(&c, &shop_view, &strict, ORIGIN_MODEL, r.suggested, NULL), OK);
        }
        call_end(&c);
    }
}

/* What check changes in a plan, and what it tells of its result. */
static void amended(void **state)
{
    (void)state;
    struct call c;
    struct query *q;
    struct check_result r;
    call_begin(&c);
    const char *text = SELECT(ITEM(COL("o", "status"), "s") "," ITEM(CALL("max", COL("o", "total")), "t"), ORDERS);
    assert_int_equal(check(&c, text, &sqlite, ORIGIN_TEXT, &q, &r), OK);
    assert_string_equal(q->body->select.items[0].expr->call.name, "any_value");
    assert_true(q->body->select.aggregated);
    assert_int_equal(q->offers[1].type.kind, TYPE_DECIMAL);
    assert_int_equal(q->offers[1].type.scale, 2);
    assert_true(q->offers[1].nullable);
    assert_false(q->body->select.from->source->used[0]);
    assert_true(q->body->select.from->source->used[4]);
    text = SELECT(ITEM(COL("c", "name"), "s") "," ITEM(COUNT_ALL, "t"), CUSTOMER GROUP(COL("c", "id")));
    assert_int_equal(check(&c, text, &strict, ORIGIN_PLANNER, &q, &r), OK);
    assert_int_equal(q->body->select.group_by.count, 2);
    assert_int_equal(check(&c, text, &sqlite, ORIGIN_PLANNER, &q, &r), OK);
    assert_int_equal(q->body->select.group_by.count, 1);
    text = SELECT(ITEM(CALL("YEAR", PLACED), "y"), ORDERS);
    assert_int_equal(check(&c, text, &strict, ORIGIN_PLANNER, &q, &r), OK);
    assert_string_equal(q->body->select.items[0].expr->call.name, "date_part");
    assert_string_equal(q->body->select.items[0].expr->call.args.items[0]->literal.text, "year");
    text = WITH("orders", "", SELECT(ITEM(COL("o", "id"), "id"), ORDERS),
                BODY(ITEM(COL("x", "id"), "id"), FROM(CTE("orders", "x"))));
    assert_int_equal(check(&c, text, &strict, ORIGIN_PLANNER, &q, &r), OK);
    assert_string_equal(q->ctes[0].name, "orders_cte");
    assert_string_equal(q->body->select.from->source->name, "orders_cte");
    call_end(&c);
}

static const char *lineage_of(struct call *c, const struct query *q)
{
    struct buf b;
    struct list columns = { 0 }, filters = { 0 };
    buf_init(&b, c, 10000);
    plan_lineage(c, q, &columns);
    plan_filters(c, q, &filters);
    for (size_t i = 0; i < columns.count + filters.count; i++) {
        const struct list *l = i < columns.count ? &LIST_AT(&columns, struct list, i)
                                                 : &LIST_AT(&filters, struct plan_filter, i - columns.count).sources;
        buf_str(&b, i == columns.count ? " | " : i ? "; " : "");
        for (size_t n = 0; n < l->count; n++)
            buf_format(&b, "%s%s.%s", n ? " " : "", LIST_AT(l, struct source_column, n).table,
                       LIST_AT(l, struct source_column, n).column);
    }
    return b.data;
}

static void lineage(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected; /* column; column | filter; filter */
    } cases[] = {
        { ONE, "" },
        { SELECT(ITEM(CALL("sum", BIN("*", COL("i", "price"), COL("i", "quantity"))), "x") "," ITEM(COUNT_ALL, "n"),
                 ORDERS_ITEMS WHERE(
                     BIN("and", BIN(">", COL("o", "total"), INT(1)), EQ(COL("o", "status"), COL("o", "status"))))),
          "item.price item.quantity;  | orders.total; orders.status; item.order_id orders.id" },
        { WITH("w", "", SELECT(ITEM(CALL("upper", COL("c", "name")), "n"), CUSTOMER),
               BODY(ITEM(COL("x", "n"), "n"), FROM(CTE("w", "x")) WHERE(EQ(COL("x", "n"), TEXT("A"))))),
          "customer.name | customer.name" },
        { SET("union", SELECT(ITEM(COL("c", "name"), "n"), CUSTOMER), SELECT(ITEM(COL("p", "name"), "m"), PRODUCT)),
          "customer.name product.name" },
        { SELECT(ITEM(SCALAR(SELECT(ITEM(CALL("max", COL("o", "total")), "m"), ORDERS)), "x"), CUSTOMER),
          "orders.total" },
        { WITH("w", ",'recursive':true",
               SET("union", SELECT(ITEM(COL("p", "id"), "n"), PRODUCT),
                   SELECT(ITEM(COL("q", "parent_id"), "n"),
                          FROM(JOINED(TABLE("product", "q"),
                                      JOIN("inner", CTE("w", "s"), EQ(COL("q", "id"), COL("s", "n"))))))),
               BODY(ITEM(COL("x", "n"), "n"), FROM(CTE("w", "x")))),
          "product.id product.parent_id | product.id product.parent_id" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        struct query *q;
        struct check_result r;
        call_begin(&c);
        if (check(&c, cases[i].text, &strict, ORIGIN_TEXT, &q, &r)) fail_msg("%s: %s", c.err.message, cases[i].text);
        assert_string_equal(lineage_of(&c, q), cases[i].expected);
        call_end(&c);
    }
}

/* A message says what was found and what there is, the nearest first. */
static void messages(void **state)
{
    (void)state;
    struct call c;
    struct query *q;
    struct check_result r;
    call_begin(&c);
    const char *text =
        SELECT(ITEM(COL("o", "totl"), "x") "," ITEM(CALL("cuont", STAR), "y"), FROM(TABLE("orders", "o")));
    assert_int_equal(check(&c, text, &sqlite, ORIGIN_MODEL, &q, &r), ERR_COLUMN_NOT_FOUND);
    assert_string_equal(c.err.message, "'o' has no column 'totl'. It has: total, id, status, placed, customer_id.");
    assert_int_equal(c.err.finding_count, 2);
    assert_string_equal(c.err.findings[1].code, "UNSUPPORTED_FUNCTION");
    assert_non_null(strstr(c.err.findings[1].detail, "count"));
    call_forgive(&c);
    text = SELECT(ITEM(INT(1), "x"), FROM(TABLE("order", "o")));
    assert_int_equal(check(&c, text, &sqlite, ORIGIN_MODEL, &q, &r), ERR_TABLE_NOT_FOUND);
    assert_string_equal(
        c.err.message,
        "Table 'order' is not available. Available tables: city, customer, item, note, orders, product.");
    assert_string_equal(c.err.hint, "Did you mean the table 'orders'?");
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(accepted),  cmocka_unit_test(refused),
                                        cmocka_unit_test(tolerance), cmocka_unit_test(incomplete),
                                        cmocka_unit_test(schemas),   cmocka_unit_test(keys_of_other_types),
                                        cmocka_unit_test(repairs),   cmocka_unit_test(amended),
                                        cmocka_unit_test(lineage),   cmocka_unit_test(messages) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
