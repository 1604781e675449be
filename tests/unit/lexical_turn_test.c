/* Turns: which words ask for one and what plain question they leave; what readings become of it, in words, in numbers,
 * and on every dialect. */
#include "base/embed.h"
#include "planners/lexical/rank.h"
#include "planners/lexical/turn.h"
#include "singers.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Ann has two bills, Bob one, Cyd none; one bill is nobody's. Zed lives nowhere. */
static int open_shop(void **state)
{
    return scene_of(
        state,
        "CREATE TABLE towns (town_id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
        "CREATE TABLE buyers (buyer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, town_id INTEGER "
        "REFERENCES "
        "towns (town_id));"
        "CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyers (buyer_id), issued_on "
        "DATE, "
        "status TEXT, amount DECIMAL(9,2), bill_number INTEGER);"
        "CREATE TABLE surveys (survey_id INTEGER PRIMARY KEY, question TEXT, percentage INTEGER, market_share INTEGER, "
        "average INTEGER);"
        "INSERT INTO towns VALUES (1, 'Ulm'), (2, 'Bonn');"
        "INSERT INTO buyers VALUES (1, 'Ann', 'Peru', 1), (2, 'Bob', 'Peru', 1), (3, 'Cyd', 'Chad', 2), (4, 'Zed', "
        "NULL, "
        "NULL);"
        "INSERT INTO bills (bill_id, buyer_id, issued_on, status, amount) VALUES (1, 1, '2025-01-05', 'open', 10), (2, "
        "1, '2025-02-05', 'paid', 30), (3, 2, "
        "'2026-02-05', 'paid', 40), (4, NULL, '2026-03-05', 'open', 20);");
}

static const char *words_of(struct call *c, const struct words *q)
{
    struct buf b;
    buf_init(&b, c, 4096);
    for (size_t i = 0; i < q->count; i++)
        if (!(q->items[i].flags & WORD_MARK)) buf_format(&b, "%s%s", b.len ? " " : "", q->items[i].fold);
    return b.len ? b.data : "";
}

/* Words that ask for a turn are taken out, words that only look so are left. */
static void finds(void **state)
{
    static const struct {
        const char *question;
        const struct turn_kind *kind;
        const char *plain;
    } cases[] = {
        { "What percentage of bills are open?", &turn_share, "how many bills are open" },
        { "what % of the bills are open", &turn_share, "how many bills are open" },
        { "What is the share of bills by status?", &turn_share, "what is the number of bills for each status" },
        { "share of the amount by status", &turn_share, "total amount for each status" },
        { "bills by status as a percentage of the total", &turn_share, "number of bills for each status" },
        { "average number of bills per buyer", &turn_mean, "number of bills for each buyer" },
        { "On average, how many bills does a buyer have?", &turn_mean, "how many bills does each buyer have" },
        { "bills per buyer on average", &turn_mean, "number of bills for each buyer" },
        { "average bills per buyer", &turn_mean, "number of bills for each buyer" },
        { "average total amount per buyer", &turn_mean, "total amount for each buyer" },
        { "average number of bills per buyer, including buyers without any", &turn_mean,
          "number of bills for each buyer" },
        { "average number of bills per buyer with bills", &turn_mean, "number of bills for each buyer" },
        { "the most expensive bill of each buyer", &turn_best, "the most expensive bill" },
        { "For each buyer, the latest bill", &turn_best, "the latest bill" },
        { "the most recent bill per buyer", &turn_best, "the latest bill" },
        { "the buyer with the most bills in each country", &turn_best, "the buyer with the most bills" },
        { "the 2 largest bills per month", &turn_best, "the 2 largest bills" },
        { "What is the percentage of each survey?", NULL, NULL },
        { "surveys with a market share above 10", NULL, NULL },
        { "the highest percentage of surveys", NULL, NULL },
        { "What is the average of each survey?", NULL, NULL },
        { "the average amount per buyer", NULL, NULL },
        { "average number of bills", NULL, NULL },
        { "average bill number of bills per buyer", NULL, NULL },
        { "number of bills for each buyer", NULL, NULL },
        { "the highest amount for each buyer", NULL, NULL },
        { "How old is the oldest buyer in each country?", NULL, NULL },
        { "the most expensive bill", NULL, NULL },
        { "shares of buyers", NULL, NULL },
        { "what percentage of bills are a share of the total", NULL, NULL },
    };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        link_question(&s->call, s->view, NULL, cases[i].question, SINGERS_NOW, &l);
        const struct turn *t = turn_find(&l);
        if ((t ? t->kind : NULL) != cases[i].kind) fail_msg("%s: %s", cases[i].question, t ? t->kind->name : "no turn");
        if (t && strcmp(words_of(&s->call, &t->words), cases[i].plain) != 0)
            fail_msg("%s: left %s", cases[i].question, words_of(&s->call, &t->words));
        if (t && !strstr(cases[i].question, t->said)) fail_msg("%s: said %s", cases[i].question, t->said);
    }
}

