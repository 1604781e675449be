/* What speaks against readings, and which of them mean the same. */
#include "planners/lexical/faults.h"
#include "planners/lexical/fill.h"
#include "planners/lexical/options.h"
#include "singers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int open_club(void **state)
{
    return scene_of(state,
                    "CREATE TABLE members (member_id INTEGER PRIMARY KEY, name TEXT, birth_date DATE, joined_on DATE, "
                    "points INTEGER, active BOOLEAN);"
                    "CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members "
                    "(member_id), visited_on DATE, price DECIMAL(9,2));");
}

static int item(const struct linked *l, const char *t, const char *name)
{
    return (int)(named_column(l, t, name) - l->columns);
}

struct asked {
    struct linked l;
    struct graph g;
    struct context x;
    struct intent a;
};

static void ask(struct scene *s, const char *question, struct asked *q)
{
    link_question(&s->call, s->view, NULL, question, SINGERS_NOW, &q->l);
    graph_build(&s->call, &q->l, &q->g);
    context_read(&s->call, &q->l, &q->g, &q->x);
    intent_read(&q->x, &q->a);
}

/* The number of different values of a column of members. */
static struct reading counting(const struct asked *q, const char *column)
{
    return (struct reading){ .left = { .items = { { AGG_COUNT, true, item(&q->l, "members", column) } },
                                       .item_count = 1,
                                       .tables = { named_table(&q->l, "members") },
                                       .table_count = 1 } };
}

