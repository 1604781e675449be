/* policy: which tables and columns a set of roles opens, and what is left of the ones it narrows. */
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static struct column customer[] = {
    { .name = "id", .type = { TYPE_INTEGER, 0, 0 }, .primary_key = 1 },
    { .name = "Name", .type = { TYPE_TEXT, 0, 0 }, .distinct_count = 3, .min = "Ann" },
    { .name = "ssn", .type = { TYPE_TEXT, 0, 0 }, .unique = true },
    { .name = "tenant_id", .type = { TYPE_INTEGER, 0, 0 } },
};
static struct column orders[] = {
    { .name = "id", .type = { TYPE_INTEGER, 0, 0 }, .primary_key = 1 },
    { .name = "customer_id", .type = { TYPE_INTEGER, 0, 0 } },
    { .name = "ssn_ref", .type = { TYPE_TEXT, 0, 0 } },
};
static struct column line[] = {
    { .name = "order_id", .type = { TYPE_INTEGER, 0, 0 }, .primary_key = 1 },
    { .name = "no", .type = { TYPE_INTEGER, 0, 0 }, .primary_key = 2 },
};
static struct column payroll[] = { { .name = "pay", .type = { TYPE_DECIMAL, 10, 2 } } };
static struct column customer_view[] = { { .name = "id" }, { .name = "ssn" } };
static const char *const to_customer[] = { "customer_id" }, *const id[] = { "id" }, *const ssn[] = { "ssn" },
                         *const ssn_ref[] = { "ssn_ref" };
static struct foreign_key order_keys[] = {
    { .columns = to_customer, .column_count = 1, .table = "Customer", .referred = id },
    { .columns = ssn_ref, .column_count = 1, .table = "Customer", .referred = ssn },
};
static const char *const view_columns[] = { "id", "ssn" };
static struct table_read view_reads[] = { { .table = "Customer", .columns = view_columns, .column_count = 2 } };
static struct table tables[] = {
    { .name = "Customer", .columns = customer, .column_count = 4, .row_count = 9 },
    { .name = "customer_view",
      .kind = TABLE_VIEW,
      .columns = customer_view,
      .column_count = 2,
      .reads = view_reads,
      .read_count = 1 },
    { .name = "line", .columns = line, .column_count = 2 },
    { .name = "orders", .columns = orders, .column_count = 3, .foreign_keys = order_keys, .foreign_key_count = 2 },
    { .name = "payroll", .columns = payroll, .column_count = 1 },
};
static const struct snapshot shop = {
    .datasource = "shop", .dialect = "sqlite", .fingerprint = "f", .tables = tables, .table_count = 5
};

/* tables and columns that remain, "Customer(id,Name)"; ~ = hides columns, ! = filtered, * = masked, k = key column,
 * >table = foreign key. */
static const char *describe(struct call *c, const struct view *v)
{
    struct buf b;
    buf_init(&b, c, 4000);
    for (size_t i = 0; i < v->table_count; i++) {
        const struct table *t = &v->tables[i];
        buf_format(&b, "%s%s%s%s(", i ? " " : "", t->name, v->access[i].hides_columns ? "~" : "",
                   v->access[i].filter ? "!" : "");
        for (size_t k = 0; k < t->column_count; k++) {
            bool masked = false;
            for (size_t m = 0; m < v->access[i].mask_count; m++)
                masked = masked || strcmp(v->access[i].masks[m].column, t->columns[k].name) == 0;
            buf_format(&b, "%s%s%s%s", k ? "," : "", t->columns[k].name, t->columns[k].primary_key ? "k" : "",
                       masked ? "*" : "");
        }
        buf_str(&b, ")");
        for (size_t k = 0; k < t->foreign_key_count; k++) buf_format(&b, ">%s", t->foreign_keys[k].table);
    }
    return b.data;
}

#define ALL                                                                                                            \
    "Customer(idk,Name,ssn,tenant_id) customer_view(id,ssn) line(order_idk,nok) "                                      \
    "orders(idk,customer_id,ssn_ref)>Customer>Customer payroll(pay)"

