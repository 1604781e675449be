/* The lexical planner reads a question: words, names, times, cues, notes, languages. */
#include "charts/drawn.h"
#include "planners/lexical/dense.h"
#include "planners/lexical/language.h"
#include "singers.h"
#include "sql/dialects/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void words(void **state)
{
    static const struct {
        const char *text, *folds;
    } cases[] = { { "What's the singer's NAME?", "what the singer name ?" },
                  { "more than 1,250.5 of 3", "more than 1,250.5 of 3" },
                  { "since 2025-03-01, \"Big Bang\"", "since 2025-03-01 , big bang" },
                  { "Stra\xc3\x9f"
                    "e in Krak\xc3\xb3w",
                    "strasse in krakow" },
                  { "the owner\u2019s and the customers\u2019 names", "the owner and the customers names" },
                  { "\u201cBig Bang\u201d, then \u2018ee\u2019 \u2014 5\u20ac\u00a0each\u2026",
                    "big bang , then ee 5 each" },
                  { "O\u2019Brien na\u00efve", "o brien naive" },
                  { "", "" },
                  { "\xff\xfe", "\xff\xfe" } };
    struct call *c = &((struct scene *)*state)->call;
    struct stemmer *st = stemmer_open(c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct words w = { 0 };
        struct buf b;
        buf_init(&b, c, 1000);
        words_read(c, st, cases[i].text, &w);
        for (size_t k = 0; k < w.count; k++) buf_format(&b, "%s%s", k ? " " : "", w.items[k].fold);
        assert_string_equal(b.data, cases[i].folds);
    }
    struct words w = { 0 };
    words_read(c, st, "the 'Big Bang' of two", &w);
    assert_int_equal(w.quote_count, 1);
    assert_string_equal(w.quotes[0].text, "Big Bang");
    assert_string_equal(w.items[w.count - 1].number, "2");
    stemmer_close(st);
}

static void names(void **state)
{
    static const struct {
        const char *name, *parts;
    } cases[] = { { "customer_id", "customer id" }, { "CustomerID", "customer id" },
                  { "HTTPCode", "http code" },      { "addr2", "addr 2" },
                  { "first name", "first name" },   { "URLs", "urls" },
                  { "Prix (\u20ac)", "prix" },      { "gr\u00f6\u00dfe_cm", "grosse cm" } };
    struct call *c = &((struct scene *)*state)->call;
    struct stemmer *st = stemmer_open(c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct word parts[8];
        struct buf b;
        buf_init(&b, c, 1000);
        size_t n = name_words(c, st, cases[i].name, parts, 8);
        for (size_t k = 0; k < n; k++) buf_format(&b, "%s%s", k ? " " : "", parts[k].fold);
        assert_string_equal(b.data, cases[i].parts);
    }
    stemmer_close(st);
}

static void times(void **state)
{
    static const struct {
        const char *question, *from, *to;
    } cases[] = { { "concerts in 2025", "2025-01-01", "2026-01-01" },
                  { "concerts in May 2025", "2025-05-01", "2025-06-01" },
                  { "concerts from 2025", "2025-01-01", "2026-01-01" },
                  { "concerts from 2025 onwards", "2025-01-01", NULL },
                  { "concerts starting from May 2025", "2025-05-01", NULL },
                  { "concerts between May and July 2025", "2025-05-01", "2025-08-01" },
                  { "concerts from 2024 to 2025", "2024-01-01", "2026-01-01" },
                  { "concerts since 2025-03-01", "2025-03-01", NULL },
                  { "concerts after 2025-03-01", "2025-03-02", NULL },
                  { "concerts before March 2025", NULL, "2025-03-01" },
                  { "concerts until 2025", NULL, "2026-01-01" },
                  { "concerts last month", "2026-06-01", "2026-07-01" },
                  { "concerts this year", "2026-01-01", "2027-01-01" },
                  { "concerts last week", "2026-06-22", "2026-06-29" },
                  { "concerts in the last 30 days", "2026-06-02", "2026-07-02" },
                  { "concerts yesterday", "2026-06-30", "2026-07-01" },
                  { "concerts on May 5, 2025", "2025-05-05", "2025-05-06" },
                  { "concerts on the 29th of February 2024", "2024-02-29", "2024-03-01" },
                  { "concerts in Q2 2025", "2025-04-01", "2025-07-01" },
                  { "concerts in the third quarter of 2025", "2025-07-01", "2025-10-01" },
                  { "concerts in August", "2025-08-01", "2025-09-01" } };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        link_question(&s->call, s->view, NULL, cases[i].question, SINGERS_NOW, &l);
        const struct span *found = NULL;
        for (size_t k = 0; k < l.span_count && !found; k++)
            if (l.spans[k].range.from || l.spans[k].range.to) found = &l.spans[k];
        if (!found) fail_msg("%s: no time", cases[i].question);
        if (cases[i].from)
            assert_string_equal(found->range.from, cases[i].from);
        else
            assert_null(found->range.from);
        if (cases[i].to)
            assert_string_equal(found->range.to, cases[i].to);
        else
            assert_null(found->range.to);
    }
    static const char none[] = "singers who may sing";
    struct linked l;
    link_question(&s->call, s->view, NULL, none, SINGERS_NOW, &l);
    for (size_t k = 0; k < l.span_count; k++) assert_null(l.spans[k].range.from);
}

