/* registry and snapshot: copies are deep, fingerprints see structure only, calls keep what they pinned, learning
 * happens once. */
#include "handmade.h"
#include "schema/registry.h"
#include "schema/snapshot.h"
#include "schema/value_index.h"
#include "store/demo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char demo_path[] = "/tmp/querent-registry-XXXXXX/demo.sqlite";

static int make_demo(void **state)
{
    (void)state;
    struct call c;
    *strrchr(demo_path, '/') = '\0';
    if (!mkdtemp(demo_path)) return -1;
    demo_path[strlen(demo_path)] = '/';
    call_begin(&c);
    int rc = demo_create(&c, demo_path);
    call_end(&c);
    return rc;
}

static int remove_demo(void **state)
{
    (void)state;
    unlink(demo_path);
    *strrchr(demo_path, '/') = '\0';
    return rmdir(demo_path);
}

static struct datasource_config demo_config(struct call *c, const char *id, const char *description)
{
    struct datasource_config d = { .id = id, .description = description, .type = "sqlite" };
    const char *text = call_format(c, "{\"path\":\"%s\"}", demo_path);
    assert_int_equal(json_parse(c, text, strlen(text), &d.connection), OK);
    assert_int_equal(type_defaults(c, &datasource_options_type, &d.options), OK);
    return d;
}

static struct snapshot *take(struct call *c)
{
    struct datasource_config d = demo_config(c, "demo", NULL);
    struct adapter *a;
    struct snapshot *s;
    assert_int_equal(adapter_open(c, &d, &a), OK);
    assert_int_equal(adapter_introspect(c, a, &s), OK);
    adapter_close(a);
    s->datasource = "demo";
    s->fingerprint = snapshot_fingerprint(c, s);
    return s;
}

static const char *text_of(struct call *c, const struct snapshot *s)
{
    struct buf b;
    buf_init(&b, c, (size_t)16 << 20);
    snapshot_encode(&b, s);
    assert_false(b.failed);
    return b.data;
}

static void stored_form(void **state)
{
    (void)state;
    struct call c, other;
    struct snapshot *back;
    call_begin(&c);
    call_begin(&other);
    struct snapshot *s = take(&c);
    const char *samples[] = { "a \"quoted\" one", "Kraków" };
    s->tables[0].columns[1].samples = samples;
    s->tables[0].columns[1].sample_count = 2;
    s->tables[0].columns[1].distinct_count = 2;
    s->tables[0].row_count = 23;
    const char *text = text_of(&c, s);
    assert_int_equal(snapshot_decode(&other, text, strlen(text), &back), OK);
    assert_string_equal(text_of(&other, back), text);
    assert_string_equal(snapshot_fingerprint(&other, back), s->fingerprint);
    struct snapshot *copy = snapshot_copy(&other.arena, s);
    call_end(&c); /* nothing of the copy lies there */
    assert_string_equal(text_of(&other, copy), text_of(&other, back));
    static const char *const bad[] = {
        "", "{}", "[1]", "{\"datasource\":1}",
        "{\"datasource\":\"d\",\"dialect\":\"s\",\"fingerprint\":\"f\",\"taken_us\":1,\"tables\":[{\"name\":"
        "\"t\",\"kind\":\"table\",\"columns\":[],\"foreign_keys\":[{\"columns\":[\"a\"],\"table\":\"t\","
        "\"referred\":[]}]}]}"
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(snapshot_decode(&other, bad[i], strlen(bad[i]), &back), ERR_STORE_FAILED);
        call_forgive(&other);
    }
    call_end(&other);
}

static void fingerprint_sees_structure(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    struct snapshot *s = take(&c);
    const char *first = s->fingerprint;
    assert_int_equal(strlen(first), 64);
    s->tables[0].row_count = 5;
    s->tables[0].columns[0].min = "1";
    s->tables[0].description = "new";
    s->taken_us++;
    assert_string_equal(snapshot_fingerprint(&c, s), first);
    struct column *col = &s->tables[1].columns[1];
    col->nullable = !col->nullable;
    assert_string_not_equal(snapshot_fingerprint(&c, s), first);
    col->nullable = !col->nullable;
    col->name = "other";
    assert_string_not_equal(snapshot_fingerprint(&c, s), first);
    call_end(&c);
}