static const struct {
    const char *roles; /* JSON of the roles */
    const char *held;  /* comma separated */
    const char *view;
} cases[] = {
    { "{\"a\":{\"allow\":[\"shop.*\"]}}", "a", ALL },
    { "{\"a\":{\"allow\":[\"*.*\"]}}", "a", ALL },
    { "{\"a\":{\"allow\":[\"SHOP.main.*\"]}}", "a", ALL },
    { "{\"a\":{\"allow\":[\"other.*\"]}}", "a", "" },
    { "{\"a\":{\"allow\":[\"shop.*\"]}}", "", "" },
    { "{\"a\":{\"allow\":[\"shop.*\"]}}", "b", "" },
    { "{\"a\":{\"allow\":[\"shop.*\"]}}", "A", "" },
    { "{\"a\":{}}", "a", "" },
    { "{\"a\":{\"allow\":[\"shop.customer\"]}}", "a", "Customer(idk,Name,ssn,tenant_id)" },
    { "{\"a\":{\"allow\":[\"shop.custom*\"]}}", "a", "Customer(idk,Name,ssn,tenant_id) customer_view(id,ssn)" },
    /* A key to a table that is out of sight does not show it. */
    { "{\"a\":{\"allow\":[\"shop.orders\"]}}", "a", "orders(idk,customer_id,ssn_ref)" },
    { "{\"a\":{\"allow\":[\"shop.*\"],\"deny\":[\"shop.PAYROLL\",\"shop.line\"]}}", "a",
      "Customer(idk,Name,ssn,tenant_id) customer_view(id,ssn) orders(idk,customer_id,ssn_ref)>Customer>Customer" },
    /* Allows add up; a deny of any held role stands. */
    { "{\"a\":{\"allow\":[\"shop.line\"]},\"b\":{\"allow\":[\"shop.payroll\"]}}", "a,b",
      "line(order_idk,nok) payroll(pay)" },
    { "{\"a\":{\"allow\":[\"shop.line\",\"shop.payroll\"]},\"b\":{\"deny\":[\"shop.payroll\"]}}", "a,b",
      "line(order_idk,nok)" },
    { "{\"a\":{\"allow\":[\"shop.line\",\"shop.payroll\"]},\"b\":{\"deny\":[\"shop.payroll\"]}}", "a",
      "line(order_idk,nok) payroll(pay)" },
    /* A view over what is denied is denied, whole tables and columns. */
    { "{\"a\":{\"allow\":[\"shop.*\"],\"deny\":[\"shop.customer\"]}}", "a",
      "line(order_idk,nok) orders(idk,customer_id,ssn_ref) payroll(pay)" },
    { "{\"a\":{\"allow\":[\"shop.customer_view\"]}}", "a", "" },
    { "{\"a\":{\"allow\":[\"shop.cust*\",\"shop.orders\"],\"columns_deny\":[\"shop.customer.SSN\"]}}", "a",
      "Customer~(idk,Name,tenant_id) orders(idk,customer_id,ssn_ref)>Customer" },
    { "{\"a\":{\"allow\":[\"shop.cust*\",\"shop.orders\"],\"columns_deny\":[\"shop.orders.ssn_ref\"]}}", "a",
      "Customer(idk,Name,ssn,tenant_id) customer_view(id,ssn) orders~(idk,customer_id)>Customer" },
    { "{\"a\":{\"allow\":[\"shop.cust*\"],\"columns_deny\":[\"shop.customer.name\"]}}", "a",
      "Customer~(idk,ssn,tenant_id) customer_view(id,ssn)" },
    { "{\"a\":{\"allow\":[\"shop.customer\"]},\"b\":{\"columns_deny\":[\"shop.*.ssn\"]}}", "a,b",
      "Customer~(idk,Name,tenant_id)" },
    { "{\"a\":{\"allow\":[\"shop.payroll\"],\"columns_deny\":[\"shop.payroll.*\"]}}", "a", "" },
    /* Half a key is no key. */
    { "{\"a\":{\"allow\":[\"shop.line\"],\"columns_deny\":[\"shop.line.no\"]}}", "a", "line~(order_id)" },
    { "{\"a\":{\"allow\":[\"shop.cust*\",\"shop.orders\"],\"masks\":{\"shop.customer.ssn\":\"***\"}}}", "a",
      "Customer(idk,Name,ssn*,tenant_id) orders(idk,customer_id,ssn_ref)>Customer" },
    { "{\"a\":{\"allow\":[\"shop.customer\"]},\"b\":{\"masks\":{\"shop.customer.id\":null}}}", "a,b",
      "Customer(id*,Name,ssn,tenant_id)" },
    { "{\"a\":{\"allow\":[\"shop.cust*\"],\"filters\":{\"shop.customer\":{\"tenant_id\":\"{tenant_id}\"}}}}", "a",
      "Customer!(idk,Name,ssn,tenant_id)" },
    /* The filter goes with the allow of its own role. */
    { "{\"a\":{\"allow\":[\"shop.customer\"],\"filters\":{\"shop.customer\":{\"id\":1}}},\"b\":{\"allow\":[\"shop."
      "customer\"]}}",
      "a,b", "Customer(idk,Name,ssn,tenant_id)" },
    { "{\"a\":{\"allow\":[\"shop.customer\"],\"filters\":{\"shop.customer\":{\"id\":1}}},\"b\":{\"allow\":[\"shop."
      "line\"]}}",
      "a,b", "Customer!(idk,Name,ssn,tenant_id) line(order_idk,nok)" },
};