static void open_weights(struct call *c, struct weights *w)
{
    const struct embedded *file = embedded_find("engine/planners/lexical/weights.bin");
    assert_int_equal(weights_open(c, file->begin, (size_t)(file->end - file->begin), w), OK);
}

static const char *sql_of(struct scene *s, const struct question *q, const struct reading *r, const char *dialect)
{
    struct query *plan = reading_plan(&s->call, &q->linked, r);
    struct check_result found = { 0 };
    struct statement *st = NULL;
    if (plan_check(&s->call, s->view, &dialect_find(dialect)->support, ORIGIN_PLANNER, plan, &found) ||
        sql_render(&s->call, dialect, plan, 1000, &st))
        fail_msg("%s: %s: %s", dialect, reading_words(&s->call, &q->linked, r), s->call.err.message);
    return st->sql;
}

/* Whatever a reading becomes passes the check and is rendered on every dialect, and SQLite runs it. */
static void renders(void **state)
{
    static const char *const questions[] = {
        "What percentage of bills have the status \"open\"?",
        "What percentage of bills in 2025 are open?",
        "percentage of open bills by country",
        "share of the amount by town",
        "share of bills per month",
        "what percentage of buyers have bills",
        "what percentage of buyers in each country have no bills",
        "average number of bills per buyer",
        "average number of bills per town",
        "average total amount per town",
        "average number of open bills per buyer in 2025",
        "average number of bills per month",
        "the most expensive bill of each buyer",
        "the latest bill of each town",
        "the buyer with the most bills in each country",
        "the buyer with the highest total amount per town",
        "the 2 largest bills per quarter",
    };
    struct scene *s = *state;
    struct weights w;
    open_weights(&s->call, &w);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct question *q = call_alloc(&s->call, sizeof *q);
        struct candidates k;
        size_t turned = 0;
        question_read(&s->call, s->view, NULL, questions[i], SINGERS_NOW, &w, q);
        candidates_open(&s->call, &w, q, &k);
        candidates_rank(&s->call, &k);
        if (!q->turned || k.context != &q->turned->context) fail_msg("%s: not turned", questions[i]);
        for (size_t n = 0; n < k.count; n++) {
            if (!k.readings[n].turned) continue;
            turned++;
            for (size_t d = 0; dialects[d]; d++) sql_of(s, q->turned, &k.readings[n], dialects[d]->name);
            fixture_rows(&s->fixture, &s->call, sql_of(s, q->turned, &k.readings[n], "sqlite"));
        }
        if (!turned) fail_msg("%s: nothing was turned", questions[i]);
    }
}

