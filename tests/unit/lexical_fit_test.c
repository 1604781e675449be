/* Does anything fit: a question with one word that nothing here explains fits less than without it, and what hardly
 * fits is refused or asked back, never answered. */
#include "base/embed.h"
#include "planners/lexical/rank.h"
#include "planners/planner.h"
#include "singers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct planner *lexical(void)
{
    for (size_t i = 0; planners[i]; i++)
        if (!strcmp(planners[i]->name, "lexical")) return planners[i];
    return NULL;
}

static void plan(struct scene *s, const char *question, struct proposal *out)
{
    struct planner_env env = { .view = s->view, .evidence = EVIDENCE_VALUES };
    assert_int_equal(lexical()->plan(&s->call, &env, question, out), OK);
}

static void learned(struct scene *s, struct weights *w)
{
    const struct embedded *file = embedded_find("engine/planners/lexical/weights.bin");
    assert_int_equal(weights_open(&s->call, file->begin, (size_t)(file->end - file->begin), w), OK);
}

static void strange_words_fit_less(void **state)
{
    static const struct {
        const char *known, *strange;
    } cases[] = { { "What is the average age of the singers?", "What is the average salary of the singers?" },
                  { "Show the name and country of each singer.", "Show the name and denomination of each singer." },
                  { "How many concerts are there?", "How many invoices are there?" },
                  { "Which singer has the highest age?", "Which singer has the highest mortgage?" },
                  { "List the title of all concerts.", "List the sponsor of all concerts." } };
    struct scene *s = *state;
    struct weights w;
    learned(s, &w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proposal known = { 0 }, strange = { 0 };
        plan(s, cases[i].known, &known);
        plan(s, cases[i].strange, &strange);
        if (known.fit < (double)w.trust_at) fail_msg("%s: fits by %.3f", cases[i].known, known.fit);
        if (strange.fit >= known.fit / 2) fail_msg("%s: fits by %.3f", cases[i].strange, strange.fit);
        if (strange.verdict == VERDICT_ANSWER) fail_msg("%s: answered", cases[i].strange);
    }
}

/* The thresholds hold whatever else speaks for an answer. */
static void thresholds_hold(void **state)
{
    const struct weights w = { .fit_at = 0.2f, .trust_at = 0.5f, .answer_at = { 0.7f, 0.6f, 0.9f, 0.8f } };
    static const struct {
        struct standing standing;
        enum verdict verdict;
    } cases[] = { { { WAY_VALUES, 0.9f, 0.75f, 0, false }, VERDICT_ANSWER },
                  { { WAY_VALUES, 0.9f, 0.65f, 0, false }, VERDICT_CLARIFY },
                  { { WAY_EXECUTED, 0.9f, 0.65f, 0, false }, VERDICT_ANSWER },
                  { { WAY_EXECUTED_DRAWN, 0.9f, 0.75f, 0, false }, VERDICT_CLARIFY },
                  { { WAY_VALUES, 0.9f, 0.65f, 0.95f, false }, VERDICT_ANSWER }, /* only its showing is open */
                  { { WAY_VALUES, 0.9f, 0.5f, 0.95f, false }, VERDICT_CLARIFY }, /* and no showing is likely */
                  { { WAY_VALUES_DRAWN, 0.9f, 0.65f, 0.95f, false }, VERDICT_CLARIFY },
                  { { WAY_VALUES, 0.9f, 0.56f, 0.95f, false }, VERDICT_ANSWER },
                  { { WAY_VALUES, 0.9f, 0.56f, 0.85f, false }, VERDICT_CLARIFY },
                  { { WAY_VALUES, 0.9f, 0.5f, 0.95f, false }, VERDICT_CLARIFY },
                  { { WAY_VALUES, 0.9f, 1, 1, true }, VERDICT_CLARIFY },   /* held */
                  { { WAY_VALUES, 0.4f, 1, 1, false }, VERDICT_CLARIFY },  /* hardly fits */
                  { { WAY_VALUES, 0.1f, 1, 1, false }, VERDICT_CANNOT } }; /* does not fit */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (rank_verdict(&w, &cases[i].standing) != cases[i].verdict) fail_msg("case %zu", i);
}

/* A reading that leaves something of the question is held. */
static void held(void **state)
{
    (void)state;
    assert_false(rank_held(&(struct reading){ .leaves = -1 }));
    assert_true(rank_held(&(struct reading){ .leaves = 2 }));
    assert_true(rank_held(&(struct reading){ .leaves = -1, .ignores = true }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strange_words_fit_less),
        cmocka_unit_test(thresholds_hold),
        cmocka_unit_test(held),
    };
    return cmocka_run_group_tests(tests, scene_open, scene_close);
}
