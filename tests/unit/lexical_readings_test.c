/* The lexical planner puts readings together: key trees, columns and cores, plans of them and their words. */
#include "base/embed.h"
#include "planners/lexical/choice.h"
#include "planners/lexical/dense.h"
#include "planners/lexical/fill.h"
#include "planners/lexical/intent.h"
#include "planners/lexical/rank.h"
#include "planners/planner.h"
#include "singers.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int item(const struct linked *l, const char *t, const char *name)
{
    return (int)(named_column(l, t, name) - l->columns);
}

/* The phones of customers and of suppliers: the second core takes the column that says the same in the other table. */
static void puts_together(void **state)
{
    static struct column customer[] = { { .name = "customer_id", .primary_key = 1 }, { .name = "customer_phone" } };
    static struct column supplier[] = { { .name = "supplier_name" }, { .name = "supplier_phone" } };
    static struct table tables[] = { { .name = "customers", .columns = customer, .column_count = 2 },
                                     { .name = "suppliers", .columns = supplier, .column_count = 2 } };
    static const struct view view = { .tables = tables, .table_count = 2 };
    struct call *c = &((struct scene *)*state)->call;
    struct linked l;
    struct graph g;
    link_question(c, &view, NULL, "phones of customers and suppliers", SINGERS_NOW, &l);
    graph_build(c, &l, &g);
    struct scores scores = { .table = call_array(c, 2 * TABLE_ROLES, sizeof(float)) };
    struct work *w = call_alloc(c, sizeof *w);
    *w = (struct work){ .call = c, .l = &l, .graph = &g, .s = &scores };
    w->a = call_alloc(c, sizeof *w->a);
    w->b = call_alloc(c, sizeof *w->b);
    struct partial start = { .r.left = {
                                 .items = { { .column = 1 } }, .item_count = 1, .tables = { 0 }, .table_count = 1 } };
    offer(w->a, &start, 0);
    fill_right(w, &(struct spec){ .set = 'U' }, 0);
    bool found = false;
    for (int i = 0; i < w->a->count; i++) {
        const struct core *right = &nth(w->a, i)->r.right;
        found |= right->items[0].column == 3 && right->table_count == 1 && right->tables[0] == 1;
    }
    assert_true(found);
}

/* Of the sets of columns shown, those come first that share a table, and two that the same words say come later. */
static void shows_columns(void **state)
{
    static struct column singer[] = { { .name = "name" }, { .name = "country" } };
    static struct column band[] = { { .name = "country" } };
    static struct table tables[] = { { .name = "singer", .columns = singer, .column_count = 2 },
                                     { .name = "band", .columns = band, .column_count = 1 } };
    static const struct view view = { .tables = tables, .table_count = 2 };
    struct call *c = &((struct scene *)*state)->call;
    struct linked l;
    link_question(c, &view, NULL, "name and country of each singer", SINGERS_NOW, &l);
    struct scores scores = { .table = call_array(c, 2 * TABLE_ROLES, sizeof(float)),
                             .column = call_array(c, 3 * COLUMN_ROLES, sizeof(float)) };
    static const float selected[] = { 1, 2, 2.5f };
    for (int i = 0; i < 3; i++) scores.column[i * COLUMN_ROLES + ROLE_SELECT] = selected[i];
    scores.table[1 * TABLE_ROLES + ROLE_FROM] = -1;
    struct work *w = call_alloc(c, sizeof *w);
    *w = (struct work){ .call = c, .l = &l, .s = &scores };
    w->a = call_alloc(c, sizeof *w->a);
    w->b = call_alloc(c, sizeof *w->b);
    offer(w->a, &(struct partial){ 0 }, 0);
    fill_select(w, &(struct spec){ .items = { 'c', 'c' }, .item_count = 2 });
    const struct core *best = &nth(w->a, 0)->r.left;
    assert_int_equal(best->item_count, 2);
    assert_int_equal(best->items[0].column, 0);
    assert_int_equal(best->items[1].column, 1);
}