/* Numbers are added up, their different values are counted where that is asked for. */
static void counts_of_numbers(void **state)
{
    static const struct {
        const char *question, *column;
        bool amiss;
    } cases[] = { { "how many points are there", "points", true },
                  { "how many different points are there", "points", false },
                  { "how many members are there", "member_id", false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked q;
        ask(*state, cases[i].question, &q);
        const struct reading r = counting(&q, cases[i].column);
        if (reading_amiss(&q.a, &r) != cases[i].amiss) fail_msg("%s", cases[i].question);
    }
}

/* How many are active asks for those that are, never for how many answers there are to it. */
static void counts_of_flags(void **state)
{
    static const struct {
        const char *question;
        int faults;
    } cases[] = { { "how many members are active", 1 }, { "how many different active are there of members", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked q;
        int f[FAULTS] = { 0 };
        ask(*state, cases[i].question, &q);
        const struct reading r = counting(&q, "active");
        faults_of(&q.a, &r, f);
        if (f[FAULT_ADDED] != cases[i].faults) fail_msg("%s: %d", cases[i].question, f[FAULT_ADDED]);
    }
}

/* Where a table holds both, from a year may be either. */
static void from_a_year(void **state)
{
    static const struct {
        const char *question;
        bool amiss;
    } cases[] = { { "members from 2025", true }, { "members of 2025", false }, { "members joined from 2025", false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked q;
        ask(*state, cases[i].question, &q);
        assert_int_equal(q.l.span_count, 1);
        const struct reading r = { .left = { .items = { { .column = item(&q.l, "members", "name") } },
                                             .item_count = 1,
                                             .where = { { .op = COND_RANGE,
                                                          .left = { .column = item(&q.l, "members", "joined_on") },
                                                          .span = 0,
                                                          .span2 = -1 } },
                                             .where_count = 1,
                                             .tables = { named_table(&q.l, "members") },
                                             .table_count = 1 } };
        if (reading_amiss(&q.a, &r) != cases[i].amiss) fail_msg("%s", cases[i].question);
    }
}

/* Nobody was born by being a member of 2025, and what is counted is dated by itself. */
static void far_dates(void **state)
{
    static const struct {
        const char *question, *table, *column;
        bool joined, far;
    } cases[] = { { "how many members in 2025", "members", "birth_date", false, true },
                  { "how many members in 2025", "members", "joined_on", false, false },
                  { "how many members were born in 2025", "members", "birth_date", false, false },
                  { "how many visits did each member make in 2025", "members", "joined_on", true, true },
                  { "how many visits did each member make in 2025", "visits", "visited_on", true, false } };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked q;
        struct tree tree;
        ask(s, cases[i].question, &q);
        const int tables[] = { named_table(&q.l, "members"), named_table(&q.l, "visits") };
        assert_true(graph_trees(&s->call, &q.l, &q.g, tables, cases[i].joined ? 2 : 1, &tree, 1) > 0);
        struct core core = { .items = { { .agg = AGG_COUNT, .column = TERM_STAR } },
                             .item_count = 1,
                             .where = { { .op = COND_RANGE,
                                          .left = { .column = item(&q.l, cases[i].table, cases[i].column) },
                                          .span = -1,
                                          .span2 = -1 } },
                             .where_count = 1 };
        set_tree(&core, &tree);
        if ((faults_far_dates(&q.l, &core) > 0) != cases[i].far)
            fail_msg("%s by %s", cases[i].question, cases[i].column);
    }
}

/* Members without visits, as a set less another or as a key that is not among others; and an order unasked for. */
static void families(void **state)
{
    struct scene *s = *state;
    struct asked q;
    struct tree alone, both;
    ask(s, "members without visits", &q);
    const int tables[] = { named_table(&q.l, "members"), named_table(&q.l, "visits") };
    assert_true(graph_trees(&s->call, &q.l, &q.g, tables, 1, &alone, 1) > 0);
    assert_true(graph_trees(&s->call, &q.l, &q.g, tables, 2, &both, 1) > 0);
    struct core sub = { .items = { { .column = item(&q.l, "visits", "member_id") } },
                        .item_count = 1,
                        .tables = { tables[1] },
                        .table_count = 1 };
    struct reading key = { .left = { .items = { { .column = item(&q.l, "members", "name") } },
                                     .item_count = 1,
                                     .where = { { .op = COND_NOT_IN,
                                                  .left = { .column = item(&q.l, "members", "member_id") },
                                                  .span = -1,
                                                  .span2 = -1,
                                                  .sub = &sub } },
                                     .where_count = 1 } };
    set_tree(&key.left, &alone);
    struct reading set = { .left = key.left, .right = key.left, .set = SET_MINUS }, sorted;
    set.left.where_count = set.right.where_count = 0;
    set_tree(&set.right, &both);
    struct reading all = { .left = set.left };
    assert_true(family_of(&q.l, &set, false) == family_of(&q.l, &key, false));
    assert_true(family_of(&q.l, &set, false) != family_of(&q.l, &all, false));
    sorted = all;
    sorted.left.order[0] = (struct order_term){ .term = { .column = item(&q.l, "members", "points") } };
    sorted.left.order_count = 1;
    assert_true(family_of(&q.l, &sorted, false) == family_of(&q.l, &all, false));
    assert_true(family_of(&q.l, &sorted, true) != family_of(&q.l, &all, true));
    sorted.left.limit = 1;
    assert_true(family_of(&q.l, &sorted, false) != family_of(&q.l, &all, false));
}

/* What leaves something undone is offered only when nothing else is; a family is offered once. */
static void options(void **state)
{
    struct scene *s = *state;
    struct linked l = { .call = &s->call };
    const struct context x = { .linked = &l };
    struct reading r[4] = { { .faults = 1u << FAULT_MISSED, .family = 1 },
                            { .faults = 1u << FAULT_DATE, .family = 2 },
                            { .family = 3 },
                            { .family = 3 } };
    float dense[4][DENSE_MAX] = { { 0 } };
    const struct candidates k = { .context = &x, .readings = r, .count = 4, .dense = dense };
    struct candidate list[4] = { { .reading = "a" }, { .reading = "b" }, { .reading = "c" }, { .reading = "d" } };
    int offered[4] = { 0, 1, 2, 3 };
    const struct offer o = { &k, list, offered, 4 };
    assert_int_equal(options_order(&o), 2);
    assert_string_equal(list[0].reading, "c");
    assert_string_equal(list[1].reading, "b");
    assert_int_equal(offered[0], 2);
    for (int i = 0; i < 4; i++) r[i].faults = 1u << FAULT_MISSED;
    assert_int_equal(options_order(&o), 3);
}

/* Both find nothing: that says nothing for either. */
static void nothing_proves_nothing(void **state)
{
    (void)state;
    struct reading r[2] = { { .family = 1 }, { .family = 2 } };
    struct trial e[2] = { { .tried = true, .ok = true }, { .tried = true, .ok = true } };
    float total[2] = { 0, 1 };
    int order[2] = { 0, 1 };
    struct candidates k = { .readings = r, .count = 2, .evidence = e, .total = total, .order = order };
    assert_true(rank_unproved(&k));
    r[1].family = 1;
    assert_false(rank_unproved(&k));
    r[1].family = 2;
    e[0].rows = 1;
    assert_false(rank_unproved(&k));
    e[0] = (struct trial){ 0 };
    assert_false(rank_unproved(&k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_numbers),
        cmocka_unit_test(counts_of_flags),
        cmocka_unit_test(from_a_year),
        cmocka_unit_test(far_dates),
        cmocka_unit_test(families),
        cmocka_unit_test(options),
        cmocka_unit_test(nothing_proves_nothing),
    };
    return cmocka_run_group_tests(tests, open_club, scene_close);
}