static void calls_keep_what_they_pinned(void **state)
{
    (void)state;
    struct call c, reader, later;
    struct registry *r;
    call_begin(&c);
    call_begin(&reader);
    call_begin(&later);
    struct datasource_config d = demo_config(&c, "demo", "first");
    assert_int_equal(registry_open(&c, &r), OK);
    assert_int_equal(registry_put(r, &c, &d), OK);
    const struct datasource *before = registry_get(r, &reader, "demo");
    assert_int_equal(before->status, DS_NOT_INDEXED);
    assert_null(before->snapshot);

    struct snapshot *s = take(&c);
    struct value_builder *b = value_builder_new(&c, 0);
    value_builder_add(b, NULL, "stores", "city", "Wien");
    assert_int_equal(registry_publish(r, &c, "demo", s, value_builder_end(b)), OK);
    assert_ptr_equal(registry_get(r, &reader, "demo"), before);
    assert_int_equal(registry_peek(r, &reader, "demo")->status, DS_READY);
    assert_ptr_equal(registry_get(r, &reader, "demo"), before);
    const struct datasource *after = registry_get(r, &later, "demo");
    assert_int_equal(after->status, DS_READY);
    assert_non_null(after->values);
    assert_int_equal(after->snapshot->table_count, 12);
    int64_t taken = after->snapshot->taken_us;

    /* The same again is a newer picture; unavailable keeps the picture. */
    assert_int_equal(registry_publish(r, &c, "demo", s, NULL), OK);
    registry_mark(r, "demo", DS_UNAVAILABLE, "gone");
    const struct datasource *third = registry_peek(r, &later, "demo");
    assert_true(third->snapshot->taken_us > taken);
    assert_int_equal(third->status, DS_UNAVAILABLE);
    assert_string_equal(third->problem, "gone");

    /* The same configuration is the same entry; another one starts anew; what was pinned outlives everything. */
    assert_int_equal(registry_put(r, &c, &d), OK);
    assert_non_null(registry_peek(r, &later, "demo")->snapshot);
    d.description = "second";
    assert_int_equal(registry_put(r, &c, &d), OK);
    assert_null(registry_peek(r, &later, "demo")->snapshot);
    assert_int_equal(registry_remove(r, &c, "demo"), OK);
    assert_int_equal(registry_remove(r, &c, "demo"), ERR_DATASOURCE_NOT_FOUND);
    assert_null(registry_get(r, &c, "demo"));
    registry_close(r);
    assert_string_equal(after->config->description, "first");
    assert_string_equal(after->snapshot->tables[0].name, "categories");
    call_end(&reader);
    call_end(&later);
    call_end(&c);
}

struct lesson {
    atomic_int times;
    bool works;
};

static void learn(void *ctx, struct registry *r, struct call *c, const char *id)
{
    struct lesson *l = ctx;
    atomic_fetch_add(&l->times, 1);
    assert_int_equal(registry_peek(r, c, id)->status, DS_NOT_INDEXED);
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    if (l->works)
        registry_publish(r, c, id, take(c), NULL);
    else
        call_fail(c, ERR_DATASOURCE_UNAVAILABLE, "gone");
}

static void *first_use(void *registry)
{
    struct call c;
    call_begin(&c);
    const struct datasource *ds = registry_get(registry, &c, "demo");
    bool ready = ds && ds->snapshot;
    call_end(&c);
    return ready ? registry : NULL;
}

static void learns_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    for (int works = 0; works < 2; works++) {
        struct call c;
        struct registry *r;
        struct lesson lesson = { .works = works };
        pthread_t threads[THREADS];
        call_begin(&c);
        struct datasource_config d = demo_config(&c, "demo", NULL);
        assert_int_equal(registry_open(&c, &r), OK);
        registry_learn_with(r, (struct registry_learner){ .learn = learn, .ctx = &lesson });
        assert_int_equal(registry_put(r, &c, &d), OK);
        for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, first_use, r);
        for (int i = 0; i < THREADS; i++) {
            void *ready;
            pthread_join(threads[i], &ready);
            assert_int_equal(ready != NULL, works);
        }
        assert_int_equal(registry_list(r, &c).count, 1);
        assert_int_equal(atomic_load(&lesson.times), 1);
        assert_int_equal(c.err.code, OK);
        registry_close(r);
        call_end(&c);
    }
}

static void bad_configurations(void **state)
{
    (void)state;
    static const struct {
        const char *type, *connection, *field;
    } cases[] = {
        { "sqlite", "{}", "/connection/path" },
        { "sqlite", "{\"path\":\"\"}", "/connection/path" },
        { "sqlite", "{\"path\":1}", "/connection/path" },
        { "sqlite", "{\"path\":\"x\",\"pth\":\"y\"}", "/connection/pth" },
        { "sqlight", "{\"path\":\"x\"}", "/type" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call c;
        struct registry *r;
        call_begin(&c);
        struct datasource_config d = demo_config(&c, "demo", NULL);
        d.type = cases[i].type;
        assert_int_equal(json_parse(&c, cases[i].connection, strlen(cases[i].connection), &d.connection), OK);
        assert_int_equal(registry_open(&c, &r), OK);
        assert_int_equal(registry_put(r, &c, &d), ERR_VALIDATION_ERROR);
        assert_string_equal(c.err.field, cases[i].field);
        assert_int_equal(registry_list(r, &c).count, 0);
        registry_close(r);
        call_end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(stored_form), cmocka_unit_test(fingerprint_sees_structure),
                                        cmocka_unit_test(calls_keep_what_they_pinned), cmocka_unit_test(learns_once),
                                        cmocka_unit_test(bad_configurations) };
    return cmocka_run_group_tests(tests, make_demo, remove_demo);
}