static void trees(void **state)
{
    struct scene *s = *state;
    struct linked l;
    struct graph g;
    struct tree t[4];
    link_question(&s->call, s->view, NULL, "singers", SINGERS_NOW, &l);
    graph_build(&s->call, &l, &g);
    int ends[] = { named_table(&l, "singer"), named_table(&l, "concert") };
    assert_int_equal(graph_trees(&s->call, &l, &g, ends, 2, t, 4), 1);
    assert_int_equal(t[0].table_count, 3); /* through appearance */
    int parallel[] = { named_table(&l, "flight"), named_table(&l, "airport") };
    assert_int_equal(graph_trees(&s->call, &l, &g, parallel, 2, t, 4), 2); /* two keys between the same tables */
    int apart[] = { named_table(&l, "singer"), named_table(&l, "airport") };
    assert_int_equal(graph_trees(&s->call, &l, &g, apart, 2, t, 4), 0);
    assert_int_equal(graph_trees(&s->call, &l, &g, ends, 1, t, 4), 1);
}

/* What stands behind a cue is what it speaks of, and a reading that holds to it is told from one that does not. */
static void near_names(void **state)
{
    struct scene *s = *state;
    static const struct {
        const char *question, *order, *group;
        float near_order, near_group, near_count;
    } cases[] = { { "singers sorted by age", "age", NULL, 1, 0, 0 },
                  { "singers sorted by age", "name", NULL, -1, 0, 0 },
                  { "how many singers for each country", NULL, "country", 0, 1, 1 },
                  { "how many singers for each country", NULL, "name", 0, -1, 1 },
                  { "how many concerts for each country", NULL, "country", 0, 1, -1 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        struct graph g;
        struct context x;
        struct near near;
        float d[DENSE_MAX] = { 0 };
        link_question(&s->call, s->view, NULL, cases[i].question, SINGERS_NOW, &l);
        graph_build(&s->call, &l, &g);
        context_read(&s->call, &l, &g, &x);
        struct reading r = { .left = { .items = { { .agg = AGG_COUNT, .column = TERM_STAR } },
                                       .item_count = 1,
                                       .tables = { named_table(&l, "singer") },
                                       .table_count = 1 } };
        if (cases[i].order) {
            r.left.order[0].term.column = item(&l, "singer", cases[i].order);
            r.left.order_count = 1;
        }
        if (cases[i].group) {
            r.left.group[0] = item(&l, "singer", cases[i].group);
            r.left.group_count = 1;
        }
        near_read(&x, &near);
        near_numbers(&near, &r, d);
        if (d[D_NEAR_ORDER] != cases[i].near_order || d[D_NEAR_GROUP] != cases[i].near_group ||
            d[D_NEAR_COUNT] != cases[i].near_count)
            fail_msg("%s: order %g, group %g, count %g", cases[i].question, (double)d[D_NEAR_ORDER],
                     (double)d[D_NEAR_GROUP], (double)d[D_NEAR_COUNT]);
    }
}

/* Words that ask for something of each of a kind; behind a deed "by" tells who did it. */
static void grouping(void **state)
{
    struct scene *s = *state;
    static const struct {
        const char *question;
        bool grouped;
    } cases[] = { { "how many singers per country", true },
                  { "how many singers for each country", true },
                  { "in every country, how many singers are there?", true },
                  { "number of singers by country", true },
                  { "how many concerts were given by singers?", false },
                  { "how many concerts are held by singers from France?", false },
                  { "how many concerts are by singers?", false },
                  { "which concerts were sung by singers from France?", false },
                  { "singers sorted by age", false },
                  { "how many concerts are there?", false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        struct graph g;
        struct context x;
        struct intent a;
        link_question(&s->call, s->view, NULL, cases[i].question, SINGERS_NOW, &l);
        graph_build(&s->call, &l, &g);
        context_read(&s->call, &l, &g, &x);
        intent_read(&x, &a);
        if (a.grouped != cases[i].grouped) fail_msg("%s: grouped %d", cases[i].question, a.grouped);
    }
}

/* Every part of a reading becomes a plan that the check accepts. */
static void plans(void **state)
{
    struct scene *s = *state;
    struct linked l;
    link_question(&s->call, s->view, NULL, "singers", SINGERS_NOW, &l);
    struct core age = { .items = { { .agg = AGG_AVG, .column = item(&l, "singer", "age") } },
                        .item_count = 1,
                        .tables = { named_table(&l, "singer") },
                        .table_count = 1 };
    struct reading r = {
        .left = { .items = { { .column = item(&l, "singer", "country") }, { .agg = AGG_COUNT, .column = TERM_STAR } },
                  .item_count = 2,
                  .where = { { .op = COND_GT, .left = { .column = item(&l, "singer", "age") }, .sub = &age },
                             { .op = COND_LIKE, .left = { .column = item(&l, "singer", "name") }, .value = "%a%" },
                             { .op = COND_NULL, .left = { .column = item(&l, "singer", "phone") } } },
                  .where_count = 3,
                  .group = { item(&l, "singer", "country") },
                  .group_count = 1,
                  .having = { .op = COND_GE, .left = { .agg = AGG_COUNT, .column = TERM_STAR }, .value = "2" },
                  .has_having = true,
                  .order = { { { .agg = AGG_COUNT, .column = TERM_STAR }, true } },
                  .order_count = 1,
                  .limit = 3,
                  .tables = { named_table(&l, "singer") },
                  .table_count = 1 }
    };
    char sketch[SKETCH_MAX];
    reading_sketch(&r, sketch);
    assert_string_equal(sketch, "*c/v&z&q>a/G1H*O*dLn/");
    struct query *q = reading_plan(&s->call, &l, &r);
    struct check_result found = { 0 };
    assert_int_equal(plan_check(&s->call, s->view, &dialect_find("sqlite")->support, ORIGIN_PLANNER, q, &found), OK);
    struct statement *st;
    assert_int_equal(sql_render(&s->call, "sqlite", q, 100, &st), OK);
    fixture_rows(&s->fixture, &s->call, st->sql);
    assert_string_equal(
        reading_words(&s->call, &l, &r),
        "the number of singer records for each country where age is above the average age of singer and "
        "name contains a and phone is missing, only where the number of singer records is at "
        "least 2, only the 3 with the most singer records");
    struct reading other = r;
    assert_true(reading_key(&other) == reading_key(&r));
    other.left.limit = 4;
    assert_true(reading_key(&other) != reading_key(&r));
    struct reading sum = { .left = { .items = { { .agg = AGG_SUM, .column = item(&l, "singer", "phone") } },
                                     .item_count = 1,
                                     .tables = { named_table(&l, "singer") },
                                     .table_count = 1 } };
    q = reading_plan(&s->call, &l, &sum); /* texts are added as the numbers they hold */
    assert_int_equal(plan_check(&s->call, s->view, &dialect_find("sqlite")->support, ORIGIN_PLANNER, q, &found), OK);
    assert_int_equal(sql_render(&s->call, "sqlite", q, 100, &st), OK);
    assert_non_null(strstr(st->sql, "sum(CAST("));
}

/* What makes readings different is said. */
static void readings_in_words(void **state)
{
    struct scene *s = *state;
    struct linked l;
    link_question(&s->call, s->view, NULL, "concerts per month", SINGERS_NOW, &l);
    int singer = named_table(&l, "singer"), concert = named_table(&l, "concert"),
        appearance = named_table(&l, "appearance");
    int name = item(&l, "singer", "name"), held = item(&l, "concert", "held_on"), month = -1;
    for (size_t i = l.real_columns; i < l.column_count; i++)
        if (l.columns[i].grain == UNIT_MONTH && l.columns[i].base == (size_t)held) month = (int)i;
    assert_true(month >= 0);
    const struct core names = {
        .items = { { .column = name } }, .item_count = 1, .tables = { singer }, .table_count = 1
    };
    struct {
        struct reading r;
        const char *words;
    } cases[] = {
        { { .left = names }, "the name of singer" },
        { { .left = { .distinct = true,
                      .items = { { .column = name }, { .column = item(&l, "singer", "age") } },
                      .item_count = 2,
                      .tables = { singer, appearance },
                      .table_count = 2 } },
          "the different values of name and age of singer, joined with appearance" },
        { { .left = names,
            .set = SET_MINUS,
            .right = { .items = { { .column = name } },
                       .item_count = 1,
                       .tables = { singer, appearance },
                       .table_count = 2 } },
          "the name of singer; without those with appearance" },
        { { .left = { .items = { { .agg = AGG_COUNT, .column = TERM_STAR } },
                      .item_count = 1,
                      .group = { month },
                      .group_count = 1,
                      .tables = { concert },
                      .table_count = 1 } },
          "the number of concert records for each month of held on (not shown)" },
        { { .left = { .items = { { .agg = AGG_MAX, .column = held } },
                      .item_count = 1,
                      .order = { { { .column = held }, true } },
                      .order_count = 1,
                      .limit = 1,
                      .tables = { concert },
                      .table_count = 1 } },
          "the latest held on of concert, only the one with the latest held on" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(reading_words(&s->call, &l, &cases[i].r), cases[i].words);
    assert_int_equal(reading_plan(&s->call, &l, &cases[3].r)->order_by.count, 1);
    static const struct {
        const char *from, *to, *words;
    } ranges[] = {
        { "2025-01-01", "2026-01-01", "is in 2025" },
        { "2025-12-01", "2026-01-01", "is in December 2025" },
        { "2024-02-28", "2024-03-01", "is from 2024-02-28 to 2024-02-29" },
        { "2025-03-01", "2025-03-02", "is on 2025-03-01" },
        { "2025-03-01", NULL, "is 2025-03-01 or later" },
        { NULL, "2025-03-01", "is before 2025-03-01" },
        { "2025-03-01 08:00", "2025-03-02", "is from 2025-03-01 08:00 to before 2025-03-02" },
    };
    static const struct {
        const char *pattern, *words;
        enum cond_op op;
    } patterns[] = {
        { "%a%", "contains a", COND_LIKE },
        { "a%", "begins with a", COND_LIKE },
        { "%a", "does not end with a", COND_NOT_LIKE },
        { "a", "contains a", COND_LIKE },
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges + sizeof patterns / sizeof *patterns; i++) {
        size_t k = i - sizeof ranges / sizeof *ranges;
        bool time = i < sizeof ranges / sizeof *ranges;
        struct reading r = { .left = names };
        r.left.where[0] =
            time ? (struct cond){ .op = COND_RANGE,
                                  .left = { .column = held },
                                  .value = ranges[i].from,
                                  .value2 = ranges[i].to }
                 : (struct cond){ .op = patterns[k].op, .left = { .column = held }, .value = patterns[k].pattern };
        r.left.where_count = 1;
        assert_string_equal(reading_words(&s->call, &l, &r),
                            call_format(&s->call, "the name of singer where held on of concert %s",
                                        time ? ranges[i].words : patterns[k].words));
    }
}

/* A question back names what is in doubt only where every option differs in that from the first. */
static void doubts_in_words(void **state)
{
    struct scene *s = *state;
    struct linked l;
    link_question(&s->call, s->view, NULL, "singers", SINGERS_NOW, &l);
    struct reading r[4] = { { .left = {
                                  .item_count = 1, .tables = { named_table(&l, "singer") }, .table_count = 1 } } };
    for (int i = 1; i < 4; i++) r[i] = r[0];
    r[0].left.items[0].column = item(&l, "singer", "name");
    r[1].left.items[0].column = item(&l, "singer", "age");
    r[2].left.items[0].column = item(&l, "singer", "country");
    r[3].left.items[0].column = r[0].left.items[0].column;
    r[3].left.distinct = true;
    static const struct {
        int offered[3];
        size_t count;
        const char *question;
    } cases[] = {
        { { 0, 1 }, 2, "Do you mean the name of singer or the age of singer?" },
        { { 0, 1, 2 }, 3, "Do you mean the name of singer, the age of singer or the country of singer?" },
        { { 0, 3 }, 2, "Is each value to be shown once, or as often as it occurs?" },
        { { 0, 1, 3 }, 3, NULL },
        { { 0, 3, 1 }, 3, NULL },
        { { 0 }, 1, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *said = choice_question(&s->call, &l, r, cases[i].offered, cases[i].count);
        if (cases[i].question)
            assert_string_equal(said, cases[i].question);
        else
            assert_null(said);
    }
}

/* No reading puts a query together with itself. */
static void halves_differ(void **state)
{
    static const char *const cases[] = { "Which countries have singers aged 30 and singers aged 30?",
                                         "names of singers and names of singers",
                                         "Which singers are from France and also from France?",
                                         "countries of singers that are not countries of singers" };
    struct scene *s = *state;
    const struct embedded *file = embedded_find("engine/planners/lexical/weights.bin");
    struct weights w;
    assert_int_equal(weights_open(&s->call, file->begin, (size_t)(file->end - file->begin), &w), OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        struct graph g;
        struct context x;
        struct scores scores;
        struct reading *readings = call_array(&s->call, READINGS_MAX, sizeof *readings);
        link_question(&s->call, s->view, NULL, cases[i], SINGERS_NOW, &l);
        graph_build(&s->call, &l, &g);
        context_read(&s->call, &l, &g, &x);
        link_explained(&l, &w);
        score_question(&s->call, &w, &x, &l, &scores);
        size_t n = assemble(&s->call, &w, &x, &scores, readings);
        assert_true(n > 0);
        for (size_t k = 0; k < n; k++) {
            struct reading left = { .left = readings[k].left }, right = { .left = readings[k].right };
            if (readings[k].set && reading_key(&left) == reading_key(&right)) fail_msg("%s", cases[i]);
        }
    }
}

/* Words of a drawing name nothing and are not missed; a weekday is a bin like months and years. */
static void drawings(void **state)
{
    struct scene *s = *state;
    struct linked l;
    link_question(&s->call, s->view, NULL, "bar chart of concerts by day of the week, y axis in descending order",
                  SINGERS_NOW, &l);
    int held = item(&l, "concert", "held_on"), weekday = -1;
    for (size_t i = l.real_columns; i < l.column_count; i++) {
        assert_int_equal(l.columns[i].grain, GRAIN_WEEKDAY);
        if (l.columns[i].base == (size_t)held) weekday = (int)i;
    }
    assert_true(weekday >= 0);
    static const size_t drawn[] = { 0, 1, 10, 11 };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        assert_true(l.words.items[drawn[i]].flags & WORD_DRAWN);
        assert_int_equal(l.roles[drawn[i]], 0);
        for (size_t k = 0; k < l.unexplained_count; k++)
            assert_string_not_equal(l.unexplained[k], l.words.items[drawn[i]].text);
    }
    struct reading r = { .left = { .items = { { .column = weekday }, { .agg = AGG_COUNT, .column = TERM_STAR } },
                                   .item_count = 2,
                                   .group = { weekday },
                                   .group_count = 1,
                                   .tables = { named_table(&l, "concert") },
                                   .table_count = 1 } };
    struct query *q = reading_plan(&s->call, &l, &r);
    struct check_result found = { 0 };
    assert_int_equal(plan_check(&s->call, s->view, &dialect_find("sqlite")->support, ORIGIN_PLANNER, q, &found), OK);
    struct statement *st;
    assert_int_equal(sql_render(&s->call, "sqlite", q, 100, &st), OK);
    assert_non_null(strstr(st->sql, "strftime('%w'"));
    assert_non_null(strstr(reading_words(&s->call, &l, &r), "weekday of held on"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_together),     cmocka_unit_test(shows_columns),   cmocka_unit_test(trees),
        cmocka_unit_test(near_names),        cmocka_unit_test(grouping),        cmocka_unit_test(plans),
        cmocka_unit_test(readings_in_words), cmocka_unit_test(doubts_in_words), cmocka_unit_test(halves_differ),
        cmocka_unit_test(drawings),
    };
    return cmocka_run_group_tests(tests, scene_open, scene_close);
}