/* The numbers: NULL keys, things without any, rows that tie, an empty whole. */
static void counts(void **state)
{
    static const struct {
        const char *question, *words, *rows;
    } cases[] = {
        { "What percentage of bills are 'open'?", "the percentage of bills where status is open", "50.0" },
        { "What percentage of bills are 'lost'?", "the percentage of bills where status is lost", "0.0" },
        { "What percentage of bills in 2024 are 'open'?",
          "the percentage of bills where status is open among bills where issued on is in 2024", "~" },
        { "share of bills by status", "the number of bills for each status, as a percentage of all together",
          "open|50.0\npaid|50.0" },
        { "share of the amount by status", "the total amount of bills for each status, as a percentage of all together",
          "open|30.0\npaid|70.0" },
        { "share of buyers by town",
          "the name of towns and the number of buyers for each town, as a percentage of all together",
          "~|25.0\nUlm|50.0\nBonn|25.0" },
        { "what percentage of buyers have bills", "the percentage of buyers with bills", "50.0" },
        { "average number of bills per buyer",
          "the average of the number of bills, for each buyer, counting only buyers with bills", "1.5" },
        { "average number of bills per buyer",
          "the average of the number of bills, for each buyer, where buyers without any count as 0", "0.75" },
        { "average number of bills per buyer, including buyers without any",
          "the average of the number of bills, for each buyer, where buyers without any count as 0", "0.75" },
        { "average total amount per buyer",
          "the average of the total amount of bills, for each buyer, counting only buyers with bills", "40.0" },
        { "average total amount per buyer",
          "the average of the total amount of bills, for each buyer, where buyers without any count as 0", "20.0" },
        { "the bill with the highest amount of each buyer",
          "the bill id and the amount of bills, only the one with the highest amount, for each buyer (all that tie)",
          "Ann|2|30\nBob|3|40" },
        { "the buyer with the most bills in each country",
          "the name of buyers and the number of bills for each buyer, only the one with the most bills, for each "
          "country of buyers (all that tie)",
          "Peru|Ann|2" },
    };
    struct scene *s = *state;
    struct weights w;
    open_weights(&s->call, &w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct question *q = call_alloc(&s->call, sizeof *q);
        struct candidates k;
        const char *rows = NULL;
        struct buf seen;
        buf_init(&seen, &s->call, 100000);
        question_read(&s->call, s->view, NULL, cases[i].question, SINGERS_NOW, &w, q);
        candidates_open(&s->call, &w, q, &k);
        for (size_t n = 0; n < k.count && !rows; n++) {
            if (!k.readings[n].turned) continue;
            const char *words = reading_words(&s->call, &q->turned->linked, &k.readings[n]);
            if (!strcmp(words, cases[i].words))
                rows = fixture_rows(&s->fixture, &s->call, sql_of(s, q->turned, &k.readings[n], "sqlite"));
            buf_format(&seen, "\n  %s", words);
        }
        if (!rows) fail_msg("%s: %s", cases[i].question, seen.len ? seen.data : "nothing was turned");
        size_t n = strlen(rows);
        while (n && rows[n - 1] == '\n') n--;
        if (n != strlen(cases[i].rows) || strncmp(rows, cases[i].rows, n) != 0)
            fail_msg("%s: %s", cases[i].words, rows);
    }
}

/* A reading whose form does not allow the turn is a rival that nobody is told. */
static void keeps_rivals(void **state)
{
    struct scene *s = *state;
    struct linked *l;
    struct question *q = call_alloc(&s->call, sizeof *q);
    l = &q->linked;
    link_question(&s->call, s->view, NULL, "share of bills by status", SINGERS_NOW, l);
    graph_build(&s->call, l, &q->graph);
    context_read(&s->call, l, &q->graph, &q->context);
    const struct turn *t = turn_find(l);
    const int bills = named_table(l, "bills"), status = (int)(named_column(l, "bills", "status") - l->columns);
    const struct reading readings[] = {
        { .left = { .items = { { .column = status } }, .item_count = 1, .tables = { bills }, .table_count = 1 } },
        { .left = { .items = { { .column = status }, { .agg = AGG_COUNT, .column = TERM_STAR } },
                    .item_count = 2,
                    .group = { status },
                    .group_count = 1,
                    .tables = { bills },
                    .table_count = 1 } },
        { .left = { .items = { { .column = status } }, .item_count = 1, .tables = { bills }, .table_count = 1 },
          .ignores = true },
    };
    struct reading *out;
    assert_int_equal(turn_readings(&s->call, t, q, readings, 3, &out), 2);
    assert_true(out[0].unturned && !out[0].turned);
    assert_true(!out[1].unturned && out[1].turned);
    assert_int_equal(turn_readings(&s->call, t, q, readings, 1, &out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(finds), cmocka_unit_test(renders), cmocka_unit_test(counts),
                                        cmocka_unit_test(keeps_rivals) };
    return cmocka_run_group_tests(tests, open_shop, scene_close);
}
