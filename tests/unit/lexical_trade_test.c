/* Words of trade: what they ask for is put as the total of a column, where neither names nor values explain them. */
#include "planners/planner.h"
#include "singers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int open_shop(void **state)
{
    return scene_of(state,
                    "CREATE TABLE buyers (buyer_id INTEGER PRIMARY KEY, name TEXT, joined_on DATE, born_on DATE);"
                    "CREATE TABLE articles (article_id INTEGER PRIMARY KEY, title TEXT, price DECIMAL(9,2));"
                    "CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyers (buyer_id), "
                    "issued_on DATE, paid_on DATE, amount DECIMAL(9,2), shipping_fee DECIMAL(9,2));"
                    "CREATE TABLE lines (bill_id INTEGER REFERENCES bills (bill_id), article_id INTEGER REFERENCES "
                    "articles (article_id), quantity INTEGER, amount DECIMAL(9,2));");
}

static int open_staff(void **state)
{
    return scene_of(state,
                    "CREATE TABLE workers (worker_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, salary "
                    "DECIMAL(9,2), hired_on DATE);"
                    "CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, worker_id INTEGER REFERENCES workers "
                    "(worker_id), total DECIMAL(9,2), excused BOOLEAN);");
}

static const char *words_of(struct call *c, const struct linked *l)
{
    struct buf b;
    buf_init(&b, c, 4096);
    for (size_t i = 0; i < l->words.count; i++) {
        if (l->words.items[i].flags & WORD_MARK) continue;
        buf_format(&b, "%s%s", b.len ? " " : "", l->words.items[i].fold);
    }
    return b.data ? b.data : "";
}

struct put {
    const char *question, *words;
    size_t columns;
};

static void check(struct scene *s, const struct put *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct linked l;
        link_question(&s->call, s->view, NULL, cases[i].question, SINGERS_NOW, &l);
        const char *got = words_of(&s->call, &l);
        if (strcmp(got, cases[i].words) != 0) fail_msg("%s: read as %s", cases[i].question, got);
        if (l.trade_columns != cases[i].columns) fail_msg("%s: %zu columns", cases[i].question, l.trade_columns);
    }
}

static void sums_of_a_shop(void **state)
{
    static const struct put cases[] = {
        { "turnover", "total amount", 2 },
        { "What is our total revenue?", "what is our total amount", 2 },
        { "revenue per month", "total amount for each month", 2 },
        { "Which buyer has the most sales?", "which buyer has the highest total amount", 2 },
        { "how much did each buyer spend", "how much total amount did each buyer have", 2 },
        { "which buyer spent the most", "which buyer has the highest total amount", 2 },
        { "Which article sold best?", "which article has highest total quantity", 3 },
        { "worst selling articles", "which articles has the lowest total quantity", 3 },
        { "How many units did we sell in 2025?", "what is total quantity did we have in 2025", 1 },
        { "quantity sold per article", "quantity for each article", 0 },
        { "which articles were never sold", "which articles have no lines", 0 },
        { "articles not yet sold", "articles have no lines", 0 },
        { "which buyers spent more than 1000", "which buyers have total amount more than 1000", 2 },
        { "lowest selling articles", "which articles has the lowest total quantity", 3 },
        { "total amount of money", "total amount of money", 0 },
        { "average bill value", "average bill amount", 2 },
        { "how much do we spend on shipping fees", "how much total fees do we have", 1 },
        /* these are names, or no words of trade */
        { "the amount of each bill", "the amount of each bill", 0 },
        { "price of articles", "price of articles", 0 },
        { "the value of bill 5", "the value of bill 5", 0 },
    };
    check(*state, cases, sizeof cases / sizeof *cases);
}

static void words_of_staff(void **state)
{
    static const struct put cases[] = {
        { "total payroll", "total salary", 1 },
        { "sales per worker", "number of sales for each worker", 0 }, /* a table of that name */
        { "revenue", "total amount", 1 },
        { "who earns the most", "who earns the most", 0 },
        { "how many people are there", "how many workers are there", 0 },
        { "headcount", "number of workers", 0 },
        { "how many were unexcused", "how many were not excused", 0 },
        { "unfortunate sales", "unfortunate sales", 0 },
    };
    check(*state, cases, sizeof cases / sizeof *cases);
}

static void plan(struct scene *s, const char *question, struct proposal *out)
{
    for (size_t i = 0; planners[i]; i++) {
        struct planner_env env = { .view = s->view, .evidence = EVIDENCE_VALUES };
        if (!strcmp(planners[i]->name, "lexical"))
            assert_int_equal(planners[i]->plan(&s->call, &env, question, out), OK);
    }
}

/* Of several columns nobody knows which is meant: each is an option, and every option is a sum. */
static void asks_which(void **state)
{
    static const char *const questions[] = { "What is our total revenue?", "Which buyer spent the most?",
                                             "how much did each buyer spend", "revenue per month" };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct proposal out = { 0 };
        plan(s, questions[i], &out);
        if (out.verdict != VERDICT_CLARIFY || out.option_count != 2) fail_msg("%s: not asked back", questions[i]);
        bool bills = false, lines = false;
        for (size_t k = 0; k < out.option_count; k++) {
            const char *reading = LIST_AT(&out.candidates, struct candidate, k).reading;
            if (!strstr(reading, "total amount")) fail_msg("%s: %s", questions[i], reading);
            bills |= strstr(reading, "amount of bills") != NULL || !strstr(reading, "amount of lines");
            lines |= strstr(reading, "amount of lines") != NULL;
        }
        if (!bills || !lines) fail_msg("%s: one column is missing", questions[i]);
    }
}

/* Customers are new by when they came, not by when they were born. */
static void new_ones(void **state)
{
    struct scene *s = *state;
    struct proposal out = { 0 };
    plan(s, "How many new buyers in March 2025?", &out);
    assert_true(out.candidates.count > 0);
    assert_non_null(strstr(LIST_AT(&out.candidates, struct candidate, 0).reading, "joined on is in March 2025"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_of_a_shop, open_shop, scene_close),
        cmocka_unit_test_setup_teardown(words_of_staff, open_staff, scene_close),
        cmocka_unit_test_setup_teardown(asks_which, open_shop, scene_close),
        cmocka_unit_test_setup_teardown(new_ones, open_shop, scene_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
