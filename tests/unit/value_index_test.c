/* The value index: what is found, how well, through whose eyes; and that no damaged blob is believed. */
#include "schema/value_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct column columns[] = { { .name = "name" }, { .name = "country" } };
static struct table tables[] = { { .name = "singer", .columns = columns, .column_count = 2 } };
static struct table_access access_rules[1];
static const struct view view = { .tables = tables, .access = access_rules, .table_count = 1 };

static struct value_index *build(struct call *c)
{
    struct value_builder *b = value_builder_new(c, 0);
    value_builder_add(b, NULL, "singer", "name", "Joe Sharp");
    value_builder_add(b, NULL, "singer", "name", "Zoë Straße");
    value_builder_add(b, NULL, "singer", "name", "The Big Bang");
    value_builder_add(b, NULL, "singer", "country", "Japan");
    value_builder_add(b, NULL, "singer", "country", "United States");
    value_builder_add(b, NULL, "singer", "hidden", "secret");
    return value_builder_end(b);
}

static void finds(void **state)
{
    static const struct {
        const char *phrase, *value, *column;
        enum value_match match;
    } cases[] = { { "Joe Sharp", "Joe Sharp", "name", MATCH_EXACT },
                  { "joe sharp", "Joe Sharp", "name", MATCH_FOLDED },
                  { "zoe strasse", "Zoë Straße", "name", MATCH_FOLDED },
                  { "united state", "United States", "country", MATCH_STEMMED },
                  { "Sharp", "Joe Sharp", "name", MATCH_PARTIAL },
                  { "Japanese", "Japan", "country", MATCH_TRIGRAM },
                  { "Big Bang", "The Big Bang", "name", MATCH_PARTIAL } };
    (void)state;
    struct call c;
    call_begin(&c);
    struct value_index *v = build(&c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct value_hit hits[4];
        size_t n = value_index_find(v, &c, &view, cases[i].phrase, hits, 4);
        assert_int_equal(n, 1);
        assert_string_equal(hits[0].value, cases[i].value);
        assert_string_equal(hits[0].column, cases[i].column);
        assert_int_equal(hits[0].match, cases[i].match);
    }
    struct value_hit hits[4];
    assert_int_equal(value_index_find(v, &c, &view, "nobody", hits, 4), 0);
    assert_int_equal(value_index_find(v, &c, &view, "", hits, 4), 0);
    value_index_free(v);
    call_end(&c);
}

static void hides(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct value_index *v = build(&c);
    struct value_hit hits[4];
    assert_int_equal(value_index_find(v, &c, &view, "secret", hits, 4), 0); /* the view has no such column */
    struct mask mask = { .column = "country" };
    access_rules[0] = (struct table_access){ .masks = &mask, .mask_count = 1 };
    assert_int_equal(value_index_find(v, &c, &view, "Japan", hits, 4), 0);
    assert_int_equal(value_index_find(v, &c, &view, "Joe Sharp", hits, 4), 1);
    struct expr *filter = (struct expr *)(void *)&mask;
    access_rules[0] = (struct table_access){ .filter = filter };
    assert_int_equal(value_index_find(v, &c, &view, "Joe Sharp", hits, 4), 0);
    access_rules[0] = (struct table_access){ 0 };
    value_index_free(v);
    call_end(&c);
}

/* Values that configuration calls public are matched behind a row filter; masked and hidden ones still are not. */
static void opens(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct value_index *v = build(&c);
    struct value_hit hits[4];
    struct list listed = { 0 };
    *(const char **)list_push(&c, &listed, sizeof(char *)) = "Singer.COUNTRY";
    *(const char **)list_push(&c, &listed, sizeof(char *)) = "singer.hidden";
    *(const char **)list_push(&c, &listed, sizeof(char *)) = "other.name";
    value_index_open_columns(v, &listed);
    struct mask mask = { .column = "country" };
    struct expr *filter = (struct expr *)(void *)&mask;
    access_rules[0] = (struct table_access){ .filter = filter };
    assert_int_equal(value_index_find(v, &c, &view, "Japan", hits, 4), 1);
    assert_int_equal(value_index_find(v, &c, &view, "Joe Sharp", hits, 4), 0);
    assert_int_equal(value_index_find(v, &c, &view, "secret", hits, 4), 0);
    access_rules[0] = (struct table_access){ .filter = filter, .masks = &mask, .mask_count = 1 };
    assert_int_equal(value_index_find(v, &c, &view, "Japan", hits, 4), 0);
    access_rules[0] = (struct table_access){ .filter = filter };
    value_index_open_columns(v, &(struct list){ 0 });
    assert_int_equal(value_index_find(v, &c, &view, "Japan", hits, 4), 0);
    access_rules[0] = (struct table_access){ 0 };
    value_index_free(v);
    call_end(&c);
}

