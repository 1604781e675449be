/* Retrieval: of a schema with thousands of tables, those that a question speaks of are kept, with what ties them
 * together; what a caller's view does not have takes no part. */
#include "domain/name_index.h"
#include "planners/lexical/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FILLERS = 3000 };

static const char *const syllables[] = { "bar", "tel", "vor", "mun", "sig", "lop", "qua", "zen", "rif", "dax" };

static struct table table_of(struct call *c, const char *name, const char *const *columns, size_t count)
{
    struct table t = { .name = name, .row_count = -1 };
    t.columns = call_array(c, count, sizeof *t.columns);
    t.column_count = count;
    for (size_t i = 0; i < count; i++) t.columns[i] = (struct column){ .name = columns[i] };
    return t;
}

static void key(struct call *c, struct table *t, const char *column, const char *to)
{
    struct foreign_key *keys = call_array(c, t->foreign_key_count + 1, sizeof *keys);
    const char **columns = call_array(c, 1, sizeof *columns);
    if (t->foreign_key_count) memcpy(keys, t->foreign_keys, t->foreign_key_count * sizeof *keys);
    columns[0] = column;
    keys[t->foreign_key_count++] =
        (struct foreign_key){ .columns = columns, .column_count = 1, .table = to, .referred = columns };
    t->foreign_keys = keys;
}

/* Thousands of tables about nothing, and a few about customers and what they buy. */
static struct view *large(struct call *c)
{
    static const char *const customer[] = { "customer_id", "first_name", "city" };
    static const char *const product[] = { "product_id", "title", "unit_price" };
    static const char *const bought[] = { "c_ref", "p_ref", "bought_on" };
    static const char *const filler[] = { "id", "name", "kind", "created" };
    struct view *v = call_alloc(c, sizeof *v);
    v->tables = call_array(c, FILLERS + 3, sizeof *v->tables);
    for (size_t i = 0; i < FILLERS; i++)
        v->tables[v->table_count++] = table_of(
            c, call_format(c, "%s%s_%s%zu", syllables[i % 10], syllables[i / 10 % 10], syllables[i / 100 % 10], i),
            filler, 4);
    v->tables[v->table_count++] = table_of(c, "customers", customer, 3);
    v->tables[v->table_count++] = table_of(c, "catalogue_products", product, 3);
    struct table *x = &v->tables[v->table_count++];
    *x = table_of(c, "xref_0815", bought, 3);
    key(c, x, "c_ref", "customers");
    key(c, x, "p_ref", "catalogue_products");
    table_names_build(&v->names, call_alloc(c, table_names_bytes(v->table_count)), v->tables, v->table_count);
    return v;
}

static bool has(const struct view *v, const char *name)
{
    size_t matches;
    return schema_find(v->tables, v->table_count, &v->names, NULL, name, &matches) != NULL;
}

static const struct view *narrowed(struct call *c, const struct view *v, const char *question)
{
    struct stemmer *st = stemmer_open(c);
    struct words *q = call_alloc(c, sizeof *q);
    words_read(c, st, question, q);
    stemmer_close(st);
    return link_narrow(c, v, NULL, q);
}

static void keeps_what_is_said(void **state)
{
    static const struct {
        const char *question, *kept;
    } cases[] = {
        { "How many customers are there?", "customers" },
        { "how many custmers do we have", "customers" },
        { "What is the highest price?", "catalogue_products" },
        { "Which products did customers from Ulm buy?", "xref_0815" },
        { "List the title of every product", "catalogue_products" },
        { "show bartel bar100", "bartel_bar10" },
    };
    (void)state;
    struct call c;
    call_begin(&c);
    struct view *v = large(&c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct view *kept = narrowed(&c, v, cases[i].question);
        assert_in_range(kept->table_count, 1, NARROWED_MAX);
        if (!has(kept, cases[i].kept)) fail_msg("%s: %s is missing", cases[i].question, cases[i].kept);
    }
    assert_in_range(narrowed(&c, v, "?")->table_count, 1, NARROWED_MAX);
    assert_in_range(narrowed(&c, v, "\xF0\x9F\x98\x80 \xC3\xA4\xC3\xB6")->table_count, 1, NARROWED_MAX);
    call_end(&c);
}

/* A word that thousands of tables have brings none of them in beside a word that few have, and all alone no more than
 * fit. */
static void common_words(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct view *v = large(&c);
    const struct view *kept = narrowed(&c, v, "What is the first name of each customer?");
    assert_true(has(kept, "customers"));
    assert_in_range(kept->table_count, 1, 20);
    kept = narrowed(&c, v, "Show id, name, kind and created of each city");
    assert_true(has(kept, "customers"));
    assert_in_range(kept->table_count, 1, 20);
    assert_int_equal(narrowed(&c, v, "What are the names?")->table_count, 80);
    call_end(&c);
}

/* Tables of hundreds of columns: few are kept. */
static void wide_tables(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    const char **names = call_array(&c, 400, sizeof *names);
    for (size_t i = 0; i < 400; i++) names[i] = call_format(&c, "measure_%zu", i);
    struct view *v = call_alloc(&c, sizeof *v);
    v->tables = call_array(&c, 100, sizeof *v->tables);
    for (; v->table_count < 100; v->table_count++)
        v->tables[v->table_count] = table_of(&c, call_format(&c, "station_%zu", v->table_count), names, 400);
    table_names_build(&v->names, call_alloc(&c, table_names_bytes(100)), v->tables, 100);
    size_t columns = 0;
    const struct view *kept = narrowed(&c, v, "the measure 17 of each station");
    for (size_t i = 0; i < kept->table_count; i++) columns += kept->tables[i].column_count;
    assert_in_range(kept->table_count, 1, 6);
    assert_in_range(columns, 1, 6 * 400);
    call_end(&c);
}

