/* indexing: what is learnt of the demo and of a database that declares nothing; what is remembered; what is left out.
 */
#include "indexing/index.h"
#include "schema/value_index.h"
#include "store/demo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/querent-indexing-XXXXXX";

static const char *path_of(struct call *c, const char *name)
{
    return call_format(c, "%s/%s", folder, name);
}

static const char messy[] =
    "CREATE TABLE Singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, secret TEXT);"
    "CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, singer_id INTEGER, venue_code TEXT, year INTEGER, price "
    "NUMERIC);"
    "CREATE TABLE venues (code TEXT PRIMARY KEY, name TEXT, photo BLOB);"
    "CREATE TABLE lonely (id INTEGER PRIMARY KEY, singer_id INTEGER);"
    "CREATE TABLE duet (id INTEGER PRIMARY KEY, first_singer_id INTEGER, room INTEGER, sung_name TEXT);"
    "CREATE TABLE crew (last_name TEXT, first_name TEXT, room INTEGER, sung_name TEXT, PRIMARY KEY (last_name, "
    "first_name));"
    "CREATE TABLE empty_one (id INTEGER PRIMARY KEY, note TEXT);"
    "CREATE VIEW busy AS SELECT name FROM Singer;"
    "INSERT INTO Singer VALUES (1, 'Édith', 'France', 's1'), (2, 'Joe', 'United States', 's2'), (3, 'Joe', NULL, 's3');"
    "INSERT INTO venues VALUES ('A1', 'Arena One', x'00ff'), ('B2', 'Blue Hall', NULL);"
    "INSERT INTO concert VALUES (1, 1, 'A1', 2020, 10.5), (2, 2, 'A1', 2021, 'free'), (3, NULL, 'B2', 2021, 7);"
    "INSERT INTO lonely VALUES (1, 1), (2, 99);"
    "INSERT INTO duet VALUES (1, 2, 7, 'Ed'), (2, 2, 8, 'Ed'), (3, 1, 7, 'Al');"
    "INSERT INTO crew VALUES ('Gray', 'Ann', 7, 'Ed'), ('Lang', 'Bea', 8, 'Al');";

static int set_up(void **state)
{
    (void)state;
    struct call c;
    sqlite3 *db;
    if (!mkdtemp(folder)) return -1;
    call_begin(&c);
    int rc = demo_create(&c, path_of(&c, "demo.sqlite"));
    rc |=
        sqlite3_open(path_of(&c, "messy.sqlite"), &db) | sqlite3_exec(db, messy, NULL, NULL, NULL) | sqlite3_close(db);
    call_end(&c);
    return rc;
}

static int tear_down(void **state)
{
    (void)state;
    struct call c;
    call_begin(&c);
    unlink(path_of(&c, "demo.sqlite"));
    unlink(path_of(&c, "messy.sqlite"));
    call_end(&c);
    return rmdir(folder);
}

static void put(struct call *c, struct registry *r, const char *id, const char *options)
{
    struct datasource_config d = { .id = id, .type = "sqlite" };
    const char *text = call_format(c, "{\"path\":\"%s/%s.sqlite\"}", folder, id);
    const struct json *j;
    assert_int_equal(json_parse(c, text, strlen(text), &d.connection), OK);
    assert_int_equal(json_parse(c, options, strlen(options), &j), OK);
    assert_int_equal(json_decode(c, &datasource_options_type, j, &d.options), OK);
    assert_int_equal(registry_put(r, c, &d), OK);
}

static const struct column *column_of(const struct snapshot *s, const char *table, const char *column)
{
    const struct table *t = schema_table(s->tables, s->table_count, NULL, table);
    const struct column *col = t ? schema_column(t, column) : NULL;
    if (!col) fail_msg("no %s.%s", table, column);
    return col;
}

static size_t find_value(struct call *c, const struct datasource *ds, const char *phrase, const char *column)
{
    struct value_hit hits[20];
    struct table_access *access = call_array(c, ds->snapshot->table_count, sizeof *access);
    struct view view = { .snapshot = ds->snapshot,
                         .tables = ds->snapshot->tables,
                         .access = access,
                         .table_count = ds->snapshot->table_count };
    size_t found = 0, n = value_index_find(ds->values, c, &view, phrase, hits, 20);
    for (size_t i = 0; i < n; i++) found += !strcmp(hits[i].column, column);
    return found;
}

