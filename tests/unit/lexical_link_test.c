/* The lexical planner finds names and literals of the schema in a question. */
#include "planners/lexical/link.h"
#include "singers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A thousand tables: the one that is asked for and what ties it to another are linked, most are not. */
static void narrows(void **state)
{
    struct call *c = &((struct scene *)*state)->call;
    struct table *tables = call_array(c, 1000, sizeof *tables);
    static struct column columns[] = { { .name = "id", .type = { .kind = TYPE_INTEGER } },
                                       { .name = "weight", .type = { .kind = TYPE_INTEGER } } };
    static const char *const own[] = { "left_id" }, *const other[] = { "right_id" }, *const id[] = { "id" };
    static struct foreign_key keys[] = {
        { .columns = own, .column_count = 1, .table = "left_thing", .referred = id },
        { .columns = other, .column_count = 1, .table = "right_thing", .referred = id }
    };
    for (size_t i = 0; i < 1000; i++)
        tables[i] = (struct table){ .name = call_format(c, "filler_%zu", i), .columns = columns, .column_count = 2 };
    tables[10].name = "left_thing";
    tables[500].name = "right_thing";
    tables[900].name = "zz";
    tables[900].foreign_keys = keys;
    tables[900].foreign_key_count = 2;
    struct view view = { .tables = tables, .table_count = 1000 };
    struct linked l;
    link_question(c, &view, NULL, "left things of each right thing", SINGERS_NOW, &l);
    assert_true(l.table_count <= 41);
    assert_true(named_table(&l, "left_thing") >= 0);
    assert_true(named_table(&l, "right_thing") >= 0);
    assert_true(named_table(&l, "zz") >= 0);
}

static void mentions(void **state)
{
    static const struct {
        const char *question, *table, *column;
        enum mention_kind kind;
    } cases[] = { { "the ages of singers", "singer", "age", MENTION_EXACT },
                  { "each singer id", "singer", "singer_id", MENTION_EXACT },
                  { "how many singers", "singer", "singer_id", MENTION_NO_ID },
                  { "the cuontry of singers", "singer", "country", MENTION_WEAK },
                  { "held last on", "concert", "held_on", MENTION_WINDOW },
                  { "the youngest singer", "singer", "age", MENTION_SYNONYM },
                  { "the nation of each singer", "singer", "country", MENTION_SYNONYM },
                  { "the titles", "singer", "age", MENTION_NONE } };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        link_question(&s->call, s->view, NULL, cases[i].question, SINGERS_NOW, &l);
        const struct lex_column *col = named_column(&l, cases[i].table, cases[i].column);
        assert_non_null(col);
        enum mention_kind kind = col->mention_count ? col->mentions[0].kind : MENTION_NONE;
        if (kind != cases[i].kind) fail_msg("%s: %d instead of %d", cases[i].question, (int)kind, (int)cases[i].kind);
    }
}

/* What is stored as a code or as yes or no is found by what people say for it; "First Last" stays two values. */
static void codes(void **state)
{
    static const char *const sexes[] = { "F", "M" }, *const answers[] = { "No", "Yes" },
                             *const letters[] = { "A", "B" };
    static struct column columns[] = {
        { .name = "sex", .type = { .kind = TYPE_TEXT }, .samples = sexes, .sample_count = 2, .distinct_count = 2 },
        { .name = "approved",
          .type = { .kind = TYPE_TEXT },
          .samples = answers,
          .sample_count = 2,
          .distinct_count = 2 },
        { .name = "is_active", .type = { .kind = TYPE_INTEGER }, .min = "0", .max = "1" },
        { .name = "grade", .type = { .kind = TYPE_TEXT }, .samples = letters, .sample_count = 2, .distinct_count = 26 },
        { .name = "score", .type = { .kind = TYPE_INTEGER }, .min = "0", .max = "9" },
    };
    static struct table tables[] = { { .name = "member", .columns = columns, .column_count = 5 } };
    static const struct view view = { .tables = tables, .table_count = 1 };
    static const struct {
        const char *question, *column, *value;
        enum span_kind kind;
    } cases[] = { { "how many female members", "sex", "F", SPAN_CODE },
                  { "how many MALE members", "sex", "M", SPAN_CODE },
                  { "girls among the members", "sex", "F", SPAN_CODE },
                  { "how many folks", "sex", NULL, SPAN_CODE },
                  { "members that are approved", "approved", "Yes", SPAN_FLAG },
                  { "members that were not approved", "approved", "No", SPAN_FLAG },
                  { "active members", "is_active", "1", SPAN_FLAG },
                  { "members without active", "is_active", "0", SPAN_FLAG },
                  { "awful members", "grade", NULL, SPAN_CODE },
                  { "members with a score", "score", NULL, SPAN_FLAG } };
    struct call *c = &((struct scene *)*state)->call;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        const char *found = NULL;
        link_question(c, &view, NULL, cases[i].question, SINGERS_NOW, &l);
        for (size_t k = 0; k < l.span_count; k++)
            for (size_t n = 0; n < l.spans[k].column_count && l.spans[k].kind == cases[i].kind; n++)
                if (!strcmp(l.columns[l.spans[k].columns[n].column].column->name, cases[i].column))
                    found = l.spans[k].columns[n].value;
        if (!found != !cases[i].value || (found && strcmp(found, cases[i].value)))
            fail_msg("%s: %s", cases[i].question, found ? found : "nothing");
    }
}