/* Any byte of the blob may be wrong: it is refused or answers, and never reads outside. */
static void damaged(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct value_index *v = build(&c);
    size_t n;
    const unsigned char *blob = value_index_blob(v, &n);
    unsigned char *copy = call_alloc(&c, n);
    size_t refused = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(copy, blob, n);
        copy[i] ^= 0xff;
        struct value_index *m = value_index_map(copy, n);
        struct value_hit hits[4];
        if (m)
            value_index_find(m, &c, &view, "Joe Sharp", hits, 4);
        else
            refused++;
        value_index_free(m);
    }
    assert_true(refused > 40);
    assert_null(value_index_map(blob, n - 1));
    assert_null(value_index_map("", 0));
    struct value_index *m = value_index_map(blob, n);
    assert_non_null(m);
    value_index_free(m);
    value_index_free(v);
    call_end(&c);
}

/* A large index lies in a file that nobody else can see, and answers as before. */
static void maps(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct value_builder *b = value_builder_new(&c, 0);
    for (int i = 0; i < 8000; i++) value_builder_add(b, NULL, "singer", "name", call_format(&c, "Singer Number %d", i));
    struct value_index *v = value_builder_end(b), *small = build(&c);
    size_t n, m;
    const void *before = value_index_blob(v, &n);
    char *copy = call_alloc(&c, n);
    memcpy(copy, before, n);
    assert_true(n > 256 * 1024);
    value_index_to_file(v, &c, "/nowhere at all");
    assert_ptr_equal(value_index_blob(v, &m), before);
    char folder[] = "/tmp/value-index-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    value_index_to_file(v, &c, folder);
    assert_ptr_not_equal(value_index_blob(v, &m), before);
    assert_int_equal(m, n);
    assert_memory_equal(value_index_blob(v, &m), copy, n);
    assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
    struct value_hit hits[4];
    assert_int_equal(value_index_find(v, &c, &view, "singer number 7999", hits, 4), 1);
    assert_string_equal(hits[0].value, "Singer Number 7999");
    const void *kept = value_index_blob(small, &m);
    value_index_to_file(small, &c, "/tmp");
    assert_ptr_equal(value_index_blob(small, &m), kept);
    value_index_free(v);
    value_index_free(small);
    call_end(&c);
}

/* Fills a builder with values of one sort and answers how many it took. */
struct filling {
    size_t taken, left_out, bytes;
};

static struct filling filled(size_t max_bytes, const char *(*value)(struct call *c, int i), int per_column)
{
    struct call c;
    struct filling f = { 0 };
    call_begin(&c);
    struct value_builder *b = value_builder_new(&c, max_bytes);
    for (int i = 0; i < 6000; i++) {
        const char *column = call_format(&c, "a_rather_long_name_of_a_column_%d", i / per_column);
        bool in = value_builder_add(b, "schema", "table", column, value(&c, i));
        f.taken += in;
        f.left_out += !in;
    }
    struct value_index *v = value_builder_end(b);
    value_index_blob(v, &f.bytes);
    value_index_free(v);
    call_end(&c);
    return f;
}

static const char *distinct(struct call *c, int i)
{
    return call_format(c, "v%d", i);
}

static const char *long_one(struct call *c, int i)
{
    return call_format(c, "%05d an unbroken%dvaluethatfillsnearlyallthebytesavalueisallowedtohave", i, i);
}

static const char *many_words(struct call *c, int i)
{
    return call_format(c, "a%d b%d c%d d%d e%d f%d g%d h%d i%d j%d", i, i, i, i, i, i, i, i, i, i);
}

static const char *wide(struct call *c, int i)
{
    return call_format(c, "\xC3\x84\xC3\x96%d \xE6\x97\xA5\xE6\x9C\xAC%d \xEF\xBF\xBD", i, i);
}

/* Whatever the values are like, the blob keeps to its budget, uses a good part of it, and what did not fit is told. */
static void bounded(void **state)
{
    static const struct {
        const char *(*value)(struct call *c, int i);
        int per_column;
    } sorts[] = { { distinct, 6000 }, { long_one, 6000 }, { many_words, 6000 },
                  { wide, 6000 },     { distinct, 1 },    { many_words, 2 } };
    (void)state;
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        for (size_t max = 16 * 1024; max <= 256 * 1024; max = max * 5 / 3) {
            struct filling f = filled(max, sorts[i].value, sorts[i].per_column);
            assert_int_equal(f.taken + f.left_out, 6000);
            assert_in_range(f.bytes, max / 4, max);
            assert_true(f.left_out > 0 && f.taken > 0);
        }
    assert_int_equal(filled(0, distinct, 6000).left_out, 0);
}

static const char *too_long(struct call *c, int i)
{
    return call_format(c, "%080d%d", i, i);
}

static const char *just_fits(struct call *c, int i)
{
    return call_format(c, "%080d", i);
}

static void long_values(void **state)
{
    (void)state;
    assert_int_equal(filled(0, too_long, 6000).taken, 0);
    assert_int_equal(filled(0, just_fits, 6000).left_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(finds),      cmocka_unit_test(hides),
                                        cmocka_unit_test(opens),      cmocka_unit_test(damaged),
                                        cmocka_unit_test(maps),       cmocka_unit_test(bounded),
                                        cmocka_unit_test(long_values) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
