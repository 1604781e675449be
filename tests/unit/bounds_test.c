/* What a question may cost: bytes, words, literals, readings, looks at the data. Each ceiling holds for questions that
 * are made to pass it, and none is so low that an ordinary long question meets it. */
#include "planners/lexical/rank.h"
#include "planners/planner.h"
#include "singers.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define NOW 1782907200000000

static const char ddl[] =
    "CREATE TABLE station (station_id INTEGER PRIMARY KEY, name TEXT, city TEXT, opened DATE, level REAL, depth REAL, "
    "width REAL, height REAL, load REAL, flow REAL, price REAL, rate REAL, a1 REAL, a2 REAL, a3 REAL, a4 REAL, a5 "
    "REAL, "
    "a6 REAL, a7 REAL, a8 REAL, a9 REAL, b1 REAL, b2 REAL, b3 REAL, b4 REAL, b5 REAL, b6 REAL, b7 REAL);"
    "CREATE TABLE reading (reading_id INTEGER PRIMARY KEY, station_id INTEGER REFERENCES station (station_id), level "
    "REAL, taken DATE, name TEXT, city TEXT);";

static int open_scene(void **state)
{
    return scene_of(state, ddl);
}

static const struct planner *lexical(void)
{
    for (size_t i = 0; planners[i]; i++)
        if (!strcmp(planners[i]->name, "lexical")) return planners[i];
    return NULL;
}

static const char *repeated(struct call *c, const char *first, const char *part, size_t times)
{
    struct buf b;
    buf_init(&b, c, 1 << 20);
    buf_str(&b, first);
    for (size_t i = 0; i < times; i++) buf_str(&b, part);
    return b.data;
}

static const char *why_not(struct scene *s, const char *question)
{
    const struct planner_env env = { .view = s->view, .evidence = EVIDENCE_VALUES };
    struct proposal p = { 0 };
    assert_int_equal(lexical()->plan(&s->call, &env, question, &p), OK);
    return p.why && strstr(p.why, "too long") ? p.why : NULL;
}

/* 2,000 bytes and 120 words are read; one more of either is told, not cut. */
static void length(void **state)
{
    struct scene *s = *state;
    struct call *c = &s->call;
    char text[2002];
    memset(text, 'x', sizeof text);
    memcpy(text, "the name of each station in ", 28);
    text[2001] = '\0';
    assert_non_null(why_not(s, text));
    text[2000] = '\0';
    assert_null(why_not(s, text));
    assert_null(why_not(s, repeated(c, "the name of each station", " at", WORDS_MAX - 5)));
    assert_non_null(why_not(s, repeated(c, "the name of each station", " at", WORDS_MAX - 4)));
    struct words w = { 0 };
    struct stemmer *st = stemmer_open(c);
    words_read(c, st, repeated(c, "", "'x' ", 10000), &w);
    stemmer_close(st);
    assert_int_equal(w.count, WORDS_MAX);
    assert_true(w.truncated);
    assert_in_range(w.quote_count, 1, QUOTES_MAX);
}

/* Literals, the columns that each may belong to, and mentions of a name. */
static void links(void **state)
{
    struct scene *s = *state;
    struct linked l;
    link_question(&s->call, s->view, NULL, repeated(&s->call, "level of", " 1 level 2 'Ulm' Zug,", 19), NOW, &l);
    assert_int_equal(l.span_count, SPANS_MAX);
    size_t most = 0;
    for (size_t i = 0; i < l.span_count; i++) {
        assert_in_range(l.spans[i].column_count, 0, SPAN_COLUMNS_MAX);
        if (l.spans[i].column_count > most) most = l.spans[i].column_count;
    }
    assert_int_equal(most, SPAN_COLUMNS_MAX);
    for (size_t i = 0; i < l.real_columns; i++) assert_in_range(l.columns[i].mention_count, 0, MENTIONS_MAX);
}

struct counted {
    int probes;
    int64_t steps, each;
};

static int probe(struct call *c, const struct planner_env *env, struct query *plan, int64_t step_budget,
                 struct probe_result *out)
{
    struct counted *k = env->ctx;
    k->probes++;
    int64_t steps = k->each < step_budget ? k->each : step_budget;
    k->steps += steps;
    *out = (struct probe_result){ .ok = true, .rows = 1, .steps = steps, .hash = plan_hash(c, plan) };
    return OK;
}

/* Readings that are offered, and looks at the data: so many, and so many steps of the engine all together. */
static void looks(void **state)
{
    static const char *const questions[] = {
        "the name and city with the highest level, depth, width or height in each city",
        "how many stations or readings have a level above 3 and below 5"
    };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        for (int64_t each = 0; each <= 1000000; each += 50000) {
            struct counted k = { .each = each };
            const struct planner_env env = { .view = s->view, .evidence = EVIDENCE_EXECUTE, .probe = probe, .ctx = &k };
            struct proposal p = { 0 };
            assert_int_equal(lexical()->plan(&s->call, &env, questions[i], &p), OK);
            assert_in_range(p.candidates.count, 1, 10);
            assert_in_range(p.option_count, 0, 3);
            assert_in_range(k.probes, 1, RANK_PROBED);
            assert_in_range(k.steps, 0, 200000);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(length), cmocka_unit_test(links), cmocka_unit_test(looks) };
    return cmocka_run_group_tests(tests, open_scene, scene_close);
}