/* Literals find the columns that they may belong to: bare years also in keys and inside a range, parts of texts, what a
 * quotation ends with, amounts that are kept as texts. */
static void literals_find_columns(void **state)
{
    static const char *const prices[] = { "9.5", "12" }, *const codes[] = { "0123", "0456" };
    static struct column columns[] = {
        { .name = "title", .type = { .kind = TYPE_TEXT }, .primary_key = 1 },
        { .name = "year", .type = { .kind = TYPE_INTEGER }, .primary_key = 2 },
        { .name = "price",
          .type = { .kind = TYPE_TEXT },
          .min = "12",
          .max = "9.5",
          .samples = prices,
          .sample_count = 2 },
        { .name = "post",
          .type = { .kind = TYPE_TEXT },
          .min = "0123",
          .max = "0456",
          .samples = codes,
          .sample_count = 2 },
        { .name = "held_on", .type = { .kind = TYPE_DATE } },
    };
    static struct table tables[] = { { .name = "tour", .columns = columns, .column_count = 5 } };
    static struct table_access access[1];
    static const struct snapshot snapshot = { .tables = tables, .table_count = 1 };
    static const struct view view = { .snapshot = &snapshot, .tables = tables, .table_count = 1, .access = access };
    static const struct {
        const char *question, *column, *value;
        enum span_kind kind;
    } cases[] = { { "tours in 2009", "year", "2009", SPAN_NUMBER },
                  { "tours between 2009 and 2011", "year", "2011", SPAN_NUMBER },
                  { "titles that contain the letter e", "title", "e", SPAN_QUOTE },
                  { "titles with the letter 's' in them", "title", "s", SPAN_QUOTE },
                  { "titles starting with Sa", "title", "Sa", SPAN_QUOTE },
                  { "titles with the word love", "title", "love", SPAN_QUOTE },
                  { "titles that start with a tour", "title", "a", SPAN_QUOTE },
                  { "tours named \"Graphics.\"", "title", "Graphics", SPAN_VALUE },
                  { "tours above 11", "price", "11", SPAN_NUMBER },
                  { "tours above 11", "post", NULL, SPAN_NUMBER } };
    struct call *c = &((struct scene *)*state)->call;
    struct value_builder *b = value_builder_new(c, 0);
    assert_true(value_builder_add(b, NULL, "tour", "title", "Graphics"));
    struct value_index *values = value_builder_end(b);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct linked l;
        const char *found = NULL;
        link_question(c, &view, values, cases[i].question, SINGERS_NOW, &l);
        for (size_t k = 0; k < l.span_count; k++)
            for (size_t n = 0; n < l.spans[k].column_count && l.spans[k].kind == cases[i].kind; n++)
                if (l.spans[k].columns[n].column < l.column_count &&
                    !strcmp(l.columns[l.spans[k].columns[n].column].column->name, cases[i].column)) {
                    found = l.spans[k].columns[n].value;
                    assert_true(l.spans[k].part == (cases[i].kind == SPAN_QUOTE)); /* not compared as a whole */
                }
        if (!found != !cases[i].value || (found && strcmp(found, cases[i].value) != 0))
            fail_msg("%s: %s", cases[i].question, found ? found : "nothing");
    }
    value_index_free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrows),
        cmocka_unit_test(mentions),
        cmocka_unit_test(codes),
        cmocka_unit_test(literals_find_columns),
    };
    return cmocka_run_group_tests(tests, scene_open, scene_close);
}