static int load(struct call *c, const char *roles, struct policies **p)
{
    const struct json *j;
    const char *text = call_format(c, "{\"roles\":%s}", roles);
    assert_int_equal(json_parse(c, text, strlen(text), &j), OK);
    return policies_load(c, j, p);
}

static void hold(struct call *c, const char *roles)
{
    static const char *names[8];
    char *text = call_strdup(c, roles), *save = NULL;
    size_t n = 0;
    for (char *one = strtok_r(text, ",", &save); one && n < 8; one = strtok_r(NULL, ",", &save)) names[n++] = one;
    c->who = (struct principal){ .user = "u", .tenant = "7", .level = LEVEL_VIEWER, .roles = names, .role_count = n };
}

/* A view of which nobody knows what it reads is open only to who sees every table whole. */
static void unknown_reads(void **state)
{
    (void)state;
    static const struct {
        const char *roles, *view;
    } unknown[] = {
        { "{\"a\":{\"allow\":[\"shop.*\"]}}", "line(order_idk,nok) v(id,ssn)" },
        { "{\"a\":{\"allow\":[\"shop.v\"]}}", "" },
        { "{\"a\":{\"allow\":[\"shop.*\"],\"columns_deny\":[\"shop.line.no\"]}}", "line~(order_id)" },
        { "{\"a\":{\"allow\":[\"shop.*\"],\"masks\":{\"shop.line.no\":\"*\"}}}", "line(order_id,no*)" },
        { "{\"a\":{\"allow\":[\"shop.*\"],\"filters\":{\"shop.line\":{\"no\":1}}}}", "line!(order_idk,nok)" },
    };
    struct table both[] = {
        { .name = "line", .columns = line, .column_count = 2 },
        { .name = "v", .kind = TABLE_VIEW, .columns = customer_view, .column_count = 2, .reads_unknown = true }
    };
    const struct snapshot s = {
        .datasource = "shop", .dialect = "mysql", .fingerprint = "u", .tables = both, .table_count = 2
    };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        struct call c;
        struct policies *p;
        const struct view *v;
        call_begin(&c);
        assert_int_equal(load(&c, unknown[i].roles, &p), OK);
        hold(&c, "a");
        assert_int_equal(policy_view(&c, p, &c.who, &s, &v), OK);
        assert_string_equal(describe(&c, v), unknown[i].view);
        call_end(&c);
        policies_free(p);
    }
}

