/* answer: the sentence of the template for each shape of result, and rows kept, hashed and encoded exactly. */
#include "ask/run.h"
#include "handmade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

/* Feeds rows such as "Berlin|12" to a sink; ~ is NULL; digits are numbers. */
static void feed(struct call *c, const struct row_sink *sink, const char *names, const char *const *rows)
{
    struct result_column columns[8] = { { 0 } };
    size_t count = 0;
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, "|");
        columns[count].name = call_strndup(c, p, n);
        columns[count++].type.kind = TYPE_TEXT;
        p += n + (p[n] != 0);
    }
    assert_int_equal(sink->columns(sink->ctx, c, columns, count), OK);
    for (; rows && *rows; rows++) {
        struct cell cells[8];
        const char *p = *rows;
        for (size_t i = 0; i < count; i++) {
            size_t n = strcspn(p, "|");
            cells[i] = (struct cell){ .kind = CELL_TEXT, .text = p, .n = n };
            if (n == 1 && *p == '~')
                cells[i].kind = CELL_NULL;
            else if (n && strspn(p, "0123456789.-") >= n)
                cells[i].kind = CELL_NUMBER;
            p += n + (p[n] != 0);
        }
        int rc = sink->row(sink->ctx, c, cells, count);
        if (rc) return;
    }
}

static const struct {
    const char *reading, *names;
    const char *rows[13];
    bool truncated;
    const char *summary;
} sentences[] = {
    { "the number of customers", "n", { "3000" }, false, "The number of customers is 3000." },
    { "How many customers do we have?", "n", { "3000" }, false, "How many customers do we have: 3000." },
    { "the sum of amount",
      "sum",
      { "12345678901234567890.10" },
      false,
      "The sum of amount is 12345678901234567890.10." },
    { "the highest score", "max", { "~" }, false, "The highest score: no value." },
    { "the first order",
      "order_id|placed_on",
      { "7|2025-01-02" },
      false,
      "The first order: order id 7, placed on 2025-01-02." },
    { "cities", "city", { "Köln", "Paris", "Kraków" }, false, "Cities: Köln, Paris and Kraków." },
    { "orders for each city",
      "city|n",
      { "Berlin|12", "~|3" },
      false,
      "Orders for each city: Berlin 12 and no value 3." },
    { "orders for each year",
      "year|n",
      { "2025|12", "2026|3" },
      false,
      "Orders for each year: 2025 (12) and 2026 (3)." },
    { "the firm", "FirmName|city", { "Vinga|Lund" }, false, "The firm: Firm name Vinga, city Lund." },
    { "the firm", "name", { "Vinga Inc." }, false, "The firm is Vinga Inc." },
    { "customers in Atlantis", "name", { NULL }, false, "Nothing was found: customers in Atlantis." },
    { "all", "n", { "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11" }, false, "All: 11 rows; the first is 1." },
    { "all", "n", { "1", "2" }, true, "All: more than 2 rows; the first is 1." },
    { "all", "a|b|c", { "1|2|3", "4|5|6" }, false, "All: 2 rows; the first is a 1, b 2, c 3." },
};

static void summaries(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        struct call c;
        struct recorder r;
        call_begin(&c);
        struct row_sink sink = recorder_begin(&r, &c);
        feed(&c, &sink, sentences[i].names, sentences[i].rows);
        recorder_end(&r);
        struct run_stats stats = { .rows = (int64_t)r.hash.rows, .truncated = sentences[i].truncated };
        struct answer_text *text = ask_sentence(&c, sentences[i].reading, &r, &stats);
        assert_string_equal(text->summary, sentences[i].summary);
        call_end(&c);
    }
}

static void content_is_a_table(void **state)
{
    (void)state;
    struct call c;
    struct recorder r;
    call_begin(&c);
    struct row_sink sink = recorder_begin(&r, &c);
    feed(&c, &sink, "a", (const char *const[]){ "x\ny", "p", NULL });
    recorder_end(&r);
    struct run_stats stats = { .rows = 2 };
    assert_string_equal(ask_sentence(&c, "all", &r, &stats)->content,
                        "All: x\ny and p.\n\n| a |\n| --- |\n| x y |\n| p |\n");
    call_end(&c);
}

static const char *hash_of(struct call *c, const char *names, const char *const *rows)
{
    struct recorder r;
    struct row_sink sink = recorder_begin(&r, c);
    feed(c, &sink, names, rows);
    recorder_end(&r);
    return row_hash_text(&r.hash);
}