static void learns_the_demo(void **state)
{
    (void)state;
    struct call c;
    struct registry *r;
    struct index_report report;
    call_begin(&c);
    assert_int_equal(registry_open(&c, &r), OK);
    put(&c, r, "demo", "{\"pii\":[\"customers.email\"],\"row_limit\":5}");
    assert_int_equal(index_datasource(&c, r, NULL, "demo", NULL, &report), OK);
    assert_true(report.complete && report.changed);
    assert_int_equal(report.tables, 12);
    assert_true(report.rows > 60000 && report.rows < 65000);
    assert_int_equal(report.inferred_keys, 0);
    const struct datasource *ds = registry_get(r, &c, "demo");
    const struct snapshot *s = ds->snapshot;
    assert_int_equal(ds->status, DS_READY);
    assert_int_equal(column_of(s, "orders", "channel")->distinct_count, 2);
    assert_int_equal(column_of(s, "orders", "channel")->sample_count, 2);
    assert_string_equal(column_of(s, "orders", "channel")->samples[0], "online");
    assert_int_equal(column_of(s, "orders", "order_date")->null_count, 0);
    assert_string_equal(column_of(s, "orders", "order_date")->min, "2024-09-01");
    assert_string_equal(column_of(s, "orders", "order_date")->max, "2026-08-31");
    assert_true(column_of(s, "customers", "phone")->null_count > 500);
    assert_int_equal(column_of(s, "stores", "store_id")->distinct_count, 12);
    assert_int_equal(find_value(&c, ds, "wien", "city"), 3); /* customers, stores, suppliers */
    assert_int_equal(find_value(&c, ds, "Krakow", "city"), 3);
    assert_true(find_value(&c, ds, "board games", "name") >= 1);
    assert_int_equal(find_value(&c, ds, "customer1@mail.example", "email"), 0);
    assert_true(column_of(s, "customers", "email")->pii);
    assert_null(column_of(s, "customers", "email")->min);
    assert_int_equal(column_of(s, "customers", "email")->sample_count, 0);
    registry_close(r);
    call_end(&c);
}

static void learns_what_nobody_declared(void **state)
{
    (void)state;
    struct call c;
    struct registry *r;
    struct index_report report;
    call_begin(&c);
    assert_int_equal(registry_open(&c, &r), OK);
    put(&c, r, "messy", "{\"index_values\":\"listed\",\"index_columns\":[\"Singer.country\",\"VENUES.NAME\"]}");
    assert_int_equal(index_datasource(&c, r, NULL, "messy", NULL, &report), OK);
    const struct datasource *ds = registry_get(r, &c, "messy");
    const struct table *concert = schema_table(ds->snapshot->tables, ds->snapshot->table_count, NULL, "concert");
    const struct table *lonely = schema_table(ds->snapshot->tables, ds->snapshot->table_count, NULL, "lonely");
    assert_int_equal(concert->foreign_key_count, 2);
    assert_true(concert->foreign_keys[0].inferred && concert->foreign_keys[1].inferred);
    assert_string_equal(concert->foreign_keys[0].table, "Singer");
    assert_string_equal(concert->foreign_keys[1].table, "venues");
    assert_string_equal(concert->foreign_keys[1].referred[0], "code");
    assert_int_equal(lonely->foreign_key_count, 0); /* 99 is no singer */
    const struct table *duet = schema_table(ds->snapshot->tables, ds->snapshot->table_count, NULL, "duet");
    assert_int_equal(duet->foreign_key_count, 2); /* by the part that it plays; by a column whose values all differ */
    assert_string_equal(duet->foreign_keys[0].columns[0], "first_singer_id");
    assert_string_equal(duet->foreign_keys[0].table, "Singer");
    assert_string_equal(duet->foreign_keys[1].columns[0], "room"); /* and not sung_name: a name is no key */
    assert_string_equal(duet->foreign_keys[1].table, "crew");
    assert_int_equal(report.inferred_keys, 4);
    assert_int_equal(find_value(&c, ds, "blue hall", "name"), 1);
    assert_int_equal(find_value(&c, ds, "united states", "country"), 1);
    assert_int_equal(find_value(&c, ds, "Joe", "name"), 0);
    assert_int_equal(column_of(ds->snapshot, "venues", "photo")->null_count, 1);
    assert_int_equal(column_of(ds->snapshot, "empty_one", "note")->distinct_count, -1);
    assert_int_equal(schema_table(ds->snapshot->tables, ds->snapshot->table_count, NULL, "empty_one")->row_count, 0);
    registry_close(r);
    call_end(&c);
}