/* Of what is not known yet only those hear who could see all of it. */
static void told(void **state)
{
    (void)state;
    static const struct {
        const char *section;
        enum level level;
        bool told;
    } who[] = { { "{\"roles\":{\"a\":{\"allow\":[\"*.*\"]}}}", LEVEL_EDITOR, false },
                { "{\"roles\":{\"a\":{\"allow\":[\"*.*\"]}}}", LEVEL_ADMIN, true },
                { "{\"allow_all\":true}", LEVEL_VIEWER, true } };
    for (size_t i = 0; i < sizeof who / sizeof who[0]; i++) {
        struct call c;
        struct policies *p;
        const struct json *j;
        call_begin(&c);
        assert_int_equal(json_parse(&c, who[i].section, strlen(who[i].section), &j), OK);
        assert_int_equal(policies_load(&c, j, &p), OK);
        hold(&c, "a");
        c.who.level = who[i].level;
        assert_int_equal(policy_told(p, &c.who), who[i].told);
        assert_int_equal(policy_reaches(p, &c.who, NULL), who[i].told);
        call_end(&c);
        policies_free(p);
    }
}

static void views(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        struct policies *p;
        const struct view *v, *again;
        call_begin(&c);
        assert_int_equal(load(&c, cases[i].roles, &p), OK);
        hold(&c, cases[i].held);
        assert_int_equal(policy_view(&c, p, &c.who, &shop, &v), OK);
        assert_string_equal(describe(&c, v), cases[i].view);
        assert_int_equal(v->hides_anything, strcmp(cases[i].view, ALL) != 0);
        assert_int_equal(policy_reaches(p, &c.who, &shop), *cases[i].view != 0 ||
                                                               strstr(cases[i].roles, "columns_deny") ||
                                                               strstr(cases[i].roles, "customer_view"));
        assert_int_equal(policy_view(&c, p, &c.who, &shop, &again), OK);
        assert_ptr_equal(v, again);
        call_end(&c);
        policies_free(p);
    }
}

static void narrowed_tables_tell_nothing(void **state)
{
    (void)state;
    struct call c;
    struct policies *p;
    const struct view *v;
    call_begin(&c);
    assert_int_equal(load(&c,
                          "{\"a\":{\"allow\":[\"shop.customer\"],\"filters\":{\"shop.customer\":{\"id\":1}}},"
                          "\"b\":{\"allow\":[\"shop.customer\"],\"masks\":{\"shop.customer.name\":\"x\",\"shop."
                          "customer.ssn\":\"y\"}}}",
                          &p),
                     OK);
    hold(&c, "a");
    assert_int_equal(policy_view(&c, p, &c.who, &shop, &v), OK);
    assert_int_equal(v->tables[0].row_count, -1);
    assert_int_equal(v->tables[0].columns[1].distinct_count, -1);
    assert_null(v->tables[0].columns[1].min);
    hold(&c, "b");
    assert_int_equal(policy_view(&c, p, &c.who, &shop, &v), OK);
    assert_int_equal(v->tables[0].row_count, 9);
    assert_null(v->tables[0].columns[1].min);
    assert_false(v->tables[0].columns[2].unique);
    assert_true(v->tables[0].columns[2].nullable);
    assert_string_equal(customer[1].min, "Ann");
    assert_true(customer[2].unique);
    call_end(&c);
    policies_free(p);
}

static void everything(void **state)
{
    (void)state;
    struct call c;
    struct policies *p;
    const struct view *v;
    call_begin(&c);
    assert_int_equal(policies_load(&c, NULL, &p), OK);
    assert_true(policies_allow_all(p));
    hold(&c, "");
    assert_int_equal(policy_view(&c, p, &c.who, &shop, &v), OK);
    assert_int_equal(v->table_count, 5);
    assert_false(v->hides_anything);
    policies_free(p);

    assert_int_equal(load(&c, "{\"a\":{\"allow\":[\"shop.line\"]}}", &p), OK);
    c.who.level = LEVEL_OPERATOR;
    assert_int_equal(policy_view(&c, p, &c.who, &shop, &v), OK);
    assert_int_equal(v->table_count, 5);
    hold(&c, "a");
    c.who.level = LEVEL_OPERATOR;
    assert_int_equal(policy_view(&c, p, &c.who, &shop, &v), OK);
    assert_int_equal(v->table_count, 1);
    policies_free(p);
    call_end(&c);
}