static void hash_is_of_a_multiset(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    const char *h = hash_of(&c, "a|b", (const char *const[]){ "1|2", "3|4", NULL });
    assert_int_equal(strlen(h), 64);
    assert_string_equal(h, hash_of(&c, "a|b", (const char *const[]){ "3|4", "1|2", NULL }));
    static const char *const others[][4] = { { "1|2", "3|5", NULL },        { "1|2", NULL },
                                             { "1|2", "3|4", "3|4", NULL }, { "1|2", "3|~", NULL },
                                             { "12|", "3|4", NULL },        { NULL } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_string_not_equal(h, hash_of(&c, "a|b", others[i]));
    call_end(&c);
}

static void long_results_are_cut(void **state)
{
    (void)state;
    struct call c;
    struct recorder r;
    static const char *many[1503], *wide[12];
    static char text[200001];
    call_begin(&c);
    for (int i = 0; i < 1502; i++) many[i] = "1";
    struct row_sink sink = recorder_begin(&r, &c);
    feed(&c, &sink, "n", many);
    recorder_end(&r);
    assert_int_equal(r.rows.count, RESULT_ROWS);
    assert_int_equal(r.hash.rows, 1502);
    assert_int_equal(r.chunks.count, 5);
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 11; i++) wide[i] = text;
    sink = recorder_begin(&r, &c);
    feed(&c, &sink, "t", wide);
    recorder_end(&r);
    assert_int_equal(r.rows.count, 5);
    assert_int_equal(r.hash.rows, 11);
    call_end(&c);
}

static const struct {
    int format, formulas;
    const char *names;
    const char *rows[6];
    const char *text;
} exports[] = {
    { 0,
      FORMULAS_KEEP,
      "id|na,me",
      { "1|plain", "2|say \"hi\"", "~|a,b", "-4.50|", "5|=1+1", NULL },
      "id,\"na,me\"\r\n1,plain\r\n2,\"say \"\"hi\"\"\"\r\n,\"a,b\"\r\n-4.50,\"\"\r\n5,=1+1\r\n" },
    { 0,
      FORMULAS_ESCAPE,
      "id",
      { "=1+1", "+x", "-x", "@a", "-4.5", NULL },
      "id\r\n\"'=1+1\"\r\n\"'+x\"\r\n\"'-x\"\r\n\"'@a\"\r\n-4.5\r\n" },
    { 0, FORMULAS_KEEP, "a", { "line\nbreak", "Łódź ☕", NULL }, "a\r\n\"line\nbreak\"\r\nŁódź ☕\r\n" },
    { 2,
      FORMULAS_KEEP,
      "a|a|a_2",
      { "1|x|~", "9007199254740993|\"|1.50", NULL },
      "{\"a\":1,\"a_2\":\"x\",\"a_2_2\":null}\n{\"a\":\"9007199254740993\",\"a_2\":\"\\\"\",\"a_2_2\":\"1.50\"}\n" },
};

static void formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++) {
        struct call c;
        call_begin(&c);
        struct export_writer w;
        struct buf out;
        buf_init(&out, &c, 1 << 20);
        export_writer_init(&w, &c, export_formats[exports[i].format], exports[i].formulas, &out);
        struct row_sink sink = { .columns = export_writer_columns, .row = export_writer_row, .ctx = &w };
        feed(&c, &sink, exports[i].names, exports[i].rows);
        assert_string_equal(out.data, exports[i].text);
        call_end(&c);
    }
}

static void json_export_parses(void **state)
{
    (void)state;
    struct call c;
    struct export_writer w;
    struct buf out;
    const struct json *tree;
    struct export_end end = {
        .executed_at = 1700000000000000, .row_count = 2, .row_hash = "h", .row_hash_equal = true
    };
    call_begin(&c);
    buf_init(&out, &c, 1 << 20);
    export_writer_init(&w, &c, export_formats[1], FORMULAS_KEEP, &out);
    struct row_sink sink = { .columns = export_writer_columns, .row = export_writer_row, .ctx = &w };
    feed(&c, &sink, "a|b", (const char *const[]){ "1|~", "2|x", NULL });
    w.format->end(&out, &w.state, &end);
    assert_int_equal(json_parse(&c, out.data, out.len, &tree), OK);
    assert_int_equal(json_get(tree, "rows")->count, 2);
    assert_int_equal(json_get(tree, "columns")->count, 2);
    assert_true(json_get(json_get(tree, "end"), "row_hash_equal")->boolean);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(summaries),
                                        cmocka_unit_test(content_is_a_table),
                                        cmocka_unit_test(hash_is_of_a_multiset),
                                        cmocka_unit_test(long_results_are_cut),
                                        cmocka_unit_test(formats),
                                        cmocka_unit_test(json_export_parses) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