static void cues(void **state)
{
    static const struct {
        const char *question;
        uint32_t said;
    } cases[] = {
        { "the highest price", 1u << CUE_MOST },
        { "the least expensive singer", 1u << CUE_LEAST },
        { "how many singers per country", 1u << CUE_COUNT | 1u << CUE_EACH },
        { "the number of different countries", 1u << CUE_COUNT | 1u << CUE_DISTINCT },
        { "at least three singers", 0 },
        { "singers sorted by age", 1u << CUE_ORDER },
        { "the order of a singer", 1u << CUE_ORDER },
        { "the first and last names of singers", 0 },
        { "the last name", 0 },
        { "the last order by name", 1u << CUE_MOST | 1u << CUE_ORDER },
        { "every order placed", 1u << CUE_EACH },
        { "the average and total age", 1u << CUE_AVERAGE | 1u << CUE_SUM },
        { "singers without a phone", 1u << CUE_NOT },
        { "a seat between 3 and 5", 1u << CUE_BETWEEN },
        { "sort x axis from high to low", 1u << CUE_ORDER | 1u << CUE_DESCENDING | 1u << CUE_CHART | 1u << CUE_BY_X },
        { "rank by the y axis in asc", 1u << CUE_ORDER | 1u << CUE_ASCENDING | 1u << CUE_CHART | 1u << CUE_BY_Y },
        { "show by name in desc", 1u << CUE_ORDER | 1u << CUE_DESCENDING },
        { "a stacked bar chart", 1u << CUE_CHART | 1u << CUE_SERIES },
        { "ages grouped by country", 1u << CUE_EACH },
        { "\"most\"", 0 },
        { "singers \xcc\x81 by \xcc\x88 age", 0 }, /* marks that stand alone fold to nothing */
    };
    struct call *c = &((struct scene *)*state)->call;
    struct stemmer *st = stemmer_open(c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct words w = { 0 };
        uint32_t said = 0;
        words_read(c, st, cases[i].question, &w);
        drawn_words(&w);
        for (size_t p = 0; p < w.count; p++) said |= word_cues(&w, p);
        if (said != cases[i].said) fail_msg("%s: %x instead of %x", cases[i].question, said, cases[i].said);
    }
    stemmer_close(st);
}

/* Notes are read as sentences; what only looks like one of them stays. */
static void notes(void **state)
{
    static const struct {
        const char *question, *folds;
    } cases[] = { { "singers by country", "number of singers for each country" },
                  { "average age per country", "average age for each country" },
                  { "average age by country, highest first", "average age for each country , in descending order" },
                  { "singers sorted by age", "singers sorted by age" },
                  { "top 3 countries by age", "top 3 countries by age" },
                  { "concerts given by singers", "concerts given by singers" },
                  { "concerts by singer Adele", "concerts by singer adele" },
                  { "max age of singers", "maximum age of singers" },
                  { "avrage age of singers", "average age of singers" },
                  { "singers named Max", "singers named max" } };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        struct buf b;
        buf_init(&b, &s->call, 1000);
        link_question(&s->call, s->view, NULL, cases[i].question, SINGERS_NOW, &l);
        for (size_t k = 0; k < l.words.count; k++) buf_format(&b, "%s%s", k ? " " : "", l.words.items[k].fold);
        assert_string_equal(b.data, cases[i].folds);
    }
}

/* Function words tell the language; names of people and places do not. */
static void languages(void **state)
{
    static const struct {
        const char *question, *language;
    } cases[] = { { "Welche Singer kommen aus Berlin?", "German" },
                  { "Name aller S\xc3\xa4nger", "German" },
                  { "Was ist der Titel von Concert 1?", "German" },
                  { "Combien de singers par country ?", "French" },
                  { "Liste des singers", "another language" },
                  { "\xc2\xbf"
                    "Cu\xc3\xa1ntos singers hay?",
                    "Spanish" },
                  { "Hoeveel singers zijn er?", "Dutch" },
                  { "\xd0\xa1\xd0\xba\xd0\xbe\xd0\xbb\xd1\x8c\xd0\xba\xd0\xbe singers", NULL },
                  { "\xd0\xa1\xd0\xba\xd0\xbe \xd0\xbf\xd0\xb5\xd0\xb2?", "another language" },
                  { "How many singers are from Rio de Janeiro?", NULL },
                  { "singers named van der Berg", NULL },
                  { "concerts per country", NULL },
                  { "How many singers were in the show Ohne?", NULL },
                  { "Which singers are from Playa de los del Mar?", NULL },
                  { "Who sang 'Wie viele Leute sind das'?", NULL },
                  { "list all singers", NULL } };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        link_question(&s->call, s->view, NULL, cases[i].question, SINGERS_NOW, &l);
        const char *found = language_foreign(&l);
        if (!found != !cases[i].language || (found && strcmp(found, cases[i].language)))
            fail_msg("%s: %s", cases[i].question, found ? found : "English");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words), cmocka_unit_test(names), cmocka_unit_test(times),
        cmocka_unit_test(cues),  cmocka_unit_test(notes), cmocka_unit_test(languages),
    };
    return cmocka_run_group_tests(tests, scene_open, scene_close);
}