static const struct {
    const char *section, *pointer;
} bad[] = {
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"call\",\"function\":\"nonsense\",\"args\":[]}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"call\",\"function\":\"upper\",\"args\":[{\"kind\":"
      "\"column\",\"table\":\"orders\",\"column\":\"id\"}],\"over\":{}}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"call\",\"function\":\"upper\",\"args\":[{\"kind\":"
      "\"column\",\"table\":\"orders\",\"column\":\"id\"}],\"filter\":{\"kind\":\"literal\",\"type\":\"boolean\","
      "\"value\":true}}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"call\",\"function\":\"upper\",\"args\":[{\"kind\":"
      "\"column\",\"table\":\"orders\",\"column\":\"id\"}],\"distinct\":true}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"call\",\"function\":\"upper\",\"args\":[{\"kind\":"
      "\"column\",\"table\":\"orders\",\"column\":\"id\"}],\"within\":[{\"expr\":{\"kind\":\"column\",\"table\":"
      "\"orders\",\"column\":\"id\"}}]}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"exists\",\"query\":{\"body\":{\"kind\":\"select\","
      "\"items\":[{\"expr\":{\"kind\":\"column\",\"table\":\"orders\",\"column\":\"id\"},\"alias\":\"x\"}]}}}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"in\",\"arg\":{\"kind\":\"column\",\"table\":"
      "\"orders\",\"column\":\"id\"},\"query\":{\"body\":{\"kind\":\"select\",\"items\":[{\"expr\":{\"kind\":"
      "\"column\",\"table\":\"orders\",\"column\":\"id\"},\"alias\":\"x\"}]}}}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"output\",\"name\":\"id\"}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"star\"}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"row\",\"items\":[{\"kind\":\"column\",\"table\":"
      "\"orders\",\"column\":\"id\"},{\"kind\":\"column\",\"table\":\"orders\",\"column\":\"id\"}]}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":[1]}}}}", "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":1.5}}}}", "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":\"{role}\"}}}}", "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":\"{}\"}}}}", "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"filters\":[]}}}", "/policies/roles/a/filters" },
    { "{\"roles\":{\"a\":{\"masks\":[]}}}", "/policies/roles/a/masks" },
    { "{\"roles\":{\"a\":{\"masks\":{\"id\":1}}}}", "/policies/roles/a/masks/id" },
    { "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":5}}}}", "/policies/roles/a/filters/shop.orders" },
    { "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{\"id\":[1,null]}}}}}",
      "/policies/roles/a/filters/shop.orders/id" },
    { "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{\"id\":[1,[2]]}}}}}",
      "/policies/roles/a/filters/shop.orders/id" },
    { "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{\"id\":1.5}}}}}", "/policies/roles/a/filters/shop.orders/id" },
    { "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{\"id\":{\"kind\":\"x\"}}}}}}",
      "/policies/roles/a/filters/shop.orders/id" },
    { "{\"roles\":{\"a\":{\"allow\":[\"shop.\"]}}}", "/policies/roles/a/allow/0" },
    { "{\"roles\":{\"a\":{\"allow\":[\".orders\"]}}}", "/policies/roles/a/allow/0" },
    { "{\"roles\":{\"a\":{\"allow\":[\"shop.main.\"]}}}", "/policies/roles/a/allow/0" },
    { "{\"roles\":{\"a\":{\"allow\":[\"shop..orders\"]}}}", "/policies/roles/a/allow/0" },
    { "{\"roles\":{\"a\":{\"allow\":[\"shop\"]}}}", "/policies/roles/a/allow/0" },
    { "{\"roles\":{\"a\":{\"columns_deny\":[\"ssn\"]}}}", "/policies/roles/a/columns_deny/0" },
    { "{\"roles\":{\"a\":{\"columns_deny\":[\"shop.orders.\"]}}}", "/policies/roles/a/columns_deny/0" },
    { "{\"roles\":{\"a\":{\"columns_deny\":[\".ssn\"]}}}", "/policies/roles/a/columns_deny/0" },
    { "{\"roles\":{\"\":{}}}", "/policies/roles/" },
    { "{\"roles\":{\"1a\":{}}}", "/policies/roles/1a" },
    { "{\"roles\":{\"_a\":{}}}", "/policies/roles/_a" },
    { "{\"roles\":{\"aB\":{}}}", "/policies/roles/aB" },
    { "{\"roles\":{\"a.b\":{}}}", "/policies/roles/a.b" },
    { "{\"roles\":{\"a b\":{}}}", "/policies/roles/a b" },
    { "{\"roles\":{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":{}}}",
      "/policies/roles/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
    { "{\"allow_all\":true,\"roles\":{\"a\":{}}}", "/policies/allow_all" },
    { "{\"default_role\":\"x\",\"roles\":{\"a\":{}}}", "/policies/default_role" },
    { "{\"roles\":{\"a\":{\"allow\":[\"orders\"]}}}", "/policies/roles/a/allow/0" },
    { "{\"roles\":{\"a\":{\"deny\":[\"shop.orders\",\".x\"]}}}", "/policies/roles/a/deny/1" },
    { "{\"roles\":{\"a\":{\"columns_deny\":[\"shop.ssn\"]}}}", "/policies/roles/a/columns_deny/0" },
    { "{\"roles\":{\"A\":{}}}", "/policies/roles/A" },
    { "{\"roles\":{\"a\":{\"alow\":[]}}}", "/policies/roles/a/alow" },
    { "{\"roles\":[]}", "/policies/roles" },
    { "{\"rols\":{}}", "/policies/rols" },
    { "{\"roles\":{\"a\":{\"filters\":{\"orders\":{\"id\":1}}}}}", "/policies/roles/a/filters/orders" },
    { "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{}}}}}", "/policies/roles/a/filters/shop.orders" },
    { "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{\"id\":\"{role}\"}}}}}",
      "/policies/roles/a/filters/shop.orders" },
    { "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{\"id\":[]}}}}}", "/policies/roles/a/filters/shop.orders/id" },
    { "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{\"kind\":\"nonsense\",\"x\":1}}}}}",
      "/policies/roles/a/filters/shop.orders" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"call\",\"function\":\"max\",\"args\":[{\"kind\":"
      "\"column\","
      "\"table\":\"orders\",\"column\":\"id\"}]}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
    { "{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":{\"kind\":\"query\",\"query\":{\"body\":{\"kind\":\"select\","
      "\"items\":[{"
      "\"alias\":\"x\",\"expr\":{\"kind\":\"literal\",\"type\":\"integer\",\"value\":1}}]}}}}}}}",
      "/policies/roles/a/masks/shop.orders.id" },
};

static void bad_sections(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct call c;
        struct policies *p = NULL;
        const struct json *j;
        call_begin(&c);
        assert_int_equal(json_parse(&c, bad[i].section, strlen(bad[i].section), &j), OK);
        assert_int_equal(policies_load(&c, j, &p), ERR_CONFIG_INVALID);
        assert_null(p);
        assert_string_equal(c.err.field, bad[i].pointer);
        call_end(&c);
    }
}

