/* charts: which kind is chosen for which columns, what the sentence says, and that Vega-Lite keeps every digit. */
#include "charts/chart.h"
#include "charts/drawn.h"
#include "charts/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

/* A table in short: columns as "name:kind[!]" with kind n t d b (number text temporal boolean), ! = additive measure,
 * * = measure; rows as texts separated by |, an empty one is NULL. */
struct sample {
    const char *columns;
    const char *rows[30];
    const char *kind; /* asked for, NULL = auto */
    bool truncated;
    const char *chosen; /* NULL = refused */
    const char *takeaway;
};

static const struct sample samples[] = {
    { "n:n!", { "42" }, NULL, false, "big_number", "N: 42." },
    { "totalAmount:n*", { "1" }, NULL, false, "big_number", "Total amount: 1." },
    { "total_amount:n*", { "1234567.8912" }, NULL, false, "big_number", "Total amount: 1,234,567.891." },
    { "city:t orders:n!", { "Berlin|7" }, NULL, false, "big_number", "Berlin, Orders: 7." },
    { "city:t orders:n!",
      { "Berlin|7", "Paris|3" },
      NULL,
      false,
      "bar",
      "Berlin has the highest value of Orders, 7 (70.0% of the total)." },
    { "city:t price:n*",
      { "Berlin|7.5", "Paris|30" },
      NULL,
      false,
      "bar",
      "Paris has the highest value of Price, 30; Berlin has the lowest, 7.5." },
    { "city:t orders:n!", { "Berlin|7", "Berlin|3" }, NULL, false, "table", NULL },
    { "city:t orders:n! sum:n!",
      { "Berlin|7|1", "Paris|3|2" },
      NULL,
      false,
      "bar",
      "Berlin has the highest value of Orders, 7 (70.0% of the total)." },
    { "month:d orders:n!",
      { "2025-01|100", "2025-02|150", "2025-03|125" },
      NULL,
      false,
      "line",
      "Orders went from 100 in 2025-01 to 125 in 2025-03 (+25.0%); the peak was 150 in 2025-02." },
    { "month:d orders:n!",
      { "2025-02|0", "2025-01|0" },
      NULL,
      false,
      "line",
      "Orders went from 0 in 2025-01 to 0 in 2025-02; the peak was 0 in 2025-02." },
    { "month:d orders:n!", { "2025-01|", "2025-02|5" }, NULL, false, "line", NULL },
    { "month:d orders:n!", { "2025-01|1", "2025-02|5" }, NULL, true, "table", NULL },
    { "month:d orders:n!",
      { "2025-01|1", "2025-02|3" },
      "bar",
      false,
      "bar",
      "2025-02 has the highest value of Orders, 3 (75.0% of the total)." },
    { "day:d n:n!", /* more than categories may be */
      { "01|1", "02|1", "03|1", "04|1", "05|1", "06|1", "07|1", "08|1", "09|1", "10|1", "11|1", "12|1", "13|1", "14|1",
        "15|1", "16|1", "17|1", "18|1", "19|1", "20|1", "21|1", "22|1", "23|1", "24|2" },
      "bar",
      false,
      "bar",
      "24 has the highest value of N, 2 (8.0% of the total)." },
    { "city:t n:n!",
      { "a|1", "b|1", "c|1", "d|1", "e|1", "f|1", "g|1", "h|1", "i|1", "j|1", "k|1",
        "l|1", "m|1", "n|1", "o|1", "p|1", "q|1", "r|1", "s|1", "t|1", "u|1" },
      NULL,
      false,
      "table",
      NULL },
    { "month:d city:t orders:n!", { "2025-01|a|1", "2025-01|b|2", "2025-02|a|3" }, NULL, false, "line", NULL },
    { "month:d city:t orders:n!",
      { "1|a|1", "1|b|2", "1|c|3", "1|d|3", "1|e|3", "1|f|3" },
      NULL,
      false,
      "table",
      NULL },
    { "id:n name:t", { "1|a", "2|b" }, NULL, false, "table", NULL },
    { "city:t orders:n!", { "Berlin|7", "Paris|3" }, "table", false, "table", NULL },
    { "city:t orders:n!", { "Berlin|7", "Paris|3" }, "line", false, NULL, NULL },
    { "n:n!", { NULL }, NULL, false, "table", NULL },
    { "a:t a:n!", { "x|1", "y|2" }, NULL, false, "table", NULL },
};

