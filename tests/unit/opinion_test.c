/* opinion: what the engine sees must be a subset of what the tree says, views expanded by the snapshot. */
#include "guard/opinion.h"
#include "handmade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static const struct {
    const char *said, *seen;
    bool agrees;
    const char *what; /* that is too much */
} cases[] = {
    { "orders.id orders.amount sum()", "orders.amount sum()", true, NULL },
    { "orders.id", "", true, NULL },
    { "", "", true, NULL },
    { "orders.id", "orders.amount", false, "amount" },
    { "orders.id", "ORDERS.ID", true, NULL },
    { "orders.id", "orders.", true, NULL },
    { "orders.", "orders.rowid", true, NULL },
    { "orders.id", "customers.", false, "" },
    { "orders.id", "orders.id customers.id", false, "" },
    { "orders.id sum()", "orders.id max()", false, "max" },
    { "city_sales.total", "city_sales.total orders.amount customers.city sum()", true, NULL },
    { "city_sales.total", "orders.id", false, "id" },
    { "city_sales.total", "customers.secret", false, "secret" },
    { "city_sales.total", "city_sales.total upper()", false, "upper" },
    { "orders.id", "orders.id sum()", false, "sum" },                  /* a view's function without the view */
    { "orders.id", "orders.id customers.city", false, "" },            /* a view's table without the view */
    { "customers.city orders.amount", "city_sales.total", false, "" }, /* the view itself */
    { "customers.city", "customers.city orders.amount", false,
      "" }, /* a table is no view, whatever it is said to read */
    { "closed.x", "closed.x orders.id customers.secret", true, NULL }, /* nobody knows what it reads */
    { "closed.x", "closed.x upper()", false, "upper" },
};

static void subset(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    static const char *const amount[] = { "amount" }, *const city[] = { "city" }, *const functions[] = { "sum" };
    struct table_read reads[] = { { .table = "orders", .columns = amount, .column_count = 1 },
                                  { .table = "customers", .columns = city, .column_count = 1 } };
    struct table tables[] = { { .name = "city_sales",
                                .kind = TABLE_VIEW,
                                .reads = reads,
                                .read_count = 2,
                                .functions = functions,
                                .function_count = 1 },
                              { .name = "closed", .kind = TABLE_VIEW, .reads_unknown = true },
                              { .name = "customers", .reads = reads, .read_count = 1 },
                              { .name = "orders" } };
    const struct snapshot s = { .tables = tables, .table_count = 4 };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct statement *said = handmade(&c, "sqlite", "", cases[i].said, "");
        const struct statement *seen = handmade(&c, "sqlite", "", cases[i].seen, "");
        struct table_read table;
        const char *what = NULL;
        if (opinion_agrees(&s, &said->reads, &seen->reads, &table, &what) != cases[i].agrees)
            fail_msg("said {%s} seen {%s}", cases[i].said, cases[i].seen);
        if (!cases[i].agrees) assert_string_equal(what, cases[i].what);
    }
    /* A schema that either side does not name is no difference; two different ones are. */
    struct table_read one = { .schema = "a", .table = "orders" }, other = { .schema = "b", .table = "orders" }, table;
    const struct reads said = { .tables = &one, .table_count = 1 }, seen = { .tables = &other, .table_count = 1 };
    const char *what;
    assert_false(opinion_agrees(&s, &said, &seen, &table, &what));
    other.schema = NULL;
    assert_true(opinion_agrees(&s, &said, &seen, &table, &what));
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(subset) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