static int64_t stored_versions(struct call *c, struct db *db)
{
    struct count {
        int64_t n;
    } count = { 0 };
    static const struct field fields[] = { { .name = "n", .kind = K_INT }, { 0 } };
    static const struct type type = { .name = "Count", .size = sizeof(struct count), .fields = fields };
    bool found;
    assert_int_equal(db_one(db, c, "SELECT count(*) AS n FROM schema_snapshots", NULL, 0, &type, &count, &found), OK);
    return count.n;
}

static void change(struct call *c, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path_of(c, "messy.sqlite"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* A start learns from the store as long as the structure is the same, and from the database when it is not. */
static void remembers(void **state)
{
    (void)state;
    struct call c;
    struct db *db;
    int64_t rows[4];
    call_begin(&c);
    assert_int_equal(db_open(&c, ":memory:", &db), OK);
    for (int start = 0; start < 4; start++) {
        struct registry *r;
        struct call asking;
        if (start == 1) change(&c, "INSERT INTO lonely VALUES (3, 1)");
        if (start == 2) change(&c, "ALTER TABLE lonely ADD COLUMN extra TEXT");
        call_begin(&asking);
        assert_int_equal(registry_open(&c, &r), OK);
        registry_learn_with(r, (struct registry_learner){ .learn = index_learn, .ctx = db });
        put(&c, r, "messy", "{}");
        const struct datasource *ds = registry_get(r, &asking, "messy");
        assert_int_equal(ds->status, DS_READY);
        assert_non_null(ds->values);
        assert_int_equal(find_value(&c, ds, "blue hall", "name"), 1);
        rows[start] = schema_table(ds->snapshot->tables, ds->snapshot->table_count, NULL, "lonely")->row_count;
        call_end(&asking);
        registry_close(r);
    }
    assert_int_equal(rows[0], 2);
    assert_int_equal(rows[1], 2); /* remembered */
    assert_int_equal(rows[2], 3); /* another structure: learnt anew */
    assert_int_equal(rows[3], 3);
    assert_int_equal(stored_versions(&c, db), 2);
    db_close(db);
    call_end(&c);
}

static void tells_what_is_wrong(void **state)
{
    (void)state;
    struct call c;
    struct registry *r;
    struct index_report report;
    call_begin(&c);
    assert_int_equal(registry_open(&c, &r), OK);
    registry_learn_with(r, (struct registry_learner){ .learn = index_learn, .ctx = NULL });
    put(&c, r, "missing", "{}");
    const struct datasource *ds = registry_get(r, &c, "missing");
    assert_int_equal(ds->status, DS_UNAVAILABLE);
    assert_non_null(strstr(ds->problem, "does not exist"));
    assert_null(strstr(ds->problem, folder));
    assert_int_equal(c.err.code, OK);
    assert_int_equal(index_datasource(&c, r, NULL, "missing", NULL, &report), ERR_DATASOURCE_UNAVAILABLE);
    call_forgive(&c);
    assert_int_equal(index_datasource(&c, r, NULL, "unknown", NULL, &report), ERR_DATASOURCE_NOT_FOUND);
    registry_close(r);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(learns_the_demo),
                                        cmocka_unit_test(learns_what_nobody_declared), cmocka_unit_test(remembers),
                                        cmocka_unit_test(tells_what_is_wrong) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