static struct chart_input input(struct call *c, const struct sample *s)
{
    struct chart_column *columns = call_array(c, 8, sizeof *columns);
    const struct cell **rows = call_array(c, 30, sizeof *rows);
    struct chart_input in = { .title = "Q?", .columns = columns, .rows = rows, .truncated = s->truncated };
    for (const char *p = s->columns; *p;) {
        size_t n = strcspn(p, ":");
        struct chart_column *col = &columns[in.column_count++];
        col->name = call_strndup(c, p, n);
        col->kind = p[n + 1] == 'n' ? CHART_NUMBER : p[n + 1] == 'd' ? CHART_TEMPORAL : CHART_TEXT;
        p += n + 2;
        col->additive = *p == '!';
        col->measure = *p == '!' || *p == '*';
        p += strspn(p, "!* ");
    }
    for (; s->rows[in.row_count]; in.row_count++) {
        struct cell *cells = call_array(c, in.column_count, sizeof *cells);
        const char *p = s->rows[in.row_count];
        for (size_t i = 0; i < in.column_count; i++) {
            size_t n = strcspn(p, "|");
            cells[i].kind = !n ? CELL_NULL : columns[i].kind == CHART_NUMBER ? CELL_NUMBER : CELL_TEXT;
            cells[i].text = p;
            cells[i].n = n;
            p += n + (p[n] != 0);
        }
        rows[in.row_count] = cells;
    }
    return in;
}

static void rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        struct call c;
        struct chart_spec spec = { 0 };
        call_begin(&c);
        struct chart_input in = input(&c, s);
        int rc = chart_make(&c, &in, s->kind, &spec);
        if (!s->chosen) {
            assert_int_equal(rc, ERR_VALIDATION_ERROR);
            assert_non_null(strstr(c.err.message, "bar, table"));
        } else {
            assert_int_equal(rc, OK);
            if (strcmp(spec.kind, s->chosen) != 0) fail_msg("sample %zu: %s", i, spec.kind);
            if (s->takeaway)
                assert_string_equal(spec.takeaway, s->takeaway);
            else
                assert_null(spec.takeaway);
            assert_int_equal(spec.vega_lite.text != NULL, strcmp(spec.kind, "table") != 0);
        }
        call_end(&c);
    }
}

static void vega_keeps_digits(void **state)
{
    (void)state;
    struct call c;
    struct chart_spec spec = { 0 };
    const struct json *tree;
    call_begin(&c);
    struct chart_input in = input(
        &c, &(struct sample){ .columns = "a.b\"c:t v:n!", .rows = { "x|12345678901234567890.123456789", "y|NaN" } });
    assert_int_equal(chart_make(&c, &in, NULL, &spec), OK);
    assert_string_equal(spec.kind, "bar");
    assert_non_null(strstr(spec.vega_lite.text, "\"v\":12345678901234567890.123456789"));
    assert_non_null(strstr(spec.vega_lite.text, "\"v\":null"));
    assert_non_null(strstr(spec.vega_lite.text, "\"field\":\"a\\\\.b\\\\\\\"c\""));
    /* the digits above are more than a parser keeps, so only the rest is parsed */
    in = input(&c, &(struct sample){ .columns = "m:d a:n! b:n!", .rows = { "2025-01-01|1|2", "2025-02-01|3|4" } });
    assert_int_equal(chart_make(&c, &in, NULL, &spec), OK);
    assert_int_equal(json_parse(&c, spec.vega_lite.text, spec.vega_lite.n, &tree), OK);
    assert_int_equal(json_get(json_get(tree, "data"), "values")->count, 2);
    assert_int_equal(json_get(tree, "transform")->count, 1);
    assert_string_equal(json_get(json_get(json_get(tree, "encoding"), "x"), "type")->string, "temporal");
    struct buf b;
    buf_init(&b, &c, 1 << 20);
    json_encode(&b, &chart_spec_type, &spec);
    assert_int_equal(json_parse(&c, b.data, b.len, &tree), OK);
    call_end(&c);
}