/* Close to what is refused, and right. */
static void good_sections(void **state)
{
    static const char *const good[] = {
        ("{\"roles\":{\"a\":{},\"a1\":{},\"a_b\":{},\"a-b\":{},"
         "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "\":{}}}"),
        ("{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":\"{\",\"shop.orders.x\":\"a}\",\"shop.orders.y\":\"{a\","
         "\"shop.orders."
         "z\":\"\",\"shop.orders.v\":\"}\"}}}}"),
        ("{\"roles\":{\"a\":{\"masks\":{\"shop.orders.id\":\"{user_id}\",\"shop.orders.x\":\"{tenant_id}\",\"shop."
         "orders.y\":"
         "null,\"shop.orders.z\":true}}}}"),
        "{\"allow_all\":true}",
        "{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{\"kind\":5,\"id\":1}}}}}",
        "{\"roles\":{\"a\":{}},\"default_role\":\"a\"}",
        ("{\"roles\":{\"a\":{\"filters\":{\"shop.orders\":{\"kind\":\"open\"},\"shop.line\":{\"no\":null,\"order_id\":["
         "1]}}}}}"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct call c;
        struct policies *p = NULL;
        const struct json *j;
        call_begin(&c);
        assert_int_equal(json_parse(&c, good[i], strlen(good[i]), &j), OK);
        if (policies_load(&c, j, &p)) fail_msg("%s: %s", c.err.field, c.err.message);
        policies_free(p);
        call_end(&c);
    }
}

/* A table whose name has a dot is named whole; a column's pattern holds for its own tables only. */
static void names_with_dots(void **state)
{
    static const struct {
        const char *roles, *view;
    } named[] = {
        { "{\"a\":{\"allow\":[\"shop.a.b\"]}}", "a.b(id,ssn)" },
        { "{\"a\":{\"allow\":[\"shop.A.B\"]}}", "a.b(id,ssn)" },
        { "{\"a\":{\"allow\":[\"shop.a.c\"]}}", "" },
        { "{\"a\":{\"allow\":[\"shop.*\"],\"deny\":[\"shop.a.b\"]}}", "plain(id,ssn)" },
        { "{\"a\":{\"allow\":[\"shop.*\"],\"deny\":[\"shop.pl*n\"]}}", "a.b(id,ssn)" },
        { "{\"a\":{\"allow\":[\"shop.*\"],\"columns_deny\":[\"shop.plain.ssn\"]}}", "a.b(id,ssn) plain~(id)" },
        { "{\"a\":{\"allow\":[\"shop.*\"],\"masks\":{\"shop.plain.ssn\":\"x\"}}}", "a.b(id,ssn) plain(id,ssn*)" },
        { "{\"a\":{\"allow\":[\"shop.*\"],\"columns_deny\":[\"other.*.ssn\"]}}", "a.b(id,ssn) plain(id,ssn)" },
    };
    struct table both[] = { { .name = "a.b", .columns = customer_view, .column_count = 2 },
                            { .name = "plain", .columns = customer_view, .column_count = 2 } };
    const struct snapshot s = {
        .datasource = "shop", .dialect = "sqlite", .fingerprint = "d", .tables = both, .table_count = 2
    };
    (void)state;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        struct call c;
        struct policies *p;
        const struct view *v;
        call_begin(&c);
        assert_int_equal(load(&c, named[i].roles, &p), OK);
        hold(&c, "a");
        assert_int_equal(policy_view(&c, p, &c.who, &s, &v), OK);
        assert_string_equal(describe(&c, v), named[i].view);
        policies_free(p);
        call_end(&c);
    }
}