/* Hundreds of tables hang on the one that is meant: so many as fit are kept with it. */
static void many_neighbours(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct view *v = large(&c);
    for (size_t i = 0; i < 500; i++) key(&c, &v->tables[i], "id", "customers");
    const struct view *kept = narrowed(&c, v, "How many customers are there?");
    assert_true(has(kept, "customers"));
    assert_int_equal(kept->table_count, NARROWED_MAX);
    call_end(&c);
}

/* Two words of a person stand in many tables each, both together in one: it is kept though no name speaks of it. */
static void values_together(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct view *v = large(&c);
    struct value_builder *b = value_builder_new(&c, 0);
    for (size_t i = 0; i < 40; i++)
        value_builder_add(b, NULL, v->tables[i].name, "name", i % 2 && i != 21 ? "Sawayn" : "Janessa");
    value_builder_add(b, NULL, v->tables[21].name, "kind", "Sawayn");
    struct value_index *values = value_builder_end(b);
    struct stemmer *st = stemmer_open(&c);
    struct words q = { 0 };
    words_read(&c, st, "Where does Janessa Sawayn live?", &q);
    stemmer_close(st);
    const struct view *kept = link_narrow(&c, v, values, &q);
    assert_true(has(kept, v->tables[21].name));
    value_index_free(values);
    call_end(&c);
}

/* Of names without end a few words are kept, and no word without end. */
static void long_names(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct buf words, one;
    buf_init(&words, &c, 1 << 20);
    buf_init(&one, &c, 1 << 20);
    for (size_t i = 0; i < 5000; i++) {
        buf_format(&words, "part%zu_", i);
        buf_str(&one, "\xC3\xA4");
    }
    const char *columns[] = { words.data, one.data, "plain" };
    struct table t = table_of(&c, words.data, columns, 3);
    const struct table_names none = { 0 };
    const struct name_index *x = name_index_build(&c, &t, 1, &none);
    assert_in_range(x->word_count, 2, 9);
    for (size_t i = 0; i < x->word_count; i++) assert_in_range(strlen(x->words[i].fold), 1, 64);
    assert_in_range(x->name_lengths[0], 1, 8);
    call_end(&c);
}

/* What get_schema goes by: names, columns and descriptions. */
static void finds_tables(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct view *v = large(&c);
    v->tables[7].description = "Parcels on their way to a customer";
    const struct name_index *x = name_index_build(&c, v->tables, v->table_count, &v->names);
    struct stemmer *st = stemmer_open(&c);
    struct words q = { 0 };
    uint32_t found[5];
    words_read(&c, st, "the names of all customers", &q);
    assert_int_equal(name_index_tables(x, &c, &q, found, 5), 2);
    assert_int_equal(found[0], FILLERS);
    assert_int_equal(found[1], 7);
    q = (struct words){ 0 };
    words_read(&c, st, "parcels", &q);
    assert_int_equal(name_index_tables(x, &c, &q, found, 5), 1);
    q = (struct words){ 0 };
    words_read(&c, st, "names", &q);
    assert_int_equal(name_index_tables(x, &c, &q, found, 5), 5);
    stemmer_close(st);
    call_end(&c);
}

/* The same with an index made with the view and one made on the spot. */
static void index_is_a_cache(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct view *v = large(&c);
    const struct view *before = narrowed(&c, v, "Which products did customers from Ulm buy?");
    v->words = name_index_build(&c, v->tables, v->table_count, &v->names);
    const struct view *after = narrowed(&c, v, "Which products did customers from Ulm buy?");
    assert_int_equal(before->table_count, after->table_count);
    for (size_t i = 0; i < before->table_count; i++) assert_string_equal(before->tables[i].name, after->tables[i].name);
    call_end(&c);
}

static void small_is_whole(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct view *v = large(&c);
    v->table_count = 64;
    assert_ptr_equal(narrowed(&c, v, "How many customers are there?"), v);
    call_end(&c);
}

static void words_and_neighbours(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct view *v = large(&c);
    const struct name_index *x = name_index_build(&c, v->tables, v->table_count, &v->names);
    size_t first, end = name_index_range(x, "customers", 9, &first);
    assert_int_equal(end - first, 1);
    assert_int_equal(x->words[first].tables, 1);
    assert_int_equal(x->places[x->words[first].first], FILLERS * 2 + 1);
    end = name_index_range(x, "customer", 8, &first);
    assert_int_equal(end - first, 2);
    end = name_index_range(x, "name", 4, &first);
    assert_int_equal(end - first, 1);
    assert_int_equal(x->words[first].tables, FILLERS + 1);
    end = name_index_range(x, "nothing", 7, &first);
    assert_int_equal(end, first);
    assert_int_equal(x->neighbour_first[FILLERS + 1] - x->neighbour_first[FILLERS], 1);
    assert_int_equal(x->neighbours[x->neighbour_first[FILLERS]], FILLERS + 2);
    assert_int_equal(x->neighbour_first[FILLERS + 3] - x->neighbour_first[FILLERS + 2], 2);
    for (size_t i = 1; i < x->word_count; i++) assert_true(strcmp(x->words[i - 1].fold, x->words[i].fold) < 0);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(keeps_what_is_said), cmocka_unit_test(index_is_a_cache),
                                        cmocka_unit_test(small_is_whole),     cmocka_unit_test(words_and_neighbours),
                                        cmocka_unit_test(common_words),       cmocka_unit_test(wide_tables),
                                        cmocka_unit_test(many_neighbours),    cmocka_unit_test(values_together),
                                        cmocka_unit_test(long_names),         cmocka_unit_test(finds_tables) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