/* What says how to draw, each word by the first letter of what it is; other words are dots. */
static const struct {
    const char *question, *words, *kind;
} wishes[] = {
    { "bar chart of the number of films by type", "CC.......", "bar" },
    { "Show me a stacked bar chart, please.", "...SCC...", "bar" },
    { "show the total in a grouped line graph", ".....SCC", "line" },
    { "pie chart of customers by country", "CC....", NULL },
    { "a histogram of ages", ".C..", "bar" },
    { "plot them, y axis in descending order", "C..YA...", NULL },
    { "sort by the X from low to high", "...X....", NULL },
    { "rank by the total number in desc", "...HH..", NULL },
    { "draw a chart and show bars in ascending order", "C.C..B...", NULL },
    { "visualize sales and group by attribute name", "C....F.", NULL },
    { "bin the date into weekday interval", "F....F", NULL },
    /* said of the data */
    { "the plot of each film", ".....", NULL },
    { "how many bars are in each town", ".......", NULL },
    { "the total number of lines of the bar", "........", NULL },
    { "charts of the artist by position", "......", NULL },
    { "the intervals of x", "....", NULL },
    { "\"bar chart\"", "..", NULL },
};

static void wishes_of_words(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct stemmer *st = stemmer_open(&c);
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        struct words q = { 0 };
        char said[40] = { 0 };
        words_read(&c, st, wishes[i].question, &q);
        drawn_words(&q);
        for (size_t p = 0; p < q.count; p++)
            said[p] = q.items[p].flags & WORD_DRAWN ? "CSAXYHBF"[drawn_as(&q, p)] : '.';
        if (strcmp(said, wishes[i].words) != 0) fail_msg("%s: %s", wishes[i].question, said);
        const char *kind = drawn_kind(&q);
        if (wishes[i].kind)
            assert_string_equal(kind, wishes[i].kind);
        else
            assert_null(kind);
    }
    stemmer_close(st);
    call_end(&c);
}

static const struct {
    const char *text, *shown;
} numbers[] = {
    { "0", "0" },
    { "-0", "0" },
    { "1234", "1,234" },
    { "-1234567.5", "-1,234,567.5" },
    { "1.0005", "1.001" },
    { "0.0004", "0" },
    { "999.9996", "1,000" },
    { "1e3", "1,000" },
    { "1.5e-2", "0.015" },
    { "12345678901234567890", "12,345,678,901,234,567,890" },
    { "NaN", "NaN" },
    { "1e300", "1e300" },
    { "", "" },
    { "1.2.3", "1.2.3" },
    { "123456789012345678901234567890123", "123456789012345678901234567890123" },
};

static void numbers_are_exact(void **state)
{
    (void)state;
    struct call c;
    struct number a = { 0 }, b = { 0 };
    int64_t permille = 0;
    call_begin(&c);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct buf out;
        buf_init(&out, &c, 1000);
        number_write(&out, numbers[i].text, strlen(numbers[i].text));
        assert_string_equal(out.data, numbers[i].shown);
    }
    assert_true(number_parse("0.30", 4, &a) && number_parse("3e-1", 4, &b));
    assert_int_equal(number_compare(a, b), 0);
    assert_true(number_parse("-5", 2, &b) && number_compare(a, b) > 0 && number_compare(b, a) < 0);
    assert_true(number_parse("1e-30", 5, &a) && number_parse("100000000000000000000000000000", 30, &b));
    assert_true(number_compare(b, a) > 0 && number_compare(a, b) < 0);
    assert_true(number_parse("1", 1, &a) && number_parse("-3", 2, &b) && number_permille(a, b, &permille));
    assert_int_equal(permille, 333);
    assert_true(number_parse("0", 1, &b) && !number_permille(a, b, &permille));
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rules), cmocka_unit_test(wishes_of_words),
                                        cmocka_unit_test(vega_keeps_digits), cmocka_unit_test(numbers_are_exact) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