static void levels(void **state)
{
    (void)state;
    struct call c;
    struct policies *p;
    const struct json *j;
    static const char text[] =
        "{\"editor_roles\":[\"e\"],\"approver_roles\":[\"v\",\"ghost\"],\"default_role\":\"v\",\"roles\":{"
        "\"admin\":{},\"e\":{},\"v\":{}}}";
    static const char *const admin[] = { "v", "admin" }, *const editor[] = { "e" }, *const viewer[] = { "v" },
                             *const ghost[] = { "ghost" };
    bool approver;
    call_begin(&c);
    assert_int_equal(json_parse(&c, text, sizeof text - 1, &j), OK);
    assert_int_equal(policies_load(&c, j, &p), OK);
    assert_int_equal(policies_level(p, admin, 2, &approver), LEVEL_ADMIN);
    assert_true(approver);
    assert_int_equal(policies_level(p, editor, 1, &approver), LEVEL_EDITOR);
    assert_false(approver);
    assert_int_equal(policies_level(p, viewer, 1, &approver), LEVEL_VIEWER);
    assert_int_equal(policies_level(p, ghost, 1, &approver), LEVEL_ANYONE);
    assert_false(approver);
    assert_string_equal(policies_default_role(p), "v");
    assert_int_equal(policies_role_names(p, &c).count, 3);
    policies_free(p);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(views),         cmocka_unit_test(told),
                                        cmocka_unit_test(unknown_reads), cmocka_unit_test(narrowed_tables_tell_nothing),
                                        cmocka_unit_test(everything),    cmocka_unit_test(bad_sections),
                                        cmocka_unit_test(good_sections), cmocka_unit_test(names_with_dots),
                                        cmocka_unit_test(levels) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
